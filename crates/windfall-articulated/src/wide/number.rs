//! One number of each of the bodies processed at a time: eight, a row, or sixteen, two rows.
//!
//! Code for [`Wide`] covers both. The instruction sets of machines ([`Simd`]) implement it for rows of
//! eight, pairs of them (`pairs.rs`) for sixteen.

use std::ops::{Add, AddAssign, BitAnd, Div, Index, Mul, Neg, Sub};

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8, i32x8, mask32x8};

use crate::block::rows::{LANES, Row};
use crate::math::Number;

/// The number of bodies processed at a time, and the instructions.
pub trait Wide: Copy + 'static {
    type Machine: Simd;
    type Numbers: SimdFloat<Self::Machine, Element = f32, Mask = Self::Which>;
    type Which: SimdMask<Self::Machine> + Select<Self::Numbers>;
    type Integers: SimdInt<
            Self::Machine,
            Element = i32,
            Mask = Self::Which,
            ByteVector = <Self::Numbers as SimdBase<Self::Machine>>::ByteVector,
        > + SimdCvtTruncate<Self::Numbers>;
    /// Number of rows of eight.
    const ROWS: usize;

    fn machine(self) -> Self::Machine;
    /// Of each row; `row` returns them by their number.
    fn join(self, row: impl Fn(usize) -> f32x8<Self::Machine>) -> Self::Numbers;
    /// Of one of the rows.
    fn part(numbers: Self::Numbers, row: usize) -> f32x8<Self::Machine>;
}

impl<S: Simd> Wide for S {
    type Machine = S;
    type Numbers = f32x8<S>;
    type Which = mask32x8<S>;
    type Integers = i32x8<S>;
    const ROWS: usize = 1;

    #[inline(always)]
    fn machine(self) -> S {
        self
    }

    #[inline(always)]
    fn join(self, row: impl Fn(usize) -> f32x8<S>) -> f32x8<S> {
        row(0)
    }

    #[inline(always)]
    fn part(numbers: f32x8<S>, _row: usize) -> f32x8<S> {
        numbers
    }
}

/// One number of each body.
#[derive(Clone, Copy)]
pub struct F<S: Wide> {
    numbers: S::Numbers,
    pub simd: S,
}

/// A set of the bodies.
#[derive(Clone, Copy)]
pub struct Mask<S: Wide> {
    which: S::Which,
    simd: S,
}

/// The same number for all.
#[inline(always)]
pub fn all<S: Wide>(simd: S, value: f32) -> F<S> {
    F { numbers: S::Numbers::splat(simd.machine(), value), simd }
}

/// One number of each of eight.
#[inline(always)]
pub fn eight<S: Simd>(simd: S, numbers: [f32; LANES]) -> F<S> {
    F { numbers: numbers.simd_into(simd), simd }
}

/// The same of a row.
#[inline(always)]
pub fn number<S: Simd>(simd: S, row: &Row<f32>) -> F<S> {
    eight(simd, row.0)
}

/// `c - a b`.
#[inline(always)]
pub fn less<S: Wide>(c: F<S>, a: F<S>, b: F<S>) -> F<S> {
    (-a).mul_add(b, c)
}

/// `c0 + c1 x + c2 x² + ...`
#[inline(always)]
pub fn series<S: Wide, const N: usize>(x: F<S>, coefficients: [f32; N]) -> F<S> {
    if N < 6 {
        return every(x, &coefficients, 1, 0);
    }
    // Even and odd powers separately: a long chain of dependent operations becomes two short ones.
    let square = x * x;
    every(square, &coefficients, 2, 1).mul_add(x, every(square, &coefficients, 2, 0))
}

/// The series of every n-th coefficient, from this one on.
#[inline(always)]
fn every<S: Wide>(x: F<S>, coefficients: &[f32], step: usize, from: usize) -> F<S> {
    let last = from + (coefficients.len() - 1 - from) / step * step;
    let mut sum = all(x.simd, coefficients[last]);
    for k in (from..last).step_by(step).rev() {
        sum = sum.mul_add(x, all(x.simd, coefficients[k]));
    }
    sum
}

