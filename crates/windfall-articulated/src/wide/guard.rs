//! The guards of `block/guard.rs` for eight bodies.

use super::math::{F, V, Wide, all};
use super::up::Bundle;
use crate::block::guard::IN_JOINTS;
use crate::implicit::{GAMMA, Step};

/// The factor that makes it no longer than `most`: one, or less.
#[inline(always)]
pub fn limit<S: Wide>(v: V<S>, most: f32) -> F<S> {
    let simd = v.x.simd;
    let square = v.length_squared();
    // Up to the limit the root of one; there may be none.
    let limit = all(simd, (most * most).min(f32::MAX));
    (limit / square.max(limit)).sqrt()
}

/// The vector, no longer than `most`.
#[inline(always)]
pub fn limited<S: Wide>(v: V<S>, most: f32) -> V<S> {
    let simd = v.x.simd;
    let square = v.length_squared();
    let over = square.simd_gt(all(simd, most * most));
    if !over.any_true() {
        return v;
    }
    v * over.select(all(simd, most) / square.sqrt(), all(simd, 1.0))
}

/// An angular acceleration of at most `most`, even if its square overflows; zero if it is not finite.
#[inline(always)]
pub fn rate<S: Wide>(rate: V<S>, most: f32) -> V<S> {
    let simd = rate.x.simd;
    // False for NaN, too.
    let within = rate.abs_sum().simd_le(all(simd, most));
    if within.all_true() {
        return rate;
    }
    let largest = rate.x.abs().max(rate.y.abs()).max(rate.z.abs());
    let one = rate * (all(simd, 1.0) / largest);
    // The direction is at most sqrt(3) long.
    let length = one.length();
    let bounded = one * ((all(simd, most) / length).min(largest));
    let sum = rate.sum();
    let is_number = sum.is_finite();
    let bounded = V::select(is_number, bounded, V::splat(all(simd, 0.0)));
    V::select(within, rate, bounded)
}

#[inline(always)]
pub fn joint_velocity<S: Wide>(w: V<S>, h: f32) -> V<S> {
    let simd = w.x.simd;
    let limit = all(simd, (IN_JOINTS * IN_JOINTS) as f32);
    let square = w.length_squared() * all(simd, h * h);
    // Leaves exceed the limit all the time, in unpredictable rows, so there is no branch. Up to the limit
    // the factor is one.
    let slowed = w * (limit / square.max(limit));
    // False for NaN, too.
    let within = square.simd_le(all(simd, 1e24));
    if within.all_true() {
        return slowed;
    }
    V::select(within, slowed, V::splat(all(simd, 0.0)))
}

#[inline(always)]
pub fn taut<S: Wide>(arm: V<S>, pull: V<S>) -> F<S> {
    positive(arm.dot(pull))
}

/// The number, or zero where it is negative, infinite or NaN.
#[inline(always)]
pub fn positive<S: Wide>(number: F<S>) -> F<S> {
    let o = all(number.simd, 0.0);
    number.is_finite().select(number.max(o), o)
}

/// The terms of tension about the axes across the body: in its inertia, and in its torque per rad/s.
pub struct Tension<S: Wide> {
    pub inertia: F<S>,
    pub torque: F<S>,
}

/// The terms of tension of a body under tension, relative to the trace of its inertia; none if no body of
/// the eight is under tension.
#[inline(always)]
pub fn tightened<S: Wide>(taut: F<S>, trace: F<S>, step: &Step<f32>) -> Option<Tension<S>> {
    let simd = taut.simd;
    let strength = taut * all(simd, 2.0 * step.square);
    let strong = strength.simd_gt(trace * all(simd, 0.4));
    if !strong.any_true() {
        return None;
    }
    let o = all(simd, 0.0);
    let z = strong.select(strength / trace, o);
    let ramp = |from: f32, over: f32| ((z - all(simd, from)) * all(simd, 1.0 / over)).max(o).min(all(simd, 1.0));
    let spring = ramp(0.4, 0.4) * all(simd, GAMMA as f32);
    let late = ramp(1.0, 1.0);
    let taut = strong.select(taut, o);
    let inertia = taut * (spring + late) * all(simd, step.square);
    Some(Tension { inertia, torque: taut * late * all(simd, step.h) })
}

/// Adds the terms of tension to the inertia and the torque.
#[inline(always)]
pub fn tension<S: Wide>(body: &mut Bundle<S>, taut: F<S>, axis: V<S>, omega: V<S>, step: &Step<f32>) {
    if let Some(tension) = tightened(taut, body.inertia.trace(), step) {
        body.inertia = body.inertia.plus_diagonal(tension.inertia).plus_outer(axis, -tension.inertia);
        body.torque = axis.times_plus(-axis.dot(omega), omega).times_plus(tension.torque, body.torque);
    }
}
