//! A spatially uniform wind with gusts.
//!
//! ```text
//! v(t) = V (1 + s g(t)),    g(t) = sqrt(2/N) sum_i sin(2 pi (f_i t + phi_i)),    i = 1 .. N = 8
//! ```
//!
//! | | | |
//! |---|---|---|
//! | V | mean wind, speed in the direction to which it blows | m/s |
//! | s | `gusts`, the standard deviation of the speed over its mean | 1 |
//! | `f_i` | frequencies spread evenly on a log scale over a factor of 6, jittered within their shares by the seed | Hz |
//! | `phi_i` | phases, by the seed | turns |
//!
//! g has the mean 0 and the variance 1 (all frequencies differ). Rice's formula gives the mean time
//! between two upward crossings of the mean, i.e. between two gusts: 1 / sqrt(mean of `f_i²`). The
//! frequencies are scaled so that it is `gust_period` (S. O. Rice, Mathematical Analysis of Random Noise,
//! Bell Syst. Tech. J. 24, 1945). |g| is at most 4: `gusts` above 0.25 may reverse the wind for a moment.
//! With a period the frequencies are rounded to multiples of its inverse, and frequencies that coincide
//! become one sine with their total variance.

use serde::{Deserialize, Serialize};
use windfall_core::glam::DVec3;
use windfall_solver::wind::Velocities;

use crate::check::{Check, repeating};
use crate::direction::{blows_to, check_wind};
use crate::flow::{Flow, add_uniform};
use crate::local_points::Local;
use windfall_core::random::Stream;

const HARMONICS: usize = 8;
/// Ratio of highest to lowest frequency, before jitter and scaling.
const SPREAD: f64 = 6.0;

/// A spatially uniform wind with gusts (`kind = "uniform"`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Uniform {
    /// Mean speed, m/s; 0 to 500, default 5.
    pub speed: f64,
    /// Direction of origin, compass degrees: 0 north (-z), 90 east (+x); -360 to 360, default 270 (it
    /// blows to +x).
    pub from_degrees: f64,
    /// Elevation angle, degrees; -90 to 90, default 0.
    pub elevation_degrees: f64,
    /// Standard deviation of the speed over the mean speed; 0 to 2, default 0.
    pub gusts: f64,
    /// Mean time between gusts, s; 0.05 to 1e5, default 6.
    pub gust_period: f64,
    /// Seed of the gusts; any whole number, default 0.
    pub seed: i64,
}

impl Default for Uniform {
    fn default() -> Self {
        Self { speed: 5.0, from_degrees: 270.0, elevation_degrees: 0.0, gusts: 0.0, gust_period: 6.0, seed: 0 }
    }
}

impl Uniform {
    pub(crate) fn check(&self, check: &mut Check) {
        check_wind(check, self.speed, self.from_degrees, self.elevation_degrees);
        check.number("gusts", self.gusts, 0.0..=2.0);
        check.number("gust_period", self.gust_period, 0.05..=1e5);
    }

    pub(crate) fn flow(&self, period: Option<f64>) -> Box<dyn Flow> {
        let velocity = self.speed * blows_to(self.from_degrees, self.elevation_degrees);
        let gusts =
            if self.gusts > 0.0 { harmonics(self.gusts, self.gust_period, self.seed, period) } else { Vec::new() };
        Box::new(Gusty { velocity, gusts })
    }
}

/// One sine of the gusts.
struct Harmonic {
    /// Hz.
    frequency: f64,
    /// Turns.
    phase: f64,
    /// Relative to the mean speed.
    amplitude: f64,
}

fn harmonics(gusts: f64, gust_period: f64, seed: i64, period: Option<f64>) -> Vec<Harmonic> {
    let mut random = Stream::new(seed as u64).fork(1);
    let drawn: [[f64; 2]; HARMONICS] =
        std::array::from_fn(|i| [libm::pow(SPREAD, (i as f64 + random.unit()) / HARMONICS as f64), random.unit()]);
    let mean_square = drawn.iter().map(|[f, _]| f * f).sum::<f64>() / HARMONICS as f64;
    let mut harmonics: Vec<Harmonic> = Vec::new();
    for [frequency, phase] in drawn {
        let frequency = repeating(frequency / (gust_period * mean_square.sqrt()), period);
        let variance = gusts * gusts / HARMONICS as f64;
        match harmonics.last_mut() {
            // A period may round two frequencies to the same value: they are merged, with the sum of their
            // variances.
            Some(last) if last.frequency == frequency => {
                last.amplitude = (last.amplitude * last.amplitude + 2.0 * variance).sqrt();
            }
            _ => harmonics.push(Harmonic { frequency, phase, amplitude: (2.0 * variance).sqrt() }),
        }
    }
    harmonics
}

struct Gusty {
    velocity: DVec3,
    gusts: Vec<Harmonic>,
}

impl Gusty {
    fn at(&self, time: f64) -> DVec3 {
        let wave = |h: &Harmonic| h.amplitude * sine_of_turns(h.frequency * time + h.phase);
        self.velocity * (1.0 + self.gusts.iter().map(wave).sum::<f64>())
    }
}

/// sin(2 pi x), accurate to f64 precision for large x too.
pub(crate) fn sine_of_turns(x: f64) -> f64 {
    libm::sin(2.0 * std::f64::consts::PI * (x - x.floor()))
}

impl Flow for Gusty {
    fn velocity(&self, _: DVec3, time: f64) -> DVec3 {
        self.at(time)
    }

    fn add(&self, time: f64, _: Local<'_>, weights: &[f32], out: &mut Velocities<'_>) {
        add_uniform(self.at(time), weights, out);
    }
}
