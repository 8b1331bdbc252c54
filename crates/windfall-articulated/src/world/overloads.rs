//! Joints whose load exceeds their strength.
//!
//! Blocks compare their loads with bounds of the strengths directly after their sweep
//! ([`crate::block::strength_bound`]). Only rows above a bound are tested joint by joint.

use rayon::prelude::*;
use windfall_core::{BodyId, JointLoad};
use windfall_solver::{Overload, Strengths};

use crate::block::rows::LANES;
use crate::block::strength_bound::StrengthBound;
use crate::block::{Block, Link};
use crate::math::Real;
use crate::world::World;

impl<T: Real> World<T> {
    /// All simulated joints that are overloaded, in the order of ids.
    pub(crate) fn overloaded(&mut self, strengths: &Strengths, found: &mut Vec<Overload>) {
        self.take_strengths(strengths);
        let of_block = |block: &Block<T>| {
            let rows = block.state.reactions.rows().iter().zip(&*block.model.strength_bounds).enumerate();
            let rows = rows.filter(|(_, (loads, strength_bound))| !strength_bound.bears_loads(loads));
            let lanes = |row| (row * LANES..(row + 1) * LANES).filter_map(|i| overload(strengths, block, i));
            rows.flat_map(|(row, _)| lanes(row)).collect::<Vec<_>>()
        };
        // Threads are woken only if a block has rows to test.
        let asked: Vec<&Block<T>> = self.blocks.iter().filter(|block| !block.state.bears_loads).collect();
        let of_blocks: Vec<Vec<Overload>> = asked.into_par_iter().map(of_block).collect();
        found.clear();
        found.extend(of_blocks.into_iter().flatten());
        found.extend(of_block(&self.top));
        found.sort_unstable_by_key(|overload| overload.body);
    }

    /// Bounds of the strengths, in the order of the blocks.
    fn take_strengths(&mut self, strengths: &Strengths) {
        if self.strengths_version == Some(strengths.version()) {
            return;
        }
        self.strengths_version = Some(strengths.version());
        let take = |block: &mut Block<T>| {
            let strength_bounds: Vec<StrengthBound> =
                block.model.ids.chunks(LANES).map(|ids| StrengthBound::new(ids, strengths.list())).collect();
            (block.model.strength_bounds, block.state.bears_loads) = (strength_bounds.into(), false);
        };
        self.blocks.keep_swept().par_iter_mut().for_each(take);
        take(&mut self.top);
    }
}

/// A joint, if it is overloaded.
fn overload<T: Real>(strengths: &Strengths, block: &Block<T>, i: usize) -> Option<Overload> {
    if matches!(block.state.links[i], Link::Free(_) | Link::Removed) {
        return None;
    }
    let (id, reaction) = (block.model.ids[i], block.state.reactions.get(i));
    let load = JointLoad { torque: reaction.torque.f64(), force: reaction.force.f64() };
    let used = strengths.list()[id as usize].used_by(&load);
    (used > 1.0).then_some(Overload { body: BodyId(id).into(), used })
}
