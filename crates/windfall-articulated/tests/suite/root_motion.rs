//! Trees on moving ground (quigley2017, Fig. 6: a tree on a cart).

use crate::kit;

use std::f64::consts::TAU;

use crate::truth::{Reference, Rod, plants, rod, statics};
use windfall_articulated::Method;
use windfall_articulated::math::Real;
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyId, Plant};
use windfall_solver::Params;
use windfall_solver::{Actions, Base};
use windfall_testkit::World;

/// Shaken to and fro by `slide` and about a fixed axis by `turn` radians, as sin³: it starts from rest
/// without a jump of the acceleration, so that no initial velocity has to be agreed upon.
fn shaken(slide: DVec3, turn: DVec3, frequency: f64, t: f64) -> Base {
    let omega = TAU * frequency;
    let (s, c) = (omega * t).sin_cos();
    let place = s.powi(3);
    let speed = 3.0 * s * s * c * omega;
    let rate = (6.0 * s * c * c - 3.0 * s.powi(3)) * omega * omega;
    Base {
        position: slide * place,
        orientation: DQuat::from_scaled_axis(turn * place),
        velocity: slide * speed,
        angular_velocity: turn * speed,
        acceleration: slide * rate,
        angular_acceleration: turn * rate,
    }
}

fn drive<T: Real>(world: &mut World<T>, base: impl Fn(f64) -> Base, dt: f64, steps: usize) {
    for i in 0..steps {
        world.set_base(0, base((i + 1) as f64 * dt));
        world.step(dt, &Actions::default()).unwrap();
    }
}

#[test]
fn a_shaken_tree_converges_to_the_reference_at_second_order() {
    kit::title("shaken ground, `Implicit` against the reference after 0.5 s: largest distance of any joint");
    let plant = plants::forked(&kit::damped_wood(3e7, 0.002));
    for (name, slide, turn) in [
        ("to and fro by 0.1 m", DVec3::new(0.1, 0.02, -0.05), DVec3::ZERO),
        ("turned by 0.3 rad", DVec3::ZERO, DVec3::new(0.2, 0.1, -0.2)),
        ("both", DVec3::new(0.1, 0.02, -0.05), DVec3::new(0.2, 0.1, -0.2)),
    ] {
        let base = move |t: f64| shaken(slide, turn, 1.5, t);
        let mut reference = Reference::new(&plant);
        reference.base = Box::new(move |_, t| base(t));
        let mut state = reference.rest_state();
        reference.run(&mut state, 0.5, reference.small_step());
        let truth: Vec<DVec3> = reference.positions_and_velocities(&state).iter().map(|m| m.joint).collect();
        let velocities: Vec<DVec3> = reference.positions_and_velocities(&state).iter().map(|m| m.velocity).collect();
        let mut last = [f64::NAN; 2];
        for steps in [400, 800, 1600] {
            let mut world = kit::world::<f64>(&plant, Method::Implicit);
            drive(&mut world, base, 0.5 / steps as f64, steps);
            let error = kit::apart(&kit::joints(&world), &truth);
            let speeds: Vec<DVec3> = plant.body_ids().map(|id| world.motion(id).velocity).collect();
            let speed_error = kit::apart(&speeds, &velocities);
            let order = (last[0] / error).log2();
            kit::row(
                &format!("{name}, {steps} steps"),
                "order 2",
                &format!("{error:.2e} m, order {order:.2}; {speed_error:.2e} m/s"),
            );
            assert!(last[0].is_nan() || (1.7..2.4).contains(&order), "{name}: {error:e} after {:e}", last[0]);
            assert!(
                last[1].is_nan() || last[1] / speed_error > 3.2,
                "{name}: speed {speed_error:e} after {:e}",
                last[1]
            );
            last = [error, speed_error];
        }
    }
}

