//! The base of a branch on its parent.
//!
//! A branch begins slightly below the bark, as in grown trees: no wood is counted twice, and none is
//! missing.

use glam::DVec3;

use super::line::{Line, ROUNDING};
use crate::repair::SHORTEST;
use crate::report::{FaultKind, Ledger};

/// Distance of a branch's base from the axis of its parent, as a fraction of the parent's radius.
const SUNK: f64 = 0.75;
/// Largest length cut off a branch that leaves its parent at an acute angle, in radii of the parent,
const MOST_CUT: f64 = 2.5;
/// and as a fraction of the branch.
const MOST_CUT_PART: f64 = 0.6;

/// Moves the base of a branch to the bark of a piece of its parent; returns the arc length of the parent
/// at the base, m.
pub(super) fn begin_at_bark(line: &mut Line, parent: &Line, piece: usize, source: usize, ledger: &mut Ledger) -> f64 {
    let (a, b) = (parent.points[piece], parent.points[piece + 1]);
    let along = b - a;
    let start = line.points[0];
    let u = ((start - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    let axis = a + along * u;
    let radius = parent.knots[piece] + (parent.knots[piece + 1] - parent.knots[piece]) * u;
    let away = start.distance(axis);
    if away > SUNK * radius {
        if away - radius > ROUNDING.max(0.1 * radius) {
            ledger.note(FaultKind::SideGap, source, away - radius);
        }
        let bark = axis + (start - axis) * (SUNK * radius / away);
        if bark.distance(line.points[1]) >= SHORTEST {
            line.points[0] = bark;
        }
    } else {
        let cut = cut_inside(line, axis, along.normalize_or_zero(), SUNK * radius, MOST_CUT * radius);
        if cut > ROUNDING {
            ledger.note(FaultKind::Inside, source, cut);
        }
    }
    parent.arcs[piece] + u * along.length()
}

/// Cuts off the part within `depth` of the line through `axis`, at most `most`; returns the length cut
/// off, m.
fn cut_inside(line: &mut Line, axis: DVec3, direction: DVec3, depth: f64, most: f64) -> f64 {
    let across = |v: DVec3| v - direction * v.dot(direction);
    let total: f64 = (0..line.radii.len()).map(|k| line.length(k)).sum();
    let most = most.min(MOST_CUT_PART * total);
    let mut passed = 0.0;
    for piece in 0..line.radii.len() {
        let (from, to) = (line.points[piece], line.points[piece + 1]);
        let length = from.distance(to);
        // Exit point of the piece from the cylinder: |w + s v|^2 = depth^2.
        let (w, v) = (across(from - axis), across(to - from));
        let (aa, bb, cc) = (v.length_squared(), w.dot(v), w.length_squared() - depth * depth);
        let root = if aa > 0.0 { (-bb + (bb * bb - aa * cc).max(0.0).sqrt()) / aa } else { f64::INFINITY };
        let allowed = (most - passed) / length;
        let s = root.min(allowed).max(0.0);
        if s <= 1.0 {
            begin_within(line, piece, s);
            return passed + s * length;
        }
        passed += length;
    }
    0.0
}

/// Moves the beginning of the line into this piece.
fn begin_within(line: &mut Line, piece: usize, s: f64) {
    let (from, to) = (line.points[piece], line.points[piece + 1]);
    let begin = from.lerp(to, s);
    // If the rest of a piece is too short, it is removed with the part that is cut off.
    let short = begin.distance(to) < SHORTEST && piece + 1 < line.radii.len();
    let gone = if short { piece + 1 } else { piece };
    if !short && begin.distance(to) >= 0.1 * SHORTEST {
        line.points[piece] = begin;
        let (base, tip) = line.radii[piece];
        line.radii[piece].0 = base + (tip - base) * s;
    }
    line.points.drain(..gone);
    line.radii.drain(..gone);
    for place in &mut line.piece_of {
        *place = place.saturating_sub(gone);
    }
}
