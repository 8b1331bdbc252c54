//! Drag that acts through many joints in a row at once: see `analytic/drag_share.rs`.

use fearless_simd::Simd;

use crate::analytic::Step;
use crate::block::drag_share::DragShare;
use crate::block::rows::Row;
use crate::wide::math::{F, V, Wide, all, number};

/// Sums of c and of c².
#[derive(Clone, Copy)]
pub struct DragShares<S: Wide> {
    pub sum: F<S>,
    pub squares: F<S>,
}

impl<S: Simd> DragShares<S> {
    #[inline(always)]
    pub fn of_row(simd: S, row: &DragShare<Row<f32>>) -> Self {
        Self { sum: number(simd, &row.sum), squares: number(simd, &row.squares) }
    }
}

impl<S: Wide> DragShares<S> {
    #[inline(always)]
    pub fn none(simd: S) -> Self {
        Self { sum: all(simd, 0.0), squares: all(simd, 0.0) }
    }

    /// Of eight joints, from the diagonals in the axes of their children.
    #[inline(always)]
    pub fn of_joints(inertia: V<S>, drag: V<S>, (stiffness, beta): (V<S>, F<S>), step: &Step<f32>) -> Self {
        let h = all(drag.x.simd, step.h);
        let heavier = all(h.simd, 1.0 + step.alpha * step.h);
        let held = stiffness * ((h + beta) * h);
        let shares = V::new(
            share(inertia.x.mul_add(heavier, held.x), drag.x * h),
            share(inertia.y.mul_add(heavier, held.y), drag.y * h),
            share(inertia.z.mul_add(heavier, held.z), drag.z * h),
        );
        Self { sum: shares.sum(), squares: shares.length_squared() }
    }

    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { sum: self.sum + other.sum, squares: self.squares + other.squares }
    }

    /// The larger share of two paths.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        let is_more = other.sum.simd_gt(self.sum);
        Self { sum: is_more.select(other.sum, self.sum), squares: is_more.select(other.squares, self.squares) }
    }

    #[inline(always)]
    pub fn kappa(self) -> F<S> {
        let one = all(self.sum.simd, 1.0);
        let kappa = self.sum * (self.sum - one) / self.squares;
        self.sum.simd_gt(one).select(kappa, all(self.sum.simd, 0.0))
    }
}

/// c of a mode.
#[inline(always)]
pub fn share<S: Wide>(held: F<S>, drag: F<S>) -> F<S> {
    let simd = drag.simd;
    let o = all(simd, 0.0);
    let share = drag * all(simd, 0.5) / (held + drag);
    // A rigid mode has no share.
    (share.is_finite() & share.simd_gt(o)).select(share, o)
}
