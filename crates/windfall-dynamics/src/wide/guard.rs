//! The guards of `world/guard.rs` for eight bodies.

use fearless_simd::Simd;
use fearless_simd::prelude::*;

use super::math::{F, Sym, V, all};
use super::up::Bundle;
use crate::implicit::{GAMMA, Step};
use crate::world::guard::{GAIN, IN_JOINTS, IN_PRODUCTS};

/// No longer than `most`.
#[inline(always)]
pub fn limited<S: Simd>(v: V<S>, most: f32) -> V<S> {
    let simd = v.x.simd;
    let square = v.length_squared();
    let over = square.simd_gt(all(simd, most * most));
    if !over.any_true() {
        return v;
    }
    v * over.select(all(simd, most) / square.sqrt(), all(simd, 1.0))
}

#[inline(always)]
pub fn in_products<S: Simd>(omega: V<S>, h: f32) -> V<S> {
    limited(omega, IN_PRODUCTS as f32 / h)
}

#[inline(always)]
pub fn rate<S: Simd>(rate: V<S>, h: f32) -> V<S> {
    let simd = rate.x.simd;
    let most = GAIN as f32 / (h * h);
    // False for what is not a number, too.
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
pub fn joint_velocity<S: Simd>(w: V<S>, h: f32) -> V<S> {
    let simd = w.x.simd;
    let limit = IN_JOINTS as f32;
    let within = (w.length_squared() * all(simd, h * h)).simd_le(all(simd, limit * limit));
    if within.all_true() {
        return w;
    }
    let largest = w.x.abs().max(w.y.abs()).max(w.z.abs()) * all(simd, h);
    let angle = w.length() * all(simd, h);
    let part = (all(simd, limit) / angle).min(all(simd, 1.0));
    let slowed = V::select(largest.simd_lt(all(simd, 1e12)), w * (part * part), V::splat(all(simd, 0.0)));
    V::select(within, w, slowed)
}

#[inline(always)]
pub fn taut<S: Simd>(arm: V<S>, pull: V<S>) -> F<S> {
    let along = arm.dot(pull);
    let simd = along.simd;
    let o = all(simd, 0.0);
    (along.simd_gt(o) & along.is_finite()).select(along, o)
}

/// Adds what tension adds to the inertia and the torque.
#[inline(always)]
pub fn tension<S: Simd>(body: &mut Bundle<S>, taut: F<S>, axis: V<S>, omega: V<S>, step: &Step<f32>) {
    let simd = taut.simd;
    let trace = body.inertia.trace();
    let strength = taut * all(simd, 2.0 * step.square);
    let strong = strength.simd_gt(trace * all(simd, 0.4));
    if !strong.any_true() {
        return;
    }
    let o = all(simd, 0.0);
    let z = strong.select(strength / trace, o);
    let ramp = |from: f32, over: f32| ((z - all(simd, from)) * all(simd, 1.0 / over)).max(o).min(all(simd, 1.0));
    let spring = ramp(0.4, 0.4) * all(simd, GAMMA as f32);
    let late = ramp(1.0, 1.0);
    let taut = strong.select(taut, o);
    let stiffness = Sym::identity(taut).plus_outer(axis, -taut);
    body.inertia = stiffness.times_plus((spring + late) * all(simd, step.square), body.inertia);
    body.torque += stiffness * omega * (late * all(simd, step.h));
}
