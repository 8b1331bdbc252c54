//! The damped oscillator in closed form, eight at a time: see `analytic/oscillator.rs`.

use super::functions::{exp, sin_cos};
use crate::wide::math::{F, Mask, V, Wide, all, series};

/// The solutions for three modes at one time. All three are found side by side: each is a long chain of
/// dependent divisions and roots.
#[derive(Clone, Copy)]
pub struct Responses<S: Wide> {
    place_of_place: V<S>,
    place_of_rate: V<S>,
    place_of_push: V<S>,
    rate_of_place: V<S>,
    rate_of_rate: V<S>,
}

/// Position from position, from rate and from push, and rate from rate, of one mode.
type Parts<S> = [F<S>; 4];

impl<S: Wide> Responses<S> {
    /// For dampings `p` (1/s) and squared frequencies `o2` (1/s²), after `t` seconds.
    #[inline(always)]
    pub fn new(p: V<S>, o2: V<S>, t: f32) -> Self {
        let simd = p.x.simd;
        let (o, one, time) = (all(simd, 0.0), all(simd, 1.0), all(simd, t));
        let (none, ones) = (V::splat(o), V::splat(one));
        let pt = p * time;
        let d2 = o2 - p.scale(p);
        let x2 = d2 * time * time;
        let limit = all(simd, -0.01);
        let over = [x2.x.simd_le(limit), x2.y.simd_le(limit), x2.z.simd_le(limit)];
        let is_any_over = over[0].any_true() || over[1].any_true() || over[2].any_true();
        let (mut d, mut fast, mut slow, mut first) = (none, none, none, pt);
        if is_any_over {
            // p² may overflow. p - d without cancellation
            let per_p = ones.over(p);
            d = p.scale((ones - o2.scale(per_p).scale(per_p)).sqrt());
            fast = p + d;
            slow = o2.over(fast);
            first = select(over, slow * time, pt);
        }
        let (e, less_one) = exp_each(-first);

        let nothing = [o; 4];
        let (mut x, mut y, mut z) = (nothing, nothing, nothing);
        if !over[0].all_true() {
            x = swinging((p.x, pt.x), (o2.x, d2.x, x2.x), e.x, t);
        }
        if !over[1].all_true() {
            y = swinging((p.y, pt.y), (o2.y, d2.y, x2.y), e.y, t);
        }
        if !over[2].all_true() {
            z = swinging((p.z, pt.z), (o2.z, d2.z, x2.z), e.z, t);
        }
        let part = |k: usize| V::new(x[k], y[k], z[k]);
        let (mut c, mut s, mut push, mut fall) = (part(0), part(1), part(2), part(3));
        if is_any_over {
            let (e_fast, faster) = exp_each(-(fast * time));
            // Shares of the two roots: fast / (2 d) and slow / (2 d).
            let inverse = V::splat(all(simd, 0.5)).over(d);
            let (much, little) = (fast.scale(inverse), slow.scale(inverse));
            c = select(over, much.scale(e) - little.scale(e_fast), c);
            s = select(over, (less_one - faster).scale(inverse), s);
            push = select(over, little.scale(faster) - much.scale(less_one), push);
            fall = select(over, much.scale(e_fast) - little.scale(e), fall);
        }
        Self {
            place_of_place: c,
            place_of_rate: s,
            place_of_push: push,
            rate_of_place: -(o2.scale(s)),
            rate_of_rate: fall,
        }
    }

    /// Positions and velocities after the time, from those at the beginning and the pushes r.
    #[inline(always)]
    pub fn apply(&self, y: V<S>, rate: V<S>, push: V<S>) -> (V<S>, V<S>) {
        let place =
            self.place_of_place.scale_plus(y, self.place_of_rate.scale_plus(rate, self.place_of_push.scale(push)));
        let velocity = self.rate_of_place.scale_plus(y - push, self.rate_of_rate.scale(rate));
        (place, velocity)
    }
}

#[inline(always)]
fn select<S: Wide>(masks: [Mask<S>; 3], yes: V<S>, no: V<S>) -> V<S> {
    V::new(masks[0].select(yes.x, no.x), masks[1].select(yes.y, no.y), masks[2].select(yes.z, no.z))
}

/// [`exp`] of each.
#[inline(always)]
fn exp_each<S: Wide>(v: V<S>) -> (V<S>, V<S>) {
    let ((ex, lx), (ey, ly), (ez, lz)) = (exp(v.x), exp(v.y), exp(v.z));
    (V::new(ex, ey, ez), V::new(lx, ly, lz))
}

/// One mode that oscillates, or is overdamped but nearly oscillates; `e` is exp(-p t).
#[inline(always)]
fn swinging<S: Wide>((p, pt): (F<S>, F<S>), (o2, d2, x2): (F<S>, F<S>, F<S>), e: F<S>, t: f32) -> Parts<S> {
    let simd = p.simd;
    let t = all(simd, t);
    let near = x2.abs().simd_lt(all(simd, 0.01));
    let root = d2.max(all(simd, 0.0)).sqrt();
    let (sine, mut cosine) = sin_cos(root * t);
    let mut sinc = sine / root;
    let is_any_near = near.any_true();
    if is_any_near {
        // cos(x) and sin(x)/x, or cosh and sinh: the same series in x2 of either sign.
        cosine = near.select(series(x2, [1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0]), cosine);
        sinc = near.select(t * series(x2, [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0]), sinc);
    }
    let s = e * sinc;
    let swing = e * cosine;
    let c = p.mul_add(s, swing);
    let mut push = all(simd, 1.0) - c;
    let weak = near & pt.simd_lt(all(simd, 0.3));
    if is_any_near && weak.any_true() {
        push = weak.select(weak_push(pt, o2 * t * t), push);
    }
    [c, s, push, swing - p * s]
}

/// `1 - c` for `pt = p t` and `w = o2 t²` both well below one: the power series of
/// `analytic/oscillator.rs`. 0.6^9 / 10! is below the precision of f32.
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
