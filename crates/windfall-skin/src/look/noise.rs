//! Noise that repeats exactly: lattices of whole numbers of cells, wrapped at the edge of the texture.
//!
//! Gradient noise after Perlin ("Improving Noise", 2002) and cellular noise after Worley (1996). Only sums, products and
//! square roots are used, so that a seed gives the same picture on every machine.

use glam::{IVec2, Vec2};

/// Mixes two coordinates and a seed into 32 random bits (multiply and xor-shift rounds as in Wellons' hash prospector).
pub(crate) fn hash(x: u32, y: u32, seed: u32) -> u32 {
    let mut h =
        x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77).rotate_left(13) ^ seed.wrapping_mul(0xc2b2_ae3d);
    h = (h ^ (h >> 16)).wrapping_mul(0x7feb_352d);
    h = (h ^ (h >> 15)).wrapping_mul(0x846c_a68b);
    h ^ (h >> 16)
}

/// Uniform in [0, 1) from random bits.
pub(crate) fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}

/// Uniform in [0, 1) for a place in a sequence.
pub(crate) fn random(n: u32, channel: u32, seed: u32) -> f32 {
    unit(hash(n, channel, seed))
}

/// 32 bits of a 64-bit seed.
pub(crate) fn fold_seed(seed: u64) -> u32 {
    hash(seed as u32, (seed >> 32) as u32, 0x51ed)
}

/// 0 below `low`, 1 above `high`, smooth between.
pub(crate) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Gradient noise on `nx` by `ny` cells over the unit square, about -1 to 1, mean 0.
pub(crate) fn gradient(p: Vec2, nx: u32, ny: u32, seed: u32) -> f32 {
    let (x, y) = (p.x * nx as f32, p.y * ny as f32);
    let (fx, fy) = (x.floor(), y.floor());
    let (dx, dy) = (x - fx, y - fy);
    let (x0, y0) = (wrap(fx as i32, nx), wrap(fy as i32, ny));
    let (x1, y1) = (if x0 + 1 == nx { 0 } else { x0 + 1 }, if y0 + 1 == ny { 0 } else { y0 + 1 });
    let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let (sx, sy) = (fade(dx), fade(dy));
    let top = slope(x0, y0, seed, dx, dy) * (1.0 - sx) + slope(x1, y0, seed, dx - 1.0, dy) * sx;
    let bottom = slope(x0, y1, seed, dx, dy - 1.0) * (1.0 - sx) + slope(x1, y1, seed, dx - 1.0, dy - 1.0) * sx;
    (top * (1.0 - sy) + bottom * sy) * 1.4
}

/// Height of the tilted plane of one lattice point.
fn slope(x: u32, y: u32, seed: u32, dx: f32, dy: f32) -> f32 {
    let h = hash(x, y, seed);
    // Any direction within a square, made about a unit long: smoother than a few fixed directions.
    let (gx, gy) = ((h & 0xffff) as f32 / 32_768.0 - 1.0, (h >> 16) as f32 / 32_768.0 - 1.0);
    (gx * dx + gy * dy) * 1.2
}

/// Octaves of gradient noise, each twice as fine and half as strong; about -1 to 1.
pub(crate) fn fractal(p: Vec2, nx: u32, ny: u32, octaves: u32, seed: u32) -> f32 {
    let (mut sum, mut strength, mut total) = (0.0, 1.0, 0.0);
    let start = Vec2::new((seed & 0xff) as f32, (seed >> 8 & 0xff) as f32) / 256.0;
    for octave in 0..octaves {
        // Lattices must not share lines: noise is zero at their points and steepest there.
        let shift = Vec2::new(0.377, 0.619) * octave as f32 + start;
        sum += strength * gradient(p + shift, nx << octave, ny << octave, seed.wrapping_add(octave * 101));
        total += strength * strength;
        strength *= 0.5;
    }
    sum / total.sqrt()
}

fn wrap(i: i32, n: u32) -> u32 {
    i.rem_euclid(n as i32) as u32
}

/// Scattered points, one in each cell of a lattice that wraps.
pub(crate) struct Cells {
    pub(crate) nx: u32,
    pub(crate) ny: u32,
    /// Place of each point, in cells, relative to the corner of its cell.
    points: Vec<Vec2>,
}

