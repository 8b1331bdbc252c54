//! Reading and writing the bodies processed at a time from and to the rows in which they are stored.

use fearless_simd::Simd;

use super::math::{F, Factors, M, Q, Sym, V, Wide, number};
use crate::block::rows::Row;
use crate::math::{Factored, Mat3, Quat, Sym3, Vec3};

impl<S: Wide> F<S> {
    /// Writes it to the places in these rows that `of` finds.
    #[inline(always)]
    pub fn put_in<R>(self, rows: &mut [R], of: impl Fn(&mut R) -> &mut Row<f32>) {
        for j in 0..S::ROWS {
            of(&mut rows[j]).0 = self.part(j).into();
        }
    }

    /// The same eight of each row.
    #[inline(always)]
    pub fn repeated_of(simd: S, row: &Row<f32>) -> Self {
        Self::at(simd, |_| row)
    }
}

impl<S: Wide> V<S> {
    /// One vector of each of the rows that `row` returns by their number.
    #[inline(always)]
    pub fn at<'a>(simd: S, row: impl Fn(usize) -> &'a Vec3<Row<f32>>) -> Self {
        Self::new(F::at(simd, |j| &row(j).x), F::at(simd, |j| &row(j).y), F::at(simd, |j| &row(j).z))
    }

    /// Writes it to the places in these rows that `of` finds.
    #[inline(always)]
    pub fn put_in<R>(self, rows: &mut [R], of: impl Fn(&mut R) -> &mut Vec3<Row<f32>>) {
        for j in 0..S::ROWS {
            self.part(j).put(of(&mut rows[j]));
        }
    }

    /// The same eight of each row.
    #[inline(always)]
    pub fn repeated_of(simd: S, row: &Vec3<Row<f32>>) -> Self {
        Self::at(simd, |_| row)
    }

    /// Of one of the rows.
    #[inline(always)]
    pub fn part(self, row: usize) -> V<S::Machine> {
        V::new(self.x.part(row), self.y.part(row), self.z.part(row))
    }
}

impl<S: Simd> V<S> {
    #[inline(always)]
    pub fn of(simd: S, row: &Vec3<Row<f32>>) -> Self {
        Self::at(simd, |_| row)
    }

    #[inline(always)]
    pub fn put(self, row: &mut Vec3<Row<f32>>) {
        (row.x.0, row.y.0, row.z.0) = (self.x.into(), self.y.into(), self.z.into());
    }

    #[inline(always)]
    pub fn row(self) -> Vec3<Row<f32>> {
        Vec3 { x: Row(self.x.into()), y: Row(self.y.into()), z: Row(self.z.into()) }
    }

    #[cfg(test)]
    pub fn lane(&self, i: usize) -> Vec3<f32> {
        Vec3::new(self.x[i], self.y[i], self.z[i])
    }
}

impl<S: Simd> M<S> {
    #[inline(always)]
    pub fn of(simd: S, row: &Mat3<Row<f32>>) -> Self {
        let [a, b, c] = &row.rows;
        Self::new(V::of(simd, a), V::of(simd, b), V::of(simd, c))
    }

    #[inline(always)]
    pub fn put(self, row: &mut Mat3<Row<f32>>) {
        let ([a, b, c], [p, q, r]) = (self.rows, &mut row.rows);
        a.put(p);
        b.put(q);
        c.put(r);
    }
}

impl<S: Wide> Sym<S> {
    /// One matrix of each of the rows that `row` returns by their number.
    #[inline(always)]
    pub fn at<'a>(simd: S, row: impl Fn(usize) -> &'a Sym3<Row<f32>>) -> Self {
        Self {
            xx: F::at(simd, |j| &row(j).xx),
            yy: F::at(simd, |j| &row(j).yy),
            zz: F::at(simd, |j| &row(j).zz),
            xy: F::at(simd, |j| &row(j).xy),
            xz: F::at(simd, |j| &row(j).xz),
            yz: F::at(simd, |j| &row(j).yz),
        }
    }
}

impl<S: Simd> Sym<S> {
    #[inline(always)]
    pub fn of(simd: S, row: &Sym3<Row<f32>>) -> Self {
        Self::at(simd, |_| row)
    }

    #[inline(always)]
    pub fn put(self, row: &mut Sym3<Row<f32>>) {
        (row.xx.0, row.yy.0, row.zz.0) = (self.xx.into(), self.yy.into(), self.zz.into());
        (row.xy.0, row.xz.0, row.yz.0) = (self.xy.into(), self.xz.into(), self.yz.into());
    }
}

impl<S: Simd> Factors<S> {
    #[inline(always)]
    pub fn of(simd: S, row: &Factored<Row<f32>>) -> Self {
        Self {
            i0: number(simd, &row.i0),
            i1: number(simd, &row.i1),
            i2: number(simd, &row.i2),
            l10: number(simd, &row.l10),
            l20: number(simd, &row.l20),
            l21: number(simd, &row.l21),
        }
    }

    #[inline(always)]
    pub fn put(self, row: &mut Factored<Row<f32>>) {
        (row.i0.0, row.i1.0, row.i2.0) = (self.i0.into(), self.i1.into(), self.i2.into());
        (row.l10.0, row.l20.0, row.l21.0) = (self.l10.into(), self.l20.into(), self.l21.into());
    }
}

impl<S: Wide> Q<S> {
    /// One rotation of each of the rows that `row` returns by their number.
    #[inline(always)]
    pub fn at<'a>(simd: S, row: impl Fn(usize) -> &'a Quat<Row<f32>>) -> Self {
        Self { v: V::at(simd, |j| &row(j).v), w: F::at(simd, |j| &row(j).w) }
    }

    /// Writes it to the places in these rows that `of` finds.
    #[inline(always)]
    pub fn put_in<R>(self, rows: &mut [R], of: impl Fn(&mut R) -> &mut Quat<Row<f32>>) {
        self.v.put_in(rows, |row| &mut of(row).v);
        self.w.put_in(rows, |row| &mut of(row).w);
    }
}

impl<S: Simd> Q<S> {
    #[inline(always)]
    pub fn of(simd: S, row: &Quat<Row<f32>>) -> Self {
        Self::at(simd, |_| row)
    }

    #[inline(always)]
    pub fn put(self, row: &mut Quat<Row<f32>>) {
        self.v.put(&mut row.v);
        row.w.0 = self.w.into();
    }
}
