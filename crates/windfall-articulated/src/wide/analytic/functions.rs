//! exp, sin and cos of eight numbers: the argument is reduced to near zero (Cody and Waite 1980), where
//! Taylor's series is right to the last bit but one.

use fearless_simd::prelude::*;

use crate::wide::math::{F, Mask, Wide, all, series};

/// ln 2 as the sum of two, the first with so few digits that its multiples are exact.
const LN_2: [f32; 2] = [355.0 / 512.0, -2.121_944_4e-4];
/// pi / 2 as the sum of three.
const HALF_PI: [f32; 3] = [201.0 / 128.0, 8116.0 / 16_777_216.0, 7.549_79e-8];

/// `exp(x)` and `exp(x) - 1`, both to their last digits, for x <= 0. Below -40 the result is zero: the
/// motion that remains after such a step would only slow down the machine as a denormal number.
#[inline(always)]
pub fn exp<S: Wide>(x: F<S>) -> (F<S>, F<S>) {
    let simd = x.simd;
    let is_gone = x.simd_lt(all(simd, -40.0));
    let x = x.max(all(simd, -40.0));
    let n = (x * all(simd, std::f32::consts::LOG2_E)).round_ties_even();
    let r = n.mul_add(all(simd, -LN_2[1]), n.mul_add(all(simd, -LN_2[0]), x));
    let rest = series(r, [1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0]);
    let less_one = (r * r).mul_add(rest, r);
    let exponent = (n.integers() + S::Integers::splat(simd.machine(), 127)) << 23;
    let scale = F::of_bits(exponent, simd);
    let less = scale.mul_add(less_one, scale - all(simd, 1.0));
    (is_gone.select(all(simd, 0.0), scale.mul_add(less_one, scale)), less)
}

/// Sine and cosine of x >= 0. From 1e5 on, where f32 can't distinguish angles, those of 1e5.
#[inline(always)]
pub fn sin_cos<S: Wide>(x: F<S>) -> (F<S>, F<S>) {
    let simd = x.simd;
    let x = x.min(all(simd, 1e5));
    let n = (x * all(simd, std::f32::consts::FRAC_2_PI)).round_ties_even();
    let (a, b, c) = (all(simd, -HALF_PI[0]), all(simd, -HALF_PI[1]), all(simd, -HALF_PI[2]));
    let r = n.mul_add(c, n.mul_add(b, n.mul_add(a, x)));
    let square = r * r;
    let sine = series(square, [-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0]);
    let sine = (r * square).mul_add(sine, r);
    let cosine = series(square, [1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / 3_628_800.0]);
    let quarter = n.integers();
    let one = S::Integers::splat(simd.machine(), 1);
    let is_odd = Mask::of(simd, (quarter & one).simd_eq(one));
    // Minus for the sine in the third and fourth quarter, for the cosine in the second and third.
    (flipped(is_odd.select(cosine, sine), quarter), flipped(is_odd.select(sine, cosine), quarter + one))
}

/// The opposite sign in the third and fourth quarter.
#[inline(always)]
fn flipped<S: Wide>(f: F<S>, quarter: S::Integers) -> F<S> {
    let sign = (quarter & S::Integers::splat(f.simd.machine(), 2)) << 30;
    F::of_bits(f.bits() ^ sign, f.simd)
}
