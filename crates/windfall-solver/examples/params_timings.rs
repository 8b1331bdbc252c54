//! Measures the time to compute the parameters of every body of a large tree.
//!
//! `cargo run --release -p windfall-solver --example params_timings [-- BODIES]`

use std::time::Instant;

use windfall_grow::{GrowOptions, Species, grow};
use windfall_solver::params::{ForkStiffening, Override};
use windfall_solver::{Curve, Params};

fn main() {
    let bodies = std::env::args().nth(1).map_or(1_000_000, |n| n.parse().expect("a number of bodies"));
    let species = Species::named("maple").expect("a built-in species");
    let plant = grow(&species, &GrowOptions { bodies: Some(bodies), seed: 1 }).expect("a size that maples have");
    println!("{} bodies, {} of wood, {} branches", plant.body_count(), plant.segments().len(), plant.branches().len());

    let points = [[0.001, 0.5], [0.003, 0.8], [0.01, 1.0], [0.03, 1.2], [0.1, 1.5]];
    let curves = Params { stiffness: Curve::multiply(&points), damping: Curve::multiply(&points), ..Params::default() };
    let overrides = (0..plant.branches().len().min(10_000))
        .map(|branch| Override { branch, stiffness: Some(Curve::absolute(&points)), damping: None })
        .collect();
    let all = Params {
        fork_stiffening: ForkStiffening { factor: 3.0, reach: 8.0 },
        overrides,
        ..Params { stiffness: Curve::absolute(&points), ..curves.clone() }
    };
    for (name, params) in
        [("default", &Params::default()), ("two curves", &curves), ("all, logs, 10000 overrides", &all)]
    {
        let mut values = Vec::new();
        let mut times: Vec<f64> = (0..6)
            .map(|_| {
                let start = Instant::now();
                params.check(&plant).expect("valid parameters");
                params.write_values(&plant, &mut values);
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        let first = times.remove(0);
        let best = times.into_iter().fold(f64::INFINITY, f64::min);
        println!("{name:28} {first:7.1} ms into a new list, {best:7.1} ms into an old one");
    }
}