/// Where a place stands among the cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    /// Number of the nearest point.
    pub(crate) id: u32,
    /// From the nearest point, fractions of the texture.
    pub(crate) from_centre: Vec2,
    /// Distance to the border with the next cell, fractions of the texture.
    pub(crate) edge: f32,
}

impl Cells {
    /// `jitter` from 0 (a lattice) to 1 (anywhere in the cell); with `stagger` every other row is shifted by half a cell.
    pub(crate) fn new(nx: u32, ny: u32, jitter: f32, stagger: bool, seed: u32) -> Self {
        let shifted = stagger && ny.is_multiple_of(2);
        let points = (0..nx * ny)
            .map(|i| {
                let (x, y) = (i % nx, i / nx);
                let shift = if shifted && y % 2 == 1 {
                    0.75
                } else if shifted {
                    0.25
                } else {
                    0.5
                };
                let h = hash(x, y, seed);
                let off = Vec2::new((h & 0xffff) as f32 / 65_536.0 - 0.5, (h >> 16) as f32 / 65_536.0 - 0.5);
                Vec2::new(shift, 0.5) + off * jitter
            })
            .collect();
        Self { nx, ny, points }
    }

    /// The points of the nine cells around a place: their numbers, and where they are from there, in cells.
    pub(crate) fn around(&self, p: Vec2) -> [(u32, Vec2); 9] {
        let x = Vec2::new(p.x * self.nx as f32, p.y * self.ny as f32);
        let corner = x.floor();
        let base = IVec2::new(corner.x as i32, corner.y as i32);
        std::array::from_fn(|k| {
            let (i, j) = (k as i32 % 3 - 1, k as i32 / 3 - 1);
            let id = wrap(base.y + j, self.ny) * self.nx + wrap(base.x + i, self.nx);
            (id, self.points[id as usize] + Vec2::new(i as f32, j as f32) + (corner - x))
        })
    }

    /// The cell that a place is in, and how far its border is. Borders between cells above each other count as 1 / `cross`
    /// times as far.
    pub(crate) fn at(&self, p: Vec2, cross: f32) -> Cell {
        let near = self.around(p);
        let (mut id, mut to) = near[0];
        for &(i, d) in &near[1..] {
            if d.length_squared() < to.length_squared() {
                (id, to) = (i, d);
            }
        }
        let count = Vec2::new(self.nx as f32, self.ny as f32);
        let mut edge = f32::MAX;
        for &(_, d) in &near {
            let across = d - to;
            let square = across.length_squared();
            if square > 1e-6 {
                // Distance to the perpendicular bisector in cells, turned into fractions of the texture: cells may be
                // long, yet cracks are as wide along as across.
                let cells = 0.5 * (to + d).dot(across);
                let slope = across * count;
                let level = slope.y * slope.y / slope.length_squared();
                edge = edge.min(cells / slope.length() / (1.0 + (cross.max(0.02) - 1.0) * level));
            }
        }
        Cell { id, from_centre: -to / count, edge }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_repeats_and_is_centred() {
        let (mut sum, mut square) = (0.0, 0.0);
        for i in 0..10_000_u32 {
            let p = Vec2::new(random(i, 0, 9), random(i, 1, 9));
            let a = fractal(p, 7, 3, 4, 5);
            assert!((a - fractal(p + Vec2::new(1.0, -2.0), 7, 3, 4, 5)).abs() < 1e-3);
            assert!(a.abs() < 2.5);
            sum += a / 10_000.0;
            square += a * a / 10_000.0;
        }
        assert!(sum.abs() < 0.05, "{sum}");
        assert!((0.05..0.5).contains(&square), "{square}");
    }

    #[test]
    fn borders_lie_half_way_between_points() {
        let cells = Cells::new(4, 4, 0.0, false, 1);
        // Points at the middles of squares with sides of a quarter.
        let cell = cells.at(Vec2::new(0.125 + 0.05, 0.125), 1.0);
        assert!((cell.edge - 0.075).abs() < 1e-5, "{cell:?}");
        assert!((cell.from_centre - Vec2::new(0.05, 0.0)).length() < 1e-5);
    }
}
