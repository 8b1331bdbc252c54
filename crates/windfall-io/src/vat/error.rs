//! Errors of writing vertex animation textures.

use super::MOST_PIXELS;
use crate::skeletal::AnimationError;

/// An error of writing a texture. The message is complete; there is no error source.
#[derive(Debug, thiserror::Error)]
pub enum VatError {
    /// An error common to all moving trees: the skin, the frames or the file.
    #[error("{0}")]
    Animation(AnimationError),
    /// No vertex.
    #[error("the skin has no triangles: there is nothing that could move")]
    NoVertices,
    /// No frame.
    #[error("the clip has no frame: choose a stretch within the motion")]
    NoFrames,
    /// Larger than a texture allows.
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
}

/// Converts errors common to all moving trees.
impl<E: Into<AnimationError>> From<E> for VatError {
    fn from(error: E) -> Self {
        Self::Animation(error.into())
    }
}
