//! Breaking off: a broken joint makes its body the root of a free piece with the whole subtree. The order
//! of bodies does not change.

use std::collections::HashSet;

use windfall_core::{BodyId, BodyRef};

use crate::block::place::{ON_BASE, Place};
use crate::block::{Free, JointState, Link, Motion, Wrench, guard};
use crate::math::{Real, Vec3};
use crate::world::{Method, World};

impl<T: Real> World<T> {
    /// The bodies that broke off. The i-th is the root of the piece `trees + i`.
    pub fn pieces(&self) -> &[BodyId] {
        &self.pieces
    }

    /// The same bodies as a set.
    pub(crate) fn piece_set(&self) -> HashSet<BodyId> {
        self.pieces.iter().copied().collect()
    }

    /// Cuts bodies off their parents, without the accelerations that the next step begins with
    /// (`step/release.rs`). Returns the number of the first of the new pieces, if there are any.
    pub(crate) fn cut(&mut self, bodies: &[BodyId]) -> Option<usize> {
        let mut known = self.piece_set();
        let new: Vec<BodyId> = bodies.iter().copied().filter(|&body| known.insert(body)).collect();
        if new.is_empty() {
            return None;
        }
        let first = self.bases.len() + self.pieces.len();
        if new.iter().all(|&body| self.is_simulated(body)) {
            // All states are read before any of them changes.
            let loose: Vec<_> = new.iter().map(|&body| (self.free_of(body), self.free_state(body))).collect();
            for (&body, (mut free, state)) in new.iter().zip(loose) {
                free.anchor = (self.bases.len() + self.pieces.len()) as u32;
                let place = self.places[body.0 as usize];
                let block = self.block_mut(place.block);
                block.state.joints.set(place.index as usize, state);
                block.state.links[place.index as usize] = Link::Free(block.state.frees.len() as u32);
                block.state.frees.push(free);
                self.pieces.push(body);
                self.piece_refs.push(body.into());
            }
            self.replace_all();
            self.classify_rows();
            if first == self.bases.len() {
                self.set_scratch();
            }
        } else {
            // Bodies that broke off must be simulated from now on.
            let mut joints = self.joint_table();
            for &body in &new {
                joints[body.0 as usize].state = self.free_state(body);
            }
            self.piece_refs.extend(new.iter().map(|&body| BodyRef::from(body)));
            self.pieces.extend(new);
            self.lay_out(&joints);
        }
        Some(first)
    }

    /// Removes leaves and fruit from the world: they have neither weight nor drag any longer. In poses
    /// they stay where they were.
    pub(crate) fn remove(&mut self, bodies: &[BodyId]) {
        let all_simulated = bodies.iter().all(|&body| self.is_simulated(body));
        let joints = if all_simulated { Vec::new() } else { self.joint_table() };
        self.removed.extend_from_slice(bodies);
        if all_simulated {
            for body in bodies {
                let place = self.places[body.0 as usize];
                let block = self.block_mut(place.block);
                let i = place.index as usize;
                block.state.links[i] = Link::Removed;
                block.state.reactions.set(i, Wrench::zero());
            }
            self.classify_rows();
        } else {
            self.lay_out(&joints);
        }
        self.forget_pushes();
    }

    /// Whether a body has a joint of its own, and is not a rider.
    pub(crate) fn is_simulated(&self, body: BodyId) -> bool {
        let place = self.places[body.0 as usize];
        place.block != ON_BASE && self.block(place.block).model.ids[place.index as usize] == body.0
    }

    /// To be called after masses changed: the loads on the pieces in the last step no longer hold.
    pub(crate) fn forget_pushes(&mut self) {
        for free in self.all_blocks_of_pieces_mut().flat_map(|block| &mut block.state.frees) {
            free.push = None;
        }
    }

