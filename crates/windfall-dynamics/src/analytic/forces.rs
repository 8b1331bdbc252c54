//! External forces before the sweep up: of the caller, and of the wind on what is not simulated.

use windfall_core::glam::DVec3;
use windfall_core::{Actions, Load};

use super::Step;
use super::composite::Composite;
use crate::air::{Weather, Whom, blow_on};
use crate::math::{Mat3, Real, Vec3};
use crate::world::World;
use crate::world::block::Block;

impl<T: Real> Block<T> {
    /// Changes what a body carries.
    fn load(&mut self, i: usize, change: impl FnOnce(&mut Composite<T>)) {
        self.carried.of(i).edit(change);
    }
}

/// Asks for the wind at all bodies of a block, on which it blows in the sweep up, and puts it onto those that carry others.
pub(super) fn blow_on_riders<T: Real>(block: &mut Block<T>, weather: &Weather<'_>, step: &Step<T>) {
    blow_on(block, weather, Whom::Nobody, |block, i, gust| {
        if step.moves(block.anchor(i)) {
            block.load(i, |composite| composite.add_force(gust.arm, gust.force, gust.drag));
        }
    });
}

/// Leaves that hands, touches and clashes are about to act on are swept with all that these need to know of them.
pub(super) fn expect<T: Real>(world: &mut World<T>, step: &Step<T>, actions: &Actions<'_>) {
    let expect = |world: &mut World<T>, body| {
        if let Some(contact) = step.contact(world, body, DVec3::ZERO) {
            world.block_acted_on(contact.place.block).carried.expect(contact.place.index as usize);
        }
    };
    actions.grabs.iter().for_each(|grab| expect(world, grab.body));
    actions.touches.iter().for_each(|touch| expect(world, touch.body));
    for i in 0..world.clashes.len() {
        for (body, _) in world.clashes[i].sides {
            expect(world, body);
        }
    }
}

/// Puts loads onto the bodies of trees that carry them.
pub(super) fn add<T: Real>(world: &mut World<T>, step: &Step<T>, loads: &[Load]) {
    for load in loads {
        // What stands rigidly on the ground does not move.
        let Some(contact) = step.contact(world, load.body, load.point) else { continue };
        world.block_acted_on(contact.place.block).load(contact.place.index as usize, |composite| {
            composite.add_force(contact.arm, Vec3::of(load.force), Mat3::of(load.drag).symmetric_part());
            composite.torque += Vec3::of(load.torque);
            composite.drag_inertia += Mat3::of(load.spin_drag).symmetric_part();
        });
    }
}
