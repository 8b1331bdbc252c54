//! Animated GIF.

use std::io::Write;

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::palette::{MOST_COLORS, Palette};
use super::{Animation, Borrowed, check_rate, check_same_size};
use crate::error::PreviewError;
use crate::noise::ordered;
use crate::options::check_size;
use crate::picture::Picture;

/// Palette index of transparent pixels: unchanged or empty.
const CLEAR: u8 = MOST_COLORS as u8;
/// A palette is reused until its mean error (of 255) exceeds that of its original picture by this much.
const PATIENCE: f32 = 1.5;
/// Strength of the dither, of 255: about half the step between two colours of a palette.
const DITHER: f32 = 7.0;

/// Writes a looping animated GIF. A palette is reused as long as its error is small, and dithering uses a
/// fixed pattern, so that static areas do not flicker and cost no bytes. Pixels less than half opaque are
/// transparent.
pub struct GifWriter<'a> {
    encoder: Encoder<Borrowed<'a>>,
    width: u32,
    height: u32,
    frames_per_second: f64,
    frames: u32,
    palette: Option<(Palette, f32)>,
    /// Current content of the screen.
    shown: Vec<[u8; 3]>,
}

impl<'a> GifWriter<'a> {
    /// An animation with pictures of this size at `frames_per_second`. The format stores hundredths of
    /// seconds; rounding errors of delays do not accumulate.
    pub fn new(out: &'a mut dyn Write, width: u32, height: u32, frames_per_second: f64) -> Result<Self, PreviewError> {
        check_size(width, height)?;
        check_rate(frames_per_second)?;
        let mut encoder = Encoder::new(Borrowed(out), width as u16, height as u16, &[])?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Self { encoder, width, height, frames_per_second, frames: 0, palette: None, shown: Vec::new() })
    }

    fn palette_for(&mut self, picture: &Picture) -> &Palette {
        let serves = self.palette.as_ref().is_some_and(|(p, error)| p.error(picture) <= error + PATIENCE);
        if !serves {
            let palette = Palette::new(picture);
            let error = palette.error(picture);
            self.palette = Some((palette, error));
        }
        let (palette, _) = self.palette.as_ref().expect("just made");
        palette
    }

    /// Delay of this frame in hundredths of a second.
    fn delay(&self) -> u16 {
        let end = |n: u32| (f64::from(n) * 100.0 / self.frames_per_second).round();
        (end(self.frames + 1) - end(self.frames)).clamp(1.0, 65535.0) as u16
    }
}

impl Animation for GifWriter<'_> {
    fn add(&mut self, picture: &Picture) -> Result<(), PreviewError> {
        check_same_size(picture, self.width, self.height)?;
        let opaque = picture.is_opaque();
        let width = self.width;
        let palette = self.palette_for(picture);
        let mut indices: Vec<u8> = Vec::with_capacity(picture.pixels.len());
        for (i, p) in picture.pixels.iter().enumerate() {
            let (x, y) = (i as u32 % width, i as u32 / width);
            let shift = (ordered(x, y) - 0.5) * DITHER;
            let color = [p[0], p[1], p[2]].map(|v| f32::from(v) + shift);
            indices.push(if p[3] < 128 { CLEAR } else { palette.index(color) });
        }
        let colors = palette.colors.clone();
        // Unchanged pixels are omitted, but only if no pixel was ever transparent: a transparent pixel
        // must clear the previous one.
        if opaque {
            let now: Vec<[u8; 3]> = indices.iter().map(|&i| colors[usize::from(i)]).collect();
            if self.shown.len() == now.len() {
                for ((index, old), new) in indices.iter_mut().zip(&self.shown).zip(&now) {
                    if old == new {
                        *index = CLEAR;
                    }
                }
            }
            self.shown = now;
        } else {
            self.shown.clear();
        }
        let mut table = colors.into_flattened();
        table.resize(256 * 3, 0);
        let frame = Frame {
            width: self.width as u16,
            height: self.height as u16,
            delay: self.delay(),
            dispose: if opaque { DisposalMethod::Keep } else { DisposalMethod::Background },
            transparent: Some(CLEAR),
            palette: Some(table),
            buffer: indices.into(),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame)?;
        self.frames += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), PreviewError> {
        if self.frames == 0 {
            return Err(PreviewError::Frames { expected: 1, given: 0 });
        }
        self.encoder.into_inner()?.flush()?;
        Ok(())
    }
}
