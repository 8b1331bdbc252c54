//! Animated PNG.

use std::io::Write;

use super::{Animation, Borrowed, check_rate, check_same_size};
use crate::error::PreviewError;
use crate::options::check_size;
use crate::picture::Picture;

/// Writes an animated PNG: true colour, with alpha, looping. The format requires the number of frames in
/// its header.
pub struct ApngWriter<'a> {
    writer: png::Writer<Borrowed<'a>>,
    width: u32,
    height: u32,
    expected: u32,
    given: u32,
}

impl<'a> ApngWriter<'a> {
    /// An animation of `frames` pictures of this size at `frames_per_second`.
    pub fn new(
        out: &'a mut dyn Write,
        width: u32,
        height: u32,
        frames: u32,
        frames_per_second: f64,
    ) -> Result<Self, PreviewError> {
        check_size(width, height)?;
        check_rate(frames_per_second)?;
        if frames == 0 {
            return Err(PreviewError::Option { what: "the number of frames", value: 0.0, rule: "must be at least 1" });
        }
        let mut encoder = png::Encoder::new(Borrowed(out), width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_animated(frames, 0)?;
        // The frame delay as a fraction of two 16-bit numbers, at maximum precision.
        let (numerator, denominator) = if frames_per_second <= 65.0 {
            ((1000.0 / frames_per_second).round().min(65535.0) as u16, 1000)
        } else {
            ((50_000.0 / frames_per_second).round() as u16, 50_000)
        };
        encoder.set_frame_delay(numerator, denominator)?;
        Ok(Self { writer: encoder.write_header()?, width, height, expected: frames, given: 0 })
    }
}

impl Animation for ApngWriter<'_> {
    fn add(&mut self, picture: &Picture) -> Result<(), PreviewError> {
        check_same_size(picture, self.width, self.height)?;
        self.given += 1;
        if self.given > self.expected {
            return Err(PreviewError::Frames { expected: self.expected, given: self.given });
        }
        Ok(self.writer.write_image_data(picture.pixels.as_flattened())?)
    }

    fn finish(self: Box<Self>) -> Result<(), PreviewError> {
        if self.given != self.expected {
            return Err(PreviewError::Frames { expected: self.expected, given: self.given });
        }
        Ok(self.writer.finish()?)
    }
}
