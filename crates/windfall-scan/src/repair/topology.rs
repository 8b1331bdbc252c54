//! Repair of the parent relation.

use glam::DVec3;

use super::{SHORTEST, Work};
use crate::cylinder::Cylinder;
use crate::report::FaultKind;

/// Largest distance of wood from the middle of its tree, m.
pub(super) const FARTHEST: f64 = 2000.0;

/// Leaves out cylinders with invalid positions: coordinates that are not numbers, or far from all others
/// of the tree.
pub(super) fn drop_bad_places(work: &mut Work, trees: usize) {
    let middles = medians(&work.cylinders, trees);
    let near = |p: DVec3, tree: u32| middles.get(tree as usize).is_some_and(|m| (p - m).abs().max_element() < FARTHEST);
    let keep: Vec<bool> = work
        .cylinders
        .iter()
        .map(|c| c.start.is_finite() && c.end.is_finite() && near(c.start, c.tree) && near(c.end, c.tree))
        .collect();
    for (i, _) in keep.iter().enumerate().filter(|(_, keep)| !**keep) {
        work.ledger.note(FaultKind::BadPlace, work.source[i], 0.0);
    }
    // Parents may still be wrong here: loops among the omitted cylinders end the search for a kept one.
    retain(work, &keep);
}

/// Median position of each tree, coordinate by coordinate.
fn medians(cylinders: &[Cylinder], trees: usize) -> Vec<DVec3> {
    let mut places: Vec<Vec<DVec3>> = vec![Vec::new(); trees];
    for cylinder in cylinders.iter().filter(|c| c.end.is_finite()) {
        if let Some(list) = places.get_mut(cylinder.tree as usize) {
            list.push(cylinder.end);
        }
    }
    let median = |list: &[DVec3], axis: usize| {
        let mut values: Vec<f64> = list.iter().map(|p| p[axis]).collect();
        let middle = values.len() / 2;
        if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f64::total_cmp).1 }
    };
    places.iter().map(|list| DVec3::new(median(list, 0), median(list, 1), median(list, 2))).collect()
}

/// Keeps some of the cylinders; children of the others move to their nearest kept ancestor.
pub(super) fn retain(work: &mut Work, keep: &[bool]) {
    if keep.iter().all(|&k| k) {
        return;
    }
    let count = work.cylinders.len();
    // The new parent, and whether all cylinders on the path continue their parents; memoised, so that
    // long paths are traversed once.
    let mut known: Vec<Option<(Option<usize>, Option<bool>)>> = vec![None; count];
    // The traversal in which each was visited, from 1.
    let mut seen = vec![0_usize; count];
    let mut way = Vec::new();
    for i in 0..count {
        way.clear();
        let mut at = i;
        let mut result = loop {
            if let Some(result) = known[at] {
                break result;
            }
            // Back on its own path: a loop without a kept cylinder.
            if seen[at] == i + 1 {
                break (None, None);
            }
            seen[at] = i + 1;
            way.push(at);
            match work.cylinders[at].parent {
                Some(p) if p < count && !keep[p] => at = p,
                parent => {
                    let result = (parent, work.cylinders[at].continues);
                    known[at] = Some(result);
                    way.pop();
                    break result;
                }
            }
        };
        for &below in way.iter().rev() {
            result.1 = both(result.1, work.cylinders[below].continues);
            known[below] = Some(result);
        }
    }
    let mut places = Vec::with_capacity(count);
    let mut next = 0;
    for &k in keep {
        places.push(next);
        next += usize::from(k);
    }
    for (cylinder, known) in work.cylinders.iter_mut().zip(&known) {
        let (parent, continues) = known.unwrap_or((None, None));
        cylinder.parent = parent.map(|p| places.get(p).copied().unwrap_or(usize::MAX));
        cylinder.continues = continues;
    }
    let mut kept = keep.iter();
    work.cylinders.retain(|_| *kept.next().unwrap_or(&false));
    let mut kept = keep.iter();
    work.source.retain(|_| *kept.next().unwrap_or(&false));
}

fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Removes parents that are out of range or of another tree.
pub(super) fn parents_that_exist(work: &mut Work) {
    for i in 0..work.cylinders.len() {
        let cylinder = work.cylinders[i];
        let exists = |p: usize| work.cylinders.get(p).is_some_and(|parent| parent.tree == cylinder.tree);
        if cylinder.parent.is_some_and(|p| !exists(p)) {
            work.ledger.note(FaultKind::UnknownParent, work.source[i], 0.0);
            work.cylinders[i].parent = None;
            work.cylinders[i].continues = None;
        }
    }
}

