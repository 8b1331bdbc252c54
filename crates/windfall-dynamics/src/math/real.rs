//! The number type of a solver.

use num_traits::{Float, NumAssign};

/// `f32` or `f64`.
pub trait Real: Float + NumAssign + std::fmt::Debug + Default + Send + Sync + 'static {
    /// The nearest number of this type.
    fn of(value: f64) -> Self;
    /// The same number in `f64`.
    fn f64(self) -> f64;
}

impl Real for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }
    fn f64(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    fn of(value: f64) -> Self {
        value
    }
    fn f64(self) -> f64 {
        self
    }
}
