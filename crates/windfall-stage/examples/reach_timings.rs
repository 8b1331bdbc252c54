//! Measures the savings of reachable workspaces: bodies visited, and time, to find those that a ball may
//! touch in a tree.
//!
//! `cargo run --release -p windfall-stage --example reach_timings`

use std::time::Instant;

use windfall_articulated::{Method, World};
use windfall_core::glam::DVec3;
use windfall_grow::{GrowOptions, Species, grow};
use windfall_solver::Params;
use windfall_stage::reach::{Reach, collision_shape};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("| bodies | balls | looked at, of all | found | ms per ball | ms by looking at all | times faster |");
    println!("|---:|---:|---:|---:|---:|---:|---:|");
    for bodies in [1_000, 10_000, 100_000, 1_000_000] {
        let plant = grow(
            &Species::named("maple").expect("a species of the library"),
            &GrowOptions { bodies: Some(bodies), seed: 1 },
        )?;
        let world = World::<f32>::new(plant.clone(), Params::default(), Method::Implicit)?;
        let reach = Reach::new(&plant);
        let joints: Vec<DVec3> = plant.body_ids().map(|id| world.motion(id).joint).collect();
        let extents: Vec<f64> = plant
            .body_ids()
            .map(|id| {
                let (shape, origin) = collision_shape(&plant, id);
                shape.reach(-origin)
            })
            .collect();
        // All over the crown.
        let balls: Vec<DVec3> = joints.iter().step_by(joints.len() / 100).copied().collect();
        let radius = 0.04;
        let (mut looked, mut found, mut stack) = (0, 0, Vec::new());
        let start = Instant::now();
        for &ball in &balls {
            for &root in reach.roots() {
                looked += reach.visit(root, &mut stack, |body, far| {
                    let i = body.0 as usize;
                    let away = joints[i].distance(ball);
                    found += usize::from(away <= extents[i] + radius);
                    away <= far + radius
                });
            }
        }
        let pruned = start.elapsed().as_secs_f64() / balls.len() as f64;
        let start = Instant::now();
        let mut all = 0;
        for &ball in &balls {
            all += joints.iter().zip(&extents).filter(|(j, e)| j.distance(ball) <= *e + radius).count();
        }
        let brute = start.elapsed().as_secs_f64() / balls.len() as f64;
        assert_eq!(all, found, "a body was missed");
        println!(
            "| {} | {} | {:.2} % | {:.1} | {:.4} | {:.4} | {:.1} |",
            plant.body_count(),
            balls.len(),
            100.0 * looked as f64 / balls.len() as f64 / plant.body_count() as f64,
            found as f64 / balls.len() as f64,
            pruned * 1e3,
            brute * 1e3,
            brute / pruned
        );
    }
    Ok(())
}
