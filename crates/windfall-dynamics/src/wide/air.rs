//! Wind on eight bodies: `air/law.rs` with the implicit terms of `implicit/actions.rs`.

use fearless_simd::Simd;
use fearless_simd::prelude::*;
use windfall_core::glam::DVec3;

use super::math::{F, LANES, M, Q, Sym, V, all, number};
use super::up::{Bundle, damping_weight};
use crate::air::{Kind, Sail, Sails};
use crate::implicit::Step;
use crate::world::block::Motion;
use crate::world::rows::Row;

/// What is known of eight bodies.
pub struct Body<S: Simd> {
    pub rotation: M<S>,
    pub omega: V<S>,
    pub alpha: V<S>,
    /// Angular velocity in velocity products.
    pub turning: V<S>,
    pub mass: F<S>,
    /// Trace of the inertia about the joint.
    pub inertia: F<S>,
}

/// Force and torque of the air, and how they resist; in the body's axes but for the drag.
pub struct Gust<S: Simd> {
    pub force: V<S>,
    pub torque: V<S>,
    pub drag: Sym<S>,
    pub spin_drag: V<S>,
    pub stiffness: V<S>,
}

/// Where the air meets a body.
pub struct Met<S: Simd> {
    /// From the joint, body axes and world axes, m.
    pub center: V<S>,
    pub arm: V<S>,
    /// Velocity of the air relative to it, world axes, m/s.
    pub v: V<S>,
}

/// Where the air meets eight bodies.
#[inline(always)]
pub fn met<S: Simd>(
    simd: S,
    sails: &Sails<f32>,
    motion: &Motion<Row<f32>, Row<u32>>,
    row: usize,
    (rotation, omega): (M<S>, V<S>),
) -> Met<S> {
    let center = V::of(simd, &sails.own.rows()[row].center);
    let arm = rotation * center;
    let [x, y, z] = &sails.velocities;
    let lanes = row * LANES..(row + 1) * LANES;
    let eight = |of: &[f32]| -> [f32; LANES] { of[lanes.clone()].try_into().expect("eight") };
    let air = V::new(eight(x).simd_into(simd), eight(y).simd_into(simd), eight(z).simd_into(simd));
    let sum = air.sum();
    let air = V::select(sum.is_finite(), air, V::splat(all(simd, 0.0)));
    Met { center, arm, v: (-omega).cross_plus(arm, air - V::of(simd, &motion.velocity)) }
}

/// Force on wood and fruit, and how it resists: across the axis of wood, and in all directions on fruit.
#[inline(always)]
pub fn straight<S: Simd>(simd: S, sail: &Sail<Row<f32>, Row<Kind>>, rotation: M<S>, v: V<S>) -> (V<S>, Sym<S>) {
    let (c, o) = (number(simd, &sail.drag), all(simd, 0.0));
    let along = rotation.column(1);
    let is_wood: F<S> = sail.kind.0.map(|kind| if kind == Kind::Wood { 1.0 } else { 0.0 }).simd_into(simd);
    let v = along.times_plus(-(along.dot(v) * is_wood), v);
    let speed = v.length();
    let over = speed.simd_gt(o).select(c / speed, o);
    let drag = Sym::identity(c * speed).plus_outer(along, -(is_wood * c * speed)).plus_outer(v, over);
    (v * (c * speed), drag)
}

/// Finds where the wind is asked for.
#[inline(always)]
pub fn find_centers<S: Simd>(
    simd: S,
    motions: &[Motion<Row<f32>, Row<u32>>],
    sails: &[Sail<Row<f32>, Row<Kind>>],
    anchors: &[DVec3],
    [x, y, z]: [&mut Vec<f32>; 3],
) {
    let points = x.as_chunks_mut::<LANES>().0.iter_mut().zip(y.as_chunks_mut().0).zip(z.as_chunks_mut().0);
    for ((motion, sail), ((x, y), z)) in motions.iter().zip(sails).zip(points) {
        let rotation = Q::of(simd, &motion.orientation).matrix();
        let point = V::of(simd, &motion.position).plus(rotation, V::of(simd, &sail.center));
        let anchor = motion.anchor.0.map(|anchor| anchors[anchor as usize]);
        let from = V::new(
            anchor.map(|a| a.x as f32).simd_into(simd),
            anchor.map(|a| a.y as f32).simd_into(simd),
            anchor.map(|a| a.z as f32).simd_into(simd),
        );
        let point = from + point;
        (*x, *y, *z) = (point.x.into(), point.y.into(), point.z.into());
    }
}

