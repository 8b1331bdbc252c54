//! A touching mass moves on with the body, and loses as much momentum as it gives.

use windfall_articulated::Method;
use windfall_core::BodyId;
use windfall_core::glam::{DMat3, DVec3};
use windfall_solver::Params;
use windfall_solver::{Actions, Touch};
use windfall_testkit::World;

use super::truth::plants;
use super::{BOTH, rod, weightless};

/// A rod on a free hinge.
fn hinged(method: Method) -> (World<f64>, f64) {
    let plant = plants::cantilever(&rod(1.0, 0.01), 1, DVec3::X);
    let mut params = weightless();
    params.branches.stiffness = 0.0;
    let mass = plant.mass_properties(BodyId(0)).mass;
    let inertia = mass * (1.0 / 3.0 + 0.01 * 0.01 / 4.0);
    (World::new(plant, params, method).unwrap(), inertia)
}

#[test]
fn a_ball_that_sticks_to_a_hinged_rod_turns_it_as_momentum_demands() {
    for method in BOTH {
        let (mut world, inertia) = hinged(method);
        let (m, d, v) = (0.2, 0.7, 3.0);
        let touch = Touch {
            body: BodyId(0).into(),
            point: DVec3::new(0.0, d, 0.0),
            velocity: DVec3::NEG_Y * v,
            mass: DMat3::from_diagonal(DVec3::new(0.0, m, 0.0)),
            pushes_along: None,
        };
        world.step(1e-3, &Actions { touches: &[touch], ..Actions::default() }).unwrap();
        // m v d = (I + m d^2) omega
        let omega = m * v * d / (inertia + m * d * d);
        let impulse = world.touch_impulses()[0];
        assert!((impulse.y + inertia * omega / d).abs() < 1e-9, "{method:?}: {impulse}, {}", inertia * omega / d);
        // The impulse has no other component.
        assert!(impulse.x.abs() < 1e-9 && impulse.z.abs() < 1e-9, "{method:?}: {impulse}");
        for _ in 0..3 {
            world.step(1e-3, &Actions::default()).unwrap();
        }
        let turned = world.motion(BodyId(0)).angular_velocity;
        assert!((turned.z + omega).abs() < 1e-6 * omega, "{method:?}: {turned}, {omega}");
    }
}

#[test]
fn a_weight_that_rides_on_a_branch_is_a_weight_and_a_mass() {
    // Released from rest, a mass m at the tip of a hinged rod falls with alpha = (M g L/2 + m g L) / (I + m
    // L^2).
    for method in BOTH {
        let (mut world, inertia) = hinged(method);
        world.set_gravity(super::GRAVITY);
        let rod_mass = world.plant().mass_properties(BodyId(0)).mass;
        let (m, h) = (0.5, 1e-3);
        let mut velocity = DVec3::ZERO;
        let mut given = DVec3::ZERO;
        let (steps, mut halfway) = (20, 0.0);
        for i in 0..steps {
            if i == steps / 2 {
                halfway = -world.motion(BodyId(0)).angular_velocity.z;
            }
            let touch = Touch {
                body: BodyId(0).into(),
                point: DVec3::Y,
                velocity: velocity + super::GRAVITY * h,
                mass: DMat3::from_diagonal(DVec3::splat(m)),
                pushes_along: None,
            };
            world.step(h, &Actions { touches: &[touch], ..Actions::default() }).unwrap();
            velocity = touch.velocity - world.touch_impulses()[0] / m;
            given += world.touch_impulses()[0];
        }
        let alpha = 9.81 * (0.5 * rod_mass + m) / (inertia + m);
        let t = f64::from(steps) * h;
        // The first step kicks the rod by half a step only, the mass by a whole one.
        let turned = -world.motion(BodyId(0)).angular_velocity.z - halfway;
        assert!((turned / (alpha * 0.5 * t) - 1.0).abs() < 2e-3, "{method:?}: {turned}, {}", alpha * 0.5 * t);
        // The momentum given up by the mass is that missing from its fall.
        let missing = m * (super::GRAVITY * t - velocity);
        assert!((given - missing).length() < 1e-9, "{method:?}");
    }
}

#[test]
fn a_piece_takes_up_all_the_momentum_of_what_sticks_to_it() {
    for method in BOTH {
        let plant = plants::leafy(&super::truth::rod::wood(1e9));
        let mut world: World<f64> = World::new(plant, weightless(), method).unwrap();
        let piece = world.release(BodyId(0));
        let point = DVec3::new(0.002, 0.1, 0.0);
        let before = world.momentum(piece);
        let at = world.motion(BodyId(2)).joint + world.motion(BodyId(2)).orientation * point;
        let touch = Touch {
            body: BodyId(2).into(),
            point,
            velocity: DVec3::new(2.0, -1.0, 0.5),
            mass: DMat3::from_diagonal(DVec3::splat(0.1)),
            pushes_along: None,
        };
        let h = 1e-3;
        world.step(h, &Actions { touches: &[touch], ..Actions::default() }).unwrap();
        let impulse = world.touch_impulses()[0];
        assert!(impulse.length() > 0.05, "{method:?}: {impulse}");
        for _ in 0..20 {
            world.step(h, &Actions::default()).unwrap();
        }
        let after = world.momentum(piece);
        let gained = after.linear - before.linear;
        assert!((gained - impulse).length() < 1e-9, "{method:?}: {gained}, {impulse}");
        let turned = after.angular - before.angular;
        let expected = (at - before.center).cross(impulse);
        // The centre moves on while the impulse acts.
        assert!((turned - expected).length() < 1e-2 * expected.length(), "{method:?}: {turned}, {expected}");
    }
}

#[test]
fn what_stands_rigidly_gives_way_to_nothing() {
    let plant = plants::cantilever(&rod(1.0, 0.01), 4, DVec3::Y);
    let mut params = Params::default();
    params.branches.stiffness = f64::INFINITY;
    for method in BOTH {
        let mut world: World<f64> = World::new(plant.clone(), params.clone(), method).unwrap();
        world.select(windfall_solver::Selection::Bodies(vec![false; 4]));
        let velocity = DVec3::new(1.0, 0.0, 0.0);
        let mass = DMat3::from_diagonal(DVec3::splat(2.0));
        let touch = Touch { body: BodyId(3).into(), point: DVec3::Y * 0.1, velocity, mass, pushes_along: None };
        world.step(1e-3, &Actions { touches: &[touch], ..Actions::default() }).unwrap();
        assert!((world.touch_impulses()[0] - DVec3::new(2.0, 0.0, 0.0)).length() < 1e-12, "{method:?}");
    }
}
