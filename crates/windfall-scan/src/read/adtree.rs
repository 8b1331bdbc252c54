//! Skeletons of `AdTree` (Du et al. 2019): a PLY file with vertices (`x`, `y`, `z`, `radius`) and edges
//! (`vertex_indices`).
//!
//! Edges have no direction, and every branch has its own copy of its first vertex. So coincident
//! vertices are merged, and parents are found by a traversal from the foot: the thickest vertex in the
//! lowest twentieth of the largest part, the thickest of all in parts that are not connected to it.

use std::collections::{HashMap, HashSet, VecDeque};

use glam::DVec3;

use super::{Dialect, MOST_CYLINDERS, ply};
use crate::cylinder::{Cylinder, Scan};
use crate::error::ScanError;
use crate::place::UpAxis;

const DIALECT: Dialect = Dialect::AdTree;

pub(super) fn read(bytes: &[u8], up: UpAxis) -> Result<Scan, ScanError> {
    let elements = ply::read(bytes).map_err(|reason| DIALECT.error(reason))?;
    let element = |name: &str| elements.iter().find(|e| e.name == name);
    let missing = |what: &str| DIALECT.error(format!("there are no {what}: a mesh or a point cloud is no skeleton"));
    let vertices = element("vertex").ok_or_else(|| missing("vertices"))?;
    let edges = element("edge").ok_or_else(|| missing("edges"))?;
    let column = |name: &str| vertices.column(name).ok_or_else(|| missing(&format!("vertices with {name}")));
    let (x, y, z) = (column("x")?, column("y")?, column("z")?);
    let points: Vec<DVec3> = (0..vertices.rows).map(|i| DVec3::new(x[i], y[i], z[i])).collect();
    let radius = vertices.column("radius").or_else(|| vertices.column("scalar_radius"));
    let radii = |i: usize| radius.map_or(f64::NAN, |r| r[i]);
    let ends = [("vertex_indices.0", "vertex_indices.1"), ("vertex_index.0", "vertex_index.1"), ("vertex1", "vertex2")];
    let (a, b) = ends
        .into_iter()
        .find_map(|(a, b)| edges.column(a).zip(edges.column(b)))
        .ok_or_else(|| missing("edges with vertex_indices"))?;
    if edges.rows > MOST_CYLINDERS {
        return Err(ScanError::TooMany);
    }
    let graph = Graph::new(&points, a, b);
    let mut cylinders = Vec::with_capacity(edges.rows);
    for foot in graph.feet(&points, radii, up) {
        graph.walk(foot, |from, edge, parent| {
            let tip_radius = radii(edge.own_to);
            // A branch at a fork has its own radius at the base, not that of the fork.
            let base_radius = if graph.around(from).len() > 2 { tip_radius } else { radii(edge.own_from) };
            cylinders.push(Cylinder {
                start: points[from],
                end: points[edge.to],
                base_radius,
                tip_radius,
                parent,
                continues: None,
                tree: 0,
            });
            cylinders.len() - 1
        });
    }
    let mut scan = Scan::of_one_tree(cylinders);
    let lost = edges.rows - graph.known;
    if lost > 0 {
        scan.notes.push(format!("{lost} edges name vertices that do not exist and were left out"));
    }
    let loops = graph.edge_count.saturating_sub(scan.cylinders.len());
    if loops > 0 {
        scan.notes.push(format!("{loops} edges that close a loop were left out"));
    }
    Ok(scan)
}

/// Vertices with their neighbours.
struct Graph {
    /// The first of all coincident vertices.
    same: Vec<usize>,
    /// Neighbours of vertex `i` are `neighbours[firsts[i]..firsts[i + 1]]`.
    firsts: Vec<usize>,
    neighbours: Vec<Edge>,
    edge_count: usize,
    /// Number of edges whose vertices exist, including those without length.
    known: usize,
}

/// Edge to a neighbour.
#[derive(Clone, Copy)]
struct Edge {
    to: usize,
    /// The vertices as in the file; others may coincide with them and have another radius.
    own_from: usize,
    own_to: usize,
}

