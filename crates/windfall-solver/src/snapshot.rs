//! The saved state of a solver at one moment.

use std::any::Any;
use std::sync::Arc;

use thiserror::Error;

/// A saved state. Only a solver of the same kind, plant and layout can restore it; copies share it.
#[derive(Clone)]
pub struct Snapshot {
    solver: &'static str,
    time: f64,
    state: Arc<dyn Any + Send + Sync>,
}

impl Snapshot {
    /// Saves the state of a solver of this name at a time, s.
    pub fn new<S: Any + Send + Sync>(solver: &'static str, time: f64, state: S) -> Self {
        Self { solver, time, state: Arc::new(state) }
    }

    /// Name of the solver that made it.
    pub fn solver(&self) -> &'static str {
        self.solver
    }

    /// Time of the snapshot, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The state, if it is of this type.
    pub fn state<S: Any>(&self) -> Result<&S, SnapshotError> {
        self.state.downcast_ref().ok_or(SnapshotError::OtherSolver { solver: self.solver })
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("solver", &self.solver).field("time", &self.time).finish_non_exhaustive()
    }
}

/// Why a snapshot was not restored. The state is unchanged then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SnapshotError {
    /// It belongs to a solver of another kind.
    #[error("the snapshot is of another kind of solver ({solver}); restore it in a solver like the one that made it")]
    OtherSolver {
        /// The solver that made it.
        solver: &'static str,
    },
    /// It belongs to another plant.
    #[error("the snapshot is of another plant")]
    OtherPlant,
}
