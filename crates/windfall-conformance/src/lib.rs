//! Requirements on every solver: one suite of checks in tiers, run for each solver and for the stage
//! around it.
//!
//! | tier | requirement |
//! |---|---|
//! | [`contract`] | time advances, invalid input is refused and changes nothing, poses, snapshots, selections, parameters |
//! | [`statics`] | a branch comes to rest in the shape of rods on springs |
//! | [`dynamics`] | velocities are derivatives of places, motion decays, frequencies, moving ground |
//! | [`wind`] | drag bends by the predicted amount, air takes and gives momentum, leaves load their wood |
//! | [`loads`] | joints carry weight and moment |
//! | [`contact`] | touches have the momentum of an inelastic impact, and only push |
//! | [`breaking`] | pieces fall freely with their momentum, removed bodies weigh nothing |
//! | [`determinism`] | the same run gives the same bits, on any number of threads |
//!
//! Figures come from closed forms of rods on springs (which are beam theory with many rods), symmetry and
//! conservation. A solver states its accuracy ([`Tolerances`]), and tiers of capabilities that it lacks are
//! left out. A check returns the figures where the solver is wrong ([`Failure`]), so that deliberately wrong
//! solvers can show that it notices. [`conformance_suite!`] makes a test of each tier:
//! ```ignore
//! windfall_conformance::conformance_suite!(implicit, Tolerances::default(), |plant, params| {
//!     Box::new(World::<f32>::new(plant.clone(), params.clone(), Method::Implicit).unwrap())
//! });
//! ```

#![allow(clippy::missing_panics_doc, reason = "checks panic where a solver gives an error that it must not give")]

mod bare;
pub mod breaking;
pub mod contact;
pub mod contract;
pub mod determinism;
pub mod dynamics;
pub mod loads;
mod plants;
pub mod statics;
pub mod wind;

use std::sync::Arc;

pub use self::bare::Bare;
pub use self::wind::BoxOfAir;
pub use plants::{grove, horizontal_branch, leafy_branch, single_segment, symmetric_tree, two_trees};
use windfall_core::glam::DVec3;
use windfall_core::{Body, BodyId, Plant, Pose};

use windfall_solver::{Actions, Params, PoseRequest, Solver, StepInput, Wind};

const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// Accuracy of a solver, as shares of the right figure unless stated otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// The longest step at which it is so accurate, s.
    pub step: f64,
    /// The stiffest hand that it takes, N/m.
    pub stiffest_hand: f64,
    /// Of its numbers: distances over the size of the tree (about 1 m), and angles.
    pub rounding: f64,
    /// Of places at rest.
    pub statics: f64,
    /// Of joint loads at rest.
    pub loads: f64,
    /// Of the first frequency of a clamped branch.
    pub frequency: f64,
    /// Of velocities against the derivatives of places, over the fastest.
    pub velocity: f64,
    /// Of the deflection in a steady wind.
    pub wind: f64,
    /// Of momentum that air exchanges with trees.
    pub air_momentum: f64,
    /// Of momentum in touches.
    pub contact: f64,
    /// Of the momentum and fall of pieces.
    pub pieces: f64,
}

impl Default for Tolerances {
    /// Of a correct solver in f32.
    fn default() -> Self {
        Self {
            step: 1.0 / 60.0,
            stiffest_hand: 1e9,
            rounding: 1e-5,
            statics: 0.005,
            loads: 0.01,
            frequency: 0.01,
            velocity: 0.02,
            wind: 0.02,
            air_momentum: 0.005,
            contact: 0.01,
            pieces: 0.005,
        }
    }
}

impl Tolerances {
    /// The largest of several tolerances, figure by figure: deliberately wrong solvers must fail even
    /// these.
    pub fn loosest(all: &[Self]) -> Self {
        let most = |of: fn(&Self) -> f64| all.iter().map(of).fold(0.0, f64::max);
        Self {
            step: most(|t| t.step),
            stiffest_hand: most(|t| t.stiffest_hand),
            rounding: most(|t| t.rounding),
            statics: most(|t| t.statics),
            loads: most(|t| t.loads),
            frequency: most(|t| t.frequency),
            velocity: most(|t| t.velocity),
            wind: most(|t| t.wind),
            air_momentum: most(|t| t.air_momentum),
            contact: most(|t| t.contact),
            pieces: most(|t| t.pieces),
        }
    }
}

/// Makes a solver for a plant with parameters.
pub type Make = dyn Fn(&Arc<Plant>, &Params) -> Box<dyn Solver> + Sync;

/// The subject of the checks: a way to make solvers, and their accuracy.
pub struct Subject<'a> {
    make: &'a Make,
    /// The stated accuracy.
    pub tolerances: Tolerances,
}

impl<'a> Subject<'a> {
    /// Checks the solvers that `make` makes.
    pub fn new(make: &'a Make, tolerances: Tolerances) -> Self {
        Self { make, tolerances }
    }

