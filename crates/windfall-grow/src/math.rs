//! Portable mathematics: `libm` gives the same bits on every machine, the platform's own functions do not.

pub(crate) use libm::{acos, atan2, cos, log as ln, pow, sin};

/// Degrees to radians.
pub(crate) fn radians(degrees: f64) -> f64 {
    degrees * (std::f64::consts::PI / 180.0)
}
