//! Height fields: normals and hollows.

use rayon::prelude::*;

use super::color::byte;
use crate::material::Image;

/// Heights of an image, in pixel widths, rows from the top.
pub(super) struct Relief {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) values: Vec<f32>,
    /// Whether the image is periodic.
    pub(super) wraps: bool,
}

impl Relief {
    fn at(&self, x: isize, y: isize) -> f32 {
        let (w, h) = (self.width as isize, self.height as isize);
        // At most one period away.
        let bring = |i: isize, n: isize| match i {
            i if (0..n).contains(&i) => i,
            i if !self.wraps => i.clamp(0, n - 1),
            i if i < 0 => i + n,
            i => i - n,
        };
        let (x, y) = (bring(x, w), bring(y, h));
        self.values[(y * w + x) as usize]
    }

    /// The tangent-space normals, y up in the image. `aspect` is the height of a pixel over its width.
    pub(super) fn normals(&self, aspect: f32) -> Image {
        let mut pixels = vec![[0; 4]; self.values.len()];
        pixels.par_chunks_mut(self.width).enumerate().for_each(|(y, row)| {
            for (x, pixel) in row.iter_mut().enumerate() {
                let (x, y) = (x as isize, y as isize);
                let dx = 0.5 * (self.at(x + 1, y) - self.at(x - 1, y));
                let up = 0.5 * (self.at(x, y - 1) - self.at(x, y + 1)) / aspect;
                let length = (dx * dx + up * up + 1.0).sqrt();
                let encode = |c: f32| byte(0.5 + 0.5 * c / length);
                *pixel = [encode(-dx), encode(-up), encode(1.0), 255];
            }
        });
        Image { width: self.width as u32, height: self.height as u32, pixels }
    }

    /// Height of a point above (or, negative, below) its surroundings at a distance of `reach` pixels.
    pub(super) fn standing_out(&self, x: usize, y: usize, reach: isize) -> f32 {
        let (x, y) = (x as isize, y as isize);
        let ring = [(1, 0), (-1, 0), (0, 1), (0, -1)].map(|(i, j)| self.at(x + i * reach, y + j * reach));
        self.at(x, y) - 0.25 * ring.iter().sum::<f32>()
    }
}

/// An image of roughness in the packing of glTF.
pub(super) fn roughness_image(width: usize, height: usize, values: impl Iterator<Item = f32>) -> Image {
    let pixels = values.map(|r| [255, byte(r), 0, 255]).collect();
    Image { width: width as u32, height: height as u32, pixels }
}
