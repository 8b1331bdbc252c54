//! Vectors and matrices of eight bodies at once. Like `crate::math`, with fused products. All functions
//! are inlined into one with the instructions of the machine; otherwise they would be compiled without
//! them.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

pub use super::number::{F, Mask, Wide, all, eight, less, number, series};
pub use crate::block::rows::LANES;
use crate::math::Vec3;

#[derive(Clone, Copy)]
pub struct V<S: Wide> {
    pub x: F<S>,
    pub y: F<S>,
    pub z: F<S>,
}

impl<S: Wide> V<S> {
    #[inline(always)]
    pub fn new(x: F<S>, y: F<S>, z: F<S>) -> Self {
        Self { x, y, z }
    }

    #[inline(always)]
    pub fn splat(value: F<S>) -> Self {
        Self::new(value, value, value)
    }

    #[inline(always)]
    pub fn all(simd: S, v: Vec3<f32>) -> Self {
        Self::new(all(simd, v.x), all(simd, v.y), all(simd, v.z))
    }

    #[inline(always)]
    pub fn dot(self, o: Self) -> F<S> {
        self.x.mul_add(o.x, self.y.mul_add(o.y, self.z * o.z))
    }

    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self::new(
            self.y.mul_sub(o.z, self.z * o.y),
            self.z.mul_sub(o.x, self.x * o.z),
            self.x.mul_sub(o.y, self.y * o.x),
        )
    }

    #[inline(always)]
    pub fn scale(self, o: Self) -> Self {
        Self::new(self.x * o.x, self.y * o.y, self.z * o.z)
    }

    /// `self o + s`, each component by its own.
    #[inline(always)]
    pub fn scale_plus(self, o: Self, s: Self) -> Self {
        Self::new(self.x.mul_add(o.x, s.x), self.y.mul_add(o.y, s.y), self.z.mul_add(o.z, s.z))
    }

    /// `self s + o`.
    #[inline(always)]
    pub fn times_plus(self, s: F<S>, o: Self) -> Self {
        Self::new(self.x.mul_add(s, o.x), self.y.mul_add(s, o.y), self.z.mul_add(s, o.z))
    }

    /// `self s - o`.
    #[inline(always)]
    fn times_minus(self, s: F<S>, o: Self) -> Self {
        Self::new(self.x.mul_sub(s, o.x), self.y.mul_sub(s, o.y), self.z.mul_sub(s, o.z))
    }

    /// `self + m v`.
    #[inline(always)]
    pub fn plus(self, m: M<S>, v: Self) -> Self {
        let [a, b, c] = m.rows;
        Self::new(a.dot_plus(v, self.x), b.dot_plus(v, self.y), c.dot_plus(v, self.z))
    }

    /// `self + mᵀ v`.
    #[inline(always)]
    pub fn plus_transposed(self, m: M<S>, v: Self) -> Self {
        let [a, b, c] = m.rows;
        a.times_plus(v.x, b.times_plus(v.y, c.times_plus(v.z, self)))
    }

    /// `self . v + s`.
    #[inline(always)]
    fn dot_plus(self, v: Self, s: F<S>) -> F<S> {
        self.x.mul_add(v.x, self.y.mul_add(v.y, self.z.mul_add(v.z, s)))
    }

    /// `self x o + s`.
    #[inline(always)]
    pub fn cross_plus(self, o: Self, s: Self) -> Self {
        // The second factor is negated: the first is mostly a value shared by many rows, whose negation
        // would have to be kept for all of them.
        Self::new(
            self.y.mul_add(o.z, less(s.x, o.y, self.z)),
            self.z.mul_add(o.x, less(s.y, o.z, self.x)),
            self.x.mul_add(o.y, less(s.z, o.x, self.y)),
        )
    }

    #[inline(always)]
    pub fn length_squared(self) -> F<S> {
        self.dot(self)
    }

    #[inline(always)]
    pub fn length(self) -> F<S> {
        self.length_squared().sqrt()
    }

    #[inline(always)]
    pub fn sum(self) -> F<S> {
        self.x + self.y + self.z
    }

    #[inline(always)]
    pub fn min(self, o: F<S>) -> Self {
        Self::new(self.x.min(o), self.y.min(o), self.z.min(o))
    }

    #[inline(always)]
    pub fn max(self, o: F<S>) -> Self {
        Self::new(self.x.max(o), self.y.max(o), self.z.max(o))
    }

    #[inline(always)]
    pub fn over(self, o: Self) -> Self {
        Self::new(self.x / o.x, self.y / o.y, self.z / o.z)
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self::new(self.x.sqrt(), self.y.sqrt(), self.z.sqrt())
    }

    /// Sum of the absolute values.
    #[inline(always)]
    pub fn abs_sum(self) -> F<S> {
        self.x.abs() + self.y.abs() + self.z.abs()
    }

    #[inline(always)]
    pub fn select(mask: Mask<S>, yes: Self, no: Self) -> Self {
        Self::new(mask.select(yes.x, no.x), mask.select(yes.y, no.y), mask.select(yes.z, no.z))
    }
}

