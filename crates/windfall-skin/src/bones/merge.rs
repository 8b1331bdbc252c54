//! Putting bodies together until few bones are left.
//!
//! At first each body is a bone. Again and again the bone is put together with its parent that adds least to E, the sum over sampled poses
//! and surfaces of the squared distance between where bone and bodies carry them. What a merger costs is computed again when one
//! side has grown by more than a fifth since: each bone is then asked a number of times that grows with the logarithm of its weight, and the
//! whole takes O(n log n) steps, whatever the shape of the tree. Equal costs go by the number of the body: the same bones on any
//! machine and number of threads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DQuat;
use rayon::prelude::*;
use windfall_core::{BodyId, Plant, Pose};

use super::fit::{PoseSums, RestSums, fit};
use super::{Bones, Loose, Moments, displacement};

/// How much a side may grow before the cost is asked for again.
const GROWN: f64 = 1.2;

/// The bones of a plant: at most `count` of them, but at least one for each tree; what has let go comes on top. Samples are poses of the
/// motion that the bones shall follow. Bodies that are `apart` keep a bone of their own on that of their parent, also on top.
///
/// # Panics
/// If a sample is of another plant.
pub fn merge(
    plant: &Plant,
    moments: &[Moments],
    loose: &Loose,
    apart: impl Fn(BodyId) -> bool,
    samples: &[Pose],
    count: usize,
) -> Bones {
    let rest = Pose::rest(plant);
    let single = |id: &BodyId| loose.is_loose(*id) || apart(*id);
    let singles = plant.body_ids().filter(single).count();
    // With whom a body may be put together.
    let parents: Vec<Option<u32>> =
        plant.body_ids().map(|id| plant.parent(id).filter(|_| !single(&id)).map(|p| p.0)).collect();
    let target = count.max(1).saturating_add(singles);
    let mut groups: Vec<Option<Group>> = (0..plant.body_count())
        .into_par_iter()
        .map(|body| Some(Group::of(&moments[body], samples, |pose| displacement(&rest, pose, body))))
        .collect();
    let mut heap: BinaryHeap<Reverse<Offer>> = (0..groups.len())
        .into_par_iter()
        .filter_map(|body| {
            let (child, parent) = (groups[body].as_ref()?, groups[parents[body]? as usize].as_ref()?);
            Some(Reverse(Offer::new(body as u32, child, parent)))
        })
        .collect();
    let mut owner: Vec<u32> = (0..groups.len() as u32).collect();
    let mut left = groups.len();
    while left > target {
        let Some(Reverse(offer)) = heap.pop() else { break };
        let body = offer.body as usize;
        let Some(parent) = parents[body] else { continue };
        let parent = find(&mut owner, parent) as usize;
        let (Some(child), Some(carrier)) = (&groups[body], &groups[parent]) else { continue };
        if child.rest.weight > GROWN * offer.child_weight || carrier.rest.weight > GROWN * offer.parent_weight {
            heap.push(Reverse(Offer::new(offer.body, child, carrier)));
            continue;
        }
        if let Some(child) = groups[body].take() {
            if let Some(carrier) = &mut groups[parent] {
                carrier.take(&child);
            }
            owner[body] = parent as u32;
            left -= 1;
        }
    }
    Bones::from_roots(plant, loose, |body| owner[body as usize] == body)
}

/// The root of the group that a body is in; paths are halved on the way.
fn find(owner: &mut [u32], mut body: u32) -> u32 {
    while owner[body as usize] != body {
        owner[body as usize] = owner[owner[body as usize] as usize];
        body = owner[body as usize];
    }
    body
}

/// Bodies that share a bone.
#[derive(Clone)]
struct Group {
    rest: RestSums,
    /// One per sample.
    poses: Vec<(PoseSums, DQuat)>,
    /// What the best displacements leave in all samples, m⁴.
    left: f64,
}

impl Group {
    fn of(moments: &Moments, samples: &[Pose], by: impl Fn(&Pose) -> super::Rigid) -> Self {
        let pose = |sample| {
            let by = by(sample);
            (PoseSums::of(moments, &by), by.rotation)
        };
        Self { rest: RestSums::of(moments), poses: samples.iter().map(pose).collect(), left: 0.0 }
    }

    /// What both together would leave, m⁴.
    fn with(&self, child: &Self) -> f64 {
        let mut rest = self.rest;
        rest += child.rest;
        let poses = self.poses.iter().zip(&child.poses);
        poses
            .map(|(&(mut sums, guess), other)| {
                sums += other.0;
                fit(&rest, &sums, self.guess(guess, child, other.1)).1
            })
            .sum()
    }

    /// The rotation of the heavier side.
    fn guess(&self, own: DQuat, child: &Self, its: DQuat) -> DQuat {
        if self.rest.weight >= child.rest.weight { own } else { its }
    }

    fn take(&mut self, child: &Self) {
        let own = self.rest.weight >= child.rest.weight;
        self.rest += child.rest;
        self.left = 0.0;
        for ((sums, rotation), other) in self.poses.iter_mut().zip(&child.poses) {
            *sums += other.0;
            let (by, left) = fit(&self.rest, sums, if own { *rotation } else { other.1 });
            *rotation = by.rotation;
            self.left += left;
        }
    }
}

/// A bone that could be put together with its parent. The cheapest is the smallest.
#[derive(PartialEq)]
struct Offer {
    cost: f64,
    body: u32,
    child_weight: f64,
    parent_weight: f64,
}

impl Offer {
    fn new(body: u32, child: &Group, parent: &Group) -> Self {
        let cost = parent.with(child) - parent.left - child.left;
        Self { cost, body, child_weight: child.rest.weight, parent_weight: parent.rest.weight }
    }
}

impl Eq for Offer {}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.cost.total_cmp(&other.cost).then(self.body.cmp(&other.body))
    }
}
