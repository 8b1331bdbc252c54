//! Turbulence with the spectrum of the atmosphere: random Fourier modes, advected by the mean wind.
//!
//! ```text
//! v(x, t) = V + sum_m a_m e_m cos(k_m . (x - V t) + phi_m),    e_m . k_m = 0
//! ```
//!
//! R. H. Kraichnan (Diffusion by a random velocity field, Phys. Fluids 13, 1970), with the energy of von
//! Kármán ([`crate::von_karman`]) over shells of wave numbers that are evenly spaced on a log scale (M.
//! Shinozuka and G. Deodatis, Appl. Mech. Rev. 44, 1991, for the method of spectral representation).
//!
//! * A shell has three modes on one random set of axes `c_1`, `c_2`, `c_3`: wave vectors k `c_1`, k `c_2`,
//!   k `c_3` with velocities along `c_2`, `c_3`, `c_1`. Their variances sum to the same value in all
//!   directions, so that *every* seed has exactly the prescribed variance, not only the mean over many
//!   seeds. k is drawn by the seed from the energy within its shell.
//! * a² / 2 is the shell's share of sigma², sigma = `intensity` times speed. Shells range from l k = 0.25
//!   (0.02 % of the energy lies below) to the wavelength `smallest`. The energy beyond (about 1.45 (l
//!   k)^(-2/3): 2 % for 70 m and 1 m) is distributed over all shells.
//! * Across the wind and upwards the field is scaled: velocities and lengths are multiplied by `lateral`
//!   and `vertical`. The spectrum along the wind keeps its form, the variances are those of the surface
//!   layer (0.8 and 0.5 in IEC 61400-1, quoted from memory), and the field remains divergence-free.
//! * With a period each frequency k . V / 2 pi is rounded to a multiple of its inverse, but not to zero.
//!
//! The turbulence is frozen (Taylor): it varies in time at a point only because it is advected.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use std::cell::RefCell;

use fearless_simd::{Level, dispatch, f32x8, prelude::*};
use serde::{Deserialize, Serialize};
use windfall_core::glam::{DQuat, DVec3};
use windfall_solver::wind::Velocities;

use crate::check::{Check, repeating};
use crate::direction::{blows_to, check_wind};
use crate::flow::{CHUNK, Flow, LANES, wide};
use crate::lanes::{COSINE_UNIT, add_to, cosine_of_turn};
use crate::local_points::Local;
use crate::von_karman::{Energy, LENGTH_RATIO};
use windfall_core::random::Stream;

const MOST_MODES: usize = 600;
/// l k of the largest eddies.
const LARGEST_EDDY: f64 = 0.25;

/// Turbulence on a constant wind (`kind = "turbulence"`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Turbulence {
    /// Mean speed, m/s; 0 to 500, default 5.
    pub speed: f64,
    /// Direction of origin, compass degrees; -360 to 360, default 270.
    pub from_degrees: f64,
    /// Elevation angle, degrees; -90 to 90, default 0.
    pub elevation_degrees: f64,
    /// Turbulence intensity: standard deviation along the wind over the mean speed; 0 to 2, default 0.17
    /// (meadow at 10 m).
    pub intensity: f64,
    /// Integral length along the wind, m; 0.1 to 1e4, default 70 (at 10 m over a meadow; ESDU 74031,
    /// quoted from memory).
    pub length: f64,
    /// Wavelength of the smallest eddies, m; 0.01 to `length`, default 1.
    pub smallest: f64,
    /// Standard deviation across the wind over that along it; 0.1 to 2, default 0.8.
    pub lateral: f64,
    /// Standard deviation upwards over that along the wind; 0.1 to 2, default 0.5.
    pub vertical: f64,
    /// Number of modes, rounded up to a multiple of 3; 3 to 600, default 60. The cost is proportional to
    /// it.
    pub modes: i64,
    /// Seed of the eddies; any whole number, default 0.
    pub seed: i64,
    /// Whether the mean wind is included; default true. If false, only the eddies remain, to be added to
    /// another wind.
    pub mean: bool,
}

impl Default for Turbulence {
    fn default() -> Self {
        Self {
            speed: 5.0,
            from_degrees: 270.0,
            elevation_degrees: 0.0,
            intensity: 0.17,
            length: 70.0,
            smallest: 1.0,
            lateral: 0.8,
            vertical: 0.5,
            modes: 60,
            seed: 0,
            mean: true,
        }
    }
}