#[test]
fn a_tree_on_an_accelerated_cart_leans_as_under_inclined_gravity() {
    kit::title("steady acceleration of the ground against statics under g - a");
    let rod = Rod { length: 1.0, base_radius: 0.01, tip_radius: 0.006, material: kit::damped_wood(2e8, 0.05) };
    let plant = plants::cantilever(&rod, 6, DVec3::Y);
    let acceleration = DVec3::new(2.0, 0.5, -1.0);
    let mut reference = Reference::new(&plant);
    reference.gravity -= acceleration;
    let state = statics::equilibrium(&reference, &[]);
    let truth: Vec<DVec3> = reference.positions_and_velocities(&state).iter().map(|m| m.center).collect();
    let lean = (truth[5] - truth[5].with_x(0.0).with_z(0.0)).length();
    for method in [Method::Analytic, Method::Implicit] {
        let mut world = kit::world::<f64>(&plant, method);
        world.set_method(method);
        let base = |t: f64| Base {
            position: 0.5 * t * t * acceleration,
            velocity: t * acceleration,
            acceleration,
            ..Base::default()
        };
        drive(&mut world, base, 1.0 / 60.0, 6000);
        let foot = base(100.0).position;
        let ours: Vec<DVec3> = plant.body_ids().map(|id| world.motion(id).center - foot).collect();
        let error = kit::apart(&ours, &truth);
        kit::row(&format!("{method:?}, lean of the tip by {lean:.3} m"), "statics", &format!("{error:.1e} m off"));
        assert!(error < 1e-9, "{method:?}: {error:e}");
    }
}

/// The largest angle of any joint in ten seconds on the shaken ground, rad.
fn swing<T: Real>(plant: &Plant, params: &Params, method: Method, frequency: f64, slide: f64, dt: f64) -> f64 {
    let mut world = World::<T>::new(plant.clone(), params.clone(), method).unwrap();
    let mut largest = 0.0_f64;
    for i in 0..(10.0 / dt) as usize {
        let t = (i + 1) as f64 * dt;
        world.set_base(0, shaken(DVec3::new(slide, 0.0, 0.0), DVec3::ZERO, frequency, t));
        world.step(dt, &Actions::default()).unwrap();
        for id in plant.body_ids() {
            largest = largest.max(world.joint_rotation(id).to_scaled_axis().length());
        }
    }
    largest
}

#[test]
fn shaking_at_any_frequency_stays_bounded() {
    // With beta = 0.01 s the damping ratio of the lowest modes is a few percent: resonance raises the
    // static deflection under the same acceleration by 1/(2 zeta), far from half a turn for 0.3 m/s².
    // sin³ is 3/4 sin(w t) - 1/4 sin(3 w t).
    let plant = plants::forked(&kit::damped_wood(3e8, 0.01));
    let mut params = Params { keep_shape: true, ..Params::default() };
    params.branches.stiffness = 1.0;
    kit::title("ground shaken with 0.3 m/s² for 10 s: largest angle of any joint, rad");
    for frequency in [0.1, 0.3, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 30.0] {
        let slide = 0.3 / (TAU * frequency).powi(2);
        let each: Vec<f64> = [Method::Analytic, Method::Implicit]
            .into_iter()
            .map(|m| {
                let one = swing::<f64>(&plant, &params, m, frequency, slide, 1.0 / 60.0);
                let two = swing::<f32>(&plant, &params, m, frequency, slide, 1.0 / 30.0);
                one.max(two)
            })
            .collect();
        kit::row(&format!("{frequency} Hz"), "bounded", &format!("Analytic {:.3}, Implicit {:.3}", each[0], each[1]));
        assert!(each.iter().all(|&a| a < 1.0), "{frequency} Hz: {each:?}");
    }
}

#[test]
fn without_the_force_of_the_root_the_tree_stays_upright() {
    // quigley2017, Fig. 6 left: the multiplier of the root's acceleration is zero.
    let rod = Rod { length: 1.0, base_radius: 0.01, tip_radius: 0.01, material: kit::damped_wood(1e9, 0.01) };
    let plant = plants::cantilever(&rod, 5, DVec3::Y);
    let mut params = Params::default();
    assert!(swing::<f64>(&plant, &params, Method::Analytic, 2.0, 0.3, 1.0 / 60.0) > 0.1);
    params.fictitious.root = 0.0;
    let angle = swing::<f64>(&plant, &params, Method::Analytic, 2.0, 0.3, 1.0 / 60.0);
    assert!(angle < 1e-12, "{angle:e}");
}

