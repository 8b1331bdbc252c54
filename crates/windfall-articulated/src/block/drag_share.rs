//! The share of drag that each joint of a path takes: see `analytic/drag_share.rs`.

use super::rows::lanes;
use crate::math::Real;

/// Sums of c and of c² over the modes of some joints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DragShare<T> {
    pub sum: T,
    pub squares: T,
}

lanes!(DragShare { sum, squares });

impl<T: Real> DragShare<T> {
    pub fn none() -> Self {
        Self { sum: T::zero(), squares: T::zero() }
    }

    /// The sum with another on the same path.
    pub fn and(self, other: Self) -> Self {
        Self { sum: self.sum + other.sum, squares: self.squares + other.squares }
    }

    /// The larger share of two paths.
    pub fn or(self, other: Self) -> Self {
        if other.sum > self.sum { other } else { self }
    }

    /// kappa of a path.
    pub fn kappa(self) -> T {
        if self.sum <= T::one() {
            return T::zero();
        }
        self.sum * (self.sum - T::one()) / self.squares
    }
}
