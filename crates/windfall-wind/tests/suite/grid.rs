//! The grid and the wiggle of quigley2017, section 7.
#![allow(clippy::disallowed_methods, reason = "a test needs no portable bits")]

use crate::common;
use crate::common::spectrum::moments;
use crate::common::{Dice, build};
use windfall_core::glam::DVec3;
use windfall_wind::Wind;

#[test]
fn cells_are_columns_with_their_own_wind() {
    let air = build(
        "kind = 'grid'\ncorner = [-10, -20]\ncell_size = 10\ncolumns = 2\nrows = 3\nspeed = 4\noctaves = 0\ncells = [\n\
         { column = 1, row = 0, speed = 9 }, { column = 0, row = 2, from_degrees = 0 }]",
    );
    let at = |x: f64, y: f64, z: f64| air.velocity(DVec3::new(x, y, z), 3.3);
    let east = |speed: f64| DVec3::new(speed, 0.0, 0.0);
    let close = |a: DVec3, b: DVec3| (a - b).length() < 1e-6;
    for y in [-50.0, 0.0, 500.0] {
        assert!(close(at(-5.0, y, -15.0), east(4.0)), "column 0, row 0");
        assert!(close(at(5.0, y, -15.0), east(9.0)), "column 1, row 0");
        assert!(close(at(-5.0, y, 5.0), DVec3::new(0.0, 0.0, 4.0)), "column 0, row 2: from the north");
        // Outside: the nearest cell.
        assert!(close(at(900.0, y, -300.0), east(9.0)));
        assert!(close(at(-900.0, y, 300.0), DVec3::new(0.0, 0.0, 4.0)));
        assert!(close(at(-900.0, y, -5.0), east(4.0)));
    }
}

#[test]
fn octaves_persistence_and_phase_make_the_gusts_of_a_cell() {
    let air = build(
        "kind = 'grid'\ncolumns = 1\nrows = 1\nspeed = 10\ngusts = 0.3\ngust_period = 8\noctaves = 3\npersistence = 0.6\nphase_degrees = 40",
    );
    let phase = 40_f64.to_radians();
    let amplitude = 0.3 * (2.0 / (1.0 + 0.36 + 0.1296_f64)).sqrt();
    let mut speeds = Vec::new();
    for i in 0..8000 {
        let t = f64::from(i) * 0.01;
        let angle = std::f64::consts::TAU * t / 8.0 + phase;
        let expected =
            10.0 * (1.0 + amplitude * (angle.sin() + 0.6 * (2.0 * angle).sin() + 0.36 * (4.0 * angle).sin()));
        let found = air.velocity(DVec3::ZERO, t).x;
        assert!((found - expected).abs() < 1e-5, "{t}: {found} {expected}");
        speeds.push(found);
    }
    // Ten whole periods: mean and deviation are exact.
    let (mean, variance) = moments(&speeds);
    println!("| grid cell | mean 10, deviation 3 m/s | {mean:.4}, {:.4} m/s |", variance.sqrt());
    assert!((mean - 10.0).abs() < 1e-5 && (variance.sqrt() - 3.0).abs() < 1e-5);
}

#[test]
fn phases_differ_from_cell_to_cell_by_the_seed() {
    let of = |seed: i64| {
        let air = build(&format!("kind = 'grid'\nseed = {seed}"));
        [-17.0, -12.0, -7.0, 3.0].map(|x| air.velocity(DVec3::new(x, 0.0, 0.0), 1.0).x)
    };
    let speeds = of(1);
    assert!((1..4).all(|i| (speeds[i] - speeds[0]).abs() > 1e-3), "{speeds:?}");
    assert_eq!(of(1), speeds);
    assert_ne!(of(2), speeds);
}

/// Points around a corner of four cells, at the edges of the grid and beyond it, in batches whose sizes
/// are not multiples of eight or sixteen: points in few cells have a separate code path.
#[test]
fn neighbours_get_the_winds_of_their_own_cells() {
    let air = build("kind = 'grid'\ncolumns = 4\nrows = 4\ncell_size = 5\ncorner = [-10, -10]\nseed = 3");
    let places = [[0.0, 0.0], [5.0, -5.0], [-10.0, -10.0], [10.0, 10.0], [-10.0, 5.0], [0.0, 10.0], [300.0, 2.5]];
    for [x, z] in places {
        let place =
            |i: i32| DVec3::new(x + f64::from(i % 5 - 2) * 1.1 + 0.05, 1.0, z + f64::from(i / 5 - 2) * 1.1 + 0.05);
        let points: Vec<DVec3> = (0..25).map(place).collect();
        let winds = common::batch(&air, 2.0, &points);
        for (point, wind) in points.iter().zip(&winds) {
            assert!((air.velocity(*point, 2.0) - *wind).length() < 1e-4, "{wind} at {point}");
        }
        let differ = winds.iter().any(|wind| (*wind - winds[0]).length() > 1e-2);
        assert_eq!(differ, x < 100.0 && (x, z) != (-10.0, -10.0) && (x, z) != (10.0, 10.0), "around {x}, {z}");
    }
}

