//! Tests of the surroundings of trees: touches, collisions, the ground, breaking, detachment, creatures.

mod breaking;
mod collisions;
mod creatures;
mod falling_off;
mod grounded;
mod instances;
mod one_time;
mod piece_contacts;
mod reachable;
mod touches;

use windfall_articulated::Method;
use windfall_articulated::math::Real;
use windfall_core::Plant;
use windfall_core::glam::DVec3;
use windfall_solver::Actions;
use windfall_solver::Params;
use windfall_stage::Settings;
use windfall_testkit::Stage;
use windfall_testkit::World;
pub(crate) use windfall_testkit::kit::{self, grown};
pub(crate) use windfall_testkit::truth::{self, rod::Rod};

pub(crate) const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);
pub(crate) const BOTH: [Method; 2] = [Method::Implicit, Method::Analytic];

/// Parameters without gravity.
pub(crate) fn weightless() -> Params {
    Params { gravity: DVec3::ZERO, ..Params::default() }
}

/// A stage with default settings and no surroundings.
pub(crate) fn stage<T: Real>(plant: &Plant, params: Params, method: Method) -> Stage<T> {
    let world = World::new(plant.clone(), params, method).unwrap();
    Stage::new(world, Settings::default()).unwrap()
}

pub(crate) fn run<T: Real>(stage: &mut Stage<T>, dt: f64, seconds: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        stage.step(dt, &Actions::default()).unwrap();
    }
}

/// A stiff rod of this length and radius, m.
pub(crate) fn rod(length: f64, radius: f64) -> Rod {
    Rod { length, base_radius: radius, tip_radius: radius, material: truth::rod::wood(1e10) }
}
