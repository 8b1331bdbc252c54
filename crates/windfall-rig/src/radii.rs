//! Radii of wood from the bark around it.
//!
//! The distance of vertices from the axis of their bone, as a straight line over its length: the best line by least squares once outliers are dropped. Where
//! most vertices are not bark of this bone (twigs without bones of their own), the densest shell around the axis is its surface. A bone beside the middle of its
//! wood has larger distances on one side than on the other: those from the middle of the vertices count then.

use glam::DVec3;

use crate::bones::quantile;
use crate::surface::Sample;

/// Radius at both ends of a bone, and how much speaks for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    pub base: f64,
    pub tip: f64,
    pub weight: f64,
}

/// How far beyond the ends of a bone its vertices count, of its length.
const BEYOND: f64 = 0.25;
/// Deviation from the median, of the median, above which vertices are a mixture.
const MIXED: f64 = 0.4;
/// Of a mixture, the share of vertices that is the densest shell.
const SHELL: f64 = 0.15;

/// None without vertices.
pub(crate) fn fit(bark: &[Sample], head: DVec3, tail: DVec3) -> Option<Fit> {
    let axis = tail - head;
    let length = axis.length();
    let direction = axis / length;
    // Place along the axis, the way across, weight.
    let mut around: Vec<(f64, DVec3, f64)> = bark
        .iter()
        .map(|sample| {
            let way = sample.at.as_dvec3() - head;
            let along = way.dot(direction);
            (along / length, way - direction * along, f64::from(sample.weight))
        })
        .filter(|(s, ..)| (-BEYOND..=1.0 + BEYOND).contains(s))
        .collect();
    let total: f64 = around.iter().map(|(.., weight)| weight).sum();
    let middle = around.iter().map(|(_, across, weight)| *across * *weight).sum::<DVec3>() / total;
    let median = quantile(&mut around.iter().map(|(_, across, _)| across.length()).collect::<Vec<_>>(), 0.5)?;
    if middle.length() > 0.5 * median {
        around.iter_mut().for_each(|(_, across, _)| *across -= middle);
    }
    let mut points: Vec<(f64, f64, f64)> = around.iter().map(|(s, across, weight)| (*s, across.length(), *weight)).collect();
    let median = quantile(&mut points.iter().map(|p| p.1).collect::<Vec<_>>(), 0.5)?;
    let spread = quantile(&mut points.iter().map(|p| (p.1 - median).abs()).collect::<Vec<_>>(), 0.5)?;
    if spread > MIXED * median && points.len() >= 20 {
        let (low, high) = shell(&points)?;
        points.retain(|p| (low..=high).contains(&p.1));
    }
    let mut line = line(&points)?;
    for _ in 0..2 {
        let off = |p: &(f64, f64, f64)| (p.1 - line.0 - line.1 * p.0).abs();
        let usual = quantile(&mut points.iter().map(off).collect::<Vec<_>>(), 0.5)?;
        let kept: Vec<_> = points.iter().copied().filter(|p| off(p) <= 3.0 * usual + 1e-9 * line.0.abs()).collect();
        if kept.len() < 4 || kept.len() == points.len() {
            break;
        }
        points = kept;
        line = self::line(&points)?;
    }
    let usual = quantile(&mut points.iter().map(|p| p.1).collect::<Vec<_>>(), 0.5)?;
    let within = |r: f64| r.clamp(0.0, 3.0 * usual);
    Some(Fit { base: within(line.0), tip: within(line.0 + line.1), weight: points.iter().map(|p| p.2).sum() })
}

/// The narrowest range of distances, as ratios, that holds a share of the points, opened by a quarter to both sides.
fn shell(points: &[(f64, f64, f64)]) -> Option<(f64, f64)> {
    let mut distances: Vec<f64> = points.iter().map(|p| p.1).filter(|&d| d > 0.0).collect();
    distances.sort_by(f64::total_cmp);
    let held = ((distances.len() as f64 * SHELL).ceil() as usize).max(2);
    let ranges = distances.windows(held).map(|w| (w[0], w[held - 1]));
    let (low, high) = ranges.min_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)))?;
    Some((low * 0.75, high * 1.25))
}

/// Value at 0 and slope by least squares; no slope where the points lie too close together to say.
fn line(points: &[(f64, f64, f64)]) -> Option<(f64, f64)> {
    let sum: f64 = points.iter().map(|p| p.2).sum();
    if !(sum > 0.0) {
        return None;
    }
    let (s, d) = points.iter().fold((0.0, 0.0), |(s, d), p| (s + p.2 * p.0 / sum, d + p.2 * p.1 / sum));
    let spread: f64 = points.iter().map(|p| p.2 * (p.0 - s) * (p.0 - s)).sum::<f64>() / sum;
    if spread < 0.02 {
        return Some((d, 0.0));
    }
    let slope = points.iter().map(|p| p.2 * (p.0 - s) * (p.1 - d)).sum::<f64>() / sum / spread;
    Some((d - slope * s, slope))
}

