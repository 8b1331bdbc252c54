//! Errors of reading and animating a rig.

use windfall_core::InvalidPlant;
use windfall_io::MotionError;

/// The reason why a rig can't be animated. The message is complete; there is no error source.
#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// Empty file.
    #[error("the file is empty")]
    Empty,
    /// Neither GLB nor JSON.
    #[error("not a glTF file: it begins with neither `glTF` (.glb) nor `{{` (.gltf); export the tree as glTF 2.0")]
    NotGltf,
    /// Truncated or corrupted file.
    #[error("damaged file: {0}")]
    Damaged(String),
    /// JSON that is not glTF.
    #[error("not a glTF document: {0}")]
    Json(serde_json::Error),
    /// The document violates a rule of glTF.
    #[error("{item}: {reason}")]
    Broken {
        /// Item of the document.
        item: String,
        /// The violated rule.
        reason: String,
    },
    /// An unsupported feature, with a workaround.
    #[error("{0}")]
    Unsupported(String),
    /// An external file could not be read.
    #[error("{uri}: {reason}")]
    Beside {
        /// Its URI in the document.
        uri: String,
        /// Reason of the failure.
        reason: String,
    },
    /// The skeleton is not that of a tree.
    #[error("this is not the skeleton of a tree: {0}")]
    NotATree(String),
    /// An option out of its range.
    #[error("{0}")]
    Option(String),
    /// The estimated wood is not a valid plant.
    #[error("the wood that was estimated is no plant ({0}); set the height of the tree")]
    Plant(InvalidPlant),
    /// An operating system error.
    #[error("{0}")]
    Os(std::io::Error),
    /// The frames could not be read.
    #[error("{0}")]
    Motion(MotionError),
    /// Larger than the file format allows.
    #[error(
        "a .glb file holds at most 4.29 GB and this one would have {:.2} GB: make fewer or shorter clips, or take a larger tolerance",
        *bytes as f64 / 1e9
    )]
    TooLarge {
        /// Size of the file, bytes.
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
