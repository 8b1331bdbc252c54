//! Piece contacts, after the sweep up: the effect of an impulse goes up the path to the root and down
//! again.
//!
//! A force F at the point p of a body changes the terms of the head of [`crate::implicit`] by `dn = -p x F`,
//! `df = -F`, and on the way to the root
//!
//! ```text
//! dn1 = dn - A D^-1 dn,    df1 = df - B^T D^-1 dn,    du = -dn
//! ```

use windfall_core::glam::{DMat3, DVec3};

use super::actions::centripetal;
use super::piece_momentum::PieceMomenta;
use super::sweep;
use crate::block::articulated::{Articulated, Work};
use crate::block::place::Place;
use crate::block::pull::Pull;
use crate::block::{Link, Motion};
use crate::implicit::Step;
use crate::math::{Real, Sym3, Vec3};
use crate::world::World;
use crate::world::piece_contact::ContactSolver;
use crate::world::place::Contact;

/// Notes the contact forces on pieces.
pub(super) fn note<T: Real>(world: &World<T>, step: &Step<T>, momenta: &mut PieceMomenta<T>) {
    for pair in &world.piece_contacts {
        for ((body, point), impulse) in pair.sides.into_iter().zip([pair.impulse, -pair.impulse]) {
            let Some(contact) = world.contact(body, point) else { continue };
            if world.motion_at(contact.place).anchor as usize >= world.bases.len() {
                let pull = Pull {
                    place: contact.place,
                    arm: contact.arm,
                    force: Vec3::of(impulse / step.kick.f64()),
                    resistance: Sym3::zero(),
                    centripetal: Vec3::zero(),
                    torque: Vec3::zero(),
                    spin_resistance: Sym3::zero(),
                    holds: false,
                };
                momenta.add_contact(world, pull);
            }
        }
    }
}

/// The response of the sweeps to impulses, which are applied along the paths.
pub(crate) struct SweepResponse<'a, T> {
    step: &'a Step<T>,
    path: Vec<Place>,
    /// du of every joint of the path.
    pushes: Vec<Vec3<T>>,
}

/// dn and df of the parent, from those of a body.
fn to_top<T: Real>(work: &Work<T>, motion: &Motion<T>, (n, f): (Vec3<T>, Vec3<T>)) -> (Vec3<T>, Vec3<T>) {
    let turn = work.joint.solve(n);
    let f = f - work.body.coupling.transpose_mul(turn);
    (n - work.body.inertia * turn + motion.arm.cross(f), f)
}

impl<'a, T: Real> SweepResponse<'a, T> {
    pub fn new(step: &'a Step<T>) -> Self {
        Self { step, path: Vec::new(), pushes: Vec::new() }
    }

    /// Change of the acceleration of a point per force on it; its path has been found.
    fn response(&mut self, world: &World<T>, arm: Vec3<T>, force: Vec3<T>) -> Vec3<T> {
        self.pushes.clear();
        let mut wrench = (-arm.cross(force), -force);
        let (mut alpha, mut proper_acceleration) = (Vec3::zero(), Vec3::zero());
        for at in &self.path {
            let (block, i) = (world.block(at.block), at.index as usize);
            let work = block.scratch.implicit.get(i);
            if matches!(block.state.links[i], Link::Free(_) | Link::Removed) {
                (alpha, proper_acceleration) = Articulated { torque: wrench.0, force: wrench.1, ..work.body }.fall();
                break;
            }
            self.pushes.push(-wrench.0);
            wrench = to_top(&work, &block.motion(i), wrench);
        }
        for (at, push) in self.path.iter().zip(&self.pushes).rev() {
            let (block, i) = (world.block(at.block), at.index as usize);
            let work = block.scratch.implicit.get(i);
            proper_acceleration += alpha.cross(block.motion(i).arm);
            let composites = work.body.inertia * alpha + work.body.coupling * proper_acceleration;
            alpha += work.joint.solve(*push - composites);
        }
        proper_acceleration + alpha.cross(arm)
    }
}

impl<T: Real> ContactSolver<T> for SweepResponse<'_, T> {
    fn velocity(&mut self, world: &World<T>, contact: &Contact<T>, _hits: bool) -> DVec3 {
        sweep::find_path(world, contact.place, &mut self.path);
        let (alpha, proper_acceleration) = sweep::accelerations(world, &self.path, self.step);
        let acceleration = proper_acceleration + alpha.cross(contact.arm) + centripetal(contact, self.step);
        let before = contact.velocity - contact.acceleration * self.step.age;
        (before + acceleration * self.step.kick).f64()
    }

    fn mobility(&mut self, world: &World<T>, contact: &Contact<T>, _hits: bool) -> DMat3 {
        sweep::find_path(world, contact.place, &mut self.path);
        let mut column = |axis: DVec3| self.response(world, contact.arm, Vec3::of(axis)).f64();
        DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
    }

    fn push(&mut self, world: &mut World<T>, contact: &Contact<T>, impulse: DVec3) {
        sweep::find_path(world, contact.place, &mut self.path);
        let force = Vec3::of(impulse) / self.step.kick;
        let mut wrench = (-contact.arm.cross(force), -force);
        for at in &self.path {
            let block = world.block_for_input(at.block);
            let i = at.index as usize;
            let mut work = block.scratch.implicit.get(i);
            work.body.torque += wrench.0;
            work.body.force += wrench.1;
            work.push -= wrench.0;
            block.scratch.implicit.set(i, work);
            wrench = to_top(&work, &block.motion(i), wrench);
        }
    }
}
