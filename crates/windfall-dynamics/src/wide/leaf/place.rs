//! Where leaves are that follow their parents (`world/following.rs`), eight at a time: as `Motion::place`, before the wind is asked for and the leaves are swept up.

use fearless_simd::Simd;

use crate::wide::first_of_leaves;
use crate::wide::heard::{hear, parents_of_bunch, say};
use crate::wide::math::{Q, V, number};
use crate::world::block::Block;
use crate::world::exchange::{Heard, LeafPose};
use crate::world::rows::Row;

/// Says what wood and fruit say in the sweep down, from their motions as they are.
#[inline(always)]
pub fn tell<S: Simd>(simd: S, block: &Block<f32>, own: &mut [Heard<f32>]) {
    for row in 0..first_of_leaves(block) {
        let motion = &block.motions.rows()[row];
        say(
            own,
            row,
            (Q::of(simd, &motion.orientation), V::of(simd, &motion.position)),
            (V::of(simd, &motion.velocity), V::of(simd, &motion.omega)),
            (V::of(simd, &motion.alpha), V::of(simd, &motion.felt)),
        );
    }
}

/// Places the rows of a bunch; `first` is the first row of leaves.
#[inline(always)]
pub fn bunch<S: Simd>(
    simd: S,
    block: &Block<f32>,
    (row, rows, first): (usize, usize, usize),
    own: &[Heard<f32>],
    poses: &mut [LeafPose<Row<f32>>],
) {
    let parent = hear(simd, &parents_of_bunch(block, row, rows), own, (&[], &[]));
    for row in row..row + rows {
        let (joint, state) = (&block.seats.rows()[row], &block.states.rows()[row]);
        // Both factors have unit length, and nothing is kept of the product: it need not be brought to it again.
        let orientation = parent.orientation * (Q::of(simd, &joint.neutral) * Q::of(simd, &state.q));
        let arm = parent.rotation * V::of(simd, &joint.offset);
        let c = number(simd, &block.sails.own.leaves()[row - first].center);
        let pose = &mut poses[row - first];
        orientation.put(&mut pose.orientation);
        arm.put(&mut pose.arm);
        orientation.along_y().times_plus(c, parent.position + arm).put(&mut pose.center);
    }
}
