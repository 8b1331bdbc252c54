//! Natural frequencies and damping of a whole tree: Lanczos' method on `A^-1 M`, A the stiffness with the
//! weight and M the mass.
//!
//! The subspace begins with the deflections of the tree under a steady load from each side (Rayleigh's
//! estimate of the first mode) and grows by `A^-1 M` times its vectors. So it finds first the slowest modes
//! that shaking the ground, or wind, excites; thousands of twigs and leaves appear only by their effect on
//! these. Vectors are kept orthogonal to all others (in the inner product of the mass), hence no mode is
//! found twice. `A^-1` is applied by conjugate gradients on products of O(n) (`linear.rs`), preconditioned
//! with the springs of the joints, which are all of A but the weight.

use std::f64::consts::TAU;

use serde::Serialize;
use windfall_core::glam::DVec3;

use super::linear::{Linear, Passes};
use windfall_core::eigen::eigen;

/// A mode of vibration of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mode {
    /// Frequency without damping, Hz.
    pub frequency_hz: f64,
    /// Damping ratio, `x C x / (2 omega x M x) + alpha / (2 omega)`: with one beta for the whole tree
    /// `beta omega / 2`. It holds the damping of the wood and the foliage's stalks, not that of the air.
    pub damping_ratio: f64,
    /// Effective modal mass of horizontal motion over the mass of the tree: over all modes along one axis
    /// the shares add up to 1.
    pub mass_share: f64,
    /// Compass direction of the axis of sway, 0 to 180 degrees: 0 is north and south, 90 east and west.
    pub sways_degrees: f64,
}

/// Largest subspace: its vectors take 2 KB a joint.
const MOST_VECTORS: usize = 90;
/// Relative residual below which a mode is converged; the relative error of frequencies is its square.
const FOUND: f64 = 1e-4;
/// Modes with a smaller share of the mass are left out: single branches, twigs and leaves.
const LEAST_SHARE: f64 = 0.01;

/// The stiffness is not positive definite: the tree falls over.
pub(super) struct Falls;

