//! Errors of drawing and writing pictures.

/// An error of drawing or writing a picture.
#[derive(Debug, thiserror::Error)]
pub enum PreviewError {
    /// Unsupported picture size.
    #[error("a picture of {width} x {height} pixels: {rule}")]
    Size {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Allowed values.
        rule: &'static str,
    },
    /// An option is out of its range.
    #[error("{what} is {value}: {rule}")]
    Option {
        /// Name of the option.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Allowed values.
        rule: &'static str,
    },
    /// The camera has no view.
    #[error("camera: {0}")]
    Camera(&'static str),
    /// The lists of an item are inconsistent.
    #[error("item {item} of the scene: {problem}")]
    Item {
        /// Index in the scene.
        item: usize,
        /// The inconsistency.
        problem: String,
    },
    /// An image of a material has the wrong number of pixels.
    #[error("material {material}: its {image} image of {width} x {height} has {pixels} pixels")]
    Image {
        /// Name of the material.
        material: String,
        /// Kind of the image.
        image: &'static str,
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Actual number of pixels.
        pixels: usize,
    },
    /// The number of frames of an animation differs from the announced number.
    #[error("an animation of {expected} frames was given {given}")]
    Frames {
        /// Announced number.
        expected: u32,
        /// Actual number.
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
