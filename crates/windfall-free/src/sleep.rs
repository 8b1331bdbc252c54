//! Sleeping and waking of bodies.
//!
//! A body in contact that hardly moves for half a second sleeps, together with all of its island: it is not
//! moved and costs next to nothing. A large heap is never at rest everywhere at once; its bodies sleep one
//! by one, when their neighbours hardly move either. A body wakes up when a moving body comes near, when
//! the force of the air on it has changed since by a tenth of its own weight, and when a user pushes it.

use windfall_core::glam::DVec3;

use super::body::FreeBody;

/// Largest speed of any point of a body at rest, m/s.
const STILL: f64 = 0.03;
/// Time of rest before a body sleeps, s.
pub const QUIET: f64 = 0.5;
/// Islands of more bodies than this fall asleep one by one.
pub const TOGETHER: usize = 50;
/// Change of the acceleration by the air that wakes a body, m/s².
pub const WAKING_AIR: f64 = 1.0;
/// Least speed of a body that wakes bodies near it, m/s.
pub const WAKING_SPEED: f64 = 0.1;
/// Number of steps between wind samples at sleeping bodies.
pub const WATCH: u64 = 4;

/// Whether all points of the body are nearly at rest.
pub fn is_still(body: &FreeBody) -> bool {
    fastest_point(body) < STILL
}

/// Whether it wakes bodies near it.
pub fn wakes_others(body: &FreeBody) -> bool {
    fastest_point(body) > WAKING_SPEED
}

fn fastest_point(body: &FreeBody) -> f64 {
    body.velocity.length() + body.angular_velocity.length() * body.reach()
}

/// Stops a body that falls asleep.
pub fn stop(body: &mut FreeBody) {
    body.velocity = DVec3::ZERO;
    body.angular_velocity = DVec3::ZERO;
}
