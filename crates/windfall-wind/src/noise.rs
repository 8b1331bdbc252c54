//! Gradient noise in four dimensions, three values at once.
//!
//! K. Perlin, Improving Noise (SIGGRAPH 2002), with two changes for vector units, which hate tables: gradients are the 16
//! corners (±1, ±1, ±1, ±1) instead of 32 edges, so that a dot product is four sign flips; and they come from an integer
//! hash (after C. Wellons' lowbias32) instead of a permutation table. One hash gives the gradients of three independent noises.
//!
//! ```text
//! n(x) = sum over the 16 corners c of the cell   w(d_x) w(d_y) w(d_z) w(d_t) g_c . d,    d = x - c
//! w(d) = 1 - (6 |d|^5 - 15 |d|^4 + 10 |d|^3)
//! ```
//!
//! Over all places its mean is 0 and its variance 64 `I_2` `I_0³` = 0.1143, where `I_m` is the integral of w² d^m over a
//! cell: `I_0` = 181/462, `I_2` = 535/18018.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use fearless_simd::{f32x8, prelude::*, u32x8};

/// Standard deviation of each value: the root of 64 (535/18018) (181/462)³.
pub(crate) const DEVIATION: f64 = 0.338_040_305_623_499;

const STRIDES: [u32; 4] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f];

/// Two hyperplanes of the lattice between which a moment lies.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    /// What the hash of every corner begins with, before and after.
    before: u32,
    after: u32,
    /// From 0 to 1 between them.
    share: f64,
}

impl Moment {
    /// At `time` in cells. With `cells` the noise repeats after so many; otherwise after 2^32.
    pub(crate) fn new(time: f64, cells: Option<i64>, seed: u32) -> Self {
        let whole = time.floor();
        let index = |i: i64| cells.map_or(i, |cells| i.rem_euclid(cells)) as u32;
        let plane = |i: i64| seed.wrapping_add(index(i).wrapping_mul(STRIDES[3]));
        // A cast of a huge number stays within i64; one more must too.
        let i = (whole as i64).clamp(i64::MIN + 1, i64::MAX - 1);
        Self { before: plane(i), after: plane(i + 1), share: time - whole }
    }
}

/// Spreads the sum of strides over the top 12 bits, the only ones that are used: one round of lowbias32. Over lattices of 24^4
/// corners no bit, pair of bits of neighbours or square of four is more unequal than chance makes it.
fn mix(h: u32) -> u32 {
    (h ^ h >> 15).wrapping_mul(0x846c_a68b)
}

/// Three noises at a point in cells and a moment: the readable form.
pub(crate) fn noise(point: [f64; 3], moment: &Moment) -> [f64; 3] {
    let near = |d: f64| 1.0 - d * d * d * (10.0 + d * (6.0 * d - 15.0));
    let whole = point.map(f64::floor);
    let mut sums = [0.0; 3];
    for corner in 0..16_u32 {
        let far = [corner & 1, corner >> 1 & 1, corner >> 2 & 1, corner >> 3];
        let mut hash = if far[3] == 0 { moment.before } else { moment.after };
        let mut d = [0.0; 4];
        for axis in 0..3 {
            let i = (whole[axis] as i64 as u32).wrapping_add(far[axis]);
            hash = hash.wrapping_add(i.wrapping_mul(STRIDES[axis]));
            d[axis] = point[axis] - whole[axis] - f64::from(far[axis]);
        }
        d[3] = moment.share - f64::from(far[3]);
        let weight: f64 = d.iter().map(|d| near(d.abs())).product();
        let bits = mix(hash);
        for (value, sum) in sums.iter_mut().enumerate() {
            let sign = |axis: usize| if bits << (4 * value + axis) & 0x8000_0000 == 0 { 1.0 } else { -1.0 };
            *sum += weight * (0..4).map(|axis| sign(axis) * d[axis]).sum::<f64>();
        }
    }
    sums
}

