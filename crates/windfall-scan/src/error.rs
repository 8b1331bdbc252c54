//! Why a scan can't become a plant.

use windfall_core::InvalidPlant;

use crate::read::Dialect;

/// Why a scan can't become a plant.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScanError {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// None of the dialects that we know.
    #[error(
        "not a tree that we can read. Known are {}; a table of another program can be given as plain CSV with the columns \
         id, parent, start_x, start_y, start_z, end_x, end_y, end_z, radius",
        Dialect::list()
    )]
    Unknown,
    /// The dialect is known, but the content is wrong.
    #[error("{dialect}: {reason}")]
    Content {
        /// Which dialect it was read as.
        dialect: Dialect,
        /// What is wrong, where, and what to do.
        reason: String,
    },
    /// More than we read.
    #[error("more than {} cylinders: cut the scan into several files", crate::read::MOST_CYLINDERS)]
    TooMany,
    /// Every cylinder was unusable.
    #[error("no wood is left: of {read} cylinders {unusable} have no usable place, the others no length")]
    NoWood {
        /// How many the file has.
        read: usize,
        /// How many have coordinates that are not numbers.
        unusable: usize,
    },
    /// An option is out of range.
    #[error("{option} = {value}: {rule}")]
    Option {
        /// Which option.
        option: &'static str,
        /// What was given.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// Leaves can't be added.
    #[error("leaves: {0}")]
    Leaves(String),
    /// The tree stands or reaches too far away.
    #[error(transparent)]
    Invalid(#[from] InvalidPlant),
}
