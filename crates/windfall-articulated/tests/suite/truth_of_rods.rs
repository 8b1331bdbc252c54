//! Beam theory against published values and closed forms, and the chain of rigid segments against beam
//! theory: the result of a perfect solver.

use std::f64::consts::PI;

use crate::truth::elastica::bend;
use crate::truth::linear::{branch_frequencies, modes_about};
use crate::truth::{Reference, Rod, RodLoad, beam, plants, statics};
use windfall_core::BodyId;
use windfall_core::glam::DVec3;
use windfall_solver::Load;

fn close(a: f64, b: f64, relative: f64) {
    assert!((a - b).abs() <= relative * b.abs(), "{a} is not {b} within {relative}: off by {:e}", a / b - 1.0);
}

/// A uniform rod of 1 m with E I = 1 N m².
fn unit_rod() -> Rod {
    let mut rod = Rod::soft();
    rod.material.youngs_modulus = 4.0 / (PI * rod.base_radius.powi(4));
    close(rod.bending_stiffness(0.3), 1.0, 1e-12);
    rod
}

#[test]
fn elastica_under_a_tip_load_is_that_of_bisshopp_and_drucker() {
    // Bisshopp and Drucker, Quarterly of Applied Mathematics 3 (1945): P L^2 / EI, deflection / L,
    // shortening / L.
    for (load, down, short) in [(1.0, 0.30172, 0.05643), (2.0, 0.49346, 0.16064), (10.0, 0.81061, 0.55500)] {
        let bent = bend(&unit_rod(), 0.0, RodLoad { gravity: 0.0, tip_force: [0.0, -load] });
        assert!((-bent.tip[1] - down).abs() < 6e-6, "{load}: {bent:?}");
        assert!((1.0 - bent.tip[0] - short).abs() < 6e-6, "{load}: {bent:?}");
        // The moment at the clamp is force times lever.
        close(bent.clamp_moment, -load * bent.tip[0], 1e-9);
    }
}

#[test]
fn elastica_under_its_weight_is_a_beam_when_stiff_and_does_not_care_about_its_direction() {
    let rod = unit_rod();
    let weight = rod.mass_per_length(0.0);
    let small = bend(&rod, 0.0, RodLoad { gravity: 1e-3 / weight, tip_force: [0.0, 0.0] });
    close(small.tip[1], -1e-3 / 8.0, 1e-6);
    // A hanging or upright rod stays straight.
    let down = bend(&rod, -0.5 * PI, RodLoad { gravity: 5.0 / weight, tip_force: [0.0, 0.0] });
    close(down.tip[1], -1.0, 1e-9);
    // Its own weight is about a tip load of the same moment at the clamp; mirrored, it bends the other
    // way.
    let a = bend(&rod, 0.7, RodLoad { gravity: 3.0 / weight, tip_force: [0.2, 0.1] });
    let b = bend(&rod, PI - 0.7, RodLoad { gravity: 3.0 / weight, tip_force: [-0.2, 0.1] });
    close(b.tip[0], -a.tip[0], 1e-9);
    close(b.tip[1], a.tip[1], 1e-9);
}

#[test]
fn beam_elements_give_the_closed_forms() {
    let rod = Rod::soft();
    // Elements of length h are too stiff by about (beta h)^4 / 1440, and rounding costs about epsilon
    // n^4: 1e-7 is right for 100, 5e-7 for 200.
    for (elements, tolerance) in [(100, 1e-7), (200, 5e-7)] {
        for (fe, exact) in beam::bending(&rod, elements, 3).into_iter().zip(beam::uniform_bending(&rod)) {
            close(fe, exact, tolerance);
        }
    }
    // Linear elements are too stiff by (pi/2 / 200)^2 / 24.
    close(beam::twist(&rod, 200, 1)[0], beam::uniform_twist(&rod), 3e-6);
}

