//! Far from the origin and late in time both forms still agree, and the wind is continuous across room
//! boundaries.
//!
//! Points are f32: at 1e5 m their spacing is 8 mm. Both forms are evaluated at the same f32 points, so
//! this rounding is not an error of the wind.

use crate::common::{all, batch, build, crown, spread};
use windfall_core::glam::DVec3;
use windfall_wind::Wind;

/// Relative to the magnitude of the wind, as in `forms.rs`.
const BOUND: f64 = 1e-5;

fn worst(air: &impl Wind, time: f64, points: &[DVec3]) -> f64 {
    let fast = batch(air, time, points);
    points.iter().zip(fast).map(|(p, fast)| (air.velocity(*p, time) - fast).length()).fold(0.0, f64::max)
}

/// The f32 points nearest to those of a crown somewhere else.
fn crown_at(place: DVec3, count: usize) -> Vec<DVec3> {
    crown(count).iter().map(|p| (*p + place).as_vec3().as_dvec3()).collect()
}

#[test]
fn winds_are_exact_far_away_and_late() {
    let places =
        [DVec3::new(1e5, 0.0, -1e5), DVec3::new(-98_765.4, 3000.0, 12_345.6), DVec3::new(9.9e5, -9.9e5, 9.9e5)];
    for (name, size, spec) in all() {
        // f32 cannot resolve rings 100 km from their axis; a test below puts the axis near the tree.
        if name.contains("wiggle") || name == "nest" {
            continue;
        }
        let air = spec.build().unwrap();
        let mut error: f64 = 0.0;
        for place in places {
            for time in [0.7, 1e6 + 0.3, -1e6, 1e9] {
                error = error.max(worst(&air, time, &crown_at(place, 700)) / size);
            }
        }
        println!("| {name}, 1e5 to 1e6 m away, up to 1e9 s | {error:.1e} |");
        assert!(error < BOUND, "{name}: {error:e}");
    }
}

#[test]
fn parks_far_away_are_exact() {
    let park = DVec3::new(1e5, 500.0, -2e5);
    for text in [
        "kind = 'wiggle'\naxes = [[100000, -200000], [100007, -200003]]\nwavelength = 7\nswing = [[0, 0], [3, 4], [8, 1]]\nwind = { kind = 'grid', corner = [99989.3, -200011.7], cell_size = 3.1 }",
        "kind = 'profile'\nground = 499\nroughness = 0.1\nwind = { kind = 'turbulence', speed = 8 }",
        "kind = 'mask'\nregion = { shape = 'sphere', center = [100001, 503, -200000], radius = 6 }\nwind = { kind = 'perlin', speed = 8, size = 0.5 }",
        "kind = 'mask'\nregion = { shape = 'box', min = [99995, 500, -200005], max = [100003, 507, -199996], edge = 0.5 }\nwind = { kind = 'uniform', speed = 8 }",
    ] {
        let error = worst(&build(text), 1e5 + 0.1, &crown_at(park, 1500)) / 8.0;
        println!("| {} 2e5 m away | {error:.1e} |", text.lines().next().unwrap());
        assert!(error < 2.0 * BOUND, "{text}: {error:e}");
    }
}

/// Points on both sides of walls (32 m from the origin and every 64 m from there), and exactly on the
/// walls, in batches of any composition.
#[test]
fn walls_between_rooms_can_not_be_seen() {
    let mut points = Vec::new();
    for i in 0..400 {
        let around = |wall: f64, share: f64| wall + 0.2 * (share - 0.5);
        let [a, b, c] = spread(i);
        points.push(DVec3::new(around(32.0, a), around(-32.0, b), around(96.0, c)).as_vec3().as_dvec3());
        points.push(DVec3::new(32.0, around(32.0, b), if i % 2 == 0 { -32.0 } else { 95.999_99 }).as_vec3().as_dvec3());
    }
    for (name, size, spec) in all() {
        let air = spec.build().unwrap();
        let together = batch(&air, 2.7, &points);
        for (p, fast) in points.iter().zip(&together) {
            let truth = air.velocity(*p, 2.7);
            assert!((truth - fast).length() < 2.0 * BOUND * size, "{name} at {p}: {truth} {fast}");
        }
        for batch_size in [1, 7, 64] {
            let apart: Vec<DVec3> = points.chunks(batch_size).flat_map(|some| batch(&air, 2.7, some)).collect();
            assert!(together == apart, "{name} in batches of {batch_size}");
        }
        // Reversed order: other lanes and other neighbours.
        let turned: Vec<DVec3> = points.iter().rev().copied().collect();
        let back: Vec<DVec3> = batch(&air, 2.7, &turned).into_iter().rev().collect();
        assert!(together == back, "{name} in another order");
    }
}

/// A NaN point, or one beyond the coordinate limit, does not affect the others of its batch.
#[test]
fn odd_points_do_not_disturb_their_neighbours() {
    for (name, _, spec) in all() {
        let air = spec.build().unwrap();
        let points = crown(100);
        let alone = batch(&air, 1.9, &points);
        for odd in [f64::NAN, f64::INFINITY, -3e7, 1e6] {
            let mut mixed = points.clone();
            mixed[0].x = odd;
            mixed[50].z = odd;
            let found = batch(&air, 1.9, &mixed);
            for i in (0..100).filter(|i| i % 50 != 0) {
                assert!(found[i] == alone[i], "{name}: point {i} beside {odd}");
            }
        }
    }
}
