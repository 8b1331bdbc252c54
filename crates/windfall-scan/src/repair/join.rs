//! Parts without a parent.
//!
//! The part with the most wood is the tree. Others are joined to it nearest first, as in Prim's spanning tree, each by its base; what
//! remains is a tree of its own if it stands on the ground, and is left out otherwise.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use glam::DVec3;

use super::topology::{distance, retain};
use super::{Work, usable_volume};
use crate::report::Kind;

/// A part stands on the ground if its base is not higher above that of the tree than this fraction of the tree's height.
const ON_GROUND: f64 = 0.1;
/// A tree of its own has at least this fraction of the wood of the largest.
const LEAST_TREE: f64 = 0.01;
/// Steps of the search per cylinder; wood piled up in one spot would take longer than anyone waits.
const MOST_STEPS: usize = 500;
/// Places half a cell apart are at most a quarter of one from any other of their axis; what is then within reach across it is in the cells
/// around if `(1/4)^2 + (reach / cell)^2 < 1`: a cell is this many times the reach.
const CELL: f64 = 1.04;
/// Smallest cell, m: with a short reach most cells would be empty.
const LEAST_CELL: f64 = 0.05;

/// One part: a root and all that grows on it.
struct Part {
    root: usize,
    volume: f64,
    cylinders: usize,
    joined: bool,
}

/// Joins the parts of each tree, or makes them trees, or leaves them out.
pub(super) fn join_parts(work: &mut Work, trees: &mut Vec<String>, reach: f64) {
    let (mut parts, part_of) = parts(work);
    let mut largest: Vec<Option<usize>> = vec![None; trees.len()];
    for (i, part) in parts.iter().enumerate() {
        let best = &mut largest[work.cylinders[part.root].tree as usize];
        if best.is_none_or(|b| parts[b].volume < part.volume) {
            *best = Some(i);
        }
    }
    if parts.len() > largest.iter().flatten().count() {
        let mut search = Search::new(work, &parts, &part_of, reach);
        for &main in largest.iter().flatten() {
            search.join_from(work, &mut parts, main);
        }
        stand_alone(work, &mut parts, &mut search, trees, &largest);
        let apart = trees.len() > largest.len() || parts.iter().any(|part| !part.joined);
        if search.gave_up && apart {
            work.notes.push(
                "so many loose parts lie close together that the search for their nearest wood was given up: some that were left out, or made trees, \
                 may be near to other wood. Join over a shorter distance, or give parents"
                    .to_owned(),
            );
        }
    } else {
        for part in &mut parts {
            part.joined = true;
        }
    }
    leave_out(work, &parts);
    drop_empty_trees(work, trees);
}

fn parts(work: &Work) -> (Vec<Part>, Vec<usize>) {
    let mut parts: Vec<Part> = Vec::new();
    let mut part_of: Vec<usize> = Vec::with_capacity(work.cylinders.len());
    for (i, cylinder) in work.cylinders.iter().enumerate() {
        let part = cylinder.parent.map_or(parts.len(), |p| part_of[p]);
        if cylinder.parent.is_none() {
            parts.push(Part { root: i, volume: 0.0, cylinders: 0, joined: false });
        }
        part_of.push(part);
        parts[part].cylinders += 1;
        // A radius that can't be must not make a tree of a loose cylinder. Without radii length decides.
        let volume = usable_volume(cylinder);
        let measure = if volume > 0.0 { volume } else { 1e-9 * cylinder.axis().length() };
        parts[part].volume += measure;
    }
    (parts, part_of)
}

/// What is left becomes a tree where it stands on the ground.
fn stand_alone(
    work: &mut Work,
    parts: &mut [Part],
    search: &mut Search,
    trees: &mut Vec<String>,
    largest: &[Option<usize>],
) {
    let mut left: Vec<usize> = (0..parts.len()).filter(|&i| !parts[i].joined).collect();
    left.sort_by(|&a, &b| parts[b].volume.total_cmp(&parts[a].volume).then(a.cmp(&b)));
    let mut heights: Vec<f64> = vec![f64::NEG_INFINITY; trees.len()];
    for cylinder in &work.cylinders {
        let top = &mut heights[cylinder.tree as usize];
        *top = top.max(cylinder.end.y);
    }
    for part in left {
        // A part that was joined to one of the new trees has its number.
        if parts[part].joined {
            continue;
        }
        let root = work.cylinders[parts[part].root];
        let Some(main) = largest[root.tree as usize] else { continue };
        let foot = work.cylinders[parts[main].root].start.y;
        let ground = foot + ON_GROUND * (heights[root.tree as usize] - foot);
        let stands = root.start.y <= ground && root.end.y > root.start.y;
        if !stands || parts[part].volume < LEAST_TREE * parts[main].volume {
            continue;
        }
        work.ledger.note(Kind::OwnTree, work.source[parts[part].root], 0.0);
        trees.push(format!("{} ({})", trees[root.tree as usize], trees.len() + 1));
        search.tree = Some(trees.len() as u32 - 1);
        search.join_from(work, parts, part);
    }
}

fn leave_out(work: &mut Work, parts: &[Part]) {
    if parts.iter().all(|part| part.joined) {
        return;
    }
    let mut out = vec![false; work.cylinders.len()];
    for part in parts.iter().filter(|part| !part.joined) {
        work.ledger.note(Kind::Dropped, work.source[part.root], part.cylinders as f64);
        out[part.root] = true;
    }
    // A joined part may stand before what it was joined to, but never hangs on what is left out.
    let mut keep = vec![true; work.cylinders.len()];
    for i in 0..work.cylinders.len() {
        keep[i] = !out[i] && work.cylinders[i].parent.is_none_or(|p| p > i || keep[p]);
    }
    retain(work, &keep);
}

