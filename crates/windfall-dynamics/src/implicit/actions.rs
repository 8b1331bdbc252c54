//! Forces and hands, with their resistance to motion.

use windfall_core::{Actions, Grab, Load};

use super::{GAMMA, Step};
use crate::math::{Mat3, Real, Sym3, Vec3};
use crate::world::place::Contact;
use crate::world::{World, guard};

/// The resistance of the strongest hand over the mass of the body: f32 can carry it, and a stronger one would only pull the wood taut.
const STRONGEST: f64 = 3000.0;

/// Puts the actions of a step onto the bodies that carry them.
pub(super) fn add<T: Real>(world: &mut World<T>, step: &Step<T>, actions: &Actions<'_>) {
    for load in actions.loads {
        add_load(world, step, load);
    }
    for grab in actions.grabs {
        add_grab(world, step, grab);
    }
}

fn add_load<T: Real>(world: &mut World<T>, step: &Step<T>, load: &Load) {
    // What stands rigidly on the ground does not move.
    let Some(contact) = world.contact(load.body, load.point) else { return };
    let (drag, spin) = (Mat3::of(load.drag).symmetric_part(), Mat3::of(load.spin_drag).symmetric_part());
    // A load is that of the present velocities, and the resistance takes it on by the acceleration of this step, from half
    // the last step before: so it is taken back there first.
    let back = if step.forward_euler { T::zero() } else { step.kick - step.h * T::of(0.5) };
    let force = Vec3::of(load.force) + drag * (contact.acceleration * back);
    let torque = Vec3::of(load.torque) + spin * (contact.alpha * back);
    let centripetal = centripetal(&contact, step);
    let body = &mut world.block_mut(contact.place.block).implicit[contact.place.index as usize].body;
    body.add_at(contact.arm, resistance(drag, contact.mass, step), force, centripetal);
    body.torque -= torque;
    body.inertia += resistance(spin, contact.inertia, step);
}

fn add_grab<T: Real>(world: &mut World<T>, step: &Step<T>, grab: &Grab) {
    let Some(contact) = world.contact(grab.body, grab.point) else { return };
    // The strongest hand, at which nothing gives any more that a step could see.
    let most = T::of(STRONGEST) * contact.mass;
    let gamma = T::of(GAMMA) * step.h * step.h;
    let stiffness = T::of(grab.stiffness).min(most / gamma);
    let damping = T::of(grab.damping).min(most / step.h);
    // How far the step is from resolving the hand: it then belongs to the end of the step (see the head of `super`).
    let z = step.h * step.h * stiffness / contact.mass;
    let late = if step.implicit_damping { z / (T::one() + z) } else { T::zero() };
    let away = Vec3::of(grab.target - contact.position);
    let towards = Vec3::of(grab.target_velocity) - contact.velocity;
    let force = away * stiffness + towards * (damping + late * step.h * stiffness);
    let weight = T::of(GAMMA) + late * T::of(1.0 - GAMMA);
    let resistance =
        if step.implicit_damping { stiffness * weight * step.h * step.h + damping * step.h } else { T::zero() };
    let centripetal = centripetal(&contact, step);
    let body = &mut world.block_mut(contact.place.block).implicit[contact.place.index as usize].body;
    body.add_at(contact.arm, Sym3::diagonal(Vec3::splat(resistance)), force, centripetal);
}

/// The part of a point's acceleration that the joint's does not have; gravity, because resistance acts on the true motion.
fn centripetal<T: Real>(contact: &Contact<T>, step: &Step<T>) -> Vec3<T> {
    let omega = guard::in_products(contact.omega_now, step.h);
    omega.cross(omega.cross(contact.arm)) + step.gravity
}

/// sigma h G, held below what the precision can carry beside the mass.
fn resistance<T: Real>(drag: Sym3<T>, mass: T, step: &Step<T>) -> Sym3<T> {
    let z = step.h * drag.trace() / (T::of(3.0) * mass);
    let most = T::epsilon().sqrt().recip();
    let weight = step.damping_weight(z);
    let scale = if z > most { most / z } else { T::one() };
    drag * (weight * scale)
}
