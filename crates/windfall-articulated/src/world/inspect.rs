//! How the bodies of a world lie in memory, and what the last step found about them: for tests and
//! profiling.

use windfall_core::BodyId;

use crate::block::rows::LANES;
use crate::block::{Block, PADDING};
use crate::math::Real;
use crate::world::World;

/// A block of bodies that are swept by one thread.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockInfo {
    /// Its rows in the order of memory: wood and fruit first, then leaves.
    pub rows: Vec<RowInfo>,
    /// Whether the last step has swept it up for the next one already.
    pub is_swept_ahead: bool,
    /// Whether the last sweep showed that no joint is above its strength.
    pub bears_loads: bool,
    /// Rows of leaves whose motions are stored: those of all others are derived from their parents.
    pub stored_leaf_rows: usize,
}

/// Eight bodies that are swept together.
#[derive(Debug, Clone, PartialEq)]
pub struct RowInfo {
    /// The bodies, and the tree or piece of each; none for padding.
    pub bodies: [Option<(BodyId, u32)>; LANES],
    /// The row of wood in the same block on which these leaves sit, if they sit on one.
    pub wood_row: Option<usize>,
    /// Of wood: whether leaves that sit on the row exchange data with it all at once.
    pub carries_bunch: bool,
    /// Of wood: whether other children exchange data with it one by one.
    pub has_other_children: bool,
}

impl<T: Real> World<T> {
    /// All blocks, the top of the trees first.
    pub fn inspect(&self) -> Vec<BlockInfo> {
        self.all_blocks().map(BlockInfo::of).collect()
    }

    /// Forgets what was swept ahead, so that the next step sweeps all blocks anew, and stores all motions.
    pub fn forget_sweeps(&mut self) {
        let _ = self.blocks.change_joints();
    }

    /// Whether the energy of the trees is watched because something moved violently a short time ago.
    pub fn watches_energy(&self) -> bool {
        self.energy_limiter.is_on()
    }
}

impl BlockInfo {
    fn of<T: Real>(block: &Block<T>) -> Self {
        let row = |(row, batch): (usize, &crate::block::batch::Batch)| RowInfo {
            bodies: std::array::from_fn(|l| {
                let i = row * LANES + l;
                let id = block.model.ids[i];
                (id != PADDING).then(|| (BodyId(id), block.anchor(i)))
            }),
            wood_row: batch.wood_row(),
            carries_bunch: batch.carries_bunch,
            has_other_children: batch.has_other_children,
        };
        Self {
            rows: block.plan.batches.iter().enumerate().map(row).collect(),
            is_swept_ahead: block.plan.is_ready,
            bears_loads: block.state.bears_loads,
            stored_leaf_rows: block.state.motions.rows().len() - block.model.masses.wood().len(),
        }
    }
}
