//! A single gust: the "1 - cosine" gust of engineering.
//!
//! ```text
//! v(t) = V/2 (1 - cos(2 pi (t - t0) / T))    for t0 < t < t0 + T, else 0
//! ```
//!
//! The discrete gust of airworthiness rules (14 CFR 25.341(a)(2), the same in EASA's CS-25), defined there
//! over the distance 2 H, here as a function of time. V is the velocity at the peak, m/s; t0 the `start`
//! and T the `duration`, s. In a sum it is superposed on other winds. With a period it recurs in each.

use serde::{Deserialize, Serialize};
use windfall_core::glam::DVec3;
use windfall_solver::wind::Velocities;

use crate::check::Check;
use crate::direction::{blows_to, check_wind};
use crate::flow::{Flow, add_uniform};
use crate::local_points::Local;

/// A single gust (`kind = "gust"`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gust {
    /// Speed at its peak, m/s; 0 to 500, default 5.
    pub speed: f64,
    /// Direction of origin, compass degrees; -360 to 360, default 270.
    pub from_degrees: f64,
    /// Elevation angle, degrees; -90 to 90, default 0.
    pub elevation_degrees: f64,
    /// Start time, s; -1e9 to 1e9, default 0.
    pub start: f64,
    /// Duration, s; 0.01 to 1e5, at most the period, default 4.
    pub duration: f64,
}

impl Default for Gust {
    fn default() -> Self {
        Self { speed: 5.0, from_degrees: 270.0, elevation_degrees: 0.0, start: 0.0, duration: 4.0 }
    }
}

impl Gust {
    pub(crate) fn check(&self, check: &mut Check) {
        check_wind(check, self.speed, self.from_degrees, self.elevation_degrees);
        check.number("start", self.start, -1e9..=1e9);
        check.number("duration", self.duration, 0.01..=1e5);
        if let Some(period) = check.period
            && self.duration > period
        {
            check.broken("duration", self.duration, format_args!("must be at most the period, {period}"));
        }
    }

    pub(crate) fn flow(&self, period: Option<f64>) -> Box<dyn Flow> {
        let peak = self.speed * blows_to(self.from_degrees, self.elevation_degrees);
        Box::new(OneCosine { peak, start: self.start, duration: self.duration, period })
    }
}

struct OneCosine {
    peak: DVec3,
    start: f64,
    duration: f64,
    period: Option<f64>,
}

impl OneCosine {
    fn at(&self, time: f64) -> DVec3 {
        let since = time - self.start;
        let since = self.period.map_or(since, |period| since.rem_euclid(period));
        if since <= 0.0 || since >= self.duration {
            return DVec3::ZERO;
        }
        let s = libm::sin(std::f64::consts::PI * since / self.duration);
        self.peak * (s * s)
    }
}

impl Flow for OneCosine {
    fn velocity(&self, _: DVec3, time: f64) -> DVec3 {
        self.at(time)
    }

    fn add(&self, time: f64, _: Local<'_>, weights: &[f32], out: &mut Velocities<'_>) {
        add_uniform(self.at(time), weights, out);
    }
}
