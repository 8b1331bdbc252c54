//! The two sweeps. Blocks go in parallel, the top alone; what blocks give to the top is added in their order.

use std::any::Any;

use windfall_core::Solver;

use super::carried::Carried;
use super::composite::{hanging, lever};
use super::crowd::Crowd;
use super::{Pushed, Step, Work, fictitious, forces, springs, update};
use crate::air::Weather;
use crate::math::{Real, Sym3};
use crate::wide::{self, Vectors};
use crate::world::World;
use crate::world::block::{Block, Link, Motion, Motions};
use crate::world::exchange::Heard;
use crate::world::foresight::Key;
use crate::world::place::Ahead;
use crate::world::rows::{LANES, Lanes, Row, Rows};

/// What the joints of a block keep.
pub(crate) type Works<T> = Rows<Work<Row<T>>>;

/// From the tips to the roots: composite bodies, and the torques of their joints.
pub(super) fn up<T: Real>(world: &mut World<T>, step: &Step<T>) {
    if let Some((world, step)) = fast(world, step) {
        return up_all(world, step, |block, top, bases| up_together(block, top, bases, step));
    }
    up_all(world, step, |block, top, bases| {
        block.keep_analytic_leaves_whole();
        (0..block.len()).rev().for_each(|i| up_one(block, i, top, bases, step));
        block.is_forced = true;
    });
}

fn up_together(block: &mut Block<f32>, top: &Motions<f32>, bases: &[Motion<f32>], step: &Step<f32>) {
    wide::analytic::up(block, (top, bases), step, &|block, i| up_one(block, i, top, bases, step));
}

/// The world, if it goes the fast path.
fn fast<'a, T: Real>(world: &'a mut World<T>, step: &'a Step<T>) -> Option<(&'a mut World<f32>, &'a Step<f32>)> {
    let step = (step as &dyn Any).downcast_ref::<Step<f32>>().filter(|step| step.vectors != Vectors::None)?;
    Some(((world as &mut dyn Any).downcast_mut::<World<f32>>()?, step))
}

fn up_all<T: Real>(
    world: &mut World<T>,
    step: &Step<T>,
    up_block: impl Fn(&mut Block<T>, &Motions<T>, &[Motion<T>]) + Sync,
) {
    let anchors = world.take_anchors();
    let is_foreseen = world.is_foreseen(Key::Analytic(step.key()), step.h.f64(), &anchors);
    let wind = world.wind.clone();
    let weather = Weather::of(wind.as_deref(), &anchors, (world.time(), step.h.f64()), step.vectors);
    let World { top, blocks, base_motions, .. } = world;
    blocks.sweep_up(is_foreseen, |_, block| {
        block.in_lent_room(|block| {
            up_in_room(block, weather.as_ref(), step, |block| up_block(block, &top.motions, base_motions));
        });
    });
    for block in &**blocks {
        for (&i, lifted) in block.entries.iter().zip(&block.lifted) {
            if let Link::Top(parent) = block.links[i as usize]
                && step.moves(block.anchor(i as usize))
            {
                top.carried.of(parent as usize).add(lifted);
            }
        }
    }
    top.in_lent_room(|top| {
        up_in_room(top, weather.as_ref(), step, |top| up_block(top, &Motions::default(), base_motions));
    });
    world.anchors = anchors;
}

/// Sweeps a block up with the wind, in lent room.
fn up_in_room<T: Real>(
    block: &mut Block<T>,
    weather: Option<&Weather<'_>>,
    step: &Step<T>,
    up: impl FnOnce(&mut Block<T>),
) {
    if let Some((block, step)) = fast_block(block, step) {
        wide::analytic::find_leaves(block, weather.map(|weather| weather.anchors), step);
    } else {
        block.store_leaves();
    }
    if let Some(weather) = weather {
        forces::blow_on_riders(block, weather, step);
    }
    up(block);
    block.carried.forget();
}

/// The block, if it goes the fast path.
fn fast_block<'a, T: Real>(block: &'a mut Block<T>, step: &'a Step<T>) -> Option<(&'a mut Block<f32>, &'a Step<f32>)> {
    let step = (step as &dyn Any).downcast_ref::<Step<f32>>().filter(|step| step.vectors != Vectors::None)?;
    Some(((block as &mut dyn Any).downcast_mut::<Block<f32>>()?, step))
}

