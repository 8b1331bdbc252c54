//! The reference dynamics, statics and vibrations against closed forms and conservation laws. They are
//! the reference for the solvers, so they need tests of their own.

use std::f64::consts::{PI, TAU};

use crate::truth::linear::{displace, modes_about, modes_at_rest};
use crate::truth::{Reference, Rod, State, plants, rod, so3, statics};
use windfall_core::BodyId;
use windfall_core::glam::{DQuat, DVec3};
use windfall_solver::{Base, Load};

fn close(a: f64, b: f64, relative: f64) {
    assert!((a - b).abs() <= relative * b.abs(), "{a} is not {b} within {relative}: off by {:e}", a / b - 1.0);
}

fn near(a: DVec3, b: DVec3, distance: f64) {
    assert!(a.distance(b) <= distance, "{a} is not {b} within {distance}: off by {:e}", a.distance(b));
}

/// Angle between two rotations, rad.
fn apart(a: DQuat, b: DQuat) -> f64 {
    so3::log(a * b.inverse()).length()
}

/// A state in wild motion: every joint bent and turning, by different amounts about different axes;
/// little in twist, whose fast vibrations would ask for tiny steps.
fn stirred(reference: &Reference, angle: f64, speed: f64) -> State {
    let mut state = reference.rest_state();
    for i in 0..state.q.len() {
        let t = i as f64;
        state.turn(i, angle * DVec3::new((1.3 * t).sin(), 0.05 * (2.1 * t + 1.0).cos(), (0.7 * t + 2.0).sin()));
        state.w[i] = speed * DVec3::new((0.9 * t).cos(), 0.05 * (1.7 * t).sin(), (2.9 * t + 0.5).cos());
    }
    state
}

/// One cylinder without a spring at its joint.
fn pendulum(direction: DVec3) -> Reference {
    let mut reference = Reference::new(&plants::cantilever(&Rod::soft(), 1, direction));
    reference.links[0].stiffness = DVec3::ZERO;
    reference
}

#[test]
fn left_jacobian_is_the_derivative_of_the_logarithm() {
    for theta in [DVec3::new(1e-9, 2e-9, 0.0), DVec3::new(0.005, -0.004, 0.006), DVec3::new(0.7, -1.9, 1.1)] {
        let inverse = so3::inverse_left_jacobian(theta);
        near(inverse * (so3::left_jacobian(theta) * DVec3::ONE), DVec3::ONE, 1e-14);
        near(so3::log(so3::exp(theta)), theta, 1e-15);
        for axis in DVec3::AXES {
            let at = |by: f64| so3::log(so3::exp(axis * by) * so3::exp(theta));
            near((at(1e-4) - at(-1e-4)) / 2e-4, inverse * axis, 1e-8);
        }
    }
}

#[test]
fn energy_is_conserved_in_a_forked_tree_in_wild_motion() {
    let reference = Reference::new(&plants::forked(&rod::wood(3e7)));
    let mut state = stirred(&reference, 0.3, 2.0);
    let before = reference.energy(&state);
    let mut exchanged = 0.0_f64;
    for _ in 0..20 {
        reference.run(&mut state, 0.1, 0.2 * reference.small_step());
        let now = reference.energy(&state);
        exchanged = exchanged.max((now.gravity - before.gravity).abs()).max((now.spring - before.spring).abs());
        assert!((now.total() - before.total()).abs() < 1e-8 * before.kinetic, "{:e}", now.total() - before.total());
    }
    assert!(exchanged > 0.5 * before.kinetic, "the motion is too tame to prove anything");
}

