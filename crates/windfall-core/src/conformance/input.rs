//! Time, repetition, and input that is wrong.

use glam::{DMat3, DQuat, DVec3};

use super::plants::{horizontal_branch, single_segment, symmetric_tree};
use super::{DT, local_tip, run, speed, tip};
use crate::plant::{BodyId, Plant};
use crate::solver::{Actions, Base, Grab, LONGEST_STEP, Load, SHORTEST_STEP, Solver, StepError};

/// Time is the sum of the steps; the shortest and the longest step are taken.
pub fn time_advances<S: Solver>(make: impl Fn(&Plant) -> S) {
    let mut solver = make(&horizontal_branch());
    assert_eq!(solver.time(), 0.0, "the start is at 0 s");
    let mut sum = 0.0;
    for dt in [DT, SHORTEST_STEP, 0.01, LONGEST_STEP, DT] {
        solver.step(dt, &Actions::default()).expect("a step within the limits");
        sum += dt;
        assert!((solver.time() - sum).abs() < 1e-12, "{} s after steps of {sum} s", solver.time());
    }
    assert!(speed(&solver).is_finite(), "steps of different length");
}

/// The same run twice gives the same bits.
pub fn same_run_gives_same_bits<S: Solver>(make: impl Fn(&Plant) -> S) {
    let plant = symmetric_tree();
    let once = || {
        let mut solver = make(&plant);
        let mut poses = Vec::new();
        for i in 0..50 {
            let body = BodyId(i % 7);
            let loads = [Load::force(body, local_tip(&plant, body), DVec3::new(1.0, f64::from(i % 3), -2.0))];
            let grabs = [hand(BodyId(6 - i % 7), DVec3::new(0.1, 1.0, 0.1), 100.0)];
            solver.step(DT, &Actions { loads: &loads, grabs: &grabs, touches: &[] }).expect("a step");
            poses.push(solver.pose());
        }
        poses
    };
    assert!(once() == once(), "two equal runs differ");
}

/// Wrong input gives the error that names it, and changes nothing.
pub fn wrong_input_is_refused<S: Solver>(make: impl Fn(&Plant) -> S) {
    let plant = symmetric_tree();
    let mut solver = make(&plant);
    let mut twin = make(&plant);
    run(&mut solver, 0.5);
    run(&mut twin, 0.5);
    for dt in [0.0, -DT, f64::NAN, f64::INFINITY, 1.0, 0.5 * SHORTEST_STEP, 1.01 * LONGEST_STEP] {
        let error = refused(&mut solver, dt, &Actions::default());
        // Debug, because NaN differs from itself.
        assert_eq!(format!("{error:?}"), format!("{:?}", StepError::BadStep { dt }));
    }
    let body = BodyId(0);
    let beyond = BodyId(plant.body_count() as u32);
    let no_such_body = StepError::NoSuchBody { body: beyond, body_count: plant.body_count() };
    let force = Load::force(body, DVec3::ZERO, DVec3::X);
    let grab = hand(body, DVec3::ZERO, 1.0);
    let nan = DVec3::new(0.0, f64::NAN, 0.0);
    for (load, expected) in [
        (Load { body: beyond, ..force }, no_such_body),
        (Load { force: nan, ..force }, StepError::NotFinite { what: "load", body }),
        (Load { point: DVec3::INFINITY, ..force }, StepError::NotFinite { what: "load", body }),
        (Load { torque: nan, ..force }, StepError::NotFinite { what: "load", body }),
        (Load { drag: DMat3::NAN, ..force }, StepError::NotFinite { what: "load", body }),
        (Load { spin_drag: DMat3::NAN, ..force }, StepError::NotFinite { what: "load", body }),
    ] {
        // A good load before the bad one must not be taken either.
        assert_eq!(refused(&mut solver, DT, &Actions { loads: &[force, load], grabs: &[], touches: &[] }), expected);
    }
    let bad = |what, value| StepError::BadGrab { what, value, body };
    for (wrong, expected) in [
        (Grab { body: beyond, ..grab }, no_such_body),
        (Grab { target: nan, ..grab }, StepError::NotFinite { what: "grab", body }),
        (Grab { target_velocity: nan, ..grab }, StepError::NotFinite { what: "grab", body }),
        (Grab { point: nan, ..grab }, StepError::NotFinite { what: "grab", body }),
        (Grab { stiffness: -1.0, ..grab }, bad("stiffness", -1.0)),
        (Grab { damping: -1.0, ..grab }, bad("damping", -1.0)),
    ] {
        assert_eq!(
            refused(&mut solver, DT, &Actions { loads: &[force], grabs: &[grab, wrong], touches: &[] }),
            expected
        );
    }
    for base in [
        Base { position: nan, ..Base::default() },
        Base { acceleration: DVec3::INFINITY, ..Base::default() },
        Base { orientation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0), ..Base::default() },
    ] {
        solver.set_base(0, base);
        let error = solver.step(DT, &Actions::default()).expect_err("a base that is no place");
        assert_eq!(error, StepError::BadBase { tree: 0 });
    }
    solver.set_base(0, Base::default());
    solver.set_gravity(nan);
    assert_eq!(refused(&mut solver, DT, &Actions::default()), StepError::BadGravity);
    let down = DVec3::new(0.0, -9.81, 0.0);
    solver.set_gravity(down);
    twin.set_gravity(down);
    run(&mut solver, 0.5);
    run(&mut twin, 0.5);
    assert!(solver.pose() == twin.pose(), "refused steps have left something behind");
}

/// A plant of one body works: it bends under a force and comes back.
pub fn smallest_plant_works<S: Solver>(make: impl Fn(&Plant) -> S) {
    let plant = single_segment();
    let mut solver = make(&plant);
    let body = BodyId(0);
    assert_eq!(solver.pose().len(), 1);
    let load = Load::force(body, local_tip(&plant, body), DVec3::X);
    for _ in 0..60 {
        solver.step(DT, &Actions { loads: &[load], grabs: &[], touches: &[] }).expect("a force");
    }
    // Small angles: force times length over the stiffness of the joint is the angle.
    let length = local_tip(&plant, body).y;
    let theory = length * length / plant.joint_properties(body).stiffness.z;
    let moved = tip(&solver, body).x;
    // The weight of an upright stem makes it softer by less than 1 %.
    assert!((moved / theory - 1.0).abs() < 0.02, "1 N bends the tip by {moved} m, not {theory} m");
    run(&mut solver, 2.0);
    assert!(tip(&solver, body).x.abs() < 0.01 * theory, "does not come back: {} m", tip(&solver, body).x);
}

fn hand(body: BodyId, target: DVec3, stiffness: f64) -> Grab {
    Grab { body, point: DVec3::ZERO, target, target_velocity: DVec3::ZERO, stiffness, damping: 1.0 }
}

/// The error of a step that must fail; pose and time must be as before.
fn refused<S: Solver>(solver: &mut S, dt: f64, actions: &Actions<'_>) -> StepError {
    let (pose, time) = (solver.pose(), solver.time());
    let error = solver.step(dt, actions).expect_err("wrong input");
    assert!(solver.pose() == pose && solver.time() == time, "a refused step ({error}) has changed something");
    error
}