/// The noise of one cell of the lattice at one moment, for many points in it.
///
/// Time is done with: what a corner adds is `w(d_x) w(d_y) w(d_z) (rest + slope . d)`, where `slope` and `rest` are sums over the corner before
/// and after the moment. With d counted from the lowest corner of the cell that is a linear function of the place in the cell for each
/// of three noises: four numbers.
pub(crate) struct CellNoise {
    /// For three noises: slopes along x, y and z and the rest, at eight corners (x goes fastest).
    lines: [[[f32; 8]; 4]; 3],
}

/// Which corners are at the higher end of x, y and z.
const FAR: [[f32; 8]; 3] = [
    [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
    [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0],
    [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
];

impl CellNoise {
    /// Of the cell whose lowest corner this is.
    #[inline(always)]
    pub(crate) fn new<S: Simd>(simd: S, cell: [i32; 3], moment: &Moment) -> Self {
        let mut hash = [0_u32; 8];
        for (c, hash) in hash.iter_mut().enumerate() {
            for axis in 0..3 {
                let i = (cell[axis] as u32).wrapping_add(c as u32 >> axis & 1);
                *hash = hash.wrapping_add(i.wrapping_mul(STRIDES[axis]));
            }
        }
        let hash: u32x8<S> = hash.simd_into(simd);
        let share = moment.share as f32;
        let far_share = fade(share);
        let mut lines = [[f32x8::splat(simd, 0.0); 4]; 3];
        for (plane, dt, weight) in [(moment.before, share, 1.0 - far_share), (moment.after, share - 1.0, far_share)] {
            let bits = mix_lanes(hash + plane);
            for (value, line) in lines.iter_mut().enumerate() {
                for (axis, number) in line.iter_mut().enumerate() {
                    let size = if axis < 3 { weight } else { weight * dt };
                    let sign = (bits << (4 * value + axis) as u32) & 0x8000_0000;
                    *number += (sign ^ size.to_bits()).bitcast::<f32x8<S>>();
                }
            }
        }
        let mut numbers = [[[0.0; 8]; 4]; 3];
        for (numbers, [x, y, z, rest]) in numbers.iter_mut().zip(lines) {
            let [far_x, far_y, far_z]: [f32x8<S>; 3] = FAR.map(|far| far.simd_into(simd));
            let rest = rest - (far_x * x + far_y * y + far_z * z);
            x.store_slice(&mut numbers[0]);
            y.store_slice(&mut numbers[1]);
            z.store_slice(&mut numbers[2]);
            rest.store_slice(&mut numbers[3]);
        }
        Self { lines: numbers }
    }

    /// The noises at places from 0 to 1 in the cell.
    #[inline(always)]
    pub(crate) fn at<S: Simd>(&self, simd: S, [x, y, z]: [f32x8<S>; 3]) -> [f32x8<S>; 3] {
        let one = f32x8::splat(simd, 1.0);
        let (fx, fy, fz) = (fade_lanes(x), fade_lanes(y), fade_lanes(z));
        let (wx, wy, wz) = ([one - fx, fx], [one - fy, fy], [one - fz, fz]);
        let mut sums = [f32x8::splat(simd, 0.0); 3];
        for c in 0..8 {
            let weight = wx[c & 1] * (wy[c >> 1 & 1] * wz[c >> 2]);
            for (sum, [a, b, c_z, rest]) in sums.iter_mut().zip(&self.lines) {
                let linear = z.mul_add(c_z[c], f32x8::splat(simd, rest[c]));
                let linear = x.mul_add(a[c], y.mul_add(b[c], linear));
                *sum = weight.mul_add(linear, *sum);
            }
        }
        sums
    }
}

/// [`mix`] in lanes.
#[inline(always)]
fn mix_lanes<S: Simd>(h: u32x8<S>) -> u32x8<S> {
    (h ^ (h >> 15)) * 0x846c_a68b
}

/// The weight of the far end of a cell, at a place from 0 to 1.
fn fade(d: f32) -> f32 {
    d * d * d * (10.0 + d * (6.0 * d - 15.0))
}

/// The same in lanes.
#[inline(always)]
fn fade_lanes<S: Simd>(d: f32x8<S>) -> f32x8<S> {
    d * d * d * (d * (d * 6.0 - 15.0) + 10.0)
}
