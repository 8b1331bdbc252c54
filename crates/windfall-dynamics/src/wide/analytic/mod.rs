//! `Analytic` in f32, eight bodies at a time: the fast path of `crate::analytic`, which is its reference. Every formula stands there.

mod air;
mod composite;
mod crowd;
mod down;
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
use super::up::NO_BURDEN;
use super::{first_of_leaves, with_lanes};
use crate::analytic::{LeafWork, Step, Works};
use crate::world::block::{Block, Motion, Motions};
use crate::world::exchange::Heard;
use crate::world::order::Batch;
use crate::world::place::Ahead;

/// The motions of the top and of the bases at the beginning of the step.
pub type Parents<'a> = (&'a Motions<f32>, &'a [Motion<f32>]);
/// What bases and the bodies of the top say in the sweep down, and what the top keeps.
pub type Above<'a> = (&'a [Heard<f32>], &'a [Heard<f32>], &'a Works<f32>);

/// Before a block is swept up, in lent room: finds the leaves on which nothing acts but wind and weight, and where they are. If there is wind, the trees stand at `anchors`.
pub fn find_leaves(block: &mut Block<f32>, anchors: Option<&[DVec3]>, step: &Step<f32>) {
    // Bases that move, and joints that drive each other, are left to the common path.
    let is_plain = !step.is_moved && !step.fictitious.drives();
    let all_free = is_plain && block.carried.leaves_are_free();
    if super::leaf::sort_out(block, all_free, |block, row| is_plain && block.carried.row_is_free(row)) {
        block.keep_analytic_leaves_whole();
    }
    block.analytic_leaves.fill_up(LeafWork::zero(), block.leaf_places());
    super::place_leaves(block, anchors, step.vectors);
}

/// Sweeps a block up, after its leaves were found; what is not swept with others is left to `alone`.
pub fn up(block: &mut Block<f32>, above: Parents<'_>, step: &Step<f32>, alone: &dyn Fn(&mut Block<f32>, usize)) {
    super::make_room_for_burdens(block);
    with_lanes!(step.vectors, simd, wide => up_rows((simd, wide), block, above, step, alone));
    block.is_forced = step.is_forced;
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
    let (mut burdens, mut aside) = (std::mem::take(&mut block.told.burdens), NO_BURDEN);
    super::for_bunches(
        block,
        #[inline(always)]
        |block, row, rows| {
            up::bunch((simd, wide), block, (row, rows, first), (&mut burdens, &mut aside), step);
        },
    );
    block.told.burdens = burdens;
    super::rows_up(
        block,
        #[inline(always)]
        |block, row, batch| up::row(simd, block, row, batch, above, step),
        alone,
    );
}

/// Sweeps a block down; what is not swept with others is left to `alone`, which gives the square of its angular velocity. `own` is room for what the bodies of
/// the block say to their children.
pub fn down(
    block: &mut Block<f32>,
    own: &mut [Heard<f32>],
    above: Above<'_>,
    step: &Step<f32>,
    alone: &dyn Fn(&mut Block<f32>, usize) -> f32,
) {
    block.fastest = with_lanes!(step.vectors, simd, wide => down_rows((simd, wide), block, own, above, step, alone));
    block.ahead = Ahead::none();
}

#[inline(always)]
fn down_rows<S: Simd, W: Wide<Machine = S>>(
    (simd, wide): (S, W),
    block: &mut Block<f32>,
    own: &mut [Heard<f32>],
    above: Above<'_>,
    step: &Step<f32>,
    alone: &dyn Fn(&mut Block<f32>, usize) -> f32,
) -> f32 {
    let first = first_of_leaves(block);
    // Joints don't wait for their parents: where no body of either is swept alone, the next row of wood is moved with this one.
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
                let is_pair = W::ROWS == 2 && row + 1 < first && go_together(&block.batches[row..row + 2]);
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
