//! Rigged trees of other programs: the bones of a skinned glTF file become wood, and the simulated motion
//! is written back as clips.
//!
//! | step | module |
//! |---|---|
//! | bytes to a [`Document`]: buffers, and the text of everything that must not change | [`document`] |
//! | nodes and their transforms | `graph` |
//! | vertices, their joints, loose parts: bark or leaves | `surface`, `vertices`, `kinds` |
//! | duplicate meshes of a tree | `lods` |
//! | joints to bones with tails | `bones` |
//! | thickness from bark | `sections`, `radii` |
//! | volume enclosed by the bark | `shells` |
//! | stiffness of chains of few rigid bones: moduli of branches | `springs`, `gaps` |
//! | bones to the branches of a [`windfall_core::Plant`], leaves and twigs as loads | `wood`, `twigs` |
//! | tests whether the skeleton is a tree | `checks` |
//! | all of this: a [`Rig`] with a [`RigReport`] | [`mod@rig`] |
//! | poses of the plant to keys of joints | [`clips`] |
//! | the file with clips added | [`mod@write`] |
//!
//! Formats: Khronos, glTF 2.0 specification; `KHR_mesh_quantization`. Draco and meshopt compression are
//! refused.

mod bones;
mod checks;
pub mod clips;
pub mod document;
mod eigen;
mod error;
mod gaps;
mod graph;
mod kinds;
mod lods;
mod radii;
pub mod report;
pub mod rig;
mod sections;
mod shells;
mod springs;
mod surface;
mod twigs;
mod vertices;
mod wood;
pub mod write;

pub use clips::RecordedClip;
pub use document::Document;
pub use error::RigError;
pub use report::{AddedClip, Moment, PlacedJoint, RigReport};
pub use rig::{Rig, RigOptions, Up};
pub use write::check_output;
