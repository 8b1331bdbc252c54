//! Changes by a user while trees move (cuts, masses, methods, selections, shapes) keep the laws of
//! motion.

use crate::kit;

use crate::kit::{apart, damped_wood, joints, run};
use crate::truth::{Rod, plants};
use windfall_articulated::{Method, Momentum};
use windfall_core::BodyId;
use windfall_core::glam::{DMat3, DQuat, DVec3};
use windfall_solver::{Actions, Base, Grab, Load};
use windfall_solver::{Params, Selection};
use windfall_testkit::World;

const BOTH: [Method; 2] = [Method::Implicit, Method::Analytic];
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// A leafy tree in full swing.
fn swinging(method: Method) -> World<f64> {
    let mut world = kit::world(&plants::leafy(&damped_wood(1e9, 0.01)), method);
    for body in [0, 3, 4] {
        world.set_joint(BodyId(body), DQuat::IDENTITY, DVec3::new(2.0, -3.0, 1.0));
    }
    run(&mut world, 1.0 / 60.0, 18);
    world
}

/// Distance of a piece from the parabola that began `t` seconds ago, m.
fn off_parabola(start: &Momentum, now: &Momentum, t: f64) -> f64 {
    (now.center - (start.center + t * start.velocity() + 0.5 * t * t * GRAVITY)).length()
}

#[test]
fn a_piece_cut_in_two_in_flight_flies_on_two_parabolas() {
    for method in BOTH {
        for dt in [1.0 / 30.0, 1.0 / 240.0] {
            let mut world = swinging(method);
            let outer = world.release(BodyId(3));
            run(&mut world, dt, (0.5 / dt) as usize);
            let inner = world.release(BodyId(4));
            let (a, b) = (world.momentum(outer), world.momentum(inner));
            run(&mut world, dt, (1.0 / dt).round() as usize);
            let off = off_parabola(&a, &world.momentum(outer), 1.0).max(off_parabola(&b, &world.momentum(inner), 1.0));
            assert!(off < 1e-9, "{method:?}, {dt} s: {off} m off the parabola");
        }
    }
}

#[test]
fn a_change_of_density_in_flight_does_not_change_the_fall() {
    for method in BOTH {
        let mut world = swinging(method);
        let piece = world.release(BodyId(3));
        run(&mut world, 1.0 / 30.0, 10);
        let mut params = world.params().clone();
        params.branches.density = 0.1;
        world.set_params(params).unwrap();
        let start = world.momentum(piece);
        run(&mut world, 1.0 / 30.0, 30);
        let off = off_parabola(&start, &world.momentum(piece), 1.0);
        assert!(off < 1e-9, "{method:?}: {off} m off the parabola");
    }
}

#[test]
fn choosing_bodies_in_flight_keeps_the_momentum() {
    for method in BOTH {
        let mut world = swinging(method);
        let piece = world.release(BodyId(3));
        run(&mut world, 1.0 / 60.0, 20);
        let before = world.momentum(piece);
        world.select(Selection::Bodies(Vec::new()));
        let after = world.momentum(piece);
        assert!((after.linear - before.linear).length() < 1e-9 * before.linear.length(), "{method:?}");
        assert!((after.angular - before.angular).length() < 1e-9 * before.angular.length(), "{method:?}");
        run(&mut world, 1.0 / 60.0, 60);
        let off = off_parabola(&before, &world.momentum(piece), 1.0);
        assert!(off < 1e-9, "{method:?}: {off} m off the parabola");
    }
}

/// A pendulum without stiffness keeps falling at the same rate when another method takes over: d omega /
/// dt = 3 g sin(phi) / (2 l).
#[test]
fn a_change_of_method_neither_loses_nor_gains_speed() {
    let rod = Rod { length: 1.0, base_radius: 0.01, tip_radius: 0.01, material: damped_wood(1e9, 0.0) };
    let plant = plants::cantilever(&rod, 1, DVec3::X);
    let dt = 1.0 / 60.0;
    for (from, to) in [(Method::Implicit, Method::Analytic), (Method::Analytic, Method::Implicit)] {
        let mut params = Params::default();
        params.branches.stiffness = 0.0;
        let mut world = World::<f64>::new(plant.clone(), params, from).unwrap();
        run(&mut world, dt, 18);
        let before = world.motion(BodyId(0));
        world.set_method(to);
        let switched = world.motion(BodyId(0));
        assert!((switched.angular_velocity - before.angular_velocity).length() < 1e-12, "{from:?}");
        run(&mut world, dt, 1);
        let after = world.motion(BodyId(0));
        let lean = |orientation: DQuat| (orientation * DVec3::Y).x;
        let gained = after.angular_velocity.length() - before.angular_velocity.length();
        // Between its gain at the position at the end of the step and that at its beginning.
        let at = |orientation: DQuat| dt * 1.5 * 9.81 * lean(orientation);
        let (least, most) = (at(after.orientation), at(before.orientation));
        assert!(
            gained > 0.99 * least && gained < 1.01 * most,
            "{from:?} to {to:?}: {gained} rad/s, not between {least} and {most}"
        );
    }
}

