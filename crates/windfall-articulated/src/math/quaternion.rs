//! Unit quaternions.

use std::ops::Mul;

use windfall_core::glam::DQuat;

use super::{Mat3, Real, Vec3};

/// A rotation as a unit quaternion `w + (x, y, z)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quat<T> {
    /// Axis times the sine of half the angle.
    pub v: Vec3<T>,
    /// Cosine of half the angle.
    pub w: T,
}

impl<T: Real> Quat<T> {
    /// No rotation.
    pub fn identity() -> Self {
        Self { v: Vec3::zero(), w: T::one() }
    }

    /// The nearest quaternion of this precision, of unit length.
    pub fn of(q: DQuat) -> Self {
        let q = q.normalize();
        Self { v: Vec3::new(T::of(q.x), T::of(q.y), T::of(q.z)), w: T::of(q.w) }
    }

    /// The same rotation in `f64`, of unit length.
    pub fn f64(self) -> DQuat {
        DQuat::from_xyzw(self.v.x.f64(), self.v.y.f64(), self.v.z.f64(), self.w.f64()).normalize()
    }

    /// The inverse rotation.
    pub fn inverse(self) -> Self {
        Self { v: -self.v, w: self.w }
    }

    /// Normalised again, after rounding errors.
    pub fn normalized(self) -> Self {
        let excess = self.v.length_squared() + self.w * self.w - T::one();
        // Products leave so small an error that one step of Newton's method for 1/sqrt is exact.
        let s = if excess * excess < T::epsilon() {
            T::one() - excess * T::of(0.5)
        } else {
            (T::one() + excess).sqrt().recip()
        };
        Self { v: self.v * s, w: self.w * s }
    }

    /// The same rotation as a matrix.
    pub fn matrix(self) -> Mat3<T> {
        let (one, two) = (T::one(), T::of(2.0));
        let Self { v: Vec3 { x, y, z }, w } = self;
        Mat3::from_rows(
            Vec3::new(one - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)),
            Vec3::new(two * (x * y + w * z), one - two * (x * x + z * z), two * (y * z - w * x)),
            Vec3::new(two * (x * z - w * y), two * (y * z + w * x), one - two * (x * x + y * y)),
        )
    }

    /// Turns a vector.
    pub fn rotate(self, v: Vec3<T>) -> Vec3<T> {
        let t = self.v.cross(v) * T::of(2.0);
        v + t * self.w + self.v.cross(t)
    }
}

impl<T: Real> Mul for Quat<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self { v: o.v * self.w + self.v * o.w + self.v.cross(o.v), w: self.w * o.w - self.v.dot(o.v) }
    }
}
