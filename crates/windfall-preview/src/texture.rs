//! Textures: mip chains, sampling, and alpha tests that preserve coverage at any distance.

use std::sync::LazyLock;

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use windfall_skin::Image;

use crate::noise::floor;
use crate::tone::srgb_to_linear;

/// Meaning of the numbers of an image, which determines how they are averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// sRGB colour.
    Color,
    /// Plain numbers.
    Numbers,
    /// Directions as 0.5 + 0.5 n.
    Normals,
}

static SRGB: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|i| srgb_to_linear(i as f32 / 255.0)));
static PLAIN: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|i| i as f32 / 255.0));

/// A mip chain: an image, its half, its quarter, and so on down to a single pixel.
#[derive(Debug, Clone)]
pub(crate) struct Mips {
    levels: Vec<Level<[u8; 4]>>,
    content: Content,
}

#[derive(Debug, Clone)]
struct Level<T> {
    width: usize,
    height: usize,
    texels: Vec<T>,
}

impl<T: Copy + Send + Sync> Level<T> {
    /// Half as wide and high; `mean` averages the merged texels.
    fn halved(&self, mean: impl Fn(&mut dyn Iterator<Item = T>) -> T + Sync) -> Option<Self> {
        if self.width == 1 && self.height == 1 {
            return None;
        }
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let mut texels = vec![self.texels[0]; width * height];
        texels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            let rows = y * self.height / height..((y + 1) * self.height).div_ceil(height);
            for (x, texel) in row.iter_mut().enumerate() {
                let columns = x * self.width / width..((x + 1) * self.width).div_ceil(width);
                let mut together =
                    rows.clone().flat_map(|j| columns.clone().map(move |i| self.texels[j * self.width + i]));
                *texel = mean(&mut together);
            }
        });
        Some(Self { width, height, texels })
    }

    fn nearest(&self, uv: Vec2) -> T {
        let place = |u: f32, n: usize| (((u - floor(u)) * n as f32) as usize).min(n - 1);
        self.texels[place(uv.y, self.height) * self.width + place(uv.x, self.width)]
    }

    /// The four texels around a position, and its fractional position between them. Images repeat.
    fn around(&self, uv: Vec2) -> ([T; 4], Vec2) {
        // Wrapped to 0 to 1, shifted by half a texel, and wrapped again at the edge.
        let place = |u: f32, n: usize| {
            let x = (u - floor(u)) * n as f32 - 0.5;
            let x = if x < 0.0 { x + n as f32 } else { x };
            let i = (x as i32).clamp(0, n as i32 - 1);
            (i as usize, x - i as f32)
        };
        let ((x0, fx), (y0, fy)) = (place(uv.x, self.width), place(uv.y, self.height));
        let (x1, y1) = (if x0 + 1 == self.width { 0 } else { x0 + 1 }, if y0 + 1 == self.height { 0 } else { y0 + 1 });
        let at = |x: usize, y: usize| self.texels[y * self.width + x];
        ([at(x0, y0), at(x1, y0), at(x0, y1), at(x1, y1)], Vec2::new(fx, fy))
    }
}

impl Mips {
    /// Averages weighted by alpha for images with holes, so that the colour of holes never appears.
    pub fn new(image: &Image, content: Content, holes: bool) -> Self {
        let (width, height) = (image.width as usize, image.height as usize);
        let mut levels = vec![Level { width, height, texels: image.pixels.clone() }];
        let table = decoding(content);
        let mean = |texels: &mut dyn Iterator<Item = [u8; 4]>| {
            let (mut sum, mut weight, mut alpha, mut n) = (Vec3::ZERO, 0.0, 0.0, 0.0);
            for t in texels {
                let a = f32::from(t[3]) / 255.0;
                let w = if holes { a + 1e-3 } else { 1.0 };
                sum += decode(table, t) * w;
                weight += w;
                alpha += a;
                n += 1.0;
            }
            encode(content, sum / weight, alpha / n)
        };
        while let Some(half) = levels[levels.len() - 1].halved(mean) {
            levels.push(half);
        }
        Self { levels, content }
    }

    /// Colour (linear), numbers, or a direction that may be shorter than one; `footprint` is the size of a
    /// pixel relative to the side of the image.
    pub fn sample(&self, uv: Vec2, footprint: f32) -> Vec3 {
        let table = decoding(self.content);
        let base = &self.levels[0];
        let texels = footprint * ((base.width * base.height) as f32).sqrt();
        let lod = texels.max(1.0).log2().min((self.levels.len() - 1) as f32);
        let (low, t) = (lod as usize, lod.fract());
        let bilinear = |level: &Level<[u8; 4]>| {
            let (q, f) = level.around(uv);
            let [a, b, c, d] = q.map(|t| decode(table, t));
            a.lerp(b, f.x).lerp(c.lerp(d, f.x), f.y)
        };
        let sharp = bilinear(&self.levels[low]);
        let mixed = if t > 0.0 { sharp.lerp(bilinear(&self.levels[low + 1]), t) } else { sharp };
        if self.content == Content::Normals { mixed * 2.0 - 1.0 } else { mixed }
    }
}