impl Turbulence {
    pub(crate) fn check(&self, check: &mut Check) {
        check_wind(check, self.speed, self.from_degrees, self.elevation_degrees);
        check.number("intensity", self.intensity, 0.0..=2.0);
        check.number("length", self.length, 0.1..=1e4);
        check.number("smallest", self.smallest, 0.01..=1e4);
        if self.smallest > self.length {
            check.broken("smallest", self.smallest, format_args!("must be at most the length, {}", self.length));
        }
        check.number("lateral", self.lateral, 0.1..=2.0);
        check.number("vertical", self.vertical, 0.1..=2.0);
        check.count("modes", self.modes, 3..=MOST_MODES as i64);
    }

    pub(crate) fn flow(&self, period: Option<f64>) -> Box<dyn Flow> {
        let along = blows_to(self.from_degrees, self.elevation_degrees);
        let across = blows_to(self.from_degrees + 90.0, 0.0);
        let axes = [along, across, along.cross(across)];
        let stretch = [1.0, self.lateral, self.vertical];
        // World vector from components along the wind's axes, each multiplied by its stretch.
        let in_world = |v: DVec3, stretch: [f64; 3]| -> DVec3 { (0..3).map(|i| axes[i] * (v[i] * stretch[i])).sum() };
        let shells = (self.modes as usize).div_ceil(3);
        let length = LENGTH_RATIO * self.length;
        let energy = Energy::between(LARGEST_EDDY, length * 2.0 * std::f64::consts::PI / self.smallest);
        let sigma = self.intensity * self.speed;
        let mut modes = Vec::new();
        for shell in 0..if sigma > 0.0 { shells } else { 0 } {
            let mut random = Stream::new(self.seed as u64).fork(4).fork(shell as u64);
            let from = energy.share_at(shell as f64 / shells as f64);
            let to = energy.share_at((shell + 1) as f64 / shells as f64);
            let k = energy.wave_number(from + random.unit() * (to - from)) / length;
            let amplitude = sigma * (2.0 * (to - from)).sqrt();
            let turned = random_rotation(&mut random);
            for axis in 0..3 {
                let direction = turned * DVec3::AXES[axis];
                let swing = turned * DVec3::AXES[(axis + 1) % 3];
                // Turns per metre.
                let wave = direction * (k / (2.0 * std::f64::consts::PI));
                modes.push(Mode {
                    wave: in_world(wave, stretch.map(|s| 1.0 / s)),
                    swing: in_world(swing * amplitude, stretch),
                    frequency: repeating(wave.x * self.speed, period),
                    phase: random.unit(),
                });
            }
        }
        let mean = if self.mean { self.speed * along } else { DVec3::ZERO };
        let waves = modes
            .iter()
            .map(|m| Wave { wave: m.wave.as_vec3().to_array(), swing: (m.swing * COSINE_UNIT).as_vec3().to_array() })
            .collect();
        Box::new(Eddies { mean, modes, waves })
    }
}

/// A uniformly distributed rotation: K. Shoemake, Uniform Random Rotations (Graphics Gems III, 1992).
fn random_rotation(random: &mut Stream) -> DQuat {
    const TURN: f64 = 2.0 * std::f64::consts::PI;
    let (share, a, b) = (random.unit(), TURN * random.unit(), TURN * random.unit());
    let (p, q) = ((1.0 - share).sqrt(), share.sqrt());
    DQuat::from_xyzw(p * libm::sin(a), p * libm::cos(a), q * libm::sin(b), q * libm::cos(b)).normalize()
}

struct Mode {
    /// Wave vector, turns/m.
    wave: DVec3,
    /// Velocity at the crest, m/s.
    swing: DVec3,
    /// Hz; negative for waves that travel against the wind.
    frequency: f64,
    /// Turns.
    phase: f64,
}

impl Mode {
    /// The phase at the origin, in turns from 0 to 1.
    fn phase_at(&self, time: f64) -> f64 {
        let turns = self.phase - self.frequency * time;
        turns - turns.floor()
    }
}

struct Eddies {
    mean: DVec3,
    /// Ordered by shell.
    modes: Vec<Mode>,
    /// The same in f32.
    waves: Vec<Wave>,
}

