//! Vectors of three.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use windfall_core::glam::DVec3;

use super::Real;

/// A vector.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Vec3<T> {
    /// First component.
    pub x: T,
    /// Second component.
    pub y: T,
    /// Third component.
    pub z: T,
}

impl<T: Real> Vec3<T> {
    /// From components.
    pub fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }

    /// Zero.
    pub fn zero() -> Self {
        Self::splat(T::zero())
    }

    /// The same number in all components.
    pub fn splat(value: T) -> Self {
        Self::new(value, value, value)
    }

    /// The nearest vector of this precision.
    pub fn of(v: DVec3) -> Self {
        Self::new(T::of(v.x), T::of(v.y), T::of(v.z))
    }

    /// The same vector in `f64`.
    pub fn f64(self) -> DVec3 {
        DVec3::new(self.x.f64(), self.y.f64(), self.z.f64())
    }

    /// Inner product.
    pub fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// Cross product.
    pub fn cross(self, o: Self) -> Self {
        Self::new(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)
    }

    /// Product component by component.
    pub fn scale(self, o: Self) -> Self {
        Self::new(self.x * o.x, self.y * o.y, self.z * o.z)
    }

    /// The smaller of each component.
    pub fn min(self, o: Self) -> Self {
        Self::new(self.x.min(o.x), self.y.min(o.y), self.z.min(o.z))
    }

    /// The larger of each component.
    pub fn max(self, o: Self) -> Self {
        Self::new(self.x.max(o.x), self.y.max(o.y), self.z.max(o.z))
    }

    /// Squared length.
    pub fn length_squared(self) -> T {
        self.dot(self)
    }

    /// Length.
    pub fn length(self) -> T {
        self.length_squared().sqrt()
    }

    /// Sum of the components: x + y + z.
    pub fn sum(self) -> T {
        self.x + self.y + self.z
    }

    /// Whether no component is NaN or infinite.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// Limits the length to this.
    pub fn limited_to(self, longest: T) -> Self {
        let square = self.length_squared();
        if square > longest * longest { self * (longest / square.sqrt()) } else { self }
    }
}

impl<T: Real> Add for Vec3<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<T: Real> AddAssign for Vec3<T> {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<T: Real> Sub for Vec3<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<T: Real> SubAssign for Vec3<T> {
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<T: Real> Neg for Vec3<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl<T: Real> Mul<T> for Vec3<T> {
    type Output = Self;
    fn mul(self, s: T) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}

impl<T: Real> Div<T> for Vec3<T> {
    type Output = Self;
    fn div(self, s: T) -> Self {
        Self::new(self.x / s, self.y / s, self.z / s)
    }
}
