//! Portable mathematics: `libm` gives the same bits on every machine, the platform's own functions do
//! not.
//!
//! For the same reason growth computes in f64 vectors, which are plain scalars in glam, and rounds to
//! f32 at the very end: sums in f32 vectors run in the order of the machine's SIMD instructions.

pub(crate) use libm::{acos, atan2, cos, log as ln, pow, sin};

/// Degrees to radians.
pub(crate) fn radians(degrees: f64) -> f64 {
    degrees * (std::f64::consts::PI / 180.0)
}
