//! Memory use of a block.

use super::{Block, BlockModel, BlockScratch, BlockState};

/// Memory of an array, used or not.
pub(crate) fn held<E>(array: &Vec<E>) -> usize {
    array.capacity() * size_of::<E>()
}

impl<T> Block<T> {
    pub fn bytes(&self) -> usize {
        let Self { model, state, plan, scratch } = self;
        model.bytes() + state.bytes() + held(&plan.batches) + scratch.bytes()
    }
}

impl<T> BlockModel<T> {
    fn bytes(&self) -> usize {
        let Self { ids, heights, seats, shapes, masses, springs, limits, sails, entries, strength_bounds } = self;
        let lists = held(ids) + held(heights) + held(entries) + size_of_val(&strength_bounds[..]);
        lists + seats.bytes() + shapes.bytes() + masses.bytes() + springs.bytes() + limits.bytes() + sails.bytes()
    }
}

impl<T> BlockState<T> {
    fn bytes(&self) -> usize {
        let Self { links, joints, motions, ahead: _, reactions, bears_loads: _, frees, fastest: _ } = self;
        held(links) + joints.bytes() + motions.bytes() + reactions.bytes() + held(frees)
    }
}

impl<T> BlockScratch<T> {
    fn bytes(&self) -> usize {
        let Self {
            air,
            air_on_pieces,
            to_top,
            accumulators,
            implicit,
            leaf_works,
            analytic,
            analytic_leaves,
            composites,
            composites_to_top,
            wood_kinematics,
            is_forced: _,
        } = self;
        let of_implicit = held(to_top) + accumulators.bytes() + implicit.bytes() + leaf_works.bytes();
        let of_analytic = held(composites_to_top) + composites.bytes() + analytic.bytes() + analytic_leaves.bytes();
        air.bytes() + held(air_on_pieces) + of_implicit + of_analytic + wood_kinematics.bytes()
    }
}
