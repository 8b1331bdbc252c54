//! `Analytic` in f32, eight bodies at a time: the fast path of `crate::analytic`, which is its reference. Every formula stands there.

mod air;
mod composite;
mod crowd;
mod down;
mod eigen;
mod fictitious;
mod functions;
mod joint;
mod oscillator;
#[cfg(test)]
mod tests;
mod up;

use fearless_simd::{Level, Simd};

use super::with_lanes;
use crate::analytic::{Step, Works};
use crate::world::block::{Block, Motion, Motions};
use crate::world::exchange::Heard;

/// The motions of the top and of the bases at the beginning of the step.
pub type Parents<'a> = (&'a Motions<f32>, &'a [Motion<f32>]);
/// What bases and the bodies of the top say in the sweep down, and what the top keeps.
pub type Above<'a> = (&'a [Heard<f32>], &'a [Heard<f32>], &'a Works<f32>);

/// Sweeps a block up; what is not swept with others is left to `alone`.
pub fn up(block: &mut Block<f32>, above: Parents<'_>, step: &Step<f32>, alone: &dyn Fn(&mut Block<f32>, usize)) {
    with_lanes!(step.vectors, simd => up_rows(simd, block, above, step, alone));
    block.is_forced = step.is_forced;
}

#[inline(always)]
fn up_rows<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    above: Parents<'_>,
    step: &Step<f32>,
    alone: &dyn Fn(&mut Block<f32>, usize),
) {
    super::rows_up(
        block,
        |_| true,
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
    block.fastest = with_lanes!(step.vectors, simd => down_rows(simd, block, own, above, step, alone));
}

#[inline(always)]
fn down_rows<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    own: &mut [Heard<f32>],
    above: Above<'_>,
    step: &Step<f32>,
    alone: &dyn Fn(&mut Block<f32>, usize) -> f32,
) -> f32 {
    super::rows_down(
        simd,
        block,
        own,
        |_| true,
        #[inline(always)]
        |block, row, batch, own| down::row(simd, block, row, batch, (own, above), step),
        alone,
    )
}
