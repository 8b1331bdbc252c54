//! Laser-scanned trees: converts cylinder models (QSM) and MTG to plants.
//!
//! ```
//! use windfall_scan::{ImportOptions, import};
//!
//! let csv = "\
//! id,parent,start_x,start_y,start_z,end_x,end_y,end_z,radius
//! 1,0,0,0,0,0,0,1,0.05
//! 2,1,0,0,1.01,0,0,2,0.04
//! 3,1,0,0,0.9,1,0,1.5,0.02
//! ";
//! let scan = import(csv.as_bytes(), &ImportOptions::default())?;
//! assert_eq!(scan.plant.branches().len(), 2);
//! println!("{}", scan.report);
//! # Ok::<(), windfall_scan::ScanError>(())
//! ```
//!
//! | step | module |
//! |---|---|
//! | bytes to a plain list of [`Cylinder`]s, in the units and axes of the file | [`mod@read`] |
//! | metres, y up | [`upright`] |
//! | gaps, loops, loose parts, wrong radii: repaired, with a [`ImportReport`] | [`mod@repair`] |
//! | cylinders to the segments of a [`windfall_core::Plant`] | `build` |
//! | leaves by area and angle distribution | [`leaves`] |
//!
//! The crate accesses no files.

mod build;
mod cylinder;
mod error;
mod import;
pub mod leaves;
mod place;
pub mod read;
pub mod repair;
mod report;
pub mod write;

pub use cylinder::{Cylinder, Scan};
pub use error::ScanError;
pub use import::{Import, ImportOptions, import};
pub use leaves::{AngleDistribution, Foliage, LeafArea, add_leaves};
pub use place::{UpAxis, upright};
pub use read::{Dialect, ReadOptions, detect, read};
pub use repair::RepairOptions;
pub use report::{FaultKind, ImportReport, Repair, Worst};
