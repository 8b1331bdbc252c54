//! Whether joints bear their loads, at a glance: a block looks as soon as it was swept down, while its loads are in the caches. What may not bear is looked at closely by the stage (`stage/breaking.rs`).

use windfall_core::JointStrength;

use super::block::{Block, NOBODY, Wrench};
use super::rows::{LANES, Row};
use crate::math::Real;
use crate::wide::{self, Vectors};

/// Bounds of eight joints: none uses more of its strength than `|torque| per_torque + N per_pull`, N the force that pulls it off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Glance {
    pub per_torque: Row<f32>,
    pub per_pull: Row<f32>,
}

/// What a joint may use of its strength to bear its load for sure. f32 rounds by less than what is left.
pub(crate) const USED: f32 = 0.999;

impl Glance {
    pub fn new(ids: &[u32], strengths: &[JointStrength]) -> Self {
        let (mut per_torque, mut per_pull) = (Row([0.0; LANES]), Row([0.0; LANES]));
        for (l, &id) in ids.iter().enumerate().filter(|(_, id)| **id != NOBODY) {
            let (torque, pull) = match strengths[id as usize] {
                JointStrength::Wood { bending, twist, tension } => (bending.min(twist), tension),
                JointStrength::Detach { torque, tension } => (torque.min_element(), tension),
            };
            // What bears nothing is looked at in any case: 0 / 0 is above nothing, but not below.
            (per_torque.0[l], per_pull.0[l]) = (torque.recip() as f32, pull.recip() as f32);
        }
        Self { per_torque, per_pull }
    }

    /// Whether all eight bear it for sure.
    pub fn bears<T: Real>(&self, load: &Wrench<Row<T>>) -> bool {
        let (torque, force) = (&load.torque, &load.force);
        (0..LANES).fold(true, |bears, l| {
            let (x, y, z) = (torque.x.0[l], torque.y.0[l], torque.z.0[l]);
            // No less than the length of the torque.
            let (t, n) = (x.abs() + y.abs() + z.abs(), (-force.y.0[l]).max(T::zero()));
            let used = t * T::of(self.per_torque.0[l].into()) + n * T::of(self.per_pull.0[l].into());
            // Also for what is not a number.
            bears & (used <= T::of(USED.into()))
        })
    }
}

impl Block<f32> {
    /// Finds out whether all joints bear their loads for sure. Nobody knows where nobody has told the strengths.
    pub fn look(&mut self, vectors: Vectors) {
        let all_are_told = self.glances[..].len() == self.reactions.rows().len();
        self.bears = all_are_told && wide::all_bear(self, vectors);
    }
}
