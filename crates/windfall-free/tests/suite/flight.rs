//! Free bodies in the air: terminal velocities, free rotation, storms.
//! `cargo test -p windfall-free --test suite flight -- --nocapture` prints the rows of
//! docs/validation/free.md.

use std::f64::consts::PI;

use crate::kit::{G, Scene, Steady, ball, block, leaf};
use windfall_core::glam::{DQuat, DVec3};
use windfall_free::{FreeBody, Shape, Surface};
use windfall_solver::params::LeafAirParams;

const STILL: Option<Steady> = Some(Steady(DVec3::ZERO));

/// v = V tanh(g t / V), y = -V²/g ln cosh(g t / V), V² = g m / (kappa rho A).
#[test]
fn a_falling_ball_follows_tanh() {
    for (radius, density) in [(0.04, 800.0), (0.04, 20.0), (0.02, 3.0)] {
        for frames in [30.0, 60.0, 240.0] {
            let mut scene = Scene::empty();
            scene.wind = STILL;
            scene.bodies.add(ball(0, radius, density, DVec3::ZERO, Surface::default())).unwrap();
            let drag = scene.air.fruit * scene.air.density * PI * radius * radius / scene.body(0).mass;
            let terminal = (G / drag).sqrt();
            let mut worst = 0.0_f64;
            for step in 1..=(3.0 * frames) as usize {
                scene.step(1.0 / frames);
                let x = G * step as f64 / frames / terminal;
                let body = scene.body(0);
                let (speed, way) = (terminal * x.tanh(), terminal * terminal / G * x.cosh().ln());
                worst = worst
                    .max((-body.velocity.y - speed).abs() / terminal)
                    .max((-body.position.y - way).abs() / (terminal * terminal / G));
            }
            println!(
                "| ball {radius} m, {density} kg/m³, {frames} Hz | V = {terminal:.3} m/s | worst error in 3 s, over V and V²/g: {worst:.1e} |"
            );
            // Second order in the frame and in V / g.
            assert!(worst < 0.1 * (G / frames / terminal).powi(2), "{worst}");
            scene.run(60.0 * (terminal / G).max(0.1), 1.0 / frames);
            let error = (-scene.body(0).velocity.y / terminal - 1.0).abs();
            println!("| the same, terminal | {terminal:.6} m/s | {:.6} m/s | {error:.1e} |", -scene.body(0).velocity.y);
            assert!(error < 1e-9, "{error}");
        }
    }
}

/// A level leaf without torque: v' = g - k v² - nu v. Without friction it follows tanh, too.
#[test]
fn a_level_plate_reaches_its_terminal_velocity() {
    for (width, length, mass) in [(0.06, 0.06, 2e-4), (0.04, 0.05, 5e-5), (0.1, 0.15, 2e-3)] {
        for friction in [0.0, 0.5, 5.0] {
            for frames in [30.0, 60.0] {
                let mut scene = Scene::empty();
                scene.wind = STILL;
                scene.air.leaves = LeafAirParams { torque: 0.0, friction, ..LeafAirParams::default() };
                scene.bodies.add(leaf(0, width, length, mass, DVec3::ZERO)).unwrap();
                let k = scene.air.leaves.drag * scene.air.density * 0.5 * width * length / mass;
                let terminal = ((friction * friction + 4.0 * k * G).sqrt() - friction) / (2.0 * k);
                let mut worst = 0.0_f64;
                for step in 1..=(2.0 * frames) as usize {
                    scene.step(1.0 / frames);
                    if friction == 0.0 {
                        let speed = terminal * (G * step as f64 / frames / terminal).tanh();
                        worst = worst.max((-scene.body(0).velocity.y - speed).abs() / terminal);
                    }
                }
                let speed = -scene.body(0).velocity.y;
                let error = (speed / terminal - 1.0).abs();
                println!(
                    "| plate {width} x {length} m, {:.2} g, nu {friction}, {frames} Hz | {terminal:.5} m/s | {speed:.5} m/s | {error:.1e} | transient {worst:.1e} |",
                    mass * 1e3
                );
                assert!(error < 1e-6 && worst < 0.1 * (G / frames / terminal).powi(2), "{error} {worst}");
            }
        }
    }
}

#[test]
fn boxes_and_capsules_reach_their_terminal_velocities() {
    let mut scene = Scene::empty();
    scene.wind = STILL;
    let half = DVec3::new(0.1, 0.05, 0.2);
    scene.bodies.add(block(0, half, DVec3::ZERO, Surface::default())).unwrap();
    let (half_length, radius) = (0.15, 0.03);
    let shape = Shape::Capsule { half_length, radius };
    let mut lying = FreeBody::thrown(1, shape, 400.0, DVec3::X * 5.0, DVec3::ZERO).unwrap();
    lying.orientation = DQuat::from_rotation_x(PI / 2.0);
    let standing = FreeBody::thrown(2, shape, 400.0, DVec3::X * 10.0, DVec3::ZERO).unwrap();
    scene.bodies.add(lying).unwrap();
    scene.bodies.add(standing).unwrap();
    scene.run(60.0, 1.0 / 60.0);
    let rho = scene.air.density;
    let circle = PI * radius * radius * scene.air.fruit;
    for (name, area) in
        [(0, 0.525 * 4.0 * half.x * half.z), (1, 0.5 * 4.0 * radius * half_length + circle), (2, circle)]
    {
        let body = scene.body(name);
        let theory = (G * body.mass / (rho * area)).sqrt();
        // The transient of the slowest ends with exp(-2 g t / V).
        assert!((-body.velocity.y / theory - 1.0).abs() < 1e-4, "{name}: {} {theory}", body.velocity);
    }
}

