//! Which motions of leaves are stored.

use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Plant};
use windfall_solver::{Load, Solver, StepInput};

use windfall_articulated::{Method, World};
use windfall_solver::Params;

fn two_maples() -> Plant {
    let species = windfall_grow::Species::named("maple").expect("a species");
    let maple = windfall_grow::grow(&species, &windfall_grow::GrowOptions { bodies: Some(500), seed: 1 });
    let maple = maple.expect("it grows");
    Plant::together("two", &[(&maple, DVec3::ZERO), (&maple, DVec3::X * 9.0)]).expect("both fit")
}

/// Motions of leaves are allocated only in blocks in which one had to be stored; the tree of every
/// body is known all the time.
#[test]
fn leaves_have_room_once_something_acts_on_one_and_know_their_tree() {
    for method in [Method::Implicit, Method::Analytic] {
        let mut world = World::<f32>::new(two_maples(), Params::default(), method).expect("fine parameters");
        let last = BodyId(world.plant().body_count() as u32 - 1);
        let leaf_rows =
            |world: &World<f32>| world.inspect()[1..].iter().map(|block| block.stored_leaf_rows).sum::<usize>();
        let know_their_tree = |world: &World<f32>| {
            let blocks = world.inspect();
            let mut bodies = blocks.iter().flat_map(|block| &block.rows).flat_map(|row| row.bodies).flatten();
            bodies.all(|(body, tree)| world.plant().tree_index(body) == tree as usize)
        };
        for step in 0..20 {
            let load = [Load::force(last, DVec3::ZERO, DVec3::X * 0.001)];
            let loads = if step == 10 { &load[..] } else { &[] };
            world.step(1.0 / 60.0, &mut StepInput::new().loads(loads)).expect("a step");
            assert_eq!(leaf_rows(&world) > 0, step >= 10, "{method:?}, step {step}");
            assert!(know_their_tree(&world), "{method:?}, step {step}");
        }
    }
}
