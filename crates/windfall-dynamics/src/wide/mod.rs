//! The implicit step in f32, eight bodies at a time: the fast path of `implicit`, which is its reference.
//!
//! Every formula stands in `implicit/`, `air/`, `world/guard.rs` and `world/place.rs`; here it is written for lanes of eight bodies (`math.rs`), in the order
//! that `plan.rs` finds. The instructions are those of the machine (AVX-512, AVX2 with FMA, SSE, NEON, WebAssembly, or none), chosen when the program
//! runs.

// Functions that are not inlined would be compiled for the least machine.
#![allow(clippy::inline_always)]
// Lanes are counted through many arrays at once.
#![allow(clippy::needless_range_loop)]

mod air;
mod down;
mod guard;
mod math;
mod plan;
mod rotation;
mod up;

use fearless_simd::{Level, Simd};
pub use plan::{Batch, Way, batches};

use crate::implicit::Step;
use crate::world::block::{Block, Motion};
use crate::world::place::Ahead;

/// Runs an expression with the vectors of this machine. On x86 there are two versions, AVX2 with FMA and SSE2, instead of the four of `dispatch!`: these functions take half a
/// minute each to compile, and AVX-512 has nothing for eight lanes.
macro_rules! with_lanes {
    ($simd:ident => $run:expr) => {{
        #[cfg(target_arch = "x86_64")]
        {
            let level = Level::new();
            if let Some($simd) = level.as_avx2() {
                $simd.vectorize(
                    #[inline(always)]
                    || $run,
                )
            } else {
                let $simd = level.as_sse2().expect("all of x86-64 has it");
                $simd.vectorize(
                    #[inline(always)]
                    || $run,
                )
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            fearless_simd::dispatch!(Level::new(), $simd => $run)
        }
    }};
}

/// Sweeps all batches of a block up; what goes alone is left to `alone`.
pub fn up(block: &mut Block<f32>, step: &Step<f32>, is_windy: bool, alone: impl Fn(&mut Block<f32>, usize)) {
    let plan = std::mem::take(&mut block.plan);
    for run in runs(&plan).rev() {
        if run[0].way == Way::Alone {
            run.iter().rev().for_each(|batch| alone(block, batch.indices[0] as usize));
        } else {
            with_lanes!(simd => up_run(simd, block, run, step, is_windy));
        }
    }
    block.plan = plan;
}

/// Sweeps all batches of a block down; what goes alone is left to `alone`.
pub fn down(
    block: &mut Block<f32>,
    top: &[Motion<f32>],
    bases: &[Motion<f32>],
    (step, ahead): (&Step<f32>, &Ahead<f32>),
    alone: impl Fn(&mut Block<f32>, usize) -> f32,
) {
    let plan = std::mem::take(&mut block.plan);
    let mut fastest = 0.0_f32;
    for run in runs(&plan) {
        if run[0].way == Way::Alone {
            for batch in run {
                fastest = fastest.max(alone(block, batch.indices[0] as usize));
            }
        } else {
            let run = with_lanes!(simd => down_run(simd, block, run, top, bases, (step, ahead)));
            fastest = fastest.max(run);
        }
    }
    block.plan = plan;
    block.fastest = fastest;
}

/// Neighbours that go the same way.
fn runs(plan: &[Batch]) -> impl DoubleEndedIterator<Item = &[Batch]> {
    plan.chunk_by(|a, b| (a.way == Way::Alone) == (b.way == Way::Alone))
}

#[inline(always)]
fn up_run<S: Simd>(simd: S, block: &mut Block<f32>, run: &[Batch], step: &Step<f32>, is_windy: bool) {
    for batch in run.iter().rev() {
        up::batch(simd, block, batch, step, is_windy);
    }
}

#[inline(always)]
fn down_run<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    run: &[Batch],
    top: &[Motion<f32>],
    bases: &[Motion<f32>],
    step: (&Step<f32>, &Ahead<f32>),
) -> f32 {
    // Not a closure: it would be compiled for the least machine.
    let mut fastest = 0.0_f32;
    for batch in run {
        fastest = fastest.max(down::batch(simd, block, batch, top, bases, step));
    }
    fastest
}
