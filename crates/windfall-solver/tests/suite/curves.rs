//! Curves over the radius go through their points, and never beyond them.

use proptest::prelude::*;
use windfall_solver::params::{Curve, CurveScale};

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} is not {b}");
}

#[test]
fn no_points_are_one_everywhere_and_one_point_is_a_constant() {
    let none = Curve::default().spline();
    let one = Curve::multiply(&[[0.01, 3.0]]).spline();
    for radius in [0.0, 1e-6, 0.01, 1e4] {
        assert_eq!(none.at(radius), 1.0);
        assert_eq!(one.at(radius), 3.0);
    }
}

#[test]
fn two_points_are_a_straight_line_with_constant_ends() {
    let line = Curve::multiply(&[[0.01, 2.0], [0.03, 4.0]]).spline();
    for (radius, value) in [(0.001, 2.0), (0.01, 2.0), (0.015, 2.5), (0.025, 3.5), (0.03, 4.0), (1.0, 4.0)] {
        close(line.at(radius), value);
    }
}

#[test]
fn three_points_as_worked_out_by_hand() {
    // Secants 1 and 0: slopes 1, 0, 0. Half way: 1/2 + 1/4 (1/2 * 1 - 1/2 * 0) = 5/8, then flat.
    let flat = Curve::multiply(&[[0.0, 0.0], [1.0, 1.0], [2.0, 1.0]]).spline();
    close(flat.at(0.5), 0.625);
    close(flat.at(1.5), 1.0);
    // Secants 1 and 9: their mean 5 is limited to 3 * 1. Half ways: 1/2 + (1 - 3)/8 and 1 + 9/2 + (3 - 9)/8.
    let steep = Curve::multiply(&[[0.0, 0.0], [1.0, 1.0], [2.0, 10.0]]).spline();
    close(steep.at(0.5), 0.25);
    close(steep.at(1.5), 4.75);
    // An extremum is flat: slopes 1, 0, -1.
    let hill = Curve::multiply(&[[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]]).spline();
    close(hill.at(0.5), 0.625);
    close(hill.at(1.5), 0.625);
}

#[test]
fn two_points_on_a_log_scale_are_a_power_law() {
    // Stiffness goes with the fourth power of the radius: 1 N m/rad at 1 mm is 1e8 at 10 cm.
    let curve = Curve::absolute(&[[0.001, 1.0], [0.1, 1e8]]).spline();
    for radius in [0.001, 0.002, 0.01, 0.03, 0.07, 0.1] {
        let exact = (radius / 0.001_f64).powi(4);
        assert!((curve.at(radius) / exact - 1.0).abs() < 1e-11, "{radius}");
    }
}

#[test]
fn an_infinite_point_makes_everything_up_to_the_next_one_rigid() {
    let curve = Curve::multiply(&[[0.01, 1.0], [0.02, 2.0], [0.03, f64::INFINITY], [0.04, f64::INFINITY]]).spline();
    close(curve.at(0.015), 1.5);
    close(curve.at(0.02), 2.0);
    for radius in [0.0201, 0.03, 0.035, 1.0] {
        assert_eq!(curve.at(radius), f64::INFINITY, "{radius}");
    }
    let log = Curve { scale: CurveScale::Log, ..Curve::multiply(&[[0.01, f64::INFINITY], [0.02, 1.0]]) }.spline();
    assert_eq!((log.at(0.001), log.at(0.015), log.at(0.02)), (f64::INFINITY, f64::INFINITY, 1.0));
}

/// Up to eight points with increasing radii; `sort` makes the values increase too.
fn any_curve(sort: bool) -> impl Strategy<Value = Curve> {
    let steps = prop::collection::vec((prop_oneof![1e-9..1e-6_f64, 1e-4..0.1_f64], 1e-3..1e6_f64), 1..8);
    (steps, 1e-6..0.1_f64, any::<bool>()).prop_map(move |(steps, mut radius, log)| {
        let mut values: Vec<f64> = steps.iter().map(|s| s.1).collect();
        if sort {
            values.sort_by(f64::total_cmp);
        }
        let points = steps.iter().zip(values).map(|(&(step, _), value)| {
            radius += step;
            [radius, value]
        });
        let points: Vec<_> = points.collect();
        Curve { scale: if log { CurveScale::Log } else { CurveScale::Linear }, ..Curve::multiply(&points) }
    })
}

proptest! {
    #[test]
    fn monotone_points_make_a_monotone_curve(curve in any_curve(true)) {
        let spline = curve.spline();
        for pair in curve.points.windows(2) {
            let mut before = spline.at(pair[0][0]);
            for i in 1..=100 {
                let value = spline.at(pair[0][0] + (pair[1][0] - pair[0][0]) * f64::from(i) / 100.0);
                // Increasing up to rounding.
                prop_assert!(value >= before * (1.0 - 1e-12), "{} after {}", value, before);
                before = value;
            }
        }
    }

    #[test]
    fn curves_go_through_their_points_and_stay_between_neighbours(curve in any_curve(false), t in 0.0..1.0_f64) {
        let spline = curve.spline();
        for &[radius, value] in &curve.points {
            prop_assert_eq!(spline.at(radius), value);
        }
        for pair in curve.points.windows(2) {
            let [[r0, v0], [r1, v1]] = [pair[0], pair[1]];
            let value = spline.at(r0 + (r1 - r0) * t);
            prop_assert!(value >= v0.min(v1) && value <= v0.max(v1));
        }
    }

    #[test]
    fn curves_have_no_jumps(curve in any_curve(false)) {
        let spline = curve.spline();
        for (i, &[radius, value]) in curve.points.iter().enumerate() {
            // A millionth of the way to a neighbour: a slope is at most three secants, so the value moves
            // by at most three millionths, and on a log scale by (b - a) / (a ln(b / a)) times that, which
            // is below 1e4 here.
            for (j, sign) in [(i.wrapping_sub(1), -1.0), (i + 1, 1.0)] {
                let Some(&[r, v]) = curve.points.get(j) else { continue };
                let beside = spline.at(radius + sign * 1e-6 * (r - radius).abs());
                let (moved, way) = match curve.scale {
                    CurveScale::Linear => ((beside - value).abs(), (v - value).abs()),
                    CurveScale::Log => ((beside / value).ln().abs(), (v / value).ln().abs()),
                };
                prop_assert!(moved <= 0.03 * way + 1e-12 * value, "{} of {}", moved, way);
            }
        }
    }
}
