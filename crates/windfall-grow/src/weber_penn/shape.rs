//! The crown shapes of Weber & Penn, section 4.3 (`ShapeRatio`) and the pruning envelope, section 4.6.

use serde::{Deserialize, Serialize};

use crate::math::{pow, sin};

/// Shape of the crown: the length of first-order branches as a function of the height in the crown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CrownShape {
    /// Longest at the bottom, short at the top.
    Conical,
    /// Longest in the middle.
    Spherical,
    /// Longest at the bottom, rounded.
    Hemispherical,
    /// The same at all heights.
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

impl CrownShape {
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

/// The pruning envelope: a surface of revolution about the trunk; branches are shortened to fit inside.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prune {
    /// Fraction of the shortening that is applied, 0 to 1.
    pub ratio: f64,
    /// Radius of the envelope over the height of the tree.
    pub width: f64,
    /// Position of the largest radius, as a fraction of the crown's height from its top.
    pub width_peak: f64,
    /// Curvature below the widest place.
    pub power_low: f64,
    /// Curvature above the widest place.
    pub power_high: f64,
}

impl Prune {
    /// Whether a point at distance `r` from the trunk's axis and height `y` lies inside, for a tree of
    /// this height whose crown begins at the fraction `clear` of it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_the_ratios_of_the_paper() {
        let close = |shape: CrownShape, ratio: f64, expected: f64| {
            assert!((shape.ratio(ratio) - expected).abs() < 1e-12, "{shape:?} at {ratio}: {}", shape.ratio(ratio));
        };
        // Top, middle or widest place, foot of the crown (Weber & Penn, appendix).
        for (shape, top, at, middle, foot) in [
            (CrownShape::Conical, 0.2, 0.5, 0.6, 1.0),
            (CrownShape::Spherical, 0.2, 0.5, 1.0, 0.2),
            (CrownShape::Hemispherical, 0.2, 1.0 / 3.0, 0.6, 1.0),
            (CrownShape::Cylindrical, 1.0, 0.5, 1.0, 1.0),
            (CrownShape::TaperedCylindrical, 0.5, 0.5, 0.75, 1.0),
            (CrownShape::Flame, 0.0, 0.7, 1.0, 0.0),
            (CrownShape::InverseConical, 1.0, 0.5, 0.6, 0.2),
            (CrownShape::TendFlame, 0.5, 0.7, 1.0, 0.5),
        ] {
            close(shape, 0.0, top);
            close(shape, at, middle);
            close(shape, 1.0, foot);
        }
    }

    #[test]
    fn the_pruning_envelope_is_widest_at_its_peak_and_ends_with_the_crown() {
        let prune = Prune { ratio: 1.0, width: 0.4, width_peak: 0.5, power_low: 1.0, power_high: 0.5 };
        // A tree of 10 m with a crown from 2 to 10 m: widest, 4 m, at 6 m.
        let inside = |r, y| prune.contains(r, y, 10.0, 0.2);
        assert!(inside(3.99, 6.0) && !inside(4.01, 6.0));
        // Linear below: half as wide halfway down; square root above.
        assert!(inside(1.99, 4.0) && !inside(2.01, 4.0));
        assert!(inside(2.82, 8.0) && !inside(2.84, 8.0));
        assert!(!inside(0.01, 1.9) && !inside(0.01, 10.1));
    }
}
