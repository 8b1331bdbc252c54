//! Repair of implausible radii.
//!
//! From the foot to a twig the radius decreases. The median of a window around each cylinder, which
//! extends as far down the tree as up the thickest path, is the expected value: a steady taper has its
//! own values as medians and stays unchanged to the bit. If a whole branch has no radii, the pipe model
//! gives them: the cross-section of a branch is that of all its twigs, `r = twig sqrt(tips)` (Shinozaki
//! et al. 1964).

use super::topology::Children;
use super::{Chains, RepairOptions, THINNEST, Work, usable_radii};
use crate::cylinder::Cylinder;
use crate::report::FaultKind;

/// Number of cylinders on each side of the window.
const WINDOW: usize = 3;
/// Ratio of a branch's radius to that of its parent that is no fault: both are measured.
const TOLERANCE: f64 = 1.05;

/// Makes all radii finite, above zero, without outliers, and not above those of the parents.
pub(super) fn repair(work: &mut Work, chains: &Chains, options: &RepairOptions) {
    fill_all(work, chains, options.twig_radius);
    outliers(work, chains, options.radius_factor);
    for chain in &chains.list {
        if let Some(on) = chain.on {
            // A branch may leave its parent at the thicker end.
            let below = work.cylinders[on].base_radius.max(work.cylinders[on].tip_radius);
            limit(work, chains.members(chain), below);
        }
    }
}

/// Gives a radius to every cylinder.
fn fill_all(work: &mut Work, chains: &Chains, twig_radius: f64) {
    let tips = tips(work);
    let mut radii: Vec<f64> = Vec::new();
    for chain in &chains.list {
        let members = chains.members(chain);
        for &i in members {
            one_sided(work, i);
        }
        radii.clear();
        radii.extend(members.iter().map(|&i| work.cylinders[i].radius()));
        let below = chain.on.map_or(f64::INFINITY, |on| work.cylinders[on].radius());
        fill(members, &mut radii, |i| below.min(twig_radius * f64::from(tips[i]).sqrt()));
        for (&i, &radius) in members.iter().zip(&radii) {
            set(work, i, radius);
        }
    }
}

/// Number of branch tips in the subtree of each cylinder.
fn tips(work: &Work) -> Vec<u32> {
    let mut tips = vec![0; work.cylinders.len()];
    for i in (0..work.cylinders.len()).rev() {
        tips[i] = tips[i].max(1);
        if let Some(parent) = work.cylinders[i].parent {
            tips[parent] += tips[i];
        }
    }
    tips
}

/// If only one of two radii is usable, it counts for both.
fn one_sided(work: &mut Work, i: usize) {
    let radii = usable_radii(&work.cylinders[i]);
    if radii.is_none() {
        work.ledger.note(FaultKind::NoRadius, work.source[i], 0.0);
    }
    let cylinder = &mut work.cylinders[i];
    (cylinder.base_radius, cylinder.tip_radius) = radii.unwrap_or((f64::NAN, f64::NAN));
}

/// Sets the mean radius; the taper of the cylinder itself stays.
fn set(work: &mut Work, i: usize, radius: f64) {
    let cylinder = &mut work.cylinders[i];
    let radius = radius.max(THINNEST);
    let factor = radius / cylinder.radius();
    if factor == 1.0 {
        return;
    }
    if factor.is_finite() {
        cylinder.base_radius *= factor;
        cylinder.tip_radius *= factor;
    } else {
        (cylinder.base_radius, cylinder.tip_radius) = (radius, radius);
    }
}

/// Interpolates missing radii between those of the nearest neighbours.
fn fill(members: &[usize], radii: &mut [f64], otherwise: impl Fn(usize) -> f64) {
    let mut before: Option<usize> = None;
    let mut k = 0;
    while k < radii.len() {
        if !radii[k].is_nan() {
            before = Some(k);
            k += 1;
            continue;
        }
        let after = (k..radii.len()).find(|&j| !radii[j].is_nan());
        let end = after.unwrap_or(radii.len());
        for j in k..end {
            radii[j] = match (before, after) {
                (Some(a), Some(b)) => radii[a] + (radii[b] - radii[a]) * (j - a) as f64 / (b - a) as f64,
                (Some(a), None) => radii[a],
                (None, Some(b)) => radii[b],
                (None, None) => otherwise(members[j]),
            };
        }
        k = end;
    }
}

/// Replaces radii that are far from the median of their window.
fn outliers(work: &mut Work, chains: &Chains, factor: f64) {
    let old: Vec<f64> = work.cylinders.iter().map(Cylinder::radius).collect();
    let up = thickest_way(work, chains, &old);
    for i in 0..old.len() {
        let expected = expected(work, chains, &old, &up, i);
        let ratio = old[i] / expected;
        if ratio > factor {
            work.ledger.note(FaultKind::TooThick, work.source[i], ratio);
            set(work, i, expected);
        } else if ratio < 1.0 / factor {
            work.ledger.note(FaultKind::TooThin, work.source[i], 1.0 / ratio);
            set(work, i, expected);
        }
    }
}

/// The cylinder that continues each one, or else its thickest branch.
fn thickest_way(work: &Work, chains: &Chains, radii: &[f64]) -> Vec<Option<usize>> {
    let children = Children::new(&work.cylinders);
    (0..work.cylinders.len())
        .map(|i| {
            let (chain, place) = chains.place_of[i];
            let next = chains.members(&chains.list[chain]).get(place + 1).copied();
            next.or_else(|| children.of(i).iter().copied().max_by(|&a, &b| radii[a].total_cmp(&radii[b])))
        })
        .collect()
}

/// Expected radius of a cylinder.
fn expected(work: &Work, chains: &Chains, old: &[f64], up: &[Option<usize>], i: usize) -> f64 {
    let mut window = [old[i]; 2 * WINDOW + 1];
    let (mut below, mut above) = (work.cylinders[i].parent, up[i]);
    let mut reach = 0;
    // The window has the same extent on both sides: truncated on one, its median would lie on the other.
    while let (Some(b), Some(a)) = (below, above)
        && reach < WINDOW
    {
        window[2 * reach + 1] = old[b];
        window[2 * reach + 2] = old[a];
        (below, above) = (work.cylinders[b].parent, up[a]);
        reach += 1;
    }
    if reach > 0 {
        let values = &mut window[..=2 * reach];
        values.sort_by(f64::total_cmp);
        return values[reach];
    }
    // The parent limits the radius of a side branch (see `limit`); here neighbours of the same branch do.
    let same_branch = |other: usize| chains.place_of[other].0 == chains.place_of[i].0;
    match (below, above) {
        // A foot may have any radius not below that of the wood above it.
        (None, Some(above)) if same_branch(above) => old[i].max(old[above]),
        // A tip may have any radius not above that of the wood below it.
        (Some(below), None) if same_branch(below) => old[i].min(old[below]),
        _ => old[i],
    }
}

/// Limits the radius of a branch to that of its parent.
fn limit(work: &mut Work, members: &[usize], below: f64) {
    let ratio = work.cylinders[members[0]].radius() / below;
    if ratio > TOLERANCE {
        work.ledger.note(FaultKind::ThickerThanParent, work.source[members[0]], ratio);
    }
    for &i in members {
        if work.cylinders[i].radius() <= below {
            break;
        }
        set(work, i, below);
    }
}
