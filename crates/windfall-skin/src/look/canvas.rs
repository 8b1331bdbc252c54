//! One cell of a leaf texture being drawn: filled outlines, tapering lines, distances.

use glam::Vec2;

/// Width of the empty border around a blade, pixels.
pub(super) const MARGIN: usize = 2;

/// The pixels of a cell, and their positions in leaf units: the base of the blade is (0, 0), its tip (0,
/// 1).
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Width of the blade over its length.
    pub(super) aspect: f32,
}

impl Grid {
    pub(super) fn len(&self) -> usize {
        self.width * self.height
    }

    /// Size of a pixel in leaf units.
    pub(super) fn pixel(&self) -> Vec2 {
        let inner = Vec2::new((self.width - 2 * MARGIN) as f32, (self.height - 2 * MARGIN) as f32);
        Vec2::new(self.aspect, 1.0) / inner
    }

    /// Position of the centre of a pixel, leaf units.
    pub(super) fn place(&self, i: usize) -> Vec2 {
        let (x, y) = ((i % self.width) as f32 + 0.5, (i / self.width) as f32 + 0.5);
        let (middle, bottom) = (0.5 * self.width as f32, (self.height - MARGIN) as f32);
        Vec2::new(x - middle, bottom - y) * self.pixel()
    }

    /// Column and row (fractions of pixels) of a point in leaf units.
    pub(super) fn column_row(&self, p: Vec2) -> Vec2 {
        let q = p / self.pixel();
        Vec2::new(0.5 * self.width as f32 + q.x, (self.height - MARGIN) as f32 - q.y)
    }

    /// The pixel at a point in leaf units; none outside.
    pub(super) fn index(&self, p: Vec2) -> Option<usize> {
        let q = self.column_row(p).floor();
        let inside = q.x >= 0.0 && q.y >= 0.0 && q.x < self.width as f32 && q.y < self.height as f32;
        inside.then(|| q.y as usize * self.width + q.x as usize)
    }

