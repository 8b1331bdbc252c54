//! Writing pictures and animations.

mod apng;
mod gif;
mod jpeg;
mod palette;
mod png;

use std::io::Write;

pub use self::apng::ApngWriter;
pub use self::gif::GifWriter;
pub use self::jpeg::jpeg;
pub use self::png::png;
use crate::error::PreviewError;
use crate::picture::Picture;

/// An animation file written frame by frame: memory does not grow with the number of frames.
pub trait Animation {
    /// Adds a picture; all must have the same size.
    fn add(&mut self, picture: &Picture) -> Result<(), PreviewError>;

    /// Completes the file.
    fn finish(self: Box<Self>) -> Result<(), PreviewError>;
}

/// Writes all frames of an animation; stops at the first error.
pub fn animate<E: From<PreviewError>>(
    mut animation: Box<dyn Animation + '_>,
    frames: impl IntoIterator<Item = Result<Picture, E>>,
) -> Result<(), E> {
    for frame in frames {
        animation.add(&frame?)?;
    }
    Ok(animation.finish()?)
}

/// Fails unless the picture has this size.
fn check_same_size(picture: &Picture, width: u32, height: u32) -> Result<(), PreviewError> {
    if (picture.width, picture.height) == (width, height) && picture.pixels.len() == width as usize * height as usize {
        return Ok(());
    }
    let rule = "all pictures of an animation must have the same size";
    Err(PreviewError::Size { width: picture.width, height: picture.height, rule })
}

/// Checks that formats with 16-bit delays can represent the rate.
fn check_rate(frames_per_second: f64) -> Result<(), PreviewError> {
    if (0.01..=1000.0).contains(&frames_per_second) {
        return Ok(());
    }
    let rule = "must lie between 0.01 and 1000";
    Err(PreviewError::Option { what: "the number of frames in a second", value: frames_per_second, rule })
}

/// The pixels without alpha.
fn write_rgb(pixels: &[[u8; 4]]) -> Vec<u8> {
    pixels.iter().flat_map(|p| [p[0], p[1], p[2]]).collect()
}

/// Lets an encoder own a borrowed writer.
struct Borrowed<'a>(&'a mut dyn Write);

impl Write for Borrowed<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}
