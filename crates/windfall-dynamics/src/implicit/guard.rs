//! Keeps violent motion bounded; does nothing as long as bodies turn less than half a radian per step.
//!
//! Gyroscopic and centrifugal terms are explicit, so above |omega| h of about 1/2 they feed energy in. Two things together
//! stop that: the angular velocity in those terms is not let above the limit (alone this keeps the state finite but leaves
//! soft joints spinning), and a joint that turns faster than the limit loses the surplus over a few steps.

use crate::math::{Real, Vec3};

/// Angle per step above which the guard acts, rad.
pub const ANGLE_PER_STEP: f64 = 0.5;

/// The angular velocity that velocity products may use, rad/s.
pub fn in_products<T: Real>(omega: Vec3<T>, h: T) -> Vec3<T> {
    omega.limited_to(T::of(ANGLE_PER_STEP) / h)
}

/// The joint velocity after the surplus has been taken off, rad/s. For any input the result stays below
/// `(ANGLE_PER_STEP + 1) / h`.
pub fn joint_velocity<T: Real>(w: Vec3<T>, h: T) -> Vec3<T> {
    let angle = w.length() * h;
    let limit = T::of(ANGLE_PER_STEP);
    if angle <= limit {
        return w;
    }
    if !angle.is_finite() {
        return Vec3::zero();
    }
    // limit + x / (1 + x): continuous and smooth at the limit, at most limit + 1.
    let surplus = angle - limit;
    w * ((limit + surplus / (T::one() + surplus)) / angle)
}
