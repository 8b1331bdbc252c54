//! A force on a body together with its resistance to motion, and the loads on a free piece.

use windfall_core::glam::DVec3;

use super::articulated::Articulated;
use super::place::Place;
use crate::math::{Real, Sym3, Vec3};

/// A load, grab or touch as the sweeps used it: the force is `force - resistance a`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pull<T> {
    pub place: Place,
    /// From the joint of the body, world axes, m.
    pub arm: Vec3<T>,
    pub force: Vec3<T>,
    pub resistance: Sym3<T>,
    /// The part of the point's acceleration that does not come from the angular and proper acceleration
    /// of the body.
    pub centripetal: Vec3<T>,
    pub torque: Vec3<T>,
    pub spin_resistance: Sym3<T>,
    /// Whether it constrains the body: a grab, or the ground.
    pub holds: bool,
}

impl<T: Real> Pull<T> {
    /// Acceleration of its point, for the angular acceleration of its body and the acceleration of its
    /// joint less gravity.
    pub fn acceleration(&self, alpha: Vec3<T>, proper_acceleration: Vec3<T>) -> Vec3<T> {
        proper_acceleration + alpha.cross(self.arm) + self.centripetal
    }

    /// Adds it to the accumulator of the body that carries it.
    pub fn add_to(&self, body: &mut Articulated<T>) {
        body.add_at(self.arm, self.resistance, self.force, self.centripetal);
        body.torque -= self.torque;
        body.inertia += self.spin_resistance;
    }
}

/// Force and torque about the centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Push {
    pub force: DVec3,
    pub torque: DVec3,
    /// Whether a grab, the ground or a tree contributed.
    pub meets: bool,
}
