//! Asks for memory that is needed soon: in trees that are larger than the caches a step waits for memory, because bodies lie in many arrays, and the processor
//! does not see far enough ahead in so many. Measured on a maple of 138,965 bodies: 9 % of a step of `Implicit`; `Analytic` gained nothing.

use crate::world::block::Block;
use crate::world::rows::Rows;

/// How many rows ahead.
const AHEAD: usize = 2;

/// Asks for a row of an array, if there is such a row.
#[inline(always)]
#[expect(unsafe_code, reason = "there is no safe prefetch")]
fn fetch<R>(rows: &Rows<R>, row: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(row) = rows.rows().get(row) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(row).cast::<i8>();
        for line in 0..size_of::<R>().div_ceil(64) {
            // SAFETY: a prefetch changes nothing and can't fault, whatever the address; all of x86-64 has it. The address lies in the row.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(64 * line)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (rows, row);
}

/// Asks for what the sweep up needs of a row.
#[inline(always)]
fn fetch_for_up(block: &Block<f32>, row: usize) {
    fetch_for_both(block, row);
    fetch(&block.springs, row);
    fetch(&block.sails.own, row);
}

/// What both sweeps need.
#[inline(always)]
fn fetch_for_both(block: &Block<f32>, row: usize) {
    fetch(&block.motions, row);
    fetch(&block.states, row);
    fetch(&block.reactions, row);
    fetch(&block.masses, row);
    fetch(&block.implicit, row);
}

/// For the sweep up over wood, which goes from the last row to the first.
#[inline(always)]
pub fn wood_up(block: &Block<f32>, row: usize, is_far: bool) {
    if is_far {
        fetch_for_up(block, row.wrapping_sub(AHEAD));
    }
}

/// For the sweep up over leaves, of which `first` is the first row.
#[inline(always)]
pub fn leaves_up(block: &Block<f32>, row: usize, first: usize, is_far: bool) {
    if is_far {
        fetch_for_up(block, row + AHEAD);
        fetch(&block.leaf_works, row + AHEAD - first);
    }
}

/// For the sweep down over wood.
#[inline(always)]
pub fn wood_down(block: &Block<f32>, row: usize, is_far: bool) {
    if is_far {
        fetch_for_both(block, row + AHEAD);
        fetch(&block.joints, row + AHEAD);
    }
}

/// For the sweep down over leaves, of which `first` is the first row.
#[inline(always)]
pub fn leaves_down(block: &Block<f32>, row: usize, first: usize, is_far: bool) {
    if is_far {
        wood_down(block, row, is_far);
        fetch(&block.leaf_works, row + AHEAD - first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::rows::Row;

    #[test]
    fn asking_changes_nothing_and_rows_that_are_not_there_are_left_alone() {
        let rows: Rows<Row<f32>> = (0..24_u8).map(f32::from).collect();
        for row in [0, 2, 3, usize::MAX] {
            fetch(&rows, row);
        }
        assert!((0..24_u8).all(|i| rows.get(i.into()) == f32::from(i)));
    }
}
