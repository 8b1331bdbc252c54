//! Places, velocities and accelerations from the roots to the tips. [quigley2017] eq. 7 to 12

use rayon::prelude::*;

use super::{Step, Work};
use crate::math::Real;
use crate::world::World;
use crate::world::block::{Block, Motion};
use crate::world::place::Ahead;

/// Places all trees.
pub(super) fn place<T: Real>(world: &mut World<T>, step: &Step<T>) {
    let World { top, blocks, base_motions, .. } = world;
    place_block(top, &[], base_motions, step);
    blocks.par_iter_mut().for_each(|block| place_block(block, &top.motions, base_motions, step));
}

fn place_block<T: Real>(block: &mut Block<T>, top: &[Motion<T>], bases: &[Motion<T>], step: &Step<T>) {
    let mut fastest = T::zero();
    for i in 0..block.len() {
        let (earlier, rest) = block.motions.split_at_mut(i);
        let motion = &mut rest[0];
        let work = &mut block.analytic[i];
        if !step.moves(motion) {
            continue;
        }
        // A leaf that is gone has none.
        let Some(parent) = Block::parent_motion(block.links[i], earlier, top, bases) else { continue };
        motion.place(parent, &block.joints[i], &block.states[i], &Ahead::none());
        fastest = fastest.max(motion.speed(&block.states[i]));
        // [quigley2017] eq. 9 and 12, for the joint
        motion.alpha = parent.alpha + motion.rotation * block.states[i].rate + parent.omega.cross(motion.omega);
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
        block.reactions[i].force = motion.rotation.transpose_mul(force);
        *work = Work::zero();
    }
    block.fastest = fastest;
}