impl<S: Wide> Add for V<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<S: Wide> AddAssign for V<S> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<S: Wide> Sub for V<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<S: Wide> Neg for V<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl<S: Wide> Mul<F<S>> for V<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: F<S>) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}

/// A matrix by its rows.
#[derive(Clone, Copy)]
pub struct M<S: Wide> {
    pub rows: [V<S>; 3],
}

impl<S: Wide> M<S> {
    #[inline(always)]
    pub fn new(a: V<S>, b: V<S>, c: V<S>) -> Self {
        Self { rows: [a, b, c] }
    }

    #[inline(always)]
    pub fn transpose(self) -> Self {
        let [a, b, c] = self.rows;
        Self::new(V::new(a.x, b.x, c.x), V::new(a.y, b.y, c.y), V::new(a.z, b.z, c.z))
    }

    #[inline(always)]
    pub fn column(self, i: usize) -> V<S> {
        self.transpose().rows[i]
    }

    #[inline(always)]
    pub fn transpose_mul(self, v: V<S>) -> V<S> {
        let [a, b, c] = self.rows;
        a.times_plus(v.x, b.times_plus(v.y, c * v.z))
    }

    /// The same for a vector that is the same for all bodies, and mostly upright.
    #[inline(always)]
    pub fn transpose_mul_upright(self, v: Vec3<f32>) -> V<S> {
        let [_, b, _] = self.rows;
        let simd = b.x.simd;
        if v.x == 0.0 && v.z == 0.0 { b * all(simd, v.y) } else { self.transpose_mul(V::all(simd, v)) }
    }

    /// `[r]x M`.
    #[inline(always)]
    pub fn crossed_by(self, r: V<S>) -> Self {
        let [a, b, c] = self.rows;
        Self::new(c.times_minus(r.y, b * r.z), a.times_minus(r.z, c * r.x), b.times_minus(r.x, a * r.y))
    }

    /// `M [r]x`.
    #[inline(always)]
    pub fn times_cross(self, r: V<S>) -> Self {
        let [a, b, c] = self.rows;
        Self::new(a.cross(r), b.cross(r), c.cross(r))
    }

    /// The same where that is symmetric.
    #[inline(always)]
    pub fn times_cross_symmetric(self, r: V<S>) -> Sym<S> {
        let [a, b, c] = self.rows;
        Sym {
            xx: a.y.mul_sub(r.z, a.z * r.y),
            yy: b.z.mul_sub(r.x, b.x * r.z),
            zz: c.x.mul_sub(r.y, c.y * r.x),
            xy: a.z.mul_sub(r.x, a.x * r.z),
            xz: a.x.mul_sub(r.y, a.y * r.x),
            yz: b.x.mul_sub(r.y, b.y * r.x),
        }
    }

