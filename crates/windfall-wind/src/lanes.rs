//! Mathematics in f32 without branches or calls, so that the compiler can vectorise a loop over points.
//!
//! `f32::floor`, `f32::ln` and the like are library calls on the default build target.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use fearless_simd::prelude::*;

/// 1.5 * 2^23: an f32 of this size has no fraction, so adding it rounds, and its low bits are the rounded
/// number.
const ROUNDER: f32 = 12_582_912.0;

/// The nearest whole number, for |x| below 2^22.
#[inline(always)]
pub(crate) fn round(x: f32) -> f32 {
    (x + ROUNDER) - ROUNDER
}

/// A whole number `i` and the rest `x - i` in [0, 1]. Held within 2^21 of zero.
///
/// At a whole x the rest may be 0 or 1, so use it only where both ends of a cell agree.
#[inline(always)]
pub(crate) fn split(x: f32) -> (i32, f32) {
    const LIMIT: f32 = 2_097_152.0;
    let x = x.clamp(-LIMIT, LIMIT);
    let rounded = (x - 0.5) + ROUNDER;
    (rounded.to_bits().wrapping_sub(ROUNDER.to_bits()) as i32, x - (rounded - ROUNDER))
}

/// cos(2 pi x) for |x| below 2^22 (a number from -1 to 1 beyond), to 7e-7 plus the error of x.
///
/// With the distance r to the next whole number this is -sin(2 pi (r - 1/4)), and a quarter turn of the
/// sine needs only four terms: the minimax polynomial of degree seven (Remez).
#[inline(always)]
pub(crate) fn cos_turns(x: f32) -> f32 {
    let r = (x - round(x)).abs();
    // Only for numbers too large to have a fraction; `f32::min` would take care of NaN at some cost.
    let t = if r < 0.5 { r } else { 0.5 } - 0.25;
    let z = t * t;
    let p = 70.993_43 * z - 81.340_77;
    let p = p * z + 41.337_143;
    let p = p * z - 6.283_164;
    p * t
}

/// Factor of the values of [`cosine_of_turn`].
pub(crate) const COSINE_UNIT: f64 = 70.993_43;

/// cos(2 pi x) / [`COSINE_UNIT`] in lanes, for x from -1/2 to 1/2: the polynomial of [`cos_turns`] with a
/// first coefficient of 1, which saves a product.
#[inline(always)]
pub(crate) fn cosine_of_turn<S: Simd, N: SimdFloat<S, Element = f32>>(x: N) -> N {
    const A: f32 = (-81.340_77 / COSINE_UNIT) as f32;
    const B: f32 = (41.337_143 / COSINE_UNIT) as f32;
    const C: f32 = (-6.283_164 / COSINE_UNIT) as f32;
    let simd = x.token();
    let t = x.abs() - 0.25;
    let z = t * t;
    let p = z + A;
    let p = p.mul_add(z, N::splat(simd, B));
    let p = p.mul_add(z, N::splat(simd, C));
    p * t
}

/// sin(2 pi x) in lanes, for |x| below 2^22.
#[inline(always)]
pub(crate) fn sines_of_turns<S: Simd, N: SimdFloat<S, Element = f32>>(x: N) -> N {
    let x = x - 0.25;
    cosine_of_turn(x - ((x + ROUNDER) - ROUNDER)) * COSINE_UNIT as f32
}

/// Adds to as many numbers as a vector has.
#[inline(always)]
pub(crate) fn add_to<S: Simd, N: SimdFloat<S, Element = f32>>(simd: S, to: &mut [f32], more: N) {
    (N::from_slice(simd, to) + more).store_slice(to);
}

/// sin(2 pi x), like [`cos_turns`].
#[inline(always)]
pub(crate) fn sin_turns(x: f32) -> f32 {
    cos_turns(x - 0.25)
}

/// The natural logarithm of a normal positive number, to 2e-7 relative or absolute.
///
/// x = 2^e m with m from sqrt(1/2) to sqrt(2), and ln m = 2 artanh((m - 1)/(m + 1)) by its series.
#[inline(always)]
pub(crate) fn ln(x: f32) -> f32 {
    const SQRT_HALF_BITS: u32 = 0x3f35_04f3;
    let bits = x.to_bits();
    let e = (bits.wrapping_sub(SQRT_HALF_BITS) as i32) >> 23;
    let m = f32::from_bits(bits.wrapping_sub((e << 23) as u32));
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let series = 1.0 + z * (1.0 / 3.0 + z * (1.0 / 5.0 + z * (1.0 / 7.0 + z * (1.0 / 9.0))));
    e as f32 * std::f32::consts::LN_2 + 2.0 * s * series
}

/// From 0 to 1 as x goes from 0 to 1, with level ends: 3 x² - 2 x³, constant outside.
#[inline(always)]
pub(crate) fn smooth_step(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// The same in f64.
pub(crate) fn smooth_step_f64(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_agree_with_those_of_libm() {
        for i in -20_000..20_000 {
            let x = i as f32 * 7.3e-4;
            let turn = 2.0 * std::f64::consts::PI * f64::from(x);
            assert!((f64::from(cos_turns(x)) - libm::cos(turn)).abs() < 1.5e-6, "cos {x}");
            assert!((f64::from(sin_turns(x)) - libm::sin(turn)).abs() < 4e-6, "sin {x}");
            let (whole, rest) = split(x);
            // The rest of a small negative number is rounded to f32.
            let back = f64::from(whole) + f64::from(rest);
            assert!((0.0..=1.0).contains(&rest) && (back - f64::from(x)).abs() < 6e-8, "split {x}: {whole} {rest}");
        }
        let mut x = 1e-30_f32;
        while x < 1e30 {
            let truth = libm::log(f64::from(x));
            assert!((f64::from(ln(x)) - truth).abs() < 3e-7 * truth.abs().max(1.0), "ln {x}: {} {truth}", ln(x));
            x *= 1.013;
        }
        assert_eq!(ln(1.0), 0.0);
    }

    #[test]
    fn far_numbers_stay_finite() {
        for x in [1e30_f32, -1e30, f32::MAX, f32::INFINITY] {
            let (_, rest) = split(x);
            assert!((0.0..=1.0).contains(&rest), "{x}: {rest}");
        }
    }
}
