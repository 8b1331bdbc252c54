//! Division of a branch into pieces of suitable length: pieces shorter than half their radius are
//! merged, long ones are cut. The branch keeps its volume.

use glam::DVec3;

use super::line::{Line, radius_factor};
use crate::cylinder::frustum_volume;
use crate::repair::{SHORTEST, THINNEST};
use crate::report::{FaultKind, Ledger};

/// Least length of a piece, in radii.
const SHORTEST_IN_RADII: f64 = 0.5;
/// Largest length of a piece, in radii, so that twigs bend,
const LONGEST_IN_RADII: f64 = 40.0;
/// unless it is shorter than this, m.
const SHORT_ENOUGH: f64 = 0.05;
/// Largest number of parts of a piece.
const MOST_PIECES: f64 = 20.0;

/// End of a segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) position: DVec3,
    pub(super) radius: f64,
    /// Arc length from the beginning of the branch, m.
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
        // The slack: rounding must not add a piece to a length that is an exact multiple.
        let pieces = (length / most - 1e-9).ceil().clamp(1.0, MOST_PIECES);
        if pieces > 1.0 {
            ledger.note(FaultKind::Long, source, length);
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

/// The points without those that are too near to the previous one.
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
        // The tip of a branch that returns to its beginning is its farthest point.
        let far = |node: &Node| node.position.distance(kept[0].position);
        if let Some(&farthest) = all.iter().max_by(|a, b| far(a).total_cmp(&far(b))) {
            kept[1] = farthest;
        }
    }
    if kept.len() < all.len() {
        // Otherwise a thick, very short first piece would make the whole next piece thicker.
        let factor = radius_factor(volume(&all), volume(&kept));
        for node in &mut kept {
            node.radius = (node.radius * factor).max(THINNEST);
        }
    }
    for _ in kept.len()..all.len() {
        ledger.note(FaultKind::Short, source, 0.0);
    }
    kept
}

/// Volume of the wood between nodes, m³.
fn volume(nodes: &[Node]) -> f64 {
    let between =
        |pair: &[Node]| frustum_volume(pair[0].radius, pair[1].radius, pair[0].position.distance(pair[1].position));
    nodes.windows(2).map(between).sum()
}
