//! When bodies fall asleep and what wakes them.
//!
//! A body that touches something and hardly moves for half a second sleeps, together with all of its island: it is not moved and costs next to
//! nothing. A large heap is never at rest everywhere at once; its bodies sleep one by one, when their neighbours hardly move either. A body wakes up when something that moves comes near, when the force of the air on it has changed since, by its own
//! weight over ten, and when a user pushes it.

use windfall_core::glam::DVec3;

use super::body::FreeBody;

/// Slowest motion of any point of a body that is not rest, m/s.
const STILL: f64 = 0.03;
/// How long a body lies still before it sleeps, s.
pub const QUIET: f64 = 0.5;
/// Islands of more bodies than this fall asleep one by one.
pub const TOGETHER: usize = 50;
/// Change of the acceleration by the air that wakes a body, m/s².
pub const WAKING_AIR: f64 = 1.0;
/// Slowest body that wakes what it comes near, m/s.
pub const WAKING_SPEED: f64 = 0.1;
/// Sleepers feel the wind every so many steps.
pub const WATCH: u64 = 4;

/// Whether no point of the body moves to speak of.
pub fn is_still(body: &FreeBody) -> bool {
    fastest_point(body) < STILL
}

/// Whether it wakes what it comes near.
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
