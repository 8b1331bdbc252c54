//! Why a rig can't be animated.

use windfall_core::InvalidPlant;
use windfall_io::MotionError;

/// Why a rig can't be animated. The text says it all; there is no further source.
#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// Neither GLB nor JSON.
    #[error("not a glTF file: it begins with neither `glTF` (.glb) nor `{{` (.gltf); export the tree as glTF 2.0")]
    NotGltf,
    /// The file ends too early or was changed.
    #[error("damaged file: {0}")]
    Damaged(String),
    /// JSON that is not glTF.
    #[error("not a glTF document: {0}")]
    Json(serde_json::Error),
    /// Something in the document breaks a rule of glTF.
    #[error("{item}: {reason}")]
    Broken {
        /// Which item of the document.
        item: String,
        /// What is wrong with it.
        reason: String,
    },
    /// What we can't read, and what to do.
    #[error("{0}")]
    Unsupported(String),
    /// A file that stands beside the document.
    #[error("{uri}: {reason}")]
    Beside {
        /// As the document names it.
        uri: String,
        /// Why it can't be read.
        reason: String,
    },
    /// A skeleton, but not of a tree.
    #[error("this is not the skeleton of a tree: {0}")]
    NotATree(String),
    /// An option out of its range.
    #[error("{0}")]
    Option(String),
    /// What was estimated is no plant.
    #[error("the wood that was estimated is no plant ({0}); set the height of the tree")]
    Plant(InvalidPlant),
    /// The operating system said no.
    #[error("{0}")]
    Os(std::io::Error),
    /// The frames could not be read.
    #[error("{0}")]
    Motion(MotionError),
    /// More than the file format can hold.
    #[error(
        "a .glb file holds at most 4.29 GB and this one would have {:.2} GB: make fewer or shorter clips, or take a larger tolerance",
        *bytes as f64 / 1e9
    )]
    TooLarge {
        /// What the file would have.
        bytes: u64,
    },
}

impl RigError {
    pub(crate) fn broken(item: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Broken { item: item.into(), reason: reason.into() }
    }
}

impl From<std::io::Error> for RigError {
    fn from(error: std::io::Error) -> Self {
        Self::Os(error)
    }
}

impl From<MotionError> for RigError {
    fn from(error: MotionError) -> Self {
        Self::Motion(error)
    }
}

impl From<serde_json::Error> for RigError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}
