//! The z-buffer of one tile.

use super::triangle::ScreenTriangle;
use crate::noise::{ordered, unit};
use crate::texture::Holes;

/// No triangle.
pub(crate) const NOTHING: u32 = u32::MAX;

/// A window of the raster with the nearest triangle of each sample.
pub(crate) struct Tile<'a> {
    /// Its left column on the raster; the apron of the first tile is at -1.
    pub x: i32,
    /// Its upper row.
    pub y: i32,
    pub width: usize,
    /// [`crate::camera::Corner::key`] of the nearest surface.
    pub keys: &'a mut [f32],
    /// Its triangle in the scene; empty if not required.
    pub ids: &'a mut [u32],
}

impl Tile<'_> {
    /// Tolerance of the edge tests, relative to a triangle: closes gaps between neighbours due to
    /// rounding.
    const SLACK: f32 = -1e-5;

    pub fn fill(&mut self, triangle: &ScreenTriangle, holes: Option<&Holes>, id: u32) {
        let [a, b, c] = triangle.corners.map(|mut c| {
            c.x -= self.x as f32 + 0.5;
            c.y -= self.y as f32 + 0.5;
            c
        });
        let rows = self.keys.len() / self.width;
        let range =
            |lo: f32, hi: f32, n: usize| (ceil(lo.max(0.0)), if hi < 0.0 { 0 } else { (hi as usize + 1).min(n) });
        let (x0, x1) = range(a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x), self.width);
        let (y0, y1) = range(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y), rows);
        let scale = -1.0 / triangle.area;
        // Weights of b and c grow linearly along x and y.
        let (bx, by) = ((c.y - a.y) * scale, -(c.x - a.x) * scale);
        let (cx, cy) = (-(b.y - a.y) * scale, (b.x - a.x) * scale);
        let level = holes.map_or(0, |holes| holes.level(share_of_image(triangle)));
        // Leaves behind each other must not have their gaps in the same samples.
        let turn = unit(id);
        for y in y0..y1 {
            let dy = y as f32 - a.y;
            let row = y * self.width;
            // The interval of the row in which all three weights are positive.
            let (wb0, wc0) = (dy * by - a.x * bx, dy * cy - a.x * cx);
            let (mut from, mut to) = (x0 as f32, x1 as f32 - 1.0);
            for (start, slope) in [(wb0, bx), (wc0, cx), (1.0 - wb0 - wc0, -bx - cx)] {
                let end = (Self::SLACK - start) / slope;
                if slope > 0.0 {
                    from = from.max(end);
                } else if slope < 0.0 {
                    to = to.min(end);
                } else if start < Self::SLACK {
                    to = -1.0;
                }
            }
            if from > to {
                continue;
            }
            for x in ceil(from)..=to as usize {
                let (wb, wc) = (wb0 + x as f32 * bx, wc0 + x as f32 * cx);
                let wa = 1.0 - wb - wc;
                let key = wa * a.key + wb * b.key + wc * c.key;
                if key <= self.keys[row + x] {
                    continue;
                }
                if triangle.cover < 1.0 && triangle.cover <= self.threshold(x, y) {
                    continue;
                }
                if let Some(holes) = holes {
                    let uv = (a.uv * wa + b.uv * wb + c.uv * wc) / (a.w * wa + b.w * wb + c.w * wc);
                    let threshold = self.threshold(x, y) + turn;
                    if !holes.is_solid(uv, level, if threshold < 1.0 { threshold } else { threshold - 1.0 }) {
                        continue;
                    }
                }
                self.keys[row + x] = key;
                if !self.ids.is_empty() {
                    self.ids[row + x] = id;
                }
            }
        }
    }

    fn threshold(&self, x: usize, y: usize) -> f32 {
        ordered((self.x + x as i32) as u32, (self.y + y as i32) as u32)
    }
}

/// The smallest whole number not below a positive one.
fn ceil(x: f32) -> usize {
    let t = x as usize;
    t + usize::from(x > t as f32)
}

/// Fraction of an image's area covered by one raster sample.
fn share_of_image(triangle: &ScreenTriangle) -> f32 {
    let [a, b, c] = triangle.corners.map(|c| c.uv / c.w);
    ((b - a).perp_dot(c - a) / triangle.area).abs()
}
