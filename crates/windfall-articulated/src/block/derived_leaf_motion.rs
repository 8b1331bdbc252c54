//! Derived leaf motion: leaves on which only wind and weight act have no stored motion. The motion of a
//! leaf is a function of the motion of its parent and of its own joint, and computing it again costs less
//! than writing it to memory and reading it back in every step (`wide/leaf/place.rs`). Readers call
//! [`Block::motion`]; access to a block for changing poses stores the motions first (`world/blocks.rs`).
//!
//! A block allocates no motions of leaves until one is to be stored: most worlds never need them, a fifth
//! of their memory.

use super::rows::{LANES, Rows};
use super::{Block, JointState, Link, Motion};
use crate::math::Real;

impl<T: Real> Motion<T> {
    /// Sets the accelerations of a leaf on a tree, in its turning frame: those of its parent in the last
    /// step, and that of the joint in its own axes, at the new pose.
    ///
    /// They are needed to take velocities back to the time of the joint velocities, which are kept in the
    /// leaf's own axes, too: only so is this exact, and leaves may turn by a radian in a step.
    pub fn follow(&mut self, parent: &Self, state: &JointState<T>) {
        self.alpha = parent.alpha + self.coriolis + self.rotation() * state.rate;
        self.proper_acceleration = parent.proper_acceleration + parent.alpha.cross(self.arm) + self.centripetal;
    }
}

impl<T: Real> Block<T> {
    /// Motions of a new block, all equal to this one until bodies are placed. Motions of leaves are
    /// derived from the beginning, unless their parents are in other blocks, or something broke or fell
    /// off (not `all_are_there`).
    pub fn begin_at(&mut self, motion: Motion<T>, all_are_there: bool) {
        let wood = self.len() - self.leaf_places();
        let hang_here = |links: &[Link]| links.iter().all(|link| matches!(link, Link::Body(_) | Link::Removed));
        let mut all_follow = true;
        for row in wood / LANES..self.plan.batches.len() {
            let is_derived = all_are_there && hang_here(&self.state.links[row * LANES..(row + 1) * LANES]);
            self.plan.batches[row].is_derived = is_derived;
            self.plan.any_derived |= is_derived;
            all_follow &= is_derived;
        }
        self.state.motions = Rows::filled(motion, if all_follow { wood } else { self.len() });
    }

    /// The motion of a body.
    pub fn motion(&self, i: usize) -> Motion<T> {
        match self.state.links[i] {
            Link::Body(parent) if self.plan.batches[i / LANES].is_derived => {
                // Parents are wood.
                let (parent, state) = (self.state.motions.get(parent as usize), self.state.joints.get(i));
                let mut motion = Motion::at_rest();
                motion.place(&parent, &self.joint(i), &state, &self.state.ahead);
                motion.follow(&parent, &state);
                motion
            }
            _ if self.has_room(i) => self.state.motions.get(i),
            // Padding.
            _ => Motion::at_rest(),
        }
    }

    /// Whether memory for the motion of a body is allocated.
    fn has_room(&self, i: usize) -> bool {
        i / LANES < self.state.motions.rows().len()
    }

    /// The tree or piece that a body belongs to.
    pub fn anchor(&self, i: usize) -> u32 {
        match self.state.links[i] {
            // The motions of leaves may not be stored.
            Link::Body(parent) if self.model.masses.is_leaf(i) => self.anchor(parent as usize),
            _ if self.has_room(i) => self.state.motions.rows()[i / LANES].anchor.0[i % LANES],
            // Padding.
            _ => 0,
        }
    }

    /// From now on the motions of the leaves of a row are derived.
    pub fn derive_leaves_of(&mut self, row: usize) {
        let is_derived = &mut self.plan.batches[row].is_derived;
        // A write that is avoided need not fetch the cache line from memory.
        if !*is_derived {
            *is_derived = true;
            self.plan.any_derived = true;
        }
    }

    /// Stores the motions of all leaves.
    pub fn store_leaves(&mut self) {
        if std::mem::take(&mut self.plan.any_derived) {
            for row in 0..self.plan.batches.len() {
                self.store_row(row);
            }
        }
    }

    /// Stores the motions of a row.
    pub fn store_row(&mut self, row: usize) {
        if self.plan.batches[row].is_derived {
            self.state.motions.fill_up(Motion::at_rest(), self.len());
            for i in row * LANES..(row + 1) * LANES {
                self.state.motions.set(i, self.motion(i));
            }
            self.plan.batches[row].is_derived = false;
        }
    }
}
