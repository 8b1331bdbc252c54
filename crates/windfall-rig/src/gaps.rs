//! What bends beside the joints: how thick bones are along their length, and wood between a bone and the branches that grow on it (`springs.rs`).
//!
//! A bone of few for a whole tree carries the first stretch of its boughs, too: the joint of a bough then stands far from the bone that it grows on. Whether there is wood in between is seen in
//! the bark that hangs on that bone.

use glam::DVec3;

use crate::radii::{Fit, Point, kept, never_growing};
use crate::sections::{lines, measure};
use crate::springs::{Gap, Profile};
use crate::wood::{Skeleton, share_of};

/// How far beside the way to its first joint the wood of a branch may be, of that way.
const ASIDE: f64 = 0.2;
/// A branch that goes back to the bone that carries it passes that bone as near as this share of the way, or within its wood.
const PASSES: f64 = 0.3;
/// Triangles that are looked at for wood between bones, and lines in cuts through them, at most: a line takes a hundred times as long.
const MOST_LOOKED: Looked = Looked { triangles: 20_000_000, lines: 3_000_000 };

/// How much was looked at for wood between bones.
#[derive(Default)]
pub(crate) struct Looked {
    triangles: usize,
    lines: usize,
}

impl Skeleton<'_> {
    /// Radii along the bones of a branch, m, where cuts say them; they never grow towards its tip.
    pub fn profiles(&self, chain: &[usize], cuts: &[Vec<Point>]) -> Vec<Profile> {
        let mut places: Vec<(usize, f64)> = Vec::new();
        let mut values: Vec<(f64, f64)> = Vec::new();
        for (k, &j) in chain.iter().enumerate() {
            let usual = kept(cuts[j].clone());
            for cut @ &(share, radius, weight) in &cuts[j] {
                let radius = radius * self.scale;
                // A head at its end, or a collar, does not make the wood before it thick.
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

    /// The wood between the bone that carries a branch and where the branch begins, which hangs on the bone that carries it.
    pub fn gap(&self, first: usize, on: usize, root: usize, fits: &[Option<Fit>], looked: &mut Looked) -> Option<Gap> {
        let (bone, carrier) = (self.bones[first]?, self.bones[on]?);
        let (head, from) = (self.joints[first].at, self.joints[on].at);
        let fit = fits[on]?;
        let nearest = share_of(head, from, carrier.tail);
        let thick = |share: f64| fit.base + (fit.tip - fit.base) * share;
        // Back along the branch to where it passes the bone, if it does; else straight across.
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
