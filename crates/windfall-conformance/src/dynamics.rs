//! Motion of trees.

use std::f64::consts::TAU;

use windfall_core::glam::{DQuat, DVec3, Vec3};
use windfall_core::{BodyId, Pose};

use crate::plants::{Chain, SEGMENTS, horizontal_branch, symmetric_tree, two_trees};
use crate::{Checked, DOWN, Subject, difference, ensure, local_tip, pose, speed, step, tier, tip};
use windfall_solver::{Actions, Base, Bases, Load, Params, Solver, StepInput};

tier! {
    []
    pose_and_motion_agree,
    branch_sways_with_its_frequency,
    symmetric_tree_stays_symmetric,
    motion_decays_to_rest,
    base_carries_the_tree,
    moving_ground_bends_the_tree,
    trees_do_not_influence_each_other,
}

/// Steps with one force.
fn push(subject: &Subject<'_>, solver: &mut dyn Solver, gravity: DVec3, load: Load, seconds: f64) {
    let loads = [load];
    subject.steps(seconds, |dt| step(solver, dt, gravity, Actions { loads: &loads, ..Actions::default() }));
}

/// Pose and motion name the same places, in the order of ids, and velocities are the derivatives of places.
pub fn pose_and_motion_agree(subject: &Subject<'_>) -> Checked {
    let (plant, rounding) = (symmetric_tree(), subject.tolerances.rounding);
    let mut solver = subject.solver(&plant);
    let body = BodyId(4);
    let load = Load::force(body, local_tip(&plant, body), DVec3::new(0.3, 1.0, -0.5));
    push(subject, &mut *solver, DVec3::ZERO, load, 0.33);
    let dt = subject.tolerances.step.min(2.5e-4);
    // The velocities of the middle of a step settle in the first short steps.
    let mut states = Vec::new();
    for _ in 0..5 {
        step(&mut *solver, dt, DVec3::ZERO, Actions::default());
        states.push(plant.body_ids().map(|id| solver.motion(id.into())).collect::<Vec<_>>());
    }
    let pose = pose(&*solver);
    let count = plant.body_count();
    ensure!((pose.positions.len(), pose.orientations.len()) == (count, count), "one place for each body");
    let [.., before, now, after] = &states[..] else { unreachable!("five steps") };
    let fastest = now.iter().map(|m| m.velocity.length()).fold(0.0, f64::max);
    ensure!(fastest > 0.01, "the tree moves with {fastest} m/s only");
    for id in plant.body_ids() {
        let i = id.0 as usize;
        let (m, origin) = (&after[i], plant.trees()[plant.tree_index(id)].origin);
        let apart = (m.joint - origin).distance(pose.positions[i].as_dvec3());
        let along = m.orientation.dot(pose.orientations[i].as_dquat()).abs();
        ensure!(apart < rounding && along > 1.0 - rounding, "body {i}: pose and motion are {apart} m apart");
        let center = m.joint + m.orientation * plant.mass_properties(id).center_of_mass;
        ensure!(center.distance(m.center) < rounding, "body {i}: its centre of mass is not in its place");
        let velocity = (after[i].center - before[i].center) / (2.0 * dt);
        let (error, said) = (velocity.distance(now[i].velocity), now[i].velocity);
        ensure!(error < subject.tolerances.velocity * fastest, "body {i} moves with {velocity} m/s and says {said}");
    }
    Ok(())
}

