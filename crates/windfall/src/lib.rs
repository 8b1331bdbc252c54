//! Physical animation of trees.
//!
//! Windfall takes a tree, prepares it for simulation and animates it. This crate is the facade: it
//! re-exports the other crates.
//!
//! ```
//! use windfall::core::glam::DVec3;
//! use windfall::prelude::*;
//!
//! let apple = Species::named("apple").unwrap();
//! let plant = grow(&apple, &GrowOptions { bodies: Some(1000), seed: 1 })?;
//! let tip = plant.segment_id(100);
//! let mut solver = SolverSpec::default().build(plant.into(), &Params::default())?;
//! for frame in 0..30 {
//!     let pull = [Load::force(tip, DVec3::ZERO, DVec3::new(5.0, 0.0, 0.0))];
//!     solver.step(1.0 / 30.0, &mut StepInput::new().loads(&pull))?;
//! }
//! println!("the branch is at {:.3}", solver.motion(tip.into()).center);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`core`] | the model of a tree: bodies, materials, mechanics, building, validation |
//! | [`grow`] | species and growers |
//! | [`wind`] | winds: gusts, turbulence, grids, measurements, presets |
//! | [`solver`] | the common interface of all solvers, loads on trees, parameters |
//! | [`articulated`] | articulated rigid bodies: the solvers Implicit, Analytic and Explicit |
//! | [`stage`] | any solver with the environment of its trees: breaking, collisions, creatures |
//! | [`free`] | bodies that fall and fly; obstacles |
//! | [`assess`] | frequencies, sway, breaking wind speeds |
//! | [`io`] | plant files, GLB and OBJ |
//! | [`rig`] | rigged trees of other programs: their bones as wood, clips written back |
//! | [`scan`] | trees from laser scans: cylinder models, MTG; repair; leaves |
//! | [`skin`] | meshes and textures, bent by a pose |
//! | [`preview`] | pictures on the CPU |
//! | [`scene`] | scenes in TOML: read, checked and run |

pub use windfall_articulated as articulated;
pub use windfall_assess as assess;
pub use windfall_core as core;
pub use windfall_free as free;
pub use windfall_grow as grow;
pub use windfall_io as io;
pub use windfall_preview as preview;
pub use windfall_rig as rig;
pub use windfall_scan as scan;
pub use windfall_scene as scene;
pub use windfall_skin as skin;
pub use windfall_solver as solver;
pub use windfall_stage as stage;
pub use windfall_wind as wind;

/// The items that most programs need.
pub mod prelude {
    pub use windfall_core::{Body, BodyId, BodyRef, Plant, PlantBuilder, PlantParts, Pose, Segmentation, Summary};
    pub use windfall_grow::{GrowOptions, Species, grow};
    pub use windfall_io::{export, load, save};
    pub use windfall_scene::{SOLVERS, SolverSpec};
    pub use windfall_skin::{Detail, Look, Motion, PaintOptions, skin};
    pub use windfall_solver::{Actions, Base, Grab, Load, Params, Selection, Solver, StepInput, Touch};
    pub use windfall_stage::Stage;
}