/// The slowest `count` modes that move the tree as a whole, slowest first. `alpha` is the mass-proportional
/// damping, 1/s.
pub(super) fn modes(
    linear: &Linear,
    alpha: f64,
    count: usize,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<Mode>, Falls> {
    let mut passes = Passes::default();
    let n = linear.len();
    let mut space: Vec<Vec<DVec3>> = Vec::new();
    // Column j holds the products of all vectors with the image of the j-th.
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let (mut force, mut image) = (vec![DVec3::ZERO; n], vec![DVec3::ZERO; n]);
    for direction in [DVec3::X, DVec3::Z] {
        linear.carried(direction, &mut force, &mut passes);
        solve(linear, &force, &mut image, &mut passes)?;
        append(linear, &mut space, &mut image, &mut passes);
    }
    let mut found = Vec::new();
    while columns.len() < space.len().min(MOST_VECTORS) {
        linear.mass_times(&space[columns.len()], &mut force, &mut passes);
        solve(linear, &force, &mut image, &mut passes)?;
        columns.push(append(linear, &mut space, &mut image, &mut passes));
        let last = columns.len() == space.len().min(MOST_VECTORS);
        if columns.len().is_multiple_of(6) || last {
            let all;
            (found, all) = ritz(linear, &space, &columns, alpha, count, &mut passes);
            if all || last {
                break;
            }
        }
        progress(columns.len() as f64 / MOST_VECTORS as f64);
    }
    Ok(found)
}

/// The Ritz modes of the subspace, and whether all requested modes are converged.
fn ritz(
    linear: &Linear,
    space: &[Vec<DVec3>],
    columns: &[Vec<f64>],
    alpha: f64,
    count: usize,
    passes: &mut Passes,
) -> (Vec<Mode>, bool) {
    let m = columns.len();
    let at = |i: usize, j: usize| columns[j].get(i).copied().unwrap_or(0.0);
    let matrix = (0..m).map(|i| (0..m).map(|j| 0.5 * (at(i, j) + at(j, i))).collect()).collect();
    let mut found = Vec::new();
    for (value, weights) in eigen(matrix) {
        // The residual: the part of the image outside of the subspace.
        let missing = |i: usize| (0..m).map(|j| at(i, j) * weights[j]).sum::<f64>();
        let residual = (m..space.len()).map(|i| missing(i).powi(2)).sum::<f64>().sqrt();
        let mut shape = vec![DVec3::ZERO; linear.len()];
        for (vector, &weight) in space.iter().zip(&weights) {
            add(&mut shape, vector, weight);
        }
        let momentum = linear.momentum(&shape, passes);
        let share = (momentum.x.powi(2) + momentum.z.powi(2)) / linear.mass;
        if share < LEAST_SHARE {
            continue;
        }
        if !(value > 0.0 && residual < FOUND * value) {
            return (found, false);
        }
        let omega = value.recip().sqrt();
        let sways = momentum.x.atan2(-momentum.z).to_degrees().rem_euclid(180.0);
        found.push(Mode {
            frequency_hz: omega / TAU,
            damping_ratio: (linear.damped(&shape) + alpha) / (2.0 * omega),
            mass_share: share,
            sways_degrees: sways,
        });
        if found.len() == count {
            return (found, true);
        }
    }
    // A small tree has no more modes.
    let all = m == space.len();
    (found, all)
}

/// Orthogonalises a vector against the subspace, returns the products with it, and appends the normalised
/// rest, if there is one.
fn append(linear: &Linear, space: &mut Vec<Vec<DVec3>>, vector: &mut [DVec3], passes: &mut Passes) -> Vec<f64> {
    let mut products = vec![0.0; space.len()];
    let mut moved = vec![DVec3::ZERO; vector.len()];
    linear.mass_times(vector, &mut moved, passes);
    let whole = dot(vector, &moved);
    // Twice is enough (Kahan and Parlett): the second pass removes rounding errors.
    for _ in 0..2 {
        for (product, known) in products.iter_mut().zip(space.iter()) {
            let part = dot(known, &moved);
            *product += part;
            add(vector, known, -part);
        }
        linear.mass_times(vector, &mut moved, passes);
    }
    let rest = dot(vector, &moved);
    if rest > 1e-24 * whole && rest > 0.0 {
        let length = rest.sqrt();
        products.push(length);
        space.push(vector.iter().map(|x| *x / length).collect());
    }
    products
}

/// Conjugate gradients: out = A^-1 force.
fn solve(linear: &Linear, force: &[DVec3], out: &mut [DVec3], passes: &mut Passes) -> Result<(), Falls> {
    const ENOUGH: f64 = 1e-12;
    const MOST_STEPS: usize = 2000;
    let n = linear.len();
    let mut rest = force.to_vec();
    let (mut led, mut image) = (vec![DVec3::ZERO; n], vec![DVec3::ZERO; n]);
    linear.nearly_solve(&rest, &mut led);
    let mut way = led.clone();
    out.fill(DVec3::ZERO);
    let mut square = dot(&rest, &led);
    let enough = ENOUGH * ENOUGH * square;
    for _ in 0..MOST_STEPS {
        if square <= enough {
            break;
        }
        linear.stiffness_times(&way, &mut image, passes);
        let bent = dot(&way, &image);
        if bent.is_nan() || bent <= 0.0 {
            return Err(Falls);
        }
        let step = square / bent;
        add(out, &way, step);
        add(&mut rest, &image, -step);
        linear.nearly_solve(&rest, &mut led);
        let next = dot(&rest, &led);
        let turn = next / square;
        way.iter_mut().zip(&led).for_each(|(way, led)| *way = *led + *way * turn);
        square = next;
    }
    Ok(())
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

fn add(to: &mut [DVec3], what: &[DVec3], times: f64) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += *what * times);
}