impl<S: Wide> F<S> {
    /// One number of each of the rows that `row` returns by their number.
    #[inline(always)]
    pub fn at<'a>(simd: S, row: impl Fn(usize) -> &'a Row<f32>) -> Self {
        let machine = simd.machine();
        Self {
            numbers: simd.join(
                #[inline(always)]
                |j| row(j).0.simd_into(machine),
            ),
            simd,
        }
    }

    /// The first elements of a list.
    #[inline(always)]
    pub fn first(simd: S, list: &[f32]) -> Self {
        Self { numbers: S::Numbers::from_slice(simd.machine(), &list[..S::ROWS * LANES]), simd }
    }

    /// Eight for each row, by its number.
    #[inline(always)]
    pub fn joined(simd: S, row: impl Fn(usize) -> F<S::Machine>) -> Self {
        Self {
            numbers: simd.join(
                #[inline(always)]
                |j| row(j).raw(),
            ),
            simd,
        }
    }

    /// Of one of the rows.
    #[inline(always)]
    pub fn part(self, row: usize) -> F<S::Machine> {
        F::of_raw(S::part(self.numbers, row))
    }

    /// The sum of the rows.
    #[inline(always)]
    pub fn folded(self) -> F<S::Machine> {
        let mut sum = self.part(0);
        for row in 1..S::ROWS {
            sum += self.part(row);
        }
        sum
    }

    #[inline(always)]
    pub fn integers(self) -> S::Integers {
        S::Integers::truncate_from(self.numbers)
    }

    #[inline(always)]
    pub fn of_bits(bits: S::Integers, simd: S) -> Self {
        Self { numbers: bits.bitcast(), simd }
    }

    #[inline(always)]
    pub fn bits(self) -> S::Integers {
        self.numbers.bitcast()
    }

    #[inline(always)]
    pub fn mul_add(self, factor: Self, sum: Self) -> Self {
        Self { numbers: self.numbers.mul_add(factor.numbers, sum.numbers), ..self }
    }

    #[inline(always)]
    pub fn mul_sub(self, factor: Self, sum: Self) -> Self {
        Self { numbers: self.numbers.mul_sub(factor.numbers, sum.numbers), ..self }
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self { numbers: self.numbers.sqrt(), ..self }
    }

    #[inline(always)]
    pub fn round_ties_even(self) -> Self {
        Self { numbers: self.numbers.round_ties_even(), ..self }
    }

    #[inline(always)]
    pub fn abs(self) -> Self {
        Self { numbers: self.numbers.abs(), ..self }
    }

    #[inline(always)]
    pub fn copysign(self, sign: Self) -> Self {
        Self { numbers: self.numbers.copysign(sign.numbers), ..self }
    }

    #[inline(always)]
    pub fn min(self, o: Self) -> Self {
        Self { numbers: self.numbers.min(o.numbers), ..self }
    }

    #[inline(always)]
    pub fn max(self, o: Self) -> Self {
        Self { numbers: self.numbers.max(o.numbers), ..self }
    }

    #[inline(always)]
    pub fn simd_eq(self, o: Self) -> Mask<S> {
        Mask { which: self.numbers.simd_eq(o.numbers), simd: self.simd }
    }

    #[inline(always)]
    pub fn simd_lt(self, o: Self) -> Mask<S> {
        Mask { which: self.numbers.simd_lt(o.numbers), simd: self.simd }
    }

    #[inline(always)]
    pub fn simd_le(self, o: Self) -> Mask<S> {
        Mask { which: self.numbers.simd_le(o.numbers), simd: self.simd }
    }

    #[inline(always)]
    pub fn simd_gt(self, o: Self) -> Mask<S> {
        Mask { which: self.numbers.simd_gt(o.numbers), simd: self.simd }
    }

    #[inline(always)]
    pub fn simd_ge(self, o: Self) -> Mask<S> {
        Mask { which: self.numbers.simd_ge(o.numbers), simd: self.simd }
    }

    #[inline(always)]
    pub fn is_finite(self) -> Mask<S> {
        Mask { which: self.numbers.is_finite(), simd: self.simd }
    }
}

impl<S: Simd> F<S> {
    #[inline(always)]
    pub fn raw(self) -> f32x8<S> {
        self.numbers
    }

    #[inline(always)]
    pub fn of_raw(numbers: f32x8<S>) -> Self {
        Self { numbers, simd: numbers.simd }
    }
}

impl<S: Simd> From<F<S>> for [f32; LANES] {
    #[inline(always)]
    fn from(eight: F<S>) -> Self {
        eight.numbers.into()
    }
}

impl<S: Wide> Index<usize> for F<S> {
    type Output = f32;
    #[inline(always)]
    fn index(&self, i: usize) -> &f32 {
        &self.numbers[i]
    }
}

impl<S: Wide> Mask<S> {
    #[inline(always)]
    pub fn of(simd: S, which: S::Which) -> Self {
        Self { which, simd }
    }

    /// Bit i is lane i.
    #[inline(always)]
    pub fn of_bits(simd: S, bits: u64) -> Self {
        Self { which: S::Which::from_bitmask(simd.machine(), bits), simd }
    }

    #[inline(always)]
    pub fn select(self, yes: F<S>, no: F<S>) -> F<S> {
        F { numbers: self.which.select(yes.numbers, no.numbers), simd: self.simd }
    }

    #[inline(always)]
    pub fn any_true(self) -> bool {
        self.which.any_true()
    }

    #[inline(always)]
    pub fn all_true(self) -> bool {
        self.which.all_true()
    }
}

impl<S: Wide> Number for F<S> {
    type Which = Mask<S>;

    #[inline(always)]
    fn same(self, value: f32) -> Self {
        all(self.simd, value)
    }

    #[inline(always)]
    fn is_above(self, other: Self) -> Mask<S> {
        self.simd_gt(other)
    }

    #[inline(always)]
    fn is_number(self) -> Mask<S> {
        self.is_finite()
    }

    #[inline(always)]
    fn choose(which: Mask<S>, yes: Self, no: Self) -> Self {
        which.select(yes, no)
    }
}

impl<S: Wide> BitAnd for Mask<S> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, o: Self) -> Self {
        Self { which: self.which & o.which, ..self }
    }
}

impl<S: Wide> Neg for F<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { numbers: -self.numbers, ..self }
    }
}

impl<S: Wide> Add for F<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { numbers: self.numbers + o.numbers, ..self }
    }
}

impl<S: Wide> AddAssign for F<S> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<S: Wide> Sub for F<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { numbers: self.numbers - o.numbers, ..self }
    }
}

impl<S: Wide> Mul for F<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self { numbers: self.numbers * o.numbers, ..self }
    }
}

impl<S: Wide> Div for F<S> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        Self { numbers: self.numbers / o.numbers, ..self }
    }
}
