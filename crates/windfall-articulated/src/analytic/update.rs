//! Place, velocity and acceleration of one body on its parent. [quigley2017] eq. 7 to 12

use crate::analytic::Step;
use crate::block::place::Ahead;
use crate::block::{Block, Motion};
use crate::math::{Mat3, Real};

/// Places a body whose joint has been moved, and returns the square of its angular velocity; for a leaf
/// that of its joint.
pub(super) fn place<T: Real>(block: &mut Block<T>, i: usize, parent: &Motion<T>, step: &Step<T>) -> T {
    let (mut motion, state, work) = (block.motion(i), block.state.joints.get(i), block.scratch.analytic.get(i));
    let before = motion.rotation();
    motion.place(parent, &block.joint(i), &state, &Ahead::none());
    // [quigley2017] eq. 9 and 12, for the joint
    let rotation = motion.rotation();
    motion.alpha = parent.alpha + rotation * state.rate + parent.omega.cross(motion.omega);
    motion.proper_acceleration = parent.proper_acceleration + parent.alpha.cross(motion.arm) + motion.centripetal;
    // The intermediate results of a leaf turn with it, and its load is in its own axes.
    let is_leaf = block.model.masses.is_leaf(i);
    let back = if is_leaf { before * rotation.transpose() } else { Mat3::identity() };
    let (proper_acceleration, alpha, omega, gravity) =
        (back * motion.proper_acceleration, back * motion.alpha, back * motion.omega, back * step.gravity);
    // [quigley2017] eq. 13 and 15: the force that the joint carries, with the weight on the other side
    let center = work.moment / work.mass;
    let acceleration = proper_acceleration + alpha.cross(center) + omega.cross(omega.cross(center));
    // Drag at the end of the step: a body that drag carries hardly loads its joint.
    let less = work.pushed.drag * (proper_acceleration + gravity) + work.pushed.drag_moment.transpose_mul(alpha);
    let force = acceleration * work.mass - (work.pushed.force - less * step.h);
    let axes = if is_leaf { before } else { rotation };
    block.state.reactions.edit(i, |reaction| reaction.force = axes.transpose_mul(force));
    block.state.motions.set(i, motion);
    block.speed(i, &motion, &state)
}
