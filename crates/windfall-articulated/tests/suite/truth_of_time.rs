//! The integrators, loads and measuring tools of the truth against each other and against closed forms.

use std::f64::consts::TAU;

use crate::truth::linear::modes_at_rest;
use crate::truth::stiff::{DIAGONAL, NODES, ROWS};
use crate::truth::{Reference, Rod, State, loads, plants, rod, signal, so3, statics};
use windfall_core::glam::{DMat3, DVec3};
use windfall_core::{BodyId, WoodMaterial};
use windfall_solver::{Grab, Load};

fn close(a: f64, b: f64, relative: f64) {
    assert!((a - b).abs() <= relative * b.abs(), "{a} is not {b} within {relative}: off by {:e}", a / b - 1.0);
}

/// The largest difference of any joint's rotation, rad.
fn apart(a: &State, b: &State) -> f64 {
    a.q.iter().zip(&b.q).map(|(a, b)| so3::log(*a * b.inverse()).length()).fold(0.0, f64::max)
}

fn damped(youngs_modulus: f64) -> WoodMaterial {
    WoodMaterial { damping: 0.012, ..rod::wood(youngs_modulus) }
}

#[test]
fn the_implicit_table_fulfils_the_order_conditions() {
    let full = |i: usize, j: usize| if i == j { DIAGONAL } else { ROWS[i].get(j).copied().unwrap_or(0.0) };
    let sum = |f: &dyn Fn(usize) -> f64| (0..5).map(f).sum::<f64>();
    let (b, c) = (|i: usize| full(4, i), |i: usize| NODES[i]);
    let ac = |i: usize| sum(&|j| full(i, j) * c(j));
    let acc = |i: usize| sum(&|j| full(i, j) * c(j) * c(j));
    let aac = |i: usize| sum(&|j| full(i, j) * ac(j));
    for i in 0..5 {
        assert!((sum(&|j| full(i, j)) - c(i)).abs() < 1e-14);
    }
    let conditions = [
        (sum(&b), 1.0),
        (sum(&|i| b(i) * c(i)), 1.0 / 2.0),
        (sum(&|i| b(i) * c(i).powi(2)), 1.0 / 3.0),
        (sum(&|i| b(i) * ac(i)), 1.0 / 6.0),
        (sum(&|i| b(i) * c(i).powi(3)), 1.0 / 4.0),
        (sum(&|i| b(i) * c(i) * ac(i)), 1.0 / 8.0),
        (sum(&|i| b(i) * acc(i)), 1.0 / 12.0),
        (sum(&|i| b(i) * aac(i)), 1.0 / 24.0),
    ];
    for (left, right) in conditions {
        assert!((left - right).abs() < 1e-14, "{left} is not {right}");
    }
}

#[test]
fn both_integrators_agree_on_a_damped_leafy_tree() {
    let reference = Reference::new(&plants::leafy(&damped(1e7)));
    let mut explicit = reference.rest_state();
    reference.run(&mut explicit, 0.2, reference.small_step());
    let errors: Vec<f64> = [100.0, 200.0]
        .into_iter()
        .map(|n| {
            let mut implicit = reference.rest_state();
            reference.run_stiff(&mut implicit, 0.2, 0.2 / n);
            apart(&implicit, &explicit)
        })
        .collect();
    assert!(apart(&explicit, &reference.rest_state()) > 0.1, "nothing has moved");
    assert!(errors[1] < 1e-6 && errors[0] > 6.0 * errors[1], "{errors:?}");
}

#[test]
fn both_integrators_agree_on_a_free_piece() {
    let whole = Reference::new(&plants::forked(&damped(1e7)));
    let mut state = whole.rest_state();
    whole.run(&mut state, 0.3, whole.small_step());
    let (piece, start) = whole.cut(BodyId(3), &state);
    let (mut explicit, mut implicit) = (start.clone(), start);
    piece.run(&mut explicit, 0.2, 0.5 * whole.small_step());
    piece.run_stiff(&mut implicit, 0.2, 5e-4);
    assert!(apart(&explicit, &implicit) < 1e-7, "{:e}", apart(&explicit, &implicit));
    assert!(explicit.root_position[0].distance(implicit.root_position[0]) < 1e-8);
}

#[test]
fn real_wood_with_leaves_settles_in_its_equilibrium() {
    let mut reference = Reference::new(&plants::leafy(&damped(1e10)));
    // With the damping of the library the fruit would swing for half a minute.
    reference.links.iter_mut().for_each(|l| l.damping = 0.05 * l.stiffness);
    let mut state = reference.rest_state();
    reference.run_stiff(&mut state, 12.0, 1e-2);
    let balanced = statics::equilibrium(&reference, &[]);
    assert!(apart(&state, &balanced) < 1e-3 * apart(&reference.rest_state(), &balanced));
}

