//! How much the sway in wind depends on the length of the step.
//!
//! ```text
//! cargo run --release -p windfall --example wind_steps -- [SPECIES,.. [WIND,.. [SUBSTEPS,.. [BODIES [LIMIT]]]]]
//! ```
//!
//! Every tree stands in the same gusts for 80 s, at one step per frame of 1/30 s and at several. Rows are
//! averages over the last 60 s:
//!
//! | column | what |
//! |---|---|
//! | lean | length of the mean displacement of the centre of mass of the wood, m |
//! | sway | root mean square of its distance from that, m |
//! | leaves | root mean square of the angular velocity of the leaves, degrees/s |
//!
//! LIMIT is a limit of the bending of petioles in degrees (`[limits.leaves]`), none if it is left out.

use std::sync::Arc;

use windfall::core::glam::DVec3;
use windfall::prelude::*;
use windfall::solver::{StepError, Wind};

const FPS: f64 = 30.0;
const BEFORE: f64 = 20.0;
const MEASURED: f64 = 60.0;
/// Number of leaves whose motion is looked at.
const LEAVES: usize = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let list = |at: usize, default: &str| -> Vec<String> {
        arguments.get(at).map_or(default, |text| text).split(',').map(str::to_owned).collect()
    };
    let species = list(0, "maple,oak,aspen,willow,apple,cherry,palm,pine,spruce");
    let winds = list(1, "gentle-breeze,fresh-breeze,near-gale,gale,storm");
    let substeps: Vec<u32> = list(2, "1,4,16,32").iter().map(|n| n.parse()).collect::<Result<_, _>>()?;
    let bodies = list(3, "3000")[0].parse()?;
    let mut params = Params { keep_shape: true, ..Params::default() };
    if let Some(limit) = arguments.get(4) {
        params.limits.leaves.bend_degrees = Some(limit.parse()?);
    }
    println!("| species | wind | solver | substeps | lean, m | sway, m | leaves, °/s |");
    println!("|---|---|---|---|---|---|---|");
    for name in &species {
        let of = Species::named(name).ok_or_else(|| format!("no species {name}"))?;
        let plant = Arc::new(grow(&of, &GrowOptions { bodies: Some(bodies), seed: 0 })?);
        for wind_name in &winds {
            let spec = windfall::scene::named_wind(wind_name, None, std::path::Path::new(""))?;
            let wind: Arc<dyn Wind> = Arc::new(spec.build()?);
            for info in &SOLVERS[..2] {
                for &n in &substeps {
                    let mut solver = info.spec.build(plant.clone(), &params)?;
                    let Sway { lean, rms, leaves } = sway(&mut *solver, &wind, n)?;
                    println!("| {name} | {wind_name} | {} | {n} | {lean:.4} | {rms:.4} | {leaves:.0} |", info.name);
                }
            }
        }
    }
    Ok(())
}

struct Sway {
    lean: f64,
    rms: f64,
    leaves: f64,
}

fn sway(solver: &mut dyn Solver, wind: &Arc<dyn Wind>, substeps: u32) -> Result<Sway, StepError> {
    let plant = solver.plant().clone();
    let masses: Vec<f64> = (0..plant.segments().len()).map(|i| plant.mass_properties(BodyId(i as u32)).mass).collect();
    let all: f64 = masses.iter().sum();
    let center = |solver: &dyn Solver| -> DVec3 {
        let one = |(i, m): (usize, &f64)| solver.motion(BodyId(i as u32).into()).center * (*m / all);
        masses.iter().enumerate().map(one).sum()
    };
    let stride = plant.leaves().len().div_ceil(LEAVES).max(1);
    let leaves: Vec<BodyId> = (0..plant.leaves().len()).step_by(stride).map(|i| plant.leaf_id(i)).collect();
    let rest = center(solver);
    let dt = 1.0 / (FPS * f64::from(substeps));
    let (mut sum, mut squares, mut spins, mut frames) = (DVec3::ZERO, 0.0, 0.0, 0.0);
    for frame in 0..((BEFORE + MEASURED) * FPS) as usize {
        for _ in 0..substeps {
            solver.step(dt, &mut StepInput::new().wind(Some(wind)))?;
        }
        if frame as f64 >= BEFORE * FPS {
            let moved = center(solver) - rest;
            (sum, squares, frames) = (sum + moved, squares + moved.length_squared(), frames + 1.0);
            let spin = |id: &BodyId| solver.motion((*id).into()).angular_velocity.length_squared();
            spins += leaves.iter().map(spin).sum::<f64>() / leaves.len().max(1) as f64;
        }
    }
    let mean = sum / frames;
    let rms = (squares / frames - mean.length_squared()).max(0.0).sqrt();
    Ok(Sway { lean: mean.length(), rms, leaves: (spins / frames).sqrt().to_degrees() })
}
