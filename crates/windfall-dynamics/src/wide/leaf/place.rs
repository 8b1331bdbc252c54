//! Where leaves are that follow their parents (`world/following.rs`), eight at a time: as `Motion::place`, before the wind is asked for and the leaves are swept up.

use fearless_simd::Simd;
use windfall_core::glam::DVec3;

use crate::wide::heard::{Parents, parents, say};
use crate::wide::math::{LANES, Q, V, number};
use crate::wide::{air, first_of_leaves};
use crate::world::block::{Block, Link};
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
            None,
        );
    }
}

/// Places the rows of a bunch; `first` is the first row of leaves. Where there is wind, says where it is to be asked for: in `points`, if the trees stand at `anchors`.
#[inline(always)]
pub fn bunch<S: Simd>(
    simd: S,
    block: &Block<f32>,
    (row, rows, first): (usize, usize, usize),
    (own, poses): (&[Heard<f32>], &mut [LeafPose<Row<f32>>]),
    (points, anchors): (&mut [Vec<f32>; 3], Option<&[DVec3]>),
) {
    let parent = Parents::of_bunch(block, row, rows).hear(simd, block, own);
    for row in row..row + rows {
        let (joint, state) = (&block.seats.rows()[row], &block.states.rows()[row]);
        // Both factors have unit length, and nothing is kept of the product: it need not be brought to it again.
        let orientation = parent.orientation * (Q::of(simd, &joint.neutral) * Q::of(simd, &state.q));
        let arm = parent.rotation * V::of(simd, &joint.offset);
        let pose = &mut poses[row - first];
        orientation.put(&mut pose.orientation);
        arm.put(&mut pose.arm);
        if let Some(anchors) = anchors {
            let c = number(simd, &block.sails.own.leaves()[row - first].center);
            let center = orientation.along_y().times_plus(c, parent.position + arm);
            let anchor = if anchors.len() == 1 { Row([0; LANES]) } else { anchors_of_parents(block, row) };
            air::put_point(simd, center, (&anchor, anchors), row, points);
        }
    }
}

/// The trees of the parents of eight leaves; the first of what is gone.
fn anchors_of_parents(block: &Block<f32>, row: usize) -> Row<u32> {
    Row(parents(block, row).map(|link| match link {
        Link::Body(p) => block.anchor(p as usize),
        Link::Top(_) | Link::Base(_) | Link::Free(_) | Link::Gone => 0,
    }))
}
