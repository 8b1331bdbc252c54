//! The crown shapes of Weber & Penn, section 4.3 (`ShapeRatio`) and the pruning envelope, section 4.6.

use serde::{Deserialize, Serialize};

use crate::math::{pow, sin};

/// How long first-order branches are over the height of the crown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Longest at the bottom, short at the top.
    Conical,
    /// Longest in the middle.
    Spherical,
    /// Longest at the bottom, rounded.
    Hemispherical,
    /// The same everywhere.
    Cylindrical,
    /// A little shorter at the top.
    TaperedCylindrical,
    /// Longest at 70 % from the top, pointed at both ends.
    Flame,
    /// Longest at the top.
    InverseConical,
    /// Long at the bottom, a little shorter at the top.
    TendFlame,
}

impl Shape {
    /// `ShapeRatio(shape, ratio)`: 1 at the foot of the crown, 0 at its top.
    pub fn ratio(self, ratio: f64) -> f64 {
        let ratio = ratio.clamp(0.0, 1.0);
        match self {
            Self::Conical => 0.2 + 0.8 * ratio,
            Self::Spherical => 0.2 + 0.8 * sin(std::f64::consts::PI * ratio),
            Self::Hemispherical => 0.2 + 0.8 * sin(0.5 * std::f64::consts::PI * ratio),
            Self::Cylindrical => 1.0,
            Self::TaperedCylindrical => 0.5 + 0.5 * ratio,
            Self::Flame => {
                if ratio <= 0.7 {
                    ratio / 0.7
                } else {
                    (1.0 - ratio) / 0.3
                }
            }
            Self::InverseConical => 1.0 - 0.8 * ratio,
            Self::TendFlame => {
                if ratio <= 0.7 {
                    0.5 + 0.5 * ratio / 0.7
                } else {
                    0.5 + 0.5 * (1.0 - ratio) / 0.3
                }
            }
        }
    }
}

/// The pruning envelope: a surface of revolution about the trunk that branches are shortened to fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prune {
    /// How much of the shortening is done, 0 to 1.
    pub ratio: f64,
    /// Radius of the envelope over the height of the tree.
    pub width: f64,
    /// Where it is widest, as a fraction of the crown's height from its top.
    pub width_peak: f64,
    /// Curvature below the widest place.
    pub power_low: f64,
    /// Curvature above the widest place.
    pub power_high: f64,
}

impl Prune {
    /// Whether a point at distance `r` from the trunk's axis and height `y` lies inside, for a tree of this height whose
    /// crown begins at the fraction `clear` of it.
    pub fn contains(&self, r: f64, y: f64, height: f64, clear: f64) -> bool {
        let ratio = (height - y) / (height * (1.0 - clear));
        let width = if !(0.0..=1.0).contains(&ratio) {
            0.0
        } else if ratio < self.width_peak {
            pow(ratio / self.width_peak, self.power_high)
        } else {
            pow((1.0 - ratio) / (1.0 - self.width_peak), self.power_low)
        };
        r <= width * self.width * height
    }
}
