//! Radii that can't be.
//!
//! Along a branch the radius hardly ever jumps, so the median of a window around each cylinder says what it should be: a steady taper
//! has its own values as medians and stays as it is to the bit. Where a whole branch has no radii, the pipe model gives them: the section of a branch is
//! that of all twigs it bears, `r = twig sqrt(tips)` (Shinozaki et al. 1964).

use super::{Chain, Chains, RepairOptions, THICKEST, THINNEST, Work};
use crate::report::Kind;

/// Cylinders on each side of the window.
const WINDOW: usize = 3;
/// A branch a little thicker than its parent is no fault: both are measured.
const TOLERANCE: f64 = 1.05;

/// Makes all radii finite, above zero, without outliers, and not above those of the parents.
pub(super) fn repair(work: &mut Work, chains: &Chains, options: &RepairOptions) {
    let tips = tips(work);
    let mut radii: Vec<f64> = Vec::new();
    for chain in &chains.list {
        let members = chains.members(chain);
        for &i in members {
            one_sided(work, i);
        }
        radii.clear();
        radii.extend(members.iter().map(|&i| work.cylinders[i].radius()));
        let below = chain.on.map(|on| work.cylinders[on].radius());
        fill(members, &mut radii, |i| {
            let pipes = options.twig_radius * f64::from(tips[i]).sqrt();
            below.map_or(pipes, |below| pipes.min(below))
        });
        outliers(work, members, &mut radii, chain, options.radius_factor);
        limit(work, members, &mut radii, below);
        for (&i, &radius) in members.iter().zip(&radii) {
            set(work, i, radius);
        }
    }
}

/// How many ends of branches each cylinder bears.
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

fn is_usable(radius: f64) -> bool {
    radius > 0.0 && radius <= THICKEST
}

/// Where only one of two radii is usable, it counts for both.
fn one_sided(work: &mut Work, i: usize) {
    let cylinder = &mut work.cylinders[i];
    match (is_usable(cylinder.base_radius), is_usable(cylinder.tip_radius)) {
        (true, true) => {}
        (true, false) => cylinder.tip_radius = cylinder.base_radius,
        (false, true) => cylinder.base_radius = cylinder.tip_radius,
        (false, false) => {
            work.ledger.note(Kind::NoRadius, work.source[i], 0.0);
            (cylinder.base_radius, cylinder.tip_radius) = (f64::NAN, f64::NAN);
        }
    }
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

/// Missing radii lie between those of the nearest neighbours.
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

fn outliers(work: &mut Work, members: &[usize], radii: &mut [f64], chain: &Chain, factor: f64) {
    let last = radii.len() - 1;
    let old = radii.to_vec();
    let mut window = [0.0; 2 * WINDOW + 1];
    for k in 0..=last {
        // The window has the same reach on both sides: cut off on one, its median would lie on the other.
        let reach = WINDOW.min(k).min(last - k);
        let expected = if reach > 0 {
            let values = &mut window[..=2 * reach];
            values.copy_from_slice(&old[k - reach..=k + reach]);
            values.sort_by(f64::total_cmp);
            values[reach]
        } else if last == 0 {
            continue;
        } else if k == last {
            // An end may be as thin as it likes.
            old[k - 1].min(old[k])
        } else if chain.on.is_none() {
            // A foot may be as thick as it likes, but carries what stands on it.
            old[1].max(old[0])
        } else {
            continue;
        };
        let ratio = old[k] / expected;
        if ratio > factor {
            work.ledger.note(Kind::TooThick, work.source[members[k]], ratio);
            radii[k] = expected;
        } else if ratio < 1.0 / factor {
            work.ledger.note(Kind::TooThin, work.source[members[k]], 1.0 / ratio);
            radii[k] = expected;
        }
    }
}

/// A branch is not thicker than what it grows on.
fn limit(work: &mut Work, members: &[usize], radii: &mut [f64], below: Option<f64>) {
    let Some(below) = below else { return };
    let ratio = radii[0] / below;
    if ratio > TOLERANCE {
        work.ledger.note(Kind::ThickerThanParent, work.source[members[0]], ratio);
    }
    for radius in radii.iter_mut().take_while(|radius| **radius > below) {
        *radius = below;
    }
}