impl Flow for Eddies {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        let mut sum = self.mean;
        for mode in &self.modes {
            let turns = mode.wave.dot(point) + mode.phase_at(time);
            sum += mode.swing * libm::cos(2.0 * std::f64::consts::PI * (turns - turns.floor()));
        }
        sum
    }

    fn add(&self, time: f64, points: Local<'_>, weights: &[f32], out: &mut Velocities<'_>) {
        SCRATCH.with_borrow_mut(|scratch| {
            wide!(phases_at(&self.modes, points.origin, time, &mut scratch.phases));
            let mean = self.mean.as_vec3().to_array();
            dispatch!(Level::new(), simd => {
                add_waves(simd, mean, &self.waves, scratch, points.slices(), weights, &mut out.slices());
            });
        });
    }
}

/// Scratch memory, one per thread, so that it is not cleared for every chunk.
#[repr(align(64))]
struct Scratch {
    sums: [[[f32; LANES]; 3]; CHUNK / LANES],
    /// For three waves: phases from -1/2 to 1/2, then cosines.
    triads: [[[f32; LANES]; 3]; CHUNK / LANES],
    /// Phases of the modes, turns.
    phases: [f32; MOST_MODES],
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const {
        RefCell::new(Scratch {
            sums: [[[0.0; LANES]; 3]; CHUNK / LANES],
            triads: [[[0.0; LANES]; 3]; CHUNK / LANES],
            phases: [0.0; MOST_MODES],
        })
    };
}

/// The phases at a point, in turns from 0 to 1.
#[inline(always)]
fn phases_at(modes: &[Mode], point: DVec3, time: f64, phases: &mut [f32]) {
    for (phase, mode) in phases.iter_mut().zip(modes) {
        let turns = mode.wave.dot(point) + (mode.phase - mode.frequency * time);
        *phase = (turns - turns.floor()) as f32;
    }
}

/// A mode in f32.
struct Wave {
    /// Wave vector, turns/m.
    wave: [f32; 3],
    /// Velocity at the crest, m/s, times [`COSINE_UNIT`].
    swing: [f32; 3],
}

/// Three short loops over all points instead of one long loop: the reorder window of a CPU holds only some
/// sixty operations, and a long dependency chain would fill it.
#[inline(always)]
fn add_waves<S: Simd>(
    simd: S,
    mean: [f32; 3],
    waves: &[Wave],
    scratch: &mut Scratch,
    points: [&[f32]; 3],
    weights: &[f32],
    out: &mut [&mut [f32]; 3],
) {
    let [x, y, z] = points.map(|p| p.as_chunks::<LANES>().0);
    let count = x.len();
    let (y, z) = (&y[..count], &z[..count]);
    let (sums, triads) = (&mut scratch.sums[..count], &mut scratch.triads[..count]);
    sums.fill(mean.map(|v| [v; LANES]));
    // Modes are in groups of three.
    for (waves, &phases) in waves.as_chunks::<3>().0.iter().zip(scratch.phases.as_chunks::<3>().0) {
        // Copies, because the compiler cannot exclude that the output aliases these values.
        let [k0, k1, k2] = [waves[0].wave, waves[1].wave, waves[2].wave];
        let [s0, s1, s2] = [waves[0].swing, waves[1].swing, waves[2].swing];
        for i in 0..count {
            let x = f32x8::load_array(simd, x[i]);
            let y = f32x8::load_array(simd, y[i]);
            let z = f32x8::load_array(simd, z[i]);
            for ((k, phase), place) in [k0, k1, k2].into_iter().zip(phases).zip(&mut triads[i]) {
                let turns = z.mul_add(k[2], f32x8::splat(simd, phase));
                let turns = x.mul_add(k[0], y.mul_add(k[1], turns));
                (turns - turns.round_ties_even()).store_slice(place);
            }
        }
        for place in triads.as_flattened_mut() {
            cosine_of_turn(f32x8::load_array(simd, *place)).store_slice(place);
        }
        for i in 0..count {
            let c0 = f32x8::load_array(simd, triads[i][0]);
            let c1 = f32x8::load_array(simd, triads[i][1]);
            let c2 = f32x8::load_array(simd, triads[i][2]);
            for (axis, sum) in sums[i].iter_mut().enumerate() {
                let more = c0.mul_add(s0[axis], f32x8::load_array(simd, *sum));
                c2.mul_add(s2[axis], c1.mul_add(s1[axis], more)).store_slice(sum);
            }
        }
    }
    for (i, sums) in sums.iter().enumerate() {
        let here = i * LANES..(i + 1) * LANES;
        let weights = f32x8::from_slice(simd, &weights[here.clone()]);
        for (out, sum) in out.iter_mut().zip(sums) {
            add_to(simd, &mut out[here.clone()], weights * f32x8::load_array(simd, *sum));
        }
    }
}
