//! Cost of a stage relative to the trees alone: a maple in a storm that loses its leaves.
//!
//! `cargo run --release -p windfall --example stage_timings`

use std::sync::Arc;
use std::time::Instant;

use windfall::core::Plant;
use windfall::grow::{GrowOptions, Species, grow};
use windfall::scene::SOLVERS;
use windfall::solver::Params;
use windfall::solver::{Solver, StepInput, Wind};
use windfall::stage::{Settings, Stage};
use windfall::wind::preset;

const FRAMES: usize = 60;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("| bodies | method | ms per frame, trees alone | with everything | in the air at the end | pieces |");
    println!("|---:|---|---:|---:|---:|---:|");
    for bodies in [10_000] {
        let species = Species::named("maple").expect("a species of the library");
        let plant: Arc<Plant> = Arc::new(grow(&species, &GrowOptions { bodies: Some(bodies), seed: 1 })?);
        let wind: Arc<dyn Wind> = Arc::new(preset("storm").expect("a preset").build()?);
        let mut params = Params { keep_shape: true, ..Params::default() };
        (params.leaves.strength, params.leaves.strength_spread) = (0.1, 0.4);
        for info in &SOLVERS[..2] {
            let mut solver = info.spec.build(plant.clone(), &params)?;
            let mut stage = Stage::new(solver.duplicate(), Settings::default())?;
            let start = Instant::now();
            for _ in 0..FRAMES {
                solver.step(1.0 / 30.0, &mut StepInput::new().wind(Some(&wind)))?;
            }
            let alone = start.elapsed().as_secs_f64() / FRAMES as f64;
            let start = Instant::now();
            for _ in 0..FRAMES {
                stage.step(1.0 / 30.0, &mut StepInput::new().wind(Some(&wind)))?;
            }
            let whole = start.elapsed().as_secs_f64() / FRAMES as f64;
            println!(
                "| {} | {} | {:.1} | {:.1} | {} | {} |",
                plant.body_count(),
                info.name,
                alone * 1e3,
                whole * 1e3,
                stage.bodies().len(),
                stage.breakable().map_or(0, |breakable| breakable.pieces().len())
            );
        }
    }
    Ok(())
}
