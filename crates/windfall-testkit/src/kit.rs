//! Common functions of the tests of pieces, hands, shapes and selections.

use crate::World;
use windfall_articulated::Method;
use windfall_articulated::math::Real;
use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Plant, WoodMaterial};
use windfall_solver::Actions;
use windfall_solver::Params;

/// Prints a heading of the tables in docs/validation/pieces.md.
pub fn title(title: &str) {
    println!("\n### {title}\n");
}

/// Prints one row: quantity, theoretical value, computed value.
pub fn row(what: &str, theory: &str, ours: &str) {
    println!("| {what} | {theory} | {ours} |");
}

/// Wood with this modulus (Pa) and damping time (s).
pub fn damped_wood(modulus: f64, damping: f64) -> WoodMaterial {
    WoodMaterial { damping, ..crate::truth::rod::wood(modulus) }
}

/// A world with default parameters.
pub fn world<T: Real>(plant: &Plant, method: Method) -> World<T> {
    World::new(plant.clone(), Params::default(), method).unwrap()
}

/// Steps without loads.
pub fn run<T: Real>(world: &mut World<T>, dt: f64, steps: usize) {
    for _ in 0..steps {
        world.step(dt, &Actions::default()).unwrap();
    }
}

/// Positions of the joints of all bodies, world metres.
pub fn joints<T: Real>(world: &World<T>) -> Vec<DVec3> {
    world.plant().body_ids().map(|id| world.motion(id).joint).collect()
}

/// Largest distance between two lists of points, m.
pub fn apart(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max)
}

/// The subtree of a body, including itself.
pub fn subtree(plant: &Plant, root: BodyId) -> Vec<BodyId> {
    let mut inside = vec![false; plant.body_count()];
    for id in plant.body_ids() {
        inside[id.0 as usize] = id == root || plant.parent(id).is_some_and(|p| inside[p.0 as usize]);
    }
    plant.body_ids().filter(|id| inside[id.0 as usize]).collect()
}

/// A tree of a species with this number of bodies.
pub fn grown(species: &str, bodies: usize) -> Plant {
    let species = windfall_grow::Species::named(species).unwrap();
    windfall_grow::grow(&species, &windfall_grow::GrowOptions { bodies: Some(bodies), seed: 3 }).unwrap()
}
