//! Grabs that hold and drag bodies.

use crate::kit;
use crate::truth;

use std::f64::consts::TAU;

use crate::truth::{Reference, loads, local_tip, plants, statics};
use windfall_articulated::Method;
use windfall_articulated::math::Real;
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyId, Plant};
use windfall_solver::{Actions, Base, Grab, Load};
use windfall_solver::{Params, Selection};
use windfall_testkit::World;

const METHODS: [Method; 2] = [Method::Implicit, Method::Analytic];

fn grab(plant: &Plant, body: BodyId, target: DVec3, stiffness: f64, damping: f64) -> Grab {
    Grab { body: body.into(), point: local_tip(plant, body), target, target_velocity: DVec3::ZERO, stiffness, damping }
}

fn point<T: Real>(world: &World<T>, body: BodyId, local: DVec3) -> DVec3 {
    let m = world.motion(body);
    m.joint + m.orientation * local
}

fn hold<T: Real>(world: &mut World<T>, grabs: &[Grab], dt: f64, steps: usize) {
    for _ in 0..steps {
        world.step(dt, &Actions { loads: &[], grabs, touches: &[], ..Actions::default() }).unwrap();
    }
}

/// A point at rest, world metres.
fn rest(plant: &Plant, body: BodyId) -> DVec3 {
    plant.rest_position(body) + plant.rest_orientation(body) * local_tip(plant, body)
}

#[test]
fn a_hand_at_rest_balances_the_tree() {
    kit::title("a hand that stands still: place of the held point against statics with the force of the hand");
    let plant = plants::leafy(&kit::damped_wood(3e8, 0.05));
    let reference = Reference::new(&plant);
    for (body, pull) in [(BodyId(4), DVec3::new(0.05, -0.1, 0.08)), (plant.fruit_id(0), DVec3::new(0.03, -0.02, 0.02))]
    {
        for stiffness in [0.5, 5.0, 50.0, 5000.0] {
            let hand = grab(&plant, body, rest(&plant, body) + pull, stiffness, 1.0);
            // Truth: the equilibrium of the tree under the final force of the grab.
            let at = |force: DVec3, start: truth::State| {
                let state = statics::equilibrium_near(&reference, start, &[Load::force(body, hand.point, force)]);
                reference.point(&state, body, hand.point)
            };
            for method in METHODS {
                let calm = Params { mass_damping: 2.0, ..Params::default() };
                let mut world = World::<f64>::new(plant.clone(), calm, method).unwrap();
                hold(&mut world, &[hand], 1.0 / 60.0, 6000);
                let held = point(&world, body, hand.point);
                let motions: Vec<_> = plant.body_ids().map(|id| world.motion(id)).collect();
                let start = reference.state_of(0.0, &motions);
                let error = (at(stiffness * (hand.target - held), start) - held).length();
                kit::row(
                    &format!("{method:?}, body {}, k {stiffness}", body.0),
                    "statics",
                    &format!("{error:.1e} m off"),
                );
                assert!(error < 1e-7, "{method:?}, k {stiffness}: {error:e}");
            }
        }
    }
}

#[test]
fn a_moderate_hand_converges_to_the_reference() {
    kit::title("a hand that moves, `Implicit` against the reference after 0.4 s");
    let plant = plants::forked(&kit::damped_wood(3e7, 0.002));
    let body = BodyId(6);
    let velocity = DVec3::new(0.5, -0.2, 0.3);
    let seconds = 0.4;
    for (stiffness, damping) in [(2.0, 0.0), (2.0, 0.05), (0.0, 0.1)] {
        let hand = Grab { target_velocity: velocity, ..grab(&plant, body, rest(&plant, body), stiffness, damping) };
        let mut reference = Reference::new(&plant);
        reference.loads = Box::new(move |t, motion| vec![loads::hand(&hand, t, &motion[6])]);
        let mut state = reference.rest_state();
        reference.run(&mut state, seconds, reference.small_step());
        let truth: Vec<DVec3> = reference.positions_and_velocities(&state).iter().map(|m| m.joint).collect();
        let mut last = f64::NAN;
        for steps in [400_u32, 800, 1600] {
            let dt = seconds / f64::from(steps);
            let mut world = kit::world::<f64>(&plant, Method::Implicit);
            for i in 0..steps {
                let now = Grab { target: hand.target + velocity * (f64::from(i) * dt), ..hand };
                hold(&mut world, &[now], dt, 1);
            }
            let error = kit::apart(&kit::joints(&world), &truth);
            kit::row(
                &format!("k {stiffness} N/m, c {damping} N s/m, {steps} steps"),
                "order 2",
                &format!("{error:.2e} m, order {:.2}", (last / error).log2()),
            );
            assert!(last.is_nan() || last / error > 3.2, "k {stiffness}, c {damping}: {error:e} after {last:e}");
            last = error;
        }
    }
}

