//! Batches allocate nothing, and invalid descriptions little. The test runs without the test harness,
//! because the counter would include the allocations of the harness's threads.

mod common;

use common::{all, crown};
use peak_alloc::PeakAlloc;
use windfall_wind::{Points, Velocities, Wind, WindSpec};

#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

fn main() {
    batches_allocate_nothing();
    bad_descriptions_allocate_little();
    println!("test allocation ... ok");
}

fn batches_allocate_nothing() {
    let points = crown(3000);
    let [x, y, z] = [0, 1, 2].map(|i| points.iter().map(|p| p[i] as f32).collect::<Vec<f32>>());
    let [mut u, mut v, mut w] = [0; 3].map(|_| vec![0.0; points.len()]);
    for (name, _, spec) in all() {
        let air = spec.build().unwrap();
        PEAK.reset_peak_usage();
        let before = PEAK.current_usage();
        for frame in 0..10 {
            let out = Velocities::new(&mut u, &mut v, &mut w);
            air.velocities(f64::from(frame) / 30.0, Points::new(&x, &y, &z), out);
            air.velocity(points[0], 1.0);
        }
        assert_eq!((PEAK.current_usage(), PEAK.peak_usage()), (before, before), "{name}");
    }
}

fn bad_descriptions_allocate_little() {
    for text in [
        "kind = 'grid'\ncolumns = 1000000000\nrows = 1000000000",
        "kind = 'grid'\ncolumns = 9223372036854775807\nrows = 2",
        "kind = 'perlin'\noctaves = 9223372036854775807",
        "kind = 'turbulence'\nmodes = 9223372036854775807",
    ] {
        let spec = WindSpec::from_toml(text).unwrap();
        PEAK.reset_peak_usage();
        let before = PEAK.current_usage();
        assert!(spec.build().is_err(), "{text}");
        assert!(PEAK.peak_usage() - before < 100_000, "{text}");
    }
}
