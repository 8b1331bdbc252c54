//! Errors of writing and reading motions.

use std::path::{Path, PathBuf};

/// An error of writing or reading a motion. The message is complete; there is no error source.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct MotionError {
    /// The file.
    pub path: PathBuf,
    /// The problem.
    pub problem: MotionProblem,
}

/// Problems of a motion.
#[derive(Debug, thiserror::Error)]
pub enum MotionProblem {
    /// An operating system error.
    #[error("{0}")]
    Os(std::io::Error),
    /// Wrong file extension.
    #[error("the ending must be .wfm")]
    Ending,
    /// Empty file.
    #[error("the file is empty")]
    Empty,
    /// Not a motion file.
    #[error("not a motion file: it does not begin with `WFMOTION`")]
    NotAMotion,
    /// An unsupported version of the format.
    #[error("format version {found}; this program reads up to version {known}: use a newer windfall")]
    Version {
        /// The version in the file.
        found: u32,
        /// The newest supported version.
        known: u32,
    },
    /// Truncated or corrupted file.
    #[error("damaged file: {0}")]
    Damaged(String),
    /// The motion belongs to another plant.
    #[error("the motion of another plant: {0}; use it with the plant that it was simulated with")]
    OtherPlant(String),
    /// The frame does not exist.
    #[error("frame {frame} of a motion with {frames} frames")]
    NoFrame {
        /// The requested frame.
        frame: usize,
        /// Number of frames.
        frames: usize,
    },
    /// Invalid frame rate.
    #[error("{0} frames per second; the rate must be from 0.001 to 100000")]
    Rate(f64),
    /// Invalid next frame. The previous frames are unaffected.
    #[error("frame {frame} at {time} s: {rule}")]
    Frame {
        /// Index of the rejected frame.
        frame: usize,
        /// Its time, s.
        time: f64,
        /// The violated rule.
        rule: String,
    },
}

impl MotionProblem {
    /// Adds the path of the file.
    pub(super) fn at(self, path: &Path) -> MotionError {
        MotionError { path: path.to_owned(), problem: self }
    }
}

impl From<std::io::Error> for MotionProblem {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::UnexpectedEof => Self::Damaged("it ends too early".into()),
            _ => Self::Os(error),
        }
    }
}
