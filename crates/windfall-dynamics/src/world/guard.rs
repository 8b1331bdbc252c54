//! Keeps violent motion bounded; does nothing in ordinary motion.
//!
//! Gyroscopic and centrifugal terms are explicit, so above |omega| h of about 1/2 they feed energy in. Two things together
//! stop that: the angular velocity in those terms is not let above half a radian per step (alone this keeps the state finite but
//! leaves soft joints spinning), and a joint that turns more than a radian per step is slowed down, the more the faster it is.

use crate::math::{Real, Vec3};

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
