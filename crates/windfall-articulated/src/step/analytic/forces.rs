//! External forces before the sweep up: of the caller, and of the wind on bodies that are not simulated.

use windfall_core::glam::DVec3;
use windfall_solver::{Actions, Load};

use crate::analytic::Step;
use crate::block::Block;
use crate::block::composite::Composite;
use crate::math::{Mat3, Real, Vec3};
use crate::step::air::{AirTarget, StepAir, apply_air};
use crate::world::World;

impl<T: Real> Block<T> {
    /// Changes the accumulator of a body.
    fn load(&mut self, i: usize, change: impl FnOnce(&mut Composite<T>)) {
        self.scratch.composites.of(i).edit(change);
    }
}

/// Samples the wind at all bodies of a block for the sweep up, and adds the air loads of riders to the
/// bodies that carry them.
pub(super) fn apply_air_to_riders<T: Real>(block: &mut Block<T>, step_air: &StepAir<'_>, step: &Step<T>) {
    apply_air(block, step_air, AirTarget::None, |block, i, air_load| {
        if step.moves(block.anchor(i)) {
            block.load(i, |composite| composite.add_force(air_load.arm, air_load.force, air_load.drag));
        }
    });
}

/// Leaves on which grabs, touches and piece contacts will act are swept with the full intermediate
/// results.
pub(super) fn expect<T: Real>(world: &mut World<T>, step: &Step<T>, actions: &Actions<'_>) {
    let expect = |world: &mut World<T>, body| {
        if let Some(contact) = step.contact(world, body, DVec3::ZERO) {
            world.block_for_input(contact.place.block).scratch.composites.expect(contact.place.index as usize);
        }
    };
    actions.grabs.iter().for_each(|grab| expect(world, grab.body.id));
    actions.touches.iter().for_each(|touch| expect(world, touch.body.id));
    for i in 0..world.piece_contacts.len() {
        for (body, _) in world.piece_contacts[i].sides {
            expect(world, body);
        }
    }
}

/// Adds loads to the bodies of trees that carry them.
pub(super) fn add<T: Real>(world: &mut World<T>, step: &Step<T>, loads: &[Load]) {
    for load in loads {
        // A body that is rigidly fixed to the ground does not move.
        let Some(contact) = step.contact(world, load.body.id, load.point) else { continue };
        world.block_for_input(contact.place.block).load(contact.place.index as usize, |composite| {
            composite.add_force(contact.arm, Vec3::of(load.force), Mat3::of(load.drag).symmetric_part());
            composite.torque += Vec3::of(load.torque);
            composite.drag_inertia += Mat3::of(load.spin_drag).symmetric_part();
        });
    }
}
