//! Which bodies of a block lie in one row: eight whose parents come before them.
//!
//! Wood and fruit are taken by their height (Hu's list scheduling): of all whose parents are placed, the eight with the longest way to a tip. Where there are
//! only one or two, as in a trunk, a row is filled with one after the other, and they are swept one by one. Leaves carry nothing and come last, in bunches: the first leaf of
//! each of eight bodies, the second of each, and so on. So what the eight give to their leaves and feel of them is moved between rows once for all of them.
//!
//! Where all eight bodies of a row of wood have leaves, these bunches sit on the row: lane by lane the leaves hang on its bodies, as many of each as the body with the fewest has. Then nothing is moved between lanes at all. So that
//! this is so of most leaves, of bodies with the same height those with the most leaves come first. (Of the rows of leaves of a maple and a willow five of six sit on a row of wood, with no more padding than without.)

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::block::{Block, Limit, Link, NOBODY};
use super::rows::LANES;
use crate::math::Real;

/// So few bodies are swept one by one: a vector for them gains little (an estimate), and a row for each pair of a long trunk would be mostly padding.
const FEW: usize = 2;

/// The most rows of a bunch of leaves that does not sit on a row; bodies with more leaves have several lanes.
const LONGEST: usize = 8;

/// No row.
const NO_ROW: u32 = u32::MAX;

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
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
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
    /// The row of wood that this bunch sits on, if it does: see [`Batch::boughs`].
    on: u32,
    /// Of wood: whether any of its bodies has other children than the leaves of a bunch that sits on the row.
    has_others: bool,
    /// Of wood: whether a bunch sits on the row and hears and tells all eight bodies at once, in this step.
    pub is_laden: bool,
    /// Of wood: whether any of its bodies has children that hear and tell it by itself, in this step.
    pub talks: bool,
    /// Whether the implicit solver keeps all of its leaves in this step, because something acts on one of them.
    pub is_whole: bool,
    /// Whether the motions of its leaves are not stored, because they follow from those of their parents (`following.rs`).
    pub follows: bool,
}

impl Batch {
    fn new(way: Way) -> Self {
        Self {
            way,
            apart: 0,
            gone: 0,
            empty: 0,
            bunch: 0,
            on: NO_ROW,
            has_others: true,
            is_laden: false,
            talks: true,
            is_whole: false,
            follows: false,
        }
    }

    /// The row of wood that this bunch, or a bunch of one of its rows, sits on.
    pub fn boughs(self) -> Option<usize> {
        (self.on != NO_ROW).then_some(self.on as usize)
    }

    /// A bunch sits on the row. Says whether it hears and tells all eight bodies at once; gives whether children hear them one by one that did not so far.
    pub fn bear(&mut self, is_laden: bool) -> bool {
        let talked = self.talks;
        (self.is_laden, self.talks) = (is_laden, self.has_others || !is_laden);
        self.talks && !talked
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
    /// Of each row.
    pub batches: Vec<Batch>,
}

/// Puts these bodies in order, with all that hangs on them as far as `children` knows.
pub(crate) fn arrange<'a>(
    roots: &[u32],
    children: impl Fn(u32) -> &'a [u32],
    is_member: impl Fn(u32) -> bool,
    is_leaf: impl Fn(u32) -> bool,
    heights: &[u32],
) -> Order {
    let members = |id: u32| children(id).iter().copied().filter(|&c| is_member(c));
    let leaves_on = |id: u32| members(id).filter(|&c| is_leaf(c));
    let start = |id: u32, ready: &mut BinaryHeap<_>| {
        ready.push((heights[id as usize], leaves_on(id).count(), Reverse(id)));
    };
    let (mut order, mut ready, mut bunches) = (Order::default(), BinaryHeap::new(), Bunches::default());
    for &id in roots {
        if is_leaf(id) {
            bunches.others.push((NOBODY, id));
        } else {
            start(id, &mut ready);
        }
    }
    let mut row = Vec::with_capacity(LANES);
    while !ready.is_empty() {
        row.clear();
        let way = if ready.len() <= FEW { Way::Single } else { Way::Wood };
        while row.len() < LANES {
            let Some((.., Reverse(id))) = ready.pop() else { break };
            row.push(id);
            if way == Way::Single {
                members(id).filter(|&c| !is_leaf(c)).for_each(|c| start(c, &mut ready));
                if ready.is_empty() || ready.len() > FEW {
                    break;
                }
            }
        }
        let mut batch = Batch::new(way);
        let mut shared = 0;
        if way == Way::Wood {
            // Neighbours side by side.
            row.sort_unstable();
            for &id in &row {
                members(id).filter(|&c| !is_leaf(c)).for_each(|c| start(c, &mut ready));
            }
            if row.len() == LANES {
                shared = row.iter().map(|&id| leaves_on(id).take(u8::MAX.into()).count()).min().unwrap_or(0);
            }
            batch.has_others = row.iter().any(|&id| children(id).len() > shared);
            batch.talks = batch.has_others || shared > 0;
        }
        bunches.add(order.batches.len(), &row, shared, leaves_on);
        order.push(&row, batch);
    }
    bunches.push_onto(&mut order);
    order
}

/// The leaves of a block.
#[derive(Default)]
struct Bunches {
    /// Of bunches that sit on rows: which row, and how many rows it has.
    on_rows: Vec<(u32, u8)>,
    /// Their leaves, row by row.
    leaves: Vec<u32>,
    /// The others, with their parents, those of one parent side by side; none is the parent of those that hang on the top.
    others: Vec<(u32, u32)>,
}

