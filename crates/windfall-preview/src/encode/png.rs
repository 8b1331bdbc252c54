//! PNG.

use std::io::Write;

use super::write_rgb;
use crate::error::PreviewError;
use crate::options::check_size;
use crate::picture::Picture;

/// Writes a PNG, with alpha if there is any.
pub fn png(picture: &Picture, out: &mut dyn Write) -> Result<(), PreviewError> {
    check_size(picture.width, picture.height)?;
    let opaque = picture.is_opaque();
    let mut encoder = png::Encoder::new(out, picture.width, picture.height);
    encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    if opaque {
        writer.write_image_data(&write_rgb(&picture.pixels))?;
    } else {
        writer.write_image_data(picture.pixels.as_flattened())?;
    }
    writer.finish()?;
    Ok(())
}