    /// The six degrees of freedom of the root of a free piece, or of a body as if it were cut off now.
    pub(crate) fn free_of(&self, body: BodyId) -> Free<T> {
        let place = self.places[body.0 as usize];
        let anchor =
            (self.bases.len() + self.pieces.iter().position(|&p| p == body).unwrap_or(self.pieces.len())) as u32;
        let (from, position, _) = self.frame(body.0 as usize);
        let mut free = Free {
            index: place.index,
            anchor,
            position: self.anchor_position(from) + position.f64(),
            velocity: Vec3::zero(),
            rate: Vec3::zero(),
            push: None,
        };
        let carrier = if place.block == ON_BASE {
            self.base_motions[place.index as usize]
        } else {
            let block = self.block(place.block);
            if let (Link::Free(known), true) =
                (block.state.links[place.index as usize], block.model.ids[place.index as usize] == body.0)
            {
                return block.state.frees[known as usize];
            }
            block.motion(place.index as usize)
        };
        let arm = position - carrier.position;
        let (omega, alpha) = (carrier.omega, carrier.alpha);
        free.rate =
            carrier.proper_acceleration + Vec3::of(self.gravity) + alpha.cross(arm) + omega.cross(omega.cross(arm));
        free.velocity = guard::velocity(carrier.velocity + omega.cross(arm) - free.rate * self.age_of_velocities());
        free
    }

    /// Changes the state of the root of a piece.
    ///
    /// # Panics
    /// If the body is not the root of a piece.
    pub(crate) fn edit_free<A>(
        &mut self,
        root: BodyId,
        change: impl FnOnce(&mut JointState<T>, &mut Free<T>) -> A,
    ) -> A {
        let place = self.places[root.0 as usize];
        let block = self.block_mut(place.block);
        let i = place.index as usize;
        let Link::Free(free) = block.state.links[i] else { panic!("body {} is no piece", root.0) };
        let free = &mut block.state.frees[free as usize];
        block.state.joints.edit(i, |state| change(state, free))
    }

    /// Whether a body was cut off its parent or was removed.
    pub(crate) fn is_loose(&self, body: BodyId) -> bool {
        let place = self.places[body.0 as usize];
        if place.block == ON_BASE {
            return false;
        }
        let block = self.block(place.block);
        let i = place.index as usize;
        block.model.ids[i] == body.0 && matches!(block.state.links[i], Link::Free(_) | Link::Removed)
    }

    /// The motion of a simulated body.
    pub(crate) fn motion_of(&self, body: BodyId) -> Motion<T> {
        self.motion_at(self.places[body.0 as usize])
    }

    /// Age, relative to the pose, of the velocities that a free body keeps, s. Velocities of the pose are
    /// taken back by their rate: the sum of joint velocities of half a step ago would lack the share of
    /// the turning of their axes.
    pub(crate) fn age_of_velocities(&self) -> T {
        T::of(if self.method() == Method::Implicit { 0.5 * self.last_dt } else { 0.0 })
    }

    /// Age, relative to the pose, of the velocities from which the step of a body starts, s: pieces use
    /// the implicit sweeps in `Analytic`, too.
    pub(crate) fn age_in_step(&self, place: Place) -> T {
        let sweeps = self.anchor_at(place) as usize >= self.bases.len() && self.method() == Method::Analytic;
        if sweeps { T::of(0.5 * self.last_dt) } else { self.age_of_velocities() }
    }

    /// Orientation and angular velocity of a body as if it were cut off now.
    fn free_state(&self, body: BodyId) -> JointState<T> {
        let (_, _, orientation) = self.frame(body.0 as usize);
        let place = self.places[body.0 as usize];
        let carrier =
            if place.block == ON_BASE { self.base_motions[place.index as usize] } else { self.motion_at(place) };
        let back = orientation.inverse();
        let omega = carrier.omega - carrier.alpha * self.age_of_velocities();
        JointState { q: orientation, w: back.rotate(omega), rate: back.rotate(carrier.alpha) }
    }
}