    /// A solver at rest, with default parameters.
    fn solver(&self, plant: &Plant) -> Box<dyn Solver> {
        self.solver_with(plant, &Params::default())
    }

    fn solver_with(&self, plant: &Plant, params: &Params) -> Box<dyn Solver> {
        (self.make)(&Arc::new(plant.clone()), params)
    }

    /// Calls `step` with the length of a step until this many seconds have gone by.
    fn steps(&self, seconds: f64, mut step: impl FnMut(f64)) {
        for _ in 0..(seconds / self.tolerances.step).round() as usize {
            step(self.tolerances.step);
        }
    }

    /// Takes steps under gravity alone for this many seconds.
    fn run(&self, solver: &mut dyn Solver, gravity: DVec3, seconds: f64) {
        self.steps(seconds, |dt| step(solver, dt, gravity, Actions::default()));
    }
}

/// An error that a check found, with the figures.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(pub String);

/// Result of a check.
pub type Checked = Result<(), Failure>;

/// A check: its name, and the check.
pub type Check = (&'static str, fn(&Subject<'_>) -> Checked);

/// A tier: its name, and its checks.
pub type Tier = (&'static str, &'static [Check]);

/// All tiers.
pub const TIERS: [Tier; 8] = [
    ("contract", contract::CHECKS),
    ("statics", statics::CHECKS),
    ("dynamics", dynamics::CHECKS),
    ("wind", wind::CHECKS),
    ("loads", loads::CHECKS),
    ("contact", contact::CHECKS),
    ("breaking", breaking::CHECKS),
    ("determinism", determinism::CHECKS),
];

/// Lists the checks of a tier, and runs them one after the other; not for solvers that lack what they need.
macro_rules! tier {
    ([$(|$solver:ident| $can:expr)?] $($check:ident),+ $(,)?) => {
        /// The checks of the tier.
        pub const CHECKS: &[$crate::Check] = &[$((stringify!($check), $check)),+];

        /// All checks of the tier, if the solver can do what they need.
        pub fn tier(subject: &$crate::Subject<'_>) -> $crate::Checked {
            $(
                let $solver = subject.solver(&$crate::horizontal_branch());
                if !$can {
                    return Ok(());
                }
            )?
            CHECKS.iter().try_for_each(|(_, check)| check(subject))
        }
    };
}
pub(crate) use tier;

/// Fails a check with a message if a condition does not hold.
macro_rules! ensure {
    ($holds:expr, $($message:tt)+) => {
        let holds: bool = $holds;
        if !holds {
            return Err($crate::Failure(format!($($message)+)));
        }
    };
}
pub(crate) use ensure;

/// Makes a module of tests, one for each tier, for the solvers that the maker returns:
/// `Fn(&Arc<Plant>, &Params) -> Box<dyn Solver>`.
#[macro_export]
macro_rules! conformance_suite {
    ($name:ident, $tolerances:expr, $make:expr) => {
        $crate::conformance_suite!(@tiers $name, $tolerances, $make,
            contract, statics, dynamics, wind, loads, contact, breaking, determinism,);
    };
    (@tiers $name:ident, $tolerances:expr, $make:expr, $($tier:ident,)*) => {
        mod $name {
            use super::*;
            $(
                #[test]
                fn $tier() {
                    let make = $make;
                    let subject = $crate::Subject::new(&make, $tolerances);
                    if let Err(failure) = $crate::$tier::tier(&subject) {
                        panic!("{failure}");
                    }
                }
            )*
        }
    };
}

/// Uniform and constant air, m/s.
#[derive(Debug, Clone, Copy)]
pub struct Steady(pub DVec3);

impl Wind for Steady {
    fn velocity(&self, _: DVec3, _: f64) -> DVec3 {
        self.0
    }
}

/// A step under gravity with these actions.
fn step(solver: &mut dyn Solver, dt: f64, gravity: DVec3, actions: Actions<'_>) {
    solver.step(dt, &mut StepInput::new().gravity(gravity).actions(actions)).expect("a step with good input");
}

/// The end of a wood body's axis in its own axes, m.
fn local_tip(plant: &Plant, body: BodyId) -> DVec3 {
    match plant.body(body) {
        Some(Body::Wood(segment)) => DVec3::Y * f64::from(segment.length),
        _ => panic!("body {} is not wood", body.0),
    }
}

/// Where the axis of a wood body ends now, world metres.
fn tip(solver: &dyn Solver, body: BodyId) -> DVec3 {
    let motion = solver.motion(body.into());
    motion.joint + motion.orientation * local_tip(solver.plant(), body)
}

/// The fastest centre of mass, m/s; NaN if any is NaN.
fn speed(solver: &dyn Solver) -> f64 {
    let speeds = solver.plant().body_ids().map(|id| solver.motion(id.into()).velocity.length());
    speeds.fold(0.0, |a, b| if b.is_nan() { b } else { b.max(a) })
}

fn pose(solver: &dyn Solver) -> Pose {
    let mut pose = Pose::default();
    solver.write_pose(PoseRequest::default(), &mut pose);
    pose
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
