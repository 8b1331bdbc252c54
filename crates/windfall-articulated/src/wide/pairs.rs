//! Two rows of eight at a time: with AVX-512 one vector of sixteen numbers, with AVX2 two of eight. Code
//! limited by latency, as closed forms and the parts of leaves, then has twice as much independent work;
//! on a machine with neither it would only run out of registers.
//! machine has neither it would only run out of registers.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x8, f32x16, i32x16, mask32x16};

use super::number::Wide;

/// Two rows at a time.
#[derive(Clone, Copy)]
pub struct Pairs<S>(pub S);

impl<S: Simd> Wide for Pairs<S> {
    type Machine = S;
    type Numbers = f32x16<S>;
    type Which = mask32x16<S>;
    type Integers = i32x16<S>;
    const ROWS: usize = 2;

    #[inline(always)]
    fn machine(self) -> S {
        self.0
    }

    #[inline(always)]
    fn join(self, row: impl Fn(usize) -> f32x8<S>) -> f32x16<S> {
        row(0).combine(row(1))
    }

    #[inline(always)]
    fn part(numbers: f32x16<S>, row: usize) -> f32x8<S> {
        let (first, second) = numbers.split();
        if row == 0 { first } else { second }
    }
}
