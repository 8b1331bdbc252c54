//! Which bodies may touch within a step: bounding volume trees (parry) over boxes.
//!
//! Bodies that move get a new tree in every step. Those that sleep are in one that is made anew when many have joined them, and in a small one
//! until then. A box of a body that has woken up stays there, and whoever finds it must ask; so nothing is ever taken out of a tree.
//!
//! Leaves have trees of their own: unless leaves touch each other nobody asks for them but solid bodies that move, and only for those that
//! sleep, because leaves that move ask for solid bodies themselves.

use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, TraversalAction};
use windfall_core::glam::DVec3;

use super::shape::vector;

/// Most partners that one query gives: where more bodies than this are in one place each finds some of the others.
pub const MOST_PARTNERS: usize = 16;

/// A box in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lowest corner.
    pub low: DVec3,
    /// Highest corner.
    pub high: DVec3,
}

impl Bounds {
    /// About a ball of radius `reach` that moves along `way`.
    pub fn swept(center: DVec3, way: DVec3, reach: f64) -> Self {
        let end = center + way;
        Self { low: center.min(end) - reach, high: center.max(end) + reach }
    }

    /// Whether two boxes have a point in common.
    pub fn touch(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    fn aabb(&self) -> Aabb {
        Aabb::new(vector(self.low), vector(self.high))
    }
}

/// Boxes with numbers, and a tree of them.
#[derive(Default, Clone)]
pub struct Shelf {
    numbers: Vec<u32>,
    boxes: Vec<Aabb>,
    tree: Bvh,
}

impl Shelf {
    /// Takes all out.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.boxes.clear();
    }

    /// Puts one in.
    pub fn push(&mut self, number: u32, bounds: &Bounds) {
        self.numbers.push(number);
        self.boxes.push(bounds.aabb());
    }

    /// Makes the tree of those that were put in.
    pub fn build(&mut self) {
        self.tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &self.boxes);
    }

    /// Gives all that touch a box.
    pub fn touching(&self, bounds: &Bounds, mut found: impl FnMut(u32)) {
        self.near(&bounds.aabb(), &mut |number| {
            found(number);
            true
        });
    }

    /// Whether `found` said no.
    fn near(&self, aabb: &Aabb, found: &mut impl FnMut(u32) -> bool) -> bool {
        let mut ended = false;
        self.tree.traverse(|node| {
            if !node.aabb().intersects(aabb) {
                return TraversalAction::Prune;
            }
            match node.leaf_data() {
                Some(leaf) if !found(self.numbers[leaf as usize]) => {
                    ended = true;
                    TraversalAction::EarlyExit
                }
                _ => TraversalAction::Continue,
            }
        });
        ended
    }
}

/// Bodies that sleep get a tree anew when more than this many, and this part of them, have joined.
const JOINED: usize = 256;
const JOINED_PART: usize = 8;

/// The boxes of bodies of one kind, by their numbers.
#[derive(Default, Clone)]
pub struct Trees {
    moving: Shelf,
    joined: Shelf,
    asleep: Shelf,
    has_joined: bool,
}

impl Trees {
    /// Forgets the bodies that move.
    pub fn clear_moving(&mut self) {
        self.moving.clear();
    }

    /// Adds a body that moves; [`Trees::build_moving`] must follow.
    pub fn add_moving(&mut self, number: u32, bounds: &Bounds) {
        self.moving.push(number, bounds);
    }

    /// Makes the tree of bodies that move.
    pub fn build_moving(&mut self) {
        self.moving.build();
    }

    /// Adds a body that has fallen asleep, or sleeps under a new number; [`Trees::settle`] must follow.
    pub fn add_sleeper(&mut self, number: u32, bounds: &Bounds) {
        self.joined.push(number, bounds);
        self.has_joined = true;
    }

    /// Makes the trees of bodies that sleep; `all` gives them all.
    pub fn settle<I: Iterator<Item = (u32, Bounds)>>(&mut self, all: impl FnOnce() -> I) {
        if !std::mem::take(&mut self.has_joined) {
            return;
        }
        if self.joined.numbers.len() > JOINED + self.asleep.numbers.len() / JOINED_PART {
            self.joined.clear();
            self.asleep.clear();
            for (number, bounds) in all() {
                self.asleep.push(number, &bounds);
            }
            self.asleep.build();
        }
        self.joined.build();
    }

    /// Calls `found` with the numbers of bodies that move and whose boxes meet this one, until it says no.
    pub fn moving_near(&self, bounds: &Bounds, mut found: impl FnMut(u32) -> bool) {
        self.moving.near(&bounds.aabb(), &mut found);
    }

    /// The same for bodies that sleep; some of them may sleep elsewhere by now, be awake, or be gone.
    pub fn sleepers_near(&self, bounds: &Bounds, mut found: impl FnMut(u32) -> bool) {
        let aabb = bounds.aabb();
        let _ = self.joined.near(&aabb, &mut found) || self.asleep.near(&aabb, &mut found);
    }
}
