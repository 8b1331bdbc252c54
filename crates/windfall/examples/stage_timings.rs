//! What a stage costs beside the trees alone: a maple in a storm that loses its leaves.
//!
//! `cargo run --release -p windfall --example stage_timings`

use std::sync::Arc;
use std::time::Instant;

use windfall::core::{Actions, Plant, Solver, Wind};
use windfall::dynamics::stage::{Settings, Stage};
use windfall::dynamics::{Method, Params, World};
use windfall::grow::{GrowOptions, Species, grow};
use windfall::wind::preset;

const FRAMES: usize = 60;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("| bodies | method | ms per frame, trees alone | with everything | in the air at the end | pieces |");
    println!("|---:|---|---:|---:|---:|---:|");
    for bodies in [10_000, 138_965] {
        let species = Species::named("maple").expect("a species of the library");
        let plant: Arc<Plant> = Arc::new(grow(&species, &GrowOptions { bodies: Some(bodies), seed: 1 })?);
        let wind: Arc<dyn Wind> = Arc::new(preset("storm").expect("a preset").build()?);
        let mut params = Params { keep_shape: true, ..Params::default() };
        (params.leaves.strength, params.leaves.strength_spread) = (0.1, 0.4);
        for method in [Method::Implicit, Method::Analytic] {
            let mut world = World::<f32>::new(plant.clone(), params.clone(), method)?;
            world.set_wind(Some(wind.clone()));
            let mut stage = Stage::new(world.clone(), Settings::default())?;
            let start = Instant::now();
            for _ in 0..FRAMES {
                world.step(1.0 / 30.0, &Actions::default())?;
            }
            let alone = start.elapsed().as_secs_f64() / FRAMES as f64;
            let start = Instant::now();
            for _ in 0..FRAMES {
                stage.step(1.0 / 30.0, &Actions::default())?;
            }
            let whole = start.elapsed().as_secs_f64() / FRAMES as f64;
            println!(
                "| {} | {method:?} | {:.1} | {:.1} | {} | {} |",
                plant.body_count(),
                alone * 1e3,
                whole * 1e3,
                stage.bodies().len(),
                stage.world().pieces().len()
            );
        }
    }
    Ok(())
}
