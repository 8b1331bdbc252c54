//! Periodic winds, for looping clips.
#![allow(clippy::disallowed_methods, reason = "a test needs no portable bits")]

use crate::common;
use crate::common::{all, build, crown};
use windfall_core::glam::DVec3;
use windfall_wind::{Model, Wind, WindSpec};

const PERIOD: f64 = 12.0;

/// All winds with a period. Curves and windows of [`common::WINDS`] fit into it.
fn looping() -> Vec<(String, f64, WindSpec)> {
    all().into_iter().map(|(name, size, spec)| (name, size, WindSpec { period: Some(PERIOD), ..spec })).collect()
}

#[test]
fn every_wind_repeats_and_passes_the_seam_smoothly() {
    let points: Vec<DVec3> = crown(40);
    for (name, size, spec) in looping() {
        let air = spec.build().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(air.period(), Some(PERIOD));
        for p in &points {
            let at = |t: f64| air.velocity(*p, t);
            for t in [0.0, 0.5, 3.0, 7.25, 11.75] {
                for turn in [-2.0, 1.0, 5.0] {
                    // Powers of two: the sum of both times is exact.
                    assert!(at(t + turn * PERIOD) == at(t), "{name} at {t} + {turn} periods");
                }
            }
            // Continuous across the seam: no step larger than the change of a steep wind in a microsecond.
            let d = 1e-7;
            let step = (at(PERIOD - d) - at(d)).length();
            assert!(step < 1e-4 * size, "{name}: a step of {step} m/s at {p}");
        }
    }
}

/// A period must not freeze the wind.
#[test]
fn winds_still_change_and_keep_their_strength() {
    for (name, _, spec) in looping() {
        let steady = matches!(spec.model, Model::Uniform(ref u) if u.gusts == 0.0)
            || ["profile", "measured, one row", "calm", "box", "constant scale"].contains(&&*name);
        let air = spec.build().unwrap();
        let changes = crown(20).iter().any(|p| (air.velocity(*p, 1.0) - air.velocity(*p, 4.7)).length() > 1e-3);
        assert_eq!(changes, !steady, "{name}");
    }
    let gusty = build("period = 60\nkind = 'uniform'\nspeed = 10\ngusts = 0.2\ngust_period = 4");
    let speeds: Vec<f64> = (0..6000).map(|i| gusty.velocity(DVec3::ZERO, f64::from(i) * 0.01).x).collect();
    let (mean, variance) = common::spectrum::moments(&speeds);
    // Whole periods of sines of different frequencies: exact.
    assert!((mean - 10.0).abs() < 1e-9 && (variance.sqrt() - 2.0).abs() < 1e-9, "{mean} {variance}");
}

/// A short loop keeps the mean time between gusts, within the rounding to whole cycles.
#[test]
fn short_loops_keep_the_period_of_gusts() {
    for seed in 0..20 {
        let air =
            build(&format!("period = 12\nkind = 'uniform'\nspeed = 10\ngusts = 0.2\ngust_period = 4\nseed = {seed}"));
        let n = 12_000;
        let speeds: Vec<f64> =
            (0..n).map(|i| air.velocity(DVec3::ZERO, 12.0 * f64::from(i) / f64::from(n)).x).collect();
        let (mean, variance) = common::spectrum::moments(&speeds);
        assert!((mean - 10.0).abs() < 1e-9 && (variance.sqrt() - 2.0).abs() < 1e-9, "{mean} {variance}");
        // Rice: the mean square of the slope over the variance is (2 pi / gust_period)². Rounding each of
        // the eight frequencies (1.2 to 5.5 cycles) by up to half a cycle changes the sum of their squares
        // by a third at most.
        let slopes: f64 = (0..speeds.len()).map(|i| (speeds[(i + 1) % speeds.len()] - speeds[i]).powi(2)).sum();
        let rate = slopes / f64::from(n) * (f64::from(n) / 12.0).powi(2) / variance;
        let found = 2.0 * std::f64::consts::PI / rate.sqrt();
        assert!((found / 4.0 - 1.0).abs() < 0.2, "seed {seed}: {found} s");
    }
}

/// A period far longer than the time scales of the wind hardly changes it.
#[test]
fn a_long_period_gives_nearly_the_free_wind() {
    for text in ["kind = 'uniform'\ngusts = 0.2", "kind = 'turbulence'", "kind = 'grid'\nphase_degrees = 0"] {
        let (free, looped) = (build(text), build(&format!("period = 1e6\n{text}")));
        for p in crown(20) {
            assert!((free.velocity(p, 2.0) - looped.velocity(p, 2.0)).length() < 1e-3, "{text}");
        }
    }
}

#[test]
fn what_can_not_loop_says_why() {
    for (text, parts) in [
        ("kind = 'measured'\nrows = [[0, 1, 1, 1], [12.1, 1, 1, 1]]", vec!["12.1 s", "1.05 times", "12 s"]),
        ("kind = 'gust'\nduration = 13", vec!["duration = 13", "at most the period, 12"]),
        ("kind = 'scale'\nfactor = [[0, 1], [12, 2]]\nwind = { kind = 'uniform' }", vec!["factor[1][0] = 12"]),
        (
            "kind = 'mask'\nregion = { shape = 'time', from = 0, to = 12 }\nwind = { kind = 'uniform' }",
            vec!["region", "fit into the period, 12"],
        ),
    ] {
        let message = WindSpec::from_toml(&format!("period = 12\n{text}")).unwrap().build().unwrap_err().to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        assert!(WindSpec::from_toml(text).unwrap().build().is_ok());
    }
}

#[test]
fn a_record_is_faded_into_its_beginning() {
    // A ramp of 1 m/s per second for 20 s, looped at 16 s: fading over min(16 / 4, 20 - 16) = 4 s.
    let air = build("period = 16\nkind = 'measured'\nrows = [[0, 0, 0, 0], [20, 20, 0, 0]]");
    let at = |t: f64| air.velocity(DVec3::ZERO, t).x;
    assert!((at(0.0) - 16.0).abs() < 1e-9 && (at(10.0) - 10.0).abs() < 1e-9);
    // Midpoint: the mean of 2 and 18.
    assert!((at(2.0) - 10.0).abs() < 1e-9);
}
