//! Keeps violent motion bounded, joint by joint; inactive in ordinary motion. Whole trees:
//! `world/energy_limiter.rs`.
//!
//! **Velocity products.** Gyroscopic and centrifugal terms are explicit, so above |omega| h of about 1/2
//! they feed energy in. The angular velocity in those terms is limited to half a radian per step.
//!
//! **Joint velocities.** A joint that turns more than a radian per step is slowed down before it turns,
//! the more the faster it is.
//!
//! **Range of numbers.** A force of 1e6 N on a leaf without mass overflows f32. No joint gains more than
//! 1e4 radians per step within a step. No piece flies faster than light, nor does any part of it because
//! of spin.

use crate::math::{Real, Vec3};

/// Angle per step up to which velocity products see the angular velocity, rad.
const IN_PRODUCTS: f64 = 0.5;
/// Angle per step above which a joint is slowed down, rad.
pub const IN_JOINTS: f64 = 1.0;
/// Angle per step that a joint may gain in one step before it is slowed down, rad.
const GAIN: f64 = 1e4;
/// Largest velocity, m/s.
pub const FASTEST: f64 = 3e8;
/// Largest spin, rad/s: at it, a point a micrometre from the axis (the smallest measure of a plant)
/// reaches that velocity.
pub const FASTEST_SPIN: f64 = FASTEST / 1e-6;

/// The largest angular acceleration in a step, rad/s².
pub fn largest_rate<T: Real>(h: T) -> T {
    T::of(GAIN) / (h * h)
}

/// Limits an angular acceleration to the range of numbers, rad/s².
pub fn rate<T: Real>(rate: Vec3<T>, h: T) -> Vec3<T> {
    bounded(rate, largest_rate(h))
}

/// Limits a velocity to the range of numbers, m/s.
pub fn velocity<T: Real>(velocity: Vec3<T>) -> Vec3<T> {
    bounded(velocity, T::of(FASTEST))
}

/// Limits an acceleration to the range of numbers, m/s².
pub fn acceleration<T: Real>(acceleration: Vec3<T>, h: T) -> Vec3<T> {
    bounded(acceleration, T::of(FASTEST) / h)
}

/// Limits the length to `most`, even if its square overflows; zero if the vector is not finite.
fn bounded<T: Real>(v: Vec3<T>, most: T) -> Vec3<T> {
    // NaN fails this comparison, too.
    if v.x.abs() + v.y.abs() + v.z.abs() <= most {
        return v;
    }
    let largest = v.x.abs().max(v.y.abs()).max(v.z.abs());
    if v.is_finite() { (v / largest).limited_to(most / largest) * largest } else { Vec3::zero() }
}

/// The largest angular velocity in velocity products, rad/s; infinite for a step of zero.
pub fn fastest_in_products<T: Real>(h: T) -> T {
    T::of(IN_PRODUCTS) / h
}

/// The angular velocity that velocity products may use, rad/s.
pub fn in_products<T: Real>(omega: Vec3<T>, h: T) -> Vec3<T> {
    omega.limited_to(fastest_in_products(h))
}

/// The joint velocity after limiting, rad/s: `w` itself up to one radian per step, and less than that
/// beyond.
pub fn joint_velocity<T: Real>(w: Vec3<T>, h: T) -> Vec3<T> {
    let limit = T::of(IN_JOINTS);
    if w.length_squared() * h * h <= limit * limit {
        return w;
    }
    // The largest component is tested first: the square of a violent velocity may overflow.
    let largest = w.x.abs().max(w.y.abs()).max(w.z.abs()) * h;
    if largest.is_finite() && largest < T::of(1e12) {
        let angle = w.length() * h;
        // Continuous at the limit and falling from there: limit^2 / angle.
        return w * (limit / angle).min(T::one()).powi(2);
    }
    Vec3::zero()
}

/// How strongly the force `pull` at the end of `arm` holds the direction of a body: `r.f` where it pulls
/// outward, N m.
pub fn taut<T: Real>(arm: Vec3<T>, pull: Vec3<T>) -> T {
    let along = arm.dot(pull);
    if along > T::zero() && along.is_finite() { along } else { T::zero() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Up to half a radian per step all guards return their input bit for bit.
    #[test]
    fn ordinary_motion_is_not_touched() {
        for i in 0..10_000_u32 {
            let h = 10_f32.powf(-6.0 + 5.0 * (i % 101) as f32 / 100.0);
            let angle = 0.499 * (i % 97) as f32 / 96.0;
            let direction = Vec3::new((i as f32).sin(), (i as f32 * 1.7).cos(), (i as f32 * 0.3).sin());
            let w = direction * (angle / h / direction.length());
            assert_eq!(in_products(w, h), w);
            assert_eq!(joint_velocity(w, h), w);
            assert_eq!(rate(w / h, h), w / h);
            assert_eq!(velocity(w), w);
        }
    }
}
