//! How each row of eight bodies of a block is swept.

use super::rows::LANES;
use super::{Block, Limit, Link, PADDING};
use crate::math::Real;

/// No row.
const NO_ROW: u32 = u32::MAX;

/// How a row is swept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Wood and fruit, all at once.
    Wood,
    /// Leaves, all at once.
    Leaves,
    /// One after the other.
    Single,
}

/// One row of a block.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Batch {
    pub way: Way,
    /// Lanes that are not swept with the others, as bits: removed bodies, and bodies that need more than
    /// the common path (joint limits, free pieces).
    pub apart: u8,
    /// Lanes among `apart` whose bodies are removed.
    pub removed: u8,
    /// Unused lanes: padding.
    pub empty: u8,
    /// Number of rows of the bunch that begins with this row of leaves; zero in all others.
    pub bunch: u8,
    /// The row of wood that this bunch sits on, if it does: see [`Batch::wood_row`].
    pub on: u32,
    /// Of wood: whether any of its bodies has other children than the leaves of a bunch that sits on the row.
    pub has_others: bool,
    /// Of wood: whether a bunch sits on the row and exchanges data with all eight bodies at once, in this
    /// step.
    pub carries_bunch: bool,
    /// Of wood: whether any of its bodies has children that exchange data with it one by one, in this
    /// step.
    pub has_other_children: bool,
    /// Whether the implicit solver keeps the full state of all leaves of the row in this step, because a
    /// load acts on one of them.
    pub is_whole: bool,
    /// Whether the motions of its leaves are derived from those of their parents and not stored
    /// (`derived_leaf_motion.rs`).
    pub is_derived: bool,
}

impl Batch {
    pub fn new(way: Way) -> Self {
        Self {
            way,
            apart: 0,
            removed: 0,
            empty: 0,
            bunch: 0,
            on: NO_ROW,
            has_others: true,
            carries_bunch: false,
            has_other_children: true,
            is_whole: false,
            is_derived: false,
        }
    }

    /// The row of wood that this bunch, or a bunch of one of its rows, sits on.
    pub fn wood_row(self) -> Option<usize> {
        (self.on != NO_ROW).then_some(self.on as usize)
    }

    /// Sets whether the bunch that sits on the row exchanges data with all eight bodies at once. Returns
    /// whether this made the row exchange data with children one by one when it did not so far.
    pub fn set_bunch(&mut self, carries_bunch: bool) -> bool {
        let had_other_children = self.has_other_children;
        (self.carries_bunch, self.has_other_children) = (carries_bunch, self.has_others || !carries_bunch);
        self.has_other_children && !had_other_children
    }

    /// Lanes that are swept one by one.
    pub fn alone(self) -> u8 {
        if self.way == Way::Single { u8::MAX } else { self.apart }
    }

    /// Whether these are leaves, all swept at once or removed.
    pub fn are_free_leaves(self) -> bool {
        self.way == Way::Leaves && self.apart == self.removed
    }
}

impl<T: Real> Block<T> {
    /// Classifies bodies as swept with their row or apart. `trees` is the number of trees: free pieces
    /// are numbered from there on.
    pub fn classify_rows(&mut self, trees: usize) {
        (self.plan.is_rooted, self.plan.any_alone, self.plan.any_whole) = (true, false, None);
        let mut batches = std::mem::take(&mut self.plan.batches);
        for (row, batch) in batches.iter_mut().enumerate() {
            (batch.apart, batch.removed, batch.empty) = (0, 0, 0);
            for l in 0..LANES {
                let i = row * LANES + l;
                if self.model.ids[i] == PADDING {
                    batch.empty |= 1 << l;
                    continue;
                }
                let (limit, anchor) = (self.model.limits.lane_or(i, Limit::none()), self.anchor(i) as usize);
                let is_limited = limit.bend.is_finite() || limit.twist.is_finite();
                let is_loose = anchor >= trees || matches!(self.state.links[i], Link::Removed | Link::Free(_));
                self.plan.is_rooted &= anchor < trees;
                if is_limited || is_loose {
                    batch.apart |= 1 << l;
                    batch.removed |= u8::from(self.state.links[i] == Link::Removed) << l;
                }
            }
            self.plan.any_alone |= batch.alone() != 0;
        }
        self.plan.batches = batches;
    }
}