impl Mips {
    /// As [`Self::sample`], from the single best-fitting level: for textures sampled many times per pixel.
    pub fn look(&self, uv: Vec2, footprint: f32) -> Vec3 {
        let table = decoding(self.content);
        let texels = footprint * self.levels[0].width as f32;
        // The whole part of the logarithm of 2 x^2, halved, is the logarithm of x rounded to the nearest
        // half up.
        let doubled = (2.0 * texels * texels).max(1.0) as u32;
        let level = &self.levels[(doubled.ilog2() as usize / 2).min(self.levels.len() - 1)];
        let (q, f) = level.around(uv);
        let [a, b, c, d] = q.map(|t| decode(table, t));
        a.lerp(b, f.x).lerp(c.lerp(d, f.x), f.y)
    }
}

fn decoding(content: Content) -> &'static [f32; 256] {
    if content == Content::Color { &SRGB } else { &PLAIN }
}

fn decode(table: &[f32; 256], t: [u8; 4]) -> Vec3 {
    Vec3::new(table[usize::from(t[0])], table[usize::from(t[1])], table[usize::from(t[2])])
}

fn encode(content: Content, v: Vec3, alpha: f32) -> [u8; 4] {
    let v = match content {
        Content::Color => Vec3::from(v.to_array().map(crate::tone::linear_to_srgb)),
        Content::Numbers => v,
        Content::Normals => (v * 2.0 - 1.0).normalize_or(Vec3::Z) * 0.5 + 0.5,
    };
    let byte = |x: f32| (x * 255.0 + 0.5).clamp(0.0, 255.0) as u8;
    [byte(v.x), byte(v.y), byte(v.z), byte(alpha)]
}

/// Holes of a surface. At a distance the test against a cutoff would fill thin gaps or lose thin leaves
/// (Castano, Computing alpha mipmaps, 2010). Coarser levels therefore store the covered fraction of their
/// area, and a sample passes if that fraction exceeds its threshold; thresholds are evenly distributed
/// over 0 to 1, so the mean is kept exactly.
#[derive(Debug, Clone)]
pub(crate) struct Holes {
    /// Alpha first, then coverage.
    levels: Vec<Level<u8>>,
    cutoff: f32,
}

impl Holes {
    pub fn new(image: &Image, cutoff: f32) -> Self {
        let (width, height) = (image.width as usize, image.height as usize);
        let alpha = Level { width, height, texels: image.pixels.iter().map(|p| p[3]).collect() };
        let cover = |a: &u8| if f32::from(*a) >= cutoff * 255.0 { 1.0 } else { 0.0 };
        let mut shares = Level { width, height, texels: alpha.texels.iter().map(cover).collect::<Vec<f32>>() };
        let mut levels = vec![alpha];
        let mean = |texels: &mut dyn Iterator<Item = f32>| {
            let (sum, n) = texels.fold((0.0, 0.0), |(s, n), t| (s + t, n + 1.0));
            sum / n
        };
        while let Some(half) = shares.halved(mean) {
            let texels = half.texels.iter().map(|s| (s * 255.0 + 0.5) as u8).collect();
            levels.push(Level { width: half.width, height: half.height, texels });
            shares = half;
        }
        Self { levels, cutoff }
    }

    /// Covered fraction of the whole image.
    pub fn mean_cover(&self) -> f32 {
        match self.levels.as_slice() {
            [only] => f32::from(u8::from(f32::from(only.texels[0]) >= self.cutoff * 255.0)),
            [.., last] => f32::from(last.texels[0]) / 255.0,
            [] => 1.0,
        }
    }

    /// Level to test if a sample covers the fraction `share` of the image's area.
    pub fn level(&self, share: f32) -> usize {
        let texels = share * (self.levels[0].width * self.levels[0].height) as f32;
        let lod = 0.5 * texels.max(1.0).log2();
        ((lod + 0.5) as usize).min(self.levels.len() - 1)
    }

    /// Whether the surface is solid here; `threshold` is in 0 to 1.
    pub fn is_solid(&self, uv: Vec2, level: usize, threshold: f32) -> bool {
        if level > 0 {
            return f32::from(self.levels[level].nearest(uv)) >= 255.0 * threshold;
        }
        let (q, f) = self.levels[0].around(uv);
        let [a, b, c, d] = q.map(f32::from);
        let (top, bottom) = (a + (b - a) * f.x, c + (d - c) * f.x);
        top + (bottom - top) * f.y >= 255.0 * self.cutoff
    }
}