#[test]
fn a_free_piece_keeps_its_momentum_and_energy_and_falls_on_a_parabola() {
    let plant = plants::forked(&rod::wood(1e7));
    let reference = Reference::weightless(&plant).with_free_roots();
    let mut state = stirred(&reference, 0.3, 3.0);
    state.root_velocity[0] = DVec3::new(1.0, 2.0, -0.5);
    let (p, e) = (reference.momentum(&state), reference.energy(&state));
    let (_, start) = reference.center_of_mass(&state);
    let falling = Reference { gravity: DVec3::new(0.0, -9.81, 0.0), ..Reference::new(&plant) }.with_free_roots();
    let mut fallen = state.clone();
    let h = 0.2 * reference.small_step();
    reference.run(&mut state, 1.0, h);
    let now = reference.momentum(&state);
    // RK4 keeps momenta only to its own error (which falls by 16 when the step is halved).
    near(now.linear, p.linear, 1e-9 * p.linear.length());
    near(now.angular, p.angular, 1e-9 * p.angular.length());
    close(reference.energy(&state).total(), e.total(), 1e-8);

    falling.run(&mut fallen, 1.0, h);
    let (mass, center) = falling.center_of_mass(&fallen);
    near(center, start + p.linear / mass + DVec3::new(0.0, -0.5 * 9.81, 0.0), 1e-9);
    // Uniform gravity does not change how a piece moves about its own centre.
    for (a, b) in fallen.q.iter().zip(&state.q) {
        assert!(apart(*a, *b) < 1e-7);
    }
}

#[test]
fn a_physical_pendulum_swings_with_the_period_of_the_elliptic_integral() {
    let reference = pendulum(DVec3::NEG_Y);
    let link = &reference.links[0];
    let about_joint = link.inertia.x + link.mass * link.center.y * link.center.y;
    for amplitude in [0.1, 2.0, 3.0_f64] {
        // K(k) = pi / (2 agm(1, sqrt(1 - k^2))), k = sin(amplitude / 2).
        let (mut a, mut b) = (1.0_f64, (0.5 * amplitude).cos());
        for _ in 0..10 {
            (a, b) = (0.5 * (a + b), (a * b).sqrt());
        }
        let period = TAU / a * (about_joint / (link.mass * 9.81 * link.center.y)).sqrt();
        let mut state = reference.rest_state();
        state.turn(0, DVec3::X * amplitude);
        let start = state.clone();
        reference.run(&mut state, 0.25 * period, 1e-4);
        assert!(state.angle(0).length() < 1e-8, "not at the bottom after a quarter: {}", state.angle(0));
        reference.run(&mut state, 0.75 * period, 1e-4);
        near(state.angle(0), start.angle(0), 1e-7);
        near(state.w[0], DVec3::ZERO, 1e-6);
    }
}

#[test]
fn a_free_symmetric_top_precesses_as_in_closed_form() {
    let mut short = Rod::soft();
    (short.length, short.base_radius, short.tip_radius) = (0.1, 0.04, 0.03);
    let reference = Reference::weightless(&plants::cantilever(&short, 1, DVec3::new(1.0, 2.0, 0.5))).with_free_roots();
    let mut state = reference.rest_state();
    state.w[0] = DVec3::new(1.0, 5.0, 2.0);
    // The centre of mass stays where it is.
    let m = reference.positions_and_velocities(&state)[0];
    state.root_velocity[0] = -m.angular_velocity.cross(m.center - m.joint);
    let i = reference.links[0].inertia;
    let (w0, r0) = (state.w[0], m.orientation);
    let momentum = r0 * (i * w0);
    reference.run(&mut state, 2.0, 2e-4);
    // Precession about L at L/I_x, and a rotation about the own axis.
    let expected = so3::exp(momentum * (2.0 / i.x)) * r0 * so3::exp(DVec3::Y * (w0.y * (1.0 - i.y / i.x) * 2.0));
    let now = reference.positions_and_velocities(&state)[0];
    assert!(apart(now.orientation, expected) < 1e-7, "{}", apart(now.orientation, expected));
    near(now.center, m.center, 1e-9);
}

#[test]
fn accelerations_are_the_derivatives_of_velocities_also_on_a_swinging_base() {
    for free in [false, true] {
        let mut reference = Reference::new(&plants::leafy(&rod::wood(1e8)));
        reference.base = Box::new(swinging);
        reference.free = free;
        let mut state = stirred(&reference, 0.4, 3.0);
        state.time = 0.3;
        state.root_velocity[0] = DVec3::new(0.3, 0.2, 0.1);
        let full = reference.motion(&state);
        let h = 1e-6;
        let at = |h: f64| {
            let mut moved = state.clone();
            reference.step(&mut moved, h);
            reference.positions_and_velocities(&moved)
        };
        for ((a, b), now) in at(-h).iter().zip(&at(h)).zip(&full) {
            let scale = 1e-5 * (1.0 + now.acceleration.length() + now.angular_acceleration.length());
            near((b.center - a.center) / (2.0 * h), now.velocity, scale);
            near((b.velocity - a.velocity) / (2.0 * h), now.acceleration, scale);
            near((b.angular_velocity - a.angular_velocity) / (2.0 * h), now.angular_acceleration, scale);
        }
    }
}

