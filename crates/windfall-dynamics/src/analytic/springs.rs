//! The composite sweep, and the closed form of every joint.

use rayon::prelude::*;

use super::Step;
use super::joint::modes_of;
use crate::math::{Real, Vec3, exp, log};
use crate::world::World;
use crate::world::block::{Block, Link};
use crate::world::{guard, limits};

/// A spring never winds further than this, rad: from half a turn on it would pull the other way.
const LARGEST_ANGLE: f64 = 3.0;

/// Composite bodies from the tips to the roots.
pub(super) fn sweep_up<T: Real>(world: &mut World<T>, gravity: Vec3<T>) {
    world.blocks.par_iter_mut().for_each(|block| sweep_block(block, gravity));
    for block in &world.blocks {
        for &i in &block.entries {
            if let Link::Top(parent) = block.links[i as usize] {
                let child = &block.analytic[i as usize].composite;
                world.top.analytic[parent as usize].composite.add_child(child, block.motions[i as usize].arm);
            }
        }
    }
    sweep_block(&mut world.top, gravity);
}

fn sweep_block<T: Real>(block: &mut Block<T>, gravity: Vec3<T>) {
    for i in (0..block.len()).rev() {
        if block.links[i] == Link::Gone {
            continue;
        }
        block.analytic[i].composite.add_body(&block.masses[i], &block.motions[i], gravity);
        if let Link::Body(parent) = block.links[i] {
            let child = block.analytic[i].composite;
            block.analytic[parent as usize].composite.add_child(&child, block.motions[i].arm);
        }
    }
}

/// Moves every joint by one step. [quigley2017] eq. 5 and 6
pub(super) fn advance<T: Real>(world: &mut World<T>, step: &Step<T>) {
    advance_block(&mut world.top, step);
    world.blocks.par_iter_mut().for_each(|block| advance_block(block, step));
}

fn advance_block<T: Real>(block: &mut Block<T>, step: &Step<T>) {
    for i in 0..block.len() {
        if matches!(block.links[i], Link::Free(_) | Link::Gone) {
            continue;
        }
        let (rotation, spring) = (block.motions[i].rotation, &block.springs[i]);
        let work = &block.analytic[i];
        let modes = modes_of(&work.composite, rotation, spring, step, (block.motions[i].anchor, block.heights[i]));
        let state = &mut block.states[i];
        let torque = rotation.transpose_mul(work.torque);
        let before = state.w;
        let vector = log(state.q);
        let push = vector.force_of(torque);
        let [mut theta, mut rate, mut acceleration] = modes.advance(vector.theta, before, push);
        rate = guard::joint_velocity(rate, step.h);
        acceleration = guard::rate(acceleration, step.h);
        theta = theta.limited_to(T::of(LARGEST_ANGLE));
        let joint = &block.joints[i];
        if spring.bend_limit.is_finite() || spring.twist_limit.is_finite() {
            let turned = log(limits::from_rest(joint, exp(theta))).theta;
            if let Some(clamped) = limits::clamped_vector(spring, turned) {
                rate = limits::without_surplus(spring, clamped, rate);
                (theta, acceleration) = (log(limits::from_relaxed(joint, exp(clamped))).theta, Vec3::zero());
            }
        }
        if !(theta.is_finite() && rate.is_finite() && acceleration.is_finite()) {
            // Only forces near the largest number come here; the joint stays where it is.
            (theta, rate, acceleration) = (vector.theta, Vec3::zero(), Vec3::zero());
        }
        let inertia = work.composite.inertia.turned(rotation.transpose());
        // The mean torque of the spring over the step, from the change of momentum: it has a meaning for rigid joints too.
        block.reactions[i].torque = inertia * ((rate - before) / step.h) - torque;
        state.q = exp(theta);
        state.w = rate;
        state.rate = acceleration;
    }
}
