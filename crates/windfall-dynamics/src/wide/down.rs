//! The sweep down, eight bodies at a time: `implicit/sweep.rs` with `world/place.rs`.

use fearless_simd::Simd;
use fearless_simd::prelude::*;

use super::guard;
use super::heard::{Above, fours, parents, say};
use super::math::{F, Factors, M, Q, Sym, V, all};
use super::rotation::exp;
use crate::implicit::Step;
use crate::world::block::Block;
use crate::world::exchange::Heard;
use crate::world::order::Way;
use crate::world::place::Ahead;

/// Sweeps one row; gives the squares of the angular velocities.
#[inline(always)]
pub fn row<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    row: usize,
    way: Way,
    (own, above): (&mut [Heard<f32>], Above<'_>),
    (step, ahead): (&Step<f32>, &Ahead<f32>),
) -> F<S> {
    let parent = parents(block, row, own, above);
    let [x, y, z, omega_z] = fours(simd, &parent, 3);
    let parent_alpha = V::new(x, y, z);
    let [x, y, z, _] = fours(simd, &parent, 4);
    let parent_felt = V::new(x, y, z);

    let motion = &mut block.motions.rows_mut()[row];
    let work = &block.implicit.rows()[row];
    let rotation = Q::of(simd, &motion.orientation).matrix();
    let alpha_bar = parent_alpha + V::of(simd, &motion.coriolis);
    let felt = parent_alpha.cross_plus(V::of(simd, &motion.arm), parent_felt + V::of(simd, &motion.centripetal));
    let inertia = Sym::of(simd, &work.body.inertia);
    let coupling = M::of(simd, &work.body.coupling);
    let carried = (inertia * alpha_bar).plus(coupling, felt);
    let joint = Factors::of(simd, &work.joint);
    let rate = guard::rate(joint.solve(V::of(simd, &work.push) - carried), step.h);
    let alpha = alpha_bar + rate;
    let torque = (carried + V::of(simd, &work.body.torque)).plus(inertia.full(), rate);
    let mass = Sym::of(simd, &work.body.mass);
    let force = V::of(simd, &work.body.force).plus_transposed(coupling, alpha).plus(mass.full(), felt);
    let reaction = &mut block.reactions.rows_mut()[row];
    rotation.transpose_mul(torque).put(&mut reaction.torque);
    rotation.transpose_mul(force).put(&mut reaction.force);
    let rate = rotation.transpose_mul(rate);

    // Kick and drift.
    let state = &mut block.states.rows_mut()[row];
    let old = V::of(simd, &state.w);
    let kicked = old.times_plus(all(simd, step.keep * step.keep), rate * all(simd, step.kick * step.let_through));
    let w = guard::joint_velocity(kicked, step.h);
    let same = w.x.simd_eq(kicked.x) & w.y.simd_eq(kicked.y) & w.z.simd_eq(kicked.z);
    let rate = V::select(same, rate, (w - old) * all(simd, step.kick.recip()));
    let q = (Q::of(simd, &state.q) * exp(w * all(simd, step.h))).normalized();
    q.put(&mut state.q);
    w.put(&mut state.w);
    rate.put(&mut state.rate);

    // As `Motion::place`.
    let joint = &block.joints.rows()[row];
    let [x, y, z, w_] = fours(simd, &parent, 0);
    let parent_orientation = Q { v: V::new(x, y, z), w: w_ };
    let [x, y, z, omega_x] = fours(simd, &parent, 1);
    let parent_position = V::new(x, y, z);
    let [x, y, z, omega_y] = fours(simd, &parent, 2);
    let parent_velocity = V::new(x, y, z);
    let parent_omega = V::new(omega_x, omega_y, omega_z);
    let arm = parent_orientation.matrix() * V::of(simd, &joint.offset);
    let position = parent_position + arm;
    let orientation = (parent_orientation * Q::of(simd, &joint.neutral) * q).normalized();
    let rotation = orientation.matrix();
    let turned = rotation * w.times_plus(all(simd, ahead.keep), rate * all(simd, ahead.gain));
    let velocity = parent_omega.cross_plus(arm, parent_velocity);
    let omega = parent_omega + turned;
    let (by, with) = (guard::in_products(parent_omega, ahead.step), guard::in_products(turned, ahead.step));
    position.put(&mut motion.position);
    orientation.put(&mut motion.orientation);
    velocity.put(&mut motion.velocity);
    omega.put(&mut motion.omega);
    alpha.put(&mut motion.alpha);
    felt.put(&mut motion.felt);
    arm.put(&mut motion.arm);
    by.cross(with).put(&mut motion.coriolis);
    by.cross(by.cross(arm)).put(&mut motion.centripetal);

    if way == Way::Wood {
        say(own, row, (orientation, position), (velocity, omega), (alpha, felt));
    }
    omega.length_squared().max(w.length_squared())
}
