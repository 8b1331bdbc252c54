//! Rotations and rotation vectors: exp, log, and the Jacobians between their velocities.
//!
//! With theta the rotation vector of a joint and w the angular velocity of the child relative to its parent in the
//! child's axes, `theta' = J_r^-1(theta) w`, where (Chirikjian 2012, eq. 10.86)
//!
//! ```text
//! J_r^-1(theta) = 1 + [theta]x / 2 + c [theta]x^2        c = 1/t^2 - (1 + cos t) / (2 t sin t),   t = |theta|
//! ```
//!
//! A spring with the energy `theta^T K theta / 2` exerts the torque `-J_r^-T K theta` in the child's axes.

use super::{Mat3, Quat, Real, Vec3};

/// The rotation with this rotation vector.
pub fn exp<T: Real>(theta: Vec3<T>) -> Quat<T> {
    let square = theta.length_squared();
    if square < T::of(1e-4) {
        // sin(t/2)/t and cos(t/2); the next terms are below 1e-15.
        let s = T::of(0.5) - square * (T::of(1.0 / 48.0) - square * T::of(1.0 / 3840.0));
        let w = T::one() - square * (T::of(0.125) - square * (T::of(1.0 / 384.0) - square * T::of(1.0 / 46080.0)));
        return Quat { v: theta * s, w };
    }
    let t = square.sqrt();
    let (sine, cosine) = (t * T::of(0.5)).sin_cos();
    Quat { v: theta * (sine / t), w: cosine }
}

/// A rotation vector with what springs need of it.
#[derive(Debug, Clone, Copy)]
pub struct RotationVector<T> {
    /// Axis times angle, the angle between 0 and pi, rad.
    pub theta: Vec3<T>,
    /// The coefficient c of the head of the module.
    pub c: T,
}

/// The rotation vector of a rotation, the short way round: at most half a turn.
pub fn log<T: Real>(q: Quat<T>) -> RotationVector<T> {
    // q and -q are the same rotation; the one with w >= 0 is the short way.
    let (v, w) = if q.w < T::zero() { (-q.v, -q.w) } else { (q.v, q.w) };
    let square = v.length_squared();
    if square < T::of(2.5e-5) {
        // t/sin(t/2) = 2 (1 + s^2/6 + 3 s^4/40) for s = sin(t/2); c = 1/12 + t^2/720.
        let stretch = T::of(2.0) + square * (T::of(1.0 / 3.0) + square * T::of(0.15));
        return RotationVector { theta: v * stretch, c: T::of(1.0 / 12.0) + square * T::of(1.0 / 180.0) };
    }
    let sine = square.sqrt();
    let t = T::of(2.0) * sine.atan2(w);
    // (1 + cos t) / (2 t sin t) = cot(t/2) / (2 t)
    let c = (T::one() - T::of(0.5) * t * w / sine) / (t * t);
    RotationVector { theta: v * (t / sine), c }
}

impl<T: Real> RotationVector<T> {
    /// `J_r^-1`: the rate of the rotation vector over the joint velocity in the child's axes.
    pub fn rate_matrix(&self) -> Mat3<T> {
        // [theta]x^2 = theta theta^T - t^2
        let Vec3 { x, y, z } = self.theta;
        let half = self.theta * T::of(0.5);
        let scaled = self.theta * self.c;
        let diagonal = T::one() - self.c * self.theta.length_squared();
        let (xy, xz, yz) = (scaled.x * y, scaled.x * z, scaled.y * z);
        Mat3::from_rows(
            Vec3::new(diagonal + scaled.x * x, xy - half.z, xz + half.y),
            Vec3::new(xy + half.z, diagonal + scaled.y * y, yz - half.x),
            Vec3::new(xz - half.y, yz + half.x, diagonal + scaled.z * z),
        )
    }

    /// `J_r^-T v`.
    pub fn torque_of(&self, v: Vec3<T>) -> Vec3<T> {
        let a = self.theta.cross(v);
        v - a * T::of(0.5) + self.theta.cross(a) * self.c
    }

    /// `J_r^T v`: the generalised force on the rotation vector of a torque in the child's axes.
    pub fn force_of(&self, torque: Vec3<T>) -> Vec3<T> {
        let (first, second) = self.coefficients();
        let a = self.theta.cross(torque);
        torque + a * first + self.theta.cross(a) * second
    }

    /// `J_r`: the joint velocity in the child's axes over the rate of the rotation vector,
    /// `1 - (1 - cos t) / t^2 [theta]x + (t - sin t) / t^3 [theta]x^2`.
    pub fn turn_matrix(&self) -> Mat3<T> {
        let (first, second) = self.coefficients();
        let cross = Mat3::cross(self.theta);
        Mat3::identity() - cross * first + cross * cross * second
    }

    /// `(1 - cos t) / t^2` and `(t - sin t) / t^3`.
    fn coefficients(&self) -> (T, T) {
        let square = self.theta.length_squared();
        if square < T::of(0.01) {
            // The next terms are below 1e-12.
            let first = T::of(0.5)
                - square * (T::of(1.0 / 24.0) - square * (T::of(1.0 / 720.0) - square * T::of(1.0 / 40320.0)));
            let second = T::of(1.0 / 6.0)
                - square * (T::of(1.0 / 120.0) - square * (T::of(1.0 / 5040.0) - square * T::of(1.0 / 362880.0)));
            return (first, second);
        }
        let t = square.sqrt();
        let (sine, cosine) = t.sin_cos();
        ((T::one() - cosine) / square, (t - sine) / (square * t))
    }
}
