//! Why a motion could not be written or read.

use std::path::{Path, PathBuf};

/// Why a motion could not be written or read. The text says it all; there is no further source.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct MotionError {
    /// Which file.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: MotionProblem,
}

/// What is wrong with a motion.
#[derive(Debug, thiserror::Error)]
pub enum MotionProblem {
    /// The operating system said no.
    #[error("{0}")]
    Os(std::io::Error),
    /// The name does not say that it is a motion.
    #[error("the ending must be .wfm")]
    Ending,
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// Another kind of file.
    #[error("not a motion file: it does not begin with `WFMOTION`")]
    NotAMotion,
    /// A version of the format that this program does not know.
    #[error("format version {found}; this program reads up to version {known}: use a newer windfall")]
    Version {
        /// The version in the file.
        found: u32,
        /// The newest version that we read.
        known: u32,
    },
    /// The file ends too early or was changed.
    #[error("damaged file: {0}")]
    Damaged(String),
    /// It moves another plant.
    #[error("the motion of another plant: {0}; use it with the plant that it was simulated with")]
    OtherPlant(String),
    /// There is no such frame.
    #[error("frame {frame} of a motion with {frames} frames")]
    NoFrame {
        /// Which was asked for.
        frame: usize,
        /// How many there are.
        frames: usize,
    },
    /// Not a number of frames per second.
    #[error("{0} frames per second; the rate must be from 0.001 to 100000")]
    Rate(f64),
    /// What was given can't be written as the next frame. The frames before it are safe.
    #[error("frame {frame} at {time} s: {rule}")]
    Frame {
        /// Which frame it would have been.
        frame: usize,
        /// Its time, s.
        time: f64,
        /// What it must be.
        rule: String,
    },
}

impl MotionProblem {
    /// With the name of the file.
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