#[test]
fn changing_methods_to_and_fro_keeps_a_piece_on_its_parabola() {
    for every in [1, 2, 10] {
        let mut world = swinging(Method::Implicit);
        let piece = world.release(BodyId(3));
        let start = world.momentum(piece);
        let energy = world.energy().kinetic;
        for i in 0..120 {
            if i % every == 0 {
                let other = if world.method() == Method::Implicit { Method::Analytic } else { Method::Implicit };
                world.set_method(other);
            }
            run(&mut world, 1.0 / 60.0, 1);
        }
        let off = off_parabola(&start, &world.momentum(piece), 2.0);
        assert!(off < 1e-9, "every {every} steps: {off} m off the parabola");
        // It falls 20 m; the energy above m g h is its swaying, which no law of `Analytic` conserves, but
        // which must not diverge.
        let fallen = start.mass * 9.81 * (start.center.y - world.momentum(piece).center.y);
        let swaying = world.energy().kinetic - fallen;
        assert!(swaying < 10.0 * energy, "every {every} steps: {swaying} J of {energy} J");
    }
}

/// A slider that is dragged sets the parameters before every step: the motion must not change.
#[test]
fn setting_the_same_parameters_every_frame_changes_nothing() {
    let plant = plants::leafy(&damped_wood(1e9, 0.01));
    let params = Params { keep_shape: true, ..Params::default() };
    let tip = BodyId(4);
    let center = plant.mass_properties(tip).center_of_mass;
    for method in BOTH {
        for by_selecting in [false, true] {
            let mut world = World::<f64>::new(plant.clone(), params.clone(), method).unwrap();
            assert!(world.motion(tip).acceleration.length() < 1e-12, "at rest it does not accelerate");
            let rest = joints(&world);
            let target = world.motion(tip).center;
            for _ in 0..300 {
                if by_selecting {
                    world.select(Selection::All);
                } else {
                    world.set_params(params.clone()).unwrap();
                }
                let hand = Grab {
                    body: tip.into(),
                    point: center,
                    target,
                    target_velocity: DVec3::ZERO,
                    stiffness: 100.0,
                    damping: 50.0,
                };
                let still_air =
                    Load { drag: DMat3::IDENTITY * 2.0, ..Load::force(tip, center, -2.0 * world.motion(tip).velocity) };
                world
                    .step(
                        1.0 / 30.0,
                        &Actions { loads: &[still_air], grabs: &[hand], touches: &[], ..Actions::default() },
                    )
                    .unwrap();
            }
            let moved = apart(&rest, &joints(&world));
            assert!(moved < 1e-6, "{method:?}, selecting {by_selecting}: moved by {moved} m");
        }
    }
}

#[test]
fn a_tree_that_has_lost_a_branch_adopts_its_shape() {
    let plant = plants::leafy(&damped_wood(3e8, 0.05));
    for method in BOTH {
        let mut world =
            World::<f64>::new(plant.clone(), Params { keep_shape: true, ..Params::default() }, method).unwrap();
        world.release(BodyId(3));
        run(&mut world, 1.0 / 60.0, 1200);
        let before = joints(&world);
        world.adopt_shape();
        run(&mut world, 1.0 / 60.0, 600);
        let after = joints(&world);
        for i in [1, 2, 5, 6] {
            let moved = (before[i] - after[i]).length();
            // The energy of the tree's swaying when it was stopped.
            assert!(moved < 1e-5, "{method:?}: body {i} moved by {moved} m");
        }
    }
}

#[test]
fn a_piece_keeps_its_momentum_when_a_shape_is_adopted() {
    for method in BOTH {
        let mut world = swinging(method);
        let piece = world.release(BodyId(3));
        run(&mut world, 1.0 / 60.0, 20);
        let before = world.momentum(piece);
        world.adopt_shape();
        let after = world.momentum(piece);
        assert!((after.linear - before.linear).length() < 1e-9 * before.linear.length(), "{method:?}");
        assert!((after.angular - before.angular).length() < 1e-9 * before.angular.length(), "{method:?}");
    }
}

#[test]
fn a_shape_that_is_too_far_away_is_an_error() {
    let mut world: World<f64> = kit::world(&plants::forked(&damped_wood(1e9, 0.01)), Method::Implicit);
    assert!(world.plant_in_present_shape().is_ok());
    world.set_base(0, Base { position: DVec3::X * 2e4, ..Base::default() });
    run(&mut world, 0.01, 1);
    assert!(world.plant_in_present_shape().is_err());
}

#[test]
fn what_single_precision_cannot_hold_is_refused() {
    let mut world: World<f32> = kit::world(&plants::forked(&damped_wood(1e9, 0.01)), Method::Implicit);
    let load = Load::force(BodyId(1), DVec3::ZERO, DVec3::X * 1e39);
    assert!(world.step(0.01, &Actions { loads: &[load], grabs: &[], touches: &[], ..Actions::default() }).is_err());
    world.set_base(0, Base { velocity: DVec3::X * 1e39, ..Base::default() });
    assert!(world.step(0.01, &Actions::default()).is_err());
    world.set_base(0, Base::default());
    world.set_gravity(DVec3::Y * 1e39);
    assert!(world.step(0.01, &Actions::default()).is_err());
}
