//! Increase of wind speed with height: the logarithmic law over rough ground.
//!
//! ```text
//! u(z) = u_ref ln((z - d) / z0) / ln((z_ref - d) / z0),    0 below z = d + z0
//! ```
//!
//! | | | |
//! |---|---|---|
//! | z | height above `ground` | m |
//! | `z_ref` | `reference_height`, where the inner wind is as it was given | m |
//! | z0 | `roughness`: 0.0002 sea, 0.005 sand, 0.03 meadow, 0.1 crops, 0.5 bushes, 1 and more forest and town | m |
//! | d | `displacement`: how much a dense canopy lifts the ground, about 2/3 of its height | m |
//!
//! The law holds in the surface layer (about 100 m) in neutral air (J. Wieringa, Representative roughness
//! parameters for homogeneous terrain, Boundary-Layer Meteorology 63, 1993). It multiplies the whole inner
//! wind.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use serde::{Deserialize, Serialize};
use windfall_core::glam::DVec3;

use crate::check::Check;
use crate::flow::{Flow, wide};
use crate::lanes;
use crate::local_points::Local;
use crate::spec::Model;
use crate::uniform::Uniform;
use crate::weighted::{Weight, Weighted};

/// Wind that increases with height (`kind = "profile"`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// Height of the given wind above the ground, m; 0.01 to 10000 and above `displacement + roughness`,
    /// default 10.
    pub reference_height: f64,
    /// Roughness length, m; 1e-6 to 10, default 0.03 (meadow).
    pub roughness: f64,
    /// Displacement height, m; 0 to 1000, default 0.
    pub displacement: f64,
    /// World height (y) of the ground, m; default 0.
    pub ground: f64,
    /// The wind at the reference height; default a [`Uniform`] with its default values.
    pub wind: Box<Model>,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            reference_height: 10.0,
            roughness: 0.03,
            displacement: 0.0,
            ground: 0.0,
            wind: Box::new(Model::Uniform(Uniform::default())),
        }
    }
}

impl Profile {
    pub(crate) fn check(&self, check: &mut Check) {
        check.number("roughness", self.roughness, 1e-6..=10.0);
        check.number("displacement", self.displacement, 0.0..=1000.0);
        check.number("reference_height", self.reference_height, 0.01..=10_000.0);
        check.place("ground", &[self.ground]);
        // Below this height the reference factor would be zero, and the wind above infinite.
        let least = self.displacement + 1.1 * self.roughness;
        if self.reference_height < least {
            let rule = format!("must be above displacement + 1.1 roughness, {least}");
            check.broken("reference_height", self.reference_height, rule);
        }
        check.inside("wind", |check| self.wind.check(check));
    }

    pub(crate) fn flow(&self, period: Option<f64>) -> Box<dyn Flow> {
        let at_reference = libm::log((self.reference_height - self.displacement) / self.roughness);
        let weight = LogLaw {
            zero: self.ground + self.displacement,
            per_roughness: 1.0 / self.roughness,
            factor: 1.0 / at_reference,
        };
        Box::new(Weighted { weight, flow: self.wind.flow(period) })
    }
}

struct LogLaw {
    /// World height of ground and displacement, m.
    zero: f64,
    /// 1/m.
    per_roughness: f64,
    factor: f64,
}

impl Weight for LogLaw {
    fn at(&self, point: DVec3, _: f64) -> f64 {
        self.factor * libm::log(((point.y - self.zero) * self.per_roughness).max(1.0))
    }

    fn multiply(&self, _: f64, points: Local<'_>, weights: &mut [f32]) {
        let zero = (self.zero - points.origin.y) as f32;
        wide!(log_law(zero, self.per_roughness as f32, self.factor as f32, points.slices()[1], weights));
    }
}

#[inline(always)]
fn log_law(zero: f32, per_roughness: f32, factor: f32, heights: &[f32], weights: &mut [f32]) {
    for (weight, y) in weights.iter_mut().zip(heights) {
        *weight *= factor * lanes::ln(((y - zero) * per_roughness).max(1.0));
    }
}
