//! Assessment of trees for foresters: natural frequencies, sway in wind, and breaking.
//!
//! - **Modes** (`modes.rs`): natural frequencies and damping of the whole tree about its equilibrium shape,
//!   from the solver's masses, springs and weight.
//! - **Sway** (`sway.rs`): the equilibrium in a steady wind, with the solver's own laws of drag; leaves
//!   turn and branches bend with it.
//! - **Breaking** (`breaking.rs`): the wind speed at which the first joint of the trunk, and of the
//!   branches, uses up its strength ([`windfall_core::JointStrength::used_by`]), in equilibrium. Broken
//!   wood is not removed: above the speed at which a branch breaks the rest carries more than it would
//!   without it.
//!
//! The wind is steady. Gusts are a factor on its speed ([`AssessOptions::gust_factor`]); the dynamic
//! response to gusts, and shelter between trees, are not modelled.

mod breaking;
mod linear;
mod modes;
mod parts;
mod sway;

use std::sync::Arc;

pub use modes::Mode;
pub use parts::Break;
use serde::Serialize;
pub use sway::Sway;
use thiserror::Error;
use windfall_core::{BodyId, Plant};
use windfall_solver::{Selection, Solver, StepError, Unsupported};
use windfall_wind::WindError;

use self::breaking::Weather;
use self::linear::{Limp, Linear};
use self::modes::Falls;
use self::parts::Parts;
use self::sway::Tunnel;
use windfall_articulated::Method;
use windfall_solver::params::{Params, ParamsError};

/// Options of an assessment.
#[derive(Debug, Clone, PartialEq)]
pub struct AssessOptions {
    /// Index of the tree in the plant; the first by default.
    pub tree: usize,
    /// Largest number of modes; 6 by default.
    pub modes: usize,
    /// Directions from which the wind comes, compass degrees (0 north, -z; 90 east, +x); 270 by default: it
    /// blows to +x.
    pub from_degrees: Vec<f64>,
    /// Reference height of wind speeds above the foot of the tree, m; none is the height of the tree's top.
    /// 10 by default, as in weather reports.
    pub reference_height: Option<f64>,
    /// Roughness length of the ground, m: wind grows with height by the logarithmic law
    /// ([`windfall_wind::Profile`]). None is the same wind at all heights. 0.03 (meadow) by default.
    pub roughness: Option<f64>,
    /// Ratio of the gust speed to the given speed; 1 by default.
    pub gust_factor: f64,
    /// Wind speeds are multiples of this, m/s; 5 by default.
    pub speed_step: f64,
    /// Greatest wind speed, m/s; 80 by default.
    pub max_speed: f64,
    /// Breaking of branches thinner than this is ignored, m; 0.02 by default. The trunk always counts.
    pub min_diameter: f64,
}

impl Default for AssessOptions {
    fn default() -> Self {
        Self {
            tree: 0,
            modes: 6,
            from_degrees: vec![270.0],
            reference_height: Some(10.0),
            roughness: Some(0.03),
            gust_factor: 1.0,
            speed_step: 5.0,
            max_speed: 80.0,
            min_diameter: 0.02,
        }
    }
}

/// Assessment of a tree in wind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Assessment {
    /// Index of the tree in the plant.
    pub tree: usize,
    /// Height of its highest wood above its foot, m.
    pub height_m: f64,
    /// Mass of all moving bodies, kg.
    pub mass_kg: f64,
    /// Bodies whose joints move.
    pub moving_bodies: usize,
    /// Number of assessed joints of branches, without those of twigs.
    pub branch_joints: usize,
    /// Reference height of wind speeds, m.
    pub reference_height_m: f64,
    /// Modes, slowest first.
    pub modes: Vec<Mode>,
    /// For every direction of the wind.
    pub winds: Vec<InWind>,
}

