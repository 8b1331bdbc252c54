//! Derived motion of leaves with no loads but air and weight: it is computed from their parents on
//! request.

use std::sync::Arc;

use windfall_articulated::math::Real;
use windfall_articulated::{Method, Vectors};
use windfall_core::glam::{DMat3, DQuat, DVec3};
use windfall_core::{Body, BodyId, Plant};
use windfall_solver::Params;
use windfall_solver::{Actions, BodyMotion, Grab, Touch, Wind};
use windfall_testkit::World;

use crate::kit::{self, damped_wood};
use crate::truth::plants;

/// Gusts along x.
#[derive(Debug)]
struct Gusts(f64);

impl Wind for Gusts {
    fn velocity(&self, at: DVec3, time: f64) -> DVec3 {
        DVec3::X * (self.0 * (1.0 + (3.0 * time + at.y).sin()))
    }
}

fn blown<T: Real>(plant: &Plant, method: Method, speed: f64) -> World<T> {
    let mut world = World::new(plant.clone(), Params::default(), method).expect("fine parameters");
    world.set_wind(Some(Arc::new(Gusts(speed))));
    world
}

fn leaves(plant: &Plant) -> Vec<BodyId> {
    plant.body_ids().filter(|&id| matches!(plant.body(id), Some(Body::Leaf(_)))).collect()
}

/// Velocities and accelerations are the differences of the places, in every way in which bodies are
/// swept.
#[test]
fn leaves_move_as_their_places_say() {
    let plant = plants::leafy(&damped_wood(1e9, 0.01));
    let leaves = leaves(&plant);
    let h = 1.0 / 2000.0;
    for method in [Method::Implicit, Method::Analytic] {
        for vectors in [Vectors::Best, Vectors::None] {
            let mut world = blown::<f32>(&plant, method, 1.5);
            world.set_vectors(vectors);
            let mut steps: Vec<Vec<BodyMotion>> = Vec::new();
            for _ in 0..600 {
                kit::run(&mut world, h, 1);
                steps.push(leaves.iter().map(|&leaf| world.motion(leaf)).collect());
            }
            let (mut off, mut most) = ([0.0_f64; 3], [0.0_f64; 3]);
            // Over some steps, because of rounding.
            for around in steps.windows(13) {
                for ((before, now), after) in around[0].iter().zip(&around[6]).zip(&around[12]) {
                    let turn = (after.orientation * before.orientation.inverse()).to_scaled_axis();
                    let rates = [after.center - before.center, turn, after.velocity - before.velocity];
                    for (i, told) in [now.velocity, now.angular_velocity, now.acceleration].into_iter().enumerate() {
                        off[i] = off[i].max((rates[i] / (12.0 * h) - told).length());
                        most[i] = most[i].max(told.length());
                    }
                }
            }
            for (i, (what, share)) in
                [("velocity", 0.03), ("turning", 0.03), ("acceleration", 0.1)].into_iter().enumerate()
            {
                kit::row(
                    &format!("{method:?}, {vectors:?}: {what}"),
                    "0",
                    &format!("{:.1e} of {:.1e}", off[i], most[i]),
                );
                assert!(off[i] < share * most[i], "{method:?}, {vectors:?}: {what} off by {} of {}", off[i], most[i]);
            }
        }
    }
}

