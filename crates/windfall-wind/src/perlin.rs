//! Noise in space and time on a constant wind: Zhao and Barbič, Interactive Authoring of Simulation-Ready
//! Plants (2013), section 8.
//!
//! ```text
//! v(x, t) = V + sigma/N sum_o p^o n_o(2^o x / L, 2^o t / T),
//! N = s_n sqrt(sum_o p^(2 o)),    o = 0 .. octaves - 1
//! ```
//!
//! | | | |
//! |---|---|---|
//! | V | mean wind | m/s |
//! | sigma | `intensity` times speed: the standard deviation of each component | m/s |
//! | `n_o`, `s_n` | three independent noises in four dimensions ([`crate::noise`]) and their standard deviation | 1 |
//! | L, T | `size` and `duration` of a cell of the first octave | m, s |
//! | p | `persistence` | 1 |
//!
//! Breeze to hurricane: speed 3 to 40 m/s, intensity 0.1 to 0.5. With a period T is rounded so that a
//! whole number of cells fits into it, and the noise repeats in time.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use std::cell::RefCell;

use fearless_simd::{Level, dispatch, prelude::*};
use serde::{Deserialize, Serialize};
use windfall_core::glam::DVec3;
use windfall_solver::wind::Velocities;

use crate::cells::{ByCell, Long};
use crate::check::Check;
use crate::direction::{blows_to, check_wind};
use crate::flow::{Flow, LANES, add_uniform, wide};
use crate::local_points::Local;
use crate::noise::{CellNoise, DEVIATION, Fades, Moment, fade, noise};
use windfall_core::random::Stream;

/// Noise in space and time on a constant wind (`kind = "perlin"`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Perlin {
    /// Mean speed, m/s; 0 to 500, default 5.
    pub speed: f64,
    /// Direction of origin, compass degrees; -360 to 360, default 270.
    pub from_degrees: f64,
    /// Elevation angle, degrees; -90 to 90, default 0.
    pub elevation_degrees: f64,
    /// Standard deviation of each component over the mean speed; 0 to 2, default 0.3.
    pub intensity: f64,
    /// Size of the largest eddies, m; 0.01 to 1e5, default 10.
    pub size: f64,
    /// Lifetime of the largest eddies, s; 0.01 to 1e5, default 3.
    pub duration: f64,
    /// Number of octaves, each at half the size and twice the frequency of the previous one; 1 to 10,
    /// default 3.
    pub octaves: i64,
    /// Ratio of the amplitudes of successive octaves; 0 to 1, default 0.5.
    pub persistence: f64,
    /// Seed of the noise; any whole number, default 0.
    pub seed: i64,
    /// Whether the constant wind is included; default true. If false, only the noise remains, to be added
    /// to another wind.
    pub mean: bool,
}

impl Default for Perlin {
    fn default() -> Self {
        Self {
            speed: 5.0,
            from_degrees: 270.0,
            elevation_degrees: 0.0,
            intensity: 0.3,
            size: 10.0,
            duration: 3.0,
            octaves: 3,
            persistence: 0.5,
            seed: 0,
            mean: true,
        }
    }
}

impl Perlin {
    pub(crate) fn check(&self, check: &mut Check) {
        check_wind(check, self.speed, self.from_degrees, self.elevation_degrees);
        check.number("intensity", self.intensity, 0.0..=2.0);
        check.number("size", self.size, 0.01..=1e5);
        check.number("duration", self.duration, 0.01..=1e5);
        check.count("octaves", self.octaves, 1..=10);
        check.number("persistence", self.persistence, 0.0..=1.0);
    }

    pub(crate) fn flow(&self, period: Option<f64>) -> Box<dyn Flow> {
        let mean =
            if self.mean { self.speed * blows_to(self.from_degrees, self.elevation_degrees) } else { DVec3::ZERO };
        let cells = period.map(|period| (period / self.duration).round().max(1.0));
        let per_second = cells.zip(period).map_or(1.0 / self.duration, |(cells, period)| cells / period);
        let amplitudes: Vec<f64> = (0..self.octaves).map(|o| libm::pow(self.persistence, o as f64)).collect();
        let power: f64 = amplitudes.iter().map(|a| a * a).sum();
        let unit = self.intensity * self.speed / (DEVIATION * power.sqrt());
        let random = Stream::new(self.seed as u64).fork(3);
        let octaves = amplitudes.iter().enumerate().map(|(o, a)| {
            let factor = f64::from(1 << o);
            Octave {
                amplitude: a * unit,
                per_metre: factor / self.size,
                per_second: factor * per_second,
                cells: cells.map(|cells| (cells * factor) as i64),
                seed: random.fork(o as u64).bits(),
            }
        });
        let octaves = octaves.filter(|octave| octave.amplitude > 0.0).collect();
        Box::new(Noisy { mean, octaves })
    }
}