/// A base that shifts and turns about a slanting axis.
fn swinging(_: usize, t: f64) -> Base {
    let axis = DVec3::new(1.0, 3.0, 2.0).normalize();
    let (s, c) = (3.0 * t).sin_cos();
    Base {
        position: DVec3::new(0.1, 0.0, 0.05) * s,
        orientation: so3::exp(axis * 0.5 * s),
        velocity: DVec3::new(0.3, 0.0, 0.15) * c,
        angular_velocity: axis * 1.5 * c,
        acceleration: DVec3::new(-0.9, 0.0, -0.45) * s,
        angular_acceleration: axis * -4.5 * s,
    }
}

#[test]
fn a_swinging_base_does_as_much_work_as_the_tree_gains_energy() {
    let plant = plants::forked(&rod::wood(1e7));
    let mut reference = Reference::new(&plant);
    reference.base = Box::new(swinging);
    let mut state = stirred(&reference, 0.2, 1.0);
    let origin = reference.origins[0];
    let power = |state: &State| {
        let load = reference.joint_loads(state)[0];
        let m = &reference.positions_and_velocities(state)[0];
        let base = swinging(0, state.time);
        let arm = m.joint - origin - base.position;
        let (force, torque) = (m.orientation * load.force, m.orientation * load.torque);
        force.dot(base.velocity + base.angular_velocity.cross(arm)) + torque.dot(base.angular_velocity)
    };
    let before = reference.energy(&state).total();
    let h = 2e-4;
    let (mut work, mut biggest) = (0.0, 0.0_f64);
    for _ in 0..2000 {
        // Simpson's rule.
        let a = power(&state);
        reference.run(&mut state, 0.5 * h, 0.5 * h);
        let b = power(&state);
        reference.run(&mut state, 0.5 * h, 0.5 * h);
        work += h / 6.0 * (a + 4.0 * b + power(&state));
        biggest = biggest.max(work.abs());
    }
    let gained = reference.energy(&state).total() - before;
    assert!(biggest > 0.01, "the base does nothing: {biggest}");
    assert!((gained - work).abs() < 1e-6 * biggest, "{gained} gained, {work} done");
}

#[test]
fn a_falling_base_takes_the_weight_away() {
    let plant = plants::forked(&rod::wood(1e7));
    let mut falling = Reference::new(&plant);
    let g = falling.gravity;
    falling.base =
        Box::new(move |_, t| Base { position: 0.5 * t * t * g, velocity: t * g, acceleration: g, ..Base::default() });
    let floating = Reference::weightless(&plant);
    let (mut a, mut b) = (stirred(&falling, 0.2, 1.0), stirred(&floating, 0.2, 1.0));
    falling.run(&mut a, 0.3, 3e-4);
    floating.run(&mut b, 0.3, 3e-4);
    for (a, b) in a.q.iter().zip(&b.q) {
        assert!(apart(*a, *b) < 1e-9);
    }
}

#[test]
fn joints_carry_what_their_springs_and_dampers_give() {
    let mut wood = rod::wood(1e8);
    wood.damping = 0.01;
    let mut reference = Reference::new(&plants::leafy(&wood));
    reference.base = Box::new(swinging);
    let push = Load::force(BodyId(4), DVec3::Y * 0.1, DVec3::new(0.3, 0.0, 0.2));
    reference = reference.with_constant_loads(vec![push, Load::torque(BodyId(6), DVec3::new(0.01, 0.02, -0.01))]);
    let state = stirred(&reference, 0.4, 3.0);
    for (i, load) in reference.joint_loads(&state).iter().enumerate() {
        let spring = state.q[i].inverse() * reference.joint_torque(&state, i);
        near(load.torque, spring, 1e-9 * (1.0 + spring.length()));
    }
    // At rest, with no load but weight: the clamp carries the weight of the tree.
    let still = Reference::new(&plants::forked(&wood));
    let balanced = statics::equilibrium(&still, &[]);
    let mass: f64 = still.links.iter().map(|l| l.mass).sum();
    let up = still.positions_and_velocities(&balanced)[0].orientation.inverse() * DVec3::Y;
    near(still.joint_loads(&balanced)[0].force, mass * 9.81 * up, 1e-9);
}

