//! Where a branch comes to rest.

use std::f64::consts::PI;

use glam::DVec3;

use super::plants::{DENSITY, LENGTH, RADIUS, SEGMENTS, YOUNG, horizontal_branch};
use super::{DT, local_tip, run, tip};
use crate::plant::{BodyId, Plant};
use crate::solver::{Actions, Grab, Load, Solver};

/// Bending stiffness E I of the branch, N m².
const STIFFNESS: f64 = YOUNG * PI * RADIUS * RADIUS * RADIUS * RADIUS / 4.0;
/// Its mass over its length, kg/m.
const LINE_DENSITY: f64 = DENSITY * PI * RADIUS * RADIUS;
/// m/s².
const GRAVITY: f64 = 9.81;
/// Long enough for the branch to come to rest, s.
const SETTLING: f64 = 3.0;

const TIP: BodyId = BodyId(SEGMENTS as u32 - 1);

/// Holds a force on the tip until the branch rests, without gravity; by how much the tip has moved, m.
fn deflection<S: Solver>(make: &impl Fn(&Plant) -> S, force: DVec3) -> DVec3 {
    let plant = horizontal_branch();
    let mut solver = make(&plant);
    solver.set_gravity(DVec3::ZERO);
    let start = tip(&solver, TIP);
    let loads = [Load::force(TIP, local_tip(&plant, TIP), force)];
    for _ in 0..(SETTLING / DT) as usize {
        solver.step(DT, &Actions { loads: &loads, grabs: &[], touches: &[] }).expect("a force");
    }
    tip(&solver, TIP) - start
}

/// A horizontal branch sags by `rho A g L^4 / (8 E I)`, straight down.
pub fn gravity_bends_by_beam_theory<S: Solver>(make: impl Fn(&Plant) -> S) {
    let mut solver = make(&horizontal_branch());
    solver.set_gravity(DVec3::NEG_Y * GRAVITY);
    let start = tip(&solver, TIP);
    run(&mut solver, SETTLING);
    let moved = tip(&solver, TIP) - start;
    let sag = LINE_DENSITY * GRAVITY * LENGTH.powi(4) / (8.0 * STIFFNESS);
    // Cutting into eight segments changes the sag by 1/64 at most; the tip comes nearer to the clamp by about 0.6 sag^2.
    assert!((-moved.y / sag - 1.0).abs() < 0.03, "a sag of {} m; beam theory: {sag} m", -moved.y);
    assert!(moved.x.abs() < sag * sag + 1e-5 && moved.z.abs() < 0.01 * sag, "sagged sideways, by {moved} m");
}

/// At rest the joint of the root carries the weight of the branch, m g, and its moment, m g L / 2.
pub fn joints_carry_the_load<S: Solver>(make: impl Fn(&Plant) -> S) {
    let mut solver = make(&horizontal_branch());
    solver.set_gravity(DVec3::NEG_Y * GRAVITY);
    run(&mut solver, SETTLING);
    let load = solver.joint_load(BodyId(0));
    let to_world = solver.motion(BodyId(0)).orientation;
    let (force, torque) = (to_world * load.force, to_world * load.torque);
    let weight = LINE_DENSITY * LENGTH * GRAVITY;
    let (up, about_z) = (DVec3::Y * weight, DVec3::Z * (0.5 * weight * LENGTH));
    assert!((force - up).length() < 0.02 * up.length(), "the root's force is {force} N; the weight is {up} N");
    assert!(
        (torque - about_z).length() < 0.02 * about_z.length(),
        "the root's moment is {torque} N m, not {about_z} N m"
    );
}

/// A force F on the tip moves it by `F L^3 / (3 E I)` in its own direction, twice as far if it is twice as strong.
pub fn force_bends_in_its_direction<S: Solver>(make: impl Fn(&Plant) -> S) {
    for direction in [DVec3::Y, DVec3::NEG_Z, DVec3::new(0.0, 0.6, 0.8)] {
        let force = 0.5;
        let once = deflection(&make, direction * force);
        let twice = deflection(&make, direction * (2.0 * force));
        let theory = force * LENGTH.powi(3) / (3.0 * STIFFNESS);
        let along = once.dot(direction);
        assert!((along / theory - 1.0).abs() < 0.03, "{force} N move the tip by {along} m; beam theory: {theory} m");
        let aside = (once - direction * along).length();
        assert!(aside < 0.02 * theory, "a force along {direction} moves the tip by {once} m");
        let ratio = twice.dot(direction) / along;
        assert!((ratio - 2.0).abs() < 0.01, "twice the force moves the tip {ratio} times as far");
    }
}

/// A hand of stiffness k and a branch of stiffness `s = 3 E I / L^3` share the way in the ratio k to s; one of 1e9 N/m takes the
/// tip along, and both are calm.
pub fn hand_pulls_to_its_target<S: Solver>(make: impl Fn(&Plant) -> S) {
    let plant = horizontal_branch();
    let branch = 3.0 * STIFFNESS / LENGTH.powi(3);
    for stiffness in [branch, 1e9] {
        let mut solver = make(&plant);
        solver.set_gravity(DVec3::ZERO);
        let start = tip(&solver, TIP);
        let way = DVec3::Z * 0.01;
        let grab = Grab {
            body: TIP,
            point: local_tip(&plant, TIP),
            target: start + way,
            target_velocity: DVec3::ZERO,
            stiffness,
            damping: 0.0,
        };
        for _ in 0..(SETTLING / DT) as usize {
            solver.step(DT, &Actions { loads: &[], grabs: &[grab], touches: &[] }).expect("a hand");
            let moved = (tip(&solver, TIP) - start).length();
            assert!(moved < 3.0 * way.length(), "a hand of {stiffness} N/m, 0.01 m away, threw the tip {moved} m far");
        }
        let share = (tip(&solver, TIP) - start).dot(way) / way.length_squared();
        let theory = stiffness / (stiffness + branch);
        assert!(
            (share - theory).abs() < 0.02,
            "a hand of {stiffness} N/m took the tip {share} of the way, not {theory}"
        );
    }
}