    #[inline(always)]
    pub fn symmetric_part(self) -> Sym<S> {
        let [a, b, c] = self.rows;
        let half = all(a.x.simd, 0.5);
        Sym { xx: a.x, yy: b.y, zz: c.z, xy: half * (a.y + b.x), xz: half * (a.z + c.x), yz: half * (b.z + c.y) }
    }

    #[inline(always)]
    pub fn select(mask: Mask<S>, yes: Self, no: Self) -> Self {
        let ([a, b, c], [p, q, r]) = (yes.rows, no.rows);
        Self::new(V::select(mask, a, p), V::select(mask, b, q), V::select(mask, c, r))
    }
}

impl<S: Wide> Add for M<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        let ([a, b, c], [p, q, r]) = (self.rows, o.rows);
        Self::new(a + p, b + q, c + r)
    }
}

impl<S: Wide> Mul<V<S>> for M<S> {
    type Output = V<S>;
    #[inline(always)]
    fn mul(self, v: V<S>) -> V<S> {
        let [a, b, c] = self.rows;
        V::new(a.dot(v), b.dot(v), c.dot(v))
    }
}

impl<S: Wide> Mul for M<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let [a, b, c] = self.rows;
        Self::new(o.transpose_mul(a), o.transpose_mul(b), o.transpose_mul(c))
    }
}

/// A symmetric matrix.
#[derive(Clone, Copy)]
pub struct Sym<S: Wide> {
    pub xx: F<S>,
    pub yy: F<S>,
    pub zz: F<S>,
    pub xy: F<S>,
    pub xz: F<S>,
    pub yz: F<S>,
}

impl<S: Wide> Sym<S> {
    #[inline(always)]
    pub fn full(self) -> M<S> {
        M::new(V::new(self.xx, self.xy, self.xz), V::new(self.xy, self.yy, self.yz), V::new(self.xz, self.yz, self.zz))
    }

    #[inline(always)]
    pub fn trace(self) -> F<S> {
        self.xx + self.yy + self.zz
    }

    #[inline(always)]
    pub fn on_diagonal(self) -> V<S> {
        V::new(self.xx, self.yy, self.zz)
    }

    /// As [`Sym3::row_sums`].
    #[inline(always)]
    pub fn row_sums(self) -> V<S> {
        let (xy, xz, yz) = (self.xy.abs(), self.xz.abs(), self.yz.abs());
        V::new(self.xx.abs() + xy + xz, xy + self.yy.abs() + yz, xz + yz + self.zz.abs())
    }

    /// Adds a number to the diagonal.
    #[inline(always)]
    pub fn plus_diagonal(self, d: F<S>) -> Self {
        Self { xx: self.xx + d, yy: self.yy + d, zz: self.zz + d, ..self }
    }

    /// Adds `v vᵀ s`.
    #[inline(always)]
    pub fn plus_outer(self, v: V<S>, s: F<S>) -> Self {
        self.plus_mixed(v * s, v)
    }

    /// Adds `p vᵀ`, where that is symmetric.
    #[inline(always)]
    pub fn plus_mixed(self, p: V<S>, v: V<S>) -> Self {
        Self {
            xx: p.x.mul_add(v.x, self.xx),
            yy: p.y.mul_add(v.y, self.yy),
            zz: p.z.mul_add(v.z, self.zz),
            xy: p.x.mul_add(v.y, self.xy),
            xz: p.x.mul_add(v.z, self.xz),
            yz: p.y.mul_add(v.z, self.yz),
        }
    }

    /// The symmetric part of `p fᵀ`.
    #[inline(always)]
    pub fn mixed(p: V<S>, f: V<S>) -> Self {
        let half = f * all(f.x.simd, 0.5);
        Self {
            xx: p.x * f.x,
            yy: p.y * f.y,
            zz: p.z * f.z,
            xy: p.x.mul_add(half.y, p.y * half.x),
            xz: p.x.mul_add(half.z, p.z * half.x),
            yz: p.y.mul_add(half.z, p.z * half.y),
        }
    }

