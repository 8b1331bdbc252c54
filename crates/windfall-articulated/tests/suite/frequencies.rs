//! Trees oscillate at the frequencies of theory, corrected by the dispersion of the scheme where the step
//! is long.

use std::f64::consts::TAU;

use crate::lab::{
    Law, Swing, fit, modal_coordinate, row, springs_about, state_of, tip, undamped, weightless, world_in,
};
use crate::truth::eigen::{self, Modes};
use crate::truth::linear::{displace, modes_at_rest, spring_matrix, twist_share};
use crate::truth::{Reference, Rod, State, beam, plants, rod, signal, statics};
use nalgebra::DMatrix;
use windfall_articulated::Method;
use windfall_articulated::implicit::{EPSILON, GAMMA};
use windfall_articulated::math::Real;
use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Plant};
use windfall_solver::Actions;
use windfall_solver::Params;
use windfall_testkit::World;

const FRAMES: [(&str, f64); 2] = [("1/30 s", 1.0 / 30.0), ("1/60 s", 1.0 / 60.0)];

/// The system under test: the tree, its reference state, and its modes.
struct Setup<'a> {
    plant: &'a Plant,
    params: Params,
    reference: &'a Reference,
    about: &'a State,
    modes: &'a Modes,
    /// The product of this matrix with a shape projects onto its mode: stiffness.
    weights: DMatrix<f64>,
}

impl Setup<'_> {
    /// Lets one mode oscillate for `steps`, with joints that turn by at most `angle`, and fits it.
    fn swing<T: Real>(&self, mode: usize, h: f64, steps: usize, angle: f64) -> Swing {
        let mut state = self.about.clone();
        displace(&mut state, self.modes, mode, angle / self.modes.shapes.column(mode).amax());
        let mut world = world_in::<T>(self.plant, &self.params, Method::Implicit, &state);
        let mut samples = Vec::with_capacity(steps);
        for _ in 0..steps {
            world.step(h, &Actions::default()).unwrap();
            let now = state_of(self.reference, &world);
            samples.push(modal_coordinate(self.modes, mode, &self.weights, self.about, &now));
        }
        // The first step is a half kick: for a moment another vibration than the later ones.
        fit(&samples[4..], h)
    }
}

/// The first three bending modes and the first twisting mode of a chain.
fn rod_modes(reference: &Reference, modes: &Modes) -> [usize; 4] {
    let all = 0..modes.omega_squared.len();
    let (twist, bending): (Vec<usize>, Vec<usize>) = all.partition(|&m| twist_share(reference, modes, m) > 0.5);
    // Each bends in two planes.
    [bending[0], bending[2], bending[4], twist[0]]
}

/// Frequencies of a rod in the engine against beam theory; returns the largest error against the
/// dispersed theory.
fn rod_against_theory<T: Real>(name: &str, rod: &Rod, n: usize, which: std::ops::Range<usize>, angle: f64) -> f64 {
    let plant = plants::cantilever(rod, n, DVec3::Y);
    let reference = Reference::weightless(&plant);
    let modes = modes_at_rest(&reference);
    let chosen = rod_modes(&reference, &modes);
    let mut theory = beam::bending(rod, 200, 3);
    theory.push(beam::twist(rod, 400, 1)[0]);
    let about = reference.rest_state();
    let weights = spring_matrix(&reference);
    let setup = Setup {
        plant: &plant,
        params: weightless(undamped()),
        reference: &reference,
        about: &about,
        modes: &modes,
        weights,
    };
    let mut worst = 0.0_f64;
    for mode in which {
        for (step, h) in FRAMES {
            let expected = Law::spring(TAU * theory[mode]).in_steps(h, 0.5);
            let ours = setup.swing::<T>(chosen[mode], h, 150, angle);
            let kind = if mode < 3 { format!("bending {}", mode + 1) } else { "twist 1".into() };
            println!(
                "| {name}, {n} segments, {kind}, {step} | {:.4} | {:.4} | {:.4} | {:+.3} % |",
                theory[mode],
                expected.hertz(),
                ours.hertz(),
                100.0 * (ours.hertz() / expected.hertz() - 1.0)
            );
            worst = worst.max((ours.hertz() / expected.hertz() - 1.0).abs());
            // Against the modes of the chain itself only rounding and the square of the amplitude remain.
            let chain = Law::spring(modes.omega_squared[chosen[mode]].sqrt()).in_steps(h, 0.5);
            let bound = if angle < 1e-4 { 1e-6 } else { 1e-3 };
            assert!((ours.hertz() / chain.hertz() - 1.0).abs() < bound, "{name}, {kind}, {step}: {ours:?} {chain:?}");
            assert!(
                (ours.decay - chain.decay).abs() < bound * chain.omega,
                "{name}, {kind}, {step}: {ours:?} {chain:?}"
            );
        }
    }
    worst
}

/// A rod of 1 m whose first three bending modes lie at 0.7, 4.4 and 12 Hz: h omega is 2.6 for the third
/// at 1/30 s.
fn slow() -> Rod {
    Rod { material: rod::wood(2.5e8), ..Rod::soft() }
}

/// One whose first twisting mode lies at 10 Hz.
fn soft_in_twist() -> Rod {
    Rod { material: rod::wood(2.5e7), ..Rod::soft() }
}

