//! Steps take no memory: all that they need is made with the world, or in its first steps. A binary of its
//! own, since it counts all allocations.

use std::sync::Arc;

use windfall_articulated::Method;
use windfall_core::BodyId;
use windfall_core::glam::DVec3;
use windfall_grow::{GrowOptions, Species, grow};
use windfall_solver::Params;
use windfall_solver::{Actions, Grab, Load};
use windfall_testkit::World;

/// How often ten steps in wind, with a load and a hand, take memory.
fn count(method: Method) -> u64 {
    let species = Species::named("maple").unwrap();
    let plant = Arc::new(grow(&species, &GrowOptions { bodies: Some(5000), seed: 1 }).unwrap());
    let mut world = World::<f32>::new(plant, Params::default(), method).unwrap();
    let air = windfall_wind::preset("gale").unwrap().build().unwrap();
    world.set_wind(Some(Arc::new(air)));
    let body = BodyId(4);
    let (point, target) = (DVec3::ZERO, world.motion(body).joint + DVec3::X * 0.1);
    let loads = [Load::force(BodyId(9), point, DVec3::Y)];
    let grabs = [Grab { body: body.into(), point, target, target_velocity: point, stiffness: 10.0, damping: 0.1 }];
    let actions = Actions { loads: &loads, grabs: &grabs, touches: &[], ..Actions::default() };
    // On a thread of the pool: what wakes the others belongs to rayon.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        (0..3).for_each(|_| world.step(1.0 / 60.0, &actions).unwrap());
        allocation_counter::measure(|| (0..10).for_each(|_| world.step(1.0 / 60.0, &actions).unwrap())).count_total
    })
}

#[test]
fn steps_take_no_memory() {
    assert_eq!(count(Method::Implicit), 0);
    assert_eq!(count(Method::Analytic), 0);
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![1u8]))).count_total;
    assert_eq!(counted, 1, "nothing is counted");
}
