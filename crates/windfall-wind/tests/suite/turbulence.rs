//! The statistics of `turbulence` against von Kármán's theory. Rows are printed with `--nocapture`.
#![allow(clippy::disallowed_methods, reason = "a test needs no portable bits")]

use crate::common::spectrum::{moments, welch};
use crate::common::{Dice, batch, build, spread};
use windfall_core::glam::DVec3;
use windfall_wind::{Model, Turbulence, Wind, WindField, WindSpec};

const SPEED: f64 = 10.0;
const LENGTH: f64 = 20.0;
const SIGMA: f64 = 0.2 * SPEED;
const SMALLEST: f64 = 0.5;

/// Blows to +x, so that u, v, w are x, z, y.
fn air(seed: i64, lateral: f64, vertical: f64, smallest: f64) -> WindField {
    let turbulence = Turbulence {
        speed: SPEED,
        intensity: 0.2,
        length: LENGTH,
        smallest,
        lateral,
        vertical,
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
    let steps = 400;
    let d = (to / from).ln() / f64::from(steps);
    (0..steps).map(|i| from * ((f64::from(i) + 0.5) * d).exp()).map(|k| f(k) * k * d).sum()
}

/// The wave numbers of the first and the last shell.
fn ends() -> (f64, f64) {
    (0.25 / (LENGTH * 1.339), std::f64::consts::TAU / SMALLEST)
}

/// The fraction of the energy between them.
fn covered() -> f64 {
    integral(ends().0, ends().1, energy) / 1.5
}

/// The spectra along and across the wind of isotropic turbulence with only the energy between the ends,
/// scaled to the full variance by `covered` (G. K. Batchelor, Theory of Homogeneous Turbulence, 1953):
/// `F_11(q)` = integral of E/k (1 - q²/k²), `F_22(q)` = 1/2 integral of E/k (1 + q²/k²) over k > q,
/// one-sided.
fn cut_theory(f: f64, covered: f64) -> [f64; 2] {
    let q = std::f64::consts::TAU * f / SPEED;
    let (from, to) = (ends().0.max(q), ends().1);
    if from >= to {
        return [0.0; 2];
    }
    let unit = SIGMA * SIGMA * std::f64::consts::TAU / SPEED / covered;
    let along = integral(from, to, |k| energy(k) / k * (1.0 - q * q / (k * k)));
    let across = integral(from, to, |k| 0.5 * energy(k) / k * (1.0 + q * q / (k * k)));
    [unit * along, unit * across]
}

/// von Kármán's one-sided spectra of the component along the wind and of one across it, m²/s (ESDU 74031),
/// from the same sigma.
fn theory(f: f64) -> [f64; 2] {
    let n = f * LENGTH / SPEED;
    let along = 4.0 * SIGMA * SIGMA * LENGTH / SPEED / (1.0 + 70.8 * n * n).powf(5.0 / 6.0);
    // Across, with the length L/2 in its own formula.
    let m = 0.5 * n;
    let across =
        4.0 * SIGMA * SIGMA * (0.5 * LENGTH) / SPEED * (1.0 + 755.2 * m * m) / (1.0 + 283.2 * m * m).powf(11.0 / 6.0);
    [along, across]
}

/// A band of half an octave of a spectrum.
struct Band {
    /// The frequencies in it, Hz.
    frequencies: Vec<f64>,
    /// Mean density of u, v and w over many seeds, and its standard error, m²/s.
    found: [(f64, f64); 3],
}

impl Band {
    fn mean(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.frequencies.iter().map(|x| f(*x)).sum::<f64>() / self.frequencies.len() as f64
    }
}

/// Spectra by Welch's method from 4096 readings of an anemometer for each seed. They are sampled by the
/// batched form along an upwind line, which by Taylor's hypothesis (a test below) equals the time series
/// at the anemometer.
fn bands(smallest: f64, dt: f64, seeds: i64, from: f64, to: f64) -> Vec<Band> {
    const SAMPLES: usize = 4096;
    let step = 1.0 / (dt * SAMPLES as f64);
    let mut ranges = Vec::new();
    let mut low = from;
    while low < to {
        let high = low * std::f64::consts::SQRT_2;
        ranges.push((low / step).ceil() as usize..(high / step).ceil() as usize);
        low = high;
    }
    let mut sums = vec![[(0.0, 0.0); 3]; ranges.len()];
    let line: Vec<DVec3> = (0..SAMPLES).map(|i| DVec3::new(300.0 - SPEED * dt * i as f64, 8.0, -2.0)).collect();
    for seed in 0..seeds {
        let velocities = batch(&air(seed, 0.8, 0.5, smallest), 0.0, &line);
        for (axis, component) in [0, 2, 1].into_iter().enumerate() {
            let series: Vec<f64> = velocities.iter().map(|v| v[component]).collect();
            let (mean, _) = moments(&series);
            let series: Vec<f64> = series.iter().map(|x| x - mean).collect();
            let density = welch(&series, dt, SAMPLES);
            for (range, sum) in ranges.iter().zip(&mut sums) {
                let mean = density[range.clone()].iter().sum::<f64>() / range.len() as f64;
                sum[axis].0 += mean;
                sum[axis].1 += mean * mean;
            }
        }
    }
    let n = seeds as f64;
    let statistics = |(sum, squares): (f64, f64)| (sum / n, ((squares / n - sum * sum / (n * n)) / n).sqrt());
    let frequencies = |range: std::ops::Range<usize>| range.map(|i| i as f64 * step).collect();
    ranges
        .into_iter()
        .zip(sums)
        .map(|(range, sum)| Band { frequencies: frequencies(range), found: sum.map(statistics) })
        .collect()
}

/// Every seed alone.
#[test]
fn mean_and_variances_are_those_that_were_asked_for() {
    println!("| component | theory, m/s | mean of 24 seeds | worst seed |");
    let mut all = [vec![], vec![], vec![]];
    for seed in 0..24 {
        let air = air(seed, 0.8, 0.5, SMALLEST);
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
        // The variance of a variance of n samples is at most 2/n, so the standard error of the deviation
        // is 0.35 %; five times that.
        assert!((worst / theory - 1.0).abs() < 0.018, "{name}: {worst} {theory}");
    }
}

#[test]
fn spectra_are_von_karmans() {
    let covered = covered();
    println!("covered by the modes: {:.2} %", 100.0 * covered);
    println!("| f L/U | S_u, m²/s | cut | formula | S_v | cut | formula | S_w | cut | formula |");
    let (mut worst, mut worst_error) = (0.0_f64, 0.0_f64);
    for band in bands(SMALLEST, 0.02, 1200, 0.05, 14.0) {
        let middle = band.mean(|f| f);
        print!("| {:.3} |", middle * LENGTH / SPEED);
        let cut = [0, 1].map(|kind| band.mean(|f| cut_theory(f, covered)[kind]));
        let formula = [0, 1].map(|kind| band.mean(|f| theory(f)[kind]));
        for (axis, (part, kind)) in [(1.0, 0), (0.64, 1), (0.25, 1)].into_iter().enumerate() {
            let (found, error) = band.found[axis];
            let (cut, formula) = (part * cut[kind], part * formula[kind]);
            print!(" {found:.3e} ± {:.0} % | {cut:.3e} | {formula:.3e} |", 100.0 * error / found);
            worst = worst.max((found - cut).abs() / error);
            worst_error = worst_error.max(error / found);
            // Far from both ends the formula holds after correction for the truncated energy.
            if middle < 2.5 {
                assert!((cut * covered / formula - 1.0).abs() < 0.05, "{middle} Hz: {cut} {formula}");
            }
        }
        println!();
    }
    println!(
        "| worst of 51 bands, in standard errors (of {:.0} % at most) | below 4 | {worst:.1} |",
        100.0 * worst_error
    );
    // Of 51 independent normal numbers the largest passes 4 in one of 300 tries.
    assert!(worst < 4.0 && worst_error < 0.08, "{worst} {worst_error}");
}

/// With small eddies down to 0.1 m, so that the range from 0.6 to 7 Hz lies far from both ends.
#[test]
fn the_inertial_range_falls_with_minus_five_thirds() {
    let bands = bands(0.1, 0.004, 800, 0.6, 5.0);
    for (axis, name) in ["u", "v", "w"].into_iter().enumerate() {
        let logs: Vec<_> = bands.iter().map(|b| (b.mean(|f| f).ln(), b.found[axis].0.ln())).collect();
        // Least squares, with the errors of the bands propagated.
        let n = logs.len() as f64;
        let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
        let spread = logs.iter().map(|p| (p.0 - mx) * (p.0 - mx)).sum::<f64>();
        let slope = logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>() / spread;
        let relative = bands.iter().map(|b| b.found[axis].1 / b.found[axis].0).fold(0.0, f64::max);
        let error = relative / spread.sqrt();
        println!("| slope of the spectrum of {name} from 0.6 to 7 Hz | -5/3 = -1.667 | {slope:.3} ± {error:.3} |");
        assert!(error < 0.03 && (slope + 5.0 / 3.0).abs() < 3.0 * error, "{name}: {slope}");
    }
}

/// Correlation along the wind, and its integral, the prescribed integral length.
#[test]
fn the_integral_length_is_the_one_asked_for() {
    let (seeds, line) = (1000, 1000);
    let mut correlation = [0.0; 101];
    for seed in 0..seeds {
        let air = air(seed, 1.0, 1.0, SMALLEST);
        let origin = Dice(seed as u64).place(4e4);
        let line: Vec<f64> = (0..line).map(|x| air.velocity(origin + DVec3::X * f64::from(x), 0.0).x - SPEED).collect();
        let starts = line.len() - 100;
        for (lag, sum) in correlation.iter_mut().enumerate() {
            let products = line[..starts].iter().zip(&line[lag..]).map(|(a, b)| a * b);
            *sum += products.sum::<f64>() / (starts as f64 * seeds as f64 * SIGMA * SIGMA);
        }
    }
    // By Wiener and Khinchin: R(r) = integral of S(f) cos(2 pi f r / U) df / sigma², up to the highest
    // frequency of the modes.
    let (d, covered) = (5e-3, covered());
    let densities: Vec<f64> =
        (0..4000).map(|i| cut_theory((f64::from(i) + 0.5) * d, covered)[0] * d / (SIGMA * SIGMA)).collect();
    let truth = |lag: usize| -> f64 {
        let turn = std::f64::consts::TAU * d * lag as f64 / SPEED;
        densities.iter().enumerate().map(|(i, s)| s * ((i as f64 + 0.5) * turn).cos()).sum()
    };
    for lag in [0, 2, 5, 10, 20, 40, 80] {
        let (found, truth) = (correlation[lag], truth(lag));
        println!("| correlation over {lag} m | {truth:.3} | {found:.3} |");
        // 1000 lines with some 1000 m / 40 m independent products of standard deviation up to sqrt(2):
        // 0.009; three times that.
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
    let air = air(3, 0.8, 0.5, SMALLEST);
    let d = 1e-4;
    for i in 0..200 {
        let p = DVec3::from(spread(i)) * 30.0;
        let slopes = [DVec3::X, DVec3::Y, DVec3::Z]
            .map(|axis| (air.velocity(p + axis * d, 2.0) - air.velocity(p - axis * d, 2.0)) / (2.0 * d));
        let divergence = slopes[0].x + slopes[1].y + slopes[2].z;
        let size: f64 = slopes.iter().map(|s| s.length()).sum();
        assert!(divergence.abs() < 1e-6 * size, "{divergence} of {size}");
        // Taylor: the present velocity here was upwind before.
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

/// The estimate itself: a sine of the amplitude a has the power a²/2 at its frequency.
#[test]
fn a_sine_has_its_power_at_its_frequency() {
    let (dt, n, cycles) = (0.1, 1024, 100);
    let series: Vec<f64> = (0..n)
        .map(|i| 3.0 * (2.0 * std::f64::consts::PI * f64::from(cycles) * f64::from(i) / f64::from(n)).sin())
        .collect();
    let density = welch(&series, dt, n as usize);
    let step = 1.0 / (dt * f64::from(n));
    let near: f64 = density[98..=102].iter().sum::<f64>() * step;
    let all: f64 = density.iter().sum::<f64>() * step;
    assert!((near - 4.5).abs() < 1e-9 && (all - near).abs() < 1e-9, "{near} {all}");
}
