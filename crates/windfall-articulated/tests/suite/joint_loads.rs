//! Joint loads: at rest the weight beyond the joint and its moment, in motion the loads by Newton and
//! Euler.

use crate::kit;

use crate::truth::{Reference, plants};
use windfall_articulated::Method;
use windfall_core::BodyId;
use windfall_core::glam::DVec3;
use windfall_solver::Params;
use windfall_testkit::World;

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

#[test]
fn at_rest_every_joint_carries_what_hangs_on_it() {
    kit::title("joint loads at rest: largest error of any joint, as a share of the load of the base");
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.05));
    for (name, stiffness) in [("elastic", 1.0), ("rigid", f64::INFINITY)] {
        for method in [Method::Implicit, Method::Analytic] {
            let mut params = Params { mass_damping: 5.0, ..Params::default() };
            params.branches.stiffness = stiffness;
            params.leaves.stiffness = stiffness;
            params.fruit.stiffness = stiffness;
            let mut world = World::<f64>::new(plant.clone(), params, method).unwrap();
            kit::run(&mut world, 1.0 / 60.0, 3000);
            let motions: Vec<_> = plant.body_ids().map(|id| world.motion(id)).collect();
            let base = world.joint_load(BodyId(0));
            let mut worst = [0.0_f64; 2];
            for id in plant.body_ids() {
                let beyond = kit::subtree(&plant, id);
                let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
                for b in &beyond {
                    let weight = plant.mass_properties(*b).mass * GRAVITY;
                    force -= weight;
                    moment -= (motions[b.0 as usize].center - motions[id.0 as usize].joint).cross(weight);
                }
                let load = world.joint_load(id);
                let turn = motions[id.0 as usize].orientation;
                worst[0] = worst[0].max((turn * load.force - force).length() / base.force.length());
                worst[1] = worst[1].max((turn * load.torque - moment).length() / base.torque.length());
            }
            kit::row(&format!("{name}, {method:?}"), "0", &format!("force {:.1e}, moment {:.1e}", worst[0], worst[1]));
            assert!(worst[0] < 1e-8 && worst[1] < 1e-8, "{name}, {method:?}: {worst:?}");
        }
    }
}

#[test]
fn in_motion_the_loads_converge_to_those_of_the_reference() {
    kit::title("joint loads in motion: mean over 20 ms at 0.3 s, largest error as a share of the load of the base");
    let plant = plants::forked(&kit::damped_wood(3e7, 0.002));
    let reference = Reference::new(&plant);
    let mut state = reference.rest_state();
    reference.run(&mut state, 0.3, reference.small_step());
    let truth = reference.mean_joint_loads(&mut state, 0.02, reference.small_step());
    let mut last = f64::NAN;
    for steps in [200_usize, 400, 800] {
        let dt = 0.02 / steps as f64;
        let mut world = kit::world::<f64>(&plant, Method::Implicit);
        kit::run(&mut world, dt, 15 * steps);
        let mut mean = vec![(DVec3::ZERO, DVec3::ZERO); plant.body_count()];
        for _ in 0..steps {
            kit::run(&mut world, dt, 1);
            for id in plant.body_ids() {
                let load = world.joint_load(id);
                mean[id.0 as usize].0 += load.force / steps as f64;
                mean[id.0 as usize].1 += load.torque / steps as f64;
            }
        }
        let error = mean
            .iter()
            .zip(&truth)
            .map(|((force, torque), t)| {
                let torque = (*torque - t.torque).length() / truth[0].torque.length();
                ((*force - t.force).length() / truth[0].force.length()).max(torque)
            })
            .fold(0.0, f64::max);
        kit::row(&format!("{steps} steps"), "0", &format!("{error:.2e}, ratio {:.2}", last / error));
        assert!(last.is_nan() || last / error > 1.9, "{error:e} after {last:e}");
        last = error;
    }
    assert!(last < 1e-3, "{last:e}");
}
