//! Combinations of winds: the sum, and the product with a factor that may vary in time.
//!
//! ```text
//! sum:    v(x, t) = v_1(x, t) + v_2(x, t) + ...
//! scale:  v(x, t) = c(t) v_1(x, t)
//! ```
//!
//! c is a number, or a piecewise linear function through points (time, factor), constant before the first
//! and after the last. With a period the last point is connected to the first.

use serde::{Deserialize, Serialize};
use windfall_core::glam::DVec3;
use windfall_solver::wind::Velocities;

use crate::check::Check;
use crate::curve::Polyline;
use crate::flow::{CHUNK, Flow};
use crate::local_points::Local;
use crate::spec::Model;

/// Maximum number of winds in one sum.
const MOST_WINDS: usize = 256;
/// Largest factor.
const LARGEST: f64 = 1000.0;

/// The sum of winds (`kind = "sum"`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sum {
    /// The terms; at most 256. An empty sum is calm.
    pub winds: Vec<Model>,
}

impl Sum {
    pub(crate) fn check(&self, check: &mut Check) {
        if self.winds.len() > MOST_WINDS {
            let rule = format!("must be at most {MOST_WINDS} winds");
            check.broken("winds", format_args!("{} winds", self.winds.len()), rule);
            return;
        }
        for (i, wind) in self.winds.iter().enumerate() {
            check.inside(format_args!("winds[{i}]"), |check| wind.check(check));
        }
    }

    pub(crate) fn flow(&self, period: Option<f64>) -> Box<dyn Flow> {
        Box::new(Total(self.winds.iter().map(|wind| wind.flow(period)).collect()))
    }
}

struct Total(Vec<Box<dyn Flow>>);

impl Flow for Total {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        self.0.iter().map(|flow| flow.velocity(point, time)).sum()
    }

    fn add(&self, time: f64, points: Local<'_>, weights: &[f32], out: &mut Velocities<'_>) {
        for flow in &self.0 {
            flow.add(time, points, weights, out);
        }
    }
}

/// A factor: a number, or points of time (s) and factor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be a number or a list of points [time, factor]")]
pub enum Factor {
    /// Constant in time.
    Constant(f64),
    /// Piecewise linear through points `[time, factor]`, by increasing time.
    Curve(Vec<[f64; 2]>),
}

/// A wind times a factor (`kind = "scale"`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// The factor, or `[[time, factor], ...]`; -1000 to 1000. With a period all times are from 0 to below
    /// the period.
    pub factor: Factor,
    /// The wind to scale.
    pub wind: Box<Model>,
}

impl Scale {
    pub(crate) fn check(&self, check: &mut Check) {
        match &self.factor {
            Factor::Constant(factor) => check.number("factor", *factor, -LARGEST..=LARGEST),
            Factor::Curve(points) => {
                let times = check.period.map_or(-1e9..=1e9, |period| 0.0..=period - 1e-6);
                check.points("factor", points, times, -LARGEST..=LARGEST);
            }
        }
        check.inside("wind", |check| self.wind.check(check));
    }

    pub(crate) fn flow(&self, period: Option<f64>) -> Box<dyn Flow> {
        let factor = match &self.factor {
            Factor::Constant(factor) => Polyline::new(&[[0.0, *factor]], None),
            Factor::Curve(points) => Polyline::new(points, period),
        };
        Box::new(Scaled { factor, flow: self.wind.flow(period) })
    }
}

struct Scaled {
    factor: Polyline,
    flow: Box<dyn Flow>,
}

impl Flow for Scaled {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        self.factor.at(time) * self.flow.velocity(point, time)
    }

    fn add(&self, time: f64, points: Local<'_>, weights: &[f32], out: &mut Velocities<'_>) {
        let factor = self.factor.at(time) as f32;
        if factor == 0.0 {
            return;
        }
        let mut scaled = [0.0; CHUNK];
        let scaled = &mut scaled[..weights.len()];
        for (scaled, w) in scaled.iter_mut().zip(weights) {
            *scaled = w * factor;
        }
        self.flow.add(time, points, scaled, out);
    }
}