impl Bunches {
    /// Adds the leaves of a row of wood; so many of each body sit on the row.
    fn add<L: Iterator<Item = u32>>(&mut self, at: usize, row: &[u32], shared: usize, leaves_on: impl Fn(u32) -> L) {
        for &id in row {
            self.others.extend(leaves_on(id).skip(shared).map(|leaf| (id, leaf)));
        }
        if shared > 0 {
            self.on_rows.push((at as u32, shared as u8));
            let mut lanes: Vec<L> = row.iter().map(|&id| leaves_on(id)).collect();
            for _ in 0..shared {
                self.leaves.extend(lanes.iter_mut().filter_map(Iterator::next));
            }
        }
    }

    fn push_onto(&self, order: &mut Order) {
        let mut rows = self.leaves.chunks(LANES);
        for &(on, count) in &self.on_rows {
            for (j, row) in rows.by_ref().take(count.into()).enumerate() {
                let bunch = if j == 0 { count } else { 0 };
                order.push(row, Batch { bunch, on, ..Batch::new(Way::Leaves) });
            }
        }
        let leaves = &self.others;
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
                let row: [u32; LANES] = std::array::from_fn(lane);
                order.push(&row, Batch { bunch: if j == 0 { rows as u8 } else { 0 }, ..Batch::new(Way::Leaves) });
            }
        }
    }
}

impl Order {
    fn push(&mut self, row: &[u32], batch: Batch) {
        self.ids.extend_from_slice(row);
        self.ids.resize(self.ids.len().next_multiple_of(LANES), NOBODY);
        self.batches.push(batch);
    }
}

impl<T: Real> Block<T> {
    /// Finds who is swept with the others and who apart. `trees` is the number of trees: pieces that fly are numbered from there on.
    pub fn sort_out(&mut self, trees: usize) {
        (self.is_rooted, self.any_alone, self.any_whole) = (true, false, None);
        let mut batches = std::mem::take(&mut self.batches);
        for (row, batch) in batches.iter_mut().enumerate() {
            (batch.apart, batch.gone, batch.empty) = (0, 0, 0);
            for l in 0..LANES {
                let i = row * LANES + l;
                if self.ids[i] == NOBODY {
                    batch.empty |= 1 << l;
                    continue;
                }
                let (limit, anchor) = (self.limits.lane_or(i, Limit::none()), self.anchor(i) as usize);
                let is_limited = limit.bend.is_finite() || limit.twist.is_finite();
                let is_loose = anchor >= trees || matches!(self.links[i], Link::Gone | Link::Free(_));
                self.is_rooted &= anchor < trees;
                if is_limited || is_loose {
                    batch.apart |= 1 << l;
                    batch.gone |= u8::from(self.links[i] == Link::Gone) << l;
                }
            }
            self.any_alone |= batch.alone() != 0;
        }
        self.batches = batches;
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
        let mut sitting = 0;
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
            assert_eq!(order.ids.len(), order.batches.len() * LANES);
            let mut places = vec![usize::MAX; count as usize];
            for (i, &id) in order.ids.iter().enumerate().filter(|(_, id)| **id != NOBODY) {
                assert_eq!(places[id as usize], usize::MAX, "{id} twice");
                places[id as usize] = i;
                assert_eq!(order.batches[i / LANES].way == Way::Leaves, is_leaf(id));
            }
            for id in 1..count as usize {
                let (own, parent) = (places[id], places[parents[id] as usize]);
                let is_before = match order.batches[own / LANES].way {
                    Way::Single => parent < own,
                    _ => parent / LANES < own / LANES,
                };
                assert!(own != usize::MAX && is_before, "shape {shape}: {id} at {own}, its parent at {parent}");
            }
            assert!(order.ids.len() <= 3 * count as usize, "{} places", order.ids.len());
            // Bunches: lane by lane the same parent, and no row without a leaf.
            let rows = order.batches.len();
            let mut row = order.batches.iter().position(|batch| batch.way == Way::Leaves).unwrap_or(rows);
            while row < rows {
                let Batch { bunch, .. } = order.batches[row];
                let bunch = usize::from(bunch);
                assert!(bunch > 0 && row + bunch <= rows);
                let id = |j: usize, l: usize| order.ids[(row + j) * LANES + l];
                for (j, l) in (1..bunch).flat_map(|j| (0..LANES).map(move |l| (j, l))) {
                    assert_eq!((order.batches[row + j].way, order.batches[row + j].bunch), (Way::Leaves, 0));
                    if id(j, l) != NOBODY {
                        assert_eq!(parents[id(j, l) as usize], parents[id(0, l) as usize]);
                    }
                }
                if let Some(on) = order.batches[row].boughs() {
                    let parents = (0..LANES).map(|l| parents[id(0, l) as usize]);
                    assert!(parents.eq(order.ids[on * LANES..][..LANES].iter().copied()));
                    sitting += bunch;
                } else {
                    assert!(bunch <= LONGEST);
                }
                assert!((0..bunch).all(|j| (0..LANES).any(|l| id(j, l) != NOBODY)));
                row += bunch;
            }
            // Who has children that don't sit on its row, talks.
            for id in 0..count {
                let own = places[id as usize];
                let batch = order.batches[own / LANES];
                let sits = |child: &u32| order.batches[places[*child as usize] / LANES].boughs() == Some(own / LANES);
                assert!(batch.has_others || children[id as usize].iter().all(sits), "shape {shape}: {id}");
            }
        }
        assert!(sitting > 0, "no bunch sits on a row");
    }
}
