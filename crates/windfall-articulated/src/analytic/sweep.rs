//! One body in each of the two sweeps: the scalar reference of `wide/analytic`.

use super::drag_share::of_joint;
use super::{Step, fictitious, springs, update};
use crate::block::composite::{hanging, lever};
use crate::block::composite_accumulator::CompositeAccumulator;
use crate::block::composite_work::{Pushed, Work, Works};
use crate::block::drag_share::DragShare;
use crate::block::rows::{LANES, Lanes};
use crate::block::{Block, Link, Motion, Motions};
use crate::math::{Real, Sym3};

/// From the tips to the roots: the composite of a body, and the torque of its joint.
pub(crate) fn up_one<T: Real>(block: &mut Block<T>, i: usize, top: &Motions<T>, bases: &[Motion<T>], step: &Step<T>) {
    let motion = block.motion(i);
    let Some(parent) = block.parent_motion(i, top, bases).filter(|_| step.moves(motion.anchor)) else { return };
    let (mass, spring, rotation) = (block.model.masses.get(i), block.spring(i), motion.rotation());
    let (mut composite, outward) = block.scratch.composites.take(i).read();
    let mut aerial = Sym3::zero();
    if step.is_windy {
        let air_load = block.model.sails.air_load(i, &block.scratch.air, &motion, &mass, step.h);
        composite.add_force(air_load.arm, air_load.force, air_load.drag);
        composite.torque += air_load.torque;
        composite.drag_inertia += air_load.spin_drag;
        // Of the body itself: that of its children is counted with them.
        aerial = air_load.stiffness;
    }
    composite.add_body(&mass, rotation);
    let back = rotation.transpose();
    let (inertia, drag_inertia) = (composite.inertia.turned(back), composite.drag_inertia.turned(back));
    let inward = of_joint(inertia, drag_inertia, &spring, step);
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
    block.scratch.analytic.set(i, work);
    let given = || CompositeAccumulator::of(&composite.moved(motion.arm), outward);
    match block.state.links[i] {
        Link::Body(parent) => block.scratch.composites.of_known(parent as usize).add(&given()),
        Link::Top(_) => {
            let entry = block.entry_of(i);
            block.scratch.composites_to_top[entry] = given();
        }
        Link::Base(_) | Link::Free(_) | Link::Removed => {}
    }
}

/// From the roots to the tips: the closed form of a joint, then place, velocity and acceleration of its body.
/// Returns the square of its angular velocity.
pub(crate) fn down_one<T: Real>(
    block: &mut Block<T>,
    i: usize,
    (top, works): (&Motions<T>, &Works<T>),
    bases: &[Motion<T>],
    step: &Step<T>,
) -> T {
    // A removed body has no parent.
    let Some(parent) = block.parent_motion(i, top, bases).filter(|_| step.moves(block.anchor(i))) else {
        return T::zero();
    };
    let below = match block.state.links[i] {
        Link::Body(parent) => inward(&block.scratch.analytic, parent),
        Link::Top(parent) => inward(works, parent),
        Link::Base(_) | Link::Free(_) | Link::Removed => DragShare::none(),
    };
    springs::advance(block, i, below, step);
    let with_below = inward(&block.scratch.analytic, i as u32).and(below);
    block.scratch.analytic.rows_mut()[i / LANES].pushed.inward.set_lane(i % LANES, with_below);
    update::place(block, i, &parent, step)
}

/// The drag share of a joint.
pub(crate) fn inward<T: Real>(works: &Works<T>, i: u32) -> DragShare<T> {
    works.rows()[i as usize / LANES].pushed.inward.lane(i as usize % LANES)
}
