//! Merging of bodies until few bones are left.
//!
//! E is the sum over sampled poses and surfaces of the squared distance between the positions by bones
//! and by bodies.
//!
//! 1. Leaves and fruit share the bone of their parent wood: each segment is a bone, and their surface
//!    counts as a part of it. Their flutter is left out: no bone of wood can follow it, and it must not
//!    turn wood. (If they were merged last, as their flutter suggests, wood would be merged as if it
//!    carried no foliage.)
//! 2. Wood that is in no mesh, with the leaves and fruit on its bone, is merged with its parent at no
//!    cost, so that no bone is spent on it. A detached body needs no bone either if no part of it is
//!    visible.
//! 3. The bone with the smallest increase of E is merged with its parent, repeatedly. The cost of a
//!    merger is recomputed when one side has grown by more than a fifth since: the number of evaluations
//!    per bone grows with the logarithm of its weight, and the whole takes O(n log n) steps for every
//!    shape of the tree.
//! 4. Fruit that would gain more from a bone of its own than the next merger of wood costs gets one.
//!    Leaves are many and alike, and bones for some of them would not be noticed: they get those that
//!    wood does not need.
//!
//! Ties are broken by the number of the body: the same bones on any machine and number of threads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DQuat;
use rayon::prelude::*;
use windfall_core::{BodyId, Plant, Pose};

use super::fit::{PoseSums, RestSums, Rigid, fit, residual};
use super::{Bones, Loose, Moments, displacement};

/// Growth of a side above which the cost is recomputed.
const GROWN: f64 = 1.2;

/// The bones of a plant: at most `count` of them, but at least one for each tree; detached bodies have
/// additional ones. Samples are poses of the motion that the bones shall follow. Bodies that are `apart`
/// keep a bone of their own below that of their parent, also in addition.
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
    let wood = plant.segments().len();
    let carries = carries(plant, moments, |id| loose.is_loose(id) || apart(id));
    let loose = &loose.only(&carries);
    let single = |id: &BodyId| loose.is_loose(*id) || (carries[id.0 as usize] && apart(*id));
    // Possible partner of each body in a merger.
    let parents: Vec<Option<u32>> =
        plant.body_ids().map(|id| plant.parent(id).filter(|_| !single(&id)).map(|p| p.0)).collect();
    let singles = plant.body_ids().filter(single).count();
    let target = count.max(1).saturating_add(singles);
    let mut owner: Vec<u32> = (0..plant.body_count() as u32).collect();
    let mut loads = moments[..wood].to_vec();
    let mut bones = wood;
    for body in wood..plant.body_count() {
        if let Some(parent) = parents[body] {
            loads[parent as usize].join(&moments[body]);
            owner[body] = parent;
        } else {
            bones += 1;
        }
    }
    for (body, _) in loads.iter().enumerate().filter(|(_, load)| !load.seen) {
        if let Some(parent) = parents[body] {
            owner[body] = parent;
            bones -= 1;
        }
    }
    let mut groups: Vec<Option<Group>> = loads
        .par_iter()
        .zip(&owner)
        .enumerate()
        .map(|(body, (load, &owner))| {
            (owner as usize == body).then(|| Group::of(load, samples, |pose| displacement(&rest, pose, body)))
        })
        .collect();
    let carriers: Vec<Option<u32>> =
        parents[..wood].iter().map(|parent| parent.map(|parent| find(&mut owner, parent))).collect();
    let mut offers: BinaryHeap<Reverse<Offer>> = (0..wood)
        .into_par_iter()
        .filter_map(|body| {
            let (child, parent) = (groups[body].as_ref()?, groups[carriers[body]? as usize].as_ref()?);
            Some(Reverse(Offer::new(body as u32, child, parent)))
        })
        .collect();
    while bones > target {
        let Some(body) = cheapest(&mut offers, &parents, &mut owner, &groups) else { break };
        accept(&mut offers, &parents, &mut owner, &mut groups, body);
        bones -= 1;
    }
    let mut shown = vec![0_u32; plant.body_count()];
    for body in (0..plant.body_count() as u32).filter(|&body| moments[body as usize].seen) {
        shown[find(&mut owner, body) as usize] += 1;
    }
    for (body, gain) in gains(moments, samples, &rest, wood, &mut owner, &groups) {
        if bones >= target {
            if (body as usize) < wood + plant.leaves().len() {
                continue;
            }
            let Some(other) = cheapest(&mut offers, &parents, &mut owner, &groups) else { break };
            if offers.peek().is_none_or(|Reverse(offer)| offer.cost >= gain) {
                break;
            }
            accept(&mut offers, &parents, &mut owner, &mut groups, other);
            let carrier = find(&mut owner, other) as usize;
            shown[carrier] += std::mem::take(&mut shown[other as usize]);
            bones -= 1;
        }
        let carrier = find(&mut owner, body) as usize;
        owner[body as usize] = body;
        bones += 1;
        shown[carrier] -= 1;
        // No other visible part is left on this wood: it needs no bone any more.
        if let (0, Some(parent)) = (shown[carrier], parents[carrier]) {
            owner[carrier] = find(&mut owner, parent);
            groups[carrier] = None;
            bones -= 1;
        }
    }
    Bones::from_roots(plant, loose, |body| owner[body as usize] == body)
}

