//! Joint limits: an inelastic stop, whose reaction acts on the parent.
//!
//! A joint that is beyond its limit, or would pass it within the step, gets a spring against the surplus,
//! so stiff that a step removes ten elevenths of it. A static load on the stop is carried by the torque
//! that the stop had in the last step, so that a joint rests at its limit and not beyond it. Any surplus
//! beyond [`SLACK`] that is left is clamped. Angles are those from the rest shape, whatever winding holds
//! it against gravity. A limit of zero is a rigid axis (`params/values.rs`).

use super::{Joint, JointState, Spring};
use crate::math::{Quat, Real, Sym3, Vec3, exp, log};

/// Stiffness of the stop times h², over the inertia that it stops.
const STIFFNESS: f64 = 10.0;
/// Largest angle by which a joint may be beyond its limit, rad.
const SLACK: f64 = 1e-3;
/// A stop keeps carrying a load up to this far before the limit, rad.
const NEAR: f64 = 1e-3;

/// The rotation from the rest shape, of a joint that is turned by `q` from the relaxed frame of its
/// spring.
pub fn from_rest<T: Real>(joint: &Joint<T>, q: Quat<T>) -> Quat<T> {
    joint.shape.inverse() * joint.neutral * q
}

/// The inverse: from a rotation out of the rest shape to one out of the relaxed frame.
pub fn from_relaxed<T: Real>(joint: &Joint<T>, turned: Quat<T>) -> Quat<T> {
    joint.neutral.inverse() * joint.shape * turned
}

/// The torque of the stops (body axes) and their h² K, for a joint with the inertia `inertia` in body
/// axes that is turned by `theta` from its rest shape. `joint_torque` is the joint's torque in the last
/// step less that of its spring; `kick` is the change of velocities per acceleration.
pub fn stops<T: Real>(
    spring: &Spring<T>,
    theta: Vec3<T>,
    w: Vec3<T>,
    inertia: Sym3<T>,
    joint_torque: Vec3<T>,
    (h, kick): (T, T),
) -> Option<(Vec3<T>, Sym3<T>)> {
    let mut torque = Vec3::zero();
    let mut stiffness = Sym3::zero();
    let mut any = false;
    for (part, limit) in parts(theta, spring) {
        let angle = part.length();
        if limit.is_infinite() {
            continue;
        }
        let axis = if angle > T::of(1e-6) { part / angle } else { continue };
        let surplus = angle + h * axis.dot(w) - limit;
        let leaning = (-axis.dot(joint_torque)).max(T::zero());
        if surplus > T::zero() || leaning > T::zero() && angle > limit - T::of(NEAR) {
            let k = T::of(STIFFNESS) * axis.dot(inertia * axis) / (h * kick);
            torque -= axis * (leaning + k * surplus).max(T::zero());
            stiffness += Sym3::outer(axis, k * h * kick);
            any = true;
        }
    }
    any.then_some((torque, stiffness))
}

/// Puts a joint back onto its limit and removes the velocity that would leave it again.
pub fn clamp<T: Real>(spring: &Spring<T>, joint: &Joint<T>, state: &mut JointState<T>) {
    if spring.bend_limit.is_infinite() && spring.twist_limit.is_infinite() {
        return;
    }
    let slack = T::of(SLACK);
    let most = Spring { bend_limit: spring.bend_limit + slack, twist_limit: spring.twist_limit + slack, ..*spring };
    let clamped = clamped_vector(&most, log(from_rest(joint, state.q)).theta);
    if let Some(theta) = clamped {
        state.w = without_surplus(&most, theta, state.w);
        state.q = from_relaxed(joint, exp(theta)).normalized();
    }
}

/// A joint velocity without the part that would leave the limits again.
pub fn without_surplus<T: Real>(spring: &Spring<T>, theta: Vec3<T>, mut w: Vec3<T>) -> Vec3<T> {
    for (part, limit) in parts(theta, spring) {
        let angle = part.length();
        if angle >= limit * T::of(0.999) && angle > T::zero() {
            let axis = part / angle;
            w -= axis * axis.dot(w).max(T::zero());
        }
    }
    w
}

/// The nearest rotation vector within the limits; none if the rotation is within them already.
pub fn clamped_vector<T: Real>(spring: &Spring<T>, theta: Vec3<T>) -> Option<Vec3<T>> {
    let [(bend, bend_limit), (twist, twist_limit)] = parts(theta, spring);
    if bend.length() <= bend_limit && twist.length() <= twist_limit {
        return None;
    }
    Some(bend.limited_to(bend_limit) + twist.limited_to(twist_limit))
}

/// Bending and twist with their limits.
fn parts<T: Real>(theta: Vec3<T>, spring: &Spring<T>) -> [(Vec3<T>, T); 2] {
    let o = T::zero();
    [(Vec3::new(theta.x, o, theta.z), spring.bend_limit), (Vec3::new(o, theta.y, o), spring.twist_limit)]
}
