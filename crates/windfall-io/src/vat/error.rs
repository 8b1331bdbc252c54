//! Why a vertex animation texture could not be written.

use super::MOST_PIXELS;
use crate::motion::MotionError;
use crate::skin_check::SkinError;

/// Why a texture could not be written. The text says it all; there is no further source.
#[derive(Debug, thiserror::Error)]
pub enum VatError {
    /// The operating system said no.
    #[error("{0}")]
    Os(std::io::Error),
    /// The frames could not be read.
    #[error("{0}")]
    Motion(MotionError),
    /// The skin is wrong.
    #[error("{0}")]
    Skin(SkinError),
    /// No vertex.
    #[error("the skin has no triangles: there is nothing that could move")]
    NoVertices,
    /// No frame.
    #[error("the clip has no frame: choose a stretch within the motion")]
    NoFrames,
    /// More than a texture holds.
    #[error(
        "{vertices} vertices in {frames} frames don't fit into a texture of {MOST_PIXELS} by {MOST_PIXELS} pixels: with so many frames at most \
         {most_vertices} vertices do, with so many vertices at most {most_frames} frames; make the skin with less detail, or take fewer frames in a \
         second or a shorter clip"
    )]
    TooLarge {
        /// Vertices of the skin.
        vertices: usize,
        /// Frames of the clip.
        frames: usize,
        /// Vertices that fit.
        most_vertices: usize,
        /// Frames that fit.
        most_frames: usize,
    },
    /// Textures have the same time between all frames.
    #[error(
        "frame {frame} is at {found} s and should be at {expected} s: a texture wants the same time between all frames"
    )]
    Uneven {
        /// Which frame.
        frame: usize,
        /// Its time, s.
        found: f64,
        /// The time that it should have, s.
        expected: f64,
    },
    /// A pose of another plant.
    #[error("frame {frame} places {found} bodies, the plant has {bodies}")]
    Bodies {
        /// Which frame.
        frame: usize,
        /// Bodies of the pose.
        found: usize,
        /// Bodies of the plant.
        bodies: usize,
    },
    /// A pose that is none.
    #[error("frame {frame}: a vertex of `{part}` is at no finite place; simulate the motion again")]
    NotFinite {
        /// Which frame.
        frame: usize,
        /// Which part of the skin.
        part: String,
    },
}

impl From<std::io::Error> for VatError {
    fn from(error: std::io::Error) -> Self {
        Self::Os(error)
    }
}

impl From<MotionError> for VatError {
    fn from(error: MotionError) -> Self {
        Self::Motion(error)
    }
}

impl From<SkinError> for VatError {
    fn from(error: SkinError) -> Self {
        Self::Skin(error)
    }
}
