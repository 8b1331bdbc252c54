//! The two sweeps over all blocks. Blocks are swept in parallel, the top alone; the blocks' parts are added
//! to the top in their order.

use windfall_solver::Solver;

use super::forces;
use crate::analytic::sweep::{down_one, up_one};
use crate::analytic::{AnyStep, Step};
use crate::block::composite_work::Works;
use crate::block::exchange::ParentKinematics;
use crate::block::place::Ahead;
use crate::block::vectors::Vectors;
use crate::block::{AnyBlock, Block, Link, Motion, Motions};
use crate::math::Real;
use crate::step::air::StepAir;
use crate::wide;
use crate::world::lookahead::Key;
use crate::world::{AnyWorld, World};

/// From the tips to the roots: composite bodies, and the torques of their joints.
pub(super) fn up<T: Real>(world: &mut World<T>, step: &Step<T>) {
    if let Some((world, step)) = fast(world, step) {
        return up_all(world, step, |block, top, bases| up_together(block, top, bases, step));
    }
    up_all(world, step, |block, top, bases| {
        block.keep_analytic_leaves_whole();
        (0..block.len()).rev().for_each(|i| up_one(block, i, top, bases, step));
        block.scratch.is_forced = true;
    });
}

fn up_together(block: &mut Block<f32>, top: &Motions<f32>, bases: &[Motion<f32>], step: &Step<f32>) {
    wide::analytic::up(block, (top, bases), step, &|block, i| up_one(block, i, top, bases, step));
}

/// The world, if it takes the fast path.
fn fast<'a, T: Real>(world: &'a mut World<T>, step: &'a Step<T>) -> Option<(&'a mut World<f32>, &'a Step<f32>)> {
    let step = T::single::<AnyStep>(step).filter(|step| step.vectors != Vectors::None)?;
    Some((T::single_mut::<AnyWorld>(world)?, step))
}

fn up_all<T: Real>(
    world: &mut World<T>,
    step: &Step<T>,
    up_block: impl Fn(&mut Block<T>, &Motions<T>, &[Motion<T>]) + Sync,
) {
    let anchors = world.take_anchors();
    let was_looked_ahead = world.was_looked_ahead(Key::Analytic(step.key()), step.h.f64(), &anchors);
    let wind = world.wind.clone();
    let step_air = StepAir::of(wind.as_deref(), &anchors, (world.time(), step.h.f64()), step.vectors);
    let World { top, blocks, base_motions, .. } = world;
    blocks.sweep_up(was_looked_ahead, |_, block| {
        block.with_thread_scratch(|block| {
            up_with_scratch(block, step_air.as_ref(), step, |block| up_block(block, &top.state.motions, base_motions));
        });
    });
    for block in &**blocks {
        for (&i, composites_to_top) in block.model.entries.iter().zip(&block.scratch.composites_to_top) {
            if let Link::Top(parent) = block.state.links[i as usize]
                && step.moves(block.anchor(i as usize))
            {
                top.scratch.composites.of(parent as usize).add(composites_to_top);
            }
        }
    }
    top.with_thread_scratch(|top| {
        up_with_scratch(top, step_air.as_ref(), step, |top| up_block(top, &Motions::default(), base_motions));
    });
    world.anchors = anchors;
}

/// Sweeps a block up with the wind, in lent scratch memory.
fn up_with_scratch<T: Real>(
    block: &mut Block<T>,
    step_air: Option<&StepAir<'_>>,
    step: &Step<T>,
    up: impl FnOnce(&mut Block<T>),
) {
    if let Some((block, step)) = fast_block(block, step) {
        wide::analytic::find_leaves(block, step_air.map(|step_air| step_air.anchors), step);
    } else {
        block.store_leaves();
    }
    if let Some(step_air) = step_air {
        forces::apply_air_to_riders(block, step_air, step);
    }
    up(block);
    block.scratch.composites.forget();
}

/// The block, if it takes the fast path.
fn fast_block<'a, T: Real>(block: &'a mut Block<T>, step: &'a Step<T>) -> Option<(&'a mut Block<f32>, &'a Step<f32>)> {
    let step = T::single::<AnyStep>(step).filter(|step| step.vectors != Vectors::None)?;
    Some((T::single_mut::<AnyBlock>(block)?, step))
}

/// From the roots to the tips: the closed form of every joint, then places, velocities and accelerations.
/// `dt` is the step in seconds.
pub(super) fn down<T: Real>(world: &mut World<T>, step: &Step<T>, dt: f64) {
    if let Some((world, step)) = fast(world, step) {
        let mut anchors = std::mem::take(&mut world.anchors);
        let wind = world.wind.clone();
        let looks_ahead = step.may_go_on() && world.look_ahead(Key::Analytic(step.key()), dt, &mut anchors);
        let step_air = StepAir::of(wind.as_deref(), &anchors, (world.time() + dt, step.h.into()), step.vectors);
        let World { top, blocks, base_motions, above, .. } = world;
        let (bases, tops) = above.split_at_mut(base_motions.len());
        for (parent_kinematics, base) in bases.iter_mut().zip(&*base_motions) {
            *parent_kinematics = ParentKinematics::of(base);
        }
        let (nobody, nothing) = (Motions::default(), Works::default());
        let one = |block: &mut Block<f32>, i| down_one(block, i, (&nobody, &nothing), base_motions, step);
        wide::analytic::down(top, tops, (bases, &[], &nothing), step, &one);
        let (motions, works) = (&top.state.motions, &top.scratch.analytic);
        blocks.sweep(|_, block| {
            let one = |block: &mut Block<f32>, i| down_one(block, i, (motions, works), base_motions, step);
            block.with_thread_scratch(|block| {
                wide::with_parent_kinematics(block, |block, own| {
                    wide::analytic::down(block, own, (bases, tops, works), step, &one);
                });
                wide::test_strength_bounds(block, step.vectors);
                block.plan.is_ready =
                    !std::mem::take(&mut block.plan.is_touched) && block.plan.is_rooted && looks_ahead;
                if block.plan.is_ready {
                    up_with_scratch(block, step_air.as_ref(), step, |block| {
                        up_together(block, motions, base_motions, step);
                    });
                }
            });
        });
        world.anchors = anchors;
        return;
    }
    let World { top, blocks, base_motions, .. } = world;
    down_block(top, (&Motions::default(), &Works::default()), base_motions, step);
    let above = (&top.state.motions, &top.scratch.analytic);
    blocks.sweep(|_, block| down_block(block, above, base_motions, step));
}

fn down_block<T: Real>(block: &mut Block<T>, top: (&Motions<T>, &Works<T>), bases: &[Motion<T>], step: &Step<T>) {
    (block.plan.is_ready, block.state.bears_loads) = (false, false);
    let all = 0..block.len();
    block.state.fastest = all.fold(T::zero(), |fastest, i| fastest.max(down_one(block, i, top, bases, step)));
    block.state.ahead = Ahead::none();
}
