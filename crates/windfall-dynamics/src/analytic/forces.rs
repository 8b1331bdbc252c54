//! External forces: of the caller, and of the wind.

use rayon::prelude::*;
use windfall_core::{Load, Solver};

use super::Step;
use crate::air::{Weather, blow_on};
use crate::math::{Mat3, Real, Vec3};
use crate::world::World;
use crate::world::block::Block;

/// Puts the wind onto all bodies of trees.
pub(super) fn blow<T: Real>(world: &mut World<T>, step: &Step<T>, dt: f64) {
    let Some(wind) = world.wind.clone() else { return };
    let anchors = world.take_anchors();
    let weather = Weather { wind: &*wind, time: world.time(), dt, anchors: &anchors, vectors: world.vectors() };
    let blow = |block: &mut Block<T>| {
        blow_on(block, &weather, 0..block.len(), |block, i, gust| {
            if !step.moves(&block.motions.get(i)) {
                return;
            }
            let composite = &mut block.analytic[i].composite;
            composite.add_force(gust.arm, gust.force, gust.drag);
            composite.torque += gust.torque;
            composite.drag_inertia += gust.spin_drag;
            composite.aerial += gust.stiffness;
        });
    };
    blow(&mut world.top);
    world.blocks.par_iter_mut().for_each(blow);
    world.anchors = anchors;
}

/// Puts loads onto the bodies of trees that carry them.
pub(super) fn add<T: Real>(world: &mut World<T>, step: &Step<T>, loads: &[Load]) {
    for load in loads {
        // What stands rigidly on the ground does not move.
        let Some(contact) = step.contact(world, load.body, load.point) else { continue };
        let composite = &mut world.block_mut(contact.place.block).analytic[contact.place.index as usize].composite;
        composite.add_force(contact.arm, Vec3::of(load.force), Mat3::of(load.drag).symmetric_part());
        composite.torque += Vec3::of(load.torque);
        composite.drag_inertia += Mat3::of(load.spin_drag).symmetric_part();
    }
}
