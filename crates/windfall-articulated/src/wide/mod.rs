//! Both methods in f32, eight bodies at a time, or sixteen where that is faster (`number.rs`): the fast path
//! of `implicit` and `analytic`, which are its reference.
//!
//! Every formula stands in `implicit/`, `analytic/`, `air/`, `block/guard.rs` and `block/place.rs`; here it
//! is written for the rows of eight bodies (`math.rs`) that `world/order.rs` makes. The instructions are
//! those of the machine (AVX-512, AVX2 with FMA, SSE, NEON, WebAssembly, or none), chosen at run time.
//! Functions that other modules call have no generic parameters, so that they are compiled once.

// Functions that are not inlined would be compiled for the baseline instructions.
#![allow(clippy::inline_always)]
// Lane indices run through many arrays at once.
#![allow(clippy::needless_range_loop)]

mod air;
pub mod analytic;
mod down;
mod exchange;
mod guard;
mod leaf;
mod math;
mod number;
#[cfg(target_arch = "x86_64")]
mod pairs;
mod parent_kinematics;
mod prefetch;
mod rotation;
mod stored;
mod strength_bound;
#[cfg(test)]
mod tests;
mod up;

use fearless_simd::{Level, Simd};

use windfall_core::glam::DVec3;

use self::math::{F, LANES, Wide, all};
use self::parent_kinematics::Above;
use crate::block::AnyBlock;
use crate::block::batch::{Batch, Way};
use crate::block::exchange::{LeafPose, ParentKinematics, RowKinematics, WoodKinematics};
use crate::block::place::Ahead;
use crate::block::rows::{Lanes, Row};
use crate::block::sail::{AnySails, OwnSails};
use crate::block::vectors::Vectors;
use crate::block::{Block, JointState, Link, Motion, Wrench};
use crate::implicit::Step;
use crate::math::Real;

/// Runs an expression with the vectors of this machine, and in `wide` with the best number of bodies at a
/// time (`pairs.rs`). On x86 there are three versions, AVX-512 (whose 32 registers make a step 6 %
/// shorter), AVX2 with FMA, and SSE2, instead of the four of `dispatch!`: these functions take half a
/// minute each to compile.
macro_rules! with_lanes {
    ($vectors:expr, $simd:ident => $run:expr) => {
        with_lanes!($vectors, $simd, _wide => $run)
    };
    ($vectors:expr, $simd:ident, $wide:ident => $run:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            let level = Level::new();
            let (is_best, is_least) = ($vectors == $crate::block::vectors::Vectors::Best, $vectors == $crate::block::vectors::Vectors::Least);
            if let Some($simd) = level.as_avx512().filter(|_| is_best) {
                let $wide = $crate::wide::pairs::Pairs($simd);
                $simd.vectorize(
                    #[inline(always)]
                    || $run,
                )
            } else if let Some($simd) = level.as_avx2().filter(|_| !is_least) {
                let $wide = $crate::wide::pairs::Pairs($simd);
                $simd.vectorize(
                    #[inline(always)]
                    || $run,
                )
            } else {
                let $simd = level.as_sse2().expect("all of x86-64 has it");
                let $wide = $simd;
                $simd.vectorize(
                    #[inline(always)]
                    || $run,
                )
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let level = if $vectors == $crate::block::vectors::Vectors::Least { Level::baseline() } else { Level::new() };
            fearless_simd::dispatch!(level, $simd => {
                let $wide = $simd;
                $run
            })
        }
    }};
}
use with_lanes;

/// Finds the centres of bodies, world metres, except those of placed leaves; returns how many bodies have
/// one now: all of them, or none if the bodies are not in f32.
pub fn find_centers<T: Real>(
    block: &Block<T>,
    sails: &OwnSails<T>,
    anchors: &[DVec3],
    (vectors, points): (Vectors, &mut [Vec<f32>; 3]),
) -> usize {
    let (Some(block), Some(sails)) = (T::single::<AnyBlock>(block), T::single::<AnySails>(sails)) else {
        return 0;
    };
    find_centers_in_lanes(block, sails, anchors, (vectors, points));
    block.len()
}

