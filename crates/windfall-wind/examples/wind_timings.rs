//! Time per point of the batched form of every wind.
//! `cargo run --release -p windfall-wind --example wind_timings [NAME]`
//!
//! Batches of 1024 points, 2 m wide (a solver's block of a crown), one thread. The minimum of 500 batches
//! is reported, because other programs share the machine.

use std::time::Instant;

use windfall_wind::{Points, Velocities, Wind, WindSpec, preset};

const WINDS: [(&str, &str); 14] = [
    ("uniform", "kind = 'uniform'"),
    ("uniform with gusts", "kind = 'uniform'\ngusts = 0.2"),
    ("gust", "kind = 'gust'\nduration = 1e5"),
    ("profile of uniform", "kind = 'profile'"),
    ("grid, 3 octaves", "kind = 'grid'"),
    ("wiggle of grid, 3 points", "kind = 'wiggle'\nswing = [[0, 0], [5, 2], [20, 1]]\nwind = { kind = 'grid' }"),
    ("perlin, 1 octave", "kind = 'perlin'\noctaves = 1"),
    ("perlin, 3 octaves", "kind = 'perlin'"),
    ("turbulence, 30 modes", "kind = 'turbulence'\nmodes = 30"),
    ("turbulence, 60 modes", "kind = 'turbulence'"),
    ("turbulence, 120 modes", "kind = 'turbulence'\nmodes = 120"),
    ("measured", "kind = 'measured'\nrows = [[0, 1, 2, 0], [1, 2, 2, 0], [2, 0, 1, 0]]"),
    (
        "box mask of uniform",
        "kind = 'mask'\nregion = { shape = 'box', min = [-9, 0, -9], max = [9, 9, 9] }\nwind = { kind = 'uniform' }",
    ),
    ("scale of uniform", "kind = 'scale'\nfactor = [[0, 1], [9, 2]]\nwind = { kind = 'uniform' }"),
];

fn main() {
    // Name filter (substring).
    let wanted = std::env::args().nth(1).unwrap_or_default();
    println!("| wind | ns per point |\n|---|---|");
    for (name, text) in WINDS.into_iter().filter(|(name, _)| name.contains(&wanted)) {
        let spec = WindSpec::from_toml(text).expect(name);
        println!("| {name} | {:.2} |", time(&spec));
    }
    if "gale".contains(&wanted) {
        println!("| preset `gale` | {:.2} |", time(&preset("gale").expect("a preset")));
    }
}

fn time(spec: &WindSpec) -> f64 {
    const COUNT: usize = 1024;
    let air = spec.build().expect("a valid wind");
    let spread = |i: usize, prime: usize| (i * prime % COUNT) as f32 / COUNT as f32;
    let x: Vec<f32> = (0..COUNT).map(|i| 2.0 * spread(i, 389) + 2.0).collect();
    let y: Vec<f32> = (0..COUNT).map(|i| 2.0 * spread(i, 613) + 8.0).collect();
    let z: Vec<f32> = (0..COUNT).map(|i| 2.0 * spread(i, 797) + 1.0).collect();
    let mut out = [vec![0.0; COUNT], vec![0.0; COUNT], vec![0.0; COUNT]];
    let mut best = f64::INFINITY;
    for batch in 0..500 {
        let [u, v, w] = &mut out;
        let start = Instant::now();
        air.velocities(f64::from(batch) / 60.0, Points::new(&x, &y, &z), Velocities::new(u, v, w));
        best = best.min(start.elapsed().as_secs_f64());
        std::hint::black_box(&out);
    }
    best * 1e9 / COUNT as f64
}
