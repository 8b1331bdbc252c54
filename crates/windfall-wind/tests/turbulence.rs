//! The statistics of `turbulence` against von Kármán's theory. Rows are printed with `--nocapture`.
#![allow(clippy::disallowed_methods, reason = "a test needs no portable bits")]

mod common;

use common::spectrum::{moments, welch};
use common::{Dice, build, spread};
use windfall_core::glam::DVec3;
use windfall_wind::{Air, Model, Turbulence, Wind, WindSpec};

const SPEED: f64 = 10.0;
const LENGTH: f64 = 20.0;
const SIGMA: f64 = 0.2 * SPEED;
const SMALLEST: f64 = 0.5;

/// Blows to +x, so that u, v, w are x, z, y.
fn air(seed: i64, lateral: f64, vertical: f64, modes: i64) -> Air {
    let turbulence = Turbulence {
        speed: SPEED,
        intensity: 0.2,
        length: LENGTH,
        smallest: SMALLEST,
        lateral,
        vertical,
        modes,
        seed,
        ..Turbulence::default()
    };
    WindSpec::from(Model::Turbulence(turbulence)).build().unwrap()
}

/// von Kármán's E(k) for unit variance per component, k in rad/m: the integral is 3/2.
fn energy(k: f64) -> f64 {
    let length = LENGTH * 1.339;
    // The beta function B(5/2, 1/3) = Gamma(5/2) Gamma(1/3) / Gamma(17/6).
    let beta = 1.329_340 * 2.678_939 / 1.724_521;
    let q = length * k;
    3.0 * length * q.powi(4) * (1.0 + q * q).powf(-17.0 / 6.0) / beta
}

/// The integral of a function of k from one wave number to another, on a grid of ln k.
fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let steps = 2000;
    let d = (to / from).ln() / f64::from(steps);
    (0..steps).map(|i| from * ((f64::from(i) + 0.5) * d).exp()).map(|k| f(k) * k * d).sum()
}

/// The wave numbers of the first and the last shell.
fn ends() -> (f64, f64) {
    (0.25 / (LENGTH * 1.339), std::f64::consts::TAU / SMALLEST)
}

/// The share of the energy that lies between them.
fn covered() -> f64 {
    integral(ends().0, ends().1, energy) / 1.5
}

/// The spectra along and across the wind of isotropic turbulence with the energy between the ends alone, scaled to the full
/// variance (G. K. Batchelor, Theory of Homogeneous Turbulence, 1953):
/// `F_11(q)` = integral of E/k (1 - q²/k²), `F_22(q)` = 1/2 integral of E/k (1 + q²/k²) over k > q, one-sided.
fn cut_theory(f: f64) -> (f64, f64) {
    let q = std::f64::consts::TAU * f / SPEED;
    let (from, to) = (ends().0.max(q), ends().1);
    if from >= to {
        return (0.0, 0.0);
    }
    let unit = SIGMA * SIGMA * std::f64::consts::TAU / SPEED / covered();
    let along = integral(from, to, |k| energy(k) / k * (1.0 - q * q / (k * k)));
    let across = integral(from, to, |k| 0.5 * energy(k) / k * (1.0 + q * q / (k * k)));
    (unit * along, unit * across)
}

/// von Kármán's one-sided spectra of the component along the wind and of one across it, m²/s (ESDU 74031), from the same sigma.
fn theory(f: f64) -> (f64, f64) {
    let n = f * LENGTH / SPEED;
    let along = 4.0 * SIGMA * SIGMA * LENGTH / SPEED / (1.0 + 70.8 * n * n).powf(5.0 / 6.0);
    // Across, with the length L/2 in its own formula.
    let m = 0.5 * n;
    let across =
        4.0 * SIGMA * SIGMA * (0.5 * LENGTH) / SPEED * (1.0 + 755.2 * m * m) / (1.0 + 283.2 * m * m).powf(11.0 / 6.0);
    (along, across)
}

fn series(air: &Air, point: DVec3, count: usize, dt: f64) -> [Vec<f64>; 3] {
    let velocities: Vec<DVec3> = (0..count).map(|i| air.velocity(point, i as f64 * dt)).collect();
    [0, 2, 1].map(|axis| velocities.iter().map(|v| v[axis]).collect())
}