#[test]
fn rods_swing_and_twist_like_beams() {
    for (name, taper) in [("uniform", 1.0), ("tapered to 0.4", 0.4)] {
        let worst = rod_against_theory::<f64>(name, &slow().tapered(taper), 32, 0..3, 1e-5);
        assert!(worst < 0.01, "{name}: {worst}");
        let worst = rod_against_theory::<f64>(name, &soft_in_twist().tapered(taper), 32, 3..4, 1e-5);
        assert!(worst < 0.01, "{name}: {worst}");
    }
}

#[test]
fn rods_swing_like_beams_in_single_precision() {
    let worst = rod_against_theory::<f32>("uniform, f32", &slow(), 32, 0..3, 1e-3);
    assert!(worst < 0.01, "{worst}");
}

/// The first ten modes of a tree about its equilibrium, those with h omega up to 3, against the reference.
fn tree_against_modes(name: &str, plant: &Plant, reference: &Reference) {
    let about = statics::equilibrium(reference, &[]);
    let (mass, springs) = (reference.mass_matrix(&about), springs_about(reference, &about));
    let stiffness = statics::hessian(reference, &about, &[]);
    let truth = eigen::modes(&stiffness, &mass);
    for (step, h) in FRAMES {
        // Springs resist in the step like a mass, weight does not: where both matter, these are the
        // shapes that oscillate independently.
        let resistance = (&springs[1] * (GAMMA - EPSILON) + &springs[0] * EPSILON) * (h * h);
        let modes = eigen::modes(&stiffness, &(&mass + resistance));
        let setup = Setup {
            plant,
            params: Params { gravity: reference.gravity, ..undamped() },
            reference,
            about: &about,
            modes: &modes,
            weights: stiffness.clone(),
        };
        for mode in 0..10 {
            let law = Law::of_shape(&modes.shape(mode), &stiffness, &springs, &mass);
            if h * law.omega > 3.0 {
                continue;
            }
            let expected = law.in_steps(h, 0.5);
            let ours = setup.swing::<f64>(mode, h, 150, 1e-5);
            println!(
                "| {name}, mode {}, {step} | {:.4} | {:.4} | {:.4} | {:+.4} % |",
                mode + 1,
                truth.hertz(mode),
                expected.hertz(),
                ours.hertz(),
                100.0 * (ours.hertz() / expected.hertz() - 1.0)
            );
            let error = (ours.hertz() / expected.hertz() - 1.0).abs();
            assert!(error < 1e-3, "{name}, mode {}, {step}: {ours:?} {expected:?}", mode + 1);
        }
    }
}

#[test]
fn trees_swing_in_their_modes() {
    for (name, plant) in
        [("forked, weightless", plants::forked(&rod::wood(1e9))), ("leafy, weightless", plants::leafy(&rod::wood(1e9)))]
    {
        tree_against_modes(name, &plant, &Reference::weightless(&plant).undamped());
    }
}

#[test]
fn trees_swing_about_their_equilibrium_under_gravity() {
    for (name, plant) in [
        ("forked, 1 GPa, with weight", plants::forked(&rod::wood(1e9))),
        ("forked, 100 MPa, with weight", plants::forked(&rod::wood(1e8))),
        ("leafy, 1 GPa, with weight", plants::leafy(&rod::wood(1e9))),
    ] {
        tree_against_modes(name, &plant, &Reference::new(&plant).undamped());
    }
}

/// Frequency of the tip of a chain that was bent by its first mode.
fn analytic_frequency(n: usize, h: f64, seconds: f64) -> (f64, f64) {
    let plant = plants::cantilever(&slow(), n, DVec3::Y);
    let reference = Reference::weightless(&plant);
    let modes = modes_at_rest(&reference);
    let mut state = reference.rest_state();
    displace(&mut state, &modes, 0, 1e-3 / modes.shapes.column(0).amax());
    let mut world = world_in::<f64>(&plant, &weightless(undamped()), Method::Analytic, &state);
    let last = BodyId(n as u32 - 1);
    let straight = tip(&World::<f64>::new(plant, weightless(undamped()), Method::Analytic).unwrap(), last);
    let side = (tip(&world, last) - straight).normalize();
    let mut samples = Vec::new();
    while world.time() < seconds {
        samples.push((tip(&world, last) - straight).dot(side));
        world.step(h, &Actions::default()).unwrap();
    }
    (modes.hertz(0), signal::frequency(&samples, h, 0.0))
}

#[test]
fn a_single_joint_of_the_analytic_solver_is_exact() {
    for (step, h) in FRAMES {
        let (theory, ours) = analytic_frequency(1, h, 60.0);
        row(&format!("`Analytic`, one joint, {step}"), theory, ours);
        // The rest is the interpolation of the crossings over 60 s.
        assert!((ours / theory - 1.0).abs() < 1e-4, "{ours} {theory}");
    }
}

#[test]
fn chains_of_the_analytic_solver_swing_too_fast() {
    // A property of the method, described in the head of its module. It grows with the number of
    // segments: each joint moves its own frozen composite.
    let mut last = 1.0;
    for n in [4, 8, 16] {
        let beam = beam::uniform_bending(&slow())[0];
        let (chain, ours) = analytic_frequency(n, 1.0 / 60.0, 20.0);
        row(&format!("`Analytic`, {n} joints, 1/60 s (the chain itself: {chain:.4})"), beam, ours);
        assert!(ours / chain > last, "{n}: {ours} against {chain}");
        last = ours / chain;
    }
}