/// Equation and words of the paper: v + h s with s = v x j / |v x j|, scaled back to |v|.
#[test]
fn the_wiggle_turns_by_h_over_v_and_keeps_the_magnitude() {
    // Without rings (a wavelength of 1000 km) at a quarter of the period before zero h is a(r).
    let air = build(
        "kind = 'wiggle'\naxes = [[3, 4]]\nswing = [[0, 0], [5, 6], [10, 0]]\nwavelength = 1e6\nswing_period = 8\nwind = { kind = 'uniform', speed = 8 }",
    );
    for (r, h) in [(0.0, 0.0), (5.0, 6.0), (10.0, 0.0), (300.0, 0.0), (2.5, 3.0)] {
        let v = air.velocity(DVec3::new(3.0 + r * 0.6, 9.0, 4.0 - r * 0.8), -2.0);
        assert!((v.length() - 8.0).abs() < 1e-9 && v.y == 0.0);
        // v = (8, 0, 0), so s = (0, 0, 1): the tangent of the angle is h / 8.
        let turned = v.z / v.x;
        // The slopes of the spline are zero at all three points, so its value at the midpoint is the mean.
        assert!((turned - h / 8.0).abs() < 2e-3, "{r}: {turned}");
    }
    // Half a period later the swing has the opposite sign.
    let at = |t: f64| air.velocity(DVec3::new(8.0, 0.0, 4.0), t).z;
    assert!((at(-2.0) + at(2.0)).abs() < 1e-9 && at(-2.0) > 4.0);
    // Rings run outwards: a crest at r is at r + wavelength / 4 a quarter of a period later.
    let rings = build("kind = 'wiggle'\nswing_period = 4\nwavelength = 20\nwind = { kind = 'uniform', speed = 8 }");
    let at = |r: f64, t: f64| rings.velocity(DVec3::new(0.0, 0.0, r), t).z;
    assert!((at(7.0, 3.3) - at(12.0, 4.3)).abs() < 1e-9);
}

#[test]
fn every_wind_keeps_its_magnitude_in_a_wiggle() {
    let inner = "kind = 'perlin', speed = 4, elevation_degrees = 30, intensity = 0.8";
    let with = build(&format!("kind = 'wiggle'\nswing = [[0, 9]]\nwind = {{ {inner} }}"));
    let without = build(&inner.replace(", ", "\n"));
    let mut dice = Dice(1);
    let mut turned: f64 = 0.0;
    for _ in 0..2000 {
        let (p, t) = (dice.place(50.0), 100.0 * dice.roll());
        let (a, b) = (with.velocity(p, t), without.velocity(p, t));
        assert!((a.length() - b.length()).abs() < 1e-9);
        turned = turned.max(a.angle_between(b));
    }
    assert!(turned > 1.0);
}

/// Between two trees the distance to the nearest axis has a kink but no step.
#[test]
fn trees_of_a_park_have_their_own_axes() {
    let air = build(
        "kind = 'wiggle'\naxes = [[0, 0], [20, 0]]\nswing = [[0, 0], [8, 5]]\nwavelength = 9\nwind = { kind = 'uniform', speed = 8 }",
    );
    let at = |x: f64, z: f64| air.velocity(DVec3::new(x, 0.0, z), 1.3);
    for (x, z) in [(1.0, 2.0), (7.0, -3.0)] {
        assert!((at(x, z) - at(20.0 - x, z)).length() < 1e-12, "both trees alike");
    }
    assert!((at(10.0 - 1e-6, 3.0) - at(10.0 + 1e-6, 3.0)).length() < 1e-4);
}

#[test]
fn still_and_upright_air_can_be_wiggled() {
    for inner in ["speed = 0", "speed = 5, elevation_degrees = 90"] {
        let air = build(&format!("kind = 'wiggle'\nwind = {{ kind = 'uniform', {inner} }}"));
        let v = air.velocity(DVec3::new(1.0, 2.0, 3.0), 0.7);
        assert!(v.is_finite(), "{v}");
    }
}
