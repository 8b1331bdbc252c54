//! The parameters of one level of branching.

use serde::{Deserialize, Serialize};

/// Level n of Weber & Penn: 0 is the trunk. Angles in degrees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Level {
    /// Number of children of this level on a full stem of the level below, before `density`.
    pub branches: f64,
    /// Number of children at the same node: 1 spiral, 2 opposite, more in a whorl.
    pub whorl: usize,
    /// Angle from the parent's direction.
    pub down_angle: f64,
    /// Its variation. Negative: not random but a gradient from the base of the parent (more) to its tip
    /// (less).
    pub down_angle_v: f64,
    /// Rotation about the parent from one child (or whorl) to the next.
    pub rotate: f64,
    /// Its random variation.
    pub rotate_v: f64,
    /// Whether rotation counts from the horizontal instead of from a random angle: with `rotate = 180`
    /// the children spread out flat to both sides, as the twigs of a spruce do.
    pub level: bool,
    /// Length as a fraction of the parent's (trunk: of the tree's height).
    pub length: f64,
    /// Its random variation.
    pub length_v: f64,
    /// Number of segments of a full-length stem; shorter ones have fewer.
    pub segments: usize,
    /// Smallest number of segments.
    pub least_segments: usize,
    /// Turn over the whole stem, away from the parent.
    pub curve: f64,
    /// Turn over the second half, if not zero; `curve` then belongs to the first half.
    pub curve_back: f64,
    /// Random turn over the whole stem. Negative: no random turn, but a helix at this angle to its axis.
    pub curve_v: f64,
    /// Attraction to the sky (positive) or the ground (negative) over the whole stem, radians per sine
    /// of the angle to it.
    pub attraction: f64,
    /// Number of forks per segment.
    pub seg_splits: f64,
    /// Angle between the arms of a fork and the stem before it.
    pub split_angle: f64,
    /// Its random variation.
    pub split_angle_v: f64,
    /// Fraction of the stem's length, at its base, without children (levels above the trunk; the trunk
    /// has `clear`).
    pub bare: f64,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            branches: 0.0,
            whorl: 1,
            down_angle: 45.0,
            down_angle_v: 0.0,
            rotate: 137.5,
            rotate_v: 20.0,
            level: false,
            length: 0.4,
            length_v: 0.05,
            segments: 4,
            least_segments: 2,
            curve: 0.0,
            curve_back: 0.0,
            curve_v: 20.0,
            attraction: 0.0,
            seg_splits: 0.0,
            split_angle: 25.0,
            split_angle_v: 8.0,
            bare: 0.12,
        }
    }
}