/// Euler's equations by Runge-Kutta with small steps.
fn euler(inertia: DVec3, mut w: DVec3, time: f64) -> DVec3 {
    let rate = |w: DVec3| -w.cross(inertia * w) / inertia;
    let steps = 200_000;
    let h = time / f64::from(steps);
    for _ in 0..steps {
        let a = rate(w);
        let b = rate(w + 0.5 * h * a);
        let c = rate(w + 0.5 * h * b);
        let d = rate(w + h * c);
        w += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
    }
    w
}

/// A torque-free box keeps its angular momentum and energy, and turns over as in Euler's equations.
#[test]
fn free_rotation() {
    for (frames, spin) in
        [(30.0, DVec3::new(0.05, 4.0, 0.03)), (60.0, DVec3::new(3.0, 4.0, 1.0)), (60.0, DVec3::new(30.0, 25.0, 5.0))]
    {
        let mut scene = Scene::empty();
        scene.gravity = DVec3::ZERO;
        let mut body = block(0, DVec3::new(0.05, 0.1, 0.2), DVec3::ZERO, Surface::default());
        body.angular_velocity = spin;
        scene.bodies.add(body).unwrap();
        let (momentum, energy) = (body.spin_momentum(), body.kinetic_energy());
        let mut worst = 0.0_f64;
        for step in 0..10_000 {
            scene.step(1.0 / frames);
            worst = worst.max((scene.body(0).kinetic_energy() / energy - 1.0).abs());
            if step + 1 == 2 * frames as usize {
                let now = scene.body(0);
                let w = now.orientation.conjugate() * now.angular_velocity;
                let theory = euler(body.inertia, spin, 2.0);
                let error = w.distance(theory) / spin.length();
                println!("| free box, spin {spin}, 2 s at {frames} Hz | Euler {theory:.3} | {w:.3} | {error:.1e} |");
                assert!(error < 0.01, "{error}");
            }
        }
        let error = scene.body(0).spin_momentum().distance(momentum) / momentum.length();
        println!(
            "| free box, spin {spin}, 10,000 steps at {frames} Hz | momentum {error:.1e} | energy within {worst:.1e} |"
        );
        // Rounding of up to 300,000 sub-steps; symplectic, so the energy does not drift.
        assert!(error < 1e-10 && worst < 5e-4);
    }
}

/// A leaf of 0.05 g in a storm, 30 frames a second: it goes with the wind and spins no faster than a leaf
/// can.
#[test]
fn light_leaves_in_storms() {
    for speed in [20.0, 60.0, 200.0] {
        for air in [
            LeafAirParams::default(),
            LeafAirParams::tumble(),
            LeafAirParams::flutter(),
            LeafAirParams::spiral(),
            LeafAirParams::chaotic(),
        ] {
            let mut scene = Scene::empty();
            scene.wind = Some(Steady(DVec3::X * speed));
            scene.air.leaves = air;
            for i in 0..16 {
                let mut body = leaf(i, 0.04, 0.05, 5e-5, DVec3::Z * f64::from(i));
                // The first is not exactly on edge, where nothing would turn it.
                body.orientation = DQuat::from_scaled_axis(DVec3::new(0.4, 0.9, 0.2) * (f64::from(i) + 0.1));
                scene.bodies.add(body).unwrap();
            }
            let mut fastest = 0.0_f64;
            for _ in 0..60 {
                scene.step(1.0 / 30.0);
                for body in scene.bodies.iter() {
                    // Air takes energy only from relative motion: relative to it no body gets faster than
                    // by falling.
                    let relative = (body.velocity - DVec3::X * speed).length();
                    let fallen = (-body.position.y).max(0.0);
                    assert!(relative < (speed * speed + 2.0 * G * fallen).sqrt() * 1.001, "{relative} in {speed}");
                    fastest = fastest.max(relative);
                    // One turn per its own size of travel.
                    assert!(body.angular_velocity.length() < 10.0 * speed / 0.04, "{}", body.angular_velocity);
                }
            }
            // After two seconds they move with the wind, but for their fall: their speed relative to the
            // air is that of a falling leaf.
            let mut relative: Vec<f64> =
                scene.bodies.iter().map(|b| (b.velocity - DVec3::X * speed).length()).collect();
            relative.sort_by(f64::total_cmp);
            println!(
                "| sixteen leaves of 0.05 g, 2 s in {speed} m/s | relative to the air: median {:.2}, most {:.2} m/s | fastest {fastest:.1} m/s |",
                relative[8], relative[15]
            );
            assert!(relative[8] < 4.0 + 0.1 * speed);
        }
    }
}

/// The same storm with the frame halved gives the same mean motion.
#[test]
fn storms_do_not_depend_on_the_frame() {
    let mut means = vec![];
    for frames in [30.0, 60.0, 480.0] {
        let mut scene = Scene::empty();
        scene.wind = Some(Steady(DVec3::X * 60.0));
        for i in 0..64 {
            let mut body = leaf(i, 0.04, 0.05, 5e-5, DVec3::ZERO);
            body.orientation = DQuat::from_scaled_axis(DVec3::new(0.4, 0.9, 0.2) * f64::from(i));
            // Leaves don't touch each other.
            scene.bodies.add(body).unwrap();
        }
        scene.run(0.5, 1.0 / frames);
        let mean = scene.bodies.iter().map(|b| b.position.x).sum::<f64>() / 64.0;
        println!("| 64 leaves of 0.05 g in 60 m/s, way in 0.5 s at {frames} Hz | {mean:.3} m |");
        means.push(mean);
    }
    assert!(means.iter().all(|m| (m / means[2] - 1.0).abs() < 0.02), "{means:?}");
}
