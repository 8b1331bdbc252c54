//! The sweep down, eight bodies at a time: `implicit/sweep.rs` with `world/place.rs`.

use fearless_simd::Simd;
use fearless_simd::prelude::*;

use super::guard;
use super::math::{Factors, LANES, M, Q, Sym, V, all};
use super::plan::Batch;
use super::rotation::exp;
use super::up::all_of;
use crate::implicit::{Articulated, Step};
use crate::world::block::{Block, JointState, Link, Motion, Wrench};
use crate::world::place::Ahead;

/// Sweeps one batch; gives the square of the largest angular velocity.
#[inline(always)]
pub fn batch<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    batch: &Batch,
    top: &[Motion<f32>],
    bases: &[Motion<f32>],
    (step, ahead): (&Step<f32>, &Ahead<f32>),
) -> f32 {
    let at = batch.indices.map(|i| i as usize);
    let motion = at.map(|i| &block.motions[i]);
    let parent = at.map(|i| match block.links[i] {
        Link::Top(p) => &top[p as usize],
        Link::Base(tree) => &bases[tree as usize],
        Link::Body(p) => &block.motions[p as usize],
        // Neither is in a batch of eight.
        Link::Free(_) | Link::Gone => &block.motions[i],
    });
    let work = at.map(|i| &block.implicit[i]);
    let (parent_alpha, parent_felt) = (V::load(simd, |l| parent[l].alpha), V::load(simd, |l| parent[l].felt));
    let rotation = Q::load(simd, |l| motion[l].orientation).matrix();
    let arm = V::load(simd, |l| motion[l].arm);
    let alpha_bar = parent_alpha + V::load(simd, |l| motion[l].coriolis);
    let felt = parent_felt + parent_alpha.cross(arm) + V::load(simd, |l| motion[l].centripetal);

    let inertia = Sym::load(simd, |l| work[l].body.inertia);
    let coupling = M::load(simd, |l| work[l].body.coupling);
    let carried = inertia * alpha_bar + coupling * felt;
    let joint = Factors {
        i0: all_of(simd, |l| work[l].joint.i0),
        i1: all_of(simd, |l| work[l].joint.i1),
        i2: all_of(simd, |l| work[l].joint.i2),
        l10: all_of(simd, |l| work[l].joint.l10),
        l20: all_of(simd, |l| work[l].joint.l20),
        l21: all_of(simd, |l| work[l].joint.l21),
    };
    let rate = guard::rate(joint.solve(V::load(simd, |l| work[l].push) - carried), step.h);
    let alpha = alpha_bar + rate;
    let torque = carried + inertia * rate + V::load(simd, |l| work[l].body.torque);
    let mass = Sym::load(simd, |l| work[l].body.mass);
    let force = coupling.transpose_mul(alpha) + mass * felt + V::load(simd, |l| work[l].body.force);
    let (torque, force) = (rotation.transpose_mul(torque), rotation.transpose_mul(force));
    let rate = rotation.transpose_mul(rate);

    // Kick and drift.
    let state = at.map(|i| &block.states[i]);
    let old = V::load(simd, |l| state[l].w);
    let kicked = old * all(simd, step.keep * step.keep) + rate * all(simd, step.kick * step.let_through);
    let w = guard::joint_velocity(kicked, step.h);
    let same = w.x.simd_eq(kicked.x) & w.y.simd_eq(kicked.y) & w.z.simd_eq(kicked.z);
    let rate = V::select(same, rate, (w - old) * all(simd, step.kick.recip()));
    let q = (Q::load(simd, |l| state[l].q) * exp(w * all(simd, step.h))).normalized();

    // As `Motion::place`.
    let joints = at.map(|i| &block.joints[i]);
    let parent_orientation = Q::load(simd, |l| parent[l].orientation);
    let parent_omega = V::load(simd, |l| parent[l].omega);
    let arm = parent_orientation.matrix() * V::load(simd, |l| joints[l].offset);
    let position = V::load(simd, |l| parent[l].position) + arm;
    let orientation = (parent_orientation * Q::load(simd, |l| joints[l].neutral) * q).normalized();
    let rotation = orientation.matrix();
    let turned = rotation * (w * all(simd, ahead.keep) + rate * all(simd, ahead.gain));
    let velocity = V::load(simd, |l| parent[l].velocity) + parent_omega.cross(arm);
    let omega = parent_omega + turned;
    let (by, with) = (guard::in_products(parent_omega, ahead.step), guard::in_products(turned, ahead.step));
    let coriolis = by.cross(with);
    let centripetal = by.cross(by.cross(arm));
    let anchors: [u32; LANES] = std::array::from_fn(|l| parent[l].anchor);
    let speed = omega.length_squared().max(w.length_squared());

    let mut fastest = 0.0_f32;
    for l in 0..batch.count {
        let i = at[l];
        if block.links[i] == Link::Gone {
            continue;
        }
        block.motions[i] = Motion {
            position: position.lane(l),
            orientation: orientation.lane(l),
            rotation: rotation.lane(l),
            velocity: velocity.lane(l),
            omega: omega.lane(l),
            alpha: alpha.lane(l),
            felt: felt.lane(l),
            arm: arm.lane(l),
            coriolis: coriolis.lane(l),
            centripetal: centripetal.lane(l),
            anchor: anchors[l],
        };
        block.states[i] = JointState { q: q.lane(l), w: w.lane(l), rate: rate.lane(l) };
        block.reactions[i] = Wrench { torque: torque.lane(l), force: force.lane(l) };
        block.implicit[i].body = Articulated::zero();
        fastest = fastest.max(speed[l]);
    }
    fastest
}
