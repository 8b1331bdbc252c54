//! Composite bodies: a body and everything that hangs on it, as if it were rigid.

use windfall_core::glam::DVec3;

use crate::math::{Mat3, Real, Sym3, Vec3};
use crate::world::block::{Lumped, Motion};

/// Mass, inertia, external force and the resistance of drag of a composite body, about its joint, world axes.
///
/// (1) to (4) of the paper, with all terms about the joint of the body instead of the composite's centre of mass: each
/// child is shifted by the vector between two joints, and inertia is a sum of positive terms.
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
    /// Sum of p f^T over all external forces f at p, N m: how their torque changes as the composite turns.
    pub lever: Mat3<T>,
    /// -dF/dv of all drag: sum of G, of [p]x G, and of -[p]x G [p]x.
    pub drag: Sym3<T>,
    pub drag_moment: Mat3<T>,
    pub drag_inertia: Sym3<T>,
    /// How the torque of the wind on the body itself changes with its angle, N m/rad; that of its children is theirs.
    pub aerial: Sym3<T>,
}

impl<T: Real> Composite<T> {
    pub fn zero() -> Self {
        Self {
            mass: T::zero(),
            moment: Vec3::zero(),
            inertia: Sym3::zero(),
            force: Vec3::zero(),
            torque: Vec3::zero(),
            lever: Mat3::zero(),
            drag: Sym3::zero(),
            drag_moment: Mat3::zero(),
            drag_inertia: Sym3::zero(),
            aerial: Sym3::zero(),
        }
    }

    /// Adds a body itself, with its weight.
    pub fn add_body(&mut self, mass: &Lumped<T>, motion: &Motion<T>, gravity: Vec3<T>) {
        let moment = motion.rotation() * mass.moment;
        self.mass += mass.mass;
        self.moment += moment;
        self.inertia += mass.inertia.turned(motion.rotation());
        self.force += gravity * mass.mass;
        self.torque += moment.cross(gravity);
        self.lever += Mat3::outer(moment, gravity);
    }

    /// Adds the composite of a child whose joint is at `r` from this joint. [quigley2017] eq. 1 to 4
    pub fn add_child(&mut self, child: &Self, r: Vec3<T>) {
        self.mass += child.mass;
        self.moment += child.moment + r * child.mass;
        // About this joint: I - [r][h] - [h][r] - m [r][r], h = mass times centre about the child's joint.
        let mixed = Mat3::cross(child.moment).crossed_by(r);
        self.inertia =
            self.inertia + child.inertia + Sym3::point_inertia(r, child.mass) - (mixed + mixed).symmetric_part();
        self.force += child.force;
        self.torque += child.torque + r.cross(child.force);
        self.lever += child.lever + Mat3::outer(r, child.force);
        let moved = child.drag.full().crossed_by(r);
        let b = child.drag_moment.times_cross(r);
        self.drag += child.drag;
        self.drag_moment += child.drag_moment + moved;
        self.drag_inertia = self.drag_inertia + child.drag_inertia - (b + b + moved.times_cross(r)).symmetric_part();
    }

    /// Adds a force at `p` with its drag derivative.
    pub fn add_force(&mut self, p: Vec3<T>, force: Vec3<T>, drag: Sym3<T>) {
        self.force += force;
        self.torque += p.cross(force);
        self.lever += Mat3::outer(p, force);
        let moved = drag.full().crossed_by(p);
        self.drag += drag;
        self.drag_moment += moved;
        self.drag_inertia = self.drag_inertia - moved.times_cross(p).symmetric_part();
    }
}

/// The motion of the base of a tree. Its acceleration is felt by all joints as a fictitious force.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<T> {
    /// Of the anchor, m/s².
    pub acceleration: Vec3<T>,
    pub omega: Vec3<T>,
    pub alpha: Vec3<T>,
}

impl<T: Real> Frame<T> {
    /// Of a base.
    pub fn of_base(base: &Motion<T>, gravity: DVec3) -> Self {
        Self { acceleration: base.felt + Vec3::of(gravity), omega: base.omega, alpha: base.alpha }
    }

    /// Acceleration of a point that rests in the frame, m/s².
    pub fn at(&self, position: Vec3<T>) -> Vec3<T> {
        self.acceleration + self.alpha.cross(position) + self.omega.cross(self.omega.cross(position))
    }
}
