//! The algorithm: attraction points in a grid of cells, nodes that grow towards them, and the stems made
//! of the nodes.

use glam::{DVec3, IVec3};

use super::CrownProfile;
use crate::skeleton::{Skeleton, Stem};
use windfall_core::random::Stream;

/// Distances in units of the spacing of points.
const INFLUENCE: f64 = 2.8;
const KILL: f64 = 0.9;
const STEP: f64 = 0.45;
/// Upward bias of growth.
const UPWARD: f64 = 0.12;
/// Largest number of children of a node. A node with more would only oscillate between its points.
const MOST_CHILDREN: u8 = 4;
/// Number of unreached points to test when growth has stopped short of them.
const LOST_LOOKED_AT: usize = 32;

#[derive(Clone, Copy)]
struct Node {
    position: DVec3,
    parent: u32,
    children: u8,
}

#[derive(Clone, Copy)]
struct Point {
    position: DVec3,
    /// Square of the distance to the nearest node within the influence distance, m².
    distance_squared: f64,
    nearest: u32,
}

const NONE: u32 = u32::MAX;

/// Grows a skeleton with its foot at the origin from this number of attraction points.
pub(super) fn grow(crown: &CrownProfile, points: usize, shoot: f64, stream: &Stream) -> Skeleton {
    let spacing = crown.spacing(points);
    let mut stream = stream.fork(points as u64);
    let mut field = Field::scatter(crown, points, spacing, &mut stream);
    let mut nodes = trunk(crown, STEP * spacing, &mut stream);
    for (i, node) in nodes.iter().enumerate() {
        field.add_node(i as u32, node.position);
    }
    let mut pulls = Pulls::default();
    loop {
        let before = nodes.len();
        field.pull(&nodes, &mut pulls);
        for (node, pull) in pulls.drain() {
            let jitter = DVec3::new(stream.around(0.1), stream.around(0.1), stream.around(0.1));
            sprout(&mut nodes, node, pull + DVec3::Y * UPWARD + jitter, STEP * spacing);
        }
        if nodes.len() == before {
            // A neck or gap may separate points from the tree: growth bridges it to the nearest of them.
            let Some((node, point)) = field.nearest_lost(&nodes) else { break };
            bridge(&mut nodes, node, point, STEP * spacing);
        }
        if nodes.len() == before {
            break;
        }
        for (i, node) in nodes.iter().enumerate().skip(before) {
            field.add_node(i as u32, node.position);
        }
    }
    smooth(&mut nodes);
    stems(&nodes, shoot, &stream)
}

/// Grows a new node on a node, unless that has the largest number of children.
fn sprout(nodes: &mut Vec<Node>, from: u32, direction: DVec3, step: f64) {
    let parent = &mut nodes[from as usize];
    if parent.children < MOST_CHILDREN {
        parent.children += 1;
        let position = parent.position + direction.normalize_or(DVec3::Y) * step;
        nodes.push(Node { position, parent: from, children: 0 });
    }
}

/// Grows a straight line from a node to a point.
fn bridge(nodes: &mut Vec<Node>, from: u32, to: DVec3, step: f64) {
    let mut at = from;
    let distance = nodes[from as usize].position.distance(to);
    for _ in 0..(distance / step).ceil() as usize {
        let before = nodes.len();
        sprout(nodes, at, to - nodes[at as usize].position, step);
        if nodes.len() == before {
            return;
        }
        at = before as u32;
    }
}

/// The trunk up to the crown, straight except for a small random deviation.
fn trunk(crown: &CrownProfile, step: f64, stream: &mut Stream) -> Vec<Node> {
    // It ends slightly inside the crown, where the points take over; a crown on the ground still gets a
    // stump.
    let height = crown.bottom() + 0.12 * (crown.top() - crown.bottom());
    let count = (height / step).ceil().clamp(2.0, 24.0) as usize;
    let mut position = DVec3::ZERO;
    let mut nodes = vec![Node { position, parent: NONE, children: 1 }];
    for i in 0..count {
        let lean = DVec3::new(stream.around(0.06), 1.0, stream.around(0.06)).normalize();
        position += lean * (height / count as f64);
        nodes.push(Node { position, parent: i as u32, children: u8::from(i + 1 < count) });
    }
    nodes
}

