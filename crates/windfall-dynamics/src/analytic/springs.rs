//! The composite sweep, and the closed form of every joint.

use rayon::prelude::*;

use super::crowd::Crowd;
use super::joint::modes_of;
use super::{Step, Work};
use crate::math::{Real, Vec3, exp, log};
use crate::world::World;
use crate::world::block::{Block, JointState, Link};
use crate::world::{guard, limits};

/// A spring never winds further than this, rad: from half a turn on it would pull the other way.
const LARGEST_ANGLE: f64 = 3.0;

/// Composite bodies from the tips to the roots.
pub(super) fn sweep_up<T: Real>(world: &mut World<T>, step: &Step<T>) {
    world.blocks.par_iter_mut().for_each(|block| sweep_block(block, step));
    for block in &world.blocks {
        for &i in &block.entries {
            if let Link::Top(parent) = block.links[i as usize] {
                let motion = block.motions.get(i as usize);
                if !step.moves(&motion) {
                    continue;
                }
                let child = &block.analytic[i as usize];
                let parent = &mut world.top.analytic[parent as usize];
                parent.composite.add_child(&child.composite, motion.arm);
                parent.outward = parent.outward.or(child.outward);
            }
        }
    }
    sweep_block(&mut world.top, step);
}

fn sweep_block<T: Real>(block: &mut Block<T>, step: &Step<T>) {
    for i in (0..block.len()).rev() {
        let motion = block.motions.get(i);
        if block.links[i] == Link::Gone || !step.moves(&motion) {
            continue;
        }
        let work = &mut block.analytic[i];
        work.composite.add_body(&block.masses.get(i), &motion, step.gravity);
        work.inward = Crowd::of_joint(&work.composite, motion.rotation(), &block.springs.get(i), step);
        work.outward = work.outward.and(work.inward);
        if let Link::Body(parent) = block.links[i] {
            let child = block.analytic[i];
            let parent = &mut block.analytic[parent as usize];
            parent.composite.add_child(&child.composite, motion.arm);
            parent.outward = parent.outward.or(child.outward);
        }
    }
}

/// Adds up the joints that drag moves from the roots outwards.
pub(super) fn crowd<T: Real>(world: &mut World<T>) {
    let World { top, blocks, .. } = world;
    crowd_block(top, &[]);
    blocks.par_iter_mut().for_each(|block| crowd_block(block, &top.analytic));
}

fn crowd_block<T: Real>(block: &mut Block<T>, top: &[Work<T>]) {
    for i in 0..block.len() {
        let below = match block.links[i] {
            Link::Body(parent) => block.analytic[parent as usize].inward,
            Link::Top(parent) => top[parent as usize].inward,
            Link::Base(_) | Link::Free(_) | Link::Gone => continue,
        };
        let work = &mut block.analytic[i];
        // Its own share stands in both until here.
        work.outward = work.outward.and(below);
        work.inward = work.inward.and(below);
    }
}

/// Moves every joint by one step. [quigley2017] eq. 5 and 6
pub(super) fn advance<T: Real>(world: &mut World<T>, step: &Step<T>) {
    advance_block(&mut world.top, step);
    world.blocks.par_iter_mut().for_each(|block| advance_block(block, step));
}

fn advance_block<T: Real>(block: &mut Block<T>, step: &Step<T>) {
    for i in 0..block.len() {
        let motion = block.motions.get(i);
        if block.links[i] == Link::Gone || !step.moves(&motion) {
            continue;
        }
        let (rotation, spring) = (motion.rotation(), &block.springs.get(i));
        let work = &block.analytic[i];
        let modes = modes_of(work, rotation, spring, step, (motion.anchor, block.heights[i]));
        let state = block.states.get(i);
        let torque = rotation.transpose_mul(work.torque);
        let before = state.w;
        let vector = log(state.q);
        let push = vector.force_of(torque);
        let [mut theta, mut rate, mut acceleration, spring_force] = modes.advance(vector.theta, before, push);
        // From a force on theta to a torque in the child's axes.
        let mut reaction = -(vector.rate_matrix().transpose() * spring_force);
        rate = guard::joint_velocity(rate, step.h);
        acceleration = guard::rate(acceleration, step.h);
        theta = theta.limited_to(T::of(LARGEST_ANGLE));
        let joint = &block.joints.get(i);
        if spring.bend_limit.is_finite() || spring.twist_limit.is_finite() {
            let turned = log(limits::from_rest(joint, exp(theta))).theta;
            if let Some(clamped) = limits::clamped_vector(spring, turned) {
                rate = limits::without_surplus(spring, clamped, rate);
                (theta, acceleration) = (log(limits::from_relaxed(joint, exp(clamped))).theta, Vec3::zero());
                // What the stop carries is what the momentum lacks.
                let inertia = work.composite.inertia.turned(rotation.transpose());
                reaction = inertia * ((rate - before) / step.h) - torque;
            }
        }
        if !(theta.is_finite() && rate.is_finite() && acceleration.is_finite()) {
            // Only forces near the largest number come here; the joint stays where it is.
            (theta, rate, acceleration) = (vector.theta, Vec3::zero(), Vec3::zero());
        }
        let torque = if reaction.is_finite() { reaction } else { Vec3::zero() };
        block.reactions.edit(i, |reaction| reaction.torque = torque);
        block.states.set(i, JointState { q: exp(theta), w: rate, rate: acceleration });
    }
}