impl Graph {
    fn new(points: &[DVec3], a: &[f64], b: &[f64]) -> Self {
        let mut seen: HashMap<[u64; 3], usize> = HashMap::with_capacity(points.len());
        let same: Vec<usize> = points
            .iter()
            .enumerate()
            // Adding zero makes -0 and 0 the same coordinate.
            .map(|(i, p)| *seen.entry(p.to_array().map(|v| (v + 0.0).to_bits())).or_insert(i))
            .collect();
        let vertex = |v: f64| Some(v as usize).filter(|&i| v >= 0.0 && i < same.len());
        let mut pairs: Vec<(usize, usize)> = a.iter().zip(b).filter_map(|(&a, &b)| vertex(a).zip(vertex(b))).collect();
        let known = pairs.len();
        pairs.retain(|&(a, b)| same[a] != same[b]);
        let mut firsts = vec![0; points.len() + 1];
        for &(a, b) in &pairs {
            firsts[same[a] + 1] += 1;
            firsts[same[b] + 1] += 1;
        }
        for i in 0..points.len() {
            firsts[i + 1] += firsts[i];
        }
        let mut next = firsts.clone();
        let mut neighbours = vec![Edge { to: 0, own_from: 0, own_to: 0 }; 2 * pairs.len()];
        for &(a, b) in &pairs {
            for (own_from, own_to) in [(a, b), (b, a)] {
                let place = &mut next[same[own_from]];
                neighbours[*place] = Edge { to: same[own_to], own_from, own_to };
                *place += 1;
            }
        }
        Self { same, firsts, neighbours, edge_count: pairs.len(), known }
    }

    fn around(&self, vertex: usize) -> &[Edge] {
        &self.neighbours[self.firsts[vertex]..self.firsts[vertex + 1]]
    }

    /// The vertices of each connected part.
    fn parts(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.same.len()];
        let mut parts = Vec::new();
        for begin in 0..self.same.len() {
            if seen[begin] || self.same[begin] != begin || self.around(begin).is_empty() {
                continue;
            }
            let mut part = vec![begin];
            seen[begin] = true;
            let mut at = 0;
            while let Some(&vertex) = part.get(at) {
                at += 1;
                for edge in self.around(vertex) {
                    if !seen[edge.to] {
                        seen[edge.to] = true;
                        part.push(edge.to);
                    }
                }
            }
            parts.push(part);
        }
        parts
    }

    /// The first vertex of each part.
    fn feet(&self, points: &[DVec3], radii: impl Fn(usize) -> f64, up: UpAxis) -> Vec<usize> {
        let parts = self.parts();
        let largest = (0..parts.len()).rev().max_by_key(|&i| parts[i].len());
        let height = |i: usize| up.height(points[i]);
        let thick = |i: usize| if radii(i).is_nan() { 0.0 } else { radii(i) };
        let foot = |(i, part): (usize, &Vec<usize>)| {
            let low = part.iter().map(|&i| height(i)).fold(f64::INFINITY, f64::min);
            let high = part.iter().map(|&i| height(i)).fold(f64::NEG_INFINITY, f64::max);
            // A loose branch may hang, so its foot may be at any height.
            let reach = if Some(i) == largest { low + 0.05 * (high - low) } else { f64::INFINITY };
            let candidates = part.iter().copied().filter(|&i| height(i) <= reach);
            let foot = candidates.max_by(|&i, &j| thick(i).total_cmp(&thick(j)).then(height(j).total_cmp(&height(i))));
            foot.unwrap_or(part[0])
        };
        parts.iter().enumerate().map(foot).collect()
    }

    /// Visits the edges of a part from its foot outward; `visit` gets its lower end, the edge and the
    /// cylinder below, and returns the index of the new cylinder.
    fn walk(&self, foot: usize, mut visit: impl FnMut(usize, &Edge, Option<usize>) -> usize) {
        let mut seen = HashSet::from([foot]);
        let mut queue = VecDeque::from([(foot, None)]);
        while let Some((from, parent)) = queue.pop_front() {
            for edge in self.around(from) {
                if seen.insert(edge.to) {
                    let made = visit(from, edge, parent);
                    queue.push_back((edge.to, Some(made)));
                }
            }
        }
    }
}