/// A tree in wind from one direction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InWind {
    /// Where the wind comes from, compass degrees.
    pub from_degrees: f64,
    /// Equilibria in winds of growing speed, from none up to the breaking of the trunk or the greatest speed.
    pub sway: Vec<Sway>,
    /// The first branch that breaks; none up to the last speed of `sway`.
    pub first_branch: Option<Break>,
    /// The breaking of the trunk; none up to the last speed of `sway`.
    pub trunk: Option<Break>,
}

/// Why a tree can't be assessed.
#[derive(Debug, Error)]
pub enum AssessError {
    /// The plant has fewer trees.
    #[error("tree {tree} of a plant with {trees} trees; they are counted from 0")]
    NoSuchTree {
        /// The requested tree.
        tree: usize,
        /// Number of trees.
        trees: usize,
    },
    /// An option out of its range.
    #[error("{what} = {value}: it must be {rule}")]
    BadOption {
        /// Its name.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        rule: &'static str,
    },
    /// All joints are rigid.
    #[error("no joint of the tree can move: its stiffness is infinite everywhere, so it neither sways nor bends")]
    Rigid,
    /// A joint without stiffness.
    #[error("the joint of body {} has no stiffness about one of its axes: the tree has no rest shape; give it some in the parameters", body.0)]
    Limp {
        /// The body.
        body: BodyId,
    },
    /// There is no stable equilibrium.
    #[error(
        "the tree can't stand under its own weight: the least push makes it fall; it needs stiffer or lighter wood"
    )]
    Falls,
    /// The solver can't hold an overdamped tree still.
    #[error(
        "the solver `{solver}` does not come to rest in steps of {step_ms:.3} ms, even without wind: its answer would be \
         wrong; take `implicit` or `analytic`"
    )]
    Restless {
        /// Its name.
        solver: &'static str,
        /// Length of the step, ms.
        step_ms: f64,
    },
    /// Invalid parameters.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// An invalid wind.
    #[error(transparent)]
    Wind(#[from] WindError),
    /// A failed step.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The solver lacks a needed capability.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}

impl From<Falls> for AssessError {
    fn from(_: Falls) -> Self {
        Self::Falls
    }
}

impl From<Limp> for AssessError {
    fn from(limp: Limp) -> Self {
        Self::Limp { body: limp.body }
    }
}

/// Most moving joints in the search for modes: in larger trees leaves, fruit and then the thinnest wood are
/// held rigid. Rigid leaves raise the first frequencies of an oak of 20,000 bodies by 0.5 % at most, and
/// those of a pine of 120,000 by less than 0.1 %.
const MOST_MOVING: usize = 300_000;

/// Share of the modes in the whole computation, roughly.
const MODES: f64 = 0.2;

/// Makes the solver of a plant.
pub type MakeSolver<'a> = &'a dyn Fn(Arc<Plant>, &Params) -> Result<Box<dyn Solver>, ParamsError>;

/// Assesses one tree of a plant with the default solver in f64. `progress` is called with the completed
/// share, 0 to 1.
pub fn assess(
    plant: &Plant,
    params: &Params,
    options: &AssessOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<Assessment, AssessError> {
    let make = |plant, params: &Params| windfall_articulated::double(plant, params.clone(), Method::Implicit);
    assess_with(&make, plant, params, options, progress)
}

/// Assesses one tree with any solver that provides joint coordinates and loads.
pub fn assess_with(
    make: MakeSolver<'_>,
    plant: &Plant,
    params: &Params,
    options: &AssessOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<Assessment, AssessError> {
    check(plant, options)?;
    let parts = Parts::of(plant, options.tree, options.min_diameter);
    let plant = Arc::new(plant.clone());
    let mut solver = make(plant.clone(), params)?;
    if solver.joints().is_none() || solver.loads().is_none() {
        return Err(Unsupported { solver: solver.name(), what: "joints and their loads" }.into());
    }
    if plant.trees().len() > 1 {
        let mut chosen = vec![false; plant.body_count()];
        parts.bodies.iter().for_each(|id| chosen[id.0 as usize] = true);
        solver.select(&Selection::Bodies(chosen))?;
    }
    let values = params.values(&plant);
    let moves = moving(&plant, &parts);
    let linear =
        |solver: &dyn Solver| Linear::new(solver, &values, parts.bodies.iter().copied(), |id| moves[id.0 as usize]);
    let mut at_rest = linear(&*solver)?;
    if at_rest.len() == 0 {
        return Err(AssessError::Rigid);
    }
    let alpha = params.mass_damping;
    let mut tell = |share: f64| progress(MODES * share);
    if !params.keep_shape {
        // Without weight first: an estimate of the damping with which it comes to rest under its weight.
        let springs_alone = at_rest.weightless();
        let omega = slowest(&modes::modes(&springs_alone, alpha, 1, &mut |_| ())?)?;
        let top = parts.top_now(&*solver);
        let mut tunnel = Tunnel { top, solver, params, parts: &parts, values: &values, omega };
        tunnel.blow(0.0, 0.0, None)?;
        solver = tunnel.solver;
        at_rest = linear(&*solver)?;
    }
    let modes = modes::modes(&at_rest, alpha, options.modes.max(1), &mut tell)?;
    let omega = slowest(&modes)?;
    let mut winds = Vec::new();
    let directions = options.from_degrees.len() as f64;
    for (i, &from_degrees) in options.from_degrees.iter().enumerate() {
        let top = parts.top_now(&*solver);
        let tunnel = Tunnel { top, solver: solver.duplicate(), params, parts: &parts, values: &values, omega };
        let mut tell = |share: f64| progress(MODES + (1.0 - MODES) * (i as f64 + share) / directions);
        winds.push(Weather { options, from_degrees, plant: &plant, tunnel }.rise(&mut tell)?);
    }
    progress(1.0);
    Ok(Assessment {
        tree: options.tree,
        height_m: parts.height,
        mass_kg: at_rest.mass,
        moving_bodies: at_rest.len(),
        branch_joints: parts.joints[1].len(),
        reference_height_m: options.reference_height.unwrap_or(parts.height),
        modes: modes.into_iter().take(options.modes).collect(),
        winds,
    })
}

/// Lowest natural frequency, rad/s.
fn slowest(modes: &[Mode]) -> Result<f64, AssessError> {
    modes.first().map(|mode| std::f64::consts::TAU * mode.frequency_hz).ok_or(AssessError::Rigid)
}

fn check(plant: &Plant, options: &AssessOptions) -> Result<(), AssessError> {
    let trees = plant.trees().len();
    if options.tree >= trees {
        return Err(AssessError::NoSuchTree { tree: options.tree, trees });
    }
    let within = |what, value: f64, low: f64, high: f64, rule| {
        if (low..=high).contains(&value) { Ok(()) } else { Err(AssessError::BadOption { what, value, rule }) }
    };
    within("gust_factor", options.gust_factor, 0.1, 10.0, "from 0.1 to 10")?;
    within("speed_step", options.speed_step, 0.1, 200.0, "from 0.1 to 200 m/s")?;
    within("max_speed", options.max_speed, options.speed_step, 200.0, "from the step of the speed to 200 m/s")?;
    within("min_diameter", options.min_diameter, 0.0, 100.0, "from 0 to 100 m")?;
    Ok(())
}

/// Whether each body moves in the search for modes.
fn moving(plant: &Plant, parts: &Parts) -> Vec<bool> {
    let mut moves = vec![true; plant.body_count()];
    if parts.bodies.len() <= MOST_MOVING {
        return moves;
    }
    let wood = plant.segments().len();
    moves[wood..].fill(false);
    let mut radii: Vec<f32> = plant.segments().iter().map(|s| s.base_radius).collect();
    if radii.len() > MOST_MOVING {
        let (_, &mut thinnest, _) = radii.select_nth_unstable_by(MOST_MOVING, |a, b| b.total_cmp(a));
        for (moves, segment) in moves.iter_mut().zip(plant.segments()) {
            *moves = segment.base_radius > thinnest;
        }
    }
    moves
}
