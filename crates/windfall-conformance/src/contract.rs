//! Checks independent of mechanics: time, invalid input, poses, snapshots, selections, parameters.

use windfall_core::glam::{DMat3, DQuat, DVec3};
use windfall_core::{BodyId, BodyRef, Pose};

use crate::plants::{horizontal_branch, single_segment, symmetric_tree, two_trees};
use crate::{Checked, DOWN, Subject, difference, ensure, local_tip, pose, speed, step, tier, tip};
use windfall_solver::{
    Actions, Base, Bases, Grab, LONGEST_STEP, Load, Params, PoseDetail, PoseRequest, SHORTEST_STEP, Selection, Solver,
    StepError, StepInput,
};

tier! {
    []
    rest_stays_at_rest,
    time_advances,
    wrong_input_is_refused,
    smallest_plant_works,
    parts_of_poses_are_those_of_whole_ones,
    snapshots_bring_back_a_moment,
    what_is_not_simulated_does_not_bend,
    parameters_are_those_that_were_set,
}

/// Without gravity and forces nothing moves, and the pose is the rest pose.
pub fn rest_stays_at_rest(subject: &Subject<'_>) -> Checked {
    let rounding = subject.tolerances.rounding;
    for plant in [horizontal_branch(), symmetric_tree(), two_trees()] {
        let mut solver = subject.solver(&plant);
        let rest = Pose::rest(&plant);
        for seconds in [0.0, 1.5] {
            subject.run(&mut *solver, DVec3::ZERO, seconds);
            let (distance, angle) = difference(&pose(&*solver), &rest);
            let name = plant.name();
            ensure!(
                distance < rounding && angle < rounding,
                "{name}: {distance} m and {angle} rad from rest after {seconds} s"
            );
        }
        let speed = speed(&*solver);
        ensure!(speed < rounding, "{}: moves at rest, {speed} m/s", plant.name());
    }
    Ok(())
}

/// Time is the sum of the steps; the shortest and the longest step are taken.
pub fn time_advances(subject: &Subject<'_>) -> Checked {
    let mut solver = subject.solver(&horizontal_branch());
    ensure!(solver.time() == 0.0, "the start is at {} s", solver.time());
    let mut sum = 0.0;
    let own = subject.tolerances.step;
    for dt in [own, SHORTEST_STEP, 0.01, LONGEST_STEP, own] {
        step(&mut *solver, dt, DOWN, Actions::default());
        sum += dt;
        ensure!((solver.time() - sum).abs() < 1e-12, "{} s after steps of {sum} s", solver.time());
    }
    ensure!(speed(&*solver).is_finite(), "steps of different length");
    Ok(())
}

#[derive(Debug)]
struct BadBase(Base);

impl Bases for BadBase {
    fn base(&self, _: u32, _: usize, _: f64) -> Base {
        self.0
    }
}

/// Invalid input returns the error that names it, and changes nothing.
pub fn wrong_input_is_refused(subject: &Subject<'_>) -> Checked {
    let plant = symmetric_tree();
    let (mut solver, mut twin) = (subject.solver(&plant), subject.solver(&plant));
    subject.run(&mut *solver, DOWN, 0.5);
    subject.run(&mut *twin, DOWN, 0.5);
    let solver = &mut *solver;
    let own = subject.tolerances.step;
    for dt in [0.0, -own, f64::NAN, f64::INFINITY, 1.0, 0.5 * SHORTEST_STEP, 1.01 * LONGEST_STEP] {
        refused(solver, dt, StepInput::new(), &StepError::BadStep { dt })?;
    }
    let body = BodyId(0);
    let beyond = BodyId(plant.body_count() as u32);
    let instance = solver.placements().len() as u32;
    let elsewhere = BodyRef { instance, id: body };
    let no_such_body = StepError::NoSuchBody { body: beyond, body_count: plant.body_count() };
    let no_such_instance = StepError::NoSuchInstance { instance, instances: instance as usize };
    let force = Load::force(body, DVec3::ZERO, DVec3::X);
    let grab = hand(body, DVec3::ZERO, 1.0);
    let nan = DVec3::new(0.0, f64::NAN, 0.0);
    let not_finite = |what| StepError::NotFinite { what, body };
    for (load, expected) in [
        (Load { body: beyond.into(), ..force }, no_such_body),
        (Load { body: elsewhere, ..force }, no_such_instance),
        (Load { force: nan, ..force }, not_finite("load")),
        (Load { point: DVec3::INFINITY, ..force }, not_finite("load")),
        (Load { torque: nan, ..force }, not_finite("load")),
        (Load { drag: DMat3::NAN, ..force }, not_finite("load")),
        (Load { spin_drag: DMat3::NAN, ..force }, not_finite("load")),
    ] {
        // A valid load before the invalid one must not be applied either.
        refused(solver, own, StepInput::new().loads(&[force, load]), &expected)?;
    }
    let bad = |what, value| StepError::BadGrab { what, value, body };
    for (wrong, expected) in [
        (Grab { body: beyond.into(), ..grab }, no_such_body),
        (Grab { target: nan, ..grab }, not_finite("grab")),
        (Grab { target_velocity: nan, ..grab }, not_finite("grab")),
        (Grab { point: nan, ..grab }, not_finite("grab")),
        (Grab { stiffness: -1.0, ..grab }, bad("stiffness", -1.0)),
        (Grab { damping: -1.0, ..grab }, bad("damping", -1.0)),
    ] {
        refused(solver, own, StepInput::new().loads(&[force]).grabs(&[grab, wrong]), &expected)?;
    }
    for base in [
        Base { position: nan, ..Base::default() },
        Base { acceleration: DVec3::INFINITY, ..Base::default() },
        Base { orientation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0), ..Base::default() },
    ] {
        refused(solver, own, StepInput::new().bases(&BadBase(base)), &StepError::BadBase { tree: 0 })?;
    }
    refused(solver, own, StepInput::new().gravity(nan), &StepError::BadGravity)?;
    subject.run(solver, DOWN, 0.5);
    subject.run(&mut *twin, DOWN, 0.5);
    ensure!(pose(solver) == pose(&*twin), "refused steps have left something behind");
    Ok(())
}

