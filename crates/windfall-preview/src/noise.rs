//! Repeatable irregularity.

use glam::Vec2;

/// Scrambles a number (`lowbias32` of Chris Wellons' hash prospector).
pub(crate) fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// A number in 0 to 1 that a number stands for.
pub(crate) fn unit(x: u32) -> f32 {
    (hash(x) >> 8) as f32 / (1 << 24) as f32
}

/// The 4 x 4 ordered dither of Bayer in 0 to 1: each aligned block of 2 x 2 has one number of every quarter, so that a
/// pixel of 2 x 2 samples gets its share of coverage almost exactly.
pub(crate) fn ordered(x: u32, y: u32) -> f32 {
    const BAYER: [u8; 16] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
    (f32::from(BAYER[((y & 3) * 4 + (x & 3)) as usize]) + 0.5) / 16.0
}

/// Smooth noise in 0 to 1 with a grain of about 1.
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

/// The largest whole number not above `x`, which must lie within the range of i32. The x86-64 that we compile for has no
/// instruction for it, and the library's takes longer than all that is done with its result.
pub(crate) fn floor(x: f32) -> f32 {
    let t = (x as i32) as f32;
    if t > x { t - 1.0 } else { t }
}
