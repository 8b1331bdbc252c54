//! Centre lines with radii, and their cleaning: input from artists, scanners and growers may hold
//! coincident points.

use glam::DVec3;

use crate::validate::LARGEST_MEASURE;

/// A point of a cleaned line: its position and the radii on its two sides, which differ where the radius
/// jumps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Knot {
    pub(super) position: DVec3,
    pub(super) radius_before: f64,
    pub(super) radius_after: f64,
}

/// Points with radii, from base to tip.
#[derive(Debug, Clone, PartialEq)]
pub struct CentreLine {
    points: Vec<(DVec3, f64)>,
    smooth: bool,
}

/// Why a centre line cannot become a branch.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LineError {
    /// A coordinate or radius is not finite or too large, or a radius is negative.
    #[error(
        "point {index} of the centre line: position {position}, radius {radius}: must be within {LARGEST_MEASURE} m, the \
         radius not negative"
    )]
    BadPoint {
        /// Index of the point.
        index: usize,
        /// Its position, m.
        position: DVec3,
        /// Its radius, m.
        radius: f64,
    },
    /// Two neighbouring nodes of an already divided line coincide, or one is not a number.
    #[error("nodes {index} and {} are {distance} m apart: a segment needs a length", index + 1)]
    NoLength {
        /// Index of the first of the two.
        index: usize,
        /// Distance between them, m.
        distance: f64,
    },
    /// The division would give more segments than a plant can have.
    #[error("a run of {length} m cut into pieces of {piece} m gives too many segments: choose longer ones")]
    TooFine {
        /// Length of the run, m.
        length: f64,
        /// Largest length of a segment, m.
        piece: f64,
    },
    /// A field of the segmentation is out of range.
    #[error("segmentation: {field} = {value}: {rule}")]
    Segmentation {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// Fewer than two distinct points.
    #[error(
        "the centre line has {points} points within {extent} m of each other: a branch needs a length of at least {least} m"
    )]
    TooShort {
        /// Number of points given.
        points: usize,
        /// Their extent, m.
        extent: f64,
        /// Least extent required, m.
        least: f64,
    },
}

impl CentreLine {
    /// A line with straight pieces between the points.
    pub fn polyline(points: &[(DVec3, f64)]) -> Self {
        Self { points: points.to_vec(), smooth: false }
    }

    /// A smooth curve through the points: a centripetal Catmull-Rom spline, which neither loops nor
    /// overshoots between close points. Radii are interpolated linearly from point to point.
    pub fn spline(points: &[(DVec3, f64)]) -> Self {
        Self { points: points.to_vec(), smooth: true }
    }

    /// Distinct, finite points, at least `least` apart. Two coincident points with different radii are a
    /// jump of the radius.
    pub(super) fn cleaned(&self, least: f64, least_radius: f64) -> Result<Vec<Knot>, LineError> {
        let mut knots: Vec<Knot> = Vec::with_capacity(self.points.len());
        for (index, &(position, radius)) in self.points.iter().enumerate() {
            let in_reach = position.abs().max_element() <= f64::from(LARGEST_MEASURE) && !position.is_nan();
            if !(in_reach && (0.0..=f64::from(LARGEST_MEASURE)).contains(&radius)) {
                return Err(LineError::BadPoint { index, position, radius });
            }
            let radius = radius.max(least_radius);
            let knot = Knot { position, radius_before: radius, radius_after: radius };
            let is_last = index + 1 == self.points.len();
            let count = knots.len();
            match knots.last_mut() {
                Some(last) if last.position.distance(position) < COINCIDENT => last.radius_after = radius,
                // A point too near to the previous one is dropped, but the end point of the branch is
                // kept.
                Some(last) if last.position.distance(position) < least => {
                    if is_last && count > 1 {
                        *last = knot;
                    }
                }
                _ => knots.push(knot),
            }
        }
        if knots.len() < 2 {
            let extent = self.points.iter().map(|p| p.0.distance(self.points[0].0)).fold(0.0, f64::max);
            return Err(LineError::TooShort { points: self.points.len(), extent, least });
        }
        Ok(if self.smooth { smoothed(&knots) } else { knots })
    }
}

/// Points nearer to each other than this coincide, m.
const COINCIDENT: f64 = 1e-6;

/// Number of chords that approximate a span of the spline.
const PIECES: usize = 32;

/// The spline as a fine polyline that keeps every knot.
fn smoothed(knots: &[Knot]) -> Vec<Knot> {
    let mut fine = Vec::with_capacity(knots.len() * PIECES);
    let last = knots.len() - 1;
    for i in 0..last {
        let (p1, p2) = (knots[i].position, knots[i + 1].position);
        // Linear extrapolation beyond the ends.
        let p0 = if i == 0 { p1 + (p1 - p2) } else { knots[i - 1].position };
        let p3 = if i + 1 == last { p2 + (p2 - p1) } else { knots[i + 2].position };
        fine.push(knots[i]);
        for k in 1..PIECES {
            let u = k as f64 / PIECES as f64;
            let radius = knots[i].radius_after + (knots[i + 1].radius_before - knots[i].radius_after) * u;
            let position = centripetal(p0, p1, p2, p3, u);
            fine.push(Knot { position, radius_before: radius, radius_after: radius });
        }
    }
    fine.push(knots[last]);
    fine
}

/// Catmull-Rom between `p1` and `p2` with knot distances |p - q|^(1/2) (Yuksel, Schaefer and Keyser 2011).
fn centripetal(p0: DVec3, p1: DVec3, p2: DVec3, p3: DVec3, u: f64) -> DVec3 {
    let step = |a: DVec3, b: DVec3| a.distance(b).sqrt();
    let (t1, t2, t3) = {
        let t1 = step(p0, p1);
        let t2 = t1 + step(p1, p2);
        (t1, t2, t2 + step(p2, p3))
    };
    let t = t1 + (t2 - t1) * u;
    let mix = |a: DVec3, b: DVec3, ta: f64, tb: f64| (a * (tb - t) + b * (t - ta)) / (tb - ta);
    let (a1, a2, a3) = (mix(p0, p1, 0.0, t1), mix(p1, p2, t1, t2), mix(p2, p3, t2, t3));
    let (b1, b2) = (mix(a1, a2, 0.0, t2), mix(a2, a3, t1, t3));
    mix(b1, b2, t1, t2)
}
