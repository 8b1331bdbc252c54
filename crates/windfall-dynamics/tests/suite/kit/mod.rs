//! What the tests of pieces, hands, shapes and selections share.

#![allow(dead_code, reason = "every test binary takes what it needs")]

use windfall_core::glam::DVec3;
use windfall_core::{Actions, BodyId, Plant, Solver, WoodMaterial};
use windfall_dynamics::math::Real;
use windfall_dynamics::{Method, Params, World};

/// Heading of a table of docs/validation/pieces.md.
pub fn title(title: &str) {
    println!("\n### {title}\n");
}

/// One row of it: what, theory's figure, ours.
pub fn row(what: &str, theory: &str, ours: &str) {
    println!("| {what} | {theory} | {ours} |");
}

/// Wood of a modulus (Pa) with a damping time (s).
pub fn damped_wood(modulus: f64, damping: f64) -> WoodMaterial {
    WoodMaterial { damping, ..super::truth::rod::wood(modulus) }
}

/// A world with default parameters.
pub fn world<T: Real>(plant: &Plant, method: Method) -> World<T> {
    World::new(plant.clone(), Params::default(), method).unwrap()
}

/// Steps without any action.
pub fn run<T: Real>(world: &mut World<T>, dt: f64, steps: usize) {
    for _ in 0..steps {
        world.step(dt, &Actions::default()).unwrap();
    }
}

/// The joints of all bodies, world metres.
pub fn joints<T: Real>(world: &World<T>) -> Vec<DVec3> {
    world.plant().body_ids().map(|id| world.motion(id).joint).collect()
}

/// Largest distance between two lists of points, m.
pub fn apart(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max)
}

/// All bodies that hang on this one, itself first.
pub fn subtree(plant: &Plant, root: BodyId) -> Vec<BodyId> {
    let mut inside = vec![false; plant.body_count()];
    for id in plant.body_ids() {
        inside[id.0 as usize] = id == root || plant.parent(id).is_some_and(|p| inside[p.0 as usize]);
    }
    plant.body_ids().filter(|id| inside[id.0 as usize]).collect()
}
