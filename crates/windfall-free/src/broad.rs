//! Broad phase: pairs of bodies that may touch within a step, by bounding volume trees (parry) over boxes.
//!
//! Moving bodies get a new tree in every step. Sleeping bodies are in one that is rebuilt when many have
//! joined them, and in a small one until then. The box of a body that has woken up stays there, so queries
//! must check each result; nothing is ever removed from a tree.
//!
//! Leaves have trees of their own. Unless leaves touch each other only moving solid bodies query them, and
//! only the sleeping ones, because moving leaves query solid bodies themselves.

use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, TraversalAction};
use windfall_core::glam::DVec3;

use super::shape::vector;

/// Most partners that one query returns: where more bodies than this are in one place each finds some of
/// the others.
pub const MOST_PARTNERS: usize = 16;

/// An axis-aligned box in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lowest corner.
    pub low: DVec3,
    /// Highest corner.
    pub high: DVec3,
}

impl Bounds {
    /// The box of a ball of radius `reach` that moves along `way`.
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

/// Numbered boxes, and a tree of them.
#[derive(Default, Clone)]
pub struct Shelf {
    numbers: Vec<u32>,
    boxes: Vec<Aabb>,
    tree: Bvh,
}

impl Shelf {
    /// Removes all boxes.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.boxes.clear();
    }

    /// Adds a box.
    pub fn push(&mut self, number: u32, bounds: &Bounds) {
        self.numbers.push(number);
        self.boxes.push(bounds.aabb());
    }

    /// Builds the tree of the added boxes.
    pub fn build(&mut self) {
        self.tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &self.boxes);
    }

    /// Calls `found` for all that touch a box.
    pub fn touching(&self, bounds: &Bounds, mut found: impl FnMut(u32)) {
        self.near(&bounds.aabb(), &mut |number| {
            found(number);
            true
        });
    }

    /// Whether `found` returned false.
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

/// The tree of sleeping bodies is rebuilt when more than this many, and this share of them, have joined.
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
    /// Removes the moving bodies.
    pub fn clear_moving(&mut self) {
        self.moving.clear();
    }

    /// Adds a moving body; [`Trees::build_moving`] must follow.
    pub fn add_moving(&mut self, number: u32, bounds: &Bounds) {
        self.moving.push(number, bounds);
    }

    /// Builds the tree of moving bodies.
    pub fn build_moving(&mut self) {
        self.moving.build();
    }

    /// Adds a body that has fallen asleep, or sleeps under a new number; [`Trees::settle`] must follow.
    pub fn add_sleeper(&mut self, number: u32, bounds: &Bounds) {
        self.joined.push(number, bounds);
        self.has_joined = true;
    }

    /// Builds the trees of sleeping bodies; `all` returns them all.
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

    /// Calls `found` with the numbers of moving bodies whose boxes meet this one, until it returns false.
    pub fn moving_near(&self, bounds: &Bounds, mut found: impl FnMut(u32) -> bool) {
        self.moving.near(&bounds.aabb(), &mut found);
    }

    /// [`Trees::moving_near`] for sleeping bodies; some of the results may sleep elsewhere by now, be
    /// awake, or be gone.
    pub fn sleepers_near(&self, bounds: &Bounds, mut found: impl FnMut(u32) -> bool) {
        let aabb = bounds.aabb();
        let _ = self.joined.near(&aabb, &mut found) || self.asleep.near(&aabb, &mut found);
    }
}
