//! Breaking off: a broken joint makes a root that flies, with everything that hangs on it. Nothing is reordered.

use std::collections::HashSet;

use windfall_core::BodyId;

use super::block::{Free, JointState, Link, Motion, Wrench};
use super::layout::{ON_BASE, Place};
use super::{Method, World, guard};
use crate::implicit;
use crate::math::{Real, Vec3};

impl<T: Real> World<T> {
    /// The bodies that broke off. The i-th is the root of the piece `trees + i`.
    pub fn pieces(&self) -> &[BodyId] {
        &self.pieces
    }

    /// The same for looking up.
    pub(crate) fn piece_set(&self) -> HashSet<BodyId> {
        self.pieces.iter().copied().collect()
    }

    /// Cuts a body off its parent (a root: off the ground). It goes on with the velocity that it has, and everything that hangs on it goes with
    /// it. Gives the number of the piece; the same again if it was cut before.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn release(&mut self, body: BodyId) -> usize {
        self.release_all(&[body]);
        let known = self.pieces.iter().position(|&p| p == body).expect("it was cut off just now, or before");
        self.bases.len() + known
    }

    /// Cuts many bodies off at once: the same as one after the other, in one pass. Bodies that were cut off before stay as they are.
    ///
    /// # Panics
    /// If the plant has no such body, or it is a leaf or fruit that fell off.
    pub fn release_all(&mut self, bodies: &[BodyId]) {
        let mut known = self.piece_set();
        let new: Vec<BodyId> = bodies.iter().copied().filter(|&body| known.insert(body)).collect();
        if new.is_empty() {
            return;
        }
        let first = self.bases.len() + self.pieces.len();
        if new.iter().all(|&body| self.is_simulated(body)) {
            // All of them before anything changes.
            let loose: Vec<_> = new.iter().map(|&body| (self.free_of(body), self.free_state(body))).collect();
            for (&body, (mut free, state)) in new.iter().zip(loose) {
                free.anchor = (self.bases.len() + self.pieces.len()) as u32;
                let place = self.places[body.0 as usize];
                let block = self.block_mut(place.block);
                block.states.set(place.index as usize, state);
                block.links[place.index as usize] = Link::Free(block.frees.len() as u32);
                block.frees.push(free);
                self.pieces.push(body);
            }
            self.replace_all();
            self.sort_out();
            if first == self.bases.len() {
                self.set_scratch();
            }
        } else {
            // What broke off must be simulated from now on.
            let mut joints = self.joint_table();
            for &body in &new {
                joints[body.0 as usize].state = self.free_state(body);
            }
            self.pieces.extend(new);
            self.lay_out(&joints);
        }
        if self.method() == Method::Analytic {
            implicit::find_accelerations(self, first);
        }
        self.forget_pushes();
    }

    /// Takes leaves and fruit out of the world: they weigh and catch wind no longer. They stay in poses where they were.
    pub(crate) fn remove(&mut self, bodies: &[BodyId]) {
        let all_simulated = bodies.iter().all(|&body| self.is_simulated(body));
        let joints = if all_simulated { Vec::new() } else { self.joint_table() };
        self.gone.extend_from_slice(bodies);
        if all_simulated {
            for body in bodies {
                let place = self.places[body.0 as usize];
                let block = self.block_mut(place.block);
                let i = place.index as usize;
                block.links[i] = Link::Gone;
                block.reactions.set(i, Wrench::zero());
            }
            self.sort_out();
        } else {
            self.lay_out(&joints);
        }
        self.forget_pushes();
    }

    /// Whether a body has a joint of its own, and does not just ride along.
    pub(crate) fn is_simulated(&self, body: BodyId) -> bool {
        let place = self.places[body.0 as usize];
        place.block != ON_BASE && self.block(place.block).ids[place.index as usize] == body.0
    }

    /// After masses changed: what pushed the pieces in the last step was not what would push them now.
    pub(crate) fn forget_pushes(&mut self) {
        for free in self.all_blocks_of_pieces_mut().flat_map(|block| &mut block.frees) {
            free.push = None;
        }
    }

    /// The six degrees of freedom of a body that flies, or would if it were cut off now.
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
                (block.links[place.index as usize], block.ids[place.index as usize] == body.0)
            {
                return block.frees[known as usize];
            }
            block.motion(place.index as usize)
        };
        let arm = position - carrier.position;
        let (omega, alpha) = (carrier.omega, carrier.alpha);
        free.rate = carrier.felt + Vec3::of(self.gravity) + alpha.cross(arm) + omega.cross(omega.cross(arm));
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
        let Link::Free(free) = block.links[i] else { panic!("body {} is no piece", root.0) };
        let free = &mut block.frees[free as usize];
        block.states.edit(i, |state| change(state, free))
    }

    /// The motion of a simulated body.
    pub(crate) fn motion_of(&self, body: BodyId) -> Motion<T> {
        self.motion_at(self.places[body.0 as usize])
    }

    /// How much older than the pose the velocities are that a free body keeps, s. Velocities of the pose go back by
    /// their rate: the sum of joint velocities of half a step ago would lack what the turning of their axes adds.
    pub(crate) fn age_of_velocities(&self) -> T {
        T::of(if self.method() == Method::Implicit { 0.5 * self.last_dt } else { 0.0 })
    }

    /// How much older than the pose the velocities are from which the step of a body goes on, s: pieces go by the sweeps in `Analytic`, too.
    pub(crate) fn age_in_step(&self, place: Place) -> T {
        let sweeps = self.anchor_at(place) as usize >= self.bases.len() && self.method() == Method::Analytic;
        if sweeps { T::of(0.5 * self.last_dt) } else { self.age_of_velocities() }
    }

    /// Orientation and angular velocity of a body that would be cut off now.
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
