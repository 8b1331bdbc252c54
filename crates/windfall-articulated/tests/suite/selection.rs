//! Simulation of a part of the bodies: the rest moves with its carrier, with its mass.

use crate::kit;

use crate::truth::plants;
use windfall_articulated::Method;
use windfall_articulated::math::Real;
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyId, Plant};
use windfall_solver::{Params, Selection};
use windfall_testkit::World;

const METHODS: [Method; 2] = [Method::Implicit, Method::Analytic];

fn selections(plant: &Plant) -> Vec<Selection> {
    let wood = plant.segments().len();
    vec![
        Selection::All,
        Selection::Orders { highest: 0, foliage: false },
        Selection::Orders { highest: 0, foliage: true },
        Selection::Orders { highest: 9, foliage: false },
        Selection::Thicker { radius: 0.0065 },
        Selection::Thicker { radius: 1.0 },
        Selection::Subtrees(vec![BodyId(3)]),
        Selection::Subtrees(vec![BodyId(5), plant.leaf_id(0), BodyId(999)]),
        Selection::Bodies(Vec::new()),
        Selection::Bodies((0..plant.body_count()).map(|i| i >= wood).collect()),
        Selection::Bodies((0..plant.body_count()).map(|i| i % 2 == 0).collect()),
    ]
}

fn moving<T: Real>(plant: &Plant, method: Method) -> World<T> {
    let mut world = kit::world::<T>(plant, method);
    world.set_joint(BodyId(0), DQuat::IDENTITY, DVec3::new(0.5, 1.0, -0.5));
    world.set_joint(BodyId(4), DQuat::IDENTITY, DVec3::new(1.0, -1.0, 0.5));
    kit::run(&mut world, 1.0 / 60.0, 20);
    world
}

#[test]
fn switching_moves_nothing() {
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.01));
    let mut worst = [0.0_f64; 2];
    for method in METHODS {
        for first in selections(&plant) {
            for second in selections(&plant) {
                let (mut double, mut single) = (moving::<f64>(&plant, method), moving::<f32>(&plant, method));
                for selection in [&first, &second, &Selection::All] {
                    let (before, before_single) = (kit::joints(&double), kit::joints(&single));
                    double.select(selection.clone());
                    single.select(selection.clone());
                    worst[0] = worst[0].max(kit::apart(&kit::joints(&double), &before));
                    worst[1] = worst[1].max(kit::apart(&kit::joints(&single), &before_single));
                    kit::run(&mut double, 1.0 / 60.0, 2);
                    kit::run(&mut single, 1.0 / 60.0, 2);
                }
            }
        }
    }
    kit::row(
        "jump of any joint when the selection changes",
        "0",
        &format!("f64 {:.1e} m, f32 {:.1e} m", worst[0], worst[1]),
    );
    // Rounding of chains of up to ten joints over a metre.
    assert!(worst[0] < 1e-14 && worst[1] < 1e-6, "{worst:?}");
}

#[test]
fn what_is_not_simulated_rides_rigidly() {
    let plant = plants::leafy(&kit::damped_wood(1e8, 0.01));
    let active = |selection: &Selection, id: BodyId| match selection {
        Selection::Orders { highest, foliage } => {
            let order = plant.branches()[plant.branch_index(id)].order;
            order <= *highest && (*foliage || (id.0 as usize) < plant.segments().len())
        }
        _ => unreachable!("this test uses orders alone"),
    };
    for method in METHODS {
        for selection in
            [Selection::Orders { highest: 0, foliage: false }, Selection::Orders { highest: 0, foliage: true }]
        {
            let mut world = moving::<f64>(&plant, method);
            world.select(selection.clone());
            let relative = |world: &World<f64>, id: BodyId| {
                let parent = world.motion(plant.parent(id).unwrap());
                let own = world.motion(id);
                let back = parent.orientation.inverse();
                (back * (own.joint - parent.joint), back * own.orientation)
            };
            let frozen: Vec<BodyId> =
                plant.body_ids().filter(|&id| !active(&selection, id) && plant.parent(id).is_some()).collect();
            assert!(!frozen.is_empty());
            let before: Vec<_> = frozen.iter().map(|&id| relative(&world, id)).collect();
            let start = kit::joints(&world);
            kit::run(&mut world, 1.0 / 60.0, 30);
            assert!(kit::apart(&kit::joints(&world), &start) > 1e-3, "the rest does move");
            for (&id, before) in frozen.iter().zip(&before) {
                let now = relative(&world, id);
                assert!((now.0 - before.0).length() < 1e-13, "{method:?}");
                assert!((now.1 * before.1.inverse()).to_scaled_axis().length() < 1e-7, "{method:?}");
            }
        }
    }
}

