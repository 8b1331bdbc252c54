//! Fictitious forces: what a joint feels of the motion of its parent. [quigley2017] eq. 13 to 20

use rayon::prelude::*;

use super::{Step, composite::Composite};
use crate::math::{Real, Vec3};
use crate::world::World;
use crate::world::block::{Block, Motion, Motions};

/// Sets the torque of every joint: external and fictitious.
pub(super) fn add<T: Real>(world: &mut World<T>, step: &Step<T>) {
    let World { top, blocks, base_motions, .. } = world;
    add_block(top, &Motions::default(), base_motions, step);
    blocks.par_iter_mut().for_each(|block| add_block(block, &top.motions, base_motions, step));
}

fn add_block<T: Real>(block: &mut Block<T>, top: &Motions<T>, bases: &[Motion<T>], step: &Step<T>) {
    for i in 0..block.len() {
        let motion = block.motions.get(i);
        if !step.moves(&motion) {
            continue;
        }
        let parent = block.parent_motion(i, top, bases);
        let work = &mut block.analytic[i];
        let felt = parent.map_or_else(Vec3::zero, |parent| torque(&work.composite, &motion, &parent, step));
        work.torque = work.composite.torque + felt;
    }
}

/// [quigley2017] eq. 20
fn torque<T: Real>(composite: &Composite<T>, motion: &Motion<T>, parent: &Motion<T>, step: &Step<T>) -> Vec3<T> {
    let by = |m: f64| T::of(m);
    let part = &step.fictitious;
    let frame = &step.frames[motion.anchor as usize];
    let at_joint = frame.at(motion.position);
    let mut acceleration = at_joint * by(part.root);
    let mut alpha = frame.alpha * by(part.root);
    if part.linear != 0.0 {
        acceleration += (motion.felt + step.gravity - at_joint) * by(part.linear);
    }
    if part.angular != 0.0 {
        alpha += (parent.alpha - frame.alpha) * by(part.angular);
    }
    if part.coriolis != 0.0 {
        alpha += parent.omega.cross(motion.omega) * by(part.coriolis);
    }
    let mut torque = -composite.moment.cross(acceleration) - composite.inertia * alpha;
    if part.gyroscopic != 0.0 {
        torque -= motion.omega.cross(composite.inertia * motion.omega) * by(part.gyroscopic);
    }
    torque
}