/// Distance of the base of a cylinder from the axis of another, m.
pub(super) fn distance(base: DVec3, on: &Cylinder) -> f64 {
    let along = on.axis();
    let t = ((base - on.start).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    base.distance(on.start + along * if t.is_nan() { 0.0 } else { t })
}

/// Opens loops where parent and child are farthest apart.
pub(super) fn open_loops(work: &mut Work) {
    // 0: not visited; otherwise the traversal in which it was visited.
    let mut seen = vec![0_usize; work.cylinders.len()];
    for begin in 0..work.cylinders.len() {
        let mut at = begin;
        while seen[at] == 0 {
            seen[at] = begin + 1;
            match work.cylinders[at].parent {
                Some(parent) => at = parent,
                None => break,
            }
        }
        let Some(mut parent) = work.cylinders[at].parent.filter(|_| seen[at] == begin + 1) else { continue };
        // `at` is on a loop, unless the traversal ended at a root.
        let mut widest = (at, -1.0);
        let mut member = at;
        loop {
            let gap = distance(work.cylinders[member].start, &work.cylinders[parent]);
            if gap > widest.1 {
                widest = (member, gap);
            }
            member = parent;
            if member == at {
                break;
            }
            match work.cylinders[member].parent {
                Some(next) => parent = next,
                None => break,
            }
        }
        if member == at {
            work.ledger.note(FaultKind::Loop, work.source[widest.0], widest.1);
            work.cylinders[widest.0].parent = None;
            work.cylinders[widest.0].continues = None;
        }
    }
}

/// The children of each cylinder: those of `i` are `list[firsts[i]..firsts[i + 1]]`, in order.
pub(crate) struct Children {
    firsts: Vec<usize>,
    list: Vec<usize>,
}

impl Children {
    pub(crate) fn new(cylinders: &[Cylinder]) -> Self {
        let mut firsts = vec![0; cylinders.len() + 1];
        for parent in cylinders.iter().filter_map(|c| c.parent) {
            firsts[parent + 1] += 1;
        }
        for i in 0..cylinders.len() {
            firsts[i + 1] += firsts[i];
        }
        let mut next = firsts.clone();
        let mut list = vec![0; firsts[cylinders.len()]];
        for (i, parent) in cylinders.iter().enumerate().filter_map(|(i, c)| Some((i, c.parent?))) {
            list[next[parent]] = i;
            next[parent] += 1;
        }
        Self { firsts, list }
    }

    pub(crate) fn of(&self, parent: usize) -> &[usize] {
        &self.list[self.firsts[parent]..self.firsts[parent + 1]]
    }
}

/// Records children that are listed before their parents.
pub(super) fn note_order(work: &mut Work) {
    for (i, cylinder) in work.cylinders.iter().enumerate() {
        if cylinder.parent.is_some_and(|p| p > i) {
            work.ledger.note(FaultKind::Order, work.source[i], 0.0);
        }
    }
}

/// Sorts the cylinders stably so that parents come before children.
pub(super) fn parents_first(work: &mut Work) {
    if work.cylinders.iter().enumerate().all(|(i, c)| c.parent.is_none_or(|p| p < i)) {
        return;
    }
    let children = Children::new(&work.cylinders);
    let mut order: Vec<usize> = (0..work.cylinders.len()).filter(|&i| work.cylinders[i].parent.is_none()).collect();
    let mut at = 0;
    while let Some(&i) = order.get(at) {
        order.extend_from_slice(children.of(i));
        at += 1;
    }
    let mut places = vec![0; work.cylinders.len()];
    for (place, &i) in order.iter().enumerate() {
        places[i] = place;
    }
    let moved = |&i: &usize| {
        let cylinder = work.cylinders[i];
        Cylinder { parent: cylinder.parent.map(|p| places[p]), ..cylinder }
    };
    work.cylinders = order.iter().map(moved).collect();
    work.source = order.iter().map(|&i| work.source[i]).collect();
}

/// Leaves out cylinders without length.
pub(super) fn drop_points(work: &mut Work) {
    let keep: Vec<bool> = work.cylinders.iter().map(|c| c.axis().length() >= SHORTEST).collect();
    for (i, _) in keep.iter().enumerate().filter(|(_, keep)| !**keep) {
        work.ledger.note(FaultKind::NoLength, work.source[i], 0.0);
    }
    retain(work, &keep);
}
