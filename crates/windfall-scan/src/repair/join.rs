//! Joining of parts without a parent.
//!
//! The part with the most wood is the tree, or the part below it is: the foot below a hole in a trunk.
//! Others are joined to it in order of distance, as in Prim's spanning tree, each by its base: nearest
//! to the bark, and among wood that touches or contains the base, nearest to the axis. A remaining part
//! is a tree of its own if it stands on the ground, and is left out otherwise.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use glam::DVec3;

use super::topology::{distance, retain};
use super::{Work, usable_radius, usable_volume};
use crate::cylinder::Cylinder;
use crate::report::FaultKind;

/// Largest height of a part's base on the ground above the base of the tree, as a fraction of the tree's
/// height.
const ON_GROUND: f64 = 0.1;
/// Least wood of a separate tree, as a fraction of that of the largest.
const LEAST_TREE: f64 = 0.01;
/// Steps of the search per cylinder; wood piled up in one spot would take too long.
const MOST_STEPS: usize = 500;
/// Largest radius of wood for which only adjacent cells are searched, m; around thicker wood more cells
/// are.
const THIN: f64 = 0.05;
/// Sample points half a cell apart are at most a quarter of a cell from any other point of their axis.
/// All points within reach across the axis are in the adjacent cells if
/// `(1/4)^2 + (reach / cell)^2 < 1`: a cell is this many times the reach from the axis of thin wood.
const CELL: f64 = 1.04;
/// Radii are not repaired yet: a larger ratio to the parent's radius than this is not plausible.
const MOST_THICKENING: f64 = 1.5;

/// Ratio of radii: wood carries parts up to its own radius over this.
const CARRIES: f64 = 0.5;
/// The search for each part of a trunk below the largest one visits all wood: limit of the visited
/// cylinders, in files of usual size.
const MOST_LOOKS: usize = 20_000_000;

/// Number of loose parts near wood above which they are filtered.
const MOST_NEAR: usize = 100_000;

/// One part: a root and its whole subtree.
struct Part {
    root: usize,
    volume: f64,
    cylinders: usize,
    joined: bool,
}

/// Distance of a base from the bark and from the axis of wood, m, as bits: the bits of non-negative
/// numbers sort as the numbers do.
type Gap = [u64; 2];

/// Loose parts with nearby wood, nearest first.
type Near = BinaryHeap<Reverse<(Gap, usize, usize)>>;

/// Joins the parts of each tree, makes them separate trees, or leaves them out.
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
        let mut search = Search::new(work, &parts, &part_of, trees.len(), reach);
        for main in largest.iter_mut().flatten() {
            *main = search.foot(work, &mut parts, *main);
            search.join_from(work, &mut parts, *main);
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
        // An implausible radius must not make a tree of a loose cylinder. Without radii length decides.
        let volume = usable_volume(cylinder);
        let measure = if volume > 0.0 { volume } else { 1e-9 * cylinder.axis().length() };
        parts[part].volume += measure;
    }
    (parts, part_of)
}

/// Makes remaining parts that stand on the ground trees of their own.
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
        work.ledger.note(FaultKind::OwnTree, work.source[parts[part].root], 0.0);
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
        work.ledger.note(FaultKind::Dropped, work.source[part.root], part.cylinders as f64);
        out[part.root] = true;
    }
    // A joined part may precede its parent in the list, but its parent is never left out.
    let mut keep = vec![true; work.cylinders.len()];
    for i in 0..work.cylinders.len() {
        keep[i] = !out[i] && work.cylinders[i].parent.is_none_or(|p| p > i || keep[p]);
    }
    retain(work, &keep);
}

/// Removes the names of trees without cylinders.
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