fn find_centers_in_lanes(
    block: &Block<f32>,
    sails: &OwnSails<f32>,
    anchors: &[DVec3],
    (vectors, points): (Vectors, &mut [Vec<f32>; 3]),
) {
    with_lanes!(vectors, simd => air::find_centers(simd, block, sails, anchors, points));
}

/// Tests whether all joints bear their loads for sure. Without strengths from the caller the answer is no.
pub fn test_strength_bounds(block: &mut Block<f32>, vectors: Vectors) {
    let all_are_known = block.model.strength_bounds[..].len() == block.state.reactions.rows().len();
    block.state.bears_loads = all_are_known && all_bear(block, vectors);
}

fn all_bear(block: &Block<f32>, vectors: Vectors) -> bool {
    with_lanes!(vectors, simd => strength_bound::all_bear(simd, block.state.reactions.rows(), &block.model.strength_bounds))
}

/// Before a block is swept up, in lent scratch memory: finds the leaves with no loads but air and weight,
/// and places them. If there is wind, the trees stand at `anchors`.
pub fn find_leaves(block: &mut Block<f32>, anchors: Option<&[DVec3]>, vectors: Vectors) {
    let all_free = block.scratch.accumulators.leaves_are_free();
    if leaf::classify_rows(block, all_free, |block, row| block.scratch.accumulators.row_is_free(row)) {
        block.keep_leaves_whole();
    }
    place_leaves(block, anchors, vectors);
}

/// Places the leaves whose motion is derived from their parents.
fn place_leaves(block: &mut Block<f32>, anchors: Option<&[DVec3]>, vectors: Vectors) {
    let leaves = block.plan.batches.len() - first_of_leaves(block);
    if leaves == 0 {
        return;
    }
    let mut wood_kinematics = std::mem::take(&mut block.scratch.wood_kinematics);
    wood_kinematics
        .parent_kinematics
        .resize(wood_kinematics.parent_kinematics.len().max(block.len()), ParentKinematics::nothing());
    wood_kinematics.poses.resize(wood_kinematics.poses.len().max(leaves), LeafPose::all(LeafPose::zero()));
    let mut points = std::mem::take(&mut block.scratch.air.points);
    for list in &mut points {
        list.resize(list.len().max(block.len()), 0.0);
    }
    with_lanes!(vectors, simd => place_rows(simd, block, &mut wood_kinematics, (&mut points, anchors)));
    (wood_kinematics.has_kinematics, wood_kinematics.are_placed) = (true, true);
    block.scratch.wood_kinematics = wood_kinematics;
    block.scratch.air.points = points;
}

#[inline(always)]
fn place_rows<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    wood_kinematics: &mut WoodKinematics<f32>,
    (points, anchors): (&mut [Vec<f32>; 3], Option<&[DVec3]>),
) {
    if !wood_kinematics.has_kinematics {
        leaf::place::write_parent_kinematics(simd, block, &mut wood_kinematics.parent_kinematics);
    }
    let first = first_of_leaves(block);
    for_bunches(
        block,
        #[inline(always)]
        |block, row, rows| {
            leaf::place::bunch(
                simd,
                block,
                (row, rows, first),
                (&wood_kinematics.parent_kinematics, &mut wood_kinematics.poses),
                (points, anchors),
            );
        },
    );
}

/// Sweeps a block up, after its leaves were placed; bodies that are not swept in rows are left to
/// `alone`.
pub fn up(block: &mut Block<f32>, step: &Step<f32>, is_windy: bool, alone: &dyn Fn(&mut Block<f32>, usize)) {
    allocate_row_loads(block);
    with_lanes!(step.vectors, simd, wide => up_rows((simd, wide), block, (step, is_windy), alone));
    block.scratch.accumulators.forget();
}

fn allocate_row_loads(block: &mut Block<f32>) {
    let row_loads = &mut block.scratch.wood_kinematics.row_loads;
    row_loads.resize(row_loads.len().max(block.plan.batches.len()), up::NO_LOAD);
}