    /// A multiple of the identity.
    #[inline(always)]
    pub fn identity(d: F<S>) -> Self {
        let o = all(d.simd, 0.0);
        Self { xx: d, yy: d, zz: d, xy: o, xz: o, yz: o }
    }

    /// `r S rᵀ`.
    #[inline(always)]
    pub fn turned(self, r: M<S>) -> Self {
        Self::products(r * self.full(), r)
    }

    /// `r diag(d) rᵀ`.
    #[inline(always)]
    pub fn diagonal_turned(d: V<S>, r: M<S>) -> Self {
        let [a, b, c] = r.rows;
        Self::products(M::new(a.scale(d), b.scale(d), c.scale(d)), r)
    }

    /// `r diag(d) rᵀ` for a rotation: its axes are orthogonal, and the common part of all three needs no
    /// rotation.
    #[inline(always)]
    pub fn along_axes(d: V<S>, r: M<S>) -> Self {
        let [x, _, z] = r.transpose().rows;
        Self::identity(d.y).plus_outer(x, d.x - d.y).plus_outer(z, d.z - d.y)
    }

    /// `p rᵀ`, where that is symmetric.
    #[inline(always)]
    pub fn products(p: M<S>, r: M<S>) -> Self {
        let ([p, q, s], [a, b, c]) = (p.rows, r.rows);
        Self { xx: p.dot(a), yy: q.dot(b), zz: s.dot(c), xy: p.dot(b), xz: p.dot(c), yz: q.dot(c) }
    }

    /// `aᵀ b`, where that is symmetric.
    #[inline(always)]
    pub fn product(a: M<S>, b: M<S>) -> Self {
        Self::products(a.transpose(), b.transpose())
    }

    /// The factors of `L D Lᵀ`, as [`Sym3::factor`].
    #[inline(always)]
    pub fn factor(self) -> Factors<S> {
        let simd = self.xx.simd;
        let largest = self.xx.abs().max(self.yy.abs()).max(self.zz.abs());
        let least = (largest * all(simd, f32::EPSILON * 0.01)).max(all(simd, f32::MIN_POSITIVE / f32::EPSILON));
        let one = all(simd, 1.0);
        let i0 = one / self.xx.max(least);
        let (l10, l20) = (self.xy * i0, self.xz * i0);
        let i1 = one / less(self.yy, l10, self.xy).max(least);
        let rest = less(self.yz, l20, self.xy);
        let l21 = rest * i1;
        let i2 = one / less(less(self.zz, l20, self.xz), l21, rest).max(least);
        Factors { i0, i1, i2, l10, l20, l21 }
    }

    #[inline(always)]
    pub fn select(mask: Mask<S>, yes: Self, no: Self) -> Self {
        Self {
            xx: mask.select(yes.xx, no.xx),
            yy: mask.select(yes.yy, no.yy),
            zz: mask.select(yes.zz, no.zz),
            xy: mask.select(yes.xy, no.xy),
            xz: mask.select(yes.xz, no.xz),
            yz: mask.select(yes.yz, no.yz),
        }
    }
}

impl<S: Wide> Add for Sym<S> {
    type Output = Self;
    #[inline(always)]
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

impl<S: Wide> Sub for Sym<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self {
            xx: self.xx - o.xx,
            yy: self.yy - o.yy,
            zz: self.zz - o.zz,
            xy: self.xy - o.xy,
            xz: self.xz - o.xz,
            yz: self.yz - o.yz,
        }
    }
}

impl<S: Wide> Mul<F<S>> for Sym<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: F<S>) -> Self {
        Self { xx: self.xx * s, yy: self.yy * s, zz: self.zz * s, xy: self.xy * s, xz: self.xz * s, yz: self.yz * s }
    }
}

