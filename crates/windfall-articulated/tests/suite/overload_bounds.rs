//! Bounds of strengths that blocks test while they are swept.

use std::sync::Arc;

use windfall_solver::{Params, Solver, StepInput, Wind};

use windfall_articulated::{Method, World};
use windfall_core::BodyId;
use windfall_solver::{Breakable, Strengths};

/// The strength bound that blocks test while they are swept misses no overload, from step to step, at
/// any strength.
#[test]
fn blocks_that_bear_their_loads_have_no_overloads() {
    let species = windfall_grow::Species::named("maple").expect("a species");
    let options = windfall_grow::GrowOptions { bodies: Some(12_000), seed: 2 };
    let plant = Arc::new(windfall_grow::grow(&species, &options).expect("it grows"));
    let gale = windfall_wind::preset("gale").expect("a wind").build().expect("it builds");
    let gale: Arc<dyn Wind> = Arc::new(gale);
    let (mut bearing, mut overloaded) = (0, 0);
    for method in [Method::Implicit, Method::Analytic] {
        for strength in [0.02, 0.3, 3.0] {
            let mut params = Params::default();
            for class in [&mut params.branches, &mut params.leaves, &mut params.fruit] {
                class.strength = strength;
            }
            let mut world = World::<f32>::new(Arc::clone(&plant), params, method).expect("fine parameters");
            let strengths = Strengths::new(world.params(), &plant);
            let mut found = Vec::new();
            for step in 0..12 {
                world.step(1.0 / 30.0, &mut StepInput::new().wind(Some(&gale))).expect("a step");
                world.overloads(&strengths, &mut found);
                let used = |body: BodyId| strengths.list()[body.0 as usize].used_by(&world.joint_load(body));
                let all = plant.body_ids().filter(|&body| used(body) > 1.0);
                assert!(all.eq(found.iter().map(|o| o.body.id)), "{method:?}, {strength}, step {step}");
                bearing += world.inspect()[1..].iter().filter(|block| block.bears_loads).count();
                overloaded += found.len();
            }
        }
    }
    assert!(bearing > 20 && overloaded > 100, "{bearing} blocks bear, {overloaded} joints do not");
}
