//! Air loads on eight bodies: `air/law.rs` as `Analytic` uses it.

use fearless_simd::Simd;

use super::composite::Forces;
use crate::block::Motion;
use crate::block::air_samples::AirSamples;
use crate::block::rows::Row;
use crate::block::sail::Sails;
use crate::wide::air::{AirPoint, air_points, straight};
use crate::wide::leaf::Blade;
use crate::wide::leaf::law::{self, AirLoad};
use crate::wide::math::{F, M, Sym, V, Wide, all};

/// Adds the air loads to the forces on eight bodies, and returns the change of the torque on leaves with
/// their angle, about their own axes.
#[inline(always)]
pub fn add<S: Simd>(
    simd: S,
    forces: &mut Forces<S>,
    (sails, air): (&Sails<f32>, &AirSamples),
    (motion, row, are_leaves): (&Motion<Row<f32>, Row<u32>>, usize, bool),
    (rotation, omega): (M<S>, V<S>),
    (blade, inertia): (Blade<S>, F<S>),
    h: f32,
) -> V<S> {
    let AirPoint { arm, v } = air_points(simd, (sails, air), motion, row, (rotation, omega));
    if !are_leaves {
        let (force, drag) = straight(simd, &sails.own.wood()[row], rotation, v);
        forces.add_other(Forces::at(arm, force, drag));
        return V::splat(all(simd, 0.0));
    }
    let air_load = law::aero_load(simd, (sails, row), blade, rotation.transpose_mul(v));
    let spin_drag = spin_drag(&air_load, inertia, h);
    let spin = rotation.transpose_mul(-omega);
    forces.add_other(Forces::at(arm, rotation * air_load.force, Sym::diagonal_turned(air_load.drag, rotation)));
    forces.torque = forces.torque.plus(rotation, spin_drag.scale_plus(spin, air_load.torque));
    forces.drag_inertia = forces.drag_inertia + Sym::diagonal_turned(spin_drag, rotation);
    air_load.stiffness
}

/// Resistance of air to the rotation of leaves; flutter that a step can't resolve is damped accordingly.
/// `inertia` is the trace about the joint.
#[inline(always)]
pub fn spin_drag<S: Wide>(air_load: &AirLoad<S>, inertia: F<S>, h: f32) -> V<S> {
    let simd = inertia.simd;
    let z = air_load.stiffness.sum() * all(simd, h * h) / inertia;
    air_load.stiffness.times_plus(all(simd, h) * z / (all(simd, 1.0) + z), air_load.spin_drag)
}
