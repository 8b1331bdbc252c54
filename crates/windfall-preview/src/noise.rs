//! Deterministic noise.

use glam::Vec2;

/// Integer hash (`lowbias32` of Chris Wellons' hash prospector).
pub(crate) fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// Hash of a number, mapped to 0 to 1.
pub(crate) fn unit(x: u32) -> f32 {
    (hash(x) >> 8) as f32 / (1 << 24) as f32
}

/// A dither threshold in 0 to 1 for each raster position: the R2 sequence of Martin Roberts. Along any row
/// or column, and in any small block, thresholds are evenly distributed, so that the coverage of both a
/// pixel and a thin line is reproduced almost exactly.
pub(crate) fn ordered(x: u32, y: u32) -> f32 {
    // The fractions 0.754877666 and 0.569840291 as parts of 2^32.
    let sum = x.wrapping_mul(3_242_174_889).wrapping_add(y.wrapping_mul(2_447_445_414));
    (sum >> 8) as f32 / (1 << 24) as f32
}

/// Value noise in 0 to 1 with a grain size of about 1.
pub(crate) fn value(p: Vec2) -> f32 {
    let cell = Vec2::new(floor(p.x), floor(p.y));
    let t = p - cell;
    let t = t * t * (3.0 - 2.0 * t);
    let (x, y) = (cell.x as i32, cell.y as i32);
    let corner =
        |i: i32, j: i32| unit((x.wrapping_add(i) as u32).wrapping_mul(0x9e37_79b9) ^ hash(y.wrapping_add(j) as u32));
    let top = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * t.x;
    let bottom = corner(0, 1) + (corner(1, 1) - corner(0, 1)) * t.x;
    top + (bottom - top) * t.y
}

/// 0 below `a`, 1 above `b`, smooth between.
pub(crate) fn smoothstep(a: f32, b: f32, x: f32) -> f32 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The largest whole number not above `x`, which must lie within the range of i32. The x86-64 baseline has
/// no instruction for it, and the library function takes longer than all computations with its result.
pub(crate) fn floor(x: f32) -> f32 {
    let t = (x as i32) as f32;
    if t > x { t - 1.0 } else { t }
}
