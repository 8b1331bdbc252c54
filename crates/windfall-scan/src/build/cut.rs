//! Pieces of the right length: what is shorter than half its radius is merged, what is long is cut. The branch keeps its volume.

use glam::DVec3;

use super::line::{Line, radius_factor};
use crate::cylinder::frustum_volume;
use crate::repair::{SHORTEST, THINNEST};
use crate::report::{Kind, Ledger};

/// A piece is not shorter than this many radii.
const SHORTEST_IN_RADII: f64 = 0.5;
/// A piece is not longer than this many radii, so that twigs bend,
const LONGEST_IN_RADII: f64 = 40.0;
/// unless it is shorter than this, m.
const SHORT_ENOUGH: f64 = 0.05;
/// Most pieces that one is cut into.
const MOST_PIECES: f64 = 20.0;

/// Between two segments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) position: DVec3,
    pub(super) radius: f64,
    /// From the beginning of the branch along its line, m.
    pub(super) arc: f64,
}

/// The nodes of a branch, at least two.
pub(super) fn nodes(line: &Line, longest: f64, source: usize, ledger: &mut Ledger) -> Vec<Node> {
    let kept = merged(line, source, ledger);
    let mut nodes = vec![kept[0]];
    for pair in kept.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let length = a.position.distance(b.position);
        let most = longest.min((LONGEST_IN_RADII * 0.5 * (a.radius + b.radius)).max(SHORT_ENOUGH));
        // The slack keeps a length that is an exact multiple from gaining a piece by rounding.
        let pieces = (length / most - 1e-9).ceil().clamp(1.0, MOST_PIECES);
        if pieces > 1.0 {
            ledger.note(Kind::Long, source, length);
        }
        nodes.extend((1..pieces as usize).map(|k| {
            let u = k as f64 / pieces;
            Node {
                position: a.position.lerp(b.position, u),
                radius: a.radius + (b.radius - a.radius) * u,
                arc: a.arc + (b.arc - a.arc) * u,
            }
        }));
        nodes.push(b);
    }
    nodes
}

/// Points that are far enough from each other.
fn merged(line: &Line, source: usize, ledger: &mut Ledger) -> Vec<Node> {
    let all: Vec<Node> = (0..line.points.len())
        .map(|k| Node { position: line.points[k], radius: line.knots[k], arc: line.arcs[k] })
        .collect();
    let apart = |a: &Node, b: &Node| {
        a.position.distance(b.position) >= SHORTEST.max(SHORTEST_IN_RADII * 0.5 * (a.radius + b.radius))
    };
    let mut kept = vec![all[0]];
    let last = all[all.len() - 1];
    for node in &all[1..all.len() - 1] {
        if apart(&kept[kept.len() - 1], node) {
            kept.push(*node);
        }
    }
    while kept.len() > 1 && !apart(&kept[kept.len() - 1], &last) {
        kept.pop();
    }
    kept.push(last);
    if kept.len() == 2 && kept[0].position.distance(last.position) < 0.1 * SHORTEST {
        // A branch that comes back to where it began ends where it is farthest.
        let far = |node: &Node| node.position.distance(kept[0].position);
        if let Some(&farthest) = all.iter().max_by(|a, b| far(a).total_cmp(&far(b))) {
            kept[1] = farthest;
        }
    }
    if kept.len() < all.len() {
        // A thick beginning that is too short would otherwise make all of the next piece thicker.
        let factor = radius_factor(volume(&all), volume(&kept));
        for node in &mut kept {
            node.radius = (node.radius * factor).max(THINNEST);
        }
    }
    for _ in kept.len()..all.len() {
        ledger.note(Kind::Short, source, 0.0);
    }
    kept
}

/// Volume of the wood between nodes, m³.
fn volume(nodes: &[Node]) -> f64 {
    let between =
        |pair: &[Node]| frustum_volume(pair[0].radius, pair[1].radius, pair[0].position.distance(pair[1].position));
    nodes.windows(2).map(between).sum()
}
