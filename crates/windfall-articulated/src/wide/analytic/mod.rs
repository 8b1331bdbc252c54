//! `Analytic` in f32, eight bodies at a time: the fast path of `crate::analytic`, which is its reference
//! and contains every formula.

mod air;
mod composite;
mod down;
mod drag_share;
mod eigen;
mod fictitious;
mod functions;
mod joint;
mod leaf;
mod oscillator;
#[cfg(test)]
mod tests;
mod up;

use fearless_simd::{Level, Simd};
use windfall_core::glam::DVec3;

use super::math::{Wide, all};
use super::up::NO_LOAD;
use super::{first_of_leaves, with_lanes};
use crate::analytic::Step;
use crate::block::batch::Batch;
use crate::block::composite_work::{LeafWork, Works};
use crate::block::exchange::ParentKinematics;
use crate::block::place::Ahead;
use crate::block::{Block, Motion, Motions};

/// The motions of the top and of the bases at the beginning of the step.
pub type Parents<'a> = (&'a Motions<f32>, &'a [Motion<f32>]);
/// The parent kinematics of bases and of the bodies of the top in the sweep down, and the intermediate
/// results of the top.
pub type Above<'a> = (&'a [ParentKinematics<f32>], &'a [ParentKinematics<f32>], &'a Works<f32>);

/// Before a block is swept up, in lent scratch memory: finds the leaves with no loads but air and weight,
/// and places them. If there is wind, the trees stand at `anchors`.
pub fn find_leaves(block: &mut Block<f32>, anchors: Option<&[DVec3]>, step: &Step<f32>) {
    // Moving bases, and joints that drive each other, are left to the common path.
    let is_plain = !step.is_moved && !step.fictitious.drives();
    let all_free = is_plain && block.scratch.composites.leaves_are_free();
    if super::leaf::classify_rows(block, all_free, |block, row| is_plain && block.scratch.composites.row_is_free(row)) {
        block.keep_analytic_leaves_whole();
    }
    block.scratch.analytic_leaves.fill_up(LeafWork::zero(), block.leaf_places());
    super::place_leaves(block, anchors, step.vectors);
}

/// Sweeps a block up, after its leaves were placed; bodies that are not swept in rows are left to
/// `alone`.
pub fn up(block: &mut Block<f32>, above: Parents<'_>, step: &Step<f32>, alone: &dyn Fn(&mut Block<f32>, usize)) {
    super::allocate_row_loads(block);
    with_lanes!(step.vectors, simd, wide => up_rows((simd, wide), block, above, step, alone));
    block.scratch.is_forced = step.is_forced;
}

#[inline(always)]
fn up_rows<S: Simd, W: Wide<Machine = S>>(
    (simd, wide): (S, W),
    block: &mut Block<f32>,
    above: Parents<'_>,
    step: &Step<f32>,
    alone: &dyn Fn(&mut Block<f32>, usize),
) {
    let first = first_of_leaves(block);
    let (mut row_loads, mut aside) = (std::mem::take(&mut block.scratch.wood_kinematics.row_loads), NO_LOAD);
    super::for_bunches(
        block,
        #[inline(always)]
        |block, row, rows| {
            up::bunch((simd, wide), block, (row, rows, first), (&mut row_loads, &mut aside), step);
        },
    );
    block.scratch.wood_kinematics.row_loads = row_loads;
    super::rows_up(
        block,
        #[inline(always)]
        |block, row, batch| up::row(simd, block, row, batch, above, step),
        alone,
    );
}

/// Sweeps a block down; bodies that are not swept in rows are left to `alone`, which returns the square
/// of the angular velocity. `own` is scratch memory for the parent kinematics of the bodies of the block.
pub fn down(
    block: &mut Block<f32>,
    own: &mut [ParentKinematics<f32>],
    above: Above<'_>,
    step: &Step<f32>,
    alone: &dyn Fn(&mut Block<f32>, usize) -> f32,
) {
    block.state.fastest =
        with_lanes!(step.vectors, simd, wide => down_rows((simd, wide), block, own, above, step, alone));
    block.state.ahead = Ahead::none();
}

#[inline(always)]
fn down_rows<S: Simd, W: Wide<Machine = S>>(
    (simd, wide): (S, W),
    block: &mut Block<f32>,
    own: &mut [ParentKinematics<f32>],
    above: Above<'_>,
    step: &Step<f32>,
    alone: &dyn Fn(&mut Block<f32>, usize) -> f32,
) -> f32 {
    let first = first_of_leaves(block);
    // Joints don't depend on their parents: where no body of either is swept alone, the next row of wood
    // is moved with this one.
    let mut advanced = 0;
    let fastest = super::rows_down(
        simd,
        block,
        own,
        true,
        #[inline(always)]
        |block, row, batch, own| {
            if row >= advanced {
                let go_together = |batches: &[Batch]| batches.iter().all(|batch| batch.alone() == 0);
                let is_pair = W::ROWS == 2 && row + 1 < first && go_together(&block.plan.batches[row..row + 2]);
                advanced = row + if is_pair { W::ROWS } else { 1 };
                if is_pair {
                    down::advance(wide, block, row, above.2, step);
                } else {
                    down::advance(simd, block, row, above.2, step);
                }
            }
            down::row(simd, block, row, batch, (own, (above.0, above.1)), step)
        },
        alone,
    );
    let mut of_leaves = all(simd, 0.0);
    super::for_bunches(
        block,
        #[inline(always)]
        |block, row, rows| {
            of_leaves = of_leaves.max(down::bunch((simd, wide), block, (row, rows, first), (own, above.2), step));
        },
    );
    super::largest(of_leaves, fastest)
}