impl<S: Wide> Mul<V<S>> for Sym<S> {
    type Output = V<S>;
    #[inline(always)]
    fn mul(self, v: V<S>) -> V<S> {
        self.full() * v
    }
}

/// `L D Lᵀ` of a positive definite matrix.
#[derive(Clone, Copy)]
pub struct Factors<S: Wide> {
    pub i0: F<S>,
    pub i1: F<S>,
    pub i2: F<S>,
    pub l10: F<S>,
    pub l20: F<S>,
    pub l21: F<S>,
}

impl<S: Wide> Factors<S> {
    #[inline(always)]
    pub fn solve(&self, b: V<S>) -> V<S> {
        let y1 = less(b.y, self.l10, b.x);
        let y2 = less(less(b.z, self.l20, b.x), self.l21, y1);
        let z = y2 * self.i2;
        let y = less(y1 * self.i1, self.l21, z);
        let x = less(less(b.x * self.i0, self.l20, z), self.l10, y);
        V::new(x, y, z)
    }

    /// The factors in the lanes that are positive definite; the joints of the others are rigid.
    #[inline(always)]
    pub fn where_right(&self, is_right: Mask<S>) -> Self {
        let o = all(self.i0.simd, 0.0);
        Self {
            i0: is_right.select(self.i0, o),
            i1: is_right.select(self.i1, o),
            i2: is_right.select(self.i2, o),
            l10: is_right.select(self.l10, o),
            l20: is_right.select(self.l20, o),
            l21: is_right.select(self.l21, o),
        }
    }

    #[inline(always)]
    pub fn solve_matrix(&self, b: M<S>) -> M<S> {
        let [p, q, r] = b.transpose().rows;
        M::new(self.solve(p), self.solve(q), self.solve(r)).transpose()
    }
}

/// Unit quaternions.
#[derive(Clone, Copy)]
pub struct Q<S: Wide> {
    pub v: V<S>,
    pub w: F<S>,
}

impl<S: Wide> Q<S> {
    #[inline(always)]
    pub fn normalized(self) -> Self {
        let simd = self.w.simd;
        let one = all(simd, 1.0);
        let excess = self.v.dot_plus(self.v, self.w.mul_sub(self.w, one));
        let mut s = less(one, excess, all(simd, 0.5));
        let near = (excess * excess).simd_lt(all(simd, f32::EPSILON));
        if !near.all_true() {
            s = near.select(s, one / (one + excess).sqrt());
        }
        Self { v: self.v * s, w: self.w * s }
    }

    /// The second column of the matrix.
    #[inline(always)]
    pub fn along_y(self) -> V<S> {
        let V { x, y, z } = self.v;
        let d = self.v + self.v;
        let one = all(self.w.simd, 1.0);
        V::new(x.mul_sub(d.y, self.w * d.z), less(less(one, x, d.x), z, d.z), y.mul_add(d.z, self.w * d.x))
    }

    #[inline(always)]
    pub fn matrix(self) -> M<S> {
        let simd = self.w.simd;
        let one = all(simd, 1.0);
        let V { x, y, z } = self.v;
        let d = self.v + self.v;
        // Sums of products, not fused ones: each product is needed twice, and a machine adds while it
        // multiplies.
        let (wx, wy, wz) = (self.w * d.x, self.w * d.y, self.w * d.z);
        let (xx, yy, zz) = (x * d.x, y * d.y, z * d.z);
        let (xy, xz, yz) = (x * d.y, x * d.z, y * d.z);
        let (less_x, less_y) = (one - xx, one - yy);
        M::new(
            V::new(less_y - zz, xy - wz, xz + wy),
            V::new(xy + wz, less_x - zz, yz - wx),
            V::new(xz - wy, yz + wx, less_x - yy),
        )
    }
}

impl<S: Wide> Mul for Q<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self {
            v: self.v.cross_plus(o.v, o.v.times_plus(self.w, self.v * o.w)),
            w: (-self.v).dot_plus(o.v, self.w * o.w),
        }
    }
}
