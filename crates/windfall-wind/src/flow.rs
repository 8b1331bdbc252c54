//! The crate's internal interface of a model: the scalar and the batched form of the wind, weighted and
//! accumulated.
//!
//! A batch goes through the tree of models in chunks of [`CHUNK`] points on the stack. Sums add into the
//! same output; masks, profiles and scales multiply the weights passed to the inner wind. Nothing is
//! allocated, and terms that depend on time alone are computed once per chunk.
//!
//! Loops over points are separate functions called through [`wide`] or `dispatch!`: they are compiled once
//! for every instruction set, and the CPU selects one at run time. A loop with separate products and sums
//! gives identical bits on all of them. A loop with `mul_add` differs in the last digit on CPUs without
//! fused multiply-add. Results never depend on the lane or the batch.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use windfall_core::glam::DVec3;
use windfall_solver::wind::Velocities;

use crate::local_points::Local;

/// Maximum number of points in a chunk; a multiple of [`LANES`].
pub(crate) const CHUNK: usize = 512;
/// Chunks are padded to a multiple of this number of points.
pub(crate) const LANES: usize = 8;

/// Alignment to cache lines: a vector load across a line boundary costs twice as much.
#[repr(align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// Unit weights.
pub(crate) static ONES: Aligned<[f32; CHUNK]> = Aligned([1.0; CHUNK]);

/// A built and checked model.
pub(crate) trait Flow: Send + Sync {
    /// The velocity at one point, m/s: the scalar reference form, in f64.
    fn velocity(&self, point: DVec3, time: f64) -> DVec3;

    /// Adds weight times velocity at every point to `out`.
    ///
    /// All slices have the same length, a multiple of [`LANES`] and at most [`CHUNK`]; points are finite.
    fn add(&self, time: f64, points: Local<'_>, weights: &[f32], out: &mut Velocities<'_>);
}

/// Calls an `#[inline(always)]` function compiled for the vector instructions of this CPU, with all
/// functions inlined into it.
macro_rules! wide {
    ($call:expr) => {
        fearless_simd::dispatch!(fearless_simd::Level::new(), _ => $call)
    };
}
pub(crate) use wide;

/// Adds a uniform velocity.
pub(crate) fn add_uniform(velocity: DVec3, weights: &[f32], out: &mut Velocities<'_>) {
    let velocity = velocity.as_vec3();
    for (out, v) in out.slices().into_iter().zip(velocity.to_array()) {
        // Most winds are horizontal.
        if v != 0.0 {
            wide!(add_times(v, weights, out));
        }
    }
}

#[inline(always)]
fn add_times(factor: f32, weights: &[f32], out: &mut [f32]) {
    for (out, w) in out.iter_mut().zip(weights) {
        *out += w * factor;
    }
}
