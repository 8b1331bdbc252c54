//! The articulated inertia of a body, and the intermediate results that are kept between the sweeps.

use super::rows::lanes;
use super::{Lumped, Motion};
use crate::math::{Factored, Mat3, Real, Sym3, Vec3};

/// `[N; F] = [A B; B^T M] [alpha; a] + [n; f]`: see the head of [`crate::implicit`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Articulated<T> {
    /// A, kg m².
    pub inertia: Sym3<T>,
    /// B, kg m.
    pub coupling: Mat3<T>,
    /// M, kg.
    pub mass: Sym3<T>,
    /// n, N m.
    pub torque: Vec3<T>,
    /// f, N.
    pub force: Vec3<T>,
}

/// Intermediate results of one joint, kept between the sweeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work<T> {
    /// The articulated body: this body and all its descendants.
    pub body: Articulated<T>,
    /// D.
    pub joint: Factored<T>,
    /// u, N m.
    pub push: Vec3<T>,
}

/// The same for a leaf with no loads but air and weight, in its own axes: its centre lies on y, so many
/// entries are zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeafWork<T> {
    /// J: about the centre, with the resistance to rotation, kg m².
    pub inertia: Vec3<T>,
    /// Mass along each axis, with the resistance, kg.
    pub mass: Vec3<T>,
    /// n and f, including the terms of the joint's own motion.
    pub torque: Vec3<T>,
    pub force: Vec3<T>,
    /// 1 / D.
    pub joint: Vec3<T>,
    /// u, including these terms, N m.
    pub push: Vec3<T>,
}

lanes!(Articulated { inertia, coupling, mass, torque, force });
lanes!(Work { body, joint, push });
lanes!(LeafWork { inertia, mass, torque, force, joint, push });

impl<T: Real> Work<T> {
    pub fn zero() -> Self {
        Self { body: Articulated::zero(), joint: Factored::rigid(), push: Vec3::zero() }
    }
}

impl<T: Real> LeafWork<T> {
    pub fn zero() -> Self {
        let v = Vec3::zero();
        Self { inertia: v, mass: v, torque: v, force: v, joint: v, push: v }
    }
}

impl<T: Real> Articulated<T> {
    pub fn zero() -> Self {
        Self {
            inertia: Sym3::zero(),
            coupling: Mat3::zero(),
            mass: Sym3::zero(),
            torque: Vec3::zero(),
            force: Vec3::zero(),
        }
    }

    /// Adds a rigid body that turns with `omega`; `moment` is its mass times centre in world axes.
    pub fn add_rigid(&mut self, mass: &Lumped<T>, moment: Vec3<T>, motion: &Motion<T>, omega: Vec3<T>) {
        let inertia = mass.inertia.turned(motion.rotation());
        self.inertia += inertia;
        self.coupling += Mat3::cross(moment);
        self.mass.xx += mass.mass;
        self.mass.yy += mass.mass;
        self.mass.zz += mass.mass;
        self.torque += omega.cross(inertia * omega);
        self.force += omega.cross(omega.cross(moment));
    }

    /// Adds a resistance to the acceleration of the point at `p`, with the force `-g a`, as a mass has,
    /// and the force `f` at that point. `centripetal` is the part of the point's acceleration that does
    /// not come from alpha and a, less gravity.
    pub fn add_at(&mut self, p: Vec3<T>, g: Sym3<T>, f: Vec3<T>, centripetal: Vec3<T>) {
        let pulled = g.full().crossed_by(p);
        self.inertia = self.inertia - pulled.times_cross(p).symmetric_part();
        self.coupling += pulled;
        self.mass += g;
        let f = g * centripetal - f;
        self.force += f;
        self.torque += p.cross(f);
    }

    /// Adds the part of a child whose joint is at `r` from this body's joint; its terms are about the
    /// child's joint.
    pub fn add_child(&mut self, child: &Self, r: Vec3<T>) {
        let moved = child.mass.full().crossed_by(r);
        let coupled = (child.coupling + child.coupling + moved).times_cross(r);
        self.inertia = self.inertia + child.inertia - coupled.symmetric_part();
        self.coupling += child.coupling + moved;
        self.mass += child.mass;
        self.torque += child.torque + r.cross(child.force);
        self.force += child.force;
    }

    /// Whether this can be the part of `whole` that is transmitted through a joint: finite, and with an
    /// inertia and a mass between zero and those of the whole.
    pub fn is_part_of(&self, whole: &Self) -> bool {
        let slack = T::of(1e-3);
        let between = |part: Sym3<T>, whole: Sym3<T>| {
            let most = whole.trace() * (T::one() + slack);
            let least = -whole.trace() * slack;
            part.xx.min(part.yy).min(part.zz) >= least && part.xx.max(part.yy).max(part.zz) <= most
        };
        let [a, b, c] = self.coupling.rows;
        // A sum is finite only if all its terms are.
        (a + b + c + self.torque + self.force).sum().is_finite()
            && self.inertia.trace().is_finite()
            && between(self.inertia, whole.inertia)
            && between(self.mass, whole.mass)
    }

    /// `alpha` and `a` of a free body.
    pub fn fall(&self) -> (Vec3<T>, Vec3<T>) {
        let mass = self.mass.factor();
        let per_mass = mass.solve_matrix(self.coupling.transpose());
        let inertia = self.inertia - (self.coupling * per_mass).symmetric_part();
        let alpha = inertia.factor().solve(self.coupling * mass.solve(self.force) - self.torque);
        let a = -mass.solve(self.force + self.coupling.transpose_mul(alpha));
        (alpha, a)
    }
}
