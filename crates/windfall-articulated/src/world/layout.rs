//! The solver's order: the simulated bodies, their parents, and their division into blocks.

use rayon::prelude::*;
use windfall_core::{Body, BodyId, Plant};

use crate::block::place::{ON_BASE, Place, TOP};
use crate::block::{Link, PADDING};
use crate::world::order::{Order, arrange};
use windfall_solver::Selection;

/// Subtrees with more bodies than this belong to the top.
const LARGEST_ENTRY: u32 = 1500;
/// Number of bodies of a full block. Measured on a maple of 140,000 bodies, one thread of a Zen 4, ms:
/// 5.2 (2,000), 5.0 (3,000), 4.9 (5,000), although larger blocks than 3,000 do not fit into the
/// second-level cache: in large blocks more rows are full, more leaves sit on rows, and fewer bodies are
/// swept one by one. A tree of three million bodies gains 3 % over 3,000.
const FULL_BLOCK: u32 = 5000;
/// Small worlds are split into about this many blocks, so that all threads have work, but not into
/// smaller ones than [`SMALLEST_BLOCK`]: a sleeping thread takes up to 25 us to wake, and 1,500 bodies
/// take 30 us. Larger blocks also have fuller rows: on one thread 3,000 bodies take 75 us in seven
/// blocks, and 63 us in two.
const BLOCKS: u32 = 8;
const SMALLEST_BLOCK: u32 = 1500;

/// The order of all simulated bodies.
#[derive(Debug)]
pub(crate) struct Layout {
    pub top: Order,
    pub blocks: Vec<Order>,
    /// For every body of the plant.
    pub places: Vec<Place>,
    /// For every body of the plant: the simulated body that carries it (itself if it is simulated), or
    /// [`ON_BASE`].
    pub carriers: Vec<u32>,
}

impl Layout {
    /// Splits the simulated bodies of a plant. Bodies in `free` have no parent.
    pub fn new(plant: &Plant, selection: &Selection, is_free: impl Fn(BodyId) -> bool) -> Self {
        let count = plant.body_count();
        let carriers = carriers(plant, selection, &is_free);
        // Carrying parent of each simulated body.
        let parent = |id: u32| -> u32 {
            if is_free(BodyId(id)) {
                return ON_BASE;
            }
            plant.parent(BodyId(id)).map_or(ON_BASE, |p| carriers[p.0 as usize])
        };
        let active = |id: u32| carriers[id as usize] == id;
        let mut sizes = vec![0u32; count];
        let mut heights = vec![1u32; count];
        for id in (0..count as u32).rev().filter(|&id| active(id)) {
            sizes[id as usize] += 1;
            let p = parent(id);
            if p != ON_BASE {
                sizes[p as usize] += sizes[id as usize];
                heights[p as usize] = heights[p as usize].max(heights[id as usize] + 1);
            }
        }
        let active_count = (0..count as u32).filter(|&id| active(id)).count() as u32;
        let full = (active_count / BLOCKS).clamp(SMALLEST_BLOCK, FULL_BLOCK);
        // One block, or an even number with the same size in both halves, so that neither of two threads
        // waits for the other. The blocks at the ends of the halves, which are swept last (`blocks.rs`),
        // are smaller: a thread that is interrupted then has less work left.
        let count_of_blocks = if active_count < 2 * full { 1 } else { active_count / (2 * full) * 2 };
        let half = count_of_blocks / 2;
        let shares = |block: u32| {
            if half > 4 && (block.is_multiple_of(half) || (block + 1).is_multiple_of(half)) { 2 } else { 5 }
        };
        let mut shares_left: u32 = (0..count_of_blocks).map(shares).sum();
        let children = Children::new(count, |id| active(id).then(|| parent(id)).filter(|&p| p != ON_BASE));
        let is_top = |id: u32| sizes[id as usize] > LARGEST_ENTRY;
        let (mut roots, mut groups, mut group, mut size) = (Vec::new(), Vec::new(), Vec::new(), 0);
        let mut bodies_left: u32 = (0..count as u32).filter(|&id| active(id) && !is_top(id)).count() as u32;
        for id in (0..count as u32).filter(|&id| active(id)) {
            let p = parent(id);
            if is_top(id) {
                roots.extend((p == ON_BASE).then_some(id));
            } else if p == ON_BASE || is_top(p) {
                let more = sizes[id as usize];
                // Closes the group if that is nearer to an equal share of the remaining bodies.
                let block = groups.len() as u32;
                let share = bodies_left / shares_left * shares(block);
                if !group.is_empty() && block + 1 < count_of_blocks && size + more / 2 > share {
                    groups.push(std::mem::take(&mut group));
                    bodies_left -= size;
                    shares_left -= shares(block);
                    size = 0;
                }
                group.push(id);
                size += more;
            }
        }
        if !group.is_empty() {
            groups.push(group);
        }
        let is_leaf = |id: u32| matches!(plant.body(BodyId(id)), Some(Body::Leaf(_)));
        let top = arrange(&roots, |id| children.of(id), is_top, is_leaf, &heights);
        let order = |group: Vec<u32>| arrange(&group, |id| children.of(id), |_| true, is_leaf, &heights);
        let blocks: Vec<Order> = groups.into_par_iter().map(order).collect();

        let mut places = vec![Place { block: ON_BASE, index: 0 }; count];
        let numbered = blocks.iter().enumerate().map(|(block, order)| (block as u32, order));
        for (block, order) in numbered.chain([(TOP, &top)]) {
            for (index, &id) in order.ids.iter().enumerate().filter(|(_, id)| **id != PADDING) {
                places[id as usize] = Place { block, index: index as u32 };
            }
        }
        for (id, &carrier) in carriers.iter().enumerate() {
            places[id] = if carrier == ON_BASE {
                Place { block: ON_BASE, index: plant.tree_index(BodyId(id as u32)) as u32 }
            } else {
                places[carrier as usize]
            };
        }
        Self { top, blocks, places, carriers }
    }