/// The first row of leaves.
#[inline(always)]
fn first_of_leaves(block: &Block<f32>) -> usize {
    block.model.masses.wood().len()
}

/// The end of the rows that may be swept with wood.
#[inline(always)]
fn end_of_whole(block: &Block<f32>) -> usize {
    if block.plan.any_whole != Some(false) {
        return block.plan.batches.len();
    }
    debug_assert!(!block.plan.batches.iter().any(|batch| batch.is_whole), "they were sorted out");
    first_of_leaves(block)
}

#[inline(always)]
fn up_rows<S: Simd, W: Wide<Machine = S>>(
    (simd, wide): (S, W),
    block: &mut Block<f32>,
    (step, is_windy): (&Step<f32>, bool),
    alone: &dyn Fn(&mut Block<f32>, usize),
) {
    let first = first_of_leaves(block);
    let (mut row_loads, mut aside) = (std::mem::take(&mut block.scratch.wood_kinematics.row_loads), up::NO_LOAD);
    for_bunches(
        block,
        #[inline(always)]
        |block, row, rows| {
            let row_loads = (&mut row_loads[..], &mut aside);
            leaf::up::bunch((simd, wide), block, (row, rows, first), row_loads, step, is_windy);
        },
    );
    block.scratch.wood_kinematics.row_loads = row_loads;
    rows_up(
        block,
        #[inline(always)]
        |block, row, batch| up::row(simd, block, row, batch, step, is_windy),
        alone,
    );
}

/// Calls `sweep` for all bunches of leaves that are processed together, with the first row and the number
/// of rows.
#[inline(always)]
fn for_bunches(block: &mut Block<f32>, mut sweep: impl FnMut(&mut Block<f32>, usize, usize)) {
    let mut row = first_of_leaves(block);
    while row < block.plan.batches.len() {
        let rows = usize::from(block.plan.batches[row].bunch);
        if !block.plan.batches[row].is_whole {
            sweep(block, row, rows);
        }
        row += rows;
    }
}

/// Calls `together` for every row of wood and of whole leaves, children before their parents, and `alone`
/// for bodies that are not swept in rows.
#[inline(always)]
fn rows_up(
    block: &mut Block<f32>,
    together: impl Fn(&mut Block<f32>, usize, Batch),
    alone: &dyn Fn(&mut Block<f32>, usize),
) {
    // Leaves have no children, and memory is read faster forwards.
    let first = first_of_leaves(block);
    for row in (first..end_of_whole(block)).chain((0..first).rev()) {
        let batch = block.plan.batches[row];
        if batch.way == Way::Leaves && !batch.is_whole {
            continue;
        }
        if batch.way != Way::Single && batch.apart != u8::MAX {
            together(block, row, batch);
        }
        if batch.way == Way::Single || batch.apart != 0 {
            for l in (0..LANES).rev().filter(|l| batch.alone() >> l & 1 == 1) {
                alone(block, row * LANES + l);
            }
        }
    }
}

/// Sweeps a block down; bodies that are not swept in rows are left to `alone`, which returns the square
/// of the angular velocity. `own` is scratch memory for the parent kinematics of the bodies of the block,
/// `above` holds those of the bases of trees and the bodies of the top.
pub fn down(
    block: &mut Block<f32>,
    own: &mut [ParentKinematics<f32>],
    above: Above<'_>,
    (step, ahead): (&Step<f32>, &Ahead<f32>),
    alone: &dyn Fn(&mut Block<f32>, usize) -> f32,
) {
    block.state.fastest = with_lanes!(step.vectors, simd => down_rows(simd, block, own, above, (step, ahead), alone));
    block.state.ahead = *ahead;
}

/// Sweeps a block down in lent scratch memory: `down` receives memory for the parent kinematics of its
/// bodies, which is kept for the sweep up.
pub fn with_parent_kinematics(
    block: &mut Block<f32>,
    down: impl FnOnce(&mut Block<f32>, &mut [ParentKinematics<f32>]),
) {
    let mut own = std::mem::take(&mut block.scratch.wood_kinematics.parent_kinematics);
    own.resize(own.len().max(block.len()), ParentKinematics::nothing());
    let wood_row = &mut block.scratch.wood_kinematics.wood_row;
    wood_row.resize(wood_row.len().max(block.plan.batches.len()), RowKinematics::at_rest());
    down(block, &mut own);
    (block.scratch.wood_kinematics.parent_kinematics, block.scratch.wood_kinematics.has_kinematics) = (own, true);
}

