//! The two sweeps over all blocks. Blocks are swept in parallel, the top alone; the blocks' parts are added
//! to the top in their order.

use windfall_solver::Solver;

use super::{actions, begin};
use crate::block::exchange::ParentKinematics;
use crate::block::guard;
use crate::block::place::{Place, TOP};
use crate::block::vectors::Vectors;
use crate::block::{AnyBlock, Block, Link, Motion, Motions};
use crate::implicit::sweep::{down_one, up_one};
use crate::implicit::{AnyStep, Step};
use crate::math::{Real, Vec3};
use crate::step::air::StepAir;
use crate::wide;
use crate::world::lookahead::Key;
use crate::world::{AnyWorld, World};

/// From the tips to the roots: articulated inertias.
pub(super) fn up<T: Real>(world: &mut World<T>, step: &Step<T>) {
    let anchors = world.take_anchors();
    let wind = world.wind.clone().filter(|_| !step.is_trial);
    // There is no lookahead for pieces alone.
    let was_looked_ahead = step.from == 0 && world.was_looked_ahead(Key::Implicit(*step), step.h.f64(), &anchors);
    let step_air = StepAir::of(wind.as_deref(), &anchors, (world.time(), step.h.f64()), step.vectors);
    let up = |block: &mut Block<T>, at: u32| {
        block.with_thread_scratch(|block| up_with_scratch(block, at, step_air.as_ref(), step));
    };
    world.blocks.sweep_up(was_looked_ahead, |at, block| up(block, at as u32));
    for block in &*world.blocks {
        for (&i, to_top) in block.model.entries.iter().zip(&block.scratch.to_top) {
            if let Link::Top(parent) = block.state.links[i as usize]
                && (step.from == 0 || step.moves(block.anchor(i as usize)))
            {
                world.top.scratch.accumulators.of(parent as usize).add(to_top);
            }
        }
    }
    up(&mut world.top, TOP);
    world.anchors = anchors;
}

/// Sweeps a block up with the wind, in lent scratch memory.
fn up_with_scratch<T: Real>(block: &mut Block<T>, at: u32, step_air: Option<&StepAir<'_>>, step: &Step<T>) {
    if let Some((block, step)) = fast(block, step) {
        wide::find_leaves(block, step_air.map(|step_air| step_air.anchors), step.vectors);
    } else if step.from == 0 || !block.plan.is_rooted {
        block.store_leaves();
    }
    if let Some(step_air) = step_air {
        actions::aero_load(block, at, step_air, step);
    }
    up_block(block, step, step_air.is_some());
}

fn up_block<T: Real>(block: &mut Block<T>, step: &Step<T>, is_windy: bool) {
    if let Some((block, step)) = fast(block, step) {
        return wide::up(block, step, is_windy, &|block, i| up_one(block, i, step));
    }
    if step.from > 0 && block.plan.is_rooted {
        // None of its bodies belongs to a free piece.
        return;
    }
    block.keep_leaves_whole();
    for i in (0..block.len()).rev() {
        if step.moves(block.anchor(i)) {
            up_one(block, i, step);
        }
    }
    block.scratch.accumulators.forget();
}

/// The block, if it takes the fast path.
fn fast<'a, T: Real>(block: &'a mut Block<T>, step: &'a Step<T>) -> Option<(&'a mut Block<f32>, &'a Step<f32>)> {
    let step = T::single::<AnyStep>(step).filter(|step| step.vectors != Vectors::None)?;
    Some((T::single_mut::<AnyBlock>(block)?, step))
}

/// The bodies from this one to the root of its tree or piece.
pub(super) fn find_path<T: Real>(world: &World<T>, from: Place, path: &mut Vec<Place>) {
    path.clear();
    let mut next = Some(from);
    while let Some(at) = next {
        path.push(at);
        next = match world.block(at.block).state.links[at.index as usize] {
            Link::Body(parent) => Some(Place { index: parent, ..at }),
            Link::Top(parent) => Some(Place { block: TOP, index: parent }),
            Link::Base(_) | Link::Free(_) | Link::Removed => None,
        };
    }
}

