//! Air loads on eight bodies: `air/law.rs` with the implicit terms of `step/implicit/actions.rs`.

use fearless_simd::Simd;
use fearless_simd::prelude::*;
use windfall_core::glam::DVec3;

use super::leaf::Blade;
use super::leaf::law::{self, AirLoad};
use super::math::{F, LANES, M, Q, Sym, V, Wide, all, eight, number};
use super::prefetch;
use super::up::{Bundle, damping_weight};
use crate::block::air_samples::AirSamples;
use crate::block::rows::Row;
use crate::block::sail::{OwnSails, Sails, WoodSail};
use crate::block::{Block, Motion};
use crate::implicit::Step;

/// Inputs of the air loads on eight bodies.
pub struct Body<S: Simd> {
    pub rotation: M<S>,
    pub omega: V<S>,
    pub alpha: V<S>,
    /// Angular velocity in velocity products.
    pub turning: V<S>,
    pub mass: F<S>,
    /// Trace of the inertia about the joint.
    pub inertia: F<S>,
    /// Of leaves.
    pub blade: Blade<S>,
}

/// The point of a body at which the air acts.
pub struct AirPoint<S: Simd> {
    /// From the joint, world axes, m.
    pub arm: V<S>,
    /// Velocity of the air relative to it, world axes, m/s.
    pub v: V<S>,
}

/// The points of eight bodies at which the air acts.
#[inline(always)]
pub fn air_points<S: Simd>(
    simd: S,
    (sails, air): (&Sails<f32>, &AirSamples),
    motion: &Motion<Row<f32>, Row<u32>>,
    row: usize,
    (rotation, omega): (M<S>, V<S>),
) -> AirPoint<S> {
    let arm = match row.checked_sub(sails.own.wood().len()) {
        None => rotation * V::of(simd, &sails.own.wood()[row].center),
        Some(leaves) => rotation.column(1) * number(simd, &sails.own.leaves()[leaves].center),
    };
    AirPoint { arm, v: (-omega).cross_plus(arm, velocity(simd, air, row) - V::of(simd, &motion.velocity)) }
}

/// Velocity of the air at the centres of eight bodies. Values that are not a number count as still air.
#[inline(always)]
pub fn velocity<S: Wide>(simd: S, air: &AirSamples, row: usize) -> V<S> {
    let [x, y, z] = &air.velocities;
    let at = row * LANES;
    let air = V::new(F::first(simd, &x[at..]), F::first(simd, &y[at..]), F::first(simd, &z[at..]));
    let sum = air.sum();
    V::select(sum.is_finite(), air, V::splat(all(simd, 0.0)))
}

/// Force on wood and fruit, and its resistance: across the axis of wood, and in all directions on fruit.
#[inline(always)]
pub fn straight<S: Simd>(simd: S, sail: &WoodSail<Row<f32>>, rotation: M<S>, v: V<S>) -> (V<S>, Sym<S>) {
    let (c, o) = (number(simd, &sail.drag), all(simd, 0.0));
    let along = rotation.column(1);
    let is_wood = number(simd, &sail.axial);
    let v = along.times_plus(-(along.dot(v) * is_wood), v);
    let speed = v.length();
    let over = speed.simd_gt(o).select(c / speed, o);
    let drag = Sym::identity(c * speed).plus_outer(along, -(is_wood * c * speed)).plus_outer(v, over);
    (v * (c * speed), drag)
}

/// The origins of the positions of eight bodies.
#[inline(always)]
fn position_of<S: Simd>(simd: S, anchor: &Row<u32>, anchors: &[DVec3]) -> V<S> {
    let numbers = anchor.0;
    if numbers == [numbers[0]; LANES] {
        let DVec3 { x, y, z } = anchors[numbers[0] as usize];
        return V::new(all(simd, x as f32), all(simd, y as f32), all(simd, z as f32));
    }
    let each = numbers.map(|anchor| anchors[anchor as usize]);
    V::new(
        eight(simd, each.map(|a| a.x as f32)),
        eight(simd, each.map(|a| a.y as f32)),
        eight(simd, each.map(|a| a.z as f32)),
    )
}

/// Finds the sample points of the wind, except those of placed leaves, which write their own.
#[inline(always)]
pub fn find_centers<S: Simd>(
    simd: S,
    block: &Block<f32>,
    sails: &OwnSails<f32>,
    anchors: &[DVec3],
    points: &mut [Vec<f32>; 3],
) {
    let first = sails.wood().len();
    let (wood, leaves) = block.state.motions.rows().split_at(first);
    for (row, (motion, sail)) in wood.iter().zip(sails.wood()).enumerate() {
        prefetch::centers(wood, row);
        let rotation = Q::of(simd, &motion.orientation).matrix();
        let point = V::of(simd, &motion.position).plus(rotation, V::of(simd, &sail.center));
        put_point(simd, point, (&motion.anchor, anchors), row, points);
    }
    if block.scratch.wood_kinematics.are_placed && block.plan.any_whole == Some(false) {
        return;
    }
    for (row, (motion, sail)) in leaves.iter().zip(sails.leaves()).enumerate() {
        if block.scratch.wood_kinematics.are_placed && !block.plan.batches[first + row].is_whole {
            continue;
        }
        prefetch::centers(leaves, row);
        let along = Q::of(simd, &motion.orientation).along_y();
        let point = along.times_plus(number(simd, &sail.center), V::of(simd, &motion.position));
        put_point(simd, point, (&motion.anchor, anchors), first + row, points);
    }
}