/// Adds the wind to eight bodies.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "all of it would be looked up again for each body")]
pub fn add<S: Simd>(
    simd: S,
    bundle: &mut Bundle<S>,
    sails: &Sails<f32>,
    motion: &Motion<Row<f32>, Row<u32>>,
    row: usize,
    are_leaves: bool,
    body: &Body<S>,
    step: &Step<f32>,
) {
    let sail = &sails.own.rows()[row];
    let Met { center, arm, v } = met(simd, sails, motion, row, (body.rotation, body.omega));

    let swing = body.turning.cross(body.turning.cross(arm));
    let gravity = V::all(simd, step.gravity);
    let age = all(simd, step.age);
    let acceleration = body.alpha.cross_plus(arm, V::of(simd, &motion.felt) + gravity + swing);
    if !are_leaves {
        let (force, drag) = straight(simd, sail, body.rotation, v);
        let force = force.plus(drag.full(), acceleration * age);
        let resistance = drag * resistance(drag.trace(), body.mass, step);
        bundle.add_at(arm, resistance, force, swing + gravity);
        return;
    }
    let gust = leaf(simd, sail, body.rotation, center, v);
    // Flutter that a step can't resolve is damped as far as it is so.
    let h = all(simd, step.h);
    let z = gust.stiffness.sum() * all(simd, step.h * step.h) / body.inertia;
    let spin_drag = gust.stiffness.times_plus(h * z / (all(simd, 1.0) + z), gust.spin_drag);
    let late = body.rotation.transpose_mul(body.alpha.times_plus(age, -body.omega));
    let torque = body.rotation * spin_drag.scale_plus(late, gust.torque);
    let turn = gust.stiffness * all(simd, step.spring);
    let most = body.inertia * all(simd, f32::EPSILON.sqrt().recip());
    let trace = turn.sum();
    let turn = turn * trace.simd_gt(most).select(most / trace, all(simd, 1.0));
    let inertia = body.inertia * all(simd, 1.0 / 3.0);
    let spin_resistance = spin_drag.times_plus(resistance(spin_drag.sum(), inertia, step), turn);

    let force = (body.rotation * gust.force).plus(gust.drag.full(), acceleration * age);
    let held = gust.drag * resistance(gust.drag.trace(), body.mass, step);
    bundle.add_at(arm, held, force, swing + gravity);
    bundle.torque = bundle.torque - torque;
    bundle.inertia = bundle.inertia + Sym::diagonal_turned(spin_resistance, body.rotation);
}

/// As `resistance` of `implicit/actions.rs`, over the drag.
#[inline(always)]
fn resistance<S: Simd>(trace: F<S>, mass: F<S>, step: &Step<f32>) -> F<S> {
    let simd = trace.simd;
    let z = trace * all(simd, step.h / 3.0) / mass;
    let most = all(simd, f32::EPSILON.sqrt().recip());
    let weight = damping_weight(z, all(simd, 1.0), step);
    weight * z.simd_gt(most).select(most / z, all(simd, 1.0))
}

/// [quigley2017] eq. 23 and 24; n is the z axis.
#[inline(always)]
pub fn leaf<S: Simd>(simd: S, sail: &Sail<Row<f32>, Row<Kind>>, rotation: M<S>, center: V<S>, world: V<S>) -> Gust<S> {
    let c = number(simd, &sail.drag);
    let (o, half) = (all(simd, 0.0), all(simd, 0.5));
    let tiny = all(simd, f32::MIN_POSITIVE);
    let v = rotation.transpose_mul(world);
    let V { x, y, z: s } = v;
    let speed = v.length().max(tiny);
    let along = number(simd, &sail.friction);
    let across = along * number(simd, &sail.slip);
    let (a, b) = (c.mul_add(speed, along - across), across);
    let force = V::new(b * x, b * y, (a + b) * s);
    let (cosine, sine) = (number(simd, &sail.spiral[0]), number(simd, &sail.spiral[1]));
    let t = number(simd, &sail.torque);
    let q = V::new(-(y * cosine) - x * sine, x * cosine - y * sine, o);
    let torque = q * (t * s);

    let tangential = x.mul_add(x, y * y).sqrt();
    let over = all(simd, 1.0) / speed;
    let (p, r) = ((s * s).mul_add(over, speed), s * tangential * half * over);
    let value = (p + p.mul_add(p, all(simd, 4.0) * r * r).sqrt()) * half;
    let scale = r / tangential.max(tiny);
    let direction = V::new(x * scale, y * scale, value);
    let square = value.mul_add(value, r * r);
    let weight = square.simd_gt(o).select(c * value / square, o);
    let normal = rotation.column(2);
    let drag = Sym::identity(across).plus_outer(normal, along - across).plus_outer(rotation * direction, weight);

    // N = r x F + t; turning by e_x moves n by -e_y and v.n by -y, by e_y n by e_x and v.n by x, by e_z nothing.
    let (push, twist) = (a * s, t * s);
    let by_x = {
        let df = V::new(o, -push, -(a * y));
        let dt = q.times_plus(-(t * y), V::new(-(s * cosine), -(s * sine), x.mul_sub(cosine, y * sine)) * twist);
        V::new(o, -center.z, center.y).cross_plus(force, center.cross_plus(df, dt))
    };
    let by_y = {
        let df = V::new(push, o, a * x);
        let dt = q.times_plus(t * x, V::new(s * sine, -(s * cosine), y.mul_add(cosine, x * sine)) * twist);
        V::new(center.z, o, -center.x).cross_plus(force, center.cross_plus(df, dt))
    };
    let by_z = V::new(-center.y, center.x, o).cross(force);
    let k = M::new(by_x, by_y, by_z).symmetric_part();
    let (xy, xz, yz) = (k.xy.abs(), k.xz.abs(), k.yz.abs());
    Gust {
        force,
        torque,
        drag,
        spin_drag: V::of(simd, &sail.turning).times_plus(speed, V::of(simd, &sail.spin)),
        stiffness: V::new(k.xx.abs() + xy + xz, xy + k.yy.abs() + yz, xz + yz + k.zz.abs()),
    }
}
