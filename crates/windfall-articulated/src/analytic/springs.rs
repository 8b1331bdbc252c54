//! The closed form of one joint. [quigley2017] eq. 5 and 6

use crate::analytic::Step;
use crate::analytic::joint::modes_of;
use crate::block::drag_share::DragShare;
use crate::block::{Block, JointState, guard, limits};
use crate::math::{Real, Vec3, exp, log};

/// A spring never winds further than this, rad: beyond half a turn it would pull the other way.
pub(crate) const LARGEST_ANGLE: f64 = 3.0;

/// Moves a joint by one step. `below` is the drag share of the joints between it and the root.
pub(super) fn advance<T: Real>(block: &mut Block<T>, i: usize, below: DragShare<T>, step: &Step<T>) {
    let (spring, work, state) = (&block.spring(i), &block.scratch.analytic.get(i), block.state.joints.get(i));
    let modes = modes_of(work, below, spring, step, block.model.heights[i]);
    let before = state.w;
    let vector = log(state.q);
    let push = vector.force_of(work.torque);
    let [mut theta, mut rate, mut acceleration, spring_force] = modes.advance(vector.theta, before, push);
    // From a force on theta to a torque in the child's axes.
    let mut reaction = -(vector.rate_matrix().transpose() * spring_force);
    rate = guard::joint_velocity(rate, step.h);
    acceleration = guard::rate(acceleration, step.h);
    theta = theta.limited_to(T::of(LARGEST_ANGLE));
    let joint = &block.joint(i);
    if spring.bend_limit.is_finite() || spring.twist_limit.is_finite() {
        let turned = log(limits::from_rest(joint, exp(theta))).theta;
        if let Some(clamped) = limits::clamped_vector(spring, turned) {
            rate = limits::without_surplus(spring, clamped, rate);
            (theta, acceleration) = (log(limits::from_relaxed(joint, exp(clamped))).theta, Vec3::zero());
            // The stop carries the change of momentum that the other torques do not explain.
            reaction = work.inertia * ((rate - before) / step.h) - work.torque;
        }
    }
    if !(theta.is_finite() && rate.is_finite() && acceleration.is_finite()) {
        // Only forces near the largest number lead here; the joint stays where it is.
        (theta, rate, acceleration) = (vector.theta, Vec3::zero(), Vec3::zero());
    }
    let torque = if reaction.is_finite() { reaction } else { Vec3::zero() };
    block.state.reactions.edit(i, |reaction| reaction.torque = torque);
    block.state.joints.set(i, JointState { q: exp(theta), w: rate, rate: acceleration });
}
