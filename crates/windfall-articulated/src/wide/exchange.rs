//! From one row per body to one vector per number, and back: transposes of eight by eight.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x4, f32x8};

use super::math::{F, LANES, Wide, number};
use crate::block::rows::Row;

/// Eight numbers of eight bodies.
pub type Octets<S> = [f32x8<S>; LANES];

/// From the bodies.
#[inline(always)]
pub fn gathered<S: Simd>(simd: S, bodies: [&[f32; 8]; LANES]) -> [F<S>; 8] {
    let [a, b, c, d] = four_gathered(simd, bodies, 0);
    let [e, f, g, h] = four_gathered(simd, bodies, 4);
    [a, b, c, d, e, f, g, h]
}

/// Four numbers from this one on.
#[inline(always)]
fn four_gathered<S: Simd>(simd: S, [a, b, c, d, e, f, g, h]: [&[f32; 8]; LANES], k: usize) -> [F<S>; 4] {
    let [a, b, c, d] = halves_transposed([
        four(simd, a, k).combine(four(simd, e, k)),
        four(simd, b, k).combine(four(simd, f, k)),
        four(simd, c, k).combine(four(simd, g, k)),
        four(simd, d, k).combine(four(simd, h, k)),
    ]);
    [F::of_raw(a), F::of_raw(b), F::of_raw(c), F::of_raw(d)]
}

#[inline(always)]
fn four<S: Simd>(simd: S, numbers: &[f32; 8], k: usize) -> f32x4<S> {
    f32x4::from_slice(simd, &numbers[k..k + 4])
}

/// To the bodies.
#[inline(always)]
pub fn scattered<S: Simd>([a, b, c, d, e, f, g, h]: [F<S>; 8]) -> Octets<S> {
    let [a, b, c, d] = halves_transposed([a.raw(), b.raw(), c.raw(), d.raw()]);
    let [e, f, g, h] = halves_transposed([e.raw(), f.raw(), g.raw(), h.raw()]);
    let ([a, e], [b, f], [c, g], [d, h]) = (joined(a, e), joined(b, f), joined(c, g), joined(d, h));
    [a, b, c, d, e, f, g, h]
}

/// Reads a vector that lies in rows, and needs no transposing.
#[inline(always)]
pub fn laid<S: Simd>(simd: S, [a, b, c, d, e, f, g, h]: &[Row<f32>; 8]) -> [F<S>; 8] {
    [
        number(simd, a),
        number(simd, b),
        number(simd, c),
        number(simd, d),
        number(simd, e),
        number(simd, f),
        number(simd, g),
        number(simd, h),
    ]
}

/// Writes it there.
#[inline(always)]
pub fn lay<S: Simd>(rows: &mut [Row<f32>; 8], numbers: [F<S>; 8]) {
    for k in 0..8 {
        rows[k].0 = numbers[k].into();
    }
}

/// Adds to the vector there, the rows of each number together.
#[inline(always)]
pub fn add_rows<S: Wide>(rows: &mut [Row<f32>], numbers: &[F<S>]) {
    for (row, number) in rows.iter_mut().zip(numbers) {
        row.0 = (self::number(number.simd.machine(), row) + number.folded()).into();
    }
}

/// The first halves of two, and the second halves.
#[inline(always)]
fn joined<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> [f32x8<S>; 2] {
    let ((a, c), (b, d)) = (a.split(), b.split());
    [a.combine(b), c.combine(d)]
}

/// Transposes both halves of four vectors.
#[inline(always)]
fn halves_transposed<S: Simd>([a, b, c, d]: [f32x8<S>; 4]) -> [f32x8<S>; 4] {
    let ([p, q], [r, s]) = (alternating(a, c), alternating(b, d));
    let ([a, b], [c, d]) = (alternating(p, r), alternating(q, s));
    [a, b, c, d]
}

/// The numbers of two, interleaved within each half: those of the beginnings of the halves, and those of
/// their ends.
#[inline(always)]
fn alternating<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> [f32x8<S>; 2] {
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = a.simd.level().as_avx2() {
        // Vectors of eight have one instruction for it; the compiler does not find it from those for
        // vectors of four.
        let simd = a.simd;
        let (a, b): ([f32; 8], [f32; 8]) = (a.into(), b.into());
        let [a, b] = unpacked(token, a, b);
        return [a.simd_into(simd), b.simd_into(simd)];
    }
    let ((a, more_a), (b, more_b)) = (a.split(), b.split());
    [a.zip_low(b).combine(more_a.zip_low(more_b)), a.zip_high(b).combine(more_a.zip_high(more_b))]
}

#[cfg(target_arch = "x86_64")]
fearless_simd::kernel!(
    #[inline(always)]
    fn unpacked(token: Avx2, a: [f32; 8], b: [f32; 8]) -> [[f32; 8]; 2] {
        use fearless_simd::x86::Avx2;
        use std::arch::x86_64::{__m256, _mm256_unpackhi_ps, _mm256_unpacklo_ps};
        let (a, b): (f32x8<Avx2>, f32x8<Avx2>) = (a.simd_into(token), b.simd_into(token));
        let (a, b): (__m256, __m256) = (a.into(), b.into());
        let low: f32x8<Avx2> = _mm256_unpacklo_ps(a, b).simd_into(token);
        let high: f32x8<Avx2> = _mm256_unpackhi_ps(a, b).simd_into(token);
        [low.into(), high.into()]
    }
);

/// Adds a vector to the accumulator of one body.
#[inline(always)]
pub fn add_to<S: Simd>(simd: S, own: &mut [f32; 8], said: f32x8<S>) {
    let old = f32x8::from_slice(simd, own);
    *own = (old + said).into();
}
