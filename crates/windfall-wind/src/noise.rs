//! Gradient noise in four dimensions, three values at once.
//!
//! K. Perlin, Improving Noise (SIGGRAPH 2002), with two changes for vector units, which hate tables: gradients are the 16
//! corners (±1, ±1, ±1, ±1) instead of 32 edges, so that a dot product is four sign flips; and they come from an integer
//! hash (C. Wellons' lowbias32) instead of a permutation table. One hash gives the gradients of three independent noises.
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

/// The low 20 bits are poor; only the top 12 are used.
#[inline]
fn mix(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x7feb_352d);
    h ^= h >> 15;
    h.wrapping_mul(0x846c_a68b)
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

/// The dot products of one corner: three sums of four signed distances.
#[inline]
fn corner(hash: u32, [dx, dy, dz, dt]: [f32; 4]) -> [f32; 3] {
    let bits = mix(hash);
    let flip = |d: f32, at: u32| f32::from_bits(d.to_bits() ^ (bits << at & 0x8000_0000));
    [
        (flip(dx, 0) + flip(dy, 1)) + (flip(dz, 2) + flip(dt, 3)),
        (flip(dx, 4) + flip(dy, 5)) + (flip(dz, 6) + flip(dt, 7)),
        (flip(dx, 8) + flip(dy, 9)) + (flip(dz, 10) + flip(dt, 11)),
    ]
}

#[inline]
fn mixed(a: [f32; 3], b: [f32; 3], share: f32) -> [f32; 3] {
    [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])]
}

#[inline]
fn fade(d: f32) -> f32 {
    d * d * d * (10.0 + d * (6.0 * d - 15.0))
}

/// The same as [`noise`] for vector units: straight through, without loops. The point is given by its cell and the place in it.
#[inline]
pub(crate) fn fast_noise(cell: [i32; 3], [x, y, z]: [f32; 3], moment: &Moment) -> [f32; 3] {
    let t = moment.share as f32;
    let (fx, fy, fz, ft) = (fade(x), fade(y), fade(z), fade(t));
    let [x0, y0, z0] =
        [(cell[0], STRIDES[0]), (cell[1], STRIDES[1]), (cell[2], STRIDES[2])].map(|(i, s)| (i as u32).wrapping_mul(s));
    let edge = |hash: u32, y: f32, z: f32, t: f32| {
        mixed(corner(hash, [x, y, z, t]), corner(hash.wrapping_add(STRIDES[0]), [x - 1.0, y, z, t]), fx)
    };
    let face =
        |hash: u32, z: f32, t: f32| mixed(edge(hash, y, z, t), edge(hash.wrapping_add(STRIDES[1]), y - 1.0, z, t), fy);
    let cube = |hash: u32, t: f32| mixed(face(hash, z, t), face(hash.wrapping_add(STRIDES[2]), z - 1.0, t), fz);
    let place = x0.wrapping_add(y0).wrapping_add(z0);
    mixed(cube(place.wrapping_add(moment.before), t), cube(place.wrapping_add(moment.after), t - 1.0), ft)
}