    /// The link of a simulated body, as long as it has not broken off.
    pub fn link(&self, plant: &Plant, id: u32) -> Link {
        if id == PADDING {
            return Link::Removed;
        }
        let base = Link::Base(plant.tree_index(BodyId(id)) as u32);
        let Some(parent) = plant.parent(BodyId(id)).map(|p| self.places[p.0 as usize]) else { return base };
        match parent.block {
            ON_BASE => base,
            block if block == self.places[id as usize].block => Link::Body(parent.index),
            _ => Link::Top(parent.index),
        }
    }
}

/// The simulated body that carries each body.
fn carriers(plant: &Plant, selection: &Selection, is_free: &impl Fn(BodyId) -> bool) -> Vec<u32> {
    let chosen = selection.bodies(plant);
    let mut carriers = Vec::with_capacity(plant.body_count());
    for id in plant.body_ids() {
        let carrier = if chosen.as_ref().is_none_or(|c| c[id.0 as usize]) || is_free(id) {
            id.0
        } else {
            plant.parent(id).map_or(ON_BASE, |p| carriers[p.0 as usize])
        };
        carriers.push(carrier);
    }
    carriers
}

/// The children of every body in one flat list.
struct Children {
    starts: Vec<u32>,
    list: Vec<u32>,
}

impl Children {
    fn new(count: usize, parent: impl Fn(u32) -> Option<u32>) -> Self {
        let mut starts = vec![0u32; count + 1];
        for id in 0..count as u32 {
            if let Some(p) = parent(id) {
                starts[p as usize + 1] += 1;
            }
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut list = vec![0u32; starts[count] as usize];
        for id in 0..count as u32 {
            if let Some(p) = parent(id) {
                list[next[p as usize] as usize] = id;
                next[p as usize] += 1;
            }
        }
        Self { starts, list }
    }

    fn of(&self, id: u32) -> &[u32] {
        &self.list[self.starts[id as usize] as usize..self.starts[id as usize + 1] as usize]
    }
}
