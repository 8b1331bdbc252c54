//! Vibrations decay by Rayleigh's law: zeta = beta omega / 2 and zeta = alpha / (2 omega).

use crate::lab::{Law, Swing, fit, modal_coordinate, state_of, weightless, world_in};
use crate::truth::linear::{displace, modes_at_rest, spring_matrix};
use crate::truth::{Reference, Rod, plants, rod};
use windfall_articulated::Method;
use windfall_articulated::math::Real;
use windfall_core::glam::DVec3;
use windfall_core::{Plant, WoodMaterial};
use windfall_solver::Actions;
use windfall_solver::Params;

/// Lets one mode of a weightless tree decay; returns its undamped frequency, rad/s, and the measured
/// values.
fn ring<T: Real>(plant: &Plant, method: Method, alpha: f64, mode: usize, h: f64, angle: f64) -> (f64, Swing) {
    let params = Params { mass_damping: alpha, ..weightless(Params::default()) };
    let reference = Reference::weightless(plant);
    let modes = modes_at_rest(&reference);
    let (about, weights) = (reference.rest_state(), spring_matrix(&reference));
    let mut state = about.clone();
    displace(&mut state, &modes, mode, angle / modes.shapes.column(mode).amax());
    let mut world = world_in::<T>(plant, &params, method, &state);
    let mut samples = Vec::new();
    let omega = modes.omega_squared[mode].sqrt();
    // Three periods, and at least 60 steps.
    let steps = (20.0 / (omega * h)).max(60.0) as usize;
    for _ in 0..steps {
        world.step(h, &Actions::default()).unwrap();
        samples.push(modal_coordinate(&modes, mode, &weights, &about, &state_of(&reference, &world)));
    }
    (omega, fit(&samples[4..], h))
}

fn wood(beta: f64, youngs_modulus: f64) -> WoodMaterial {
    WoodMaterial { damping: beta, ..rod::wood(youngs_modulus) }
}

fn cantilever(beta: f64, n: usize) -> Plant {
    plants::cantilever(&Rod { material: wood(beta, 1e9), ..Rod::soft() }, n, DVec3::Y)
}

/// Beta, s, and alpha, 1/s, of a test.
const DAMPINGS: [(f64, f64); 3] = [(0.01, 0.0), (0.0, 0.8), (0.004, 0.3)];

fn zeta(omega: f64, beta: f64, alpha: f64) -> f64 {
    0.5 * (beta * omega + alpha / omega)
}

fn report(name: &str, h: f64, beta: f64, alpha: f64, theory: f64, ours: f64) {
    println!(
        "| {name}, beta {beta} s, alpha {alpha} /s, 1/{:.0} s | {theory:.6} | {ours:.6} | {:+.3} % |",
        1.0 / h,
        100.0 * (ours / theory - 1.0)
    );
}

#[test]
fn a_single_joint_of_the_analytic_solver_decays_exactly() {
    for (beta, alpha) in DAMPINGS {
        for h in [1.0 / 30.0, 1.0 / 60.0] {
            let (omega, ours) = ring::<f64>(&cantilever(beta, 1), Method::Analytic, alpha, 0, h, 1e-4);
            let theory = zeta(omega, beta, alpha);
            report("`Analytic`, one joint", h, beta, alpha, theory, ours.zeta());
            assert!((ours.zeta() / theory - 1.0).abs() < 1e-6, "{ours:?} {theory}");
        }
    }
}

/// Implicit against theory at a short step, against theory and the scheme's own law at a frame.
fn implicit_decays(name: &str, plant_of: &dyn Fn(f64) -> Plant, mode: usize) {
    for (beta, alpha) in DAMPINGS {
        let plant = plant_of(beta);
        let (omega, fine) = ring::<f64>(&plant, Method::Implicit, alpha, mode, 1e-3, 1e-5);
        let theory = zeta(omega, beta, alpha);
        report(name, 1e-3, beta, alpha, theory, fine.zeta());
        assert!((fine.zeta() / theory - 1.0).abs() < 1e-3, "{name}, {beta}, {alpha}: {fine:?} {theory}");
        let h = 1.0 / 60.0;
        let (_, frame) = ring::<f64>(&plant, Method::Implicit, alpha, mode, h, 1e-5);
        report(name, h, beta, alpha, theory, frame.zeta());
        let law = Law { beta, alpha, ..Law::spring(omega) };
        // The weight sigma of damping is between that of weak and that of strong damping.
        let (weak, strong) = (law.in_steps(h, 0.5).zeta(), law.in_steps(h, 1.0).zeta());
        let (least, most) = (weak.min(strong) * (1.0 - 1e-4), weak.max(strong) * (1.0 + 1e-4));
        assert!((least..most).contains(&frame.zeta()), "{name}, {beta}, {alpha}: {frame:?} {weak} {strong}");
    }
}

#[test]
fn vibrations_decay_by_rayleigh_damping() {
    implicit_decays("one joint", &|beta| cantilever(beta, 1), 0);
    implicit_decays("rod of 16, first mode", &|beta| cantilever(beta, 16), 0);
    for mode in 0..4 {
        let name = format!("forked tree, mode {}", mode + 1);
        implicit_decays(&name, &|beta| plants::forked(&wood(beta, 1e9)), mode);
    }
}

#[test]
fn vibrations_decay_by_rayleigh_damping_in_single_precision() {
    for (beta, alpha) in DAMPINGS {
        for (method, h) in [(Method::Analytic, 1.0 / 60.0), (Method::Implicit, 1.0 / 240.0)] {
            let (omega, ours) = ring::<f32>(&cantilever(beta, 1), method, alpha, 0, h, 0.05);
            let theory = zeta(omega, beta, alpha);
            report(&format!("{method:?}, f32, one joint"), h, beta, alpha, theory, ours.zeta());
            assert!((ours.zeta() / theory - 1.0).abs() < 0.01, "{method:?}, {beta}, {alpha}: {ours:?} {theory}");
        }
    }
}
