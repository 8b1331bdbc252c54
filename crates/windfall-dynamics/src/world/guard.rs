//! Keeps violent motion bounded, joint by joint; does nothing in ordinary motion. `calm.rs` looks at whole trees.
//!
//! **Velocity products.** Gyroscopic and centrifugal terms are explicit, so above |omega| h of about 1/2 they feed energy in. The angular
//! velocity in those terms is not let above half a radian per step.
//!
//! **Joint velocities.** A joint that turns more than a radian per step is slowed down before it turns, the more the faster it is.
//!
//! **Tension.** A force f that pulls at the end of an arm r of a body holds its direction as a spring would, with the stiffness
//! `G = (r.f) (1 - r r^T / r^2)`. Such a spring (a twig pulled taut by a hand out of its reach, a heavy load on a light stalk, a leaf
//! in a centrifuge) is not among the joint springs, and explicit it is unstable from `h^2 G / A = 4` on. With f the forces at the joints in the
//! last step and z = h² tr G / tr A,
//!
//! ```text
//! A += s h^2 G,    n += s h G omega,    s = 0 up to z = 1, z - 1 up to z = 2, 1 beyond
//! ```
//!
//! which is backward Euler for what a step can't resolve. In pieces that fly nothing holds on to the world and s is 0.

use crate::math::{Real, Sym3, Vec3};

/// Angle per step that velocity products may see, rad.
const IN_PRODUCTS: f64 = 0.5;
/// Angle per step above which a joint is slowed down, rad.
const IN_JOINTS: f64 = 1.0;

/// The angular velocity that velocity products may use, rad/s; all of it for a step of zero.
pub fn in_products<T: Real>(omega: Vec3<T>, h: T) -> Vec3<T> {
    omega.limited_to(T::of(IN_PRODUCTS) / h)
}

/// The joint velocity that is left of `w`, rad/s: `w` itself up to one radian per step, and less than that beyond.
pub fn joint_velocity<T: Real>(w: Vec3<T>, h: T) -> Vec3<T> {
    let limit = T::of(IN_JOINTS);
    // The largest component first: the square of a violent velocity may overflow.
    let largest = w.x.abs().max(w.y.abs()).max(w.z.abs()) * h;
    if largest.is_finite() && largest < T::of(1e12) {
        let angle = w.length() * h;
        // Through the limit and falling from there: limit^2 / angle.
        return if angle <= limit { w } else { w * (limit / angle).powi(2) };
    }
    Vec3::zero()
}

/// The stiffness that the force `pull` at the end of `arm` gives to a body: `(r.f) (1 - r r^T / r^2)` where it pulls outward, N m.
pub fn taut<T: Real>(arm: Vec3<T>, pull: Vec3<T>) -> Sym3<T> {
    let along = arm.dot(pull);
    let square = arm.length_squared();
    if along > T::zero() && along.is_finite() && square > T::zero() {
        Sym3::diagonal(Vec3::splat(along)) + Sym3::outer(arm, -along / square)
    } else {
        Sym3::zero()
    }
}

/// What tension adds to the inertia of a body that turns with `omega`, and its torque against it.
pub fn tension<T: Real>(taut: Sym3<T>, inertia: Sym3<T>, omega: Vec3<T>, h: T) -> Option<(Sym3<T>, Vec3<T>)> {
    let z = h * h * taut.trace() / inertia.trace();
    let one = T::one();
    (z > one).then(|| {
        let late = taut * (h * (z - one).min(one));
        (late * h, late * omega)
    })
}
