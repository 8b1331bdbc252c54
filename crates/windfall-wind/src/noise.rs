//! Gradient noise in four dimensions, three values at once.
//!
//! K. Perlin, Improving Noise (SIGGRAPH 2002), with two changes for vector units, where table lookups are
//! slow: gradients are the 16 corners (±1, ±1, ±1, ±1) instead of 32 edges, so that a dot product is four
//! sign flips; and they come from an integer hash (after C. Wellons' lowbias32) instead of a permutation
//! table. One hash yields the gradients of three independent noises.
//!
//! ```text
//! n(x) = sum over the 16 corners c of the cell   w(d_x) w(d_y) w(d_z) w(d_t) g_c . d,    d = x - c
//! w(d) = 1 - (6 |d|^5 - 15 |d|^4 + 10 |d|^3)
//! ```
//!
//! Over all positions its mean is 0 and its variance 64 `I_2` `I_0³` = 0.1143, where `I_m` is the integral
//! of w² d^m over a cell: `I_0` = 181/462, `I_2` = 535/18018.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use fearless_simd::{f32x8, prelude::*, u32x8};

/// Standard deviation of each value: the root of 64 (535/18018) (181/462)³.
pub(crate) const DEVIATION: f64 = 0.338_040_305_623_499;

const STRIDES: [u32; 4] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f];

/// The two lattice hyperplanes that enclose a moment.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    /// Initial hash of the corners before and after the moment.
    before: u32,
    after: u32,
    /// Position between them, 0 to 1.
    share: f64,
}

impl Moment {
    /// `time` is in cells. The noise repeats after `cells` cells if given, otherwise after 2^32.
    pub(crate) fn new(time: f64, cells: Option<i64>, seed: u32) -> Self {
        let whole = time.floor();
        let index = |i: i64| cells.map_or(i, |cells| i.rem_euclid(cells)) as u32;
        let plane = |i: i64| seed.wrapping_add(index(i).wrapping_mul(STRIDES[3]));
        // The cast saturates at the limits of i64; the clamp keeps i + 1 within them.
        let i = (whole as i64).clamp(i64::MIN + 1, i64::MAX - 1);
        Self { before: plane(i), after: plane(i + 1), share: time - whole }
    }
}

/// Mixes the sum of strides into the top 12 bits, the only bits used: one round of lowbias32. Over
/// lattices of 24^4 corners no bit, pair of neighbours' bits or square of four deviates more than chance
/// allows.
fn mix(h: u32) -> u32 {
    (h ^ h >> 15).wrapping_mul(0x846c_a68b)
}

/// Three noises at a point (in cells) and a moment: the scalar reference form.
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

/// The noise of one lattice cell at one moment, for many points.
///
/// Time is eliminated first: the contribution of a corner is `w(d_x) w(d_y) w(d_z) (rest + slope . d)`,
/// where `slope` and `rest` are sums over the corner before and after the moment. With d relative to the
/// lowest corner of the cell this is a linear function l of the position in the cell, with four
/// coefficients for each of the three noises. With f, the weights of the upper ends, the sum over eight
/// corners is
///
/// ```text
/// n = l_0 + f_x l_1 + f_y (l_2 + f_x l_3) + f_z (l_4 + f_x l_5 + f_y (l_6 + f_x l_7))
/// ```
///
/// where `l_0` belongs to the lowest corner and the others are differences between corners.
pub(crate) struct CellNoise {
    /// For three noises: slopes along x, y and z and the constant term of the eight functions.
    lines: [[[f32; 8]; 4]; 3],
}