/// A ball that sticks to a leaf in a gust gives it `m (u - v)`, v the velocity of the leaf at the end of
/// the step: the places before and after give the same.
#[test]
fn a_leaf_takes_the_momentum_that_is_reported() {
    let plant = plants::leafy(&damped_wood(1e9, 0.01));
    let leaf = leaves(&plant)[2];
    let mass = plant.mass_properties(leaf);
    let (ball, u, h) = (0.5 * mass.mass, DVec3::new(-2.0, 1.0, 0.5), 1.0 / 240.0);
    let mut world = blown::<f64>(&plant, Method::Implicit, 6.0);
    for _ in 0..5 {
        kit::run(&mut world, h, 20);
        let before = world.motion(leaf).center;
        let touch = Touch {
            body: leaf.into(),
            point: mass.center_of_mass,
            velocity: u,
            mass: DMat3::from_diagonal(DVec3::splat(ball)),
            pushes_along: None,
        };
        world.step(h, &Actions { touches: &[touch], ..Actions::default() }).expect("a step");
        let went = (world.motion(leaf).center - before) / h;
        let (told, right) = (world.touch_impulses()[0], ball * (u - went));
        kit::row("impulse, N s", &format!("{:.3e}", right.length()), &format!("{:.1e} off", (told - right).length()));
        assert!((told - right).length() < 0.03 * right.length(), "{told} instead of {right}");
    }
}

/// Queries of leaves, and changes that are undone, give the results of a world without derived leaf
/// motion.
#[test]
fn looking_changes_nothing() {
    let plant = plants::leafy(&damped_wood(1e9, 0.01));
    let (mut looked_at, mut left_alone) =
        (blown::<f32>(&plant, Method::Implicit, 4.0), blown::<f32>(&plant, Method::Implicit, 4.0));
    for step in 0..60 {
        for world in [&mut looked_at, &mut left_alone] {
            kit::run(world, 1.0 / 30.0, 1);
        }
        let _ = (looked_at.energy(), looked_at.motion(BodyId(12)));
        if step % 7 == 0 {
            // After this, everything is swept up again.
            let params = looked_at.params().clone();
            looked_at.set_params(params).expect("the same parameters");
        }
        assert_eq!(kit::joints(&looked_at), kit::joints(&left_alone), "step {step}");
        for leaf in leaves(&plant) {
            assert_eq!(looked_at.motion(leaf), left_alone.motion(leaf), "step {step}");
        }
    }
}

/// Leaves that are grabbed, released, turned by a grab and grabbed again in still air after wind, beside
/// other leaves: stale motion is never used.
#[test]
fn leaves_that_come_and_go_are_as_right_as_in_f64() {
    let plant = plants::leafy(&damped_wood(1e9, 0.01));
    let leaf = leaves(&plant)[1];
    for method in [Method::Implicit, Method::Analytic] {
        let mut worlds = (blown::<f32>(&plant, method, 3.0), blown::<f64>(&plant, method, 3.0));
        let mut off = 0.0_f64;
        for step in 0..60 {
            let (fast, exact) = (go_through(&mut worlds.0, leaf, step), go_through(&mut worlds.1, leaf, step));
            for (fast, exact) in fast.into_iter().zip(exact) {
                off = off.max((fast - exact).length() / (1e-3 + exact.length()));
            }
        }
        kit::row(&format!("{method:?}: loads and places"), "0", &format!("{off:.1e}"));
        assert!(off < 1e-4, "{method:?}: {off}");
    }
}

/// One step of the sequence; returns loads and places of all leaves.
fn go_through<T: Real>(world: &mut World<T>, leaf: BodyId, step: usize) -> Vec<DVec3> {
    match step {
        20 => world.set_joint(leaf, DQuat::from_rotation_x(0.3), DVec3::new(0.0, 1.0, 2.0)),
        30 => world.set_wind(None),
        _ => {}
    }
    let target = world.plant().rest_position(leaf) + DVec3::new(0.02, 0.03, 0.0);
    let (target_velocity, point) = (DVec3::ZERO, DVec3::new(0.0, 0.05, 0.0));
    let grab = Grab { body: leaf.into(), point, target, target_velocity, stiffness: 3.0, damping: 0.01 };
    let grabs = if (5..10).contains(&step) || step >= 40 { vec![grab] } else { Vec::new() };
    world.step(1.0 / 120.0, &Actions { grabs: &grabs, ..Actions::default() }).expect("a step");
    let plant = world.plant().clone();
    leaves(&plant).into_iter().flat_map(|leaf| [world.joint_load(leaf).force, world.motion(leaf).center]).collect()
}
