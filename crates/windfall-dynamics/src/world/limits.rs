//! Joint limits: an inelastic stop, which the parent feels.
//!
//! A joint that would pass its limit within the step gets a spring against the surplus, so stiff that a step takes up ten
//! elevenths of it; what is left is clamped.

use super::block::{JointState, Spring};
use crate::math::{Real, RotationVector, Sym3, Vec3, exp, log};

/// Stiffness of the stop times h², over the inertia that it stops.
const STIFFNESS: f64 = 10.0;

/// The torque of the stops (body axes) and their h² K, for a joint with the inertia `inertia` in body axes.
pub fn stops<T: Real>(
    spring: &Spring<T>,
    vector: &RotationVector<T>,
    w: Vec3<T>,
    inertia: Sym3<T>,
    h: T,
) -> Option<(Vec3<T>, Sym3<T>)> {
    let mut torque = Vec3::zero();
    let mut stiffness = Sym3::zero();
    let mut any = false;
    for (part, limit) in parts(vector.theta, spring) {
        let angle = part.length();
        if limit.is_infinite() {
            continue;
        }
        let axis = if angle > T::of(1e-6) { part / angle } else { continue };
        let surplus = angle + h * axis.dot(w) - limit;
        if surplus > T::zero() {
            let k = T::of(STIFFNESS) * axis.dot(inertia * axis) / (h * h);
            torque -= axis * (k * surplus);
            stiffness += Sym3::outer(axis, k * h * h);
            any = true;
        }
    }
    any.then_some((torque, stiffness))
}

/// Puts a joint back onto its limit and takes off the velocity that would leave it again.
pub fn clamp<T: Real>(spring: &Spring<T>, state: &mut JointState<T>) {
    if spring.bend_limit.is_infinite() && spring.twist_limit.is_infinite() {
        return;
    }
    let clamped = clamped_vector(spring, log(state.q).theta);
    if let Some(theta) = clamped {
        state.w = without_surplus(spring, theta, state.w);
        state.q = exp(theta);
    }
}

/// A joint velocity without what would leave the limits again.
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

/// The nearest rotation vector within the limits; none if it is within them already.
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
