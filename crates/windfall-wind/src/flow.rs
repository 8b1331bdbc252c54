//! What every model can do, inside the crate: the two forms of the wind, ready to be weighed and added.
//!
//! A batch goes through the tree of models in chunks of [`CHUNK`] points on the stack. Sums add into the same output;
//! masks, profiles and scales multiply the weights that they hand down; so nothing is allocated, and what depends
//! on time alone is computed once per chunk.
//!
//! Loops over points are functions of their own that are called through [`wide`] or `dispatch!`: then they are compiled once for every kind of
//! vector unit, and the machine at hand decides. A loop that takes products and sums apart gives the same bits on all of them; one that
//! fuses them (`mul_add`) differs in the last digit where a machine can't. Never by lane or batch.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use windfall_core::glam::DVec3;
use windfall_core::wind::Velocities;

use crate::room::Local;

/// How many points a chunk has at most. A multiple of [`LANES`].
pub(crate) const CHUNK: usize = 512;
/// Chunks are filled up to a multiple of this many points.
pub(crate) const LANES: usize = 8;

/// Numbers on the borders of cache lines: vectors that lie across one cost twice.
#[repr(align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// Weights of what is not weighed.
pub(crate) static ONES: Aligned<[f32; CHUNK]> = Aligned([1.0; CHUNK]);

/// One model, built and checked.
pub(crate) trait Flow: Send + Sync {
    /// The velocity at one point, m/s: the readable form, in f64.
    fn velocity(&self, point: DVec3, time: f64) -> DVec3;

    /// Adds weight times velocity at every point to `out`.
    ///
    /// All slices have the same length, a multiple of [`LANES`] and at most [`CHUNK`]; points are finite.
    fn add(&self, time: f64, points: Local<'_>, weights: &[f32], out: &mut Velocities<'_>);
}

/// Calls a function that is `#[inline(always)]`, with all that is, compiled for the vector unit of this machine.
macro_rules! wide {
    ($call:expr) => {
        fearless_simd::dispatch!(fearless_simd::Level::new(), _ => $call)
    };
}
pub(crate) use wide;

/// Adds a velocity that is the same everywhere.
pub(crate) fn add_uniform(velocity: DVec3, weights: &[f32], out: &mut Velocities<'_>) {
    let velocity = velocity.as_vec3();
    for (out, v) in out.slices().into_iter().zip(velocity.to_array()) {
        // Most winds are level.
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
