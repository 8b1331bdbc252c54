//! The state of motion of one body.

use glam::{DQuat, DVec3};

/// The state of one rigid body in world axes: (x, v, a, R, omega, alpha) of quigley2017, section 3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyMotion {
    /// Position of its joint, world metres.
    pub joint: DVec3,
    /// Position of its centre of mass, world metres (x).
    pub center: DVec3,
    /// Velocity of the centre of mass, m/s (v).
    pub velocity: DVec3,
    /// Acceleration of the centre of mass, m/s² (a).
    pub acceleration: DVec3,
    /// Rotates body axes to world axes (R).
    pub orientation: DQuat,
    /// Angular velocity, rad/s (omega).
    pub angular_velocity: DVec3,
    /// Angular acceleration, rad/s² (alpha).
    pub angular_acceleration: DVec3,
}
