//! Errors of a stage.

use thiserror::Error;
use windfall_free::FreeError;
use windfall_solver::Unsupported;

use crate::creature::CreatureError;

/// Why a stage was not made or changed. The state is unchanged then.
#[derive(Debug, PartialEq, Error)]
pub enum StageError {
    /// An invalid setting or free body.
    #[error(transparent)]
    Free(#[from] FreeError),
    /// An invalid creature.
    #[error(transparent)]
    Creature(#[from] CreatureError),
    /// The solver lacks a capability that the stage needs.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
}