/// Every seed alone.
#[test]
fn mean_and_variances_are_those_that_were_asked_for() {
    println!("| component | theory, m/s | mean of 24 seeds | worst seed |");
    let mut all = [vec![], vec![], vec![]];
    for seed in 0..24 {
        let air = air(seed, 0.8, 0.5, 60);
        let n = 40_000;
        // Points scattered over a wide space and time: the mean over all of it.
        let mut dice = Dice(seed as u64);
        let samples: Vec<DVec3> = (0..n).map(|_| air.velocity(dice.place(4e4), 1e5 * dice.roll())).collect();
        for (axis, (component, mean)) in [(0, SPEED), (2, 0.0), (1, 0.0)].into_iter().enumerate() {
            let of: Vec<f64> = samples.iter().map(|v| v[component]).collect();
            let (found, variance) = moments(&of);
            // Standard error of the mean of independent samples, five times.
            assert!((found - mean).abs() < 5.0 * SIGMA / f64::from(n).sqrt(), "seed {seed} axis {axis}: {found}");
            all[axis].push(variance.sqrt());
        }
    }
    for ((name, theory), of) in [("u", SIGMA), ("v", 0.8 * SIGMA), ("w", 0.5 * SIGMA)].into_iter().zip(&all) {
        let mean = of.iter().sum::<f64>() / 24.0;
        let worst = of.iter().copied().fold(theory, |w, x| if (x - theory).abs() > (w - theory).abs() { x } else { w });
        println!("| standard deviation of {name} | {theory:.4} | {mean:.4} | {worst:.4} |");
        // The variance of a variance of n samples is at most 2/n, so the deviation is known to 0.35 %; five times that.
        assert!((worst / theory - 1.0).abs() < 0.018, "{name}: {worst} {theory}");
    }
}

/// The mean of 300 seeds by Welch's method, in bands of half an octave.
#[test]
fn spectra_are_von_karmans() {
    let (dt, segment) = (0.02, 4096);
    let seeds = 300;
    let mut density = [vec![0.0; segment / 2 + 1], vec![0.0; segment / 2 + 1], vec![0.0; segment / 2 + 1]];
    for seed in 0..seeds {
        let air = air(seed, 0.8, 0.5, 60);
        for (sum, of) in density.iter_mut().zip(series(&air, DVec3::new(3.0, 8.0, -2.0), segment, dt)) {
            let (mean, _) = moments(&of);
            let of: Vec<f64> = of.iter().map(|x| x - mean).collect();
            for (sum, d) in sum.iter_mut().zip(welch(&of, dt, segment)) {
                *sum += d / seeds as f64;
            }
        }
    }
    println!("covered by the modes: {:.2} %", 100.0 * covered());
    let step = 1.0 / (dt * segment as f64);
    let (mut worst, mut worst_of_formula) = (0.0_f64, 0.0_f64);
    println!("| f, Hz | f L/U | S_u, m²/s | cut | formula | S_v | cut | formula | S_w | cut | formula |");
    let (mut from, mut logs) = (0.05, Vec::new());
    while from < 14.0 {
        let to = from * std::f64::consts::SQRT_2;
        let bins: Vec<usize> = ((from / step).ceil() as usize..(to / step).ceil() as usize).collect();
        let mean = |f: &dyn Fn(f64) -> f64| bins.iter().map(|i| f(*i as f64 * step)).sum::<f64>() / bins.len() as f64;
        let middle = (from * to).sqrt();
        print!("| {middle:.3} | {:.3} |", middle * LENGTH / SPEED);
        let cut = [mean(&|f| cut_theory(f).0), mean(&|f| cut_theory(f).1)];
        let formula = [mean(&|f| theory(f).0), mean(&|f| theory(f).1)];
        for (axis, (part, kind)) in [(1.0, 0), (0.64, 1), (0.25, 1)].into_iter().enumerate() {
            let found = bins.iter().map(|i| density[axis][*i]).sum::<f64>() / bins.len() as f64;
            let (cut, formula) = (part * cut[kind], part * formula[kind]);
            print!(" {found:.4} | {cut:.4} | {formula:.4} |");
            worst = worst.max((found / cut - 1.0).abs());
            if from < 2.5 {
                worst_of_formula = worst_of_formula.max((found / formula - 1.0).abs());
            }
            if axis == 0 && (0.5..2.5).contains(&from) {
                logs.push((middle.ln(), found.ln()));
            }
        }
        println!();
        from = to;
    }
    println!("| worst band, against the cut spectrum | 0 | {:.1} % |", 100.0 * worst);
    println!("| worst band below 3.5 Hz, against the formula | 0 | {:.1} % |", 100.0 * worst_of_formula);
    // Some 300 seeds x 20/12 shells x 3 modes per half octave; their shares e² scatter by 0.9 of their mean and their lines
    // over lower bands too: about 4 % per band and component. Four times that for the worst of 51.
    assert!(worst < 0.16 && worst_of_formula < 0.16, "{worst} {worst_of_formula}");

    // The slope of the inertial range by least squares.
    let n = logs.len() as f64;
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let slope = logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>()
        / logs.iter().map(|p| (p.0 - mx) * (p.0 - mx)).sum::<f64>();
    println!("| slope of S_u from 0.5 to 3.5 Hz | -5/3 = -1.667 | {slope:.3} |");
    // Bands known to 4 %, five of them over a range of 1.4 in ln f: 0.04 / (0.5 sqrt(5)) = 0.036; three times that.
    assert!((slope + 5.0 / 3.0).abs() < 0.11, "{slope}");
}

