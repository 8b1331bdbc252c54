//! Symmetric matrices of three by three: inertias, stiffnesses, and their inverses.

use std::ops::{Add, AddAssign, Mul, Sub};

use super::{Mat3, Real, Vec3};

/// A symmetric matrix.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sym3<T> {
    /// Row 1, column 1.
    pub xx: T,
    /// Row 2, column 2.
    pub yy: T,
    /// Row 3, column 3.
    pub zz: T,
    /// Row 1, column 2.
    pub xy: T,
    /// Row 1, column 3.
    pub xz: T,
    /// Row 2, column 3.
    pub yz: T,
}

impl<T: Real> Sym3<T> {
    /// Zero.
    pub fn zero() -> Self {
        Self::diagonal(Vec3::zero())
    }

    /// A diagonal matrix with these numbers.
    pub fn diagonal(d: Vec3<T>) -> Self {
        let o = T::zero();
        Self { xx: d.x, yy: d.y, zz: d.z, xy: o, xz: o, yz: o }
    }

    /// `v v^T` times a number.
    pub fn outer(v: Vec3<T>, s: T) -> Self {
        Self {
            xx: s * v.x * v.x,
            yy: s * v.y * v.y,
            zz: s * v.z * v.z,
            xy: s * v.x * v.y,
            xz: s * v.x * v.z,
            yz: s * v.y * v.z,
        }
    }

    /// Inertia of a point mass `s` at `r` about the origin: `-s [r]x [r]x`.
    pub fn point_inertia(r: Vec3<T>, s: T) -> Self {
        let (x, y, z) = (r.x * r.x, r.y * r.y, r.z * r.z);
        Self { xx: s * (y + z), yy: s * (x + z), zz: s * (x + y), ..Self::outer(r, -s) }
    }

    /// The full matrix.
    pub fn full(self) -> Mat3<T> {
        Mat3::from_rows(
            Vec3::new(self.xx, self.xy, self.xz),
            Vec3::new(self.xy, self.yy, self.yz),
            Vec3::new(self.xz, self.yz, self.zz),
        )
    }

    /// Sums of the absolute values of each row: as a diagonal matrix an upper bound of this one
    /// (Gershgorin).
    pub fn row_sums(self) -> Vec3<T> {
        let (xy, xz, yz) = (self.xy.abs(), self.xz.abs(), self.yz.abs());
        Vec3::new(self.xx.abs() + xy + xz, xy + self.yy.abs() + yz, xz + yz + self.zz.abs())
    }

    /// Sum of the diagonal.
    pub fn trace(self) -> T {
        self.xx + self.yy + self.zz
    }

    /// `r S r^T`: the same tensor in turned axes.
    pub fn turned(self, r: Mat3<T>) -> Self {
        let rows = (r * self.full()).rows;
        let [a, b, c] = r.rows;
        Self {
            xx: rows[0].dot(a),
            yy: rows[1].dot(b),
            zz: rows[2].dot(c),
            xy: rows[0].dot(b),
            xz: rows[0].dot(c),
            yz: rows[1].dot(c),
        }
    }

    /// `r diag(d) r^T`.
    pub fn diagonal_turned(d: Vec3<T>, r: Mat3<T>) -> Self {
        let [a, b, c] = r.rows;
        let (p, q) = (a.scale(d), b.scale(d));
        Self { xx: p.dot(a), yy: q.dot(b), zz: c.scale(d).dot(c), xy: p.dot(b), xz: p.dot(c), yz: q.dot(c) }
    }

    /// `a^T b`, where that is symmetric.
    pub fn product(a: Mat3<T>, b: Mat3<T>) -> Self {
        let ([p, q, r], [u, v, w]) = (a.rows, b.rows);
        Self {
            xx: p.x * u.x + q.x * v.x + r.x * w.x,
            yy: p.y * u.y + q.y * v.y + r.y * w.y,
            zz: p.z * u.z + q.z * v.z + r.z * w.z,
            xy: p.x * u.y + q.x * v.y + r.x * w.y,
            xz: p.x * u.z + q.x * v.z + r.x * w.z,
            yz: p.y * u.z + q.y * v.z + r.y * w.z,
        }
    }

    /// The factors of `L D L^T`, for solving. Pivots that are not positive are replaced by the smallest
    /// positive number that can be inverted, so that solving always gives finite numbers.
    pub fn factor(self) -> Factored<T> {
        let least = (self.xx.abs().max(self.yy.abs()).max(self.zz.abs()) * T::epsilon() * T::of(0.01))
            .max(T::min_positive_value() / T::epsilon());
        let d0 = self.xx.max(least);
        let i0 = d0.recip();
        let (l10, l20) = (self.xy * i0, self.xz * i0);
        let d1 = (self.yy - l10 * self.xy).max(least);
        let i1 = d1.recip();
        let l21 = (self.yz - l20 * self.xy) * i1;
        let d2 = (self.zz - l20 * self.xz - l21 * (self.yz - l20 * self.xy)).max(least);
        Factored { i0, i1, i2: d2.recip(), l10, l20, l21 }
    }
}

/// `L D L^T` of a positive definite matrix.
#[derive(Debug, Clone, Copy)]
pub struct Factored<T> {
    pub(crate) i0: T,
    pub(crate) i1: T,
    pub(crate) i2: T,
    pub(crate) l10: T,
    pub(crate) l20: T,
    pub(crate) l21: T,
}

impl<T: Real> Factored<T> {
    /// The factors of an infinite matrix: all solutions are zero.
    pub fn rigid() -> Self {
        let o = T::zero();
        Self { i0: o, i1: o, i2: o, l10: o, l20: o, l21: o }
    }

    /// Solves `S x = b`.
    pub fn solve(&self, b: Vec3<T>) -> Vec3<T> {
        let y1 = b.y - self.l10 * b.x;
        let y2 = b.z - self.l20 * b.x - self.l21 * y1;
        let z = y2 * self.i2;
        let y = y1 * self.i1 - self.l21 * z;
        let x = b.x * self.i0 - self.l10 * y - self.l20 * z;
        Vec3::new(x, y, z)
    }

    /// Solves `S X = B` for a matrix.
    pub fn solve_matrix(&self, b: Mat3<T>) -> Mat3<T> {
        let [p, q, r] = b.transpose().rows;
        Mat3::from_columns(self.solve(p), self.solve(q), self.solve(r))
    }
}

impl<T: Real> Mul<Vec3<T>> for Sym3<T> {
    type Output = Vec3<T>;
    fn mul(self, v: Vec3<T>) -> Vec3<T> {
        Vec3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
}

impl<T: Real> Mul<T> for Sym3<T> {
    type Output = Self;
    fn mul(self, s: T) -> Self {
        Self { xx: self.xx * s, yy: self.yy * s, zz: self.zz * s, xy: self.xy * s, xz: self.xz * s, yz: self.yz * s }
    }
}

impl<T: Real> Add for Sym3<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self {
            xx: self.xx + o.xx,
            yy: self.yy + o.yy,
            zz: self.zz + o.zz,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yz: self.yz + o.yz,
        }
    }
}

impl<T: Real> AddAssign for Sym3<T> {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<T: Real> Sub for Sym3<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + o * -T::one()
    }
}
