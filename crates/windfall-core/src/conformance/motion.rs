//! How trees move.

use glam::{DQuat, DVec3, Vec3};

use super::plants::{horizontal_branch, symmetric_tree, two_trees};
use super::{DT, difference, local_tip, run, speed, tip};
use crate::plant::{BodyId, Plant};
use crate::pose::Pose;
use crate::solver::{Actions, Base, Load, Solver};

/// Rounding of f32 after some steps: distances over the size of the tree, and angles.
const ROUNDING: f64 = 1e-5;

const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// Steps with one force.
fn push(solver: &mut impl Solver, load: Load, steps: usize) {
    for _ in 0..steps {
        solver.step(DT, &Actions { loads: &[load], grabs: &[], touches: &[] }).expect("a force");
    }
}

/// Without gravity and forces nothing moves, and the pose is the rest pose.
pub fn rest_stays_at_rest<S: Solver>(make: impl Fn(&Plant) -> S) {
    for plant in [horizontal_branch(), symmetric_tree(), two_trees()] {
        let mut solver = make(&plant);
        solver.set_gravity(DVec3::ZERO);
        let rest = Pose::rest(&plant);
        for steps in [0, 100] {
            run(&mut solver, f64::from(steps) * DT);
            let (distance, angle) = difference(&solver.pose(), &rest);
            assert!(
                distance < ROUNDING && angle < ROUNDING,
                "{}: {distance} m and {angle} rad from rest after {steps} steps",
                plant.name()
            );
        }
        assert!(speed(&solver) < ROUNDING, "{}: moves at rest, {} m/s", plant.name(), speed(&solver));
    }
}

/// Pose and motion name the same places, in the order of ids, and velocities are the derivatives of places.
pub fn pose_and_motion_agree<S: Solver>(make: impl Fn(&Plant) -> S) {
    let plant = symmetric_tree();
    let mut solver = make(&plant);
    solver.set_gravity(DVec3::ZERO);
    let body = BodyId(4);
    push(&mut solver, Load::force(body, local_tip(&plant, body), DVec3::new(0.3, 1.0, -0.5)), 20);
    let dt = 1e-3;
    let state = |solver: &S| plant.body_ids().map(|id| solver.motion(id)).collect::<Vec<_>>();
    // The first short steps let velocities of the middle of a step settle.
    let mut states = Vec::new();
    for _ in 0..5 {
        solver.step(dt, &Actions::default()).expect("a short step");
        states.push(state(&solver));
    }
    let pose = solver.pose();
    let count = plant.body_count();
    assert_eq!((pose.positions.len(), pose.orientations.len()), (count, count), "one place for each body");
    let [.., before, now, after] = &states[..] else { unreachable!("five steps") };
    let fastest = now.iter().map(|m| m.velocity.length()).fold(0.0, f64::max);
    assert!(fastest > 0.01, "the tree moves with {fastest} m/s only");
    for id in plant.body_ids() {
        let i = id.0 as usize;
        let (m, origin) = (&after[i], plant.trees()[plant.tree_index(id)].origin);
        let apart = (m.joint - origin).distance(pose.positions[i].as_dvec3());
        let along = m.orientation.dot(pose.orientations[i].as_dquat()).abs();
        assert!(apart < ROUNDING && along > 1.0 - ROUNDING, "body {i}: pose and motion are {apart} m apart");
        let center = m.joint + m.orientation * plant.mass_properties(id).center_of_mass;
        assert!(center.distance(m.center) < ROUNDING, "body {i}: its centre of mass is not in its place");
        let velocity = (after[i].center - before[i].center) / (2.0 * dt);
        let error = velocity.distance(now[i].velocity);
        assert!(error < 0.05 * fastest, "body {i} moves with {velocity} m/s and says {}", now[i].velocity);
    }
}

