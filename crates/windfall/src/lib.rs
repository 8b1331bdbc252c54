//! Physical animation of trees.
//!
//! Windfall takes a tree, makes it ready for simulation and moves it. This crate is the front door: it re-exports the
//! others under one roof.
//!
//! ```
//! use windfall::core::glam::DVec3;
//! use windfall::prelude::*;
//!
//! let apple = Species::named("apple").unwrap();
//! let plant = grow(&apple, &GrowOptions { bodies: Some(1000), seed: 1 })?;
//! let mut world = World::<f32>::new(plant, Params::default(), Method::Implicit)?;
//! let tip = world.plant().segment_id(100);
//! for frame in 0..30 {
//!     let pull = Load::force(tip, DVec3::ZERO, DVec3::new(5.0, 0.0, 0.0));
//!     world.step(1.0 / 30.0, &Actions { loads: &[pull], grabs: &[], touches: &[] })?;
//! }
//! println!("the branch is at {:.3}", world.motion(tip).center);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what for |
//! |---|---|
//! | [`core`] | what a tree is: bodies, materials, mechanics, building, validation |
//! | [`grow`] | species and growers |
//! | [`wind`] | winds: gusts, turbulence, grids, measurements, presets |
//! | [`dynamics`] | what moves them: worlds, solvers, parameters, wind on bodies, bodies that fall |
//! | [`io`] | plant files, GLB and OBJ |
//! | [`rig`] | rigged trees of other programs: their bones as wood, clips written back |
//! | [`scan`] | trees from laser scans: cylinder models, MTG; repair; leaves |
//! | [`skin`] | meshes and textures, bent by a pose |
//! | [`preview`] | pictures on the CPU |
//! | [`scene`] | scenes in TOML: read, checked and run |

pub use windfall_core as core;
pub use windfall_dynamics as dynamics;
pub use windfall_grow as grow;
pub use windfall_io as io;
pub use windfall_preview as preview;
pub use windfall_rig as rig;
pub use windfall_scan as scan;
pub use windfall_scene as scene;
pub use windfall_skin as skin;
pub use windfall_wind as wind;

/// What most programs need.
pub mod prelude {
    pub use windfall_core::{
        Actions, Base, Body, BodyId, Grab, Load, Plant, PlantBuilder, PlantParts, Pose, Segmentation, Solver, Summary,
        Touch,
    };
    pub use windfall_dynamics::{Method, Params, Selection, World};
    pub use windfall_grow::{GrowOptions, Species, grow};
    pub use windfall_io::{export, load, save};
    pub use windfall_skin::{Detail, Look, Motion, PaintOptions, skin};
}
