//! Curves through control points: piecewise linear in time, a smooth spline in distance.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use fearless_simd::prelude::*;

/// A piecewise linear function through points (time in s, value).
pub(crate) struct Polyline {
    points: Vec<[f64; 2]>,
    period: Option<f64>,
}

impl Polyline {
    /// Constant outside the points; with a period, the last point is connected to the first.
    pub(crate) fn new(points: &[[f64; 2]], period: Option<f64>) -> Self {
        Self { points: points.to_vec(), period }
    }

    pub(crate) fn at(&self, time: f64) -> f64 {
        let points = &self.points;
        let after = points.partition_point(|[t, _]| *t <= time);
        let (before, next) = match (after, self.period) {
            (0, None) => return points[0][1],
            (i, None) if i == points.len() => return points[i - 1][1],
            (0, Some(period)) => {
                let [t, value] = points[points.len() - 1];
                ([t - period, value], points[0])
            }
            (i, Some(period)) if i == points.len() => {
                let [t, value] = points[0];
                (points[i - 1], [t + period, value])
            }
            (i, _) => (points[i - 1], points[i]),
        };
        let share = (time - before[0]) / (next[0] - before[0]);
        before[1] + share.clamp(0.0, 1.0) * (next[1] - before[1])
    }
}

/// A cubic spline of a distance: Hermite pieces whose slopes are those of the parabola through three
/// neighbours (Catmull-Rom for equal steps), with zero slope at both ends, constant outside.
///
/// Each piece is relative to its left end and clamped at its right end, so the curve is a sum over all
/// pieces without a branch or a search:
///
/// ```text
/// f(r) = y_0 + sum_j u_j (a_j + u_j (b_j + u_j c_j)),    u_j = clamp((r - r_j) / (r_(j+1) - r_j), 0, 1)
/// ```
pub(crate) struct Spline {
    start: f64,
    pieces: Vec<Piece>,
    /// The same coefficients for the vectorised form: [`Piece::numbers`].
    in_lanes: Vec<[f32; 5]>,
}

struct Piece {
    from: f64,
    per_length: f64,
    a: f64,
    b: f64,
    c: f64,
}

impl Piece {
    fn numbers(&self) -> [f32; 5] {
        [self.from as f32, self.per_length as f32, self.a as f32, self.b as f32, self.c as f32]
    }
}

impl Spline {
    pub(crate) fn new(points: &[[f64; 2]]) -> Self {
        let secant = |i: usize| (points[i + 1][1] - points[i][1]) / (points[i + 1][0] - points[i][0]);
        let slope = |i: usize| {
            if i == 0 || i + 1 == points.len() {
                return 0.0;
            }
            let (left, right) = (points[i][0] - points[i - 1][0], points[i + 1][0] - points[i][0]);
            (secant(i - 1) * right + secant(i) * left) / (left + right)
        };
        let piece = |i: usize| {
            let length = points[i][0] - points[i - 1][0];
            let rise = points[i][1] - points[i - 1][1];
            let (s0, s1) = (slope(i - 1) * length, slope(i) * length);
            Piece {
                from: points[i - 1][0],
                per_length: 1.0 / length,
                a: s0,
                b: 3.0 * rise - 2.0 * s0 - s1,
                c: s0 + s1 - 2.0 * rise,
            }
        };
        let pieces: Vec<_> = (1..points.len()).map(piece).collect();
        Self { start: points[0][1], in_lanes: pieces.iter().map(Piece::numbers).collect(), pieces }
    }

    pub(crate) fn at(&self, r: f64) -> f64 {
        let rise = self.pieces.iter().map(|p| {
            let u = ((r - p.from) * p.per_length).clamp(0.0, 1.0);
            u * (p.a + u * (p.b + u * p.c))
        });
        self.start + rise.sum::<f64>()
    }

    /// The values at one vector of distances.
    #[inline(always)]
    pub(crate) fn lanes<S: Simd, N: SimdFloat<S, Element = f32>>(&self, r: N) -> N {
        let mut sum = N::splat(r.token(), self.start as f32);
        for &[from, per_length, a, b, c] in &self.in_lanes {
            let u = ((r - from) * per_length).max(0.0).min(1.0);
            sum += u * (u * (u * c + b) + a);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch, f32x8, prelude::*};

    use super::{Polyline, Spline};

    #[test]
    fn splines_pass_through_their_points_and_are_smooth() {
        let points = [[0.0, 1.0], [1.0, 3.0], [1.5, -2.0], [4.0, 0.5]];
        let spline = Spline::new(&points);
        for [r, value] in points {
            assert!((spline.at(r) - value).abs() < 1e-12);
            let d = 1e-6;
            let (left, right) = (spline.at(r) - spline.at(r - d), spline.at(r + d) - spline.at(r));
            assert!((left - right).abs() < 1e-4 * d * 1e3, "{left} {right}");
        }
        assert_eq!((spline.at(-5.0), spline.at(9.0)), (1.0, 0.5));
        let lanes: [f32; 8] = std::array::from_fn(|i| 0.6 * i as f32);
        let out: [f32; 8] = dispatch!(Level::baseline(), simd => spline.lanes(f32x8::from_slice(simd, &lanes)).into());
        for (r, value) in lanes.into_iter().zip(out) {
            assert!((f64::from(value) - spline.at(r.into())).abs() < 1e-5, "{r}: {value}");
        }
    }

    #[test]
    fn splines_keep_straight_lines_straight_inside() {
        let spline = Spline::new(&[[0.0, 0.0], [1.0, 2.0], [3.0, 6.0], [4.0, 8.0], [5.0, 10.0]]);
        for i in 0..=20 {
            let r = 1.0 + 3.0 * f64::from(i) / 20.0;
            assert!((spline.at(r) - 2.0 * r).abs() < 1e-12);
        }
    }

    #[test]
    fn polylines_hold_their_ends_or_come_back() {
        let points = [[1.0, 2.0], [3.0, 6.0]];
        let open = Polyline::new(&points, None);
        assert_eq!([0.0, 2.0, 9.0].map(|t| open.at(t)), [2.0, 4.0, 6.0]);
        // From 6 at 3 s back to 2 at 5 s (= 1 s): the midpoint is at 4 s (= 0 s).
        let closed = Polyline::new(&points, Some(4.0));
        assert_eq!([0.0, 2.0, 3.5, 0.5].map(|t| closed.at(t)), [4.0, 4.0, 5.0, 3.0]);
    }
}
