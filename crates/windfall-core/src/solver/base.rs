//! The moving ground under a tree.

use glam::{DQuat, DVec3};

/// What the foot of a tree is fixed to: a place that may move (quigley2017, Fig. 6: a tree on a cart).
///
/// Everything is relative to where the tree was grown: at rest the position is zero and the orientation is the identity.
/// The tree turns about its origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Base {
    /// How far the tree's origin has moved, world axes, m.
    pub position: DVec3,
    /// How the tree is turned about its origin.
    pub orientation: DQuat,
    /// Velocity of the origin, m/s.
    pub velocity: DVec3,
    /// Angular velocity, world axes, rad/s.
    pub angular_velocity: DVec3,
    /// Acceleration of the origin, m/s².
    pub acceleration: DVec3,
    /// Angular acceleration, world axes, rad/s².
    pub angular_acceleration: DVec3,
}

impl Default for Base {
    fn default() -> Self {
        Self {
            position: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            acceleration: DVec3::ZERO,
            angular_acceleration: DVec3::ZERO,
        }
    }
}

impl Base {
    /// The base `dt` seconds after `self`, when only its new place is known (a tree that is dragged about): velocities
    /// and accelerations are finite differences.
    pub fn moved_to(&self, position: DVec3, orientation: DQuat, dt: f64) -> Self {
        let velocity = (position - self.position) / dt;
        let turned = orientation * self.orientation.inverse();
        let turned = if turned.w < 0.0 { -turned } else { turned };
        let angular_velocity = turned.to_scaled_axis() / dt;
        Self {
            position,
            orientation,
            velocity,
            angular_velocity,
            acceleration: (velocity - self.velocity) / dt,
            angular_acceleration: (angular_velocity - self.angular_velocity) / dt,
        }
    }

    /// Whether every number is finite and the orientation is a rotation.
    pub fn is_valid(&self) -> bool {
        [self.position, self.velocity, self.angular_velocity, self.acceleration, self.angular_acceleration]
            .iter()
            .all(|v| v.is_finite())
            && self.orientation.is_finite()
            && (self.orientation.length_squared() - 1.0).abs() < 1e-3
    }
}
