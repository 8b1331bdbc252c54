//! The number of columns of a tube, and the positions at which it is halved.

use super::curve::Curve;

/// Allowed numbers of columns; half of an even one above 4 is in the list too.
const COLUMNS: [u32; 9] = [3, 4, 6, 8, 12, 16, 24, 32, 48];

/// The fewest columns with flat faces within `tolerance` of a circle: the sagitta r (1 - cos(pi / n)).
pub(super) fn columns_for(radius: f32, tolerance: f32) -> u32 {
    let fits = |n: u32| radius * (1.0 - (std::f32::consts::PI / n as f32).cos()) <= tolerance;
    COLUMNS.into_iter().find(|&n| fits(n)).unwrap_or(COLUMNS[COLUMNS.len() - 1])
}

/// A part of a tube with one number of columns, m along the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Zone {
    pub from: f32,
    pub to: f32,
    pub columns: u32,
}

/// Divides a tube into zones with at least `fewest` columns. The row of triangles between two zones goes
/// from n to n/2 columns.
pub(super) fn zones(curve: &Curve, tolerance: f32, fewest: u32) -> Vec<Zone> {
    let (lengths, radii) = (curve.lengths(), curve.radii());
    // A tube that widens again (a scan, a fork) keeps its columns until then.
    let mut widest = radii.to_vec();
    for i in (0..widest.len() - 1).rev() {
        widest[i] = widest[i].max(widest[i + 1]);
    }
    let first = curve.at(curve.start()).piece;
    let mut columns = columns_for(widest[first], tolerance).max(fewest);
    let mut out = vec![Zone { from: curve.start(), to: curve.length(), columns }];
    for i in first + 1..lengths.len() - 1 {
        let zone = out.len() - 1;
        let half = columns / 2;
        if columns >= 6 && half >= fewest && columns_for(widest[i], tolerance) <= half && lengths[i] > out[zone].from {
            columns = half;
            let gap = (0.5 * (lengths[i + 1] - lengths[i])).min(radii[i]);
            out[zone].to = lengths[i];
            out.push(Zone { from: lengths[i] + gap, to: curve.length(), columns });
        }
    }
    out
}
