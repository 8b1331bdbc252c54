//! Touches of trees.

use windfall_core::BodyId;
use windfall_core::glam::{DMat3, DVec3};

use crate::plants::{Chain, SEGMENTS, horizontal_branch, symmetric_tree};
use crate::{Checked, DOWN, Subject, ensure, local_tip, step, tier, tip};
use windfall_solver::{Actions, Solver, Touch};

tier! {
    [|solver| solver.contact().is_some()]
    places_are_those_of_the_motion,
    what_hits_goes_on_with_the_branch,
    a_touch_that_would_pull_does_nothing,
    what_lies_on_a_branch_weighs_on_it,
}

/// Places and velocities for contacts are those of the motion.
pub fn places_are_those_of_the_motion(subject: &Subject<'_>) -> Checked {
    let plant = symmetric_tree();
    let mut solver = subject.solver(&plant);
    subject.run(&mut *solver, DOWN, 0.2);
    let contact = solver.contact().expect("was asked");
    for id in plant.body_ids() {
        let (place, motion) = (contact.place(id.into()), solver.motion(id.into()));
        let rounding = subject.tolerances.rounding;
        let apart = place.joint.distance(motion.joint);
        ensure!(apart < rounding, "body {}: its place is {apart} m from its motion", id.0);
        let point = DVec3::new(0.1, 0.2, -0.1);
        let arm = motion.orientation * (point - plant.mass_properties(id).center_of_mass);
        let theory = motion.velocity + motion.angular_velocity.cross(arm);
        let said = contact.velocity_at(id.into(), point);
        let off = said.distance(theory);
        ensure!(off < 100.0 * rounding, "body {}: a point moves with {theory} m/s and says {said}", id.0);
        ensure!(place.local(place.point(point)).distance(point) < rounding, "a point there and back");
    }
    Ok(())
}

/// A ball that hits the tip of a branch and sticks: it goes on with the velocity of the tip,
/// `J = m (u - v')`, and the branch gains the momentum that the ball loses. A heavier ball pushes harder,
/// and none leaves faster than it came.
pub fn what_hits_goes_on_with_the_branch(subject: &Subject<'_>) -> Checked {
    let plant = horizontal_branch();
    let last = BodyId(SEGMENTS as u32 - 1);
    let (point, normal, tolerance) = (local_tip(&plant, last), DVec3::NEG_Y, subject.tolerances.contact);
    let outer = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
    let mut before = 0.0;
    for mass in [0.001, 0.02, 1.0] {
        let mut solver = subject.solver(&plant);
        let speed = 2.0;
        // A short step: springs hardly act within it.
        let dt = subject.tolerances.step.min(1e-4);
        let touch =
            |velocity| Touch { body: last.into(), point, velocity, mass: outer * mass, pushes_along: Some(normal) };
        let touches = [touch(normal * speed)];
        step(&mut *solver, dt, DVec3::ZERO, Actions { touches: &touches, ..Actions::default() });
        let impulse = solver.contact().expect("was asked").touch_impulses()[0].dot(normal);
        // The velocity at the end of the step, whatever the time at which the solver keeps velocities.
        let after = solver.contact().expect("was asked").velocity_before_step(last.into(), point).dot(normal);
        let theory = mass * (speed - after);
        let off = (impulse - theory).abs();
        ensure!(
            off < tolerance * mass * speed,
            "{mass} kg at {speed} m/s leave {impulse} N s; with the tip at {after} m/s that should be {theory} N s"
        );
        ensure!(impulse > before && after < speed * (1.0 + tolerance), "{mass} kg: {impulse} N s, {after} m/s");
        before = impulse;
        // The branch has the momentum: the response of a free tip lies between those of a free and of a
        // clamped branch.
        let linear: f64 = plant
            .body_ids()
            .map(|id| solver.motion(id.into()).velocity.dot(normal) * plant.mass_properties(id).mass)
            .sum();
        ensure!(linear > 0.0, "the branch moves against what hit it");
    }
    Ok(())
}

/// A touch that only pushes has no impulse where the branch separates from it.
pub fn a_touch_that_would_pull_does_nothing(subject: &Subject<'_>) -> Checked {
    let plant = horizontal_branch();
    let last = BodyId(SEGMENTS as u32 - 1);
    let (mut solver, mut alone) = (subject.solver(&plant), subject.solver(&plant));
    let touch = [Touch {
        body: last.into(),
        point: local_tip(&plant, last),
        velocity: DVec3::Y * 3.0,
        mass: DMat3::from_diagonal(DVec3::Y * 0.5),
        pushes_along: Some(DVec3::NEG_Y),
    }];
    let dt = subject.tolerances.step;
    for _ in 0..3 {
        step(&mut *solver, dt, DVec3::ZERO, Actions { touches: &touch, ..Actions::default() });
        step(&mut *alone, dt, DVec3::ZERO, Actions::default());
        let impulse = solver.contact().expect("was asked").touch_impulses()[0];
        ensure!(impulse == DVec3::ZERO, "a touch that only pushes pulled with {impulse} N s");
    }
    let apart = tip(&*solver, last).distance(tip(&*alone, last));
    ensure!(apart < subject.tolerances.rounding, "it moved the tip by {apart} m");
    Ok(())
}

/// A mass that lies on the tip bends the branch by its weight. In every step it is a touch that moves
/// with the tip and falls.
pub fn what_lies_on_a_branch_weighs_on_it(subject: &Subject<'_>) -> Checked {
    let plant = horizontal_branch();
    let last = BodyId(SEGMENTS as u32 - 1);
    let point = local_tip(&plant, last);
    let (mut solver, mut bare) = (subject.solver(&plant), subject.solver(&plant));
    let mass = 0.05;
    let mut velocity = DVec3::ZERO;
    let starts = [tip(&*solver, last), tip(&*bare, last)];
    subject.steps(4.0, |dt| {
        let touch = [Touch {
            body: last.into(),
            point,
            velocity: velocity + DOWN * dt,
            mass: DMat3::from_diagonal(DVec3::splat(mass)),
            pushes_along: None,
        }];
        step(&mut *solver, dt, DOWN, Actions { touches: &touch, ..Actions::default() });
        step(&mut *bare, dt, DOWN, Actions::default());
        velocity += DOWN * dt - solver.contact().expect("was asked").touch_impulses()[0] / mass;
    });
    let more = sagged(&*bare, last, starts[1]) - sagged(&*solver, last, starts[0]);
    let theory = mass * -DOWN.y / Chain::BRANCH.tip_stiffness();
    let off = (more / theory - 1.0).abs();
    let tolerance = subject.tolerances.contact + subject.tolerances.statics;
    ensure!(off < tolerance, "{mass} kg on the tip bend the branch by {more} m; theory: {theory} m");
    Ok(())
}

fn sagged(solver: &dyn Solver, body: BodyId, start: DVec3) -> f64 {
    tip(solver, body).y - start.y
}