/// Sums of the directions that attract nodes in one round.
#[derive(Default)]
struct Pulls {
    sums: Vec<(DVec3, u32)>,
    /// Attracted nodes, in the order of their first point.
    touched: Vec<u32>,
}

impl Pulls {
    fn add(&mut self, node: u32, direction: DVec3) {
        let sum = &mut self.sums[node as usize];
        if sum.1 == 0 {
            self.touched.push(node);
        }
        sum.0 += direction;
        sum.1 += 1;
    }

    /// Removes and returns the attracted nodes with their mean directions.
    fn drain(&mut self) -> impl Iterator<Item = (u32, DVec3)> {
        self.touched.drain(..).map(|node| {
            let (sum, count) = std::mem::take(&mut self.sums[node as usize]);
            (node, sum / f64::from(count))
        })
    }
}

/// Unreached attraction points, sorted into cells.
struct Field {
    cells: Vec<Vec<Point>>,
    /// Cells with points that have a nearest node, and a flag per cell for them.
    active: Vec<u32>,
    is_active: Vec<bool>,
    origin: DVec3,
    size: IVec3,
    cell: f64,
    /// Range of influence of a node in cells, to each side.
    reach: i32,
    influence: f64,
    kill: f64,
}

impl Field {
    fn scatter(crown: &CrownProfile, count: usize, spacing: f64, stream: &mut Stream) -> Self {
        let influence = INFLUENCE * spacing;
        let points: Vec<DVec3> = (0..count).map(|_| crown.sample(stream)).collect();
        let (mut low, mut high) = (points[0], points[0]);
        for &p in &points {
            low = low.min(p);
            high = high.max(p);
        }
        let cell = cell_size(high - low, 0.5 * influence, count);
        let size = ((high - low) / cell).floor().as_ivec3() + IVec3::ONE;
        let cells = vec![Vec::new(); size.x as usize * size.y as usize * size.z as usize];
        let mut field = Self {
            is_active: vec![false; cells.len()],
            cells,
            active: Vec::new(),
            origin: low,
            size,
            cell,
            reach: (influence / cell).ceil() as i32,
            influence,
            kill: KILL * spacing,
        };
        for position in points {
            let index = field.index(field.cell_of(position));
            field.cells[index].push(Point { position, distance_squared: influence * influence, nearest: NONE });
        }
        field
    }

    fn cell_of(&self, position: DVec3) -> IVec3 {
        ((position - self.origin) / self.cell).floor().as_ivec3()
    }

    fn index(&self, at: IVec3) -> usize {
        (at.x as usize * self.size.y as usize + at.y as usize) * self.size.z as usize + at.z as usize
    }

    /// Updates the nearest node of the points around a new node, and removes the points that it has
    /// reached.
    fn add_node(&mut self, node: u32, position: DVec3) {
        let at = self.cell_of(position);
        let low = (at - IVec3::splat(self.reach)).max(IVec3::ZERO);
        let high = (at + IVec3::splat(self.reach)).min(self.size - IVec3::ONE);
        let (influence, kill) = (self.influence * self.influence, self.kill * self.kill);
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                for z in low.z..=high.z {
                    let corner = self.origin + IVec3::new(x, y, z).as_dvec3() * self.cell;
                    let nearest_in_cell = position.clamp(corner, corner + DVec3::splat(self.cell));
                    let index = self.index(IVec3::new(x, y, z));
                    if self.cells[index].is_empty() || nearest_in_cell.distance_squared(position) > influence {
                        continue;
                    }
                    if !self.is_active[index] {
                        self.is_active[index] = true;
                        self.active.push(index as u32);
                    }
                    self.cells[index].retain_mut(|point| {
                        let distance = point.position.distance_squared(position);
                        if distance < point.distance_squared {
                            point.nearest = node;
                            point.distance_squared = distance;
                        }
                        distance >= kill
                    });
                }
            }
        }
    }

    /// Sums, for each node, the directions to its points.
    fn pull(&mut self, nodes: &[Node], pulls: &mut Pulls) {
        pulls.sums.resize(nodes.len(), (DVec3::ZERO, 0));
        self.active.retain(|&cell| !self.cells[cell as usize].is_empty());
        let points = self.active.iter().flat_map(|&cell| &self.cells[cell as usize]);
        for point in points.filter(|point| point.nearest != NONE) {
            let from = nodes[point.nearest as usize].position;
            pulls.add(point.nearest, (point.position - from).normalize_or_zero());
        }
    }

    /// Among some points beyond the influence of all nodes, the one nearest to a node that can still
    /// grow, with that node.
    fn nearest_lost(&self, nodes: &[Node]) -> Option<(u32, DVec3)> {
        let lost = self.cells.iter().flatten().filter(|p| p.nearest == NONE).take(LOST_LOOKED_AT);
        let mut nearest: Option<(f64, u32, DVec3)> = None;
        for point in lost {
            for (i, node) in nodes.iter().enumerate().filter(|(_, node)| node.children < MOST_CHILDREN) {
                let distance = node.position.distance_squared(point.position);
                if nearest.is_none_or(|n| distance < n.0) {
                    nearest = Some((distance, i as u32, point.position));
                }
            }
        }
        nearest.map(|(_, node, point)| (node, point))
    }
}

