//! When the energy of trees is watched.

use windfall_core::BodyId;
use windfall_core::glam::{DQuat, DVec3};
use windfall_solver::{Load, Solver, StepInput};

use windfall_articulated::{Method, World};
use windfall_solver::Params;

/// A tree that sways is not watched; one that is whipped is watched until its motion is no longer
/// violent.
#[test]
fn only_violent_trees_are_watched() {
    let plant = windfall_conformance::symmetric_tree();
    let mut world = World::<f32>::new(plant, Params::default(), Method::Implicit).unwrap();
    let dt = 1.0 / 60.0;
    let tip = BodyId(4);
    let push = [Load::force(tip, DVec3::Y * 0.3, DVec3::Z * 5.0)];
    for _ in 0..60 {
        world.step(dt, &mut StepInput::new().loads(&push)).unwrap();
        assert!(!world.watches_energy());
    }
    world.set_joint(tip, DQuat::IDENTITY, DVec3::X * (0.9 / dt));
    world.step(dt, &mut StepInput::new()).unwrap();
    assert!(world.watches_energy());
    for _ in 0..600 {
        world.step(dt, &mut StepInput::new()).unwrap();
    }
    assert!(!world.watches_energy());
}
