//! Rest shapes: kept under gravity, adopted, edited while a simulation runs.

use crate::kit;

use crate::truth::plants;
use windfall_articulated::Method;
use windfall_articulated::math::Real;
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyId, Plant};
use windfall_solver::Base;
use windfall_solver::Params;
use windfall_testkit::World;

const METHODS: [Method; 2] = [Method::Implicit, Method::Analytic];

fn rest(plant: &Plant) -> Vec<DVec3> {
    plant.body_ids().map(|id| plant.rest_position(id)).collect()
}

fn kept() -> Params {
    Params { keep_shape: true, ..Params::default() }
}

fn stays<T: Real>(plant: &Plant, method: Method) -> f64 {
    let mut world = World::<T>::new(plant.clone(), kept(), method).unwrap();
    let mut worst = kit::apart(&kit::joints(&world), &rest(plant));
    for _ in 0..300 {
        kit::run(&mut world, 1.0 / 60.0, 1);
        worst = worst.max(kit::apart(&kit::joints(&world), &rest(plant)));
    }
    worst
}

#[test]
fn a_kept_shape_stays() {
    kit::title("keep_shape: largest distance of any joint from the rest shape within 5 s");
    for (name, modulus) in [("soft", 1e9), ("ordinary", 5e9), ("stiff", 1e13)] {
        let plant = plants::leafy(&kit::damped_wood(modulus, 0.01));
        for method in METHODS {
            let (double, single) = (stays::<f64>(&plant, method), stays::<f32>(&plant, method));
            kit::row(&format!("{name}, {method:?}"), "0", &format!("f64 {double:.1e} m, f32 {single:.1e} m"));
            // Positions in a plant are f32; rounding in f32 makes leaves tremble by some 1e-6 rad.
            assert!(double < 1e-7, "{name}, {method:?}: {double:e}");
            assert!(single < 1e-4, "{name}, {method:?}: {single:e}");
        }
    }
}

#[test]
fn a_kept_shape_stays_on_inclined_ground() {
    let plant = plants::forked(&kit::damped_wood(1e9, 0.05));
    let turned = Base { orientation: DQuat::from_rotation_z(0.4), ..Base::default() };
    for method in METHODS {
        let mut world = World::<f64>::new(plant.clone(), Params { mass_damping: 3.0, ..kept() }, method).unwrap();
        world.set_base(0, turned);
        kit::run(&mut world, 1.0 / 60.0, 1);
        // Springs adapted again, to the present ground.
        world.set_params(Params { mass_damping: 3.0, ..kept() }).unwrap();
        kit::run(&mut world, 1.0 / 60.0, 3000);
        let origin = plant.trees()[0].origin;
        let truth: Vec<DVec3> = rest(&plant).iter().map(|p| origin + turned.orientation * (*p - origin)).collect();
        let error = kit::apart(&kit::joints(&world), &truth);
        assert!(error < 1e-7, "{method:?}: {error:e}");
    }
}

fn bent(plant: &Plant, params: Params, method: Method) -> World<f64> {
    let mut world = World::<f64>::new(plant.clone(), params, method).unwrap();
    world.set_joint(BodyId(1), DQuat::from_scaled_axis(DVec3::new(0.3, 0.1, -0.2)), DVec3::new(0.1, 0.3, 0.2));
    world.set_joint(BodyId(4), DQuat::from_scaled_axis(DVec3::new(-0.2, 0.4, 0.1)), DVec3::ZERO);
    world
}

#[test]
fn an_adopted_shape_is_the_rest_shape() {
    let plant = plants::leafy(&kit::damped_wood(2e9, 0.02));
    for method in METHODS {
        let mut world = bent(&plant, kept(), method);
        let before = kit::joints(&world);
        world.adopt_shape();
        assert!(kit::apart(&kit::joints(&world), &before) < 1e-14, "{method:?}: nothing moves");
        kit::run(&mut world, 1.0 / 60.0, 300);
        let error = kit::apart(&kit::joints(&world), &before);
        assert!(error < 1e-8, "{method:?}: kept to {error:e}");

        // Without keeping the shape it sags from there as a plant that was made in this shape does.
        let mut sagging = bent(&plant, Params::default(), method);
        sagging.adopt_shape();
        let mut made = World::<f64>::new(sagging.plant_in_present_shape().unwrap(), Params::default(), method).unwrap();
        kit::run(&mut sagging, 1.0 / 60.0, 60);
        kit::run(&mut made, 1.0 / 60.0, 60);
        let error = kit::apart(&kit::joints(&sagging), &kit::joints(&made));
        assert!(kit::apart(&kit::joints(&sagging), &before) > 1e-3, "{method:?}: it does sag");
        // A plant stores its places in f32: 1e-7 of a metre, somewhat more where whole limbs turn.
        assert!(error < 1e-5, "{method:?}: {error:e}");
    }
}

