//! Matrices of three by three.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use windfall_core::glam::DMat3;

use super::{Real, Sym3, Vec3};

/// A matrix, stored by rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mat3<T> {
    /// The rows.
    pub rows: [Vec3<T>; 3],
}

impl<T: Real> Mat3<T> {
    /// From rows.
    pub fn from_rows(a: Vec3<T>, b: Vec3<T>, c: Vec3<T>) -> Self {
        Self { rows: [a, b, c] }
    }

    /// From columns.
    pub fn from_columns(a: Vec3<T>, b: Vec3<T>, c: Vec3<T>) -> Self {
        Self::from_rows(a, b, c).transpose()
    }

    /// Zero.
    pub fn zero() -> Self {
        Self { rows: [Vec3::zero(); 3] }
    }

    /// The identity.
    pub fn identity() -> Self {
        Sym3::diagonal(Vec3::splat(T::one())).full()
    }

    /// The matrix of the cross product: `cross(r) v = r x v`.
    pub fn cross(r: Vec3<T>) -> Self {
        let o = T::zero();
        Self::from_rows(Vec3::new(o, -r.z, r.y), Vec3::new(r.z, o, -r.x), Vec3::new(-r.y, r.x, o))
    }

    /// `[r]x M`.
    pub fn crossed_by(self, r: Vec3<T>) -> Self {
        let [a, b, c] = self.rows;
        Self::from_rows(c * r.y - b * r.z, a * r.z - c * r.x, b * r.x - a * r.y)
    }

    /// `M [r]x`.
    pub fn times_cross(self, r: Vec3<T>) -> Self {
        let [a, b, c] = self.rows;
        Self::from_rows(a.cross(r), b.cross(r), c.cross(r))
    }

    /// `a b^T`.
    pub fn outer(a: Vec3<T>, b: Vec3<T>) -> Self {
        Self::from_rows(b * a.x, b * a.y, b * a.z)
    }

    /// The nearest matrix of this precision.
    pub fn of(m: DMat3) -> Self {
        Self::from_columns(Vec3::of(m.x_axis), Vec3::of(m.y_axis), Vec3::of(m.z_axis))
    }

    /// Rows and columns exchanged.
    pub fn transpose(self) -> Self {
        let [a, b, c] = self.rows;
        Self::from_rows(Vec3::new(a.x, b.x, c.x), Vec3::new(a.y, b.y, c.y), Vec3::new(a.z, b.z, c.z))
    }

    /// The transpose times a vector.
    pub fn transpose_mul(self, v: Vec3<T>) -> Vec3<T> {
        let [a, b, c] = self.rows;
        a * v.x + b * v.y + c * v.z
    }

    /// A column.
    pub fn column(self, i: usize) -> Vec3<T> {
        self.transpose().rows[i]
    }

    /// The mean of the matrix and its transpose.
    pub fn symmetric_part(self) -> Sym3<T> {
        let half = T::of(0.5);
        let [a, b, c] = self.rows;
        Sym3 { xx: a.x, yy: b.y, zz: c.z, xy: half * (a.y + b.x), xz: half * (a.z + c.x), yz: half * (b.z + c.y) }
    }
}

impl<T: Real> Mul<Vec3<T>> for Mat3<T> {
    type Output = Vec3<T>;
    fn mul(self, v: Vec3<T>) -> Vec3<T> {
        Vec3::new(self.rows[0].dot(v), self.rows[1].dot(v), self.rows[2].dot(v))
    }
}

impl<T: Real> Mul for Mat3<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let [p, q, r] = o.rows;
        let [a, b, c] = self.rows;
        let row = |v: Vec3<T>| p * v.x + q * v.y + r * v.z;
        Self::from_rows(row(a), row(b), row(c))
    }
}

impl<T: Real> Mul<T> for Mat3<T> {
    type Output = Self;
    fn mul(self, s: T) -> Self {
        let [a, b, c] = self.rows;
        Self::from_rows(a * s, b * s, c * s)
    }
}

impl<T: Real> Add for Mat3<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let ([a, b, c], [p, q, r]) = (self.rows, o.rows);
        Self::from_rows(a + p, b + q, c + r)
    }
}

impl<T: Real> AddAssign for Mat3<T> {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<T: Real> Sub for Mat3<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        let ([a, b, c], [p, q, r]) = (self.rows, o.rows);
        Self::from_rows(a - p, b - q, c - r)
    }
}

impl<T: Real> Neg for Mat3<T> {
    type Output = Self;
    fn neg(self) -> Self {
        let [a, b, c] = self.rows;
        Self::from_rows(-a, -b, -c)
    }
}
