//! Which bodies may touch within a step: bounding volume trees (parry) over boxes.
//!
//! Leaves have a tree of their own: ten thousand of them on the ground would be in the way of every query, and unless leaves touch each other
//! nobody asks for them but the few solid bodies that move.

use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::partitioning::{Bvh, BvhWorkspace, TraversalAction};
use windfall_core::glam::DVec3;

use super::shape::vector;

/// Most partners that one query gives: where more bodies than this are in one place each finds some of the others.
pub const MOST_PARTNERS: usize = 16;

/// A box in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lowest corner.
    pub low: DVec3,
    /// Highest corner.
    pub high: DVec3,
}

impl Bounds {
    /// About a ball of radius `reach` that moves along `way`.
    pub fn swept(center: DVec3, way: DVec3, reach: f64) -> Self {
        let end = center + way;
        Self { low: center.min(end) - reach, high: center.max(end) + reach }
    }

    fn aabb(&self) -> Aabb {
        Aabb::new(vector(self.low), vector(self.high))
    }
}

/// A tree of boxes, each with a number.
#[derive(Default, Clone)]
pub struct Tree {
    volumes: Bvh,
    work: BvhWorkspace,
    changed: bool,
}

impl Tree {
    /// Puts a box there, in the place of any with this number.
    pub fn set(&mut self, number: u32, bounds: &Bounds) {
        self.volumes.insert_or_update_partially(bounds.aabb(), number, 0.0);
        self.changed = true;
    }

    /// Takes a box away.
    pub fn remove(&mut self, number: u32) {
        self.refresh();
        self.volumes.remove(number);
        self.changed = true;
    }

    /// Makes the tree ready for queries after changes.
    pub fn refresh(&mut self) {
        if std::mem::take(&mut self.changed) {
            self.volumes.refit(&mut self.work);
            self.volumes.optimize_incremental(&mut self.work);
        }
    }

    /// Calls `found` with the number of every box that meets this one, until it says no.
    pub fn near(&self, bounds: &Bounds, mut found: impl FnMut(u32) -> bool) {
        let aabb = bounds.aabb();
        self.volumes.traverse(|node| {
            if !node.aabb().intersects(&aabb) {
                return TraversalAction::Prune;
            }
            match node.leaf_data() {
                Some(number) if !found(number) => TraversalAction::EarlyExit,
                _ => TraversalAction::Continue,
            }
        });
    }
}
