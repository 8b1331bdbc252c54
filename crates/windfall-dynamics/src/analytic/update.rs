//! Place, velocity and acceleration of one body on its parent. [quigley2017] eq. 7 to 12

use super::Step;
use crate::math::Real;
use crate::world::block::{Block, Motion};
use crate::world::place::Ahead;

/// Places a body whose joint has been moved, and gives the square of its angular velocity.
pub(super) fn place<T: Real>(block: &mut Block<T>, i: usize, parent: &Motion<T>, step: &Step<T>) -> T {
    let (mut motion, state, work) = (block.motion(i), block.states.get(i), block.analytic.get(i));
    motion.place(parent, &block.joints.get(i), &state, &Ahead::none());
    // [quigley2017] eq. 9 and 12, for the joint
    let rotation = motion.rotation();
    motion.alpha = parent.alpha + rotation * state.rate + parent.omega.cross(motion.omega);
    motion.felt = parent.felt + parent.alpha.cross(motion.arm) + motion.centripetal;
    // [quigley2017] eq. 13 and 15: the force that the joint carries, weight on its other side
    let center = work.moment / work.mass;
    let acceleration = motion.felt + motion.alpha.cross(center) + motion.omega.cross(motion.omega.cross(center));
    // Drag at the end of the step: what it holds back hardly weighs anything.
    let joint_acceleration = motion.felt + step.gravity;
    let less = work.pushed.drag * joint_acceleration + work.pushed.drag_moment.transpose_mul(motion.alpha);
    let force = acceleration * work.mass - (work.pushed.force - less * step.h);
    block.reactions.edit(i, |reaction| reaction.force = rotation.transpose_mul(force));
    block.motions.set(i, motion);
    motion.speed(&state)
}
