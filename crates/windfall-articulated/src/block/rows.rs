//! Bodies in rows of eight: the same number of eight neighbours lies side by side, so that they are read
//! and written at once (`wide/`).
//!
//! A struct of numbers becomes a row of eight such structs by putting a [`Row`] in the place of each
//! number: `Motion<f32>` is one body, `Motion<Row<f32>>` eight of them. Body i is lane `i % 8` of row `i
//! / 8`.

use super::huge_pages::PagedVec;
use crate::math::{Factored, Mat3, Quat, Sym3, Vec3};

/// Number of bodies in a row.
pub const LANES: usize = 8;

/// One number of each of eight bodies.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub struct Row<T>(pub [T; LANES]);

/// Eight of something, side by side.
pub trait Lanes: Copy {
    /// One of them.
    type One: Copy;

    /// Eight times the same.
    fn all(one: Self::One) -> Self;
    fn lane(&self, l: usize) -> Self::One;
    fn set_lane(&mut self, l: usize, one: Self::One);
}

impl<T: Copy> Lanes for Row<T> {
    type One = T;

    #[inline]
    fn all(one: T) -> Self {
        Self([one; LANES])
    }

    #[inline]
    fn lane(&self, l: usize) -> T {
        self.0[l]
    }

    #[inline]
    fn set_lane(&mut self, l: usize, one: T) {
        self.0[l] = one;
    }
}

impl<L: Lanes, const N: usize> Lanes for [L; N] {
    type One = [L::One; N];

    #[inline]
    fn all(one: Self::One) -> Self {
        one.map(L::all)
    }

    #[inline]
    fn lane(&self, l: usize) -> Self::One {
        std::array::from_fn(|i| self[i].lane(l))
    }

    #[inline]
    fn set_lane(&mut self, l: usize, one: Self::One) {
        for (row, one) in self.iter_mut().zip(one) {
            row.set_lane(l, one);
        }
    }
}

/// Implements [`Lanes`] for a struct, field by field. A field that is not a number of type T needs a type
/// parameter of its own.
macro_rules! lanes {
    ($name:ident $(<$other:ty>)? { $($field:ident),+ $(,)? }) => {
        impl<T: Copy> $crate::block::rows::Lanes for $name<$crate::block::rows::Row<T> $(, $crate::block::rows::Row<$other>)?> {
            type One = $name<T $(, $other)?>;

            #[inline]
            fn all(one: Self::One) -> Self {
                Self { $($field: $crate::block::rows::Lanes::all(one.$field)),+ }
            }

            #[inline]
            fn lane(&self, l: usize) -> Self::One {
                $name { $($field: $crate::block::rows::Lanes::lane(&self.$field, l)),+ }
            }

            #[inline]
            fn set_lane(&mut self, l: usize, one: Self::One) {
                $($crate::block::rows::Lanes::set_lane(&mut self.$field, l, one.$field);)+
            }
        }
    };
}
pub(crate) use lanes;

lanes!(Vec3 { x, y, z });
lanes!(Quat { v, w });
lanes!(Mat3 { rows });
lanes!(Sym3 { xx, yy, zz, xy, xz, yz });
lanes!(Factored { i0, i1, i2, l10, l20, l21 });

/// A list of bodies in rows.
#[derive(Debug, Clone)]
pub struct Rows<R> {
    rows: PagedVec<R>,
}

impl<R> Default for Rows<R> {
    fn default() -> Self {
        Self { rows: PagedVec::default() }
    }
}

impl<R> Rows<R> {
    /// Memory of its array.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.rows[..])
    }

    pub fn rows(&self) -> &[R] {
        &self.rows
    }

    pub fn rows_mut(&mut self) -> &mut [R] {
        &mut self.rows
    }
}

impl<R: Lanes> Rows<R> {
    /// `count` copies of one element; the count is a multiple of [`LANES`].
    pub fn filled(one: R::One, count: usize) -> Self {
        Self { rows: PagedVec::gather(count / LANES, std::iter::repeat_n(R::all(one), count / LANES)) }
    }

    /// Appends copies up to the length `count`, a multiple of [`LANES`].
    pub fn fill_up(&mut self, one: R::One, count: usize) {
        if self.rows.len() < count / LANES {
            let mut rows = self.rows.to_vec();
            rows.resize(count / LANES, R::all(one));
            self.rows = rows.into();
        }
    }

    #[inline]
    pub fn get(&self, i: usize) -> R::One {
        self.rows[i / LANES].lane(i % LANES)
    }

    /// The element `i`, or `otherwise` if there are no rows.
    #[inline]
    pub fn lane_or(&self, i: usize, otherwise: R::One) -> R::One {
        if self.rows.is_empty() { otherwise } else { self.get(i) }
    }

    #[inline]
    pub fn set(&mut self, i: usize, one: R::One) {
        self.rows[i / LANES].set_lane(i % LANES, one);
    }

    /// Changes one element, and returns the result of the change.
    #[inline]
    pub fn edit<A>(&mut self, i: usize, change: impl FnOnce(&mut R::One) -> A) -> A {
        let mut one = self.get(i);
        let answer = change(&mut one);
        self.set(i, one);
        answer
    }
}

impl<R: Lanes> FromIterator<R::One> for Rows<R> {
    /// Unused places of the last row are filled with its first body.
    fn from_iter<I: IntoIterator<Item = R::One>>(all: I) -> Self {
        let mut all = all.into_iter();
        let count = all.size_hint().0.div_ceil(LANES);
        let rows = std::iter::from_fn(|| {
            let mut row = R::all(all.next()?);
            for (l, one) in (1..LANES).zip(all.by_ref()) {
                row.set_lane(l, one);
            }
            Some(row)
        });
        Self { rows: PagedVec::gather(count, rows) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_comes_out_again_and_nothing_else_changes() {
        let one = |i: usize| Quat { v: Vec3::new(i as f64, -(i as f64), 0.5 * i as f64), w: 100.0 + i as f64 };
        let mut rows: Rows<Quat<Row<f64>>> = (0..24).map(one).collect();
        rows.set(9, one(99));
        assert_eq!(rows.edit(17, |q| std::mem::replace(q, one(98)).w), 117.0);
        for i in 0..24 {
            let wanted = match i {
                9 => 99,
                17 => 98,
                _ => i,
            };
            assert_eq!(rows.get(i), one(wanted));
        }
        assert_eq!(rows.rows()[1].v.x.0[1], 99.0);
        assert_eq!(align_of::<Row<f32>>(), 32);
    }
}
