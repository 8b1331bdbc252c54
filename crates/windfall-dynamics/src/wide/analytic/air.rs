//! Wind on eight bodies: `air/law.rs` as `Analytic` takes it.

use fearless_simd::Simd;

use super::composite::Forces;
use crate::air::Sails;
use crate::wide::air::{Met, met, straight};
use crate::wide::leaf::Blade;
use crate::wide::leaf::law::{self, Gust};
use crate::wide::math::{F, M, Sym, V, Wide, all};
use crate::world::block::Motion;
use crate::world::rows::Row;

/// Adds the wind to the forces on eight bodies, and gives how its torque on leaves changes with their angle, about their own axes.
#[inline(always)]
pub fn add<S: Simd>(
    simd: S,
    forces: &mut Forces<S>,
    sails: &Sails<f32>,
    (motion, row, are_leaves): (&Motion<Row<f32>, Row<u32>>, usize, bool),
    (rotation, omega): (M<S>, V<S>),
    (blade, inertia): (Blade<S>, F<S>),
    h: f32,
) -> V<S> {
    let Met { arm, v } = met(simd, sails, motion, row, (rotation, omega));
    if !are_leaves {
        let (force, drag) = straight(simd, &sails.own.wood()[row], rotation, v);
        forces.add_other(Forces::at(arm, force, drag));
        return V::splat(all(simd, 0.0));
    }
    let gust = law::blow(simd, (sails, row), blade, rotation.transpose_mul(v));
    let spin_drag = spin_drag(&gust, inertia, h);
    let spin = rotation.transpose_mul(-omega);
    forces.add_other(Forces::at(arm, rotation * gust.force, Sym::diagonal_turned(gust.drag, rotation)));
    forces.torque = forces.torque.plus(rotation, spin_drag.scale_plus(spin, gust.torque));
    forces.drag_inertia = forces.drag_inertia + Sym::diagonal_turned(spin_drag, rotation);
    gust.stiffness
}

/// How air resists the turning of leaves; flutter that a step can't resolve is damped as far as it is so. `inertia` is the trace of that about the joint.
#[inline(always)]
pub fn spin_drag<S: Wide>(gust: &Gust<S>, inertia: F<S>, h: f32) -> V<S> {
    let simd = inertia.simd;
    let z = gust.stiffness.sum() * all(simd, h * h) / inertia;
    gust.stiffness.times_plus(all(simd, h) * z / (all(simd, 1.0) + z), gust.spin_drag)
}
