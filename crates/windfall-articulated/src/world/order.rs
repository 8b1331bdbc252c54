//! Order of the bodies of a block in rows: eight in each whose parents come before them.
//!
//! Wood and fruit are scheduled by their height (Hu's list scheduling): of all bodies whose parents are
//! placed, the eight with the longest way to a tip. Where there are only one or two, as in a trunk, a row
//! is filled with one after the other, and they are swept one by one. Leaves carry nothing and come last,
//! in bunches: the first leaf of each of eight bodies, the second of each, and so on. So the kinematics
//! of the eight parents, and the loads of their leaves, are moved between rows once for the whole bunch.
//!
//! Where all eight bodies of a row of wood have leaves, these bunches sit on the row: lane by lane the
//! leaves are children of its bodies, as many of each as the body with the fewest has. Then no data is
//! moved between lanes at all. To make this true of most leaves, bodies of the same height are ordered by
//! their number of leaves, the largest first. (Of the rows of leaves of a maple and a willow five of six
//! sit on a row of wood, with no more padding than without.)

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::block::PADDING;
use crate::block::batch::{Batch, Way};
use crate::block::rows::LANES;

/// Where no more bodies than this are ready for a row, they are swept one by one: a vector for them gains
/// little (an estimate), and a row for each pair of a long trunk would be mostly padding.
const FEW: usize = 2;

/// Largest number of rows of a bunch that does not sit on a row; bodies with more leaves have several
/// lanes.
const LONGEST: usize = 8;

/// The order of one block.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// [`PADDING`] at unused places of a row.
    pub ids: Vec<u32>,
    /// One for each row.
    pub batches: Vec<Batch>,
}

/// Puts these bodies in order, with all their descendants according to `children`.
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
            bunches.others.push((PADDING, id));
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
            // Places neighbours side by side.
            row.sort_unstable();
            for &id in &row {
                members(id).filter(|&c| !is_leaf(c)).for_each(|c| start(c, &mut ready));
            }
            if row.len() == LANES {
                shared = row.iter().map(|&id| leaves_on(id).take(u8::MAX.into()).count()).min().unwrap_or(0);
            }
            batch.has_others = row.iter().any(|&id| children(id).len() > shared);
            batch.has_other_children = batch.has_others || shared > 0;
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
    /// Bunches that sit on rows: the row of wood, and the number of rows of the bunch.
    on_rows: Vec<(u32, u8)>,
    /// The leaves of these bunches, row by row.
    leaves: Vec<u32>,
    /// The other leaves, with their parents, siblings side by side; the parent is [`PADDING`] for
    /// children of top bodies.
    others: Vec<(u32, u32)>,
}

impl Bunches {
    /// Adds the leaves of a row of wood; `shared` leaves of each body sit on the row.
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
        // A few leaves in long strings would leave most lanes empty.
        let longest = (leaves.len() / (2 * LANES)).clamp(1, LONGEST);
        let siblings = leaves.chunk_by(|a, b| a.0 == b.0 && a.0 != PADDING);
        let mut strings: Vec<&[(u32, u32)]> = siblings.flat_map(|all| all.chunks(longest)).collect();
        // Children of top bodies go into rows of their own, because their loads are passed to the top one
        // by one.
        strings.sort_by_key(|string| (string[0].0 == PADDING, Reverse(string.len())));
        for bunch in strings.chunks(LANES) {
            let rows = bunch[0].len();
            for j in 0..rows {
                let lane = |l: usize| bunch.get(l).and_then(|string| string.get(j)).map_or(PADDING, |&(_, leaf)| leaf);
                let row: [u32; LANES] = std::array::from_fn(lane);
                order.push(&row, Batch { bunch: if j == 0 { rows as u8 } else { 0 }, ..Batch::new(Way::Leaves) });
            }
        }
    }
}

impl Order {
    fn push(&mut self, row: &[u32], batch: Batch) {
        self.ids.extend_from_slice(row);
        self.ids.resize(self.ids.len().next_multiple_of(LANES), PADDING);
        self.batches.push(batch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random trees, chains and stars: each body has one place, parents lie in earlier rows or, in single
    /// rows, in earlier lanes; and rows are full where possible.
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
                    (0, _) => PADDING,
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
            for (i, &id) in order.ids.iter().enumerate().filter(|(_, id)| **id != PADDING) {
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
            // In a bunch each lane has one parent, and no row is without a leaf.
            let rows = order.batches.len();
            let mut row = order.batches.iter().position(|batch| batch.way == Way::Leaves).unwrap_or(rows);
            while row < rows {
                let Batch { bunch, .. } = order.batches[row];
                let bunch = usize::from(bunch);
                assert!(bunch > 0 && row + bunch <= rows);
                let id = |j: usize, l: usize| order.ids[(row + j) * LANES + l];
                for (j, l) in (1..bunch).flat_map(|j| (0..LANES).map(move |l| (j, l))) {
                    assert_eq!((order.batches[row + j].way, order.batches[row + j].bunch), (Way::Leaves, 0));
                    if id(j, l) != PADDING {
                        assert_eq!(parents[id(j, l) as usize], parents[id(0, l) as usize]);
                    }
                }
                if let Some(on) = order.batches[row].wood_row() {
                    let parents = (0..LANES).map(|l| parents[id(0, l) as usize]);
                    assert!(parents.eq(order.ids[on * LANES..][..LANES].iter().copied()));
                    sitting += bunch;
                } else {
                    assert!(bunch <= LONGEST);
                }
                assert!((0..bunch).all(|j| (0..LANES).any(|l| id(j, l) != PADDING)));
                row += bunch;
            }
            // A row with children that do not sit on it exchanges data with them one by one.
            for id in 0..count {
                let own = places[id as usize];
                let batch = order.batches[own / LANES];
                let sits = |child: &u32| order.batches[places[*child as usize] / LANES].wood_row() == Some(own / LANES);
                assert!(batch.has_others || children[id as usize].iter().all(sits), "shape {shape}: {id}");
            }
        }
        assert!(sitting > 0, "no bunch sits on a row");
    }
}
