//! The sweep down, eight bodies at a time: `implicit/sweep.rs` with `world/place.rs`.

use fearless_simd::Simd;

use super::heard::{Above, Own, Parent, hear, parents, say_to_all};
use super::math::{F, Factors, M, Q, Sym, V, Wide, all};
use super::rotation::exp;
use super::{guard, prefetch};
use crate::implicit::Step;
use crate::world::block::{Block, JointState};
use crate::world::exchange::Heard;
use crate::world::order::{Batch, Way};
use crate::world::place::Ahead;
use crate::world::rows::Row;

/// Sweeps one row; gives the squares of the angular velocities.
#[inline(always)]
pub fn row<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    (row, batch): (usize, Batch),
    (own, above): (&mut [Heard<f32>], Above<'_>),
    (step, ahead): (&Step<f32>, &Ahead<f32>),
) -> F<S> {
    prefetch::wood_down(block, row, step.is_far);
    let parent = hear(simd, &parents(block, row), own, above);
    let motion = &block.motions.rows()[row];
    let work = &block.implicit.rows()[row];
    let rotation = Q::of(simd, &motion.orientation).matrix();
    let alpha_bar = parent.alpha + V::of(simd, &motion.coriolis);
    let felt = parent.alpha.cross_plus(V::of(simd, &motion.arm), parent.felt + V::of(simd, &motion.centripetal));
    let inertia = Sym::of(simd, &work.body.inertia);
    let coupling = M::of(simd, &work.body.coupling);
    let carried = (inertia * alpha_bar).plus(coupling, felt);
    let joint = Factors::of(simd, &work.joint);
    let rate = guard::rate(joint.solve(V::of(simd, &work.push) - carried), step.largest_rate);
    let alpha = alpha_bar + rate;
    let torque = (carried + V::of(simd, &work.body.torque)).plus(inertia.full(), rate);
    let mass = Sym::of(simd, &work.body.mass);
    let force = V::of(simd, &work.body.force).plus_transposed(coupling, alpha).plus(mass.full(), felt);
    let reaction = &mut block.reactions.rows_mut()[row];
    rotation.transpose_mul(torque).put(&mut reaction.torque);
    rotation.transpose_mul(force).put(&mut reaction.force);
    prefetch::wood_down_on(block, row, step.is_far);
    let rate = rotation.transpose_mul(rate);
    let by = guard::limited(parent.omega, step.fastest_in_products);
    let follows = batch.way == Way::Leaves;
    let placed = go_on(simd, block, row, (&parent, by), (alpha, felt, rate), (step, ahead, follows));
    if batch.way == Way::Wood {
        let Placed { orientation, position, velocity, omega, .. } = placed;
        let turned = Own {
            alpha: rotation.transpose_mul(alpha),
            felt: rotation.transpose_mul(felt),
            omega: V::splat(all(simd, 0.0)),
        };
        let about = (block, row, batch);
        say_to_all(about, own, (orientation, position), (velocity, omega), (alpha, felt), turned);
    }
    placed.speed
}

/// Where eight bodies have come, and the larger of the squares of the angular velocities of body and joint; of leaves that of the joint.
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

/// Kick and drift of the joints that go at a time, in the axes of the bodies.
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

/// Moves eight bodies with these accelerations, the last of the joint in the body's axes; those of leaves follow their parents. `by` is the angular velocity of the parents in velocity products.
#[inline(always)]
pub fn go_on<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    row: usize,
    (parent, by): (&Parent<S>, V<S>),
    (alpha, felt, rate): (V<S>, V<S>, V<S>),
    (step, ahead, follows): (&Step<f32>, &Ahead<f32>, bool),
) -> Placed<S> {
    let Turned { q, w, rate } = turn(&mut block.states.rows_mut()[row..=row], rate, step);

    // As `Motion::place`.
    let joint = &block.seats.rows()[row];
    let motion = &mut block.motions.rows_mut()[row];
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
    let (mut alpha, mut felt) = (alpha, felt);
    if follows {
        // As `Motion::follow`.
        alpha = (parent.alpha + coriolis).plus(rotation, rate);
        felt = parent.alpha.cross_plus(arm, parent.felt + centripetal);
    }
    alpha.put(&mut motion.alpha);
    felt.put(&mut motion.felt);

    let speed = if follows { w.length_squared() } else { omega.length_squared().max(w.length_squared()) };
    Placed { orientation, position, velocity, omega, speed }
}