#[test]
fn beam_elements_give_the_published_frequencies_of_cones() {
    let dimensionless = |ratio: f64, elements: usize| -> Vec<f64> {
        let cone = Rod::soft().tapered(ratio);
        let unit = (cone.bending_stiffness(0.0) / cone.mass_per_length(0.0)).sqrt() / (2.0 * PI);
        beam::bending(&cone, elements, 3).iter().map(|f| f / unit).collect()
    };
    // Tip half as thick as the base (Downs, Journal of Applied Mechanics 44, 1977): omega L^2 sqrt(rho A
    // / EI).
    for (fe, exact) in dimensionless(0.5, 100).into_iter().zip([4.62515, 19.5476, 48.5789]) {
        close(fe, exact, 3e-6);
    }
    // Tip a quarter as thick: roots found by shooting with RK4 in a separate program. (Mabie and Rogers,
    // Journal of the Acoustical Society of America 51, 1972, print 5.822, 18.48, 41.31; their third is
    // 0.03 % low.)
    for (fe, exact) in dimensionless(0.25, 100).into_iter().zip([5.8230659, 18.4797048, 41.3213426]) {
        close(fe, exact, 3e-7);
    }
    // A pointed cone (Kirchhoff 1879): 8.719, 21.146, 38.453. Frequencies fall linearly with the radius
    // of a blunt tip.
    let (blunt, blunter) = (dimensionless(0.002, 200), dimensionless(0.004, 200));
    for (i, exact) in [8.719, 21.146, 38.453].into_iter().enumerate() {
        close(2.0 * blunt[i] - blunter[i], exact, 3e-4);
    }
}

#[test]
fn twist_of_a_tapered_rod_is_that_of_spherical_bessel_functions() {
    // With r as coordinate, phi'' + 4/r phi' + k^2 phi = 0: phi = (A j1(kr) + B y1(kr)) / r, phi' = -k (A
    // j2 + B y2) / r; phi = 0 at the base radius a and phi' = 0 at the tip radius b.
    let rod = Rod::soft().tapered(0.4);
    let (a, b) = (rod.base_radius, rod.tip_radius);
    let j1 = |x: f64| x.sin() / (x * x) - x.cos() / x;
    let y1 = |x: f64| -x.cos() / (x * x) - x.sin() / x;
    let j2 = |x: f64| 3.0 / x * j1(x) - x.sin() / x;
    let y2 = |x: f64| 3.0 / x * y1(x) + x.cos() / x;
    let speed = (rod.material.shear_modulus / rod.material.density).sqrt();
    let characteristic = |hertz: f64| {
        let k = 2.0 * PI * hertz / speed * rod.length / (a - b);
        j1(k * a) * y2(k * b) - y1(k * a) * j2(k * b)
    };
    let found = beam::twist(&rod, 400, 2);
    for f in found {
        assert!(characteristic(f * (1.0 - 1e-5)) * characteristic(f * (1.0 + 1e-5)) < 0.0, "{f} Hz is no root");
    }
    let first = found_below(&characteristic, beam::twist(&rod, 400, 1)[0] * 0.99);
    assert!(!first, "there is a slower one");
}

/// Whether a function changes its sign between 1 Hz and `top`.
fn found_below(f: &impl Fn(f64) -> f64, top: f64) -> bool {
    (1..1000).any(|i| f(1.0 + (top - 1.0) * f64::from(i) / 1000.0) * f(1.0) < 0.0)
}

/// Tip of the discrete chain and of the elastica, in the plane, m.
fn sag(rod: &Rod, segments: usize, clamp_angle: f64, tip_force: [f64; 2]) -> ([f64; 2], [f64; 2]) {
    let plant = plants::cantilever(rod, segments, DVec3::new(clamp_angle.cos(), clamp_angle.sin(), 0.0));
    let reference = Reference::new(&plant);
    let last = BodyId(segments as u32 - 1);
    let force = DVec3::new(tip_force[0], tip_force[1], 0.0);
    let pull = Load::force(last, reference.links[segments - 1].tip, force);
    let tip = reference.tip(&statics::equilibrium(&reference, &[pull]), last);
    assert!(tip.z.abs() < 1e-6);
    let bent = bend(rod, clamp_angle, RodLoad { gravity: 9.81, tip_force });
    ([tip.x, tip.y], bent.tip)
}

#[test]
fn chains_sag_like_the_elastica_with_errors_that_fall_with_the_square_of_segments() {
    for (rod, name) in [(Rod::soft(), "uniform"), (Rod::soft().tapered(0.4), "tapered")] {
        for (angle, force) in [(0.0, [0.0, 0.0]), (0.0, [0.0, -2.0]), (1.0, [0.0, 0.0]), (-0.6, [0.3, 0.5])] {
            let errors: Vec<f64> = [8, 16, 32]
                .into_iter()
                .map(|n| {
                    let (chain, truth) = sag(&rod, n, angle, force);
                    let straight = [angle.cos(), angle.sin()];
                    let moved = (truth[0] - straight[0]).hypot(truth[1] - straight[1]);
                    (chain[0] - truth[0]).hypot(chain[1] - truth[1]) / moved
                })
                .collect();
            assert!(errors[2] < 0.01, "{name}: {errors:?}");
            close(errors[1] / errors[2], 4.0, 0.15);
        }
    }
}