/// A clamped branch that is released oscillates with the first frequency of rods on springs (with many
/// joints `3.516 / (2 pi) sqrt(E I / (rho A L^4))`).
pub fn branch_sways_with_its_frequency(subject: &Subject<'_>) -> Checked {
    let plant = horizontal_branch();
    let mut params = Params::default();
    params.branches.damping = 0.2;
    let mut solver = subject.solver_with(&plant, &params);
    let last = BodyId(SEGMENTS as u32 - 1);
    let rest = tip(&*solver, last).y;
    // A force that grows slowly compared with the first mode does not excite the higher modes.
    let mut time = 0.0;
    subject.steps(4.0, |dt| {
        let share = (time / 3.3_f64).min(1.0);
        let loads = [Load::force(last, local_tip(&plant, last), DVec3::Y * share)];
        step(&mut *solver, dt, DVec3::ZERO, Actions { loads: &loads, ..Actions::default() });
        time += dt;
    });
    let dt = subject.tolerances.step.min(1.0 / 480.0);
    let (mut crossings, mut before) = (Vec::new(), tip(&*solver, last).y - rest);
    while solver.time() < 6.0 && crossings.len() < 11 {
        step(&mut *solver, dt, DVec3::ZERO, Actions::default());
        let now = tip(&*solver, last).y - rest;
        if before.signum() != now.signum() {
            crossings.push(solver.time() - dt * now / (now - before));
        }
        before = now;
    }
    ensure!(crossings.len() == 11, "the branch crosses its place at rest {} times in 6 s", crossings.len());
    let frequency = 5.0 / (crossings[10] - crossings[0]);
    let theory = Chain::BRANCH.first_frequency();
    let off = (frequency / theory - 1.0).abs();
    ensure!(off < subject.tolerances.frequency, "sways with {frequency} Hz; theory: {theory} Hz");
    Ok(())
}

/// A tree and its load are mirror images of themselves in the plane x = 0; so is the motion.
pub fn symmetric_tree_stays_symmetric(subject: &Subject<'_>) -> Checked {
    let mut solver = subject.solver(&symmetric_tree());
    for i in 0..10 {
        subject.run(&mut *solver, DOWN, 0.1);
        let pose = pose(&*solver);
        for (right, left) in [(3, 5), (4, 6)] {
            let mirrored = pose.positions[left] * Vec3::new(-1.0, 1.0, 1.0);
            let apart = f64::from(mirrored.distance(pose.positions[right]));
            let most = 10.0 * subject.tolerances.rounding;
            ensure!(apart < most, "after {i} tenths of a second bodies {right} and {left} are {apart} m from symmetry");
        }
    }
    Ok(())
}

/// Motion started by a force comes to rest in the initial shape.
pub fn motion_decays_to_rest(subject: &Subject<'_>) -> Checked {
    let plant = symmetric_tree();
    let mut solver = subject.solver(&plant);
    subject.run(&mut *solver, DOWN, 5.0);
    let before = pose(&*solver);
    let load = Load::force(BodyId(4), local_tip(&plant, BodyId(4)), DVec3::new(1.0, 2.0, 3.0));
    let mut fastest = 0.0_f64;
    for _ in 0..5 {
        push(subject, &mut *solver, DOWN, load, 1.0 / 60.0);
        fastest = fastest.max(speed(&*solver));
    }
    ensure!(fastest > 0.01, "a push of 4 N gave {fastest} m/s");
    subject.run(&mut *solver, DOWN, 10.0);
    let (distance, angle) = difference(&pose(&*solver), &before);
    let left = speed(&*solver);
    ensure!(left < 0.01 * fastest, "{left} m/s are left of {fastest} m/s");
    ensure!(distance < 1e-4 && angle < 1e-3, "rests {distance} m and {angle} rad from where it was");
    Ok(())
}

/// Ground that moves to another place, turns, and stays there.
#[derive(Debug)]
struct Journey;

/// Duration of the motion, s.
const JOURNEY: f64 = 2.0;

impl Bases for Journey {
    fn base(&self, _: u32, _: usize, time: f64) -> Base {
        // From 0 to 1 with velocity and acceleration zero at both ends.
        let s = (time / JOURNEY).clamp(0.0, 1.0);
        let way = s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
        let rate = 30.0 * s * s * (1.0 - s) * (1.0 - s) / JOURNEY;
        let second = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (JOURNEY * JOURNEY);
        let (to, turn) = (DVec3::new(2.0, 1.0, -1.0), DVec3::Y * 1.5);
        Base {
            position: to * way,
            orientation: DQuat::from_scaled_axis(turn * way),
            velocity: to * rate,
            angular_velocity: turn * rate,
            acceleration: to * second,
            angular_acceleration: turn * second,
        }
    }
}

