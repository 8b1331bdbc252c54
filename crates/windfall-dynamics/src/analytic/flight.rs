//! Pieces that fly.
//!
//! The joints of a piece swing as those of a tree do, in a frame that moves with the piece. How its root moves then follows
//! from Newton: linear and angular momentum change by the external forces alone, and the centre of mass flies the parabola.

use windfall_core::BodyId;
use windfall_core::glam::DVec3;

use super::Step;
use super::composite::{Composite, Frame};
use crate::math::{Real, Sym3, Vec3, exp};
use crate::world::measure::Momentum;
use crate::world::{World, guard};

/// Remembers the momentum of all pieces.
pub(super) fn take_off<T: Real>(world: &World<T>) -> Vec<Momentum> {
    world.piece_momenta()
}

/// Mass, and inertia about the centre of mass.
pub(super) fn inertia_at_center<T: Real>(composite: &Composite<T>) -> (T, Sym3<T>) {
    let center = composite.moment / composite.mass;
    (composite.mass, composite.inertia - Sym3::point_inertia(center, composite.mass))
}

/// About its own axis a twig has next to no inertia, and what touches it beside the axis would spin it: for touches it has so much, over the trace of its inertia.
const BALLAST: f64 = 1e-3;

/// With that.
pub(super) fn ballasted<T: Real>(inertia: Sym3<T>) -> Sym3<T> {
    inertia + Sym3::diagonal(Vec3::splat(inertia.trace() * T::of(BALLAST)))
}

/// The frame of a piece: the rigid motion of its composite body.
pub(super) fn frame<T: Real>(world: &World<T>, piece: BodyId, h: T) -> Frame<T> {
    let place = world.places[piece.0 as usize];
    let block = world.block(place.block);
    let i = place.index as usize;
    let composite = &block.analytic[i].composite;
    let motion = &block.motions[i];
    let (mass, inertia) = inertia_at_center(composite);
    let center = composite.moment / mass;
    let torque = composite.torque - center.cross(composite.force);
    let omega = motion.omega;
    Frame {
        center,
        acceleration: guard::acceleration(composite.force / mass, h),
        omega,
        alpha: guard::rate(inertia.factor().solve(torque - omega.cross(inertia * omega)), h),
    }
}

/// Turns the roots of all pieces before their bodies are placed, and gives what the external forces add.
fn fly<T: Real>(world: &mut World<T>, step: &Step<T>, torques: &[DVec3]) {
    let trees = world.bases.len();
    for (i, &torque) in torques.iter().enumerate() {
        let place = world.places[world.pieces[i].0 as usize];
        let frame = step.frames[trees + i];
        let block = world.block_mut(place.block);
        let rotation = block.motions[place.index as usize].rotation;
        let (_, inertia) = inertia_at_center(&block.analytic[place.index as usize].composite);
        let pushed = guard::rate(ballasted(inertia).factor().solve(Vec3::of(torque)), step.h);
        let turn = rotation.transpose_mul(frame.omega + (frame.alpha + pushed) * (step.h * T::of(0.5)));
        let state = &mut block.states[place.index as usize];
        state.q = (state.q * exp(turn * step.h)).normalized();
    }
}

/// Gives every piece the place of its centre of mass and the momentum that it must have. `torques` is what touches it, about its centre, N m.
pub(super) fn land<T: Real>(world: &mut World<T>, step: &Step<T>, flights: &[Momentum], torques: &[DVec3]) {
    if flights.is_empty() {
        return;
    }
    let trees = world.bases.len();
    let h = step.h.f64();
    fly(world, step, torques);
    for i in 0..flights.len() {
        // Without motion of the root, to see what the joints alone contribute.
        let (state, free) = world.free_mut(world.pieces[i]);
        free.velocity = Vec3::zero();
        state.w = Vec3::zero();
    }
    world.replace_pieces();
    let inner = world.piece_momenta();
    for (i, (before, inner)) in flights.iter().zip(inner).enumerate() {
        let frame = step.frames[trees + i];
        let force = frame.acceleration.f64() * before.mass;
        let linear = before.linear + force * h;
        let torque = external_torque(&frame, before) + torques[i];
        let angular = before.angular + torque * h;
        let center = before.center + (before.velocity() + 0.5 * h * frame.acceleration.f64()) * h;
        let turning = Momentum { angular: angular - inner.angular, ..inner };
        // Not slowed down by the guard: it is what the momentum asks for, and that is bounded.
        let omega = guard::rate(Vec3::<f64>::of(turning.angular_velocity()), h).f64();
        let body = world.pieces[i];
        let rotation = world.motion_of(body).rotation;
        let (state, free) = world.free_mut(body);
        free.position += center - inner.center;
        let velocity = (linear - inner.linear) / inner.mass - omega.cross(center - free.position);
        free.velocity = guard::velocity(Vec3::of(velocity));
        free.rate = frame.acceleration;
        state.w = rotation.transpose_mul(Vec3::of(omega));
        state.rate = rotation.transpose_mul(frame.alpha);
        let place = world.places[body.0 as usize];
        let motion = &mut world.block_mut(place.block).motions[place.index as usize];
        motion.alpha = frame.alpha;
        motion.felt = frame.at(Vec3::zero()) - step.gravity;
    }
    world.replace_pieces();
}

/// The external torque about the centre of mass, from the frame's own equation.
fn external_torque<T: Real>(frame: &Frame<T>, before: &Momentum) -> DVec3 {
    let omega = frame.omega.f64();
    before.inertia * frame.alpha.f64() + omega.cross(before.inertia * omega)
}