#[test]
fn what_dampers_and_drag_take_is_missing_in_the_energy() {
    let plant = plants::leafy(&damped(1e7));
    let mut reference = Reference::new(&plant);
    let (point, drag) = (DVec3::Y * 0.08, DMat3::from_diagonal(DVec3::new(0.002, 0.003, 0.004)));
    let spin_drag = DMat3::from_diagonal(DVec3::splat(1e-6));
    let wind = move |motion: &[windfall_solver::BodyMotion]| -> Vec<Load> {
        (9..15).map(|i| loads::linear_drag(BodyId(i), point, drag, spin_drag, &motion[i as usize])).collect()
    };
    reference.loads = Box::new(move |_, motion| wind(motion));
    let power = |state: &State| -> f64 {
        let motion = reference.positions_and_velocities(state);
        let drag: f64 = wind(&motion)
            .iter()
            .map(|load| {
                let m = &motion[load.body.id.0 as usize];
                let arm = m.joint + m.orientation * load.point - m.center;
                load.force.dot(m.velocity + m.angular_velocity.cross(arm)) + load.torque.dot(m.angular_velocity)
            })
            .sum();
        let joint = |i: usize| {
            let rate = so3::inverse_left_jacobian(state.angle(i)) * state.w[i];
            -rate.dot(reference.links[i].damping * rate)
        };
        drag + (0..reference.links.len()).map(joint).sum::<f64>()
    };
    let mut state = reference.rest_state();
    let before = reference.energy(&state).total();
    let h = 1e-4;
    let mut work = 0.0;
    for _ in 0..2000 {
        let a = power(&state);
        reference.step(&mut state, 0.5 * h);
        let b = power(&state);
        reference.step(&mut state, 0.5 * h);
        work += h / 6.0 * (a + 4.0 * b + power(&state));
    }
    let lost = reference.energy(&state).total() - before;
    assert!(work < -1e-3, "nothing was taken: {work}");
    close(lost, work, 1e-6);
}

#[test]
fn a_driven_joint_follows_the_closed_form() {
    let mut reference = Reference::weightless(&plants::cantilever(&Rod::soft(), 1, DVec3::Y));
    let (push, drive) = (1e-5, 7.0);
    reference.loads = Box::new(move |t, _| vec![Load::torque(BodyId(0), DVec3::Z * push * f64::sin(drive * t))]);
    let omega_squared = modes_at_rest(&reference).omega_squared[0];
    let omega = omega_squared.sqrt();
    let inertia = reference.links[0].stiffness.z / omega_squared;
    let mut state = reference.rest_state();
    reference.run(&mut state, 1.3, 1e-3);
    let expected =
        push / inertia / (omega_squared - drive * drive) * ((drive * 1.3).sin() - drive / omega * (omega * 1.3).sin());
    close(state.angle(0).z, expected, 1e-6);
}

#[test]
fn a_hand_pulls_until_its_spring_and_the_joint_balance() {
    let rod = Rod { material: damped(1e9), ..Rod::soft() };
    let mut reference = Reference::weightless(&plants::cantilever(&rod, 1, DVec3::Y));
    let target = DVec3::new(0.01, 1.0, 0.0);
    let grab = Grab {
        body: BodyId(0).into(),
        point: DVec3::Y,
        target,
        target_velocity: DVec3::ZERO,
        stiffness: 2.0,
        damping: 0.5,
    };
    reference.loads = Box::new(move |t, motion| vec![loads::hand(&grab, t, &motion[0])]);
    let mut state = reference.rest_state();
    reference.run_stiff(&mut state, 20.0, 1e-2);
    // Two springs in a row: K a = k (0.01 - a) to first order.
    let k = reference.links[0].stiffness.x;
    close(reference.tip(&state, BodyId(0)).x, 0.01 * 2.0 / (2.0 + k), 1e-3);
    assert!(state.w[0].length() < 1e-9);
}

#[test]
fn signals_give_back_their_frequency_and_damping() {
    let (hertz, ratio) = (1.7, 0.03);
    let omega = TAU * hertz;
    let samples: Vec<f64> = (0..3000)
        .map(|i| f64::from(i) / 500.0)
        .map(|t| 0.2 + 0.1 * (-ratio * omega * t / (1.0_f64 - ratio * ratio).sqrt()).exp() * (omega * t).cos())
        .collect();
    close(signal::frequency(&samples, 1.0 / 500.0, 0.2), hertz, 1e-5);
    close(signal::damping_ratio(&samples, 1.0 / 500.0, 0.2), ratio, 1e-3);
}

#[test]
fn a_released_rod_rings_at_its_first_mode() {
    let rod = Rod { material: WoodMaterial { damping: 0.003, ..rod::wood(1e9) }, ..Rod::soft() };
    let reference = Reference::weightless(&plants::cantilever(&rod, 6, DVec3::Y));
    let omega = modes_at_rest(&reference).omega_squared[0].sqrt();
    let pull = Load::force(BodyId(5), reference.links[5].tip, DVec3::X * 1e-3);
    let mut state = statics::equilibrium(&reference, &[pull]);
    let (dt, mut samples) = (0.01, Vec::new());
    for _ in 0..600 {
        samples.push(reference.tip(&state, BodyId(5)).x);
        reference.run_stiff(&mut state, dt, dt);
    }
    let ratio = 0.5 * 0.003 * omega;
    close(signal::frequency(&samples[100..], dt, 0.0), omega / TAU * (1.0 - ratio * ratio).sqrt(), 1e-4);
    close(signal::damping_ratio(&samples[100..], dt, 0.0), ratio, 0.01);
}

#[test]
fn mean_loads_of_a_still_tree_are_its_loads() {
    let reference = Reference::new(&plants::forked(&rod::wood(1e8)));
    let mut state = statics::equilibrium(&reference, &[]);
    let still = reference.joint_loads(&state);
    let mean = reference.mean_joint_loads(&mut state, 0.005, 1e-4);
    for (a, b) in mean.iter().zip(&still) {
        assert!(a.force.distance(b.force) < 1e-7 && a.torque.distance(b.torque) < 1e-7);
    }
    // At rest the pose is that of the plant.
    let plant = plants::forked(&rod::wood(1e8));
    let (ours, rest) = (reference.pose(&reference.rest_state()), windfall_core::Pose::rest(&plant));
    for (a, b) in ours.positions.iter().zip(&rest.positions) {
        assert!(a.distance(*b) < 1e-6);
    }
    for (a, b) in ours.orientations.iter().zip(&rest.orientations) {
        assert!(a.dot(*b).abs() > 1.0 - 1e-6);
    }
}