    /// Coverage of each pixel by a polygon (even-odd rule), 0 to 1, by four scan lines a row.
    pub(super) fn fill(&self, polygon: &[Vec2]) -> Vec<f32> {
        const LINES: usize = 4;
        let points: Vec<Vec2> = polygon.iter().map(|&p| self.column_row(p)).collect();
        let mut cover = vec![0.0; self.len()];
        let mut crossings: Vec<f32> = Vec::new();
        for line in 0..self.height * LINES {
            let y = (line as f32 + 0.5) / LINES as f32;
            crossings.clear();
            for (i, a) in points.iter().enumerate() {
                let b = points[(i + 1) % points.len()];
                if (a.y <= y) != (b.y <= y) {
                    crossings.push(a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y));
                }
            }
            crossings.sort_by(f32::total_cmp);
            let row = &mut cover[line / LINES * self.width..][..self.width];
            for span in crossings.chunks_exact(2) {
                let (from, to) = (span[0].clamp(0.0, self.width as f32), span[1].clamp(0.0, self.width as f32));
                for (x, c) in row.iter_mut().enumerate().take(to.ceil() as usize).skip(from as usize) {
                    *c += ((to - x as f32).min(1.0) - (from - x as f32).max(0.0)) / LINES as f32;
                }
            }
        }
        cover
    }

    /// Calls `draw` for every pixel near a line that tapers from radius `ra` at `a` to `rb` at `b`, with
    /// the pixel, the position along the line (0 to 1), the signed position across it (-1 to 1 on its
    /// edges) and the coverage of the pixel.
    pub(super) fn line(&self, (a, b): (Vec2, Vec2), (ra, rb): (f32, f32), mut draw: impl FnMut(usize, f32, f32, f32)) {
        let pixel = self.pixel();
        let soft = 0.5 * (pixel.x + pixel.y);
        let pad = Vec2::splat(ra.max(rb) + soft);
        let (low, high) = (self.column_row(a.min(b) - pad), self.column_row(a.max(b) + pad));
        let columns = low.x.max(0.0) as usize..(high.x.ceil().max(0.0) as usize).min(self.width);
        let rows = high.y.max(0.0) as usize..(low.y.ceil().max(0.0) as usize).min(self.height);
        let along = b - a;
        let square = along.length_squared().max(1e-12);
        let side = along.perp() / square.sqrt();
        for row in rows {
            for column in columns.clone() {
                let i = row * self.width + column;
                let p = self.place(i) - a;
                let t = (p.dot(along) / square).clamp(0.0, 1.0);
                let radius = ra + (rb - ra) * t;
                let distance = (p - along * t).length();
                let cover = ((radius - distance) / soft + 0.5).clamp(0.0, 1.0);
                if cover > 0.0 {
                    draw(i, t, (p.dot(side) / radius.max(1e-9)).clamp(-1.0, 1.0), cover);
                }
            }
        }
    }

    /// The nearest chosen pixel to each pixel (itself if it is chosen), by two sweeps (Danielsson 1980);
    /// none if none is chosen.
    pub(super) fn nearest(&self, chosen: impl Fn(usize) -> bool) -> Option<Vec<u32>> {
        const NONE: u32 = u32::MAX;
        let (w, h) = (self.width as i32, self.height as i32);
        let mut near: Vec<u32> = (0..self.len()).map(|i| if chosen(i) { i as u32 } else { NONE }).collect();
        let distance = |x: i32, y: i32, n: u32| {
            let (dx, dy) = (x - n as i32 % w, y - n as i32 / w);
            dx * dx + dy * dy
        };
        let mut look = |x: i32, y: i32, steps: &[(i32, i32)]| {
            for &(i, j) in steps {
                let (nx, ny) = (x + i, y + j);
                if nx >= 0 && ny >= 0 && nx < w && ny < h {
                    let (other, own) = (near[(ny * w + nx) as usize], near[(y * w + x) as usize]);
                    if other != NONE && (own == NONE || distance(x, y, other) < distance(x, y, own)) {
                        near[(y * w + x) as usize] = other;
                    }
                }
            }
        };
        for y in 0..h {
            (0..w).for_each(|x| look(x, y, &[(-1, 0), (0, -1), (-1, -1), (1, -1)]));
            (0..w).rev().for_each(|x| look(x, y, &[(1, 0)]));
        }
        for y in (0..h).rev() {
            (0..w).rev().for_each(|x| look(x, y, &[(1, 0), (0, 1), (1, 1), (-1, 1)]));
            (0..w).for_each(|x| look(x, y, &[(-1, 0)]));
        }
        near.iter().all(|&n| n != NONE).then_some(near)
    }

    /// Distance of each pixel from the nearest chosen one, leaf units; far away if none is chosen.
    pub(super) fn distance(&self, chosen: impl Fn(usize) -> bool) -> Vec<f32> {
        self.nearest(chosen).map_or_else(
            || vec![1e3; self.len()],
            |near| near.iter().enumerate().map(|(i, &n)| self.place(i).distance(self.place(n as usize))).collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filled_triangle_has_its_area_and_distances_are_exact() {
        let grid = Grid { width: 104, height: 204, aspect: 0.5 };
        let cover = grid.fill(&[Vec2::new(-0.25, 0.0), Vec2::new(0.25, 0.0), Vec2::new(0.0, 1.0)]);
        let pixels: f32 = cover.iter().sum();
        assert!((pixels - 0.5 * 100.0 * 200.0).abs() < 60.0, "{pixels}");
        let middle = grid.index(Vec2::new(0.0, 0.5)).unwrap();
        let far = grid.distance(|i| i == middle);
        let corner = grid.index(Vec2::new(0.2, 0.2)).unwrap();
        assert!((far[corner] - grid.place(middle).distance(grid.place(corner))).abs() < 1e-4);
        assert!(grid.nearest(|_| false).is_none());
    }
}
