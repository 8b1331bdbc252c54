//! The centre line of a branch.

use glam::DVec3;

use crate::cylinder::frustum_volume;
use crate::repair::{SHORTEST, THINNEST, Work};
use crate::report::FaultKind;

/// Largest gap that counts as rounding, m.
pub(super) const ROUNDING: f64 = 1e-3;
/// Largest factor of the radii for the conservation of volume.
const MOST_SCALED: f64 = 1.25;

/// Points and the pieces between them.
pub(super) struct Line {
    pub(super) points: Vec<DVec3>,
    /// Radius at the base and the tip of each piece, m.
    pub(super) radii: Vec<(f64, f64)>,
    /// Piece of each cylinder; that of a neighbour if it was merged.
    pub(super) piece_of: Vec<usize>,
    /// Radius at each point, m, once the line is finished.
    pub(super) knots: Vec<f64>,
    /// Arc length from the beginning of the branch to each point, m, once the line is finished.
    pub(super) arcs: Vec<f64>,
}

impl Line {
    /// A line through the midpoints of the gaps. A cylinder that ends behind the tip of the previous one
    /// is left out.
    pub(super) fn new(work: &mut Work, members: &[usize]) -> Self {
        let first = work.cylinders[members[0]];
        let mut line = Self {
            points: vec![first.start],
            radii: Vec::new(),
            piece_of: Vec::new(),
            knots: Vec::new(),
            arcs: Vec::new(),
        };
        let ahead = ahead(work, members);
        for (n, &k) in ahead.iter().enumerate() {
            // Cylinders left out before this one belong to the previous piece.
            line.piece_of.resize(k, line.radii.len().saturating_sub(1));
            let cylinder = work.cylinders[members[k]];
            let mut tip = cylinder.end;
            if let Some(&next) = ahead.get(n + 1) {
                let next = members[next];
                let gap = tip.distance(work.cylinders[next].start);
                if gap > ROUNDING.max(0.1 * cylinder.tip_radius) {
                    work.ledger.note(FaultKind::Gap, work.source[next], gap);
                }
                tip = 0.5 * (tip + work.cylinders[next].start);
            }
            let along = tip - line.points[line.points.len() - 1];
            let forward = along.dot(cylinder.axis().normalize_or_zero());
            if forward > 0.0 && along.length() >= 0.5 * SHORTEST {
                line.points.push(tip);
                line.radii.push((cylinder.base_radius, cylinder.tip_radius));
            } else {
                work.ledger.note(FaultKind::Overlap, work.source[members[k]], forward.abs());
            }
            line.piece_of.push(line.radii.len().saturating_sub(1));
        }
        line.piece_of.resize(members.len(), line.radii.len().saturating_sub(1));
        if line.radii.is_empty() {
            line.points.push(first.end);
            line.radii.push((first.base_radius, first.tip_radius));
        }
        line
    }

    /// Length of a piece, m.
    pub(super) fn length(&self, piece: usize) -> f64 {
        self.points[piece].distance(self.points[piece + 1])
    }

    /// Makes the radius the same on both sides of each point, scaled so that the branch keeps its
    /// volume.
    pub(super) fn finish(&mut self) {
        let last = self.radii.len();
        let mut arc = 0.0;
        self.arcs = (0..=last)
            .map(|k| {
                arc += if k == 0 { 0.0 } else { self.length(k - 1) };
                arc
            })
            .collect();
        self.knots = (0..=last)
            .map(|k| match k {
                0 => self.radii[0].0,
                k if k == last => self.radii[k - 1].1,
                k => 0.5 * (self.radii[k - 1].1 + self.radii[k].0),
            })
            .collect();
        let volume = |radii: &dyn Fn(usize) -> (f64, f64)| {
            let one = |k: usize| frustum_volume(radii(k).0, radii(k).1, self.length(k));
            (0..last).map(one).sum::<f64>()
        };
        let wanted = volume(&|k| self.radii[k]);
        let smooth = volume(&|k| (self.knots[k], self.knots[k + 1]));
        let factor = radius_factor(wanted, smooth);
        for radius in &mut self.knots {
            *radius = (*radius * factor).max(THINNEST);
        }
    }
}

/// Factor of the radii that changes the second volume to the first.
pub(super) fn radius_factor(wanted: f64, found: f64) -> f64 {
    let factor = (wanted / found).sqrt();
    if factor.is_nan() { 1.0 } else { factor.clamp(1.0 / MOST_SCALED, MOST_SCALED) }
}

/// Positions of the cylinders that end ahead of the previous one; the others are recorded.
fn ahead(work: &mut Work, members: &[usize]) -> Vec<usize> {
    let mut ahead = vec![0];
    for (k, &i) in members.iter().enumerate().skip(1) {
        let cylinder = work.cylinders[i];
        let before = work.cylinders[members[ahead[ahead.len() - 1]]];
        let forward = (cylinder.end - before.end).dot(cylinder.axis().normalize_or_zero());
        if forward > 0.0 {
            ahead.push(k);
        } else {
            work.ledger.note(FaultKind::Overlap, work.source[i], -forward);
        }
    }
    ahead
}
