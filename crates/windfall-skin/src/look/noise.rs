//! Exactly periodic noise: lattices with integer numbers of cells, wrapped at the edge of the texture.
//!
//! Gradient noise after Perlin ("Improving Noise", 2002) and cellular noise after Worley (1996). Only
//! sums, products and square roots are used, so that a seed gives the same picture on every machine.

use glam::Vec2;

/// Hashes two coordinates and a seed to 32 bits (multiply and xor-shift rounds as in Wellons' hash
/// prospector).
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

/// Uniform in [0, 1) for an index in a sequence.
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

/// The largest integer not above `x`, in plain instructions, because `f32::floor` may be a call. |x|
/// stays below 2^31.
fn floor(x: f32) -> i32 {
    let whole = x as i32;
    whole - i32::from(x < whole as f32)
}

/// A position in cells, wrapped into the first period: integer part and fraction.
fn cell_of(x: f32, n: u32) -> (u32, f32) {
    let x = (x - floor(x) as f32) * n as f32;
    let whole = floor(x);
    // Just below the edge the product may round up to it.
    (if whole as u32 >= n { 0 } else { whole as u32 }, x - whole as f32)
}

/// Octaves of gradient noise over the unit square, each twice as fine and half as strong; about -1 to 1,
/// mean 0.
pub(crate) struct Noise {
    octaves: Vec<Octave>,
}

struct Octave {
    nx: u32,
    ny: u32,
    /// Slope at each lattice point, already multiplied by the strength of the octave.
    slopes: Vec<Vec2>,
    shift: Vec2,
}

impl Noise {
    /// Noise whose first octave has `nx` by `ny` cells.
    pub(crate) fn new(nx: u32, ny: u32, octaves: u32, seed: u32) -> Self {
        let strength = |octave: u32| 1.0 / (1_u32 << octave) as f32;
        let total: f32 = (0..octaves).map(|o| strength(o) * strength(o)).sum();
        let start = Vec2::new(random(0, 1, seed), random(0, 2, seed));
        let octave = |octave: u32| {
            let (nx, ny) = (nx << octave, ny << octave);
            let scale = 1.7 * strength(octave) / total.sqrt();
            let slope = |i: u32| {
                // Any vector within a square: smoother than a few fixed directions.
                let h = hash(i, octave, seed);
                Vec2::new(f32::from(h as i16), f32::from((h >> 16) as i16)) * (scale / 32_768.0)
            };
            // Lattices must not share lines: noise is zero at lattice points and steepest there.
            let shift = start + Vec2::new(0.377, 0.619) * octave as f32;
            Octave { nx, ny, slopes: (0..nx * ny).map(slope).collect(), shift }
        };
        Self { octaves: (0..octaves).map(octave).collect() }
    }

    pub(crate) fn at(&self, p: Vec2) -> f32 {
        self.octaves.iter().map(|octave| octave.at(p + octave.shift)).sum()
    }
}

impl Octave {
    fn at(&self, p: Vec2) -> f32 {
        let ((x0, dx), (y0, dy)) = (cell_of(p.x, self.nx), cell_of(p.y, self.ny));
        let (x1, y1) = (if x0 + 1 == self.nx { 0 } else { x0 + 1 }, if y0 + 1 == self.ny { 0 } else { y0 + 1 });
        let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
        let (sx, sy) = (fade(dx), fade(dy));
        let plane = |x: u32, y: u32, dx: f32, dy: f32| {
            let slope = self.slopes[(y * self.nx + x) as usize];
            slope.x * dx + slope.y * dy
        };
        let top = plane(x0, y0, dx, dy) * (1.0 - sx) + plane(x1, y0, dx - 1.0, dy) * sx;
        let bottom = plane(x0, y1, dx, dy - 1.0) * (1.0 - sx) + plane(x1, y1, dx - 1.0, dy - 1.0) * sx;
        top * (1.0 - sy) + bottom * sy
    }
}

/// Scattered points, one in each cell of a lattice that wraps.
pub(crate) struct Cells {
    pub(crate) nx: u32,
    pub(crate) ny: u32,
    /// Position of each point, in cells, relative to the corner of its cell.
    points: Vec<Vec2>,
}

/// Position relative to the cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    /// Index of the nearest point.
    pub(crate) id: u32,
    /// Vector from the nearest point, fractions of the texture.
    pub(crate) from_centre: Vec2,
    /// Distance to the border with the next cell, fractions of the texture.
    pub(crate) edge: f32,
}

impl Cells {
    /// `jitter` from 0 (a lattice) to 1 (anywhere in the cell); with `stagger` every other row is
    /// shifted by half a cell.
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

    /// The points of the nine cells around a position: their indices and their vectors from there, in
    /// cells.
    pub(crate) fn around(&self, p: Vec2) -> [(u32, Vec2); 9] {
        let ((x, fx), (y, fy)) = (cell_of(p.x, self.nx), cell_of(p.y, self.ny));
        let near = |i: u32, n: u32| [if i == 0 { n - 1 } else { i - 1 }, i, if i + 1 == n { 0 } else { i + 1 }];
        let (columns, rows) = (near(x, self.nx), near(y, self.ny));
        std::array::from_fn(|k| {
            let (i, j) = (k % 3, k / 3);
            let id = rows[j] * self.nx + columns[i];
            (id, self.points[id as usize] + Vec2::new(i as f32 - 1.0 - fx, j as f32 - 1.0 - fy))
        })
    }

    /// The cell at a position, and the distance to its border. Borders between cells above each other
    /// count as 1 / `cross` times as far.
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
                // Distance to the perpendicular bisector in cells, converted to fractions of the
                // texture: cells may be long, yet cracks are as wide along as across. Squared, so that
                // one root is enough.
                let cells = (0.5 * (to + d).dot(across)).max(0.0);
                let slope = across * count;
                let steep = slope.length_squared();
                let weight = steep + (cross.max(0.02) - 1.0) * slope.y * slope.y;
                edge = edge.min(cells * cells * steep / (weight * weight));
            }
        }
        Cell { id, from_centre: -to / count, edge: edge.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_repeats_and_is_centred() {
        let noise = Noise::new(7, 3, 4, 5);
        let (mut sum, mut square) = (0.0, 0.0);
        for i in 0..10_000_u32 {
            let p = Vec2::new(random(i, 0, 9), random(i, 1, 9));
            let a = noise.at(p);
            assert!((a - noise.at(p + Vec2::new(1.0, -2.0))).abs() < 1e-3);
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
