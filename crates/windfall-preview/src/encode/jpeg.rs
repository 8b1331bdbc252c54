//! JPEG.

use std::io::Write;

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use super::write_rgb;
use crate::error::PreviewError;
use crate::options::check_size;
use crate::picture::Picture;

/// Writes a JPEG; `quality` is 1 to 100. Alpha is discarded.
pub fn jpeg(picture: &Picture, quality: u8, out: &mut dyn Write) -> Result<(), PreviewError> {
    check_size(picture.width, picture.height)?;
    if !(1..=100).contains(&quality) {
        let rule = "must lie between 1 and 100";
        return Err(PreviewError::Option { what: "the quality of a JPEG", value: f64::from(quality), rule });
    }
    let mut encoder = Encoder::new(out, quality);
    // Chroma subsampling blurs the edges of leaves against the sky; it is used only at low quality.
    encoder.set_sampling_factor(if quality >= 80 { SamplingFactor::F_1_1 } else { SamplingFactor::F_2_2 });
    encoder.set_optimized_huffman_tables(true);
    encoder.encode(&write_rgb(&picture.pixels), picture.width as u16, picture.height as u16, ColorType::Rgb)?;
    Ok(())
}