#[test]
fn the_plant_in_the_present_shape_has_the_same_bodies() {
    let plant = plants::leafy(&kit::damped_wood(1e8, 0.02));
    for method in METHODS {
        let mut world = bent(&plant, Params::default(), method);
        kit::run(&mut world, 1.0 / 60.0, 20);
        let new = world.plant_in_present_shape().unwrap();
        assert_eq!(new.body_count(), plant.body_count());
        for id in plant.body_ids() {
            assert_eq!(new.parent(id), plant.parent(id));
            assert_eq!(new.kind_name(id), plant.kind_name(id));
            let (a, b) = (new.mass_properties(id), plant.mass_properties(id));
            assert_eq!((a.mass, a.inertia), (b.mass, b.inertia));
            assert_eq!(new.joint_properties(id), plant.joint_properties(id));
            assert!((new.rest_position(id) - world.motion(id).joint).length() < 1e-6);
            let turn = new.rest_orientation(id) * world.motion(id).orientation.inverse();
            assert!(turn.to_scaled_axis().length() < 1e-6);
        }
        let again = World::<f64>::new(new, Params::default(), method).unwrap();
        assert!(kit::apart(&kit::joints(&again), &kit::joints(&world)) < 1e-6, "the pose is the same");
    }
}

/// One edit of the parameters.
type Edit = fn(&mut Params);

#[test]
fn editing_parameters_moves_nothing_at_that_moment() {
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.02));
    let edits: [(&str, Edit); 8] = [
        ("gravity", |p| p.gravity = DVec3::new(1.0, -2.0, 0.5)),
        ("stiffness", |p| p.branches.stiffness = 3.0),
        ("rigid", |p| p.branches.stiffness = f64::INFINITY),
        ("damping", |p| p.leaves.damping = 5.0),
        ("density", |p| p.fruit.density = 2.0),
        ("mass damping", |p| p.mass_damping = 1.0),
        ("keep shape", |p| p.keep_shape = true),
        ("all by TOML", |p| *p = Params::from_toml(&p.to_toml()).unwrap()),
    ];
    for method in METHODS {
        for (name, edit) in edits {
            let mut world = bent(&plant, Params::default(), method);
            kit::run(&mut world, 1.0 / 60.0, 20);
            let (before, pose) = (kit::joints(&world), world.pose());
            let speeds: Vec<DVec3> = plant.body_ids().map(|id| world.motion(id).angular_velocity).collect();
            let mut params = world.params().clone();
            edit(&mut params);
            world.set_params(params.clone()).unwrap();
            assert_eq!(*world.params(), params);
            assert!(kit::apart(&kit::joints(&world), &before) < 1e-14, "{method:?}, {name}");
            let after: Vec<DVec3> = plant.body_ids().map(|id| world.motion(id).angular_velocity).collect();
            assert!(kit::apart(&after, &speeds) < 1e-12, "{method:?}, {name}: velocities go on");
            if name != "keep shape" {
                assert_eq!(world.pose(), pose, "{method:?}, {name}");
            }
            kit::run(&mut world, 1.0 / 60.0, 60);
            assert!(kit::joints(&world).iter().all(|p| p.is_finite()), "{method:?}, {name}");
        }
    }
}

#[test]
fn parameters_that_are_written_and_read_change_nothing() {
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.02));
    let mut params = Params { mass_damping: 0.3, keep_shape: true, ..Params::default() };
    params.leaves.stiffness = 0.7;
    params.branches.axes = [1.0, 0.5, 2.0];
    for method in METHODS {
        let mut one = World::<f64>::new(plant.clone(), params.clone(), method).unwrap();
        let mut two = World::<f64>::new(plant.clone(), Params::from_toml(&params.to_toml()).unwrap(), method).unwrap();
        for world in [&mut one, &mut two] {
            world.set_joint(BodyId(2), DQuat::from_rotation_x(0.2), DVec3::X);
            kit::run(world, 1.0 / 60.0, 30);
        }
        let again = Params::from_toml(&two.params().to_toml()).unwrap();
        assert_eq!(again, params);
        assert_eq!(one.pose(), two.pose());
    }
}