/// Search for loose parts near wood that is already joined.
struct Search {
    /// Largest distance from the bark for a join, m.
    reach: f64,
    /// Side of a cell, m.
    cell: f64,
    /// Loose parts by the cell of their base and their tree.
    cells: HashMap<(u32, [i64; 3]), Vec<usize>>,
    /// The cylinders of each part, grouped.
    members: Vec<Vec<usize>>,
    steps_left: usize,
    /// Whether the steps were exhausted.
    gave_up: bool,
    /// Number of parts of each tree that are not joined yet,
    loose: Vec<usize>,
    /// and their indices; some of them may be joined by now.
    left: Vec<Vec<usize>>,
    /// Distance of the nearest wood found so far for each part.
    nearest: Vec<Gap>,
    /// The number of the tree that parts are joined to, if it is not their own.
    tree: Option<u32>,
}

impl Search {
    fn new(work: &Work, parts: &[Part], part_of: &[usize], trees: usize, reach: f64) -> Self {
        let cell = CELL * (reach + THIN);
        let mut left = vec![Vec::new(); trees];
        let mut cells: HashMap<(u32, [i64; 3]), Vec<usize>> = HashMap::new();
        for (i, part) in parts.iter().enumerate() {
            let root = &work.cylinders[part.root];
            cells.entry((root.tree, cell_of(root.start, cell))).or_default().push(i);
            left[root.tree as usize].push(i);
        }
        let mut members = vec![Vec::new(); parts.len()];
        for (cylinder, &part) in part_of.iter().enumerate() {
            members[part].push(cylinder);
        }
        let steps_left = MOST_STEPS * work.cylinders.len() + 1_000_000;
        // Just above the reach, so that a base at this distance counts.
        let nearest = vec![[reach.next_up().to_bits(), 0]; parts.len()];
        let loose = left.iter().map(Vec::len).collect();
        Self { reach, cell, cells, members, steps_left, gave_up: false, loose, left, nearest, tree: None }
    }

    /// The part at the foot of the trunk that this one is a piece of; itself if no part is below it.
    fn foot(&self, work: &Work, parts: &mut [Part], mut main: usize) -> usize {
        for _ in 0..(MOST_LOOKS / work.cylinders.len()).clamp(20, 1000) {
            let Some(below) = self.below(work, parts, main) else { break };
            // The two parts will be joined.
            parts[below].volume += parts[main].volume;
            main = below;
        }
        main
    }

    /// The part that begins lower, ends at the beginning of this one, and is thick enough to carry it;
    /// the nearest of these.
    fn below(&self, work: &Work, parts: &[Part], main: usize) -> Option<usize> {
        let root = work.cylinders[parts[main].root];
        let lower = |&&part: &&usize| work.cylinders[parts[part].root].start.y < root.start.y;
        let others = self.left[root.tree as usize].iter().filter(lower);
        let wood = others.flat_map(|&part| self.members[part].iter().map(move |&member| (part, member)));
        let gap = |(part, member): (usize, usize)| {
            let (on, thick) = (&work.cylinders[member], thickness(work, member));
            // A part at the lower half of another stem stands beside it.
            let at_tip = (root.start - on.start).dot(on.axis()) > 0.5 * on.axis().length_squared();
            let carries = usable_radius(&root).is_none_or(|radius| thick >= CARRIES * radius);
            let gap = from_bark(root.start, on, thick);
            (at_tip && carries && gap <= self.reach).then(|| ([gap, distance(root.start, on)].map(f64::to_bits), part))
        };
        wood.filter_map(gap).min().map(|(_, part)| part)
    }

    /// Joins all parts within reach of this part, directly or through others.
    fn join_from(&mut self, work: &mut Work, parts: &mut [Part], main: usize) {
        let mut near = Near::new();
        let mut most = MOST_NEAR;
        let own = work.cylinders[parts[main].root].tree;
        self.take(work, parts, main, own, &mut near);
        while let Some(Reverse(([gap, _], part, on))) = near.pop() {
            if parts[part].joined {
                continue;
            }
            let root = parts[part].root;
            work.ledger.note(FaultKind::LoosePart, work.source[root], f64::from_bits(gap));
            work.cylinders[root].parent = Some(on);
            work.cylinders[root].continues = None;
            self.take(work, parts, part, own, &mut near);
            if near.len() > most {
                // Nearer wood replaces earlier candidates, which stay in the heap: filter them out.
                near.retain(|Reverse((gap, part, _))| !parts[*part].joined && *gap == self.nearest[*part]);
                most = MOST_NEAR.max(2 * near.len());
            }
        }
    }

