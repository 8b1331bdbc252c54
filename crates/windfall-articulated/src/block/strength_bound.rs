//! Strength bound: a cheap sufficient test that joints bear their loads. Each block is tested directly
//! after its sweep down, while its loads are in the caches. Joints above the bound are tested exactly
//! (`world/overloads.rs`).

use windfall_core::JointStrength;

use super::rows::{LANES, Row};
use super::{PADDING, Wrench};
use crate::math::Real;

/// Bounds of eight joints: none uses more of its strength than `|torque| per_torque + N per_pull`, N the
/// tensile force at the joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StrengthBound {
    pub per_torque: Row<f32>,
    pub per_pull: Row<f32>,
}

/// Fraction of its strength up to which a joint bears its load for sure. The margin exceeds the rounding
/// errors of f32.
pub(crate) const USED: f32 = 0.999;

impl StrengthBound {
    pub fn new(ids: &[u32], strengths: &[JointStrength]) -> Self {
        let (mut per_torque, mut per_pull) = (Row([0.0; LANES]), Row([0.0; LANES]));
        for (l, &id) in ids.iter().enumerate().filter(|(_, id)| **id != PADDING) {
            let (torque, pull) = match strengths[id as usize] {
                JointStrength::Wood { bending, twist, tension } => (bending.min(twist), tension),
                JointStrength::Detach { torque, tension } => (torque.min_element(), tension),
            };
            // A joint without strength fails the test in any case: 0 / 0 is NaN, which is not below the
            // bound.
            (per_torque.0[l], per_pull.0[l]) = (torque.recip() as f32, pull.recip() as f32);
        }
        Self { per_torque, per_pull }
    }

    /// Whether all eight joints bear the load for sure.
    pub fn bears_loads<T: Real>(&self, load: &Wrench<Row<T>>) -> bool {
        let (torque, force) = (&load.torque, &load.force);
        (0..LANES).fold(true, |bears_loads, l| {
            let (x, y, z) = (torque.x.0[l], torque.y.0[l], torque.z.0[l]);
            // An upper bound of the length of the torque.
            let (t, n) = (x.abs() + y.abs() + z.abs(), (-force.y.0[l]).max(T::zero()));
            let used = t * T::of(self.per_torque.0[l].into()) + n * T::of(self.per_pull.0[l].into());
            // False for NaN, too.
            bears_loads & (used <= T::of(USED.into()))
        })
    }
}