/// The given size of a cell, or a larger one where that would make many more cells than points.
fn cell_size(extent: DVec3, wanted: f64, points: usize) -> f64 {
    let mut cell = wanted;
    let cells = |cell: f64| ((extent / cell).floor() + DVec3::ONE).element_product();
    while cells(cell) > 8.0 * points as f64 + 1000.0 {
        cell *= 1.5;
    }
    cell
}

/// Moves every inner node halfway to the mean of its parent and its children.
fn smooth(nodes: &mut [Node]) {
    for _ in 0..2 {
        let mut children = vec![(DVec3::ZERO, 0_u32); nodes.len()];
        for node in nodes.iter() {
            if node.parent != NONE {
                let sum = &mut children[node.parent as usize];
                sum.0 += node.position;
                sum.1 += 1;
            }
        }
        let old: Vec<DVec3> = nodes.iter().map(|n| n.position).collect();
        for (i, node) in nodes.iter_mut().enumerate() {
            let (sum, count) = children[i];
            if node.parent != NONE && count == 1 {
                let middle = 0.5 * (old[node.parent as usize] + sum);
                node.position = 0.5 * (node.position + middle);
            }
        }
    }
}

/// Divides the tree of nodes into stems: the heaviest child continues its stem, the others begin new
/// ones.
fn stems(nodes: &[Node], shoot: f64, stream: &Stream) -> Skeleton {
    let mut weight = vec![1_u32; nodes.len()];
    for i in (1..nodes.len()).rev() {
        weight[nodes[i].parent as usize] += weight[i];
    }
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for (i, node) in nodes.iter().enumerate().skip(1) {
        children[node.parent as usize].push(i as u32);
    }
    for list in &mut children {
        list.sort_by_key(|&c| (std::cmp::Reverse(weight[c as usize]), c));
    }
    let mut skeleton = Skeleton::default();
    // Base node, first own node, parent stem with segment, order. The first shoot of the foot is the
    // trunk; others grow on its first segment.
    let mut waiting = vec![(0_u32, 1_u32, None, 0_u16)];
    let foot_shoots: Vec<u32> = children[0].iter().copied().filter(|&child| child != 1).collect();
    while let Some((base, first, parent, order)) = waiting.pop() {
        let index = skeleton.stems.len() as u32;
        let start = skeleton.nodes.len();
        if parent.is_none() {
            waiting.extend(foot_shoots.iter().map(|&shoot| (0, shoot, Some((index, 0)), 1)));
        }
        skeleton.nodes.push(nodes[base as usize].position);
        let mut at = first;
        loop {
            skeleton.nodes.push(nodes[at as usize].position);
            let segment = (skeleton.nodes.len() - start - 2) as u32;
            let list = &children[at as usize];
            for &side in list.iter().skip(1) {
                waiting.push((at, side, Some((index, segment)), order + 1));
            }
            match list.first() {
                Some(&next) => at = next,
                None => break,
            }
        }
        let mut stem = Stem {
            parent,
            order,
            at_node: parent.is_some(),
            first: start as u32,
            nodes: (skeleton.nodes.len() - start) as u32,
            leafy_from: 0.0,
            key: stream.fork(u64::from(first)).key(),
        };
        stem.leafy_from = (skeleton.length(&stem) - shoot).max(0.0);
        skeleton.stems.push(stem);
    }
    skeleton
}
