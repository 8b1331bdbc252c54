//! Bending between the joints: thickness profiles along bones, and wood between a bone and the branches
//! that grow on it (`springs.rs`).
//!
//! If a tree has few bones, the mesh of a bone includes the first part of its boughs: the joint of a bough
//! is then far from its parent bone. Wood in between is detected in the bark attached to the parent bone.

use glam::DVec3;

use crate::radii::{Fit, Point, kept, never_growing};
use crate::sections::{lines, measure};
use crate::springs::{Gap, Profile};
use crate::wood::{Skeleton, share_of};

/// Allowed lateral offset of a branch's wood from the line to its first joint, relative to the length of
/// the line.
const ASIDE: f64 = 0.2;
/// A branch extended backwards meets its parent bone if it passes within this fraction of the distance, or
/// within its wood.
const PASSES: f64 = 0.3;
/// Maximum number of triangles tested for wood between bones, and of segments in their cross-sections: a
/// segment costs a hundred times as much.
const MOST_LOOKED: Looked = Looked { triangles: 20_000_000, lines: 3_000_000 };

/// Work done in the search for wood between bones.
#[derive(Default)]
pub(crate) struct Looked {
    triangles: usize,
    lines: usize,
}

impl Skeleton<'_> {
    /// Radii along the bones of a branch from cross-sections, m; they never increase towards the tip.
    pub fn profiles(&self, chain: &[usize], cuts: &[Vec<Point>]) -> Vec<Profile> {
        let mut places: Vec<(usize, f64)> = Vec::new();
        let mut values: Vec<(f64, f64)> = Vec::new();
        for (k, &j) in chain.iter().enumerate() {
            let usual = kept(cuts[j].clone());
            for cut @ &(share, radius, weight) in &cuts[j] {
                let radius = radius * self.scale;
                // A head at the end or a collar does not thicken the wood below it.
                if usual.contains(cut) || values.last().is_none_or(|last| radius <= last.0) {
                    places.push((k, share));
                    values.push((radius, weight));
                }
            }
        }
        let mut profiles = vec![Vec::new(); chain.len()];
        for ((k, share), radius) in places.into_iter().zip(never_growing(&values)) {
            profiles[k].push((share, radius));
        }
        profiles
    }

    /// The wood between the parent bone of a branch and the first joint of the branch; its mesh is
    /// attached to the parent bone.
    pub fn gap(&self, first: usize, on: usize, root: usize, fits: &[Option<Fit>], looked: &mut Looked) -> Option<Gap> {
        let (bone, carrier) = (self.bones[first]?, self.bones[on]?);
        let (head, from) = (self.joints[first].at, self.joints[on].at);
        let fit = fits[on]?;
        let nearest = share_of(head, from, carrier.tail);
        let thick = |share: f64| fit.base + (fit.tip - fit.base) * share;
        // Backwards along the branch to its closest approach to the bone, if near enough; otherwise
        // perpendicular to the bone.
        let (back, way) = ((head - bone.tail).normalize(), carrier.tail - from);
        let beside = |v: DVec3| v - back * v.dot(back);
        let share = (beside(head - from).dot(beside(way)) / beside(way).length_squared().max(f64::MIN_POSITIVE))
            .clamp(0.0, 1.0);
        let off = head - from.lerp(carrier.tail, share);
        let passes = off.dot(back) < 0.0 && beside(off).length() < thick(share).max(PASSES * off.length());
        let share = if passes { share } else { nearest };
        let begin = from.lerp(carrier.tail, share);
        let (distance, radius) = (begin.distance(head), thick(share));
        if distance < 2.0 * radius || distance == 0.0 {
            return None;
        }
        looked.triangles += self.surface.wood.count(on);
        if looked.triangles > MOST_LOOKED.triangles {
            return None;
        }
        let begin = begin.lerp(head, radius / distance);
        let lines = lines(self.surface.wood.near(on), begin, head);
        if looked.lines + lines > MOST_LOOKED.lines {
            return None;
        }
        looked.lines += lines;
        let cuts = measure(&self.surface.wood.near(on), begin, head, ASIDE);
        let values: Vec<(f64, f64)> = cuts.iter().map(|cut| (cut.1 * self.scale, cut.2)).collect();
        let profile: Profile = cuts.iter().map(|cut| cut.0).zip(never_growing(&values)).collect();
        let origin = self.joints[root].at;
        (profile.len() >= 3).then(|| Gap {
            begin: (begin - origin) * self.scale,
            end: (head - origin) * self.scale,
            share,
            profile,
        })
    }
}
