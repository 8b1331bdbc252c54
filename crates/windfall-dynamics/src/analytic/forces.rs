//! External forces before the sweep up: of the caller, and of the wind on what is not simulated.

use rayon::prelude::*;
use windfall_core::{Load, Solver};

use super::Step;
use super::composite::Composite;
use crate::air::{Weather, blow_on};
use crate::math::{Mat3, Real, Vec3};
use crate::world::World;
use crate::world::block::Block;

impl<T: Real> Block<T> {
    /// Changes what a body carries.
    fn load(&mut self, i: usize, change: impl FnOnce(&mut Composite<T>)) {
        self.is_pushed = true;
        self.carried[i].edit(change);
    }
}

/// Asks for the wind at all bodies, on which it blows in the sweep up, and puts it onto those that carry others.
pub(super) fn ask_wind<T: Real>(world: &mut World<T>, step: &Step<T>, dt: f64) {
    let Some(wind) = world.wind.clone() else { return };
    let weather = Weather { wind: &*wind, time: world.time(), dt, anchors: world.anchors() };
    let blow = |block: &mut Block<T>| {
        blow_on(block, &weather, std::iter::empty(), |block, i, gust| {
            if step.moves(&block.motions.get(i)) {
                block.load(i, |composite| composite.add_force(gust.arm, gust.force, gust.drag));
            }
        });
    };
    blow(&mut world.top);
    world.blocks.par_iter_mut().for_each(blow);
}

/// Puts loads onto the bodies of trees that carry them.
pub(super) fn add<T: Real>(world: &mut World<T>, step: &Step<T>, loads: &[Load]) {
    for load in loads {
        // What stands rigidly on the ground does not move.
        let Some(contact) = step.contact(world, load.body, load.point) else { continue };
        world.block_mut(contact.place.block).load(contact.place.index as usize, |composite| {
            composite.add_force(contact.arm, Vec3::of(load.force), Mat3::of(load.drag).symmetric_part());
            composite.torque += Vec3::of(load.torque);
            composite.drag_inertia += Mat3::of(load.spin_drag).symmetric_part();
        });
    }
}
