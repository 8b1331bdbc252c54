//! Stems: consecutive branches, drawn as one tube.
//!
//! A branch that ends in a fork continues in the strongest of the branches that start at its tip and do
//! not turn back; the others are side branches of the joined stem.

use glam::Vec3;
use windfall_core::Plant;

use super::curve::Curve;

/// A run of segments that becomes one tube.
#[derive(Debug, Clone)]
pub(super) struct Stem {
    /// Its segments from base to tip.
    pub segments: Vec<u32>,
    /// The parent stem and the segment there; none for a trunk.
    pub parent: Option<(u32, u32)>,
    /// Index of the wood material.
    pub material: u16,
}

/// The stems of a tree, parents before children. `branches` are all of its branches in order; those with
/// a base thinner than `thinnest` are left out together with their subtrees.
pub(super) fn stems_of(plant: &Plant, branches: &[u32], thinnest: f32) -> Vec<Stem> {
    // Position of each branch in the list, and that of its parent branch.
    let place = |branch: usize| branches.binary_search(&(branch as u32)).ok();
    let below: Vec<Option<usize>> = branches
        .iter()
        .map(|&i| {
            let segment = plant.branches()[i as usize].parent?;
            place(plant.branch_index(plant.segment_id(segment as usize)))
        })
        .collect();
    let continues = continuations(plant, branches, &below);
    let mut stem_of: Vec<Option<u32>> = vec![None; branches.len()];
    let mut stems: Vec<Stem> = Vec::new();
    for (n, &i) in branches.iter().enumerate() {
        let branch = &plant.branches()[i as usize];
        let segments = plant.branch_segments(i as usize);
        let first = &plant.segments()[segments.start];
        let segments = segments.map(|s| s as u32);
        let parent = match (below[n], branch.parent) {
            (Some(below), Some(segment)) => {
                let Some(stem) = stem_of[below] else { continue };
                if continues[below] == Some(n) {
                    stem_of[n] = Some(stem);
                    stems[stem as usize].segments.extend(segments);
                    continue;
                }
                if first.base_radius < thinnest {
                    continue;
                }
                Some((stem, segment))
            }
            _ => None,
        };
        stem_of[n] = Some(stems.len() as u32);
        stems.push(Stem { segments: segments.collect(), parent, material: branch.material });
    }
    stems
}

/// For each branch the position of the branch that continues it at its tip.
fn continuations(plant: &Plant, branches: &[u32], below: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut best: Vec<Option<(f32, usize)>> = vec![None; branches.len()];
    for (n, &i) in branches.iter().enumerate() {
        let branch = &plant.branches()[i as usize];
        let (Some(below), Some(parent)) = (below[n], branch.parent) else { continue };
        let material = plant.branches()[branches[below] as usize].material;
        let last = plant.branch_segments(branches[below] as usize).end - 1;
        if last != parent as usize || material != branch.material {
            continue;
        }
        let (end, start) = (&plant.segments()[last], &plant.segments()[plant.branch_segments(i as usize).start]);
        let along = (end.orientation * Vec3::Y).dot(start.orientation * Vec3::Y);
        if start.position.distance(end.tip()) > 0.5 * end.tip_radius || along < 0.2 {
            continue;
        }
        let strength = start.base_radius * along;
        if best[below].is_none_or(|(s, _)| strength > s) {
            best[below] = Some((strength, n));
        }
    }
    best.into_iter().map(|b| b.map(|(_, n)| n)).collect()
}

impl Stem {
    /// Its centre line. Where two segments meet with different radii the curve takes the mean.
    pub fn curve(&self, plant: &Plant) -> Curve {
        let segments = plant.segments();
        let n = self.segments.len();
        let mut points = Vec::with_capacity(n + 1);
        let mut directions = Vec::with_capacity(n);
        let mut radii = Vec::with_capacity(n + 1);
        for (k, &i) in self.segments.iter().enumerate() {
            let segment = &segments[i as usize];
            points.push(segment.position);
            directions.push(segment.orientation * Vec3::Y);
            let below = if k == 0 { segment.base_radius } else { segments[self.segments[k - 1] as usize].tip_radius };
            radii.push(0.5 * (below + segment.base_radius));
        }
        let last = &segments[self.segments[n - 1] as usize];
        points.push(last.tip());
        radii.push(last.tip_radius);
        Curve::new(points, &directions, radii)
    }
}
