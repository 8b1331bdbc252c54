//! Static equilibrium: Newton's method on the gradient of the total potential energy, with line search.
//!
//! ```text
//! V = sum of 1/2 theta K theta - sum of m g . c - sum of F . p  (springs, weight, constant forces at points)
//! ```
//!
//! It works on the joint rotations alone and shares only the forward kinematics with the equations of
//! motion.

use nalgebra::{DMatrix, DVector};
use windfall_core::glam::DVec3;
use windfall_solver::Load;

use super::so3::inverse_left_jacobian;
use super::tree::{Reference, State};

/// Potential energy of springs, gravity and the constant forces, J.
pub fn potential(reference: &Reference, state: &State, forces: &[Load]) -> f64 {
    let motion = reference.positions_and_velocities(state);
    let mut sum = 0.0;
    for (i, link) in reference.links.iter().enumerate() {
        let theta = state.angle(i);
        sum += 0.5 * theta.dot(link.stiffness * theta) - link.mass * reference.gravity.dot(motion[i].center);
    }
    for load in forces {
        let m = &motion[reference.index_of(load.body.id)];
        sum -= load.force.dot(m.joint + m.orientation * load.point);
    }
    sum
}

/// Derivative of the potential with respect to a small rotation of each joint in parent-side joint axes,
/// N m.
pub fn gradient(reference: &Reference, state: &State, forces: &[Load]) -> DVector<f64> {
    let motion = reference.positions_and_velocities(state);
    let frames = reference.frames(&motion, state);
    let mut torques = vec![DVec3::ZERO; reference.links.len()];
    let mut pull = |i: usize, point: DVec3, force: DVec3| {
        for j in reference.path(i) {
            torques[j] += (point - motion[j].joint).cross(force);
        }
    };
    for (i, link) in reference.links.iter().enumerate() {
        pull(i, motion[i].center, link.mass * reference.gravity);
    }
    for load in forces {
        let i = reference.index_of(load.body.id);
        pull(i, motion[i].joint + motion[i].orientation * load.point, load.force);
    }
    let mut gradient = DVector::zeros(3 * reference.links.len());
    for (i, link) in reference.links.iter().enumerate() {
        let theta = state.angle(i);
        let g = inverse_left_jacobian(theta).transpose() * (link.stiffness * theta) - frames[i].inverse() * torques[i];
        (0..3).for_each(|a| gradient[3 * i + a] = g[a]);
    }
    gradient
}

/// Second derivative of the potential by central differences of the gradient, symmetrised, N m/rad. At
/// an equilibrium it is the stiffness matrix of small vibrations, with the geometric stiffness of weight
/// and forces.
pub fn hessian(reference: &Reference, state: &State, forces: &[Load]) -> DMatrix<f64> {
    const TURN: f64 = 1e-5;
    let n = 3 * reference.links.len();
    let mut matrix = DMatrix::zeros(n, n);
    for column in 0..n {
        let axis = DVec3::AXES[column % 3];
        let turned = |by: f64| {
            let mut state = state.clone();
            state.turn(column / 3, axis * by);
            gradient(reference, &state, forces)
        };
        matrix.set_column(column, &((turned(TURN) - turned(-TURN)) / (2.0 * TURN)));
    }
    (&matrix + matrix.transpose()) * 0.5
}

/// The equilibrium next to the rest shape: every residual torque is at most 1e-10 of the largest spring
/// torque.
///
/// `forces` are constant in world axes at points that move with their bodies; they must have no torque
/// and no drag. The reference's own `loads` are ignored.
///
/// # Panics
/// If it is not found.
pub fn equilibrium(reference: &Reference, forces: &[Load]) -> State {
    equilibrium_near(reference, reference.rest_state(), forces)
}

/// The same, from another start.
pub fn equilibrium_near(reference: &Reference, start: State, forces: &[Load]) -> State {
    assert!(!reference.free, "a free piece has no equilibrium");
    assert!(forces.iter().all(|l| l.torque == DVec3::ZERO), "a constant torque has no potential");
    let mut state = start;
    state.w.iter_mut().for_each(|w| *w = DVec3::ZERO);
    for _ in 0..500 {
        let g = gradient(reference, &state, forces);
        let spring = |(i, l): (usize, &super::tree::Link)| (l.stiffness * state.angle(i)).abs().max_element();
        let scale = reference.links.iter().enumerate().map(spring).fold(1e-12, f64::max);
        if g.amax() < 1e-10 * scale {
            return state;
        }
        let step = -descent(&hessian(reference, &state, forces), &g);
        // Limit of half a radian for each joint and step.
        let step = &step * (0.5 / step.amax()).min(1.0);
        let (before, slope) = (potential(reference, &state, forces), g.dot(&step));
        let mut length = 1.0;
        state = loop {
            let mut tried = state.clone();
            for i in 0..reference.links.len() {
                tried.turn(i, length * DVec3::new(step[3 * i], step[3 * i + 1], step[3 * i + 2]));
            }
            // Near the solution the gain is below the resolution of the potential; full steps are right
            // there.
            let unresolved = slope.abs() < 1e-13 * before.abs().max(1e-300);
            if unresolved || potential(reference, &tried, forces) <= before + 1e-4 * length * slope {
                break tried;
            }
            length *= 0.5;
            assert!(length > 1e-12, "line search failed");
        };
    }
    panic!("no equilibrium found");
}

/// Newton's step, on a Hessian with a shift that makes it positive definite.
fn descent(hessian: &DMatrix<f64>, gradient: &DVector<f64>) -> DVector<f64> {
    let diagonal = hessian.diagonal().amax();
    let mut lift = 0.0;
    loop {
        let lifted = hessian + DMatrix::identity(hessian.nrows(), hessian.ncols()) * lift;
        if let Some(factor) = lifted.cholesky() {
            return factor.solve(gradient);
        }
        lift = if lift == 0.0 { 1e-6 * diagonal } else { 4.0 * lift };
    }
}