/// Writes the points of a row that are counted from the anchors of their trees.
#[inline(always)]
pub fn put_point<S: Simd>(
    simd: S,
    point: V<S>,
    (anchor, anchors): (&Row<u32>, &[DVec3]),
    row: usize,
    [x, y, z]: &mut [Vec<f32>; 3],
) {
    let point = position_of(simd, anchor, anchors) + point;
    let here = row * LANES..(row + 1) * LANES;
    point.x.raw().store_slice(&mut x[here.clone()]);
    point.y.raw().store_slice(&mut y[here.clone()]);
    point.z.raw().store_slice(&mut z[here]);
}

/// Adds the air loads to eight bodies.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "all of it would be looked up again for each body")]
pub fn add<S: Simd>(
    simd: S,
    bundle: &mut Bundle<S>,
    (sails, air): (&Sails<f32>, &AirSamples),
    motion: &Motion<Row<f32>, Row<u32>>,
    row: usize,
    are_leaves: bool,
    body: &Body<S>,
    step: &Step<f32>,
) {
    let AirPoint { arm, v } = air_points(simd, (sails, air), motion, row, (body.rotation, body.omega));

    let swing = body.turning.cross(body.turning.cross(arm));
    let gravity = V::all(simd, step.gravity);
    let age = all(simd, step.age);
    let acceleration = body.alpha.cross_plus(arm, V::of(simd, &motion.proper_acceleration) + gravity + swing);
    if !are_leaves {
        let (force, drag) = straight(simd, &sails.own.wood()[row], body.rotation, v);
        let force = force.plus(drag.full(), acceleration * age);
        let Resistance { weight, lacking } = resistance(drag.trace(), body.mass * all(simd, 3.0), step);
        let resistance = (drag * weight).plus_diagonal(lacking);
        bundle.add_at(arm, resistance, force, swing + gravity);
        return;
    }
    let air_load = law::aero_load(simd, (sails, row), body.blade, body.rotation.transpose_mul(v));
    let late = body.rotation.transpose_mul(body.alpha.times_plus(age, -body.omega));
    let Spin { torque, resistance: spin_resistance } = spin(&air_load, late, body.inertia, step);
    let torque = body.rotation * torque;
    let drag = Sym::diagonal_turned(air_load.drag, body.rotation);
    let force = (body.rotation * air_load.force).plus(drag.full(), acceleration * age);
    let Resistance { weight, lacking } = resistance(drag.trace(), body.mass * all(simd, 3.0), step);
    let held = (drag * weight).plus_diagonal(lacking);
    bundle.add_at(arm, held, force, swing + gravity);
    bundle.torque = bundle.torque - torque;
    bundle.inertia = bundle.inertia + Sym::diagonal_turned(spin_resistance, body.rotation);
}

/// Effect of air on the rotation of leaves, in their own axes.
pub struct Spin<S: Wide> {
    pub torque: V<S>,
    pub resistance: V<S>,
}

/// `late` is the angular velocity of the leaf half a step ago, less its present one; `inertia` the trace
/// of its inertia.
#[inline(always)]
pub fn spin<S: Wide>(air_load: &AirLoad<S>, late: V<S>, inertia: F<S>, step: &Step<f32>) -> Spin<S> {
    let simd = inertia.simd;
    // Flutter that a step can't resolve is damped accordingly.
    let k = air_load.stiffness.sum() * all(simd, step.h * step.h);
    let spin_drag = air_load.stiffness.times_plus(all(simd, step.h) * k / (inertia + k), air_load.spin_drag);
    let turn = air_load.stiffness * all(simd, step.spring);
    let Resistance { weight, lacking } = resistance(spin_drag.sum(), inertia, step);
    let ballast = V::splat(lacking + self::lacking(turn.sum(), inertia));
    Spin {
        torque: spin_drag.scale_plus(late, air_load.torque),
        resistance: spin_drag.times_plus(weight, turn + ballast),
    }
}

/// The resistance of drag.
pub struct Resistance<S: Wide> {
    /// Its factor.
    pub weight: F<S>,
    /// Mass that is lacking beside it.
    pub lacking: F<S>,
}

/// As `resistance` of `step/implicit/actions.rs`; `mass` is the sum along three axes, like the trace.
#[inline(always)]
pub fn resistance<S: Wide>(trace: F<S>, mass: F<S>, step: &Step<f32>) -> Resistance<S> {
    let damping = trace * all(trace.simd, step.h);
    Resistance { weight: damping_weight(damping, mass, step), lacking: lacking(damping, mass) }
}

/// As `with_ballast` of `step/implicit/actions.rs`.
#[inline(always)]
fn lacking<S: Wide>(trace: F<S>, mass: F<S>) -> F<S> {
    let simd = trace.simd;
    let root = all(simd, f32::EPSILON.sqrt() / 3.0);
    trace.mul_sub(root, mass * all(simd, 1.0 / 3.0)).max(all(simd, 0.0))
}
