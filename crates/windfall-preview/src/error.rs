//! Why a picture could not be made.

/// Why a picture could not be drawn or written.
#[derive(Debug, thiserror::Error)]
pub enum PreviewError {
    /// No such picture can be drawn or written.
    #[error("a picture of {width} x {height} pixels: {rule}")]
    Size {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// What it must be.
        rule: &'static str,
    },
    /// An option is out of its range.
    #[error("{what} is {value}: {rule}")]
    Option {
        /// Which option.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// The camera has no view.
    #[error("camera: {0}")]
    Camera(&'static str),
    /// The lists of an item don't belong together.
    #[error("item {item} of the scene: {problem}")]
    Item {
        /// Its place in the scene.
        item: usize,
        /// What is wrong.
        problem: String,
    },
    /// An image of a material is not whole.
    #[error("material {material}: its {image} image of {width} x {height} has {pixels} pixels")]
    Image {
        /// Name of the material.
        material: String,
        /// Which of its images.
        image: &'static str,
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// How many there are.
        pixels: usize,
    },
    /// An animation got another number of frames than it was begun with.
    #[error("an animation of {expected} frames was given {given}")]
    Frames {
        /// How many were promised.
        expected: u32,
        /// How many came.
        given: u32,
    },
    /// Writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A PNG could not be written.
    #[error("PNG: {0}")]
    Png(#[from] png::EncodingError),
    /// A GIF could not be written.
    #[error("GIF: {0}")]
    Gif(#[from] gif::EncodingError),
    /// A JPEG could not be written.
    #[error("JPEG: {0}")]
    Jpeg(#[from] jpeg_encoder::EncodingError),
}
