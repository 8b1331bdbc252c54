//! Whether joints bear their loads, eight at a time: `bears_loads` of `block/strength_bound.rs`.

use fearless_simd::Simd;

use super::math::{V, all, number};
use crate::block::Wrench;
use crate::block::rows::Row;
use crate::block::strength_bound::{StrengthBound, USED};

/// Whether all certainly do.
#[inline(always)]
pub fn all_bear<S: Simd>(simd: S, loads: &[Wrench<Row<f32>>], strength_bounds: &[StrengthBound]) -> bool {
    for (load, strength_bound) in loads.iter().zip(strength_bounds) {
        let torque = V::of(simd, &load.torque).abs_sum();
        let pull = (-number(simd, &load.force.y)).max(all(simd, 0.0));
        let used =
            torque.mul_add(number(simd, &strength_bound.per_torque), pull * number(simd, &strength_bound.per_pull));
        // Not for NaN, either.
        if !used.simd_le(all(simd, USED)).all_true() {
            return false;
        }
    }
    true
}