/// A base that moves and turns takes the tree along: at the end the tree stands as before, moved and
/// turned.
pub fn base_carries_the_tree(subject: &Subject<'_>) -> Checked {
    let plant = symmetric_tree();
    let mut solver = subject.solver(&plant);
    while solver.time() < JOURNEY + 5.0 {
        solver
            .step(subject.tolerances.step, &mut StepInput::new().gravity(DVec3::ZERO).bases(&Journey))
            .expect("a moving base");
        let (foot, base) = (solver.motion(BodyId(0).into()).joint, Journey.base(0, 0, solver.time()).position);
        ensure!(foot.distance(base) < subject.tolerances.rounding, "the foot is at {foot}, its base at {base}");
    }
    let base = Journey.base(0, 0, solver.time());
    let rest = Pose::rest(&plant);
    let turn = base.orientation.as_quat();
    let moved = Pose {
        positions: rest.positions.iter().map(|&p| turn * p + base.position.as_vec3()).collect(),
        orientations: rest.orientations.iter().map(|&q| turn * q).collect(),
    };
    let (distance, angle) = difference(&pose(&*solver), &moved);
    ensure!(distance < 1e-4 && angle < 1e-3, "{distance} m and {angle} rad from where the base has taken the tree");
    Ok(())
}

/// Ground that shakes slowly, with an amplitude of a, bends a stiff branch as the acceleration would: by
/// the sag in `a omega^2`.
#[derive(Debug)]
struct Shaking(f64);

/// Amplitude of the ground, m.
const AMPLITUDE: f64 = 0.2;

impl Bases for Shaking {
    fn base(&self, _: u32, _: usize, time: f64) -> Base {
        let omega = TAU * self.0;
        let (sin, cos) = (omega * time).sin_cos();
        let a = DVec3::Y * AMPLITUDE;
        Base {
            position: a * (1.0 - cos),
            velocity: a * (omega * sin),
            acceleration: a * (omega * omega * cos),
            ..Base::default()
        }
    }
}

/// The acceleration of the ground acts on the tree: a branch on ground that shakes far below its
/// frequency bends by its sag under that acceleration.
pub fn moving_ground_bends_the_tree(subject: &Subject<'_>) -> Checked {
    let shaking = Shaking(1.0);
    let mut solver = subject.solver(&horizontal_branch());
    let last = BodyId(SEGMENTS as u32 - 1);
    let rest = tip(&*solver, last).y;
    let mut largest = 0.0_f64;
    while solver.time() < 4.0 {
        solver
            .step(subject.tolerances.step, &mut StepInput::new().gravity(DVec3::ZERO).bases(&shaking))
            .expect("moving ground");
        if solver.time() > 2.0 {
            let ground = shaking.base(0, 0, solver.time()).position.y;
            largest = largest.max((tip(&*solver, last).y - rest - ground).abs());
        }
    }
    let acceleration = AMPLITUDE * TAU * TAU;
    let sag = Chain::BRANCH.sag(acceleration);
    // Static bending times the dynamic factor 1 / (1 - (f / f1)^2) of a driven mode: 1.4 % here. The ground
    // starts with a jolt, of which a twentieth is left.
    let off = (largest / sag - 1.0).abs();
    let tolerance = 0.1 + subject.tolerances.statics;
    ensure!(
        off < tolerance,
        "ground that shakes with {acceleration} m/s² bends the branch by {largest} m, not {sag} m"
    );
    Ok(())
}

/// A force on one tree moves that one alone.
pub fn trees_do_not_influence_each_other(subject: &Subject<'_>) -> Checked {
    let plant = two_trees();
    let (mut solver, mut calm) = (subject.solver(&plant), subject.solver(&plant));
    let first_tip = BodyId(3);
    let load = Load::force(first_tip, local_tip(&plant, first_tip), DVec3::new(0.0, 1.0, 2.0));
    push(subject, &mut *solver, DOWN, load, 1.0);
    subject.run(&mut *calm, DOWN, 1.0);
    let moved = tip(&*solver, first_tip).distance(tip(&*calm, first_tip));
    ensure!(moved > 1e-3, "the force moved its tree by {moved} m");
    for body in (4..8).map(BodyId) {
        let apart = tip(&*solver, body).distance(tip(&*calm, body));
        let most = subject.tolerances.rounding;
        ensure!(apart < most, "body {} of the other tree was moved by {apart} m", body.0);
    }
    Ok(())
}
