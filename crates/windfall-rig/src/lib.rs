//! Rigged trees of other programs: the bones of a skinned glTF file become wood, and what a simulation does with it is written back as clips.
//!
//! | step | module |
//! |---|---|
//! | bytes to a [`Document`]: buffers, and the text of everything that is not ours to change | [`document`] |
//! | nodes and where they are | `graph` |
//! | vertices, their joints, loose parts: bark or leaves | `surface`, `vertices`, `kinds` |
//! | meshes that are the same tree once more | `lods` |
//! | joints to bones with tails | `bones` |
//! | thickness from bark | `sections`, `radii` |
//! | how much wood the bark holds | `shells` |
//! | how far few rigid bones bend: moduli of branches | `springs`, `gaps` |
//! | bones to the branches of a [`windfall_core::Plant`], leaves and twigs as loads | `wood`, `twigs` |
//! | is it a tree at all? | `checks` |
//! | all of this: a [`Rig`] with a [`RigReport`] | [`mod@rig`] |
//! | poses of the plant to keys of joints | [`clips`] |
//! | the file with clips added | [`mod@write`] |
//!
//! Formats: Khronos, glTF 2.0 specification; `KHR_mesh_quantization`. Draco and meshopt compression are refused.

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
pub use report::{ClipReport, Moment, PlacedJoint, RigReport};
pub use rig::{Rig, RigOptions, Up};
pub use write::check_output;
