//! Drag that acts through many joints in a row at once: see `analytic/drag_share.rs`.

use fearless_simd::Simd;

use crate::analytic::Step;
use crate::block::drag_share::{DragShare, share};
use crate::block::rows::Row;
use crate::wide::math::{F, V, Wide, all, number};

/// Drag shares of the joints of several bodies.
pub type DragShares<S> = DragShare<F<S>>;

impl<S: Simd> DragShares<S> {
    #[inline(always)]
    pub fn of_row(simd: S, row: &DragShare<Row<f32>>) -> Self {
        Self { sum: number(simd, &row.sum), squares: number(simd, &row.squares) }
    }
}

impl<S: Wide> DragShares<S> {
    #[inline(always)]
    pub fn no_drag(simd: S) -> Self {
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
}