#[test]
fn damping_ratios_are_those_of_rayleigh() {
    let mut rod = Rod::soft();
    rod.material.damping = 0.01;
    let mut reference = Reference::weightless(&plants::cantilever(&rod, 1, DVec3::Y));
    let modes = modes_at_rest(&reference);
    let omega = modes.omega_squared[0].sqrt();
    for alpha in [0.0, 0.8] {
        reference.mass_damping = alpha;
        let mut state = reference.rest_state();
        state.turn(0, DVec3::X * 1e-4);
        let rate = 0.5 * (alpha + 0.01 * omega * omega);
        let damped = (omega * omega - rate * rate).sqrt();
        reference.run(&mut state, TAU / damped, 1e-4);
        // x(t) = exp(-rate t) (cos + rate/damped sin) at one full turn.
        close(state.angle(0).x, 1e-4 * (-rate * TAU / damped).exp(), 1e-6);
    }
}

#[test]
fn one_joint_sags_to_where_its_moments_balance() {
    let mut reference = Reference::new(&plants::cantilever(&Rod::soft(), 1, DVec3::X));
    reference.links[0].stiffness = DVec3::splat(0.3);
    let pull = Load::force(BodyId(0), DVec3::Y, DVec3::new(0.2, -0.5, 0.0));
    let balanced = statics::equilibrium(&reference, &[pull]);
    // K a = (m g d + F_down L) cos a - F_forward L sin a, by bisection.
    let link = &reference.links[0];
    let down = link.mass * 9.81 * link.center.y + 0.5;
    let (mut low, mut high) = (0.0, 0.5 * PI);
    for _ in 0..100 {
        let a: f64 = 0.5 * (low + high);
        if 0.3 * a < down * a.cos() - 0.2 * a.sin() { low = a } else { high = a }
    }
    close(balanced.angle(0).length(), low, 1e-7);
}

#[test]
fn gradients_are_derivatives_and_an_equilibrium_stays_at_rest() {
    let reference = Reference::new(&plants::leafy(&rod::wood(2e8)));
    let pull = Load::force(BodyId(6), DVec3::Y * 0.2, DVec3::new(0.1, 0.05, -0.2));
    let state = stirred(&reference, 0.4, 0.0);
    let gradient = statics::gradient(&reference, &state, &[pull]);
    for row in 0..gradient.len() {
        let at = |by: f64| {
            let mut turned = state.clone();
            turned.turn(row / 3, DVec3::AXES[row % 3] * by);
            statics::potential(&reference, &turned, &[pull])
        };
        let difference = (at(1e-4) - at(-1e-4)) / 2e-4;
        assert!((gradient[row] - difference).abs() < 1e-7 * gradient.amax(), "row {row}");
    }
    let reference = reference.with_constant_loads(vec![pull]);
    let mut balanced = statics::equilibrium(&reference, &[pull]);
    let before = balanced.clone();
    assert!((0..17).any(|i| balanced.angle(i).length() > 0.01), "nothing has bent");
    reference.run(&mut balanced, 0.01, reference.small_step());
    for (a, b) in balanced.q.iter().zip(&before.q) {
        assert!(apart(*a, *b) < 1e-7);
    }
}

#[test]
fn a_tree_swings_in_its_linear_modes() {
    let reference = Reference::new(&plants::forked(&rod::wood(1e8))).undamped();
    let balanced = statics::equilibrium(&reference, &[]);
    let modes = modes_about(&reference, &balanced, &[]);
    for mode in [0, 3] {
        let mut state = balanced.clone();
        displace(&mut state, &modes, mode, 1e-6);
        let start = state.clone();
        let period = TAU / modes.omega_squared[mode].sqrt();
        let turned = |a: &State, b: &State| -> f64 {
            a.q.iter().zip(&b.q).map(|(a, b)| apart(*a, *b).powi(2)).sum::<f64>().sqrt()
        };
        let amplitude = turned(&start, &balanced);
        reference.run(&mut state, 0.5 * period, 4.0 * reference.small_step());
        close(turned(&state, &start), 2.0 * amplitude, 1e-3);
        reference.run(&mut state, 0.5 * period, 4.0 * reference.small_step());
        assert!(turned(&state, &start) < 1e-3 * amplitude, "mode {mode}: {:e}", turned(&state, &start) / amplitude);
    }
}

