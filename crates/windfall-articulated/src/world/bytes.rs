//! Memory use of a world.

use crate::block::Block;
use crate::block::bytes::held;
use crate::world::World;

/// Number of bodies that fit into the caches of most machines: 13 MB.
const NEAR: usize = 40_000;

impl<T> World<T> {
    /// Whether the world is larger than the caches.
    pub(crate) fn is_far(&self) -> bool {
        self.blocks.iter().map(|block| block.model.ids.len()).sum::<usize>() > NEAR
    }

    /// Memory of the arrays in bytes: the model, the state and the scratch of the method in use,
    /// including capacity that is reserved but not filled.
    ///
    /// Not counted are the plant (which may be shared), parameters, the wind, and temporary allocations
    /// of single steps.
    pub fn bytes(&self) -> usize {
        // All fields are named, so that a new one must be counted or left out on purpose.
        let Self {
            plant: _,
            params: _,
            method: _,
            selection: _,
            top,
            blocks,
            lookahead,
            above,
            strengths_version: _,
            places,
            rider_frames,
            resting,
            bases,
            base_motions,
            pieces,
            piece_refs,
            removed,
            gravity: _,
            impulses,
            noted_loads: _,
            load_impulses,
            piece_contacts,
            wind: _,
            time: _,
            last_dt: _,
            // One record per tree.
            energy_limiter: _,
            vectors: _,
            anchors,
            scratch,
        } = self;
        let inner = blocks.iter().chain([top]).map(Block::bytes).sum::<usize>();
        let of_bodies =
            held(places) + held(rider_frames) + held(resting) + held(pieces) + held(piece_refs) + held(removed);
        inner
            + blocks.bytes()
            + lookahead.bytes()
            + held(above)
            + held(anchors)
            + scratch.bytes()
            + of_bodies
            + held(bases)
            + held(base_motions)
            + held(impulses)
            + held(load_impulses)
            + held(piece_contacts)
    }
}
