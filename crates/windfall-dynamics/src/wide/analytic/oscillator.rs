//! The damped oscillator in closed form, eight at a time: see `analytic/oscillator.rs`.

use super::functions::{exp, sin_cos};
use crate::wide::math::{F, Wide, all, series};

/// The solution at one time.
#[derive(Clone, Copy)]
pub struct Response<S: Wide> {
    place_of_place: F<S>,
    place_of_rate: F<S>,
    place_of_push: F<S>,
    rate_of_place: F<S>,
    rate_of_rate: F<S>,
}

impl<S: Wide> Response<S> {
    /// For damping `p` (1/s) and squared frequency `o2` (1/s²), after `t` seconds.
    #[inline(always)]
    pub fn new(p: F<S>, o2: F<S>, t: f32) -> Self {
        let simd = p.simd;
        let (o, one, half, t) = (all(simd, 0.0), all(simd, 1.0), all(simd, 0.5), all(simd, t));
        let pt = p * t;
        let d2 = o2 - p * p;
        let x2 = d2 * t * t;
        let near = x2.abs().simd_lt(all(simd, 0.01));
        let over = x2.simd_le(all(simd, -0.01));
        let is_any_over = over.any_true();
        // p² may overflow. p - d without cancellation
        let (mut d, mut fast, mut slow, mut first) = (o, o, o, pt);
        if is_any_over {
            d = p * (one - o2 / p / p).sqrt();
            fast = p + d;
            slow = o2 / fast;
            first = over.select(slow * t, pt);
        }
        let (e, less_one) = exp(-first);

        let (mut c, mut s, mut push, mut fall) = (o, o, o, o);
        if !over.all_true() {
            let root = d2.max(o).sqrt();
            let (sine, mut cosine) = sin_cos(root * t);
            let mut sinc = sine / root;
            let is_any_near = near.any_true();
            if is_any_near {
                // cos(x) and sin(x)/x, or cosh and sinh: the same series in x2 of either sign.
                cosine = near.select(series(x2, [1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0]), cosine);
                sinc = near.select(t * series(x2, [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0]), sinc);
            }
            s = e * sinc;
            let swing = e * cosine;
            (c, fall) = (p.mul_add(s, swing), swing - p * s);
            push = one - c;
            let weak = near & pt.simd_lt(all(simd, 0.3));
            if is_any_near && weak.any_true() {
                push = weak.select(weak_push(pt, o2 * t * t), push);
            }
        }
        if is_any_over {
            let (e_fast, faster) = exp(-(fast * t));
            // Shares of the two roots: fast / (2 d) and slow / (2 d).
            let inverse = half / d;
            let (much, little) = (fast * inverse, slow * inverse);
            c = over.select(much * e - little * e_fast, c);
            s = over.select((less_one - faster) * inverse, s);
            push = over.select(little * faster - much * less_one, push);
            fall = over.select(much * e_fast - little * e, fall);
        }
        Self { place_of_place: c, place_of_rate: s, place_of_push: push, rate_of_place: -(o2 * s), rate_of_rate: fall }
    }

    /// Place and velocity after the time, from those at the beginning and the push r.
    #[inline(always)]
    pub fn apply(&self, y: F<S>, rate: F<S>, push: F<S>) -> (F<S>, F<S>) {
        let place = self.place_of_place.mul_add(y, self.place_of_rate.mul_add(rate, self.place_of_push * push));
        let velocity = self.rate_of_place.mul_add(y - push, self.rate_of_rate * rate);
        (place, velocity)
    }
}

/// `1 - c` for `pt = p t` and `w = o2 t²` both well below one: the power series of `analytic/oscillator.rs`. 0.6^9 / 10! is below the precision of f32.
#[inline(always)]
fn weak_push<S: Wide>(pt: F<S>, w: F<S>) -> F<S> {
    let simd = pt.simd;
    let two_pt = pt + pt;
    let (mut before, mut last) = (all(simd, 0.0), all(simd, 0.5));
    let mut sum = last;
    for n in 1..9_u8 {
        let (n1, n2) = (f32::from(n + 1), f32::from(n + 2));
        let next = -(two_pt * last * all(simd, 1.0 / n2) + w * before * all(simd, 1.0 / (n1 * n2)));
        (before, last) = (last, next);
        sum += next;
    }
    w * sum
}
