//! Positions of leaves whose motion is derived from their parents (`block/derived_leaf_motion.rs`), eight
//! at a time: as `Motion::place`, before the wind is sampled and the leaves are swept up.

use fearless_simd::Simd;
use windfall_core::glam::DVec3;

use crate::block::exchange::{LeafPose, ParentKinematics};
use crate::block::rows::Row;
use crate::block::{Block, Link};
use crate::wide::math::{LANES, Q, V, number};
use crate::wide::parent_kinematics::{Parents, parents, write};
use crate::wide::{air, first_of_leaves};

/// Computes the parent kinematics of wood and fruit in the sweep down, from their present motions.
#[inline(always)]
pub fn write_parent_kinematics<S: Simd>(simd: S, block: &Block<f32>, own: &mut [ParentKinematics<f32>]) {
    for row in 0..first_of_leaves(block) {
        let motion = &block.state.motions.rows()[row];
        write(
            own,
            row,
            (Q::of(simd, &motion.orientation), V::of(simd, &motion.position)),
            (V::of(simd, &motion.velocity), V::of(simd, &motion.omega)),
            (V::of(simd, &motion.alpha), V::of(simd, &motion.proper_acceleration)),
            None,
        );
    }
}

/// Places the rows of a bunch; `first` is the first row of leaves. With wind, writes its sample points to
/// `points`; the trees stand at `anchors`.
#[inline(always)]
pub fn bunch<S: Simd>(
    simd: S,
    block: &Block<f32>,
    (row, rows, first): (usize, usize, usize),
    (own, poses): (&[ParentKinematics<f32>], &mut [LeafPose<Row<f32>>]),
    (points, anchors): (&mut [Vec<f32>; 3], Option<&[DVec3]>),
) {
    let parent = Parents::of_bunch(block, row, rows).find_parent_kinematics(simd, block, own);
    for row in row..row + rows {
        let (joint, state) = (&block.model.seats.rows()[row], &block.state.joints.rows()[row]);
        // Both factors have unit length, and the product is not kept: it need not be normalised.
        let orientation = parent.orientation * (Q::of(simd, &joint.neutral) * Q::of(simd, &state.q));
        let arm = parent.rotation * V::of(simd, &joint.offset);
        let pose = &mut poses[row - first];
        orientation.put(&mut pose.orientation);
        arm.put(&mut pose.arm);
        if let Some(anchors) = anchors {
            let c = number(simd, &block.model.sails.own.leaves()[row - first].center);
            let center = orientation.along_y().times_plus(c, parent.position + arm);
            let anchor = if anchors.len() == 1 { Row([0; LANES]) } else { anchors_of_parents(block, row) };
            air::put_point(simd, center, (&anchor, anchors), row, points);
        }
    }
}

/// The trees of the parents of eight leaves; the first tree for removed leaves.
fn anchors_of_parents(block: &Block<f32>, row: usize) -> Row<u32> {
    Row(parents(block, row).map(|link| match link {
        Link::Body(p) => block.anchor(p as usize),
        Link::Top(_) | Link::Base(_) | Link::Free(_) | Link::Removed => 0,
    }))
}