/// Trees of which nothing is left lose their name.
fn drop_empty_trees(work: &mut Work, trees: &mut Vec<String>) {
    let mut used = vec![false; trees.len()];
    for cylinder in &work.cylinders {
        used[cylinder.tree as usize] = true;
    }
    let mut numbers = Vec::with_capacity(trees.len());
    let mut next = 0;
    for &u in &used {
        numbers.push(next);
        next += u32::from(u);
    }
    for cylinder in &mut work.cylinders {
        cylinder.tree = numbers[cylinder.tree as usize];
    }
    let mut used = used.iter();
    trees.retain(|_| *used.next().unwrap_or(&false));
}

/// Finds loose parts near to wood that is already joined.
struct Search {
    /// Side of a cell, m.
    cell: f64,
    /// Loose parts by the cell of their base and their tree.
    cells: HashMap<(u32, [i64; 3]), Vec<usize>>,
    /// The cylinders of each part, grouped.
    members: Vec<Vec<usize>>,
    steps_left: usize,
    /// Whether these were too few.
    gave_up: bool,
    /// How many parts are not joined yet.
    loose: usize,
    /// How near the nearest wood is that was found for each part, m.
    nearest: Vec<f64>,
    /// The number of the tree that parts are joined to, if it is not their own.
    tree: Option<u32>,
}

impl Search {
    fn new(work: &Work, parts: &[Part], part_of: &[usize], reach: f64) -> Self {
        let cell = (CELL * reach).max(LEAST_CELL);
        let mut cells: HashMap<(u32, [i64; 3]), Vec<usize>> = HashMap::new();
        for (i, part) in parts.iter().enumerate() {
            let root = &work.cylinders[part.root];
            cells.entry((root.tree, cell_of(root.start, cell))).or_default().push(i);
        }
        let mut members = vec![Vec::new(); parts.len()];
        for (cylinder, &part) in part_of.iter().enumerate() {
            members[part].push(cylinder);
        }
        let steps_left = MOST_STEPS * work.cylinders.len() + 1_000_000;
        // Just above the reach, so that what lies at it counts.
        let nearest = vec![reach.next_up(); parts.len()];
        Self { cell, cells, members, steps_left, gave_up: false, loose: parts.len(), nearest, tree: None }
    }

    /// Joins to this part whatever can be reached from it.
    fn join_from(&mut self, work: &mut Work, parts: &mut [Part], main: usize) {
        // Distances are not negative: their bits sort as they do.
        let mut near: BinaryHeap<Reverse<(u64, usize, usize)>> = BinaryHeap::new();
        let own = work.cylinders[parts[main].root].tree;
        self.take(work, parts, main, own, &mut near);
        while let Some(Reverse((bits, part, on))) = near.pop() {
            if parts[part].joined {
                continue;
            }
            let root = parts[part].root;
            work.ledger.note(Kind::LoosePart, work.source[root], f64::from_bits(bits));
            work.cylinders[root].parent = Some(on);
            work.cylinders[root].continues = None;
            self.take(work, parts, part, own, &mut near);
        }
    }

    /// Marks a part as joined and looks for loose ones around it.
    fn take(
        &mut self,
        work: &mut Work,
        parts: &mut [Part],
        part: usize,
        own: u32,
        near: &mut BinaryHeap<Reverse<(u64, usize, usize)>>,
    ) {
        parts[part].joined = true;
        self.loose -= 1;
        for member in std::mem::take(&mut self.members[part]) {
            self.look_around(work, parts, member, own, near);
            if let Some(tree) = self.tree {
                work.cylinders[member].tree = tree;
            }
        }
    }

    /// Looks for loose parts around a cylinder.
    fn look_around(
        &mut self,
        work: &Work,
        parts: &[Part],
        member: usize,
        own: u32,
        near: &mut BinaryHeap<Reverse<(u64, usize, usize)>>,
    ) {
        if self.loose == 0 {
            return;
        }
        let cylinder = work.cylinders[member];
        let steps = (2.0 * cylinder.axis().length() / self.cell).ceil().max(1.0) as usize;
        let mut before = None;
        for step in 0..=steps {
            if self.steps_left == 0 {
                self.gave_up = true;
                return;
            }
            self.steps_left -= 1;
            let at = cell_of(cylinder.start + cylinder.axis() * (step as f64 / steps as f64), self.cell);
            if before.replace(at) == Some(at) {
                continue;
            }
            let [x, y, z] = at;
            for (dx, dy, dz) in AROUND {
                self.steps_left = self.steps_left.saturating_sub(1);
                let Some(list) = self.cells.get_mut(&(own, [x + dx, y + dy, z + dz])) else { continue };
                self.steps_left = self.steps_left.saturating_sub(list.len());
                list.retain(|&other| !parts[other].joined);
                for &other in list.iter() {
                    let gap = distance(work.cylinders[parts[other].root].start, &cylinder);
                    if gap < self.nearest[other] {
                        self.nearest[other] = gap;
                        near.push(Reverse((gap.to_bits(), other, member)));
                    }
                }
            }
        }
    }
}

/// The cells around a cell, and itself.
const AROUND: [(i64, i64, i64); 27] = {
    let mut list = [(0, 0, 0); 27];
    let mut i = 0;
    while i < 27 {
        list[i as usize] = (i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
        i += 1;
    }
    list
};

fn cell_of(place: DVec3, cell: f64) -> [i64; 3] {
    (place / cell).to_array().map(|v| v.floor() as i64)
}
