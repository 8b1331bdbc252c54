//! Places, velocities and accelerations from the roots to the tips. [quigley2017] eq. 7 to 12

use rayon::prelude::*;

use super::{Step, Work};
use crate::math::Real;
use crate::world::World;
use crate::world::block::{Block, Motion, Motions};
use crate::world::place::Ahead;

/// Places all trees.
pub(super) fn place<T: Real>(world: &mut World<T>, step: &Step<T>) {
    let World { top, blocks, base_motions, .. } = world;
    place_block(top, &Motions::default(), base_motions, step);
    blocks.par_iter_mut().for_each(|block| place_block(block, &top.motions, base_motions, step));
}

fn place_block<T: Real>(block: &mut Block<T>, top: &Motions<T>, bases: &[Motion<T>], step: &Step<T>) {
    let mut fastest = T::zero();
    for i in 0..block.len() {
        let (mut motion, state) = (block.motions.get(i), block.states.get(i));
        if !step.moves(&motion) {
            continue;
        }
        // A leaf that is gone has none.
        let Some(parent) = block.parent_motion(i, top, bases) else { continue };
        let work = &mut block.analytic[i];
        motion.place(&parent, &block.joints.get(i), &state, &Ahead::none());
        fastest = fastest.max(motion.speed(&state));
        // [quigley2017] eq. 9 and 12, for the joint
        let rotation = motion.rotation();
        motion.alpha = parent.alpha + rotation * state.rate + parent.omega.cross(motion.omega);
        motion.felt = parent.felt + parent.alpha.cross(motion.arm) + motion.centripetal;
        // [quigley2017] eq. 13 and 15: the force that the joint carries
        let center = work.composite.moment / work.composite.mass;
        let acceleration =
            motion.felt + step.gravity + motion.alpha.cross(center) + motion.omega.cross(motion.omega.cross(center));
        // Drag at the end of the step: what it holds back hardly weighs anything.
        let joint_acceleration = motion.felt + step.gravity;
        let composite = &work.composite;
        let less = composite.drag * joint_acceleration + composite.drag_moment.transpose_mul(motion.alpha);
        let force = acceleration * composite.mass - (composite.force - less * step.h);
        block.reactions.edit(i, |reaction| reaction.force = rotation.transpose_mul(force));
        block.motions.set(i, motion);
        *work = Work::zero();
    }
    block.fastest = fastest;
}
