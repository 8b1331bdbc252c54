//! Which bodies of a block lie in one row: eight whose parents come before them.
//!
//! Wood and fruit are taken by their height (Hu's list scheduling): of all whose parents are placed, the eight with the longest way to a tip. Where there are
//! only one or two, as in a trunk, a row is filled with one after the other, and they are swept one by one. Leaves carry nothing and come last, in bunches: the first leaf of
//! each of eight bodies, the second of each, and so on. So what the eight give to their leaves and feel of them is moved between rows once for all of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::block::{Block, Limit, Link, NOBODY};
use super::rows::LANES;
use crate::math::Real;

/// So few bodies are swept one by one: a vector for them gains little (an estimate), and a row for each pair of a long trunk would be mostly padding.
const FEW: usize = 2;

/// The most rows of a bunch of leaves; bodies with more leaves have several lanes.
const LONGEST: usize = 8;

/// How a row is swept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Wood and fruit, all at once.
    Wood,
    /// Leaves, all at once.
    Leaves,
    /// One after the other.
    Single,
}

/// One row of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch {
    pub way: Way,
    /// Lanes that are not swept with the others, as bits: what is gone, and what needs more than the common path (joint limits, pieces that fly).
    pub apart: u8,
    /// Those of them that are gone.
    pub gone: u8,
    /// Lanes that nobody needs.
    pub empty: u8,
    /// How many rows the bunch has that begins with this row of leaves; zero in all others.
    pub bunch: u8,
    /// Whether the implicit solver keeps all of its leaves in this step, because something acts on one of them.
    pub is_whole: bool,
    /// Whether the motions of its leaves are not stored, because they follow from those of their parents (`following.rs`).
    pub follows: bool,
}

impl Batch {
    pub fn new(way: Way, bunch: u8) -> Self {
        Self { way, apart: 0, gone: 0, empty: 0, bunch, is_whole: false, follows: false }
    }

    /// Lanes that are swept one by one.
    pub fn alone(self) -> u8 {
        if self.way == Way::Single { u8::MAX } else { self.apart }
    }

    /// Whether these are leaves, all at once or gone.
    pub fn are_free_leaves(self) -> bool {
        self.way == Way::Leaves && self.apart == self.gone
    }
}

/// The order of one block.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// [`NOBODY`] where a row has room.
    pub ids: Vec<u32>,
    /// Of each row, and [`Batch::bunch`].
    pub ways: Vec<(Way, u8)>,
}

/// Puts these bodies in order, with all that hangs on them as far as `children` knows.
pub(crate) fn arrange<'a>(
    roots: &[u32],
    children: impl Fn(u32) -> &'a [u32],
    is_member: impl Fn(u32) -> bool,
    is_leaf: impl Fn(u32) -> bool,
    heights: &[u32],
) -> Order {
    let mut order = Order::default();
    let (mut ready, mut leaves) = (BinaryHeap::new(), Vec::new());
    let mut start = |id: u32, parent: u32, ready: &mut BinaryHeap<_>| {
        if is_leaf(id) {
            leaves.push((parent, id));
        } else {
            ready.push((heights[id as usize], Reverse(id)));
        }
    };
    for &id in roots {
        start(id, NOBODY, &mut ready);
    }
    let mut row = Vec::with_capacity(LANES);
    while !ready.is_empty() {
        row.clear();
        let way = if ready.len() <= FEW { Way::Single } else { Way::Wood };
        while row.len() < LANES {
            let Some((_, Reverse(id))) = ready.pop() else { break };
            row.push(id);
            if way == Way::Single {
                children(id).iter().filter(|&&c| is_member(c)).for_each(|&c| start(c, id, &mut ready));
                if ready.is_empty() || ready.len() > FEW {
                    break;
                }
            }
        }
        if way == Way::Wood {
            // Neighbours side by side.
            row.sort_unstable();
            for &id in &row {
                children(id).iter().filter(|&&c| is_member(c)).for_each(|&c| start(c, id, &mut ready));
            }
        }
        order.push(&row, way);
    }
    order.push_bunches(&leaves);
    order
}

impl Order {
    fn push(&mut self, row: &[u32], way: Way) {
        self.ids.extend_from_slice(row);
        self.ids.resize(self.ids.len().next_multiple_of(LANES), NOBODY);
        self.ways.push((way, 0));
    }

