//! The two forms of a wind agree, results do not depend on the batch, and descriptions round-trip through
//! TOML.

use crate::common::{all, batch, crown};
use windfall_core::glam::DVec3;
use windfall_wind::{Points, Velocities, Wind, WindSpec};

/// Allowed difference between the f32 and f64 forms within some tens of metres, relative to the magnitude
/// of the wind. Phases are products of f32 numbers (up to half a room, 32 m, over 0.5 m = 64 turns,
/// rounded to 4e-6 turns each), octaves double their errors.
const BOUND: f64 = 1e-5;

#[test]
fn both_forms_give_the_same_wind() {
    let points = crown(2000);
    for (name, size, spec) in all() {
        let air = spec.build().unwrap();
        let mut worst: f64 = 0.0;
        for time in [0.0, 1.37, 4.9, 1234.5678, -17.3, 86_400.123] {
            for (point, fast) in points.iter().zip(batch(&air, time, &points)) {
                let truth = air.velocity(*point, time);
                assert!(truth.length() <= 2.0 * size, "{name}: {truth} at {point}");
                worst = worst.max((truth - fast).length() / size);
            }
        }
        println!("| {name} | {worst:.1e} |");
        assert!(worst < BOUND, "{name}: {worst:e}");
    }
}

#[test]
fn a_point_does_not_feel_the_others_of_its_batch() {
    let points = crown(1100);
    for (name, _, spec) in all() {
        let air = spec.build().unwrap();
        let together = batch(&air, 2.7, &points);
        for size in [1, 3, 8, 511, 513] {
            let apart: Vec<DVec3> = points.chunks(size).flat_map(|some| batch(&air, 2.7, some)).collect();
            assert!(together == apart, "{name} in batches of {size}");
        }
        assert!(batch(&air, 2.7, &[]).is_empty());
    }
}

#[test]
fn descriptions_survive_toml() {
    for (name, _, spec) in all() {
        for period in [None, Some(12.5)] {
            let spec = WindSpec { period, ..spec.clone() };
            let text = spec.to_toml();
            assert_eq!(WindSpec::from_toml(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}")), spec, "{text}");
        }
    }
}

/// A custom wind has to implement only one function.
#[test]
fn other_winds_have_a_batched_form_too() {
    #[derive(Debug)]
    struct Whirl;
    impl Wind for Whirl {
        fn velocity(&self, point: DVec3, _: f64) -> DVec3 {
            DVec3::Y.cross(point)
        }
    }
    let points = crown(10);
    for (point, v) in points.iter().zip(batch(&Whirl, 0.0, &points)) {
        assert!((v - DVec3::Y.cross(*point)).length() < 1e-5);
    }
}

#[test]
fn threads_may_share_a_wind() {
    let air = windfall_wind::preset("gale").unwrap().build().unwrap();
    let alone = batch(&air, 1.0, &crown(100));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!(batch(&air, 1.0, &crown(100)) == alone));
        }
    });
}

#[test]
#[should_panic(expected = "as many velocities as points")]
fn lengths_must_agree() {
    let air = WindSpec::calm().build().unwrap();
    let (mut u, mut v, mut w) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    air.velocities(0.0, Points::new(&[0.0], &[0.0], &[0.0]), Velocities::new(&mut u, &mut v, &mut w));
}
