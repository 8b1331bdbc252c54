//! Duration of steps: `cargo run --release -p windfall --example simulation_timings`.
//!
//! The best and the median of many steps of 1/30 s, everything in memory, after a push that sets the
//! tree swaying. The last rows are the 3,267,482-body tree of quigley2017 with a selection of about
//! 10,000 bodies. `made` is the time to make the world of all bodies: for the first time, when the
//! system has to find memory (on virtual machines it is slow to), and again; `ready` includes the
//! selection.

use std::sync::Arc;
use std::time::Instant;

use windfall::core::glam::DVec3;
use windfall::grow::PRESETS;
use windfall::prelude::*;
use windfall::scene::solver_spec::SolverInfo;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("threads: {}\n", rayon_threads());
    println!(
        "| plant | bodies | simulated | solver | made, s | again, s | ready, s | best step, ms | median, ms | body-steps/s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, bodies) in [("oak", 1_000), ("oak", 10_000), ("maple", 138_965)] {
        let plant = Arc::new(grow(&Species::named(name).unwrap(), &GrowOptions { bodies: Some(bodies), seed: 0 })?);
        for info in &SOLVERS[..2] {
            time(name, &plant, *info, &Selection::All)?;
        }
    }
    let preset = PRESETS.iter().find(|p| p.name == "quigley-stress").expect("a preset");
    let options = GrowOptions { bodies: Some(preset.bodies), seed: 0 };
    let plant = Arc::new(grow(&Species::named(preset.species).expect("a species"), &options)?);
    for info in &SOLVERS[..2] {
        time(preset.name, &plant, *info, &thickest(&plant, 10_000))?;
    }
    Ok(())
}

/// The `count` thickest segments.
fn thickest(plant: &Plant, count: usize) -> Selection {
    let mut radii: Vec<f32> = plant.segments().iter().map(|s| s.base_radius).collect();
    radii.sort_by(f32::total_cmp);
    Selection::Thicker { radius: f64::from(radii[radii.len() - count]) }
}

fn time(
    name: &str,
    plant: &Arc<Plant>,
    info: SolverInfo,
    selection: &Selection,
) -> Result<(), Box<dyn std::error::Error>> {
    let make = || info.spec.build(Arc::clone(plant), &Params { keep_shape: true, ..Params::default() });
    let begin = Instant::now();
    drop(make()?);
    let made = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let mut solver = make()?;
    let again = begin.elapsed().as_secs_f64();
    solver.select(selection)?;
    let ready = begin.elapsed().as_secs_f64();
    let steps = (20_000_000 / solver.simulated_bodies()).clamp(40, 2000);
    let push = Load::force(plant.segment_id(1), DVec3::ZERO, DVec3::new(1000.0, 0.0, 300.0));
    let mut times = Vec::with_capacity(steps);
    for i in 0..steps {
        let loads = if i < 10 { std::slice::from_ref(&push) } else { &[] };
        let begin = Instant::now();
        solver.step(1.0 / 30.0, &mut StepInput::new().loads(loads))?;
        times.push(begin.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let (median, active) = (times[steps / 2], solver.simulated_bodies());
    println!(
        "| {name} | {} | {active} | {} | {made:.2} | {again:.2} | {ready:.2} | {:.3} | {:.3} | {:.2} M |",
        plant.body_count(),
        info.name,
        times[0] * 1e3,
        median * 1e3,
        active as f64 / median * 1e-6
    );
    Ok(())
}

/// The default of rayon: the environment variable, or all cores.
fn rayon_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.parse().ok()).unwrap_or(cores)
}
