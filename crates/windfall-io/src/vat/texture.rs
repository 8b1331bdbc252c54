//! Conversion of offsets and normals to pixels, row by row.

use std::io::{self, Seek, Write};

use glam::Vec3;

use super::VatFormat;
use super::bake::Bake;
use super::layout::VatLayout;
use crate::exr::{self, Samples};

/// Writes the texture and records rounding errors.
pub(super) struct Texture<'a> {
    pub layout: VatLayout,
    pub format: VatFormat,
    pub bake: &'a mut Bake,
    /// The frame repeated in the row after the last.
    pub after_last: usize,
    /// Largest position error of a vertex, m.
    pub largest_error: f32,
    /// The largest angle between a normal and its stored value, radians.
    pub largest_turn: f32,
}

impl Texture<'_> {
    /// Writes the whole file.
    pub fn write(&mut self, out: impl Write + Seek) -> io::Result<()> {
        let size = [self.layout.width, self.layout.height];
        match self.format {
            VatFormat::Exr16 => exr::write::<3>(out, size, Samples::Half, |y, row| self.fill(y, row)),
            VatFormat::Exr32 => exr::write::<3>(out, size, Samples::Float, |y, row| self.fill(y, row)),
            VatFormat::Png16 => self.write_png(out),
        }
    }

    fn write_png(&mut self, out: impl Write) -> io::Result<()> {
        let VatLayout { width, height, .. } = self.layout;
        let mut encoder = png::Encoder::new(out, width as u32, height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Sixteen);
        encoder.set_deflate_compression(png::DeflateCompression::Level(3));
        // The frame above is the best prediction.
        encoder.set_filter(png::Filter::Up);
        let mut file = encoder.write_header()?;
        let mut pixels = file.stream_writer()?;
        let mut row = vec![[0.0; 3]; width];
        let mut bytes = Vec::with_capacity(6 * width);
        for y in 0..height {
            self.fill(y, &mut row)?;
            bytes.clear();
            bytes.extend(row.iter().flatten().flat_map(|&c| ((c * 65535.0).round() as u16).to_be_bytes()));
            pixels.write_all(&bytes)?;
        }
        pixels.finish()?;
        file.finish()?;
        Ok(())
    }

    /// One row, counted from the top, with values already rounded as in the file.
    fn fill(&mut self, y: usize, pixels: &mut [[f32; 3]]) -> io::Result<()> {
        pixels.fill([0.0; 3]);
        let Some(row) = self.layout.row(y) else { return Ok(()) };
        let frame = if row.frame == self.layout.frames { self.after_last } else { row.frame };
        let format = self.format;
        let round = |v: Vec3| Vec3::from(v.to_array().map(|c| format.round(c)));
        if row.normals {
            let normals = self.bake.normals.read(frame, row.first, row.count)?;
            for (pixel, normal) in pixels.iter_mut().zip(normals) {
                let left = round(normal * 0.5 + 0.5);
                let seen = (left * 2.0 - 1.0).normalize_or_zero();
                // The chord approximates the angle, without the cancellation of an arc cosine near one.
                self.largest_turn = self.largest_turn.max(seen.distance(normal));
                *pixel = left.to_array();
            }
            return Ok(());
        }
        let (min, range) = (self.bake.min, self.bake.max - self.bake.min);
        // Without motion along an axis any scale is valid.
        let scale = Vec3::select(range.cmpgt(Vec3::ZERO), range, Vec3::ONE);
        let offsets = self.bake.offsets.read(frame, row.first, row.count)?;
        for (pixel, offset) in pixels.iter_mut().zip(offsets) {
            let left = round(((offset - min) / scale).clamp(Vec3::ZERO, Vec3::ONE));
            self.largest_error = self.largest_error.max((min + left * range).distance(offset));
            *pixel = left.to_array();
        }
        Ok(())
    }
}

impl VatFormat {
    /// A number from 0 to 1 rounded as in the file.
    fn round(self, number: f32) -> f32 {
        match self {
            Self::Exr16 => exr::half(number),
            Self::Exr32 => number,
            Self::Png16 => (number * 65535.0).round() / 65535.0,
        }
    }
}
