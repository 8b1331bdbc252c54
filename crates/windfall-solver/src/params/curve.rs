//! A curve over the radius of wood, by control points.
//!
//! Between points it is the monotone cubic of Fritsch and Carlson (SIAM J. Numer. Anal. 17, 1980): a cubic
//! Hermite interpolant whose slopes are the mean of the two secants beside a point, zero at an extremum,
//! and at most three times the smaller secant. Slopes within this box (their region M contains it) make
//! every piece monotone, so the curve never overshoots: it stays between the values of the two points
//! around it.

use serde::{Deserialize, Serialize};

/// Meaning of the values of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CurveKind {
    /// Multipliers of the physical value.
    #[default]
    Multiply,
    /// The value itself: bending stiffness in N m/rad (twist keeps its physical ratio to it), or damping
    /// beta in s.
    Absolute,
}

/// Coordinates in which a curve is interpolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CurveScale {
    /// Value over radius.
    #[default]
    Linear,
    /// Logarithm of the value over logarithm of the radius: two points make a power law.
    Log,
}

/// A curve over the radius of the wood at a joint. Outside its points it is constant; without points it is
/// 1 everywhere.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Curve {
    /// Meaning of the values. A curve without points multiplies by 1, whatever its kind.
    pub kind: CurveKind,
    /// Coordinates of the interpolation.
    pub scale: CurveScale,
    /// Radius in m and value, by increasing radius. Values may be infinite for stiffness; between a finite
    /// and an infinite point the curve is infinite.
    pub points: Vec<[f64; 2]>,
}

/// A [`Curve`] with precomputed slopes, for many evaluations.
#[derive(Debug, Clone, PartialEq)]
pub struct Spline {
    scale: CurveScale,
    knots: Vec<Knot>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Knot {
    /// The value as it was given.
    value: f64,
    /// Radius and value, or their logarithms.
    x: f64,
    y: f64,
    slope: f64,
}

impl Curve {
    /// A curve of multipliers through these points of radius (m) and value.
    pub fn multiply(points: &[[f64; 2]]) -> Self {
        Self { points: points.to_vec(), ..Self::default() }
    }

    /// A curve of absolute values through these points of radius (m) and value, interpolated in logarithms.
    pub fn absolute(points: &[[f64; 2]]) -> Self {
        Self { kind: CurveKind::Absolute, scale: CurveScale::Log, points: points.to_vec() }
    }

    /// Whether the values replace the physical ones.
    pub(crate) fn is_absolute(&self) -> bool {
        self.kind == CurveKind::Absolute && !self.points.is_empty()
    }

    /// Computes the slopes.
    pub fn spline(&self) -> Spline {
        let mut knots: Vec<Knot> = self
            .points
            .iter()
            .map(|&[radius, value]| match self.scale {
                CurveScale::Linear => Knot { value, x: radius, y: value, slope: 0.0 },
                CurveScale::Log => Knot { value, x: libm::log(radius), y: libm::log(value), slope: 0.0 },
            })
            .collect();
        for i in 0..knots.len() {
            let secant = |a: Knot, b: Knot| Some((b.y - a.y) / (b.x - a.x)).filter(|s| s.is_finite());
            let before = i.checked_sub(1).and_then(|j| secant(knots[j], knots[i]));
            let after = knots.get(i + 1).and_then(|&next| secant(knots[i], next));
            knots[i].slope = match (before, after) {
                (Some(a), Some(b)) if a * b <= 0.0 => 0.0,
                (Some(a), Some(b)) => {
                    let limit = 3.0 * a.abs().min(b.abs());
                    (0.5 * (a + b)).clamp(-limit, limit)
                }
                // The end of the curve, or of its finite part.
                (Some(a), None) | (None, Some(a)) => a,
                (None, None) => 0.0,
            };
        }
        Spline { scale: self.scale, knots }
    }
}

impl Spline {
    /// The value for wood of this radius, m.
    pub fn at(&self, radius: f64) -> f64 {
        let (Some(first), Some(last)) = (self.knots.first(), self.knots.last()) else {
            return 1.0;
        };
        let x = match self.scale {
            CurveScale::Linear => radius,
            CurveScale::Log => libm::log(radius),
        };
        let next = self.knots.partition_point(|knot| knot.x <= x);
        if next == 0 {
            return first.value;
        }
        let (a, Some(b)) = (&self.knots[next - 1], self.knots.get(next)) else {
            return last.value;
        };
        if x == a.x {
            return a.value;
        }
        if !(a.value.is_finite() && b.value.is_finite()) {
            return f64::INFINITY;
        }
        let width = b.x - a.x;
        let t = (x - a.x) / width;
        let y =
            a.y + (b.y - a.y) * t * t * (3.0 - 2.0 * t) + width * t * (1.0 - t) * ((1.0 - t) * a.slope - t * b.slope);
        let value = match self.scale {
            CurveScale::Linear => y,
            CurveScale::Log => libm::exp(y),
        };
        // Only rounding can leave the range.
        value.max(a.value.min(b.value)).min(a.value.max(b.value))
    }
}