#[inline(always)]
fn down_rows<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    own: &mut [ParentKinematics<f32>],
    above: Above<'_>,
    step: (&Step<f32>, &Ahead<f32>),
    alone: &dyn Fn(&mut Block<f32>, usize) -> f32,
) -> f32 {
    let first = first_of_leaves(block);
    let fastest = rows_down(
        simd,
        block,
        own,
        false,
        #[inline(always)]
        |block, row, batch, own| down::row(simd, block, (row, batch), (own, above), step),
        alone,
    );
    let mut of_leaves = all(simd, 0.0);
    for_bunches(
        block,
        #[inline(always)]
        |block, row, rows| {
            of_leaves = of_leaves.max(leaf::down::bunch(simd, block, (row, rows, first), own, step.0));
        },
    );
    largest(of_leaves, fastest)
}

/// The largest of eight numbers and one more.
#[inline(always)]
fn largest<S: Simd>(eight: F<S>, one: f32) -> f32 {
    let eight: [f32; LANES] = eight.into();
    eight.into_iter().fold(one, f32::max)
}

/// Calls `together` for every row of wood and of whole leaves, and `alone` for bodies that are not swept
/// in rows; both return squares of angular velocities, the largest of which is returned. The parent
/// kinematics of bodies swept alone have own axes of the end of the step if `is_ahead`.
#[inline(always)]
fn rows_down<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    own: &mut [ParentKinematics<f32>],
    is_ahead: bool,
    mut together: impl FnMut(&mut Block<f32>, usize, Batch, &mut [ParentKinematics<f32>]) -> F<S>,
    alone: &dyn Fn(&mut Block<f32>, usize) -> f32,
) -> f32 {
    let mut fastest = all(simd, 0.0);
    let mut fastest_alone = 0.0_f32;
    for row in 0..end_of_whole(block) {
        let batch = block.plan.batches[row];
        if batch.way == Way::Leaves && !batch.is_whole {
            continue;
        }
        let apart = batch.alone();
        if apart == 0 {
            fastest = fastest.max(together(block, row, batch, own));
            continue;
        }
        let before = Before::of(block, row);
        if apart != u8::MAX {
            let speed: [f32; LANES] = together(block, row, batch, own).into();
            let swept = (0..LANES).filter(|l| apart >> l & 1 == 0);
            fastest_alone = swept.fold(fastest_alone, |most, l| most.max(speed[l]));
        }
        for l in (0..LANES).filter(|l| apart >> l & 1 == 1) {
            let i = row * LANES + l;
            before.restore(block, row, l);
            if block.state.links[i] != Link::Removed {
                fastest_alone = fastest_alone.max(alone(block, i));
                let motion = block.motion(i);
                let axes = if is_ahead { motion.orientation } else { before.motion.lane(l).orientation };
                own[i] = ParentKinematics::of(&motion).with_own(&motion, axes);
            }
        }
    }
    largest(fastest, fastest_alone)
}

/// A row before it was swept.
struct Before {
    state: JointState<Row<f32>>,
    motion: Motion<Row<f32>, Row<u32>>,
    reaction: Wrench<Row<f32>>,
}

impl Before {
    fn of(block: &Block<f32>, row: usize) -> Self {
        Self {
            state: block.state.joints.rows()[row],
            motion: block.state.motions.rows()[row],
            reaction: block.state.reactions.rows()[row],
        }
    }

    fn restore(&self, block: &mut Block<f32>, row: usize, l: usize) {
        block.state.joints.rows_mut()[row].set_lane(l, self.state.lane(l));
        block.state.motions.rows_mut()[row].set_lane(l, self.motion.lane(l));
        block.state.reactions.rows_mut()[row].set_lane(l, self.reaction.lane(l));
    }
}
