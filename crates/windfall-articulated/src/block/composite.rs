//! Composite bodies: a body and all its descendants, taken as one rigid body.

use super::Lumped;
use crate::math::{Mat3, Real, Sym3, Vec3};

/// Mass, inertia, external force and the resistance of drag of a composite body, about its joint, world
/// axes. Weight and the acceleration of the base follow from mass and moment and are added last.
///
/// (1) to (4) of the paper, with all terms about the joint of the body instead of the composite's centre
/// of mass: each child is shifted by the vector between two joints, and inertia is a sum of positive
/// terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Composite<T> {
    /// kg.
    pub mass: T,
    /// Mass times centre, kg m.
    pub moment: Vec3<T>,
    /// kg m².
    pub inertia: Sym3<T>,
    /// N.
    pub force: Vec3<T>,
    /// N m.
    pub torque: Vec3<T>,
    /// Symmetric part of the sum of p f^T over all external forces f at p, N m: the change of their
    /// torque as the composite turns.
    pub lever: Sym3<T>,
    /// -dF/dv of all drag: sum of G, of [p]x G, and of -[p]x G [p]x.
    pub drag: Sym3<T>,
    pub drag_moment: Mat3<T>,
    pub drag_inertia: Sym3<T>,
}

impl<T: Real> Composite<T> {
    /// Adds a body itself.
    pub fn add_body(&mut self, mass: &Lumped<T>, rotation: Mat3<T>) {
        self.mass += mass.mass;
        self.moment += rotation * mass.moment;
        self.inertia += mass.inertia.turned(rotation);
    }

    /// The same about a joint at `-r`. [quigley2017] eq. 1 to 4
    pub fn moved(&self, r: Vec3<T>) -> Self {
        // About that joint: I - [r][h] - [h][r] - m [r][r], h = mass times centre about the child's joint.
        let mixed = Mat3::cross(self.moment).crossed_by(r);
        let moved = self.drag.full().crossed_by(r);
        let b = self.drag_moment.times_cross(r);
        Self {
            moment: self.moment + r * self.mass,
            inertia: self.inertia + Sym3::point_inertia(r, self.mass) - (mixed + mixed).symmetric_part(),
            torque: self.torque + r.cross(self.force),
            lever: self.lever + lever(r, self.force),
            drag_moment: self.drag_moment + moved,
            drag_inertia: self.drag_inertia - (b + b + moved.times_cross(r)).symmetric_part(),
            ..*self
        }
    }

    /// Adds a force at `p` with its drag derivative.
    pub fn add_force(&mut self, p: Vec3<T>, force: Vec3<T>, drag: Sym3<T>) {
        self.force += force;
        self.torque += p.cross(force);
        self.lever += lever(p, force);
        let moved = drag.full().crossed_by(p);
        self.drag += drag;
        self.drag_moment += moved;
        self.drag_inertia = self.drag_inertia - moved.times_cross(p).symmetric_part();
    }
}

/// Symmetric part of `p f^T`.
pub(crate) fn lever<T: Real>(p: Vec3<T>, f: Vec3<T>) -> Sym3<T> {
    Mat3::outer(p, f).symmetric_part()
}

/// The stiffness of forces with this p f^T: minus the derivative of the torque p x f is (p.f) 1 - p f^T.
pub(crate) fn hanging<T: Real>(lever: Sym3<T>) -> Sym3<T> {
    Sym3::diagonal(Vec3::splat(lever.trace())) - lever
}
