//! The accelerated frame of a tree whose base moves.

use windfall_core::glam::DVec3;

use crate::block::Motion;
use crate::math::{Real, Vec3};

/// The motion of the base of a tree. Its acceleration acts on all joints as a fictitious force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame<T> {
    /// Of the anchor, m/s².
    pub acceleration: Vec3<T>,
    pub omega: Vec3<T>,
    pub alpha: Vec3<T>,
}

impl<T: Real> Frame<T> {
    /// Of a base.
    pub fn of_base(base: &Motion<T>, gravity: DVec3) -> Self {
        Self { acceleration: base.proper_acceleration + Vec3::of(gravity), omega: base.omega, alpha: base.alpha }
    }

    /// Acceleration of a point at rest in the frame, m/s².
    pub fn at(&self, position: Vec3<T>) -> Vec3<T> {
        self.acceleration + self.alpha.cross(position) + self.omega.cross(self.omega.cross(position))
    }

    /// Whether it stands still, or moves uniformly in a straight line.
    pub fn is_still(&self) -> bool {
        [self.acceleration, self.omega, self.alpha].into_iter().all(|v| v == Vec3::zero())
    }
}