/// A plant of one body works: it bends under a force and returns.
pub fn smallest_plant_works(subject: &Subject<'_>) -> Checked {
    let plant = single_segment();
    let mut solver = subject.solver(&plant);
    let body = BodyId(0);
    ensure!(pose(&*solver).len() == 1, "a pose of one body has {}", pose(&*solver).len());
    let load = [Load::force(body, local_tip(&plant, body), DVec3::X)];
    subject.steps(1.0, |dt| step(&mut *solver, dt, DOWN, Actions { loads: &load, ..Actions::default() }));
    // Small angles: force times length over the stiffness of the joint is the angle.
    let length = local_tip(&plant, body).y;
    let theory = length * length / plant.joint_properties(body).stiffness.z;
    let moved = tip(&*solver, body).x;
    // The weight of an upright stem makes it softer by less than 1 %.
    let tolerance = subject.tolerances.statics.max(0.02);
    ensure!((moved / theory - 1.0).abs() < tolerance, "1 N bends the tip by {moved} m, not {theory} m");
    subject.run(&mut *solver, DOWN, 2.0);
    let left = tip(&*solver, body).x.abs();
    ensure!(left < 0.01 * theory, "does not come back: {left} m");
    Ok(())
}

/// A pose of some bodies equals that part of the whole pose, and leaves the rest unchanged.
pub fn parts_of_poses_are_those_of_whole_ones(subject: &Subject<'_>) -> Checked {
    for plant in [two_trees(), crate::leafy_branch(), symmetric_tree()] {
        let mut solver = subject.solver(&plant);
        subject.run(&mut *solver, DOWN, 0.2);
        let whole = pose(&*solver);
        let all = PoseRequest::default();
        for request in [
            PoseRequest { trees: Some(&[0]), ..all },
            PoseRequest { trees: Some(&[]), ..all },
            PoseRequest { detail: PoseDetail::Wood, ..all },
            PoseRequest { detail: PoseDetail::Orders(0), ..all },
        ] {
            let rest = Pose::rest(&plant);
            // A pose that is too small is filled with the rest pose first.
            for mut part in [Pose::default(), rest.clone()] {
                solver.write_pose(request, &mut part);
                for id in plant.body_ids() {
                    let from = if request.asks_for(&plant, id) { &whole } else { &rest };
                    let i = id.0 as usize;
                    let same = part.positions[i] == from.positions[i] && part.orientations[i] == from.orientations[i];
                    ensure!(same, "{}: body {i} in {request:?}", plant.name());
                }
            }
        }
    }
    Ok(())
}

