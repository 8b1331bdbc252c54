//! Conversion from the compass direction of a wind's origin to its velocity direction.

use windfall_core::glam::DVec3;

use crate::check::Check;

/// Fastest wind that is accepted, m/s: three times the fastest tornado.
pub(crate) const FASTEST: f64 = 500.0;

/// The unit velocity vector of a wind from a compass direction, inclined by an elevation.
///
/// 0 degrees is north (-z), 90 is east (+x) (the meteorological convention); a positive elevation blows
/// upwards.
///
/// ```
/// let west_wind = windfall_wind::blows_to(270.0, 0.0);
/// assert!((west_wind.x - 1.0).abs() < 1e-12);
/// ```
pub fn blows_to(from_degrees: f64, elevation_degrees: f64) -> DVec3 {
    let (from, up) = (from_degrees.to_radians(), elevation_degrees.to_radians());
    let level = libm::cos(up);
    DVec3::new(-libm::sin(from) * level, libm::sin(up), libm::cos(from) * level)
}

/// Checks the three keys common to all models with a mean wind.
pub(crate) fn check_wind(check: &mut Check, speed: f64, from_degrees: f64, elevation_degrees: f64) {
    check.number("speed", speed, 0.0..=FASTEST);
    check.number("from_degrees", from_degrees, -360.0..=360.0);
    check.number("elevation_degrees", elevation_degrees, -90.0..=90.0);
}
