//! Why a scan cannot become a plant.

use windfall_core::InvalidPlant;

use crate::read::Dialect;

/// Why a scan cannot become a plant.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScanError {
    /// The file has no content.
    #[error("the file is empty")]
    Empty,
    /// The format is none of the known dialects.
    #[error(
        "not a tree that we can read. Known are {}; a table of another program can be given as plain CSV with the columns \
         id, parent, start_x, start_y, start_z, end_x, end_y, end_z, radius",
        Dialect::list()
    )]
    Unknown,
    /// The dialect is known, but the content is wrong.
    #[error("{dialect}: {reason}")]
    Content {
        /// The dialect that it was read as.
        dialect: Dialect,
        /// The fault, its position, and the remedy.
        reason: String,
    },
    /// The number of cylinders exceeds the limit.
    #[error("more than {} cylinders: cut the scan into several files", crate::read::MOST_CYLINDERS)]
    TooMany,
    /// Every cylinder was unusable.
    #[error("no wood is left: of {read} cylinders {unusable} have no usable place, the others no length")]
    NoWood {
        /// Number of cylinders in the file.
        read: usize,
        /// Number of cylinders with coordinates that are not numbers.
        unusable: usize,
    },
    /// An option is out of range.
    #[error("{option} = {value}: {rule}")]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Its value.
        value: f64,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// Leaves cannot be added.
    #[error("leaves: {0}")]
    Leaves(String),
    /// The tree stands or extends too far away.
    #[error(transparent)]
    Invalid(#[from] InvalidPlant),
}
