//! Arithmetic that is written once for a number and for one number of each of several bodies.
//!
//! Both are exact in the same way only without fused products, so most of `wide/` has forms of its own: see
//! docs/decisions/lanes.md.

// Functions that are not inlined would be compiled for the baseline instructions.
#![allow(clippy::inline_always)]

use std::ops::{Add, BitAnd, Div, Mul, Sub};

/// A number, or one of each of several bodies.
pub trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// A set of the bodies: a truth value for one.
    type Which: Copy + BitAnd<Output = Self::Which>;

    /// This value for all.
    fn same(self, value: f32) -> Self;
    /// Where it is greater than another.
    fn is_above(self, other: Self) -> Self::Which;
    /// Where it is finite.
    fn is_number(self) -> Self::Which;
    /// From two values by a set.
    fn choose(which: Self::Which, yes: Self, no: Self) -> Self;
}

macro_rules! number {
    ($($real:ty),+) => {$(
        impl Number for $real {
            type Which = bool;

            #[inline(always)]
            fn same(self, value: f32) -> Self {
                value.into()
            }

            #[inline(always)]
            fn is_above(self, other: Self) -> bool {
                self > other
            }

            #[inline(always)]
            fn is_number(self) -> bool {
                self.is_finite()
            }

            #[inline(always)]
            fn choose(which: bool, yes: Self, no: Self) -> Self {
                if which { yes } else { no }
            }
        }
    )+};
}

number!(f32, f64);
