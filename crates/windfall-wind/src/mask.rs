//! Winds restricted to a region of space or time, with smooth edges.
//!
//! ```text
//! v(x, t) = w(x, t) v_1(x, t),    w = s(d / edge + 1/2),    s(q) = 3 q² - 2 q³ from 0 to 1, constant outside
//! ```
//!
//! d is the distance to the border, m (or s for a window in time), positive inside: w is 1/2 on the border
//! and rises from 0 to 1 over `edge`. The weight of a box is the product over its six sides. `invert` uses
//! 1 - w. Masks nest: a box for ten seconds is a mask in a mask.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use serde::{Deserialize, Serialize};
use windfall_core::glam::DVec3;

use crate::check::Check;
use crate::flow::{Flow, wide};
use crate::lanes::{smooth_step, smooth_step_f64};
use crate::local_points::Local;
use crate::spec::Model;
use crate::weighted::{Weight, Weighted};

/// Minimum edge width, m or s; smaller widths are clamped.
const SHARPEST: f64 = 1e-3;

/// A wind restricted to a region (`kind = "mask"`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mask {
    /// The region.
    pub region: Region,
    /// Apply the wind outside the region instead; default false.
    #[serde(default)]
    pub invert: bool,
    /// The wind inside the region.
    pub wind: Box<Model>,
}

/// A region of space or time, by its `shape`. Edges are from 0 to 1e6, default 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "shape", rename_all = "lowercase", deny_unknown_fields)]
pub enum Region {
    /// An axis-aligned box.
    Box {
        /// Lowest x, y and z, m.
        min: [f64; 3],
        /// Highest x, y and z, m; above `min`.
        max: [f64; 3],
        /// Width of the soft border, m.
        #[serde(default = "one")]
        edge: f64,
    },
    /// A ball.
    Sphere {
        /// Its centre, m.
        center: [f64; 3],
        /// Its radius, m; above 0.
        radius: f64,
        /// Width of the soft border, m.
        #[serde(default = "one")]
        edge: f64,
    },
    /// Everything above a height.
    Above {
        /// World height (y), m.
        height: f64,
        /// Width of the soft border, m.
        #[serde(default = "one")]
        edge: f64,
    },
    /// A window in time.
    Time {
        /// Midpoint of the rising edge, s.
        from: f64,
        /// Midpoint of the falling edge, s; later than `from`.
        to: f64,
        /// Duration of each edge, s.
        #[serde(default = "one")]
        edge: f64,
    },
}

fn one() -> f64 {
    1.0
}

impl Mask {
    pub(crate) fn check(&self, check: &mut Check) {
        check.inside("region", |check| self.region.check(check));
        check.inside("wind", |check| self.wind.check(check));
    }

    pub(crate) fn flow(&self, period: Option<f64>) -> Box<dyn Flow> {
        let weight = Inside { region: self.region.clone(), invert: self.invert, period };
        Box::new(Weighted { weight, flow: self.wind.flow(period) })
    }
}

impl Region {
    fn edge(&self) -> f64 {
        let (Self::Box { edge, .. } | Self::Sphere { edge, .. } | Self::Above { edge, .. } | Self::Time { edge, .. }) =
            self;
        *edge
    }

    fn check(&self, check: &mut Check) {
        check.number("edge", self.edge(), 0.0..=1e6);
        match self {
            Self::Box { min, max, .. } => {
                check.place("min", min);
                check.place("max", max);
                if !min.iter().zip(max).all(|(min, max)| min < max) {
                    check.broken("max", format_args!("{max:?}"), format_args!("must be above min, {min:?}"));
                }
            }
            Self::Sphere { center, radius, .. } => {
                check.place("center", center);
                check.number("radius", *radius, 1e-3..=1e6);
            }
            Self::Above { height, .. } => check.place("height", &[*height]),
            Self::Time { from, to, edge } => {
                check.number("from", *from, -1e9..=1e9);
                check.number("to", *to, -1e9..=1e9);
                if to <= from {
                    check.broken("to", to, format_args!("must be later than from, {from}"));
                }
                if let Some(period) = check.period
                    && to - from + edge > period
                {
                    let rule = format!("from `from` to `to` and the edge must fit into the period, {period}");
                    check.broken("to", to, rule);
                }
            }
        }
    }
}