#[test]
fn weight_and_its_moment_stay_the_same() {
    // Rigid wood: the shape is the same for every selection, so the load of the base must be, too.
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.05));
    let mut params = Params { mass_damping: 5.0, ..Params::default() };
    params.branches.stiffness = f64::INFINITY;
    params.leaves.stiffness = f64::INFINITY;
    params.fruit.stiffness = f64::INFINITY;
    for method in METHODS {
        let mut all = World::<f64>::new(plant.clone(), params.clone(), method).unwrap();
        kit::run(&mut all, 1.0 / 60.0, 100);
        let truth = all.joint_load(BodyId(0));
        for selection in [
            Selection::Orders { highest: 0, foliage: false },
            Selection::Thicker { radius: 0.0065 },
            Selection::Bodies(vec![true]),
        ] {
            let mut world = World::<f64>::new(plant.clone(), params.clone(), method).unwrap();
            world.select(selection.clone());
            assert!(world.active_bodies() < plant.body_count());
            kit::run(&mut world, 1.0 / 60.0, 100);
            let load = world.joint_load(BodyId(0));
            let error = (load.torque - truth.torque).length() / truth.torque.length()
                + (load.force - truth.force).length() / truth.force.length();
            kit::row(&format!("{method:?}, {selection:?}: load of the base"), "as with all", &format!("{error:.1e}"));
            assert!(error < 1e-9, "{method:?} {selection:?}: {error:e}");
            let mass = world.momentum(0).mass;
            assert!((mass - all.momentum(0).mass).abs() < 1e-12, "{mass}");
        }
    }
}

#[test]
fn switched_at_rest_and_back_nothing_is_different() {
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.01));
    for method in METHODS {
        for selection in selections(&plant) {
            let mut never = kit::world::<f64>(&plant, method);
            let mut switched = kit::world::<f64>(&plant, method);
            switched.select(selection.clone());
            switched.select(Selection::All);
            kit::run(&mut never, 1.0 / 60.0, 60);
            kit::run(&mut switched, 1.0 / 60.0, 60);
            assert_eq!(never.pose(), switched.pose(), "{method:?} {selection:?}");
        }
    }
}

#[test]
fn a_joint_that_was_held_starts_again_from_rest() {
    // A joint that is not simulated does not turn; afterwards it must not continue with its earlier
    // velocity.
    let plant = plants::leafy(&kit::damped_wood(1e8, 0.01));
    for method in METHODS {
        let mut world = moving::<f64>(&plant, method);
        world.select(Selection::Bodies(Vec::new()));
        kit::run(&mut world, 1.0 / 60.0, 10);
        world.select(Selection::All);
        let energy = world.energy().kinetic;
        assert!(energy < 1e-20, "{method:?}: {energy} J out of nothing");
        for id in plant.body_ids() {
            assert!(world.motion(id).velocity.length() < 1e-12, "{method:?}");
        }
    }
}

#[test]
fn nothing_and_odd_things_can_be_simulated() {
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.01));
    for method in METHODS {
        for selection in selections(&plant) {
            let mut world = moving::<f32>(&plant, method);
            world.select(selection.clone());
            let before = world.pose();
            kit::run(&mut world, 1.0 / 30.0, 60);
            assert!(
                world.pose().positions.iter().all(|p| p.is_finite() && p.length() < 2.0),
                "{method:?} {selection:?}"
            );
            if world.active_bodies() == 0 {
                assert_eq!(world.pose(), before);
            }
        }
    }
}
