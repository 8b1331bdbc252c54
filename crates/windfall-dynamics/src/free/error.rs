//! What can be wrong with free bodies, obstacles and their steps.

use thiserror::Error;
use windfall_core::StepError;

use super::body::Name;

/// Why something was not taken. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FreeError {
    /// A number that is not finite, or out of its range.
    #[error("{what} = {value}; it must be {rule}")]
    BadNumber {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        rule: &'static str,
    },
    /// A vector or rotation that is not finite, or too long.
    #[error("{what} = {value}; it must be {rule}")]
    BadVector {
        /// Which vector.
        what: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
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
        /// What it should be.
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

/// A number within a range, or the error that names it.
pub(crate) fn within(what: &'static str, value: f64, low: f64, high: f64, rule: &'static str) -> Result<(), FreeError> {
    if (low..=high).contains(&value) { Ok(()) } else { Err(FreeError::BadNumber { what, value, rule }) }
}
