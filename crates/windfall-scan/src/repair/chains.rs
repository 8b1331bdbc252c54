//! Division of the cylinders into branches.

use super::topology::Children;
use super::{Work, usable_radii, usable_radius};
use crate::cylinder::Cylinder;
use crate::report::FaultKind;

/// A branch: a chain of cylinders that continue each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain {
    /// Its cylinders are `members[first..first + count]` of [`Chains`].
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// The parent cylinder.
    pub(crate) on: Option<usize>,
}

/// All branches, parents before children.
pub(crate) struct Chains {
    pub(crate) list: Vec<Chain>,
    pub(crate) members: Vec<usize>,
    /// The branch of each cylinder, and its position in the branch.
    pub(crate) place_of: Vec<(usize, usize)>,
}

impl Chains {
    /// Divides a tree with its parents before their children.
    pub(crate) fn new(work: &mut Work) -> Self {
        let children = Children::new(&work.cylinders);
        let thick = thickness(&work.cylinders);
        let mut next: Vec<Option<usize>> = Vec::with_capacity(work.cylinders.len());
        for i in 0..work.cylinders.len() {
            let (continuing, forced) = continuation(&work.cylinders, &thick, i, children.of(i));
            if let Some(child) = continuing.filter(|_| forced) {
                work.ledger.note(FaultKind::Continued, work.source[child], 0.0);
            }
            next.push(continuing);
        }
        let mut list = Vec::new();
        let mut members: Vec<usize> = Vec::with_capacity(work.cylinders.len());
        let mut place_of = vec![(0, 0); work.cylinders.len()];
        // Branches to do, by their first cylinder.
        let mut waiting: Vec<usize> =
            (0..work.cylinders.len()).filter(|&i| work.cylinders[i].parent.is_none()).collect();
        let mut at = 0;
        while let Some(&begin) = waiting.get(at) {
            at += 1;
            let first = members.len();
            let mut cylinder = Some(begin);
            while let Some(i) = cylinder {
                place_of[i] = (list.len(), members.len() - first);
                members.push(i);
                waiting.extend(children.of(i).iter().filter(|&&child| Some(child) != next[i]));
                cylinder = next[i];
            }
            list.push(Chain { first, count: members.len() - first, on: work.cylinders[begin].parent });
        }
        Self { list, members, place_of }
    }

    pub(crate) fn members(&self, chain: &Chain) -> &[usize] {
        &self.members[chain.first..chain.first + chain.count]
    }
}

/// The child that continues a cylinder, and whether the file contradicts this.
fn continuation(cylinders: &[Cylinder], thick: &[f64], parent: usize, children: &[usize]) -> (Option<usize>, bool) {
    let on = &cylinders[parent];
    let tip_radius = usable_radii(on).map_or(0.0, |(_, tip)| tip);
    let at_tip = |&child: &usize, says: Option<bool>| {
        // Without information in the file there may be gaps; if the file denies a continuation, only a
        // fork at the very tip counts.
        let gap = if says.is_none() { 0.25 * on.axis().length() } else { 0.0 };
        cylinders[child].start.distance(on.end) <= gap.max(1.5 * tip_radius)
    };
    let best = |says: Option<bool>| {
        let fits = |&child: &&usize| {
            let said = cylinders[*child].continues == says && (says == Some(true) || at_tip(child, says));
            said && !lies_below(&cylinders[*child], on)
        };
        let score = |&child: &usize| {
            let cosine = on.axis().normalize_or_zero().dot(cylinders[child].axis().normalize_or_zero());
            (thick[child] + 1e-6) * (1.1 + cosine)
        };
        // The last of equals is taken, so the list is traversed from its end.
        children.iter().rev().filter(fits).max_by(|a, b| score(a).total_cmp(&score(b))).copied()
    };
    if let Some(child) = best(Some(true)).or_else(|| best(None)) {
        return (Some(child), false);
    }
    let child = best(Some(false));
    (child, child.is_some())
}

/// Whether a cylinder has the direction of its parent but ends at the parent's beginning, or before: a
/// chain with inverted parents. It cannot continue its parent; merged with the wood above, it would move
/// its whole subtree to the wrong end.
fn lies_below(child: &Cylinder, on: &Cylinder) -> bool {
    let along = child.axis();
    along.dot(on.axis()) > 0.0 && (child.end - on.start).dot(along) < 0.1 * along.length_squared()
}

/// Radius of each cylinder, m; where it has none, the largest in its subtree. A trunk with missing radii
/// is still the trunk.
fn thickness(cylinders: &[Cylinder]) -> Vec<f64> {
    let mut thick = vec![0.0_f64; cylinders.len()];
    for (i, cylinder) in cylinders.iter().enumerate().rev() {
        // Its children come after it in the list, so their radii are known.
        thick[i] = usable_radius(cylinder).unwrap_or(thick[i]);
        if let Some(parent) = cylinder.parent {
            thick[parent] = thick[parent].max(thick[i]);
        }
    }
    thick
}