/// Angular acceleration of the first body of a path, and acceleration of its joint less gravity, as the
/// sweep down will find them.
pub(super) fn accelerations<T: Real>(world: &World<T>, path: &[Place], step: &Step<T>) -> (Vec3<T>, Vec3<T>) {
    let root = path[path.len() - 1];
    let block = world.block(root.block);
    let (mut alpha, mut proper_acceleration, on_it) = if let Link::Base(tree) = block.state.links[root.index as usize] {
        let base = &world.base_motions[tree as usize];
        (base.alpha, base.proper_acceleration, path)
    } else {
        let (alpha, proper_acceleration) = block.scratch.implicit.get(root.index as usize).body.fall();
        (guard::rate(alpha, step.h), guard::acceleration(proper_acceleration, step.h), &path[..path.len() - 1])
    };
    for at in on_it.iter().rev() {
        let block = world.block(at.block);
        let (motion, work) = (block.motion(at.index as usize), block.scratch.implicit.get(at.index as usize));
        let alpha_bar = alpha + motion.coriolis;
        proper_acceleration = proper_acceleration + alpha.cross(motion.arm) + motion.centripetal;
        let composites = work.body.inertia * alpha_bar + work.body.coupling * proper_acceleration;
        alpha = alpha_bar + guard::rate(work.joint.solve(work.push - composites), step.h);
    }
    (alpha, proper_acceleration)
}

/// From the roots to the tips: accelerations, then the new velocities and places. `next` is the length of
/// the step to look ahead to, s.
pub(super) fn down<T: Real>(world: &mut World<T>, step: &Step<T>, next: Option<f64>) {
    let fast = T::single::<AnyStep>(step).filter(|step| step.vectors != Vectors::None);
    if let Some((step, world)) = fast.and_then(|step| Some((step, T::single_mut::<AnyWorld>(world)?))) {
        let mut anchors = std::mem::take(&mut world.anchors);
        let wind = world.wind.clone();
        let next = next.and_then(|dt| {
            let next = begin(world, dt, dt, false);
            world.look_ahead(Key::Implicit(next), dt, &mut anchors).then_some((next, dt))
        });
        let next = next.map(|(next, dt)| {
            let when = (world.time() + dt, next.h.into());
            (next, StepAir::of(wind.as_deref(), &anchors, when, next.vectors))
        });
        let World { top, blocks, base_motions, above, .. } = world;
        let (bases, tops) = above.split_at_mut(base_motions.len());
        for (parent_kinematics, base) in bases.iter_mut().zip(&*base_motions) {
            *parent_kinematics = ParentKinematics::of(base);
        }
        let none = Motions::default();
        let one = |block: &mut Block<f32>, i| down_one(block, i, &none, base_motions, step);
        wide::down(top, tops, (bases, &[]), (step, &step.ahead()), &one);
        blocks.sweep(|at, block| {
            let one = |block: &mut Block<f32>, i| down_one(block, i, &top.state.motions, base_motions, step);
            block.with_thread_scratch(|block| {
                wide::with_parent_kinematics(block, |block, own| {
                    wide::down(block, own, (bases, tops), (step, &step.ahead()), &one);
                });
                wide::test_strength_bounds(block, step.vectors);
                let may_go_on = !std::mem::take(&mut block.plan.is_touched) && block.plan.is_rooted;
                block.plan.is_ready = may_go_on && next.is_some();
                if let Some((next, step_air)) = next.as_ref().filter(|_| may_go_on) {
                    up_with_scratch(block, at as u32, step_air.as_ref(), next);
                }
            });
        });
        world.anchors = anchors;
        return;
    }
    let World { top, blocks, base_motions, .. } = world;
    down_block(top, &Motions::default(), base_motions, step);
    blocks.sweep(|_, block| down_block(block, &top.state.motions, base_motions, step));
}

fn down_block<T: Real>(block: &mut Block<T>, top: &Motions<T>, bases: &[Motion<T>], step: &Step<T>) {
    // Only the fast path looks ahead; where only pieces move, the trees stay as they are.
    block.plan.is_ready &= step.from > 0;
    block.state.bears_loads = false;
    if step.from > 0 && block.plan.is_rooted {
        // None of its bodies belongs to a free piece.
        return;
    }
    // For the other leaves it is known.
    let mut fastest = if step.from > 0 { block.state.fastest } else { T::zero() };
    for i in 0..block.len() {
        if step.moves(block.anchor(i)) {
            fastest = fastest.max(down_one(block, i, top, bases, step));
        }
    }
    block.state.fastest = fastest;
    if step.from == 0 {
        block.state.ahead = step.ahead();
    }
}
