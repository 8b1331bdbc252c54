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

use crate::flow::LANES;
use crate::lanes::split;

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
#[inline]
fn mix(h: u32) -> u32 {
    (h ^ h >> 15).wrapping_mul(0x846c_a68b)
}

/// Three noises at a point in cells and a moment: the readable form.
pub(crate) fn noise(point: [f64; 3], moment: &Moment) -> [f64; 3] {
    let fade = |d: f64| 1.0 - d * d * d * (10.0 + d * (6.0 * d - 15.0));
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
        let weight: f64 = d.iter().map(|d| fade(d.abs())).product();
        let bits = mix(hash);
        for (value, sum) in sums.iter_mut().enumerate() {
            let sign = |axis: usize| if bits << (4 * value + axis) & 0x8000_0000 == 0 { 1.0 } else { -1.0 };
            *sum += weight * (0..4).map(|axis| sign(axis) * d[axis]).sum::<f64>();
        }
    }
    sums
}

/// The same as [`noise`] at [`LANES`] points for vector units: every loop over lanes is straight.
#[inline]
pub(crate) fn fast_noise(place: [[f32; LANES]; 3], moment: &Moment) -> [[f32; LANES]; 3] {
    let fade = |d: f32| d * d * d * (10.0 + d * (6.0 * d - 15.0));
    let mut hashes = [0_u32; LANES];
    // Distances and weights of the near and the far corner along each axis.
    let mut d = [[[0.0_f32; LANES]; 2]; 3];
    let mut w = [[[0.0_f32; LANES]; 2]; 3];
    for axis in 0..3 {
        for l in 0..LANES {
            let (cell, rest) = split(place[axis][l]);
            hashes[l] = hashes[l].wrapping_add((cell as u32).wrapping_mul(STRIDES[axis]));
            let far = fade(rest);
            d[axis][0][l] = rest;
            d[axis][1][l] = rest - 1.0;
            w[axis][0][l] = 1.0 - far;
            w[axis][1][l] = far;
        }
    }
    let share = moment.share as f32;
    let far_share = fade(share);
    let planes = [(moment.before, share, 1.0 - far_share), (moment.after, share - 1.0, far_share)];
    let mut sums = [[0.0_f32; LANES]; 3];
    for corner in 0..8 {
        let [i, j, k] = [corner & 1, corner >> 1 & 1, corner >> 2];
        let stride = (i as u32 * STRIDES[0]).wrapping_add(j as u32 * STRIDES[1]).wrapping_add(k as u32 * STRIDES[2]);
        let (dx, dy, dz) = (&d[0][i], &d[1][j], &d[2][k]);
        let (wx, wy, wz) = (&w[0][i], &w[1][j], &w[2][k]);
        for (plane, dt, wt) in planes {
            let offset = stride.wrapping_add(plane);
            for l in 0..LANES {
                let bits = mix(hashes[l].wrapping_add(offset));
                let flip = |d: f32, at: u32| f32::from_bits(d.to_bits() ^ (bits << at & 0x8000_0000));
                let weight = wx[l] * wy[l] * (wz[l] * wt);
                let (x, y, z) = (dx[l], dy[l], dz[l]);
                sums[0][l] += weight * ((flip(x, 0) + flip(y, 1)) + (flip(z, 2) + flip(dt, 3)));
                sums[1][l] += weight * ((flip(x, 4) + flip(y, 5)) + (flip(z, 6) + flip(dt, 7)));
                sums[2][l] += weight * ((flip(x, 8) + flip(y, 9)) + (flip(z, 10) + flip(dt, 11)));
            }
        }
    }
    sums
}
