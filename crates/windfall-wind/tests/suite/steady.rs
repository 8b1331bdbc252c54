//! Directions, gusts, heights and the Beaufort scale against their laws. Rows are printed with `--nocapture`.
#![allow(clippy::disallowed_methods, reason = "a test needs no portable bits")]

use crate::common::spectrum::moments;
use crate::common::{Dice, build};
use windfall_core::glam::DVec3;
use windfall_wind::{BEAUFORT, Wind, beaufort, beaufort_speed, blows_to, preset};

fn close(a: DVec3, b: DVec3) -> bool {
    (a - b).length() < 1e-9
}

#[test]
fn wind_blows_away_from_where_it_comes_from() {
    // North is -z, east is +x.
    let (north, east) = (DVec3::NEG_Z, DVec3::X);
    for (degrees, from) in [(0.0, north), (90.0, east), (180.0, -north), (270.0, -east), (-90.0, -east), (360.0, north)]
    {
        assert!(close(blows_to(degrees, 0.0), -from), "{degrees}");
    }
    let half = 0.5_f64.sqrt();
    assert!(close(blows_to(45.0, 0.0), -(north + east) * half));
    assert!(close(blows_to(270.0, 45.0), DVec3::new(half, half, 0.0)), "an updraught rises");
    let v = build("kind = 'uniform'\nspeed = 3\nfrom_degrees = 0").velocity(DVec3::new(5.0, 6.0, 7.0), 8.0);
    assert!(close(v, DVec3::new(0.0, 0.0, 3.0)));
    let v = build("kind = 'uniform'\nspeed = 200\nelevation_degrees = 90").velocity(DVec3::ZERO, 1.0);
    assert!(close(v, DVec3::new(0.0, 200.0, 0.0)));
}

#[test]
fn gusts_have_their_strength_and_their_period() {
    for seed in 0..8 {
        let air = build(&format!("kind = 'uniform'\nspeed = 10\ngusts = 0.2\ngust_period = 5\nseed = {seed}"));
        let (dt, n) = (0.1, 400_000);
        let speeds: Vec<f64> = (0..n).map(|i| air.velocity(DVec3::ZERO, f64::from(i) * dt).x).collect();
        let (mean, variance) = moments(&speeds);
        let crossings = speeds.windows(2).filter(|w| w[0] < 10.0 && w[1] >= 10.0).count();
        let period = f64::from(n) * dt / crossings as f64;
        println!(
            "| gusts, seed {seed} | mean 10, deviation 2 m/s, period 5 s | {mean:.4}, {:.4} m/s, {period:.2} s |",
            variance.sqrt()
        );
        // A sum of sines over thousands of their periods: boundary terms are of the order of 1e-3.
        assert!((mean - 10.0).abs() < 2e-3 && (variance.sqrt() - 2.0).abs() < 5e-3, "{mean} {variance}");
        // Rice's formula is that of a Gaussian process; eight sines are nearly one.
        assert!((period / 5.0 - 1.0).abs() < 0.1, "{period}");
        // |g| <= sqrt(2/8) 8 = 4.
        assert!(speeds.iter().all(|v| (v - 10.0).abs() <= 8.0 + 1e-9));
    }
}

#[test]
fn a_single_gust_is_one_minus_cosine() {
    let air = build("kind = 'gust'\nspeed = 6\nstart = 2\nduration = 4\nfrom_degrees = 270");
    let at = |t: f64| air.velocity(DVec3::ZERO, t).x;
    for (t, expected) in [(1.9, 0.0), (2.0, 0.0), (3.0, 3.0), (4.0, 6.0), (5.0, 3.0), (6.0, 0.0), (99.0, 0.0)] {
        assert!((at(t) - expected).abs() < 1e-12, "{t}: {}", at(t));
    }
    let t: f64 = 2.7;
    assert!((at(t) - 3.0 * (1.0 - (std::f64::consts::TAU * (t - 2.0) / 4.0).cos())).abs() < 1e-12);
}

#[test]
fn wind_grows_with_the_logarithm_of_height() {
    let air = build(
        "kind = 'profile'\nroughness = 0.1\ndisplacement = 2\nground = 5\nreference_height = 12\nwind = { kind = 'uniform', speed = 7 }",
    );
    for height in [2.1_f64, 2.2, 3.0, 7.0, 12.0, 40.0, 200.0] {
        // u* / kappa from the reference.
        let expected = 7.0 / (10.0_f64 / 0.1).ln() * ((height - 2.0) / 0.1).ln();
        let found = air.velocity(DVec3::new(3.0, 5.0 + height, 1.0), 0.0).x;
        println!("| log law at {height} m | {expected:.4} m/s | {found:.4} m/s |");
        assert!((found - expected).abs() < 1e-9, "{height}");
    }
    for height in [2.099, 2.0, 0.0, -100.0] {
        assert_eq!(air.velocity(DVec3::new(0.0, 5.0 + height, 0.0), 0.0), DVec3::ZERO, "{height}");
    }
    let alone = build("kind = 'profile'").velocity(DVec3::new(0.0, 10.0, 0.0), 0.0);
    assert!(close(alone, DVec3::new(5.0, 0.0, 0.0)));
}

#[test]
fn presets_lie_in_the_ranges_of_the_wmo() {
    for (number, (name, low, high)) in BEAUFORT.iter().enumerate() {
        let speed = beaufort_speed(number as f64);
        assert!(speed >= *low && speed <= high + 0.05, "{name}: {speed}");
        assert_eq!(preset(name), Some(beaufort(number as u8)));
        // The mean over a long time at 10 m, and the total intensity 1 / ln(10 / 0.03) = 0.1721.
        let air = beaufort(number as u8).build().unwrap();
        let mut dice = Dice(number as u64);
        let sample = |dice: &mut Dice| {
            let p = dice.place(1e4);
            air.velocity(DVec3::new(p.x, 10.0, p.z), 1e5 * dice.roll()).x
        };
        let speeds: Vec<f64> = (0..40_000).map(|_| sample(&mut dice)).collect();
        let (mean, variance) = moments(&speeds);
        // Standard errors of 40,000 samples: 0.09 % of the mean, 0.35 % of the deviation; five times
        // those, and rounding to 0.01 m/s.
        assert!((mean - speed).abs() < 0.0045 * speed + 0.006, "{name}: {mean}");
        if number == 0 {
            // Still air has no intensity: nothing moves at all.
            assert!(speeds.iter().all(|speed| *speed == 0.0));
            println!("| Beaufort {number}, {name} | {speed:.2} m/s, none | {mean:.2} m/s, none |");
            continue;
        }
        let intensity = variance.sqrt() / mean;
        println!("| Beaufort {number}, {name} | {speed:.2} m/s, 0.172 | {mean:.2} m/s, {intensity:.3} |");
        assert!((intensity / 0.1721 - 1.0).abs() < 0.025, "{name}: {intensity}");
    }
    assert_eq!(beaufort(200), beaufort(12));
    let breeze = preset("breeze").unwrap().to_toml();
    assert!(breeze.contains("speed = 5.47"), "{breeze}");
    assert_eq!(preset("zephyr"), None);
}