struct Inside {
    region: Region,
    invert: bool,
    period: Option<f64>,
}

impl Inside {
    /// The weight of a window in time.
    fn window(&self, time: f64, from: f64, to: f64, edge: f64) -> f64 {
        let middle = 0.5 * (from + to);
        let away = time - middle;
        // The nearest periodic image of the window's midpoint.
        let away = self.period.map_or(away, |period| away - period * (away / period).round());
        smooth_step_f64((0.5 * (to - from) - away.abs()) / edge.max(SHARPEST) + 0.5)
    }

    fn turned(&self, weight: f64) -> f64 {
        if self.invert { 1.0 - weight } else { weight }
    }
}

impl Weight for Inside {
    fn at(&self, point: DVec3, time: f64) -> f64 {
        let edge = self.region.edge().max(SHARPEST);
        let side = |depth: f64| smooth_step_f64(depth / edge + 0.5);
        self.turned(match &self.region {
            Region::Box { min, max, .. } => {
                let p = point.to_array();
                (0..3).map(|i| side(p[i] - min[i]) * side(max[i] - p[i])).product()
            }
            Region::Sphere { center, radius, .. } => side(radius - point.distance(DVec3::from(*center))),
            Region::Above { height, .. } => side(point.y - height),
            Region::Time { from, to, edge } => self.window(time, *from, *to, *edge),
        })
    }

    fn multiply(&self, time: f64, points: Local<'_>, weights: &mut [f32]) {
        let borders = Borders {
            per_edge: (1.0 / self.region.edge().max(SHARPEST)) as f32,
            // w = a + b s, with b = -1 for inverted masks.
            turned: if self.invert { (1.0, -1.0) } else { (0.0, 1.0) },
        };
        let from_origin = |p: &[f64; 3]| (DVec3::from(*p) - points.origin).as_vec3().to_array();
        let [_, heights, _] = points.slices();
        match &self.region {
            Region::Box { min, max, .. } => {
                wide!(borders.of_box(from_origin(min), from_origin(max), points.slices(), weights));
            }
            Region::Sphere { center, radius, .. } => {
                wide!(borders.of_sphere(from_origin(center), *radius as f32, points.slices(), weights));
            }
            Region::Above { height, .. } => {
                wide!(borders.above((height - points.origin.y) as f32, heights, weights));
            }
            Region::Time { from, to, edge } => {
                let inside = self.turned(self.window(time, *from, *to, *edge)) as f32;
                for weight in weights {
                    *weight *= inside;
                }
            }
        }
    }
}

/// Soft borders in f32.
struct Borders {
    per_edge: f32,
    turned: (f32, f32),
}

impl Borders {
    /// The weight at this distance inside a border.
    #[inline(always)]
    fn side(&self, depth: f32) -> f32 {
        smooth_step(depth * self.per_edge + 0.5)
    }

    #[inline(always)]
    fn turned(&self, inside: f32) -> f32 {
        self.turned.0 + self.turned.1 * inside
    }

    #[inline(always)]
    fn of_box(&self, min: [f32; 3], max: [f32; 3], points: [&[f32]; 3], weights: &mut [f32]) {
        let [x, y, z] = points;
        for (((weight, x), y), z) in weights.iter_mut().zip(x).zip(y).zip(z) {
            let inside = self.side(x - min[0]) * self.side(max[0] - x);
            let inside = inside * self.side(y - min[1]) * self.side(max[1] - y);
            *weight *= self.turned(inside * self.side(z - min[2]) * self.side(max[2] - z));
        }
    }

    #[inline(always)]
    fn of_sphere(&self, center: [f32; 3], radius: f32, points: [&[f32]; 3], weights: &mut [f32]) {
        let [x, y, z] = points;
        for (((weight, x), y), z) in weights.iter_mut().zip(x).zip(y).zip(z) {
            let (dx, dy, dz) = (x - center[0], y - center[1], z - center[2]);
            *weight *= self.turned(self.side(radius - (dx * dx + dy * dy + dz * dz).sqrt()));
        }
    }

    #[inline(always)]
    fn above(&self, height: f32, heights: &[f32], weights: &mut [f32]) {
        for (weight, y) in weights.iter_mut().zip(heights) {
            *weight *= self.turned(self.side(y - height));
        }
    }
}
