//! External forces of the caller.

use windfall_core::Load;

use crate::math::{Mat3, Real, Vec3};
use crate::world::World;

/// Puts loads onto the bodies that carry them.
pub(super) fn add<T: Real>(world: &mut World<T>, loads: &[Load]) {
    for load in loads {
        // What stands rigidly on the ground does not move.
        let Some(contact) = world.contact(load.body, load.point) else { continue };
        let composite = &mut world.block_mut(contact.place.block).analytic[contact.place.index as usize].composite;
        composite.add_force(contact.arm, Vec3::of(load.force), Mat3::of(load.drag).symmetric_part());
        composite.torque += Vec3::of(load.torque);
        composite.drag_inertia += Mat3::of(load.spin_drag).symmetric_part();
    }
}
