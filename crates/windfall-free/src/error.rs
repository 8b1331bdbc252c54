//! Errors of free bodies, obstacles and their steps.

use thiserror::Error;
use windfall_solver::StepError;

use super::body::Name;

/// Why an input was refused. The state is unchanged then.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FreeError {
    /// A number that is not finite, or out of its range.
    #[error("{what} = {value}; it must be {rule}")]
    BadNumber {
        /// The name of the number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The allowed range.
        rule: &'static str,
    },
    /// A vector or rotation that is not finite, or too long.
    #[error("{what} = {value}; it must be {rule}")]
    BadVector {
        /// The name of the vector.
        what: &'static str,
        /// Its value.
        value: String,
        /// The allowed range.
        rule: &'static str,
    },
    /// A body with this name is there already.
    #[error("{0:?} is there already")]
    NameTaken(Name),
    /// No body has this name.
    #[error("there is no {0:?}")]
    NoSuchBody(Name),
    /// The plant has no such body, or it is of another kind.
    #[error("body {body} of the plant is not a {kind}")]
    WrongKind {
        /// Its number.
        body: u32,
        /// The expected kind.
        kind: &'static str,
    },
    /// A mesh that can't be an obstacle.
    #[error("not a mesh for an obstacle: {0}")]
    BadMesh(String),
    /// Parameters of the air that are out of their range.
    #[error("{0}")]
    BadAir(String),
    /// The time step is out of its limits, or gravity is not finite.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// Checks that a number is within a range.
pub fn within(what: &'static str, value: f64, low: f64, high: f64, rule: &'static str) -> Result<(), FreeError> {
    if (low..=high).contains(&value) { Ok(()) } else { Err(FreeError::BadNumber { what, value, rule }) }
}
