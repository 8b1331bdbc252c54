//! All joints as numbers: the numbers that are read can be written back, and bodies move to the given
//! targets.

use crate::kit;
use crate::truth::plants;

use windfall_articulated::Method;
use windfall_articulated::math::Real;
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyId, Plant, Pose};
use windfall_testkit::World;

fn moving<T: Real>(plant: &Plant, method: Method, steps: usize) -> World<T> {
    let mut world = kit::world::<T>(plant, method);
    world.set_joint(BodyId(0), DQuat::IDENTITY, DVec3::new(0.5, 1.0, -0.5));
    kit::run(&mut world, 1.0 / 60.0, steps);
    world
}

fn farthest(a: &Pose, b: &Pose) -> f32 {
    a.positions.iter().zip(&b.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

fn what_is_written_can_be_put_back<T: Real>(method: Method) {
    let plant = plants::leafy(&kit::damped_wood(1e8, 0.01));
    let mut early = Vec::new();
    let then = moving::<T>(&plant, method, 20);
    then.write_joints(&mut early);
    let mut world = moving::<T>(&plant, method, 35);
    let (there, here) = (then.pose(), world.pose());
    assert!(farthest(&there, &here) > 1e-3, "it moves");
    world.pull_joints(&early, 0.0);
    assert!(farthest(&world.pose(), &here) < 1e-6);
    world.pull_joints(&early, 0.5);
    let left = farthest(&world.pose(), &there) / farthest(&here, &there);
    assert!((0.4..0.6).contains(&left), "{left}");
    world.pull_joints(&early, 1.0);
    assert!(farthest(&world.pose(), &there) < 1e-6);
    // Velocities, too: both continue alike.
    let (mut then, mut again) = (then, world);
    for _ in 0..10 {
        kit::run(&mut then, 1.0 / 60.0, 1);
        kit::run(&mut again, 1.0 / 60.0, 1);
    }
    let went = farthest(&then.pose(), &there);
    assert!(farthest(&then.pose(), &again.pose()) < 0.02 * went, "{method:?}");
}

#[test]
fn what_is_written_can_be_put_back_in_all_methods() {
    for method in [Method::Implicit, Method::Analytic] {
        what_is_written_can_be_put_back::<f64>(method);
    }
    what_is_written_can_be_put_back::<f32>(Method::Implicit);
}