#[test]
fn a_stalked_fruit_is_a_pendulum_with_a_spring() {
    let plant = plants::fruit_on_branch();
    let mut reference = Reference::new(&plant).undamped();
    // A rigid branch.
    reference.links[0].stiffness *= 1e6;
    reference.links[1].stiffness *= 1e6;
    let modes = modes_about(&reference, &statics::equilibrium(&reference, &[]), &[]);
    let fruit = &reference.links[2];
    let about_joint = fruit.inertia.x + fruit.mass * fruit.center.y.powi(2);
    let expected = (fruit.stiffness.x + fruit.mass * 9.81 * fruit.center.y) / about_joint;
    let twist = fruit.stiffness.y / fruit.inertia.y;
    let slow: Vec<f64> = modes.omega_squared[..3].to_vec();
    assert!(slow.iter().filter(|&&o| (o / expected - 1.0).abs() < 1e-4).count() == 2, "{slow:?} {expected}");
    assert!(slow.iter().any(|&o| (o / twist - 1.0).abs() < 1e-4), "{slow:?} {twist}");
}

#[test]
fn a_cut_takes_nothing_away() {
    let reference = Reference::new(&plants::leafy(&rod::wood(1e8)));
    let state = stirred(&reference, 0.3, 2.0);
    let (piece, start) = reference.cut(BodyId(3), &state);
    let motion = reference.positions_and_velocities(&state);
    for (link, m) in piece.links.iter().zip(piece.positions_and_velocities(&start)) {
        let old = &motion[reference.index_of(link.id)];
        near(m.joint, old.joint, 1e-12);
        near(m.velocity, old.velocity, 1e-12);
        near(m.angular_velocity, old.angular_velocity, 1e-12);
        assert!(apart(m.orientation, old.orientation) < 1e-7);
    }
    // Two arm segments, two leaves, a fruit.
    assert_eq!(piece.links.len(), 5);
    let spring = |r: &Reference, s: &State, i: usize| r.joint_torque(s, i);
    for (i, link) in piece.links.iter().enumerate().skip(1) {
        near(spring(&piece, &start, i), spring(&reference, &state, reference.index_of(link.id)), 1e-15);
    }
    assert_eq!(spring(&piece, &start, 0), DVec3::ZERO);
}

#[test]
fn the_mass_matrix_gives_the_kinetic_energy() {
    let reference = Reference::new(&plants::leafy(&rod::wood(1e8)));
    let state = stirred(&reference, 0.5, 2.0);
    let u = nalgebra::DVector::from_iterator(3 * 17, state.w.iter().flat_map(DVec3::to_array));
    let energy = 0.5 * (u.transpose() * reference.mass_matrix(&state) * &u)[(0, 0)];
    close(energy, reference.energy(&state).kinetic, 1e-12);
}

#[test]
fn a_state_can_be_read_back_from_the_motion_of_its_bodies() {
    for free in [false, true] {
        let mut reference = Reference::new(&plants::leafy(&rod::wood(1e8)));
        reference.base = Box::new(swinging);
        reference.free = free;
        let mut state = stirred(&reference, 0.5, 2.0);
        state.time = 0.4;
        state.root_velocity[0] = DVec3::new(0.1, -0.2, 0.3);
        let motion = reference.positions_and_velocities(&state);
        let read = reference.state_of(0.4, &motion);
        for (a, b) in motion.iter().zip(reference.positions_and_velocities(&read)) {
            near(a.center, b.center, 1e-12);
            near(a.velocity, b.velocity, 1e-12);
        }
        for i in 0..state.q.len() {
            assert!(apart(state.q[i], read.q[i]) < 1e-12);
            near(state.w[i], read.w[i], 1e-12);
        }
    }
}
