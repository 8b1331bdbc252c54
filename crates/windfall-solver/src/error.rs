//! Errors of a step.

use thiserror::Error;

use windfall_core::BodyId;

/// Shortest time step of solvers, s.
pub const SHORTEST_STEP: f64 = 1e-6;
/// Longest time step of solvers, s.
pub const LONGEST_STEP: f64 = 0.1;

/// Why a step was refused. The state is unchanged then.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum StepError {
    /// The time step is not a number between the limits.
    #[error("a time step of {dt} s; it must be from {SHORTEST_STEP} to {LONGEST_STEP} s")]
    BadStep {
        /// The requested step, s.
        dt: f64,
    },
    /// An action refers to a body that the plant does not have.
    #[error("body {} of a plant with {body_count} bodies", body.0)]
    NoSuchBody {
        /// The body of the action.
        body: BodyId,
        /// Number of bodies.
        body_count: usize,
    },
    /// An action refers to an instance that does not exist.
    #[error("instance {instance} of a plant that stands {instances} times")]
    NoSuchInstance {
        /// The instance of the action.
        instance: u32,
        /// Number of instances.
        instances: usize,
    },
    /// The method does not support an action or the air.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// An action holds NaN or infinity.
    #[error("the {what} on body {} is not finite", body.0)]
    NotFinite {
        /// Load, grab or touch.
        what: &'static str,
        /// The body it acts on.
        body: BodyId,
    },
    /// A force that no body can be given.
    #[error("the force on body {} is beyond 1e12 N, or its torque beyond 1e12 N m", body.0)]
    TooStrong {
        /// The body it acts on.
        body: BodyId,
    },
    /// A grab with a negative stiffness or damping.
    #[error("a grab of body {} with {what} {value}; it must not be negative", body.0)]
    BadGrab {
        /// Stiffness or damping.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The grabbed body.
        body: BodyId,
    },
    /// The base of a tree is not finite or not a rotation.
    #[error("the base of tree {tree} is not a finite place with a unit quaternion")]
    BadBase {
        /// Index of the tree.
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

/// A request that the method of a solver does not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the solver `{solver}` does not support {what}; choose another one")]
pub struct Unsupported {
    /// The name of the solver.
    pub solver: &'static str,
    /// The request.
    pub what: &'static str,
}