/// After a snapshot is restored, the same steps give the same bits; a copy continues alike. A snapshot of
/// another plant is refused.
pub fn snapshots_bring_back_a_moment(subject: &Subject<'_>) -> Checked {
    let plant = symmetric_tree();
    let mut solver = subject.solver(&plant);
    let push = |solver: &mut dyn Solver, steps: u32| {
        for i in 0..steps {
            let load = [Load::force(BodyId(4), DVec3::Y * 0.2, DVec3::new(f64::from(i % 4), 1.0, -1.0))];
            subject.steps(0.02, |dt| step(solver, dt, DOWN, Actions { loads: &load, ..Actions::default() }));
        }
    };
    push(&mut *solver, 20);
    let (snapshot, mut copy) = (solver.snapshot(), solver.duplicate());
    let (time, moment) = (solver.time(), pose(&*solver));
    push(&mut *solver, 15);
    let after = pose(&*solver);
    ensure!(difference(&moment, &after).0 > 1e-4, "the tree hardly moves");
    solver.restore(&snapshot).expect("its own snapshot");
    ensure!(solver.time() == time && pose(&*solver) == moment, "the snapshot is not the moment at which it was taken");
    push(&mut *solver, 15);
    ensure!(pose(&*solver) == after, "after a snapshot was restored the motion is another one");
    push(&mut *copy, 15);
    ensure!(pose(&*copy) == after, "a copy goes another way");
    let foreign = subject.solver(&two_trees()).snapshot();
    ensure!(solver.restore(&foreign).is_err(), "the snapshot of another plant was taken");
    ensure!(pose(&*solver) == after, "a refused snapshot has left something behind");
    Ok(())
}

/// Wood that is not simulated moves rigidly with its carrier.
pub fn what_is_not_simulated_does_not_bend(subject: &Subject<'_>) -> Checked {
    let plant = symmetric_tree();
    let mut solver = subject.solver(&plant);
    let count = plant.body_count();
    ensure!(solver.simulated_bodies() == count * solver.placements().len(), "not all bodies are simulated at first");
    let trunk = Selection::Thicker { radius: 0.015 };
    if solver.select(&trunk).is_err() {
        return Ok(());
    }
    ensure!(*solver.selection() == trunk, "the selection is {:?}", solver.selection());
    ensure!(solver.simulated_bodies() == 3, "{} bodies of the trunk are simulated", solver.simulated_bodies());
    let relative = |solver: &dyn Solver| {
        let [trunk, tip] = [BodyId(2), BodyId(4)].map(|id| solver.motion(id.into()).orientation);
        trunk.inverse() * tip
    };
    let before = relative(&*solver);
    let load = [Load::force(BodyId(4), local_tip(&plant, BodyId(4)), DVec3::new(0.0, -5.0, 5.0))];
    subject.steps(0.5, |dt| step(&mut *solver, dt, DOWN, Actions { loads: &load, ..Actions::default() }));
    let turned = before.angle_between(relative(&*solver));
    ensure!(turned < 100.0 * subject.tolerances.rounding, "what rides along has turned by {turned} rad");
    let moved = tip(&*solver, BodyId(2)).distance(DVec3::Y * 1.2);
    ensure!(moved > 1e-4, "the force on what rides along moved the trunk by {moved} m");
    Ok(())
}

/// Parameters can be read back, invalid ones are refused, and stiffer wood bends less.
pub fn parameters_are_those_that_were_set(subject: &Subject<'_>) -> Checked {
    let plant = horizontal_branch();
    let mut solver = subject.solver(&plant);
    let mut stiff = Params::default();
    stiff.branches.stiffness = 4.0;
    solver.set_params(&stiff).expect("good parameters");
    ensure!(*solver.params() == stiff, "parameters that were set are not those in force");
    let mut bad = Params::default();
    bad.branches.density = -1.0;
    ensure!(solver.set_params(&bad).is_err(), "a negative density was taken");
    ensure!(*solver.params() == stiff, "refused parameters have left something behind");
    let body = BodyId(plant.body_count() as u32 - 1);
    let start = tip(&*solver, body).y;
    subject.run(&mut *solver, DOWN, 3.0);
    let mut soft = subject.solver(&plant);
    subject.run(&mut *soft, DOWN, 3.0);
    let ratio = (start - tip(&*soft, body).y) / (start - tip(&*solver, body).y);
    let tolerance = subject.tolerances.statics;
    ensure!((ratio / 4.0 - 1.0).abs() < tolerance, "four times as stiff, the branch sags {ratio} times less");
    Ok(())
}

fn hand(body: BodyId, target: DVec3, stiffness: f64) -> Grab {
    let (point, target_velocity) = (DVec3::ZERO, DVec3::ZERO);
    Grab { body: body.into(), point, target, target_velocity, stiffness, damping: 1.0 }
}

/// A step that must fail with this error; pose and time must be as before.
fn refused(solver: &mut dyn Solver, dt: f64, mut input: StepInput<'_>, expected: &StepError) -> Checked {
    let (before, time) = (pose(solver), solver.time());
    let taken = solver.step(dt, &mut input);
    // Debug, because NaN differs from itself.
    let expected = format!("{:?}", Err::<(), _>(*expected));
    ensure!(format!("{taken:?}") == expected, "a step with wrong input gave {taken:?}, not {expected}");
    ensure!(pose(solver) == before && solver.time() == time, "a refused step ({expected}) has changed something");
    Ok(())
}
