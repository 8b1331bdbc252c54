//! The sweep down, eight bodies at a time: `implicit/sweep.rs` with `block/place.rs`.

use fearless_simd::Simd;

use super::math::{F, Factors, M, Q, Sym, V, Wide, all};
use super::parent_kinematics::{Above, Own, Parent, find_parent_kinematics, parents, write_for_children};
use super::rotation::exp;
use super::{guard, prefetch};
use crate::block::batch::{Batch, Way};
use crate::block::exchange::ParentKinematics;
use crate::block::place::Ahead;
use crate::block::rows::Row;
use crate::block::{Block, JointState};
use crate::implicit::Step;

/// Sweeps one row; returns the squares of the angular velocities.
#[inline(always)]
pub fn row<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    (row, batch): (usize, Batch),
    (own, above): (&mut [ParentKinematics<f32>], Above<'_>),
    (step, ahead): (&Step<f32>, &Ahead<f32>),
) -> F<S> {
    prefetch::wood_down(block, row, step.is_far);
    let parent = find_parent_kinematics(simd, &parents(block, row), own, above);
    let motion = &block.state.motions.rows()[row];
    let work = &block.scratch.implicit.rows()[row];
    let rotation = Q::of(simd, &motion.orientation).matrix();
    let alpha_bar = parent.alpha + V::of(simd, &motion.coriolis);
    let proper_acceleration = parent
        .alpha
        .cross_plus(V::of(simd, &motion.arm), parent.proper_acceleration + V::of(simd, &motion.centripetal));
    let inertia = Sym::of(simd, &work.body.inertia);
    let coupling = M::of(simd, &work.body.coupling);
    let composites = (inertia * alpha_bar).plus(coupling, proper_acceleration);
    let joint = Factors::of(simd, &work.joint);
    let rate = guard::rate(joint.solve(V::of(simd, &work.push) - composites), step.largest_rate);
    let alpha = alpha_bar + rate;
    let torque = (composites + V::of(simd, &work.body.torque)).plus(inertia.full(), rate);
    let mass = Sym::of(simd, &work.body.mass);
    let force = V::of(simd, &work.body.force).plus_transposed(coupling, alpha).plus(mass.full(), proper_acceleration);
    let reaction = &mut block.state.reactions.rows_mut()[row];
    rotation.transpose_mul(torque).put(&mut reaction.torque);
    rotation.transpose_mul(force).put(&mut reaction.force);
    prefetch::wood_down_on(block, row, step.is_far);
    let rate = rotation.transpose_mul(rate);
    let by = guard::limited(parent.omega, step.fastest_in_products);
    let is_derived = batch.way == Way::Leaves;
    let placed = go_on(simd, block, row, (&parent, by), (alpha, proper_acceleration, rate), (step, ahead, is_derived));
    if batch.way == Way::Wood {
        let Placed { orientation, position, velocity, omega, .. } = placed;
        let turned = Own {
            alpha: rotation.transpose_mul(alpha),
            proper_acceleration: rotation.transpose_mul(proper_acceleration),
            omega: V::splat(all(simd, 0.0)),
        };
        let about = (block, row, batch);
        write_for_children(
            about,
            own,
            (orientation, position),
            (velocity, omega),
            (alpha, proper_acceleration),
            turned,
        );
    }
    placed.speed
}

/// The new positions of eight bodies, and the larger of the squares of the angular velocities of body and
/// joint; for leaves that of the joint.
pub struct Placed<S: Simd> {
    orientation: Q<S>,
    position: V<S>,
    velocity: V<S>,
    omega: V<S>,
    pub speed: F<S>,
}

/// The new state of joints.
pub struct Turned<S: Wide> {
    /// Nearly of unit length.
    pub q: Q<S>,
    pub w: V<S>,
    pub rate: V<S>,
}

/// Kick and drift of the joints processed at a time, in the axes of the bodies.
#[inline(always)]
pub fn turn<S: Wide>(states: &mut [JointState<Row<f32>>], rate: V<S>, step: &Step<f32>) -> Turned<S> {
    let simd = rate.x.simd;
    let old = V::at(simd, |j| &states[j].w);
    let kicked = old.times_plus(all(simd, step.keep * step.keep), rate * all(simd, step.kick * step.let_through));
    let w = guard::joint_velocity(kicked, step.h);
    let same = w.x.simd_eq(kicked.x) & w.y.simd_eq(kicked.y) & w.z.simd_eq(kicked.z);
    let rate = V::select(same, rate, (w - old) * all(simd, step.per_kick));
    let q = Q::at(simd, |j| &states[j].q) * exp(w * all(simd, step.h));
    q.normalized().put_in(states, |state| &mut state.q);
    w.put_in(states, |state| &mut state.w);
    rate.put_in(states, |state| &mut state.rate);
    Turned { q, w, rate }
}

/// Moves eight bodies with these accelerations, the last of the joint in the body's axes; the
/// accelerations of leaves are derived from their parents. `by` is the angular velocity of the parents in
/// velocity products.
#[inline(always)]
pub fn go_on<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    row: usize,
    (parent, by): (&Parent<S>, V<S>),
    (alpha, proper_acceleration, rate): (V<S>, V<S>, V<S>),
    (step, ahead, is_derived): (&Step<f32>, &Ahead<f32>, bool),
) -> Placed<S> {
    let Turned { q, w, rate } = turn(&mut block.state.joints.rows_mut()[row..=row], rate, step);

    // As `Motion::place`.
    let joint = &block.model.seats.rows()[row];
    let motion = &mut block.state.motions.rows_mut()[row];
    let arm = parent.rotation * V::of(simd, &joint.offset);
    let position = parent.position + arm;
    let orientation = (parent.orientation * Q::of(simd, &joint.neutral) * q).normalized();
    let rotation = orientation.matrix();
    let turned = rotation * w.times_plus(all(simd, ahead.keep), rate * all(simd, ahead.gain));
    let velocity = parent.omega.cross_plus(arm, parent.velocity);
    let omega = parent.omega + turned;
    let with = guard::limited(turned, step.fastest_in_products);
    position.put(&mut motion.position);
    orientation.put(&mut motion.orientation);
    velocity.put(&mut motion.velocity);
    omega.put(&mut motion.omega);
    arm.put(&mut motion.arm);
    let (coriolis, centripetal) = (by.cross(with), by.cross(by.cross(arm)));
    coriolis.put(&mut motion.coriolis);
    centripetal.put(&mut motion.centripetal);
    let (mut alpha, mut proper_acceleration) = (alpha, proper_acceleration);
    if is_derived {
        // As `Motion::follow`.
        alpha = (parent.alpha + coriolis).plus(rotation, rate);
        proper_acceleration = parent.alpha.cross_plus(arm, parent.proper_acceleration + centripetal);
    }
    alpha.put(&mut motion.alpha);
    proper_acceleration.put(&mut motion.proper_acceleration);

    let speed = if is_derived { w.length_squared() } else { omega.length_squared().max(w.length_squared()) };
    Placed { orientation, position, velocity, omega, speed }
}
