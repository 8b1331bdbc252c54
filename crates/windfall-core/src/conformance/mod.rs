//! What every solver must do: one suite of tests that each solver runs, whatever its method (feature `conformance`).
//!
//! Every check takes a maker, `Fn(&Plant) -> S` with `S: Solver`, and panics with the figures where the solver is wrong.
//! The figures come from beam theory and from symmetry; tolerances are such that a linear solver can meet them.
//! [`conformance_suite!`](crate::conformance_suite) makes a test of each check:
//!
//! ```ignore
//! windfall_core::conformance_suite!(implicit_f32, |plant: &Plant| {
//!     World::<f32>::new(plant.clone(), Params::default(), Method::Implicit).unwrap()
//! });
//! ```
//!
//! It is behind a feature because it is for those who write solvers; a program that moves trees does not need it.

#![allow(clippy::missing_panics_doc, reason = "panicking is what a check is for; the head of the module says so")]

mod input;
mod motion;
mod plants;
mod statics;

pub use input::{same_run_gives_same_bits, smallest_plant_works, time_advances, wrong_input_is_refused};
pub use motion::{
    base_carries_the_tree, motion_decays_to_rest, pose_and_motion_agree, rest_stays_at_rest,
    symmetric_tree_stays_symmetric, trees_do_not_influence_each_other,
};
pub use plants::{horizontal_branch, single_segment, symmetric_tree, two_trees};
pub use statics::{
    force_bends_in_its_direction, gravity_bends_by_beam_theory, hand_pulls_to_its_target, joints_carry_the_load,
};

use glam::DVec3;

use crate::plant::{Body, BodyId, Plant};
use crate::pose::Pose;
use crate::solver::{Actions, Solver};

/// The step that the checks take unless they say otherwise, s.
const DT: f64 = 1.0 / 60.0;

/// Makes a module of tests, one for each check, for the solver that the maker gives.
#[macro_export]
macro_rules! conformance_suite {
    ($name:ident, $make:expr) => {
        $crate::conformance_suite!(@checks $name, $make,
            rest_stays_at_rest,
            pose_and_motion_agree,
            gravity_bends_by_beam_theory,
            joints_carry_the_load,
            force_bends_in_its_direction,
            hand_pulls_to_its_target,
            symmetric_tree_stays_symmetric,
            motion_decays_to_rest,
            base_carries_the_tree,
            trees_do_not_influence_each_other,
            time_advances,
            same_run_gives_same_bits,
            wrong_input_is_refused,
            smallest_plant_works,
        );
    };
    (@checks $name:ident, $make:expr, $($check:ident,)*) => {
        mod $name {
            use super::*;
            $(
                #[test]
                fn $check() {
                    $crate::conformance::$check($make);
                }
            )*
        }
    };
}

/// Takes steps without actions for this many seconds.
fn run(solver: &mut impl Solver, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        solver.step(DT, &Actions::default()).expect("a step without actions");
    }
}

/// The end of a wood body's axis in its own axes, m.
fn local_tip(plant: &Plant, body: BodyId) -> DVec3 {
    match plant.body(body) {
        Some(Body::Wood(segment)) => DVec3::Y * f64::from(segment.length),
        _ => panic!("body {} is not wood", body.0),
    }
}

/// Where the axis of a wood body ends now, world metres.
fn tip(solver: &impl Solver, body: BodyId) -> DVec3 {
    let motion = solver.motion(body);
    motion.joint + motion.orientation * local_tip(solver.plant(), body)
}

/// The fastest centre of mass, m/s; NaN if any is NaN.
fn speed(solver: &impl Solver) -> f64 {
    let speeds = solver.plant().body_ids().map(|id| solver.motion(id).velocity.length());
    speeds.fold(0.0, |a, b| if b.is_nan() { b } else { b.max(a) })
}

/// The largest distance between the joints of two poses, m, and the largest angle between their bodies, rad.
fn difference(a: &Pose, b: &Pose) -> (f64, f64) {
    assert_eq!((a.len(), a.orientations.len()), (b.len(), b.orientations.len()), "poses of different plants");
    let distances = a.positions.iter().zip(&b.positions).map(|(p, q)| f64::from(p.distance(*q)));
    let angles = a.orientations.iter().zip(&b.orientations).map(|(p, q)| {
        let (p, q) = (p.as_dquat().normalize(), q.as_dquat().normalize());
        2.0 * (p.inverse() * q).xyz().length().min(1.0).asin()
    });
    (distances.fold(0.0, f64::max), angles.fold(0.0, f64::max))
}
