//! The noise of `perlin` (zhao2013, section 8): mean, deviation, smoothness, octaves.
#![allow(clippy::disallowed_methods, reason = "a test needs no portable bits")]

use crate::common;
use crate::common::spectrum::moments;
use crate::common::{Dice, build};
use windfall_core::glam::DVec3;
use windfall_wind::Wind;

#[test]
fn mean_and_deviation_are_those_that_were_asked_for() {
    for (name, keys) in [
        ("breeze, 1 octave", "speed = 3\nintensity = 0.2\noctaves = 1"),
        ("wind, 3 octaves", "speed = 8\nintensity = 0.3\noctaves = 3\npersistence = 0.5"),
        ("hurricane, 6 octaves", "speed = 40\nintensity = 0.5\noctaves = 6\npersistence = 0.8"),
    ] {
        let air = build(&format!("kind = 'perlin'\nfrom_degrees = 270\nseed = 5\n{keys}"));
        let number = |key: &str| -> f64 {
            let line = keys.lines().find(|line| line.starts_with(key)).unwrap();
            line.split_once("= ").unwrap().1.parse().unwrap()
        };
        let (speed, sigma) = (number("speed"), number("speed") * number("intensity"));
        let mut dice = Dice(3);
        let n = 200_000;
        let samples: Vec<DVec3> = (0..n).map(|_| air.velocity(dice.place(5e3), 1e4 * dice.roll())).collect();
        let mut found = Vec::new();
        for (axis, expected) in [speed, 0.0, 0.0].into_iter().enumerate() {
            let of: Vec<f64> = samples.iter().map(|v| v[axis]).collect();
            let (mean, variance) = moments(&of);
            // Five standard errors of n samples.
            assert!((mean - expected).abs() < 5.0 * sigma / f64::from(n).sqrt(), "{name}: {mean}");
            assert!(
                (variance.sqrt() / sigma - 1.0).abs() < 5.0 / (2.0 * f64::from(n)).sqrt() * 1.2,
                "{name}: {variance}"
            );
            found.push(variance.sqrt());
        }
        println!("| perlin, {name} | {sigma:.3} m/s | {:.3}, {:.3}, {:.3} m/s |", found[0], found[1], found[2]);
        // The components are independent.
        let product = |a: usize, b: usize| {
            let mean = DVec3::new(speed, 0.0, 0.0);
            samples.iter().map(|v| (v[a] - mean[a]) * (v[b] - mean[b])).sum::<f64>() / f64::from(n) / (sigma * sigma)
        };
        assert!([product(0, 1), product(1, 2), product(0, 2)].iter().all(|p| p.abs() < 0.013), "{name}");
    }
}

/// Gradient noise is zero on its lattice, and its correlation is independent of the direction.
#[test]
fn it_is_zero_on_the_lattice_and_changes_over_size_and_duration() {
    let air = build("kind = 'perlin'\nspeed = 5\noctaves = 1\nsize = 4\nduration = 2\nmean = false");
    for i in 0..50 {
        let corner = DVec3::new(f64::from(i % 5) * 4.0 - 8.0, f64::from(i % 3) * 4.0, f64::from(i) * 4.0 - 40.0);
        assert!(air.velocity(corner, f64::from(i) * 2.0 - 30.0).length() < 1e-12);
    }
    let mut dice = Dice(9);
    // The correlation over `distance` along an axis or over a time.
    let mut correlation = |by: DVec3, later: f64| {
        let n = 40_000;
        let sum: f64 = (0..n)
            .map(|_| {
                let (p, t) = (dice.place(4e3), 1e4 * dice.roll());
                air.velocity(p, t).x * air.velocity(p + by, t + later).x
            })
            .sum();
        sum / f64::from(n) / (1.5 * 1.5)
    };
    let in_space = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| correlation(axis, 0.0));
    let in_time = correlation(DVec3::ZERO, 0.5);
    println!(
        "| perlin: correlation a quarter of a cell away, along x, y, z, t | equal | {in_space:.3?}, {in_time:.3} |"
    );
    // A quarter of a cell each; by symmetry they are the same: differences within five standard errors.
    assert!(in_space.iter().all(|c| (c - in_time).abs() < 0.035), "{in_space:?} {in_time}");
    // Two cells away the correlation is zero.
    assert!(correlation(DVec3::X * 8.0, 0.0).abs() < 0.025 && correlation(DVec3::ZERO, 4.0).abs() < 0.025);
}

#[test]
fn it_is_smooth_across_cells() {
    let air = build("kind = 'perlin'\noctaves = 1\nsize = 1\nduration = 1");
    let d = 1e-5;
    for i in 0..100 {
        let [a, b, c] = common::spread(i);
        let t = f64::from(i as u32) * 0.37;
        // A face of a cell, from both sides: the slopes agree (the first two derivatives of the fade are
        // zero at its ends).
        let at = |x: f64| air.velocity(DVec3::new(3.0 + x, a * 9.0 + b, c * 9.0), t);
        let (left, right) = ((at(0.0) - at(-d)) / d, (at(d) - at(0.0)) / d);
        assert!((left - right).length() < 1e-2 * (1.0 + left.length()), "{left} {right}");
        let at = |s: f64| air.velocity(DVec3::new(a, b, c), 5.0 + s);
        let (left, right) = ((at(0.0) - at(-d)) / d, (at(d) - at(0.0)) / d);
        assert!((left - right).length() < 1e-2 * (1.0 + left.length()), "{left} {right}");
    }
}

#[test]
fn octaves_double_and_decay() {
    let one = |octaves: i64, size: f64, duration: f64| {
        build(&format!(
            "kind = 'perlin'\nspeed = 1\nintensity = 1\noctaves = {octaves}\nsize = {size}\nduration = {duration}\nmean = false"
        ))
    };
    // With a persistence of 0.5 two octaves are (n_0 + n_1/2) / sqrt(1.25), and n_0 is the noise with one
    // octave.
    let (first, both) = (one(1, 6.0, 2.0), one(2, 6.0, 2.0));
    let mut dice = Dice(2);
    let (n, mut product, mut rest) = (50_000, 0.0, 0.0);
    for _ in 0..n {
        let (p, t) = (dice.place(3e3), 1e3 * dice.roll());
        let (a, b) = (first.velocity(p, t).x, both.velocity(p, t).x);
        product += a * b / f64::from(n);
        rest += (b - a / 1.25_f64.sqrt()).powi(2) / f64::from(n);
    }
    // Correlation 1 / sqrt(1.25) = 0.894, and the remainder has the variance 0.25 / 1.25 = 0.2.
    assert!((product - 0.894).abs() < 0.03 && (rest - 0.2).abs() < 0.01, "{product} {rest}");
}