/// Radii at the nodes of a branch, which never grow towards its tip. `fits` are of its bones, `places` how far each node is from the first.
/// None if nothing is known of the whole branch.
pub(crate) fn along(fits: &[Option<Fit>], places: &[f64]) -> Option<Vec<f64>> {
    let mut known: Vec<(f64, f64, f64)> = Vec::new();
    for (i, &place) in places.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|b| fits[b]).map(|fit| (fit.tip, fit.weight));
        let after = fits.get(i).copied().flatten().map(|fit| (fit.base, fit.weight));
        let both = [before, after];
        let weight: f64 = both.iter().flatten().map(|(_, weight)| weight).sum();
        if weight > 0.0 {
            known.push((place, both.iter().flatten().map(|(r, w)| r * w).sum::<f64>() / weight, weight));
        }
    }
    // Pool adjacent violators: what grows is averaged with what is before it.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for &(_, radius, weight) in &known {
        let mut pool = (radius, weight, 1);
        while let Some(&(r, w, n)) = pools.last().filter(|last| last.0 < pool.0) {
            pool = ((r * w + pool.0 * pool.1) / (w + pool.1), w + pool.1, n + pool.2);
            pools.pop();
        }
        pools.push(pool);
    }
    let radii: Vec<f64> = pools.iter().flat_map(|&(r, _, n)| std::iter::repeat_n(r, n)).collect();
    let (first, last) = (*radii.first()?, *radii.last()?);
    let at = |place: f64| {
        let after = known.partition_point(|k| k.0 < place);
        match (after.checked_sub(1), known.get(after)) {
            (None, _) => first,
            (Some(_), None) => last,
            (Some(b), Some(next)) => {
                let share = (place - known[b].0) / (next.0 - known[b].0);
                radii[b] + (radii[after] - radii[b]) * share
            }
        }
    };
    Some(places.iter().map(|&place| at(place)).collect())
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    /// Rings of a cone around y from radius a to b, its axis shifted in x.
    fn cone(a: f32, b: f32, shift: f32) -> Vec<Sample> {
        let mut bark = Vec::new();
        for ring in 0..=5_u8 {
            let s = f32::from(ring) / 5.0;
            for side in 0..8_u8 {
                let angle = f32::from(side) * std::f32::consts::TAU / 8.0;
                let r = a + (b - a) * s;
                bark.push(Sample { at: Vec3::new(r * angle.cos() + shift, 2.0 * s, r * angle.sin()), weight: 1.0 });
            }
        }
        bark
    }

    #[test]
    fn a_cone_is_found_exactly_and_outliers_do_not_matter() {
        let mut bark = cone(0.2, 0.1, 0.0);
        let found = fit(&bark, DVec3::ZERO, DVec3::Y * 2.0).unwrap();
        assert!((found.base - 0.2).abs() < 1e-6 && (found.tip - 0.1).abs() < 1e-6, "{found:?}");
        // The collar of a side branch.
        bark.extend((0..6_u8).map(|i| Sample { at: Vec3::new(0.3 + 0.1 * f32::from(i), 1.0, 0.0), weight: 1.0 }));
        let found = fit(&bark, DVec3::ZERO, DVec3::Y * 2.0).unwrap();
        assert!((found.base - 0.2).abs() < 1e-3 && (found.tip - 0.1).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn twigs_without_bones_do_not_make_a_trunk_thick() {
        let mut bark = cone(0.1, 0.1, 0.0);
        for i in 0..150_u16 {
            let d = 0.12 + f32::from(i) * 0.006;
            bark.push(Sample { at: Vec3::new(d * f32::from(i).cos(), f32::from(i % 20) * 0.1, d * f32::from(i).sin()), weight: 1.0 });
        }
        let found = fit(&bark, DVec3::ZERO, DVec3::Y * 2.0).unwrap();
        assert!((found.base - 0.1).abs() < 0.02 && (found.tip - 0.1).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn a_bone_beside_its_wood_does_not_matter() {
        let found = fit(&cone(0.1, 0.1, 0.15), DVec3::ZERO, DVec3::Y * 2.0).unwrap();
        assert!((found.base - 0.1).abs() < 1e-3 && (found.tip - 0.1).abs() < 1e-3, "{found:?}");
        assert!(fit(&[], DVec3::ZERO, DVec3::Y).is_none());
    }

    #[test]
    fn radii_never_grow_and_gaps_are_filled() {
        let of = |base, tip| Some(Fit { base, tip, weight: 1.0 });
        let radii = along(&[of(0.4, 0.3), None, of(0.2, 0.3)], &[0.0, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!(radii, [0.4, 0.3, 0.25, 0.25]);
        let radii = along(&[None, of(0.2, 0.1), None], &[0.0, 1.0, 2.0, 4.0]).unwrap();
        assert_eq!(radii, [0.2, 0.2, 0.1, 0.1]);
        assert!(along(&[None], &[0.0, 1.0]).is_none());
    }
}