/// A tree and its load are mirror images of themselves in the plane x = 0; so is the motion.
pub fn symmetric_tree_stays_symmetric<S: Solver>(make: impl Fn(&Plant) -> S) {
    let mut solver = make(&symmetric_tree());
    solver.set_gravity(DOWN);
    for step in 0..60 {
        solver.step(DT, &Actions::default()).expect("a step");
        let pose = solver.pose();
        for (right, left) in [(3, 5), (4, 6)] {
            let mirrored = pose.positions[left] * Vec3::new(-1.0, 1.0, 1.0);
            let apart = f64::from(mirrored.distance(pose.positions[right]));
            assert!(apart < 10.0 * ROUNDING, "step {step}: bodies {right} and {left} are {apart} m from symmetry");
        }
    }
}

/// What a force has set in motion comes to rest in the shape that it had before.
pub fn motion_decays_to_rest<S: Solver>(make: impl Fn(&Plant) -> S) {
    let plant = symmetric_tree();
    let mut solver = make(&plant);
    solver.set_gravity(DOWN);
    run(&mut solver, 10.0);
    let before = solver.pose();
    let load = Load::force(BodyId(4), local_tip(&plant, BodyId(4)), DVec3::new(1.0, 2.0, 3.0));
    let mut fastest = 0.0_f64;
    for _ in 0..5 {
        push(&mut solver, load, 1);
        fastest = fastest.max(speed(&solver));
    }
    assert!(fastest > 0.01, "a push of 4 N gave {fastest} m/s");
    run(&mut solver, 20.0);
    let (distance, angle) = difference(&solver.pose(), &before);
    assert!(speed(&solver) < 0.01 * fastest, "{} m/s are left of {fastest} m/s", speed(&solver));
    assert!(distance < 1e-4 && angle < 1e-3, "rests {distance} m and {angle} rad from where it was");
}

/// A base that moves and turns takes the tree along: in the end it stands as before, moved and turned.
pub fn base_carries_the_tree<S: Solver>(make: impl Fn(&Plant) -> S) {
    let plant = symmetric_tree();
    let mut solver = make(&plant);
    solver.set_gravity(DVec3::ZERO);
    let mut base = Base::default();
    let steps = 120;
    for i in 1..=steps {
        // From 0 to 1 with velocity zero at both ends.
        let t = f64::from(i) / f64::from(steps);
        let way = t * t * (3.0 - 2.0 * t);
        base = base.moved_to(DVec3::new(2.0, 1.0, -1.0) * way, DQuat::from_rotation_y(1.5 * way), DT);
        solver.set_base(0, base);
        solver.step(DT, &Actions::default()).expect("a moving base");
        let foot = solver.motion(BodyId(0)).joint;
        assert!(foot.distance(base.position) < ROUNDING, "the foot is at {foot}, its base at {}", base.position);
    }
    solver.set_base(0, Base { position: base.position, orientation: base.orientation, ..Base::default() });
    run(&mut solver, 10.0);
    let rest = Pose::rest(&plant);
    let turn = base.orientation.as_quat();
    let moved = Pose {
        positions: rest.positions.iter().map(|&p| turn * p + base.position.as_vec3()).collect(),
        orientations: rest.orientations.iter().map(|&q| turn * q).collect(),
    };
    let (distance, angle) = difference(&solver.pose(), &moved);
    assert!(distance < 1e-4 && angle < 1e-3, "{distance} m and {angle} rad from where the base has taken the tree");
}

/// A force on one tree moves that one alone.
pub fn trees_do_not_influence_each_other<S: Solver>(make: impl Fn(&Plant) -> S) {
    let plant = two_trees();
    let (mut solver, mut calm) = (make(&plant), make(&plant));
    let first_tip = BodyId(3);
    let load = Load::force(first_tip, local_tip(&plant, first_tip), DVec3::new(0.0, 1.0, 2.0));
    push(&mut solver, load, 60);
    run(&mut calm, 60.0 * DT);
    let moved = tip(&solver, first_tip).distance(tip(&calm, first_tip));
    assert!(moved > 1e-3, "the force moved its tree by {moved} m");
    for body in (4..8).map(BodyId) {
        let (a, b) = (tip(&solver, body), tip(&calm, body));
        assert!(a.distance(b) < ROUNDING, "body {} of the other tree was moved by {} m", body.0, a.distance(b));
    }
}
