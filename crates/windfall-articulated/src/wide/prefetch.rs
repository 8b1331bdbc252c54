//! Prefetches memory that is needed soon: in trees larger than the caches a step waits for memory,
//! because bodies lie in many arrays, and the processor does not look far enough ahead in so many.
//! Measured on a maple of 138,965 bodies with one thread of a Zen 4, ns per body and step: `Analytic` 154
//! without, 119 with it; `Implicit` 77, but 95 with prefetches into the first level of the caches.

use std::mem::offset_of;
use std::ops::Range;

use crate::block::rows::{Row, Rows};
use crate::block::{Block, Motion};

type Motions = Motion<Row<f32>, Row<u32>>;

/// How many rows ahead.
const AHEAD: usize = 3;

/// The same in the sweep down of leaves, which take half as long.
const LEAVES_AHEAD: usize = 8;

/// The same where a row takes little work.
const FAR_AHEAD: usize = 12;

/// Prefetches these bytes of a row of an array, or of the memory behind its end. The second level of the
/// caches receives them: the first has too few places for the pending requests, and would stall.
#[inline(always)]
#[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "there is no safe prefetch"))]
fn fetch_part<R>(rows: &[R], row: usize, bytes: Range<usize>) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // No check whether there is such a row: that would be a branch amid other work.
        let start = rows.as_ptr().wrapping_add(row).cast::<i8>().wrapping_add(bytes.start);
        for line in 0..bytes.len().div_ceil(64) {
            // SAFETY: a prefetch changes nothing and can't fault, whatever the address; all of x86-64 has
            // it.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(start.wrapping_add(64 * line)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (rows, row, bytes);
}

/// All of a row.
#[inline(always)]
fn fetch<R>(rows: &Rows<R>, row: usize) {
    fetch_all(rows.rows(), row);
}

#[inline(always)]
fn fetch_all<R>(rows: &[R], row: usize) {
    fetch_part(rows, row, 0..size_of::<R>());
}

/// The results of the wind for wood, and its mass.
#[inline(always)]
fn fetch_wood(block: &Block<f32>, row: usize) {
    fetch_all(block.model.sails.own.wood(), row);
    fetch_all(block.model.masses.wood(), row);
}

/// The same of leaves, counted from the first of them.
#[inline(always)]
fn fetch_leaves(block: &Block<f32>, row: usize) {
    fetch_all(block.model.sails.own.leaves(), row);
    fetch_all(block.model.masses.leaves(), row);
}

/// For the centres of bodies.
#[inline(always)]
pub fn centers(motions: &[Motions], row: usize) {
    let row = row + FAR_AHEAD;
    fetch_part(motions, row, 0..offset_of!(Motions, velocity));
    fetch_part(motions, row, offset_of!(Motions, anchor)..size_of::<Motions>());
}

/// For the sweep up over wood, which goes from the last row to the first: in two parts, to limit the
/// number of pending requests.
#[inline(always)]
pub fn wood_up(block: &Block<f32>, row: usize, is_far: bool) {
    if is_far {
        let row = row.wrapping_sub(AHEAD);
        fetch(&block.state.motions, row);
        fetch(&block.state.joints, row);
        fetch_wood(block, row);
    }
}

/// The rest of it.
#[inline(always)]
pub fn wood_up_on(block: &Block<f32>, row: usize, is_far: bool) {
    if is_far {
        let row = row.wrapping_sub(AHEAD);
        fetch(&block.state.reactions, row);
        fetch(&block.model.springs, row);
        fetch(&block.scratch.implicit, row);
    }
}

/// For the sweep up over leaves, of which `first` is the first row.
#[inline(always)]
pub fn leaves_up(block: &Block<f32>, row: usize, first: usize, is_far: bool) {
    if is_far {
        // The rest was there in the sweep down.
        let row = row + AHEAD;
        fetch(&block.model.springs, row);
        fetch_leaves(block, row - first);
    }
}

/// For the sweep down over wood, in two parts, too.
#[inline(always)]
pub fn wood_down(block: &Block<f32>, row: usize, is_far: bool) {
    if is_far {
        let row = row + AHEAD;
        fetch(&block.scratch.implicit, row);
        fetch(&block.state.joints, row);
    }
}

/// The rest of it.
#[inline(always)]
pub fn wood_down_on(block: &Block<f32>, row: usize, is_far: bool) {
    if is_far {
        let row = row + AHEAD;
        fetch(&block.state.motions, row);
        fetch(&block.state.reactions, row);
        fetch(&block.model.seats, row);
    }
}

/// For the sweep down over leaves, of which `first` is the first row; in two parts.
#[inline(always)]
pub fn leaves_down(block: &Block<f32>, row: usize, first: usize, is_far: bool) {
    if is_far {
        let row = row + LEAVES_AHEAD;
        fetch(&block.model.seats, row);
        fetch(&block.scratch.leaf_works, row - first);
    }
}

/// The rest of it.
#[inline(always)]
pub fn leaves_down_on(block: &Block<f32>, row: usize, first: usize, is_far: bool) {
    if is_far {
        let row = row + LEAVES_AHEAD;
        fetch(&block.state.joints, row);
        fetch(&block.state.reactions, row);
        fetch_all(block.model.sails.own.leaves(), row - first);
    }
}

/// For the sweep up of `Analytic` over wood, in two parts.
#[inline(always)]
pub fn analytic_up(block: &Block<f32>, row: usize, is_far: bool) {
    if is_far {
        let row = row.wrapping_sub(AHEAD);
        fetch(&block.state.motions, row);
        fetch(&block.model.springs, row);
        fetch_wood(block, row);
    }
}

/// The rest of it.
#[inline(always)]
pub fn analytic_up_on(block: &Block<f32>, row: usize, is_far: bool) {
    if is_far {
        fetch(&block.scratch.analytic, row.wrapping_sub(AHEAD));
    }
}

/// For the sweep down of `Analytic` over leaves.
#[inline(always)]
pub fn analytic_leaves_down(block: &Block<f32>, row: usize, first: usize, is_far: bool) {
    if is_far {
        let row = row + AHEAD;
        fetch(&block.state.joints, row);
        fetch(&block.state.reactions, row);
        fetch(&block.model.seats, row);
        fetch_leaves(block, row - first);
        fetch(&block.model.springs, row);
        fetch(&block.scratch.analytic_leaves, row - first);
    }
}

/// For the joints of wood in the sweep down of `Analytic`.
#[inline(always)]
pub fn analytic_joints(block: &Block<f32>, row: usize, is_far: bool) {
    if is_far {
        let row = row + AHEAD;
        fetch(&block.state.joints, row);
        fetch(&block.model.springs, row);
        fetch(&block.scratch.analytic, row);
    }
}

/// For its places.
#[inline(always)]
pub fn analytic_places(block: &Block<f32>, row: usize, is_far: bool) {
    if is_far {
        let row = row + AHEAD;
        fetch(&block.state.motions, row);
        fetch(&block.state.reactions, row);
        fetch(&block.model.seats, row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::rows::Row;

    #[test]
    fn asking_changes_nothing_and_rows_that_are_not_there_do_no_harm() {
        let rows: Rows<Row<f32>> = (0..24_u8).map(f32::from).collect();
        for row in [0, 2, 3, usize::MAX] {
            fetch(&rows, row);
        }
        assert!((0..24_u8).all(|i| rows.get(i.into()) == f32::from(i)));
    }
}
