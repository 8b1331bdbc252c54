//! What happens around trees: touches, collisions, the ground, breaking, falling off, creatures.

mod breaking;
mod clashes;
mod collisions;
mod creatures;
mod falling_off;
mod grounded;
mod reachable;
mod touches;

use crate::truth::rod::Rod;
use crate::{kit, truth};
use windfall_core::glam::DVec3;
use windfall_core::{Actions, Plant};
use windfall_dynamics::math::Real;
use windfall_dynamics::stage::{Settings, Stage};
use windfall_dynamics::{Method, Params, World};

pub const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);
pub const BOTH: [Method; 2] = [Method::Implicit, Method::Analytic];

/// Parameters without weight.
pub fn weightless() -> Params {
    Params { gravity: DVec3::ZERO, ..Params::default() }
}

/// A stage with default settings and nothing around.
pub fn stage<T: Real>(plant: &Plant, params: Params, method: Method) -> Stage<T> {
    let world = World::new(plant.clone(), params, method).unwrap();
    Stage::new(world, Settings::default()).unwrap()
}

pub fn run<T: Real>(stage: &mut Stage<T>, dt: f64, seconds: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        stage.step(dt, &Actions::default()).unwrap();
    }
}

/// A stiff rod of this length and radius, m.
pub fn rod(length: f64, radius: f64) -> Rod {
    Rod { length, base_radius: radius, tip_radius: radius, material: truth::rod::wood(1e10) }
}

/// A tree of a species with so many bodies.
pub fn grown(species: &str, bodies: usize) -> Plant {
    let species = windfall_grow::Species::named(species).unwrap();
    windfall_grow::grow(&species, &windfall_grow::GrowOptions { bodies: Some(bodies), seed: 3 }).unwrap()
}
