//! Few bones for many bodies: a skeleton of a size that game engines support, and its animation from the
//! motion of the bodies.
//!
//! A bone stands for a connected part of a tree and moves its bodies as one rigid body: its displacement
//! is the one nearest to theirs ([`mod@fit`]). The error of a merger decides which bodies share a bone
//! ([`merge()`]). A detached body ([`Loose`]) never shares a bone with its parent.
//!
//! | module | contents |
//! |---|---|
//! | [`moments`] | area, centre and spread of the surface of a body |
//! | [`mod@fit`] | the nearest rigid displacement |
//! | [`mod@merge`] | merging of bodies, the cheapest pair first |
//! | [`mod@lean`] | mean displacement of leaves and fruit relative to their bones |
//! | [`loose`] | detection of detached bodies |
//! | [`off`] | deviation of the skin on bones from the skin on bodies |

pub mod fit;
pub mod lean;
pub mod loose;
pub mod merge;
pub mod moments;
pub mod off;

use glam::DQuat;
use rayon::prelude::*;
use windfall_core::{BodyId, Plant, Pose};

pub use self::fit::Rigid;
use self::fit::{PoseSums, RestSums, fit};
pub use self::lean::{lean, leans};
pub use self::loose::Loose;
pub use self::merge::merge;
pub use self::moments::Moments;
pub use self::off::Off;

/// No bone.
pub const NO_BONE: u32 = u32::MAX;

/// Assignment of bodies to bones. A bone's parent comes before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bones {
    /// The bone of each body.
    pub of_body: Vec<u32>,
    /// The innermost body of each bone, in ascending order.
    pub roots: Vec<u32>,
    /// The parent of each bone; [`NO_BONE`] for the first of a tree and for detached bodies.
    pub parents: Vec<u32>,
    /// Index in `members` of the first body of each bone, followed by the number of members.
    firsts: Vec<u32>,
    /// Bodies, bone by bone.
    members: Vec<u32>,
}

impl Bones {
    /// A bone for each body.
    pub fn all(plant: &Plant, loose: &Loose) -> Self {
        Self::from_roots(plant, loose, |_| true)
    }

    /// Bones from the innermost body of each. Bodies without a parent, and detached ones, always begin a
    /// bone.
    fn from_roots(plant: &Plant, loose: &Loose, is_root: impl Fn(u32) -> bool) -> Self {
        let count = plant.body_count();
        let (mut of_body, mut roots, mut parents) = (vec![NO_BONE; count], Vec::new(), Vec::new());
        for id in plant.body_ids() {
            let parent = plant.parent(id).filter(|_| !loose.is_loose(id));
            let carrier = parent.map_or(NO_BONE, |p| of_body[p.0 as usize]);
            of_body[id.0 as usize] = if carrier == NO_BONE || is_root(id.0) {
                roots.push(id.0);
                parents.push(carrier);
                roots.len() as u32 - 1
            } else {
                carrier
            };
        }
        let mut firsts = vec![0; roots.len() + 1];
        for &bone in &of_body {
            firsts[bone as usize + 1] += 1;
        }
        for i in 0..roots.len() {
            firsts[i + 1] += firsts[i];
        }
        let mut next = firsts.clone();
        let mut members = vec![0; count];
        for (body, &bone) in of_body.iter().enumerate() {
            members[next[bone as usize] as usize] = body as u32;
            next[bone as usize] += 1;
        }
        Self { of_body, roots, parents, firsts, members }
    }

    /// Number of bones.
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Whether there are no bones.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// The bodies of a bone, in the order of their ids.
    pub fn members(&self, bone: usize) -> &[u32] {
        &self.members[self.firsts[bone] as usize..self.firsts[bone + 1] as usize]
    }

    /// The surfaces that bones follow. Leaves and fruit on the bone of their wood count as a part of
    /// that wood, and have no weight themselves. Wood that is in no mesh has no weight: its motion must
    /// not affect visible bodies.
    ///
    /// # Panics
    /// If the moments are of another plant.
    pub fn loads(&self, plant: &Plant, moments: &[Moments]) -> Vec<Moments> {
        let mut loads = moments.to_vec();
        for id in plant.body_ids().skip(plant.segments().len()) {
            let (body, Some(parent)) = (id.0 as usize, plant.parent(id)) else { continue };
            if self.of_body[body] == self.of_body[parent.0 as usize] {
                loads[parent.0 as usize].join(&moments[body]);
                loads[body].weight = 0.0;
            }
        }
        for load in loads[..plant.segments().len()].iter_mut().filter(|load| !load.seen) {
            load.weight = 0.0;
        }
        loads
    }

    /// The displacement of each bone from rest to a pose, metres relative to the origin of its tree:
    /// that of its body for a single one, the nearest to those of its [`Bones::loads`] otherwise. On all
    /// cores.
    ///
    /// # Panics
    /// If the pose is of another plant.
    pub fn place(&self, loads: &[Moments], rest: &Pose, pose: &Pose, placed: &mut Vec<Rigid>) {
        assert_eq!(self.of_body.len(), pose.len(), "a pose of the same plant");
        let bones = (0..self.len()).into_par_iter().with_min_len(4);
        bones
            .map(|bone| {
                let root = displacement(rest, pose, self.roots[bone] as usize);
                let members = self.members(bone);
                if members.len() == 1 {
                    return root;
                }
                let (mut at_rest, mut moved) = (RestSums::default(), PoseSums::default());
                for &body in members.iter().filter(|&&body| loads[body as usize].weight > 0.0) {
                    let m = &loads[body as usize];
                    at_rest += RestSums::of(m);
                    moved += PoseSums::of(m, &displacement(rest, pose, body as usize));
                }
                // No part of it is visible.
                if at_rest.weight == 0.0 {
                    return root;
                }
                fit(&at_rest, &moved, root.rotation).0
            })
            .collect_into_vec(placed);
    }

    /// A name for each bone: that of its innermost body ([`body_name`]).
    pub fn names(&self, plant: &Plant) -> Vec<String> {
        self.roots.iter().map(|&root| body_name(plant, BodyId(root))).collect()
    }
}

/// A name for a body: `trunk`, `branch_12`, `branch_12_3` (its fourth segment), `leaf_7`, `fruit_2`.
/// With several trees `trunk2` is that of the second.
///
/// # Panics
/// If the plant has no such body.
pub fn body_name(plant: &Plant, id: BodyId) -> String {
    let (wood, leaves) = (plant.segments().len(), plant.leaves().len());
    let i = id.0 as usize;
    if i >= wood + leaves {
        return format!("fruit_{}", i - wood - leaves);
    }
    if i >= wood {
        return format!("leaf_{}", i - wood);
    }
    let branch = plant.branch_index(id);
    let along = i - plant.branch_segments(branch).start;
    let stem = match plant.branches()[branch] {
        windfall_core::Branch { parent: Some(_), .. } => format!("branch_{branch}"),
        windfall_core::Branch { tree: 0, .. } => "trunk".into(),
        windfall_core::Branch { tree, .. } => format!("trunk{}", tree + 1),
    };
    if along == 0 { stem } else { format!("{stem}_{along}") }
}

/// Displacement of a body from its rest pose to another pose.
pub(crate) fn displacement(rest: &Pose, pose: &Pose, body: usize) -> Rigid {
    let turn: DQuat = (pose.orientations[body].as_dquat() * rest.orientations[body].as_dquat().conjugate()).normalize();
    let (from, to) = (rest.positions[body].as_dvec3(), pose.positions[body].as_dvec3());
    Rigid { rotation: turn, translation: to - turn * from }
}
