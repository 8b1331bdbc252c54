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
    /// The corners with the lower x, and what those with the higher x have more.
    pairs: [[Corner; 2]; 4],
}

/// Slopes along x, y and z and the rest, for three noises.
type Corner = [[f32; 4]; 3];

impl CellNoise {
    /// Of the cell whose lowest corner this is.
    pub(crate) fn new(cell: [i32; 3], moment: &Moment) -> Self {
        let pair = |j: u32, k: u32| {
            let near = corner(cell, [0, j, k], moment);
            let mut more = corner(cell, [1, j, k], moment);
            for (more, near) in more.as_flattened_mut().iter_mut().zip(near.as_flattened()) {
                *more -= near;
            }
            [near, more]
        };
        Self { pairs: [pair(0, 0), pair(1, 0), pair(0, 1), pair(1, 1)] }
    }

    /// Adds the noise at places from 0 to 1 in the cell, where `fades` are [`fade`] of these; all slices have the same length.
    #[inline]
    pub(crate) fn add(&self, places: [&[f32]; 3], fades: [&[f32]; 3], sums: [&mut [f32]; 3]) {
        let count = places[0].len();
        let [x, y, z] = places.map(|p| &p[..count]);
        let [fx, fy, fz] = fades.map(|f| &f[..count]);
        let [u, v, w] = sums.map(|s| &mut s[..count]);
        for (pair, [near, more]) in self.pairs.iter().enumerate() {
            // The weight along an axis is f or 1 - f.
            let side = |far: usize| if far == 0 { (1.0, -1.0) } else { (0.0, 1.0) };
            let ((ay, by), (az, bz)) = (side(pair & 1), side(pair >> 1));
            for i in 0..count {
                let weight = (ay + by * fy[i]) * (az + bz * fz[i]);
                let linear = |k: &[f32; 4]| (k[0] * x[i] + k[1] * y[i]) + (k[2] * z[i] + k[3]);
                u[i] += weight * (linear(&near[0]) + fx[i] * linear(&more[0]));
                v[i] += weight * (linear(&near[1]) + fx[i] * linear(&more[1]));
                w[i] += weight * (linear(&near[2]) + fx[i] * linear(&more[2]));
            }
        }
    }
}

/// What a corner of a cell adds, before the weights of the place.
fn corner(cell: [i32; 3], far: [u32; 3], moment: &Moment) -> Corner {
    let mut hash = 0_u32;
    for axis in 0..3 {
        hash = hash.wrapping_add((cell[axis] as u32).wrapping_add(far[axis]).wrapping_mul(STRIDES[axis]));
    }
    let share = moment.share as f32;
    let far_share = fade(share);
    let mut values = [[0.0_f32; 4]; 3];
    for (plane, dt, weight) in [(moment.before, share, 1.0 - far_share), (moment.after, share - 1.0, far_share)] {
        let bits = mix(hash.wrapping_add(plane));
        for (value, line) in values.iter_mut().enumerate() {
            let flip = |x: f32, axis: usize| f32::from_bits(x.to_bits() ^ (bits << (4 * value + axis) & 0x8000_0000));
            for (axis, slope) in line[..3].iter_mut().enumerate() {
                *slope += flip(weight, axis);
            }
            line[3] += weight * flip(dt, 3);
        }
    }
    for line in &mut values {
        for axis in 0..3 {
            line[3] -= far[axis] as f32 * line[axis];
        }
    }
    values
}

/// The weight of the far end of a cell, at a place from 0 to 1.
#[inline]
pub(crate) fn fade(d: f32) -> f32 {
    d * d * d * (10.0 + d * (6.0 * d - 15.0))
}