/// Whether each body is visible or has a visible body in its subtree, excluding bodies with bones of
/// their own.
fn carries(plant: &Plant, moments: &[Moments], single: impl Fn(BodyId) -> bool) -> Vec<bool> {
    let mut carries: Vec<bool> = moments.iter().map(|m| m.seen).collect();
    // Parents come before their children.
    for body in (0..plant.body_count() as u32).rev().map(BodyId) {
        if let Some(parent) = plant.parent(body).filter(|_| carries[body.0 as usize] && !single(body)) {
            carries[parent.0 as usize] = true;
        }
    }
    carries
}

/// Moves the cheapest offer with an up-to-date cost to the top.
fn cheapest(
    offers: &mut BinaryHeap<Reverse<Offer>>,
    parents: &[Option<u32>],
    owner: &mut [u32],
    groups: &[Option<Group>],
) -> Option<u32> {
    loop {
        let Reverse(offer) = offers.peek()?;
        let body = offer.body;
        let Some(child) = &groups[body as usize] else {
            offers.pop();
            continue;
        };
        let parent = find(owner, parents[body as usize]?);
        let carrier = groups[parent as usize].as_ref()?;
        if child.rest.weight <= GROWN * offer.child_weight && carrier.rest.weight <= GROWN * offer.parent_weight {
            return Some(body);
        }
        offers.pop();
        offers.push(Reverse(Offer::new(body, child, carrier)));
    }
}

/// Merges the body of the top offer with its parent.
fn accept(
    offers: &mut BinaryHeap<Reverse<Offer>>,
    parents: &[Option<u32>],
    owner: &mut [u32],
    groups: &mut [Option<Group>],
    body: u32,
) {
    offers.pop();
    let Some(parent) = parents[body as usize].map(|parent| find(owner, parent)) else { return };
    if let Some(child) = groups[body as usize].take()
        && let Some(carrier) = &mut groups[parent as usize]
    {
        carrier.add(&child);
        carrier.fit();
        owner[body as usize] = parent;
    }
}

/// Leaves and fruit on bones of wood, each with its part of E, which is the gain from a bone of its own.
/// The largest first.
fn gains(
    moments: &[Moments],
    samples: &[Pose],
    rest: &Pose,
    wood: usize,
    owner: &mut [u32],
    groups: &[Option<Group>],
) -> Vec<(u32, f64)> {
    let carriers: Vec<Vec<Rigid>> =
        groups.par_iter().map(|group| group.as_ref().map_or_else(Vec::new, Group::displacements)).collect();
    let riding: Vec<(u32, u32)> = (wood as u32..owner.len() as u32)
        .map(|body| (body, find(owner, body)))
        .filter(|&(body, carrier)| body != carrier && moments[body as usize].seen)
        .collect();
    let mut gains: Vec<(u32, f64)> = riding
        .into_par_iter()
        .map(|(body, carrier)| {
            let both = samples.iter().zip(&carriers[carrier as usize]);
            let left =
                both.map(|(pose, by)| residual(&moments[body as usize], &displacement(rest, pose, body as usize), by));
            (body, left.sum())
        })
        .collect();
    gains.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    gains
}

/// Union-find: the root of a body's group, with path halving.
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
    /// Error of the best displacements over all samples, m⁴.
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

    /// Error of the union of both, m⁴.
    fn with(&self, child: &Self) -> f64 {
        let mut rest = self.rest;
        rest += child.rest;
        let own = self.rest.weight >= child.rest.weight;
        let poses = self.poses.iter().zip(&child.poses);
        poses
            .map(|(&(mut sums, guess), other)| {
                sums += other.0;
                // The first guess is the rotation of the heavier side.
                fit(&rest, &sums, if own { guess } else { other.1 }).1
            })
            .sum()
    }

    /// Adds the bodies of another group; [`Group::fit`] must follow.
    fn add(&mut self, child: &Self) {
        let own = self.rest.weight >= child.rest.weight;
        self.rest += child.rest;
        for ((sums, rotation), other) in self.poses.iter_mut().zip(&child.poses) {
            *sums += other.0;
            if !own {
                *rotation = other.1;
            }
        }
    }

    /// Computes the best displacements.
    fn fit(&mut self) {
        self.left = 0.0;
        for (sums, rotation) in &mut self.poses {
            let (by, left) = fit(&self.rest, sums, *rotation);
            *rotation = by.rotation;
            self.left += left;
        }
    }

    /// One per sample.
    fn displacements(&self) -> Vec<Rigid> {
        self.poses.iter().map(|(sums, rotation)| fit(&self.rest, sums, *rotation).0).collect()
    }
}

/// A bone that can be merged with its parent. The cheapest is the smallest.
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
