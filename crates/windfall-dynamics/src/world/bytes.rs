//! How much memory a world takes.

use super::World;
use super::block::Block;

/// What an array holds of memory, used or not.
pub(crate) fn held<E>(array: &Vec<E>) -> usize {
    array.capacity() * size_of::<E>()
}

/// So many bodies fit into the caches of most machines: 13 MB.
const NEAR: usize = 40_000;

impl<T> World<T> {
    /// Whether it is larger than the caches.
    pub(crate) fn is_far(&self) -> bool {
        self.blocks.iter().map(|block| block.ids.len()).sum::<usize>() > NEAR
    }

    /// Memory of its arrays in bytes: the model, the state and the scratch of the method in use, with what is reserved but not filled.
    ///
    /// Not counted are the plant (which may be shared), parameters, the wind, and what single steps allocate and give back.
    pub fn bytes(&self) -> usize {
        // Every field by name: a new one must be counted or left out on purpose.
        let Self {
            plant: _,
            params: _,
            method: _,
            selection: _,
            top,
            blocks,
            foresight,
            above,
            told: _,
            places,
            rides,
            resting,
            bases,
            base_motions,
            pieces,
            gone,
            gravity: _,
            impulses,
            clashes,
            wind: _,
            time: _,
            last_dt: _,
            // One record per tree.
            calm: _,
            vectors: _,
            anchors,
            room,
        } = self;
        let inner = blocks.iter().chain([top]).map(Block::bytes).sum::<usize>();
        let of_bodies = held(places) + held(rides) + held(resting) + held(pieces) + held(gone);
        inner
            + blocks.bytes()
            + foresight.bytes()
            + held(above)
            + held(anchors)
            + room.bytes()
            + of_bodies
            + held(bases)
            + held(base_motions)
            + held(impulses)
            + held(clashes)
    }
}

impl<T> Block<T> {
    fn bytes(&self) -> usize {
        let Self {
            ids,
            links,
            heights,
            batches,
            seats,
            shapes,
            masses,
            springs,
            limits,
            states,
            motions,
            ahead: _,
            reactions,
            glances,
            bears: _,
            frees,
            sails,
            blown,
            fastest: _,
            entries,
            handed,
            inboxes,
            implicit,
            leaf_works,
            analytic,
            analytic_leaves,
            carried,
            told,
            lifted,
            is_forced: _,
            is_ready: _,
            is_touched: _,
            is_rooted: _,
            any_alone: _,
            any_follow: _,
            any_whole: _,
        } = self;
        let order = held(ids) + held(links) + held(heights) + held(entries) + held(batches);
        let model = seats.bytes() + shapes.bytes() + masses.bytes() + springs.bytes() + limits.bytes() + sails.bytes();
        let state = states.bytes()
            + motions.bytes()
            + reactions.bytes()
            + size_of_val(&glances[..])
            + held(frees)
            + held(blown);
        let sweeps = held(handed) + inboxes.bytes() + implicit.bytes() + leaf_works.bytes();
        order
            + model
            + state
            + sweeps
            + analytic.bytes()
            + analytic_leaves.bytes()
            + carried.bytes()
            + held(lifted)
            + told.bytes()
    }
}
