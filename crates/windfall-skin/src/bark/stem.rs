//! Stems: branches that continue each other, drawn as one tube.
//!
//! A branch that ends in a fork goes on in the strongest of the branches that start at its tip and do not turn back; the
//! others are side branches of the joined stem.

use glam::Vec3;
use windfall_core::Plant;

use super::curve::Curve;

/// A run of segments that becomes one tube.
#[derive(Debug, Clone)]
pub(super) struct Stem {
    /// Its segments from base to tip.
    pub segments: Vec<u32>,
    /// The stem it grows on and the segment there; none for a trunk.
    pub parent: Option<(u32, u32)>,
    /// Wood material.
    pub material: u16,
}

/// The stems of one tree, parents before children.
pub(super) fn stems_of(plant: &Plant, tree: usize) -> Vec<Stem> {
    let branches = plant.branches();
    let continues = continuations(plant, tree);
    let mut stem_of_branch = vec![u32::MAX; branches.len()];
    let mut stems: Vec<Stem> = Vec::new();
    for (i, branch) in branches.iter().enumerate().filter(|(_, b)| b.tree as usize == tree) {
        let segments = plant.branch_segments(i).map(|s| s as u32);
        let parent = branch.parent.map(|segment| {
            let below = plant.branch_index(plant.segment_id(segment as usize));
            (below, stem_of_branch[below], segment)
        });
        if let Some((below, stem, _)) = parent
            && continues[below] == Some(i as u32)
        {
            stem_of_branch[i] = stem;
            stems[stem as usize].segments.extend(segments);
            continue;
        }
        stem_of_branch[i] = stems.len() as u32;
        stems.push(Stem {
            segments: segments.collect(),
            parent: parent.map(|(_, stem, segment)| (stem, segment)),
            material: branch.material,
        });
    }
    stems
}

/// For each branch the one that goes on from its tip.
fn continuations(plant: &Plant, tree: usize) -> Vec<Option<u32>> {
    let branches = plant.branches();
    let mut best: Vec<Option<(f32, u32)>> = vec![None; branches.len()];
    for (i, branch) in branches.iter().enumerate().filter(|(_, b)| b.tree as usize == tree) {
        let Some(parent) = branch.parent else { continue };
        let below = plant.branch_index(plant.segment_id(parent as usize));
        if plant.branch_segments(below).end != parent as usize + 1 || branches[below].material != branch.material {
            continue;
        }
        let (end, start) = (&plant.segments()[parent as usize], &plant.segments()[plant.branch_segments(i).start]);
        let reach = 0.5 * end.tip_radius;
        let along = (end.orientation * Vec3::Y).dot(start.orientation * Vec3::Y);
        if start.position.distance(end.tip()) > reach || along < 0.2 {
            continue;
        }
        let strength = start.base_radius * along;
        if best[below].is_none_or(|(s, _)| strength > s) {
            best[below] = Some((strength, i as u32));
        }
    }
    best.into_iter().map(|b| b.map(|(_, i)| i)).collect()
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