    /// Leaves with their parents, those of one parent side by side; none is the parent of those that hang on the top.
    fn push_bunches(&mut self, leaves: &[(u32, u32)]) {
        // Few leaves would leave most lanes empty if they hung in long strings.
        let longest = (leaves.len() / (2 * LANES)).clamp(1, LONGEST);
        let siblings = leaves.chunk_by(|a, b| a.0 == b.0 && a.0 != NOBODY);
        let mut strings: Vec<&[(u32, u32)]> = siblings.flat_map(|all| all.chunks(longest)).collect();
        // Those on the top apart, because they are given to it one by one.
        strings.sort_by_key(|string| (string[0].0 == NOBODY, Reverse(string.len())));
        for bunch in strings.chunks(LANES) {
            let rows = bunch[0].len();
            for j in 0..rows {
                let lane = |l: usize| bunch.get(l).and_then(|string| string.get(j)).map_or(NOBODY, |&(_, leaf)| leaf);
                self.ids.extend((0..LANES).map(lane));
                self.ways.push((Way::Leaves, if j == 0 { rows as u8 } else { 0 }));
            }
        }
    }
}

impl<T: Real> Block<T> {
    /// Finds who is swept with the others and who apart. `trees` is the number of trees: pieces that fly are numbered from there on.
    pub fn sort_out(&mut self, trees: usize) {
        self.is_rooted = true;
        for (row, batch) in self.batches.iter_mut().enumerate() {
            (batch.apart, batch.gone, batch.empty) = (0, 0, 0);
            for l in 0..LANES {
                let i = row * LANES + l;
                if self.ids[i] == NOBODY {
                    batch.empty |= 1 << l;
                    continue;
                }
                let (limit, anchor) = (self.limits.lane_or(i, Limit::none()), self.motions.get(i).anchor as usize);
                let is_limited = limit.bend.is_finite() || limit.twist.is_finite();
                let is_loose = anchor >= trees || matches!(self.links[i], Link::Gone | Link::Free(_));
                self.is_rooted &= anchor < trees;
                if is_limited || is_loose {
                    batch.apart |= 1 << l;
                    batch.gone |= u8::from(self.links[i] == Link::Gone) << l;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random trees, chains and stars: everybody has one place, parents lie in earlier rows or, in single rows, in earlier lanes; and rows are full where they can be.
    #[test]
    fn parents_come_first_and_nobody_is_lost() {
        let mut random = 1u64;
        let mut next = |below: u32| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((random >> 33) as u32) % below
        };
        let count = 500u32;
        for shape in 0..4 {
            let parents: Vec<u32> = (0..count)
                .map(|id| match (id, shape) {
                    (0, _) => NOBODY,
                    (_, 0) => id - 1,
                    (_, 1) => 0,
                    (_, 2) => next(id),
                    _ => id.saturating_sub(1 + next(4)),
                })
                .collect();
            let mut children = vec![Vec::new(); count as usize];
            let mut heights = vec![1u32; count as usize];
            for id in (1..count).rev() {
                let parent = parents[id as usize] as usize;
                children[parent].insert(0, id);
                heights[parent] = heights[parent].max(heights[id as usize] + 1);
            }
            let is_leaf = |id: u32| children[id as usize].is_empty() && id.is_multiple_of(2);
            let order = arrange(&[0], |id| &children[id as usize], |_| true, is_leaf, &heights);
            assert_eq!(order.ids.len(), order.ways.len() * LANES);
            let mut places = vec![usize::MAX; count as usize];
            for (i, &id) in order.ids.iter().enumerate().filter(|(_, id)| **id != NOBODY) {
                assert_eq!(places[id as usize], usize::MAX, "{id} twice");
                places[id as usize] = i;
                assert_eq!(order.ways[i / LANES].0 == Way::Leaves, is_leaf(id));
            }
            for id in 1..count as usize {
                let (own, parent) = (places[id], places[parents[id] as usize]);
                let is_before = match order.ways[own / LANES].0 {
                    Way::Single => parent < own,
                    _ => parent / LANES < own / LANES,
                };
                assert!(own != usize::MAX && is_before, "shape {shape}: {id} at {own}, its parent at {parent}");
            }
            assert!(order.ids.len() <= 3 * count as usize, "{} places", order.ids.len());
            // Bunches: lane by lane the same parent, and no row without a leaf.
            let rows = order.ways.len();
            let mut row = order.ways.iter().position(|(way, _)| *way == Way::Leaves).unwrap_or(rows);
            while row < rows {
                let bunch = usize::from(order.ways[row].1);
                assert!((1..=LONGEST).contains(&bunch) && row + bunch <= rows);
                let id = |j: usize, l: usize| order.ids[(row + j) * LANES + l];
                for (j, l) in (1..bunch).flat_map(|j| (0..LANES).map(move |l| (j, l))) {
                    assert_eq!(order.ways[row + j], (Way::Leaves, 0));
                    if id(j, l) != NOBODY {
                        assert_eq!(parents[id(j, l) as usize], parents[id(0, l) as usize]);
                    }
                }
                assert!((0..bunch).all(|j| (0..LANES).any(|l| id(j, l) != NOBODY)));
                row += bunch;
            }
        }
    }
}
