//! `Implicit` converges to the reference at second order as the step shrinks.

mod truth;

use truth::{Reference, plants, rod};
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{Actions, BodyId, Plant, Solver};
use windfall_dynamics::{Method, Params, World};

/// Largest distance of any joint or tip between the engine at `dt` and the reference after `seconds`.
fn error(plant: &Plant, reference_pose: &windfall_core::Pose, dt: f64, seconds: f64, kick: &[(BodyId, DVec3)]) -> f64 {
    let mut world = World::<f64>::new(plant.clone(), Params::default(), Method::Implicit).unwrap();
    for &(body, w) in kick {
        world.set_joint(body, DQuat::IDENTITY, w);
    }
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt, &Actions::default()).unwrap();
    }
    plant
        .body_ids()
        .map(|id| {
            (world.motion(id).joint - plant.trees()[0].origin - reference_pose.positions[id.0 as usize].as_dvec3())
                .length()
        })
        .fold(0.0, f64::max)
}

#[test]
fn halving_the_step_quarters_the_error() {
    let plant = plants::forked(&rod::wood(3e7));
    let kick = [(BodyId(0), DVec3::new(1.0, 2.0, -2.0)), (BodyId(4), DVec3::new(2.0, -4.0, 1.0))];
    let reference = Reference::new(&plant);
    let mut state = reference.rest_state();
    for (body, w) in kick {
        state.w[body.0 as usize] = w;
    }
    let seconds = 0.5;
    reference.run(&mut state, seconds, reference.small_step() * 0.3);
    let pose = reference.pose(&state);
    let mut last = f64::NAN;
    for n in [1600, 3200, 6400] {
        let e = error(&plant, &pose, seconds / f64::from(n), seconds, &kick);
        println!("{n} steps: {e:.3e}, ratio {:.2}", last / e);
        assert!(last.is_nan() || last / e > 3.0, "{n} steps: {e:.3e} after {last:.3e}");
        last = e;
    }
}
