//! The share of drag that each joint of a path takes: see `analytic/drag_share.rs`.

// Functions that are not inlined would be compiled for the baseline instructions.
#![allow(clippy::inline_always)]

use super::rows::lanes;
use crate::math::{Number, Real};

/// Sums of c and of c² over the modes of some joints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DragShare<N> {
    pub sum: N,
    pub squares: N,
}

lanes!(DragShare { sum, squares });

impl<T: Real> DragShare<T> {
    pub fn none() -> Self {
        Self { sum: T::zero(), squares: T::zero() }
    }
}

impl<N: Number> DragShare<N> {
    /// The sum with another on the same path.
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { sum: self.sum + other.sum, squares: self.squares + other.squares }
    }

    /// The larger share of two paths.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        let is_more = other.sum.is_above(self.sum);
        Self { sum: N::choose(is_more, other.sum, self.sum), squares: N::choose(is_more, other.squares, self.squares) }
    }

    /// kappa of a path.
    #[inline(always)]
    pub fn kappa(self) -> N {
        let one = self.sum.same(1.0);
        let kappa = self.sum * (self.sum - one) / self.squares;
        N::choose(self.sum.is_above(one), kappa, self.sum.same(0.0))
    }
}

/// c of a mode.
#[inline(always)]
pub(crate) fn share<N: Number>(held: N, drag: N) -> N {
    let none = drag.same(0.0);
    let share = drag * drag.same(0.5) / (held + drag);
    // A rigid mode has no share.
    N::choose(share.is_number() & share.is_above(none), share, none)
}