struct Noisy {
    mean: DVec3,
    octaves: Vec<Octave>,
}

struct Octave {
    /// m/s.
    amplitude: f64,
    per_metre: f64,
    per_second: f64,
    /// Number of cells in time per period.
    cells: Option<i64>,
    seed: u32,
}

impl Octave {
    fn moment(&self, time: f64) -> Moment {
        Moment::new(time * self.per_second, self.cells, self.seed)
    }
}

impl Flow for Noisy {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        let mut sum = self.mean;
        for octave in &self.octaves {
            let place = (point * octave.per_metre).to_array();
            sum += octave.amplitude * DVec3::from_array(noise(place, &octave.moment(time)));
        }
        sum
    }

    fn add(&self, time: f64, points: Local<'_>, weights: &[f32], out: &mut Velocities<'_>) {
        add_uniform(self.mean, weights, out);
        SCRATCH.with_borrow_mut(|scratch| {
            for octave in &self.octaves {
                scratch.cells.sort(points, octave.per_metre);
                dispatch!(Level::new(), simd => scratch.write_noise(simd, &octave.moment(time)));
                scratch.add(octave.amplitude as f32, weights, out);
            }
        });
    }
}

/// Scratch memory, one per thread: clearing it for every chunk would take as long as one octave.
#[repr(align(64))]
struct Scratch {
    cells: ByCell,
    fades: Fades<Long>,
    values: [Long; 3],
}

const LONG: Long = [0.0; size_of::<Long>() / size_of::<f32>()];

thread_local! {
    static SCRATCH: RefCell<Scratch> = const {
        RefCell::new(Scratch {
            cells: ByCell::new(),
            fades: Fades { x: LONG, y: LONG, z: LONG, yz: LONG },
            values: [LONG; 3],
        })
    };
}

impl Scratch {
    /// Writes the noises at all positions of all cells.
    #[inline(always)]
    fn write_noise<S: Simd>(&mut self, simd: S, moment: &Moment) {
        let Self { cells, fades, values } = self;
        let [x, y, z] = &cells.places;
        for i in 0..cells.count() {
            fades.x[i] = fade(x[i]);
            fades.y[i] = fade(y[i]);
            fades.z[i] = fade(z[i]);
            fades.yz[i] = fades.y[i] * fades.z[i];
        }
        let mut start = 0;
        for (cell, end) in cells.ends() {
            // Values past the end of a cell are overwritten by the next cell.
            let here = start..start + (end - start).next_multiple_of(LANES);
            let fades = Fades {
                x: &fades.x[here.clone()],
                y: &fades.y[here.clone()],
                z: &fades.z[here.clone()],
                yz: &fades.yz[here.clone()],
            };
            let places = [&x[here.clone()], &y[here.clone()], &z[here.clone()]];
            let values = values.each_mut().map(|v| &mut v[here.clone()]);
            CellNoise::new(simd, cell, moment).write(simd, places, fades, values);
            start = end;
        }
    }

    /// Adds the noises to their points.
    fn add(&self, amplitude: f32, weights: &[f32], out: &mut Velocities<'_>) {
        let Some(stands) = self.cells.stands() else {
            for (out, values) in out.slices().into_iter().zip(&self.values) {
                wide!(add_values(amplitude, weights, values, out));
            }
            return;
        };
        let [u, v, w] = &self.values;
        let [x, y, z] = out.slices();
        for ((((x, y), z), weight), place) in x.iter_mut().zip(y).zip(z).zip(weights).zip(stands) {
            let (factor, place) = (amplitude * weight, usize::from(*place));
            *x += factor * u[place];
            *y += factor * v[place];
            *z += factor * w[place];
        }
    }
}

#[inline(always)]
fn add_values(amplitude: f32, weights: &[f32], values: &[f32], out: &mut [f32]) {
    for ((out, weight), value) in out.iter_mut().zip(weights).zip(values) {
        *out += amplitude * weight * value;
    }
}