fn up_one<T: Real>(block: &mut Block<T>, i: usize, top: &Motions<T>, bases: &[Motion<T>], step: &Step<T>) {
    let motion = block.motion(i);
    let Some(parent) = block.parent_motion(i, top, bases).filter(|_| step.moves(motion.anchor)) else { return };
    let (mass, spring, rotation) = (block.masses.get(i), block.spring(i), motion.rotation());
    let (mut composite, outward) = block.carried.take(i).read();
    let mut aerial = Sym3::zero();
    if step.is_windy {
        let gust = block.sails.gust(i, &motion, &mass, step.h);
        composite.add_force(gust.arm, gust.force, gust.drag);
        composite.torque += gust.torque;
        composite.drag_inertia += gust.spin_drag;
        // Of the body itself: that of its children is theirs.
        aerial = gust.stiffness;
    }
    composite.add_body(&mass, rotation);
    let back = rotation.transpose();
    let (inertia, drag_inertia) = (composite.inertia.turned(back), composite.drag_inertia.turned(back));
    let inward = Crowd::of_joint(inertia, drag_inertia, &spring, step);
    let outward = outward.and(inward);
    let fictitious = fictitious::torque(&composite, &motion, &parent, step);
    let torque = composite.torque + composite.moment.cross(step.gravity) + fictitious;
    // The frame's acceleration is a force at the centre.
    let weight = step.gravity - step.frames[motion.anchor as usize].acceleration;
    let lever = composite.lever + lever(composite.moment, weight);
    let work = Work {
        mass: composite.mass,
        moment: composite.moment,
        inertia,
        hanging: (hanging(lever) + aerial).turned(back),
        torque: back * torque,
        pushed: Pushed {
            force: composite.force,
            drag: composite.drag,
            drag_moment: composite.drag_moment,
            drag_inertia,
            inward,
            outward,
        },
    };
    block.analytic.set(i, work);
    let given = || Carried::of(&composite.moved(motion.arm), outward);
    match block.links[i] {
        Link::Body(parent) => block.carried.of_known(parent as usize).add(&given()),
        Link::Top(_) => {
            let entry = block.entry_of(i);
            block.lifted[entry] = given();
        }
        Link::Base(_) | Link::Free(_) | Link::Gone => {}
    }
}

/// From the roots to the tips: the closed form of every joint, then places, velocities and accelerations. The step is of `dt` seconds.
pub(super) fn down<T: Real>(world: &mut World<T>, step: &Step<T>, dt: f64) {
    if let Some((world, step)) = fast(world, step) {
        let mut anchors = std::mem::take(&mut world.anchors);
        let wind = world.wind.clone();
        let is_next_foreseen = step.may_go_on() && world.foresee(Key::Analytic(step.key()), dt, &mut anchors);
        let weather = Weather::of(wind.as_deref(), &anchors, (world.time() + dt, step.h.into()), step.vectors);
        let World { top, blocks, base_motions, above, .. } = world;
        let (bases, tops) = above.split_at_mut(base_motions.len());
        for (heard, base) in bases.iter_mut().zip(&*base_motions) {
            *heard = Heard::of(base);
        }
        let (nobody, nothing) = (Motions::default(), Works::default());
        let one = |block: &mut Block<f32>, i| down_one(block, i, (&nobody, &nothing), base_motions, step);
        wide::analytic::down(top, tops, (bases, &[], &nothing), step, &one);
        let (motions, works) = (&top.motions, &top.analytic);
        blocks.sweep(|_, block| {
            let one = |block: &mut Block<f32>, i| down_one(block, i, (motions, works), base_motions, step);
            block.in_lent_room(|block| {
                wide::telling(block, |block, own| wide::analytic::down(block, own, (bases, tops, works), step, &one));
                block.look(step.vectors);
                block.is_ready = !std::mem::take(&mut block.is_touched) && block.is_rooted && is_next_foreseen;
                if block.is_ready {
                    up_in_room(block, weather.as_ref(), step, |block| up_together(block, motions, base_motions, step));
                }
            });
        });
        world.anchors = anchors;
        return;
    }
    let World { top, blocks, base_motions, .. } = world;
    down_block(top, (&Motions::default(), &Works::default()), base_motions, step);
    let above = (&top.motions, &top.analytic);
    blocks.sweep(|_, block| down_block(block, above, base_motions, step));
}

fn down_block<T: Real>(block: &mut Block<T>, top: (&Motions<T>, &Works<T>), bases: &[Motion<T>], step: &Step<T>) {
    (block.is_ready, block.bears) = (false, false);
    let all = 0..block.len();
    block.fastest = all.fold(T::zero(), |fastest, i| fastest.max(down_one(block, i, top, bases, step)));
    block.ahead = Ahead::none();
}

/// Gives the square of its angular velocity.
fn down_one<T: Real>(
    block: &mut Block<T>,
    i: usize,
    (top, works): (&Motions<T>, &Works<T>),
    bases: &[Motion<T>],
    step: &Step<T>,
) -> T {
    // What is gone has no parent.
    let Some(parent) = block.parent_motion(i, top, bases).filter(|_| step.moves(block.anchor(i))) else {
        return T::zero();
    };
    let below = match block.links[i] {
        Link::Body(parent) => inward(&block.analytic, parent),
        Link::Top(parent) => inward(works, parent),
        Link::Base(_) | Link::Free(_) | Link::Gone => Crowd::none(),
    };
    springs::advance(block, i, below, step);
    let with_below = inward(&block.analytic, i as u32).and(below);
    block.analytic.rows_mut()[i / LANES].pushed.inward.set_lane(i % LANES, with_below);
    update::place(block, i, &parent, step)
}

/// How crowded a joint is.
pub(super) fn inward<T: Real>(works: &Works<T>, i: u32) -> Crowd<T> {
    works.rows()[i as usize / LANES].pushed.inward.lane(i as usize % LANES)
}
