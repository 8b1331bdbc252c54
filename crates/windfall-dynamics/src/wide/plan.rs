//! Which bodies of a block are swept together: eight whose parents come before them.
//!
//! Wood and fruit are taken by their height (Hu's list scheduling): of all whose parents are done, the eight with the longest way to a tip. Leaves carry
//! nothing and come last, eight by eight. What needs more than the common path (joint limits, pieces that fly) goes alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::math::LANES;
use crate::air::Kind;
use crate::math::Real;
use crate::world::block::{Block, Link};

/// How a batch is swept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Wood and fruit.
    Wood,
    /// Leaves.
    Leaves,
    /// A single body, by the scalar path.
    Alone,
}

/// Bodies that are swept together.
#[derive(Debug, Clone, Copy)]
pub struct Batch {
    /// Those beyond `count` are the first again.
    pub indices: [u32; LANES],
    pub count: usize,
    pub way: Way,
}

impl Batch {
    fn new(bodies: &[u32], way: Way) -> Self {
        let mut indices = [bodies[0]; LANES];
        indices[..bodies.len()].copy_from_slice(bodies);
        Self { indices, count: bodies.len(), way }
    }
}

/// All batches of a block, parents before children. `trees` is the number of trees: pieces that fly are numbered from there on.
pub fn batches<T: Real>(block: &Block<T>, trees: usize) -> Vec<Batch> {
    let count = block.len();
    let is_common = |i: usize| {
        let spring = &block.springs[i];
        (block.motions[i].anchor as usize) < trees
            && spring.bend_limit.is_infinite()
            && spring.twist_limit.is_infinite()
    };
    let is_leaf = |i: usize| block.sails.own[i].kind == Kind::Leaf;
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
    let (mut ready, mut alone, mut leaves) = (BinaryHeap::new(), Vec::new(), Vec::new());
    let rank = |i: u32| (block.heights[i as usize], Reverse(i));
    let mut start =
        |i: u32, ready: &mut BinaryHeap<_>, alone: &mut Vec<u32>| match (is_common(i as usize), is_leaf(i as usize)) {
            (true, true) => leaves.push(i),
            (true, false) => ready.push(rank(i)),
            (false, _) => alone.push(i),
        };
    for i in 0..count as u32 {
        match block.links[i as usize] {
            Link::Body(parent) => children[parent as usize].push(i),
            Link::Gone => {}
            Link::Top(_) | Link::Base(_) | Link::Free(_) => start(i, &mut ready, &mut alone),
        }
    }
    let mut batches = Vec::with_capacity(count / LANES + count / 32 + 1);
    loop {
        let batch = if let Some(i) = alone.pop() {
            Batch::new(&[i], Way::Alone)
        } else {
            let mut taken = Vec::with_capacity(LANES);
            while let (true, Some((_, Reverse(i)))) = (taken.len() < LANES, ready.peek()) {
                taken.push(*i);
                ready.pop();
            }
            if taken.is_empty() {
                break;
            }
            // Neighbours in memory side by side.
            taken.sort_unstable();
            Batch::new(&taken, Way::Wood)
        };
        batches.push(batch);
        for &i in &batch.indices[..batch.count] {
            for &child in &children[i as usize] {
                start(child, &mut ready, &mut alone);
            }
        }
    }
    leaves.sort_unstable();
    batches.extend(leaves.chunks(LANES).map(|chunk| Batch::new(chunk, Way::Leaves)));
    batches
}
