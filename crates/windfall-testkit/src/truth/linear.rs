//! Small vibrations of a whole tree.

use nalgebra::{DMatrix, DVector};
use windfall_core::glam::DVec3;
use windfall_solver::{Base, Load};

use super::eigen::{Modes, modes};
use super::statics;
use super::tree::{Reference, State};

/// The stiffness matrix at rest: the joint springs, three rows per joint in joint axes, N m/rad.
pub fn spring_matrix(reference: &Reference) -> DMatrix<f64> {
    let springs = reference.links.iter().flat_map(|l| l.stiffness.to_array());
    DMatrix::from_diagonal(&DVector::from_iterator(3 * reference.links.len(), springs))
}

/// Modes of the clamped tree about its rest shape, without weight.
pub fn modes_at_rest(reference: &Reference) -> Modes {
    let held = held(reference);
    modes(&spring_matrix(&held), &held.mass_matrix(&held.rest_state()))
}

/// Modes of the clamped tree about an equilibrium under gravity and constant forces, with their
/// geometric stiffness.
pub fn modes_about(reference: &Reference, equilibrium: &State, forces: &[Load]) -> Modes {
    modes(&statics::hessian(reference, equilibrium, forces), &reference.mass_matrix(equilibrium))
}

/// Rotates the joints of a state by `amplitude` times a mode shape.
pub fn displace(state: &mut State, modes: &Modes, mode: usize, amplitude: f64) {
    let shape = modes.shapes.column(mode);
    for i in 0..state.q.len() {
        state.turn(i, amplitude * DVec3::new(shape[3 * i], shape[3 * i + 1], shape[3 * i + 2]));
    }
}

/// Twist share of a mode, 0 to 1: the fraction of its spring energy in rotations of joints about their
/// own y.
pub fn twist_share(reference: &Reference, modes: &Modes, mode: usize) -> f64 {
    let shape = modes.shapes.column(mode);
    let energy = |row: usize| reference.links[row / 3].stiffness[row % 3] * shape[row].powi(2);
    let rows = 3 * reference.links.len();
    (0..rows).filter(|r| r % 3 == 1).map(energy).sum::<f64>() / (0..rows).map(energy).sum::<f64>()
}

/// Frequencies of a straight round branch, Hz: bending (each once, though it occurs in two planes) and
/// twist.
pub fn branch_frequencies(reference: &Reference) -> (Vec<f64>, Vec<f64>) {
    let modes = modes_at_rest(reference);
    let all = 0..modes.omega_squared.len();
    let (twist, bending): (Vec<usize>, Vec<usize>) = all.partition(|&m| twist_share(reference, &modes, m) > 0.5);
    let hertz = |m: usize| modes.hertz(m);
    (bending.into_iter().step_by(2).map(hertz).collect(), twist.into_iter().map(hertz).collect())
}

/// The same links with fixed ground.
fn held(reference: &Reference) -> Reference {
    Reference {
        links: reference.links.clone(),
        origins: reference.origins.clone(),
        gravity: reference.gravity,
        base: Box::new(|_, _| Base::default()),
        loads: Box::new(|_, _| Vec::new()),
        mass_damping: 0.0,
        free: false,
    }
}