    /// Marks a part as joined and searches for loose ones around it.
    fn take(&mut self, work: &mut Work, parts: &mut [Part], part: usize, own: u32, near: &mut Near) {
        parts[part].joined = true;
        self.loose[own as usize] -= 1;
        for member in std::mem::take(&mut self.members[part]) {
            self.look_around(work, parts, member, own, near);
            if let Some(tree) = self.tree {
                work.cylinders[member].tree = tree;
            }
        }
    }

    /// Searches for loose parts around a cylinder.
    fn look_around(&mut self, work: &Work, parts: &[Part], member: usize, own: u32, near: &mut Near) {
        let loose = self.loose[own as usize];
        if loose == 0 {
            return;
        }
        if self.steps_left == 0 {
            self.gave_up = true;
            return;
        }
        let cylinder = work.cylinders[member];
        let thick = thickness(work, member);
        let nearest = &mut self.nearest;
        let mut look_at = |other: usize| {
            let base = work.cylinders[parts[other].root].start;
            let gap = [from_bark(base, &cylinder, thick), distance(base, &cylinder)].map(f64::to_bits);
            if gap < nearest[other] {
                nearest[other] = gap;
                near.push(Reverse((gap, other, member)));
            }
        };
        let across = (self.reach + thick) / self.cell;
        let around = (across * across + 0.0625).sqrt().ceil() as i64;
        // With fewer parts than cells, all parts are tested.
        if loose as i64 <= (2 * around + 1).pow(3) {
            let left = &mut self.left[own as usize];
            self.steps_left = self.steps_left.saturating_sub(left.len());
            left.retain(|&other| !parts[other].joined);
            for &other in left.iter() {
                look_at(other);
            }
            return;
        }
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
            for cell in cells_around(at, around) {
                self.steps_left = self.steps_left.saturating_sub(1);
                let Some(list) = self.cells.get_mut(&(own, cell)) else { continue };
                self.steps_left = self.steps_left.saturating_sub(list.len());
                list.retain(|&other| !parts[other].joined);
                for &other in list.iter() {
                    look_at(other);
                }
            }
        }
    }
}

/// Radius of a cylinder, m; zero where it is unknown.
fn thickness(work: &Work, cylinder: usize) -> f64 {
    let of = |i: usize| usable_radius(&work.cylinders[i]);
    let below = work.cylinders[cylinder].parent.and_then(of);
    of(cylinder).map_or(0.0, |own| below.map_or(own, |below| own.min(MOST_THICKENING * below)))
}

/// Distance of a base from a cylinder with flat ends, m; zero inside.
fn from_bark(base: DVec3, on: &Cylinder, radius: f64) -> f64 {
    let length = on.axis().length();
    let direction = on.axis() / length;
    let along = (base - on.start).dot(direction);
    let beyond = (along - length).max(-along).max(0.0);
    let outside = ((base - on.start - direction * along).length() - radius).max(0.0);
    (beyond * beyond + outside * outside).sqrt()
}

/// The cells within this distance from a cell, including itself.
fn cells_around([x, y, z]: [i64; 3], around: i64) -> impl Iterator<Item = [i64; 3]> {
    let along = move |middle: i64| middle - around..=middle + around;
    along(x).flat_map(move |x| along(y).flat_map(move |y| along(z).map(move |z| [x, y, z])))
}

fn cell_of(place: DVec3, cell: f64) -> [i64; 3] {
    // Beyond that the precision of f64 does not distinguish cells.
    (place / cell).to_array().map(|v| v.floor().clamp(-1e17, 1e17) as i64)
}
