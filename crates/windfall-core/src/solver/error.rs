//! What can be wrong with a step.

use thiserror::Error;

use crate::plant::BodyId;

/// Shortest step that solvers take, s.
pub const SHORTEST_STEP: f64 = 1e-6;
/// Longest step that solvers take, s.
pub const LONGEST_STEP: f64 = 0.1;

/// Why a step was not taken. Nothing has changed then.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum StepError {
    /// The time step is not a number between the limits.
    #[error("a time step of {dt} s; it must be from {SHORTEST_STEP} to {LONGEST_STEP} s")]
    BadStep {
        /// What was asked for, s.
        dt: f64,
    },
    /// An action names a body that the plant does not have.
    #[error("body {} of a plant with {body_count} bodies", body.0)]
    NoSuchBody {
        /// The body that was named.
        body: BodyId,
        /// How many there are.
        body_count: usize,
    },
    /// An action holds NaN or infinity.
    #[error("the {what} on body {} is not finite", body.0)]
    NotFinite {
        /// Load, grab or touch.
        what: &'static str,
        /// On which body.
        body: BodyId,
    },
    /// A grab with a negative stiffness or damping.
    #[error("a grab of body {} with {what} {value}; it must not be negative", body.0)]
    BadGrab {
        /// Stiffness or damping.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Which body is grabbed.
        body: BodyId,
    },
    /// The base of a tree is not finite or not a rotation.
    #[error("the base of tree {tree} is not a finite place with a unit quaternion")]
    BadBase {
        /// Which tree.
        tree: usize,
    },
    /// Gravity is not finite.
    #[error("gravity is not finite")]
    BadGravity,
}

/// Checks a time step.
pub fn check_step(dt: f64) -> Result<(), StepError> {
    if (SHORTEST_STEP..=LONGEST_STEP).contains(&dt) { Ok(()) } else { Err(StepError::BadStep { dt }) }
}