/// 1 for corners at the upper end of x, y and z; x varies fastest.
const FAR: [[f32; 8]; 3] = [
    [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
    [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0],
    [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
];

impl CellNoise {
    /// For the cell with this lowest corner.
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
        let mut corners = [[f32x8::splat(simd, 0.0); 4]; 3];
        for (plane, dt, weight) in [(moment.before, share, 1.0 - far_share), (moment.after, share - 1.0, far_share)] {
            let bits = mix_lanes(hash + plane);
            for (value, corners) in corners.iter_mut().enumerate() {
                for (axis, number) in corners.iter_mut().enumerate() {
                    let size = if axis < 3 { weight } else { weight * dt };
                    let sign = (bits << (4 * value + axis) as u32) & 0x8000_0000;
                    *number += (sign ^ size.to_bits()).bitcast::<f32x8<S>>();
                }
            }
        }
        let mut lines = [[[0.0; 8]; 4]; 3];
        for (lines, [x, y, z, rest]) in lines.iter_mut().zip(corners) {
            let far_x = f32x8::load_array(simd, FAR[0]);
            let far_y = f32x8::load_array(simd, FAR[1]);
            let far_z = f32x8::load_array(simd, FAR[2]);
            let rest = rest - (far_x * x + far_y * y + far_z * z);
            x.store_slice(&mut lines[0]);
            y.store_slice(&mut lines[1]);
            z.store_slice(&mut lines[2]);
            rest.store_slice(&mut lines[3]);
            for line in lines {
                differences(line);
            }
        }
        Self { lines }
    }

    /// Writes the noises at positions from 0 to 1 in the cell. All slices have the same length, a multiple
    /// of eight.
    ///
    /// One quarter of one noise at a time, for all positions: the eight coefficients of a quarter fit in
    /// registers.
    #[inline(always)]
    pub(crate) fn write<S: Simd>(&self, simd: S, places: [&[f32]; 3], fades: Fades<&[f32]>, values: [&mut [f32]; 3]) {
        let [x, y, z] = places.map(|p| p.as_chunks::<8>().0);
        let count = x.len();
        let (y, z, fx) = (&y[..count], &z[..count], &fades.x.as_chunks::<8>().0[..count]);
        for (lines, values) in self.lines.iter().zip(values) {
            let values = &mut values.as_chunks_mut::<8>().0[..count];
            for (quarter, weights) in [fades.x, fades.y, fades.z, fades.yz].into_iter().enumerate() {
                let weights = &weights.as_chunks::<8>().0[..count];
                let near = Linear::new(simd, lines, 2 * quarter);
                let more = Linear::new(simd, lines, 2 * quarter + 1);
                for i in 0..count {
                    let x = f32x8::load_array(simd, x[i]);
                    let y = f32x8::load_array(simd, y[i]);
                    let z = f32x8::load_array(simd, z[i]);
                    let part = f32x8::load_array(simd, fx[i]).mul_add(more.at(x, y, z), near.at(x, y, z));
                    let value = if quarter == 0 {
                        part
                    } else {
                        f32x8::load_array(simd, weights[i]).mul_add(part, f32x8::load_array(simd, values[i]))
                    };
                    value.store_slice(&mut values[i]);
                }
            }
        }
    }
}

/// The weights of the upper ends at every position: along x, y and z, and the product of the last two.
#[derive(Clone, Copy)]
pub(crate) struct Fades<T> {
    pub(crate) x: T,
    pub(crate) y: T,
    pub(crate) z: T,
    pub(crate) yz: T,
}

/// Converts the values at eight corners to differences between neighbouring corners.
#[inline(always)]
fn differences(corners: &mut [f32; 8]) {
    let [a, b, c, d, e, f, g, h] = *corners;
    let (b, d, f, h) = (b - a, d - c, f - e, h - g);
    let (c, d, g, h) = (c - a, d - b, g - e, h - f);
    *corners = [a, b, c, d, e - a, f - b, g - c, h - d];
}

/// A linear function of the position.
struct Linear<S: Simd> {
    slopes: [f32x8<S>; 3],
    rest: f32x8<S>,
}

impl<S: Simd> Linear<S> {
    #[inline(always)]
    fn new(simd: S, [a, b, c, rest]: &[[f32; 8]; 4], i: usize) -> Self {
        let slopes = [f32x8::splat(simd, a[i]), f32x8::splat(simd, b[i]), f32x8::splat(simd, c[i])];
        Self { slopes, rest: f32x8::splat(simd, rest[i]) }
    }

    #[inline(always)]
    fn at(&self, x: f32x8<S>, y: f32x8<S>, z: f32x8<S>) -> f32x8<S> {
        x.mul_add(self.slopes[0], y.mul_add(self.slopes[1], z.mul_add(self.slopes[2], self.rest)))
    }
}

/// [`mix`] in lanes.
#[inline(always)]
fn mix_lanes<S: Simd>(h: u32x8<S>) -> u32x8<S> {
    (h ^ (h >> 15)) * 0x846c_a68b
}

/// The weight of the upper end of a cell at a position from 0 to 1.
#[inline(always)]
pub(crate) fn fade(d: f32) -> f32 {
    d * d * d * (10.0 + d * (6.0 * d - 15.0))
}
