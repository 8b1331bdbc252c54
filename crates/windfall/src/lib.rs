//! Physical animation of trees.
//!
//! Windfall takes a tree, makes it ready for simulation and moves it. This crate is the front door: it re-exports the
//! others under one roof.
//!
//! ```
//! use windfall::prelude::*;
//!
//! let apple = Species::named("apple").unwrap();
//! let plant = grow(&apple, &GrowOptions { bodies: Some(1000), seed: 1 })?;
//! let trunk = plant.segment_id(0);
//! println!("{} bodies, trunk joint {:.0} N m/rad", plant.body_count(), plant.joint_properties(trunk).stiffness.x);
//! # Ok::<(), windfall::grow::GrowError>(())
//! ```
//!
//! | module | what for |
//! |---|---|
//! | [`core`] | what a tree is: bodies, materials, mechanics, building, validation |
//! | [`grow`] | species and growers |
//! | [`io`] | plant files, GLB and OBJ |
//! | [`skin`] | meshes and textures, bent by a pose |
//! | [`preview`] | pictures on the CPU |

pub use windfall_core as core;
pub use windfall_grow as grow;
pub use windfall_io as io;
pub use windfall_preview as preview;
pub use windfall_skin as skin;

/// What most programs need.
pub mod prelude {
    pub use windfall_core::{Body, BodyId, Plant, PlantBuilder, PlantParts, Pose, Segmentation, Summary};
    pub use windfall_grow::{GrowOptions, Species, grow};
    pub use windfall_io::{export, load, save};
    pub use windfall_skin::{Detail, Look, Motion, PaintOptions, skin};
}