/// The largest distance of the held point from the target, and the largest speed of any body, in the last
/// second of four.
fn wildest<T: Real>(
    plant: &Plant,
    method: Method,
    hand: &Grab,
    released: Option<BodyId>,
    selection: &Selection,
) -> [f64; 2] {
    let mut world = World::<T>::new(plant.clone(), Params::default(), method).unwrap();
    world.select(selection.clone());
    if let Some(body) = released {
        world.release(body);
    }
    let dt = 1.0 / 30.0;
    let mut worst = [0.0_f64; 2];
    for i in 0..120 {
        hold(&mut world, &[*hand], dt, 1);
        let speeds: Vec<f64> = plant.body_ids().map(|id| world.motion(id).velocity.length()).collect();
        if !speeds.iter().all(|v| v.is_finite()) {
            return [f64::INFINITY; 2];
        }
        let speed = speeds.into_iter().fold(0.0, f64::max);
        if i >= 90 {
            worst =
                [worst[0].max((point(&world, hand.body.id, hand.point) - hand.target).length()), worst[1].max(speed)];
        }
    }
    worst
}

#[test]
fn a_hand_of_any_strength_is_stable() {
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.02));
    for body in [BodyId(0), BodyId(4), plant.leaf_id(0), plant.fruit_id(0)] {
        for stiffness in [1e-3, 1.0, 1e3, 1e6, 1e12, f64::INFINITY] {
            for damping in [0.0, 1.0, 1e4, 1e12] {
                let hand = grab(&plant, body, rest(&plant, body) + DVec3::new(0.02, -0.02, 0.01), stiffness, damping);
                for method in METHODS {
                    let all = &Selection::All;
                    for [off, speed] in [
                        wildest::<f64>(&plant, method, &hand, None, all),
                        wildest::<f32>(&plant, method, &hand, None, all),
                    ] {
                        // An apple that swings freely beside an undamped grab is slower than this.
                        assert!(
                            speed < 2.0,
                            "{method:?}, body {}, k {stiffness:e}, c {damping:e}: {speed} m/s",
                            body.0
                        );
                        // The trunk (body 0) does not yield by centimetres.
                        if stiffness >= 1e6 && damping <= 1.0 && body != BodyId(0) {
                            assert!(
                                off < 1e-3,
                                "{method:?}, body {}, k {stiffness:e}, c {damping}: {off} m off",
                                body.0
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_hand_catches_a_piece_that_flies() {
    let plant = plants::leafy(&kit::damped_wood(1e9, 0.02));
    let members = kit::subtree(&plant, BodyId(3));
    let weight: f64 = 9.81 * members.iter().map(|id| plant.mass_properties(*id).mass).sum::<f64>();
    kit::title("a piece hangs on a hand: the hand gives way by weight / k");
    for body in [BodyId(3), BodyId(4)] {
        for (stiffness, damping) in [(50.0, 2.0), (1e4, 30.0), (1e12, 0.0), (f64::INFINITY, 0.0), (f64::INFINITY, 1e12)]
        {
            let hand = grab(&plant, body, rest(&plant, body), stiffness, damping);
            for method in METHODS {
                for precision in ["f64", "f32"] {
                    let run = if precision == "f64" { wildest::<f64> } else { wildest::<f32> };
                    let [off, speed] = run(&plant, method, &hand, Some(BodyId(3)), &Selection::All);
                    let sag = weight / stiffness;
                    kit::row(
                        &format!("{method:?} {precision}, body {}, k {stiffness:e}, c {damping:e}", body.0),
                        &format!("{sag:.4} m"),
                        &format!("{off:.4} m, {speed:.2} m/s"),
                    );
                    assert!(speed < 20.0, "{method:?} {precision}, k {stiffness:e}, c {damping:e}: {speed} m/s");
                    // A body that swings about the grab pulls too, and at 1/30 s a whirling leaf more
                    // than it should: bounded, not exact.
                    assert!(off < 6.0 * sag + 0.5, "{method:?} {precision}, k {stiffness:e}: {off} m off, sag {sag}");
                }
            }
        }
    }
}

#[test]
fn a_hand_on_what_is_not_simulated_moves_what_carries_it() {
    let plant = plants::leafy(&kit::damped_wood(1e8, 0.02));
    let trunk = Selection::Orders { highest: 0, foliage: false };
    let leaf = plant.leaf_id(0);
    let hand = grab(&plant, leaf, rest(&plant, leaf) + DVec3::new(0.0, 0.0, 0.1), 200.0, 5.0);
    for method in METHODS {
        let mut world = kit::world::<f64>(&plant, method);
        world.select(trunk.clone());
        let free = {
            let mut world = world.clone();
            kit::run(&mut world, 1.0 / 60.0, 600);
            point(&world, leaf, hand.point)
        };
        hold(&mut world, &[hand], 1.0 / 60.0, 600);
        let held = point(&world, leaf, hand.point);
        assert!((held - hand.target).length() < 0.6 * (free - hand.target).length(), "{method:?}: {held} {free}");
        // No body is simulated, so none moves.
        let mut world = kit::world::<f64>(&plant, method);
        world.select(Selection::Bodies(Vec::new()));
        hold(&mut world, &[hand], 1.0 / 60.0, 10);
        assert!((point(&world, leaf, hand.point) - rest(&plant, leaf)).length() < 1e-7);
    }
}

#[test]
fn a_strong_hand_drags_its_point_in_a_circle() {
    kit::title("an infinitely strong hand circles by 10 cm once a second, steps of 1/60 s: largest distance");
    let plant = plants::leafy(&kit::damped_wood(3e8, 0.02));
    for body in [BodyId(4), plant.fruit_id(0)] {
        for method in METHODS {
            let mut world = kit::world::<f64>(&plant, method);
            let dt = 1.0 / 60.0;
            let start = rest(&plant, body);
            let at = |t: f64| {
                start + 0.1 * DVec3::new((TAU * t).sin(), -0.3 * (1.0 - (TAU * t).cos()), (TAU * t).cos() - 1.0)
            };
            let speed = |t: f64| 0.1 * TAU * DVec3::new((TAU * t).cos(), -0.3 * (TAU * t).sin(), -(TAU * t).sin());
            let mut worst = 0.0_f64;
            for i in 0..240 {
                let t = f64::from(i) * dt;
                let hand = Grab { target_velocity: speed(t), ..grab(&plant, body, at(t), f64::INFINITY, 0.0) };
                hold(&mut world, &[hand], dt, 1);
                if i > 60 {
                    worst = worst.max((point(&world, body, hand.point) - at(t + dt)).length());
                }
            }
            kit::row(&format!("{method:?}, body {}", body.0), "0", &format!("{worst:.1e} m"));
            // The grab extrapolates its target only along the tangent: a omega² dt²/2 = 0.5 mm beside the
            // circle. `Analytic` solves every joint independently; a fruit on its thin stalk whirls about
            // the grab.
            let bound = if method == Method::Implicit { 2e-3 } else { 0.15 };
            assert!(worst < bound, "{method:?}, body {}: {worst} m", body.0);
        }
    }
}

#[test]
fn a_hand_holds_a_point_while_the_ground_moves() {
    let plant = plants::forked(&kit::damped_wood(3e7, 0.02));
    let body = BodyId(6);
    let hand = grab(&plant, body, rest(&plant, body), f64::INFINITY, 0.0);
    for method in METHODS {
        let mut world = kit::world::<f64>(&plant, method);
        let dt = 1.0 / 60.0;
        let mut worst = 0.0_f64;
        for i in 1..120 {
            let t = f64::from(i) * dt;
            let (s, c) = (2.0 * t).sin_cos();
            world.set_base(
                0,
                Base {
                    position: DVec3::X * 0.1 * s,
                    velocity: DVec3::X * 0.2 * c,
                    acceleration: DVec3::X * -0.4 * s,
                    orientation: DQuat::from_rotation_y(0.2 * s),
                    angular_velocity: DVec3::Y * 0.4 * c,
                    angular_acceleration: DVec3::Y * -0.8 * s,
                },
            );
            hold(&mut world, &[hand], dt, 1);
            if i > 60 {
                worst = worst.max((point(&world, body, hand.point) - hand.target).length());
            }
        }
        kit::row(
            &format!("{method:?}: held still while the ground moves by 10 cm and 0.2 rad"),
            "0",
            &format!("{worst:.1e} m"),
        );
        // The foot turns by up to 8 mm per step at this height; `Analytic` includes this to first order.
        assert!(worst < if method == Method::Implicit { 1e-4 } else { 4e-3 }, "{method:?}: {worst}");
    }
}
