//! From centre lines with radii to segments.
//!
//! A [`CentreLine`] is a list of points with radii, straight or smooth between them. A [`Segmentation`]
//! limits the lengths of the segments. A [`PlantBuilder`] assembles branches, leaves and fruit and
//! returns a valid plant.
//!
//! ```
//! use windfall_core::build::{Attachment, CentreLine, PlantBuilder, Segmentation};
//! use windfall_core::glam::DVec3;
//! use windfall_core::materials;
//!
//! let mut plant = PlantBuilder::new("twig");
//! let oak = plant.wood_material(materials::wood("white oak").unwrap().clone());
//! let tree = plant.tree("oak", DVec3::ZERO);
//! let stem = CentreLine::spline(&[(DVec3::ZERO, 0.02), (DVec3::Y, 0.015), (DVec3::new(0.3, 2.0, 0.0), 0.005)]);
//! let trunk = plant.branch(Attachment::Root(tree), oak, &stem, &Segmentation::by_length(0.1))?;
//! let plant = plant.finish()?;
//! assert_eq!(plant.branch_segments(trunk.0).len(), 21);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod builder;
mod centreline;
mod frames;
mod segmentation;

pub use builder::{Attachment, BranchIndex, BuildError, MaterialIndex, PlantBuilder, TreeIndex};
pub use centreline::{CentreLine, LineError};
pub use frames::{frame_along, transported};
pub use segmentation::{Node, Segmentation};
