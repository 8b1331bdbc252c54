//! Leaves follow their parents: on which nothing acts but wind and weight, their motions are not stored. All of a leaf's motion follows from that of its parent and from its own joint,
//! and to find it again costs less than to bring it from memory and back in every step (`wide/leaf/place.rs`). Whoever wants to know it asks [`Block::motion`]; who takes hold of a block to change where bodies are finds it stored (`blocks.rs`).
//!
//! There is no room for the motions of leaves in a block until one is to be stored: most worlds never have it, a fifth of their memory.

use super::block::{Block, JointState, Link, Motion};
use super::rows::{LANES, Rows};
use crate::math::Real;

impl<T: Real> Motion<T> {
    /// Accelerations of a leaf on a tree, as they turn with it: what its parent had in the last step, and the joint in its own axes, at the new place.
    ///
    /// They are there to take velocities back to the age of the joints' velocities, which are kept in the leaf's own axes, too: that is exact only so, and leaves may turn by a radian in a step.
    pub fn follow(&mut self, parent: &Self, state: &JointState<T>) {
        self.alpha = parent.alpha + self.coriolis + self.rotation() * state.rate;
        self.felt = parent.felt + parent.alpha.cross(self.arm) + self.centripetal;
    }
}

impl<T: Real> Block<T> {
    /// Motions of a new block, all of them these until bodies are placed. Leaves follow from the beginning, unless they hang on other blocks, or something broke or fell off (not `all_are_there`).
    pub fn begin_at(&mut self, motion: Motion<T>, all_are_there: bool) {
        let wood = self.len() - self.leaf_places();
        let hang_here = |links: &[Link]| links.iter().all(|link| matches!(link, Link::Body(_) | Link::Gone));
        let mut all_follow = true;
        for row in wood / LANES..self.batches.len() {
            let follows = all_are_there && hang_here(&self.links[row * LANES..(row + 1) * LANES]);
            self.batches[row].follows = follows;
            self.any_follow |= follows;
            all_follow &= follows;
        }
        self.motions = Rows::filled(motion, if all_follow { wood } else { self.len() });
    }

    /// The motion of a body.
    pub fn motion(&self, i: usize) -> Motion<T> {
        match self.links[i] {
            Link::Body(parent) if self.batches[i / LANES].follows => {
                // Parents are wood.
                let (parent, state) = (self.motions.get(parent as usize), self.states.get(i));
                let mut motion = Motion::at_rest();
                motion.place(&parent, &self.joint(i), &state, &self.ahead);
                motion.follow(&parent, &state);
                motion
            }
            _ if self.has_room(i) => self.motions.get(i),
            // Padding.
            _ => Motion::at_rest(),
        }
    }

    /// Whether there is room for the motion of a body.
    fn has_room(&self, i: usize) -> bool {
        i / LANES < self.motions.rows().len()
    }

    /// The tree or piece that a body belongs to.
    pub fn anchor(&self, i: usize) -> u32 {
        match self.links[i] {
            // Theirs may not be stored.
            Link::Body(parent) if self.masses.is_leaf(i) => self.anchor(parent as usize),
            _ if self.has_room(i) => self.motions.rows()[i / LANES].anchor.0[i % LANES],
            // Padding.
            _ => 0,
        }
    }

    /// From now on the leaves of a row follow their parents.
    pub fn let_follow(&mut self, row: usize) {
        let follows = &mut self.batches[row].follows;
        // What is not written need not be brought back to memory.
        if !*follows {
            *follows = true;
            self.any_follow = true;
        }
    }

    /// Stores the motions of all leaves.
    pub fn store_leaves(&mut self) {
        if std::mem::take(&mut self.any_follow) {
            for row in 0..self.batches.len() {
                self.store_row(row);
            }
        }
    }

    /// Stores the motions of a row.
    pub fn store_row(&mut self, row: usize) {
        if self.batches[row].follows {
            self.motions.fill_up(Motion::at_rest(), self.len());
            for i in row * LANES..(row + 1) * LANES {
                self.motions.set(i, self.motion(i));
            }
            self.batches[row].follows = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use windfall_core::glam::DVec3;
    use windfall_core::{Actions, BodyId, Load, Plant, Solver};

    use crate::{Method, Params, World};

    fn two_maples() -> Plant {
        let species = windfall_grow::Species::named("maple").expect("a species");
        let maple = windfall_grow::grow(&species, &windfall_grow::GrowOptions { bodies: Some(500), seed: 1 });
        let maple = maple.expect("it grows");
        Plant::together("two", &[(&maple, DVec3::ZERO), (&maple, DVec3::X * 9.0)]).expect("both fit")
    }

    /// There is room for motions of leaves only in blocks in which one had to be stored; and everybody knows its tree all the time.
    #[test]
    fn leaves_have_room_once_something_acts_on_one_and_know_their_tree() {
        for method in [Method::Implicit, Method::Analytic] {
            let mut world = World::<f32>::new(two_maples(), Params::default(), method).expect("fine parameters");
            let last = BodyId(world.plant().body_count() as u32 - 1);
            let leaf_rows = |world: &World<f32>| {
                let rows = world.blocks.iter().map(|b| b.motions.rows().len() - b.masses.wood().len());
                rows.sum::<usize>()
            };
            let know_their_tree = |world: &World<f32>| {
                world.all_blocks().all(|block| (0..block.len()).all(|i| block.anchor(i) == block.motion(i).anchor))
            };
            for step in 0..20 {
                let load = [Load::force(last, DVec3::ZERO, DVec3::X * 0.001)];
                let loads = if step == 10 { &load[..] } else { &[] };
                world.step(1.0 / 60.0, &Actions { loads, grabs: &[], touches: &[] }).expect("a step");
                assert_eq!(leaf_rows(&world) > 0, step >= 10, "{method:?}, step {step}");
                assert!(know_their_tree(&world), "{method:?}, step {step}");
                let of_tree = |tree: u32| {
                    world.blocks.iter().flat_map(|b| (0..b.len()).map(|i| b.anchor(i))).filter(|&a| a == tree).count()
                };
                assert!(of_tree(1) > 400, "{method:?}, step {step}");
            }
        }
    }
}
