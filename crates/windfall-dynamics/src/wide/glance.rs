//! Whether joints bear their loads, eight at a time: `bears` of `world/glance.rs`.

use fearless_simd::Simd;

use super::math::{V, all, number};
use crate::world::block::Wrench;
use crate::world::glance::{Glance, USED};
use crate::world::rows::Row;

/// Whether all do for sure.
#[inline(always)]
pub fn all_bear<S: Simd>(simd: S, loads: &[Wrench<Row<f32>>], glances: &[Glance]) -> bool {
    for (load, glance) in loads.iter().zip(glances) {
        let torque = V::of(simd, &load.torque).abs_sum();
        let pull = (-number(simd, &load.force.y)).max(all(simd, 0.0));
        let used = torque.mul_add(number(simd, &glance.per_torque), pull * number(simd, &glance.per_pull));
        // Not for what is not a number, either.
        if !used.simd_le(all(simd, USED)).all_true() {
            return false;
        }
    }
    true
}
