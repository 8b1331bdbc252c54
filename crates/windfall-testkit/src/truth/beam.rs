//! Frequencies of a clamped rod by beam theory.
//!
//! Uniform rods in closed form; tapered ones by finite elements: cubic Hermite elements of Euler and
//! Bernoulli for bending, linear ones for twist, with consistent masses and exact quadrature.

use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::DMatrix;

use super::eigen::modes;
use super::rod::Rod;

/// Roots of cos x cosh x = -1: beta L of a clamped-free beam.
pub const BETA_L: [f64; 3] = [1.8751040687, 4.6940911330, 7.8547574382];

/// First three bending frequencies of a uniform clamped rod, (beta L)^2 / L^2 sqrt(EI / rho A) / 2 pi, Hz.
pub fn uniform_bending(rod: &Rod) -> [f64; 3] {
    assert!(rod.base_radius == rod.tip_radius, "the rod is tapered");
    let speed = (rod.bending_stiffness(0.0) / rod.mass_per_length(0.0)).sqrt();
    BETA_L.map(|b| b * b / (rod.length * rod.length) * speed / TAU)
}

/// First twist frequency of a uniform clamped rod, (pi/2)/L sqrt(G / rho) / 2 pi, Hz.
pub fn uniform_twist(rod: &Rod) -> f64 {
    assert!(rod.base_radius == rod.tip_radius, "the rod is tapered");
    FRAC_PI_2 / rod.length * (rod.material.shear_modulus / rod.material.density).sqrt() / TAU
}

/// Gauss-Legendre points and weights on 0 to 1, five points: exact to degree nine.
fn gauss() -> [(f64, f64); 5] {
    let (a, b) =
        ((5.0 - 2.0 * (10.0_f64 / 7.0).sqrt()).sqrt() / 3.0, (5.0 + 2.0 * (10.0_f64 / 7.0).sqrt()).sqrt() / 3.0);
    let (wa, wb) = ((322.0 + 13.0 * 70.0_f64.sqrt()) / 900.0, (322.0 - 13.0 * 70.0_f64.sqrt()) / 900.0);
    [(0.0, 128.0 / 225.0), (a, wa), (-a, wa), (b, wb), (-b, wb)].map(|(x, w)| (0.5 + 0.5 * x, 0.5 * w))
}

/// The first `count` bending frequencies of a clamped rod, Hz, with this many elements.
pub fn bending(rod: &Rod, elements: usize, count: usize) -> Vec<f64> {
    let h = rod.length / elements as f64;
    let size = 2 * (elements + 1);
    let (mut k, mut m) = (DMatrix::zeros(size, size), DMatrix::zeros(size, size));
    for e in 0..elements {
        for (x, weight) in gauss() {
            let s = (e as f64 + x) * h;
            let (x2, x3) = (x * x, x * x * x);
            // Deflection and slope at both ends, and the second derivatives of their shapes.
            let n = [1.0 - 3.0 * x2 + 2.0 * x3, h * (x - 2.0 * x2 + x3), 3.0 * x2 - 2.0 * x3, h * (x3 - x2)];
            let b = [12.0 * x - 6.0, h * (6.0 * x - 4.0), 6.0 - 12.0 * x, h * (6.0 * x - 2.0)].map(|b| b / (h * h));
            for i in 0..4 {
                for j in 0..4 {
                    k[(2 * e + i, 2 * e + j)] += weight * h * rod.bending_stiffness(s) * b[i] * b[j];
                    m[(2 * e + i, 2 * e + j)] += weight * h * rod.mass_per_length(s) * n[i] * n[j];
                }
            }
        }
    }
    first_frequencies(&k, &m, 2, count)
}

/// The first `count` twist frequencies of a clamped rod, Hz, with this many elements.
pub fn twist(rod: &Rod, elements: usize, count: usize) -> Vec<f64> {
    let h = rod.length / elements as f64;
    let size = elements + 1;
    let (mut k, mut m) = (DMatrix::zeros(size, size), DMatrix::zeros(size, size));
    for e in 0..elements {
        for (x, weight) in gauss() {
            let s = (e as f64 + x) * h;
            let (n, b) = ([1.0 - x, x], [-1.0 / h, 1.0 / h]);
            for i in 0..2 {
                for j in 0..2 {
                    k[(e + i, e + j)] += weight * h * rod.twist_stiffness(s) * b[i] * b[j];
                    m[(e + i, e + j)] += weight * h * rod.spin_inertia_per_length(s) * n[i] * n[j];
                }
            }
        }
    }
    first_frequencies(&k, &m, 1, count)
}

/// Clamps the first `held` unknowns.
fn first_frequencies(k: &DMatrix<f64>, m: &DMatrix<f64>, held: usize, count: usize) -> Vec<f64> {
    let rest = k.nrows() - held;
    let modes =
        modes(&k.view((held, held), (rest, rest)).into_owned(), &m.view((held, held), (rest, rest)).into_owned());
    (0..count).map(|i| modes.hertz(i)).collect()
}