#[test]
fn chains_of_32_swing_and_twist_like_beams() {
    for (rod, name) in [(Rod::soft(), "uniform"), (Rod::soft().tapered(0.4), "tapered")] {
        let (bending, twist) = (beam::bending(&rod, 200, 3), beam::twist(&rod, 400, 1)[0]);
        let errors = |n: usize| -> Vec<f64> {
            let (chain, chain_twist) = branch_frequencies(&Reference::new(&plants::cantilever(&rod, n, DVec3::Y)));
            let bending = chain.iter().zip(&bending).map(|(a, b)| a / b - 1.0);
            bending.chain([chain_twist[0] / twist - 1.0]).collect()
        };
        let (coarse, fine) = (errors(16), errors(32));
        for (mode, (coarse, fine)) in coarse.iter().zip(&fine).enumerate() {
            assert!(fine.abs() < 0.01, "{name}, mode {mode}: {fine}");
            // Second order: a quarter of the error for half the segment.
            assert!((3.6..4.1).contains(&(coarse / fine)), "{name}, mode {mode}: {coarse} {fine}");
        }
    }
}

#[test]
fn an_upright_chain_buckles_under_its_weight_where_greenhill_says() {
    // Greenhill 1881: w L^3 / EI = 7.8373.
    let slowest = |load: f64| {
        let mut rod = Rod::soft();
        rod.material.youngs_modulus *= rod.mass_per_length(0.0) * 9.81 / rod.bending_stiffness(0.0) / load;
        let reference = Reference::new(&plants::cantilever(&rod, 32, DVec3::Y));
        modes_about(&reference, &reference.rest_state(), &[]).omega_squared[0]
    };
    assert!(slowest(7.8373 * 0.99) > 0.0 && slowest(7.8373 * 1.01) < 0.0);
}

#[test]
fn a_refined_plant_is_the_same_wood_cut_finer() {
    let rod = Rod::soft().tapered(0.4);
    let coarse = plants::cantilever(&rod, 4, DVec3::X);
    let (cut, built) = (plants::refined(&coarse, 8), plants::cantilever(&rod, 32, DVec3::X));
    let frequencies = |plant| branch_frequencies(&Reference::new(plant)).0;
    for (a, b) in frequencies(&cut).iter().zip(frequencies(&built)).take(3) {
        close(*a, b, 1e-5);
    }
    let leafy = plants::leafy(&rod.material);
    let fine = plants::refined(&leafy, 3);
    let mass =
        |plant: &windfall_core::Plant| -> f64 { plant.body_ids().map(|id| plant.mass_properties(id).mass).sum() };
    close(mass(&fine), mass(&leafy), 1e-6);
    assert_eq!((fine.segments().len(), fine.leaves().len()), (27, 6));
    let rest = |plant: &windfall_core::Plant, body| {
        let reference = Reference::new(plant);
        reference.tip(&reference.rest_state(), BodyId(body))
    };
    assert!(rest(&fine, 4 * 3 + 2).distance(rest(&leafy, 4)) < 1e-6);
}

/// Records a known limit of the joint rule with its size; the test goes when the rule changes.
#[test]
fn a_fork_loses_the_half_segment_before_it() {
    // A branch that continues another has the compliance of its own half alone: at a fork half a segment
    // of the parent can't bend. One fork in the middle of a horizontal rod under its own weight then
    // takes w L^2/8 L/2 / (2 n EI) away.
    let rod = Rod::soft();
    for n in [8, 16, 32] {
        let sag = |plant: &windfall_core::Plant| {
            let mut reference = Reference::new(plant);
            reference.gravity *= 1e-3;
            let balanced = statics::equilibrium(&reference, &[]);
            -reference.tip(&balanced, BodyId(n - 1)).y
        };
        let one = sag(&plants::cantilever(&rod, n as usize, DVec3::X));
        let two = sag(&plants::cantilever_of_two_branches(&rod, n as usize, DVec3::X));
        let weight = rod.mass_per_length(0.0) * 9.81e-3;
        let expected = weight / 8.0 * 0.5 / (2.0 * f64::from(n)) / rod.bending_stiffness(0.0);
        close(one - two, expected, 0.01);
    }
}

#[test]
fn a_torque_at_the_tip_misses_half_a_segment() {
    // The outer half of the last segment can't bend. Forces have no moment there; a torque at the tip
    // does.
    let plant = plants::cantilever(&Rod::soft(), 32, DVec3::X);
    let compliance: f64 = plant.body_ids().map(|id| 1.0 / plant.joint_properties(id).stiffness.z).sum();
    close(compliance * Rod::soft().bending_stiffness(0.0), 1.0 - 0.5 / 32.0, 1e-6);
}