/// Correlation along the wind, and its integral, the length that was asked for.
#[test]
fn the_integral_length_is_the_one_asked_for() {
    let (seeds, line) = (1000, 1000);
    let mut correlation = [0.0; 101];
    for seed in 0..seeds {
        let air = air(seed, 1.0, 1.0, 60);
        let origin = Dice(seed as u64).place(4e4);
        let line: Vec<f64> = (0..line).map(|x| air.velocity(origin + DVec3::X * f64::from(x), 0.0).x - SPEED).collect();
        let starts = line.len() - 100;
        for (lag, sum) in correlation.iter_mut().enumerate() {
            let products = line[..starts].iter().zip(&line[lag..]).map(|(a, b)| a * b);
            *sum += products.sum::<f64>() / (starts as f64 * seeds as f64 * SIGMA * SIGMA);
        }
    }
    // By Wiener and Khinchin: R(r) = integral of S(f) cos(2 pi f r / U) df / sigma², up to the highest frequency of the modes.
    let d = 5e-3;
    let densities: Vec<f64> = (0..4000).map(|i| cut_theory((f64::from(i) + 0.5) * d).0 * d / (SIGMA * SIGMA)).collect();
    let truth = |lag: usize| -> f64 {
        let turn = std::f64::consts::TAU * d * lag as f64 / SPEED;
        densities.iter().enumerate().map(|(i, s)| s * ((i as f64 + 0.5) * turn).cos()).sum()
    };
    for lag in [0, 2, 5, 10, 20, 40, 80] {
        let (found, truth) = (correlation[lag], truth(lag));
        println!("| correlation over {lag} m | {truth:.3} | {found:.3} |");
        // 1000 lines with some 1000 m / 40 m independent products of standard deviation up to sqrt(2): 0.009; three times that.
        assert!((found - truth).abs() < 0.027, "{lag}: {found} {truth}");
    }
    let integral = |of: &dyn Fn(usize) -> f64| (0..100).map(|i| 0.5 * (of(i) + of(i + 1))).sum::<f64>();
    let (found, expected) = (integral(&|i| correlation[i]), integral(&truth));
    println!(
        "| integral of the correlation up to 100 m (formula, to infinity: {LENGTH} m) | {expected:.2} m | {found:.2} m |"
    );
    // As for a spectrum at zero: sqrt(2 x 100 m / 1000 m) per line, 1.4 % for 1000; three times that.
    assert!((found / expected - 1.0).abs() < 0.042, "{found} {expected}");
}

#[test]
fn the_field_is_free_of_divergence_and_carried_by_the_wind() {
    let air = air(3, 0.8, 0.5, 60);
    let d = 1e-4;
    for i in 0..200 {
        let p = DVec3::from(spread(i)) * 30.0;
        let slopes = [DVec3::X, DVec3::Y, DVec3::Z]
            .map(|axis| (air.velocity(p + axis * d, 2.0) - air.velocity(p - axis * d, 2.0)) / (2.0 * d));
        let divergence = slopes[0].x + slopes[1].y + slopes[2].z;
        let size: f64 = slopes.iter().map(|s| s.length()).sum();
        assert!(divergence.abs() < 1e-6 * size, "{divergence} of {size}");
        // Taylor: what is here now was upwind before.
        let carried = air.velocity(p + DVec3::X * SPEED * 7.0, 9.0);
        assert!((carried - air.velocity(p, 2.0)).length() < 1e-9);
    }
}

#[test]
fn without_mean_only_the_eddies_are_left() {
    let with = build("kind = 'turbulence'\nspeed = 7\nfrom_degrees = 90");
    let without = build("kind = 'turbulence'\nspeed = 7\nfrom_degrees = 90\nmean = false");
    let p = DVec3::new(1.0, 2.0, 3.0);
    assert!((with.velocity(p, 1.0) - without.velocity(p, 1.0) - DVec3::new(-7.0, 0.0, 0.0)).length() < 1e-12);
}