#[test]
fn a_base_that_is_dragged_about_has_finite_differences() {
    let (slide, turn) = (DVec3::new(0.3, 0.1, -0.2), DVec3::new(0.0, 0.9, 0.0));
    for dt in [1e-3, 1e-4] {
        let mut base = shaken(slide, turn, 0.7, 0.2);
        for i in 1..=3 {
            let next = shaken(slide, turn, 0.7, 0.2 + f64::from(i) * dt);
            base = base.moved_to(next.position, next.orientation, dt);
        }
        // The difference over the last step is the velocity at its middle, that of two of them the
        // acceleration at their middle.
        let (v, a) = (shaken(slide, turn, 0.7, 0.2 + 2.5 * dt), shaken(slide, turn, 0.7, 0.2 + 2.0 * dt));
        let errors = [
            (base.velocity - v.velocity).length(),
            (base.angular_velocity - v.angular_velocity).length(),
            (base.acceleration - a.acceleration).length(),
            (base.angular_acceleration - a.angular_acceleration).length(),
        ];
        // A third and a fourth derivative of a motion of 1 rad and 0.7 Hz (harmonic of 2.1 Hz: 3e4 /s⁴)
        // times dt²/24 and dt²/12.
        assert!(errors.iter().all(|&e| e < 3e3 * dt * dt), "{errors:?}");
    }
    // The quaternion of opposite sign is the same rotation.
    let q = DQuat::from_rotation_y(0.1);
    let base = Base::default().moved_to(DVec3::ZERO, -q, 0.1);
    assert!((base.angular_velocity - DVec3::Y).length() < 1e-12);
}

#[test]
fn a_tree_that_is_dragged_about_converges_too() {
    let plant = plants::forked(&kit::damped_wood(3e7, 0.002));
    let at = |t: f64| shaken(DVec3::new(0.1, 0.02, -0.05), DVec3::new(0.0, 0.3, 0.1), 1.5, t);
    let mut reference = Reference::new(&plant);
    reference.base = Box::new(move |_, t| at(t));
    let mut state = reference.rest_state();
    reference.run(&mut state, 0.4, reference.small_step());
    let truth: Vec<DVec3> = reference.positions_and_velocities(&state).iter().map(|m| m.joint).collect();
    let mut last = f64::NAN;
    for steps in [400_u32, 800, 1600] {
        let dt = 0.4 / f64::from(steps);
        let mut world = kit::world::<f64>(&plant, Method::Implicit);
        let mut base = Base::default();
        for i in 0..steps {
            let next = at(f64::from(i + 1) * dt);
            base = base.moved_to(next.position, next.orientation, dt);
            world.set_base(0, base);
            world.step(dt, &Actions::default()).unwrap();
        }
        let error = kit::apart(&kit::joints(&world), &truth);
        println!(
            "| dragged with finite differences, {steps} steps | order 1 | {error:.2e} m, ratio {:.2} |",
            last / error
        );
        // First order: the acceleration by differences is that of the previous step.
        assert!(last.is_nan() || last / error > 1.8, "{error:e} after {last:e}");
        last = error;
    }
}

#[test]
fn the_pose_waits_for_the_step() {
    let plant = plants::forked(&rod::wood(1e9));
    for method in [Method::Implicit, Method::Analytic] {
        let mut world = kit::world::<f64>(&plant, method);
        kit::run(&mut world, 0.01, 5);
        let (pose, joint) = (world.pose(), world.motion(BodyId(4)).joint);
        world.set_base(0, Base { position: DVec3::X, ..Base::default() });
        assert_eq!(world.pose(), pose);
        assert_eq!(world.motion(BodyId(4)).joint, joint);
        kit::run(&mut world, 0.01, 1);
        assert!((world.motion(BodyId(0)).joint - plant.rest_position(BodyId(0)) - DVec3::X).length() < 1e-12);
    }
}
