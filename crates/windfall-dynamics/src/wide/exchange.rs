//! From one row per body to one vector per number, and back: transposes of four by four.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x4};

use super::math::{F, LANES, V};

/// Four numbers of eight bodies.
pub type Quads<S> = [f32x4<S>; LANES];

#[inline(always)]
fn transposed<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (ac, more_ac) = (a.zip_low(c), a.zip_high(c));
    let (bd, more_bd) = (b.zip_low(d), b.zip_high(d));
    [ac.zip_low(bd), ac.zip_high(bd), more_ac.zip_low(more_bd), more_ac.zip_high(more_bd)]
}

/// From the bodies.
#[inline(always)]
pub fn gathered<S: Simd>(simd: S, quads: [[f32; 4]; LANES]) -> [F<S>; 4] {
    let [a, b, c, d, e, f, g, h] = quads;
    let low = transposed([a.simd_into(simd), b.simd_into(simd), c.simd_into(simd), d.simd_into(simd)]);
    let high = transposed([e.simd_into(simd), f.simd_into(simd), g.simd_into(simd), h.simd_into(simd)]);
    [
        F::of_raw(low[0].combine(high[0])),
        F::of_raw(low[1].combine(high[1])),
        F::of_raw(low[2].combine(high[2])),
        F::of_raw(low[3].combine(high[3])),
    ]
}

/// To the bodies.
#[inline(always)]
pub fn scattered<S: Simd>([x, y, z, w]: [F<S>; 4]) -> Quads<S> {
    let ((a, e), (b, f), (c, g), (d, h)) = (x.raw().split(), y.raw().split(), z.raw().split(), w.raw().split());
    let ([a, b, c, d], [e, f, g, h]) = (transposed([a, b, c, d]), transposed([e, f, g, h]));
    [a, b, c, d, e, f, g, h]
}

/// A vector and a number of eight bodies.
#[inline(always)]
pub fn with_last<S: Simd>(v: V<S>, last: F<S>) -> Quads<S> {
    scattered([v.x, v.y, v.z, last])
}
