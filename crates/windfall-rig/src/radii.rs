//! Radii of wood from the surrounding bark.
//!
//! Inside closed wood radii come from cross-sections (`sections.rs`). This module is for all other bones.
//!
//! The distance from a bark vertex inwards to the bark on the opposite side is the diameter, and the
//! midpoint is the centre of the wood. Of the wood attached to a bone, the wood that contains the bone is
//! used; if the bone is outside all wood, the thickest. The result is therefore insensitive to twigs
//! without bones, collars of side branches and off-centre bones. Without an opposite side (open or
//! one-sided meshes), the distance of vertices from the axis is used. Both are fitted by a straight line
//! over the length of the bone, by least squares without outliers.

use glam::{DVec3, Vec3};

use crate::bones::quantile;
use crate::surface::Sample;

/// Radius at both ends of a bone, and the statistical weight of each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    pub base: f64,
    pub tip: f64,
    /// Samples near an end contribute to the weight of that end.
    pub weights: [f64; 2],
}

/// Range beyond the ends of a bone in which vertices are used, relative to its length.
const BEYOND: f64 = 0.25;
/// Relative deviation from the median above which vertices are a mixture of surfaces.
const MIXED: f64 = 0.4;
/// Quantile of a mixture that represents the innermost surface.
const INNER: f64 = 0.15;
/// Minimum cosine of the angle between the normals of both sides and the line between them: 30 degrees for
/// three sides.
const OPPOSITE: f32 = 0.8;
/// Maximum ratio of a line across a ring to the shortest line that satisfies `OPPOSITE`.
const RING: f32 = 1.3;
/// Maximum number of vertices of a bone used to search the opposite side, and of comparisons.
const MOST_PROBES: usize = 300;
const MOST_COMPARED: usize = 2_000_000;

/// Deviations below this fraction of the radius are never outliers: if all other points are collinear, the
/// typical deviation is only rounding.
const ROUGH: f64 = 1e-3;

/// Position along a bone (0 to 1), radius, weight.
pub(crate) type Point = (f64, f64, f64);

/// `None` without vertices.
pub(crate) fn fit(bark: &[Sample], head: DVec3, tail: DVec3) -> Option<Fit> {
    let axis = Axis { head, direction: (tail - head).normalize(), length: head.distance(tail) };
    let near: Vec<&Sample> = bark.iter().filter(|sample| axis.has(sample.at.as_dvec3())).collect();
    let mut points = opposite(&near, &axis);
    if points.len() < 4 {
        points = around(&near, &axis)?;
    }
    straight(&kept(points))
}

/// Points without outliers from a straight line.
pub(crate) fn kept(mut points: Vec<Point>) -> Vec<Point> {
    for _ in 0..2 {
        let Some(line) = line(&points) else { break };
        let off = |p: &Point| (p.1 - line.0 - line.1 * p.0).abs();
        let usual = quantile(&mut points.iter().map(off).collect::<Vec<_>>(), 0.5).unwrap_or(0.0);
        let kept: Vec<_> = points.iter().copied().filter(|p| off(p) <= 3.0 * usual + ROUGH * line.0.abs()).collect();
        if kept.len() < 4 || kept.len() == points.len() {
            break;
        }
        points = kept;
    }
    points
}

/// A straight line through points.
pub(crate) fn straight(points: &[Point]) -> Option<Fit> {
    let line = line(points)?;
    let usual = median(points)?;
    let within = |r: f64| r.clamp(0.0, 3.0 * usual);
    let sum = |share: fn(f64) -> f64| points.iter().map(|p| p.2 * share(p.0.clamp(0.0, 1.0))).sum::<f64>();
    let weights = [sum(|along| 1.0 - along), sum(|along| along)];
    Some(Fit { base: within(line.0), tip: within(line.0 + line.1), weights })
}

/// The axis of a bone.
struct Axis {
    head: DVec3,
    direction: DVec3,
    length: f64,
}

impl Axis {
    /// Coordinate along the axis, and offset across it.
    fn of(&self, at: DVec3) -> (f64, DVec3) {
        let way = at - self.head;
        let along = way.dot(self.direction);
        (along / self.length, way - self.direction * along)
    }

    fn has(&self, at: DVec3) -> bool {
        (-BEYOND..=1.0 + BEYOND).contains(&self.of(at).0)
    }
}

/// Half the distance to the opposite bark, for vertices of the wood that contains the bone, or of the
/// thickest wood.
fn opposite(bark: &[&Sample], axis: &Axis) -> Vec<Point> {
    let probes = (MOST_COMPARED / bark.len().max(1)).clamp(20, MOST_PROBES).min(bark.len());
    // Position along the axis, radius, weight; distance of the centre from the axis.
    let mut found: Vec<(Point, f64)> = Vec::new();
    for probe in (0..probes).map(|i| bark[i * bark.len() / probes]).filter(|probe| probe.normal != Vec3::ZERO) {
        // Distance, and alignment of the line with both normals.
        let facing = |other: &&Sample| {
            let way = other.at - probe.at;
            let distance = way.length();
            let straight = way.dot(other.normal).min(-way.dot(probe.normal)) / distance;
            (straight > OPPOSITE).then_some((distance, straight, way))
        };
        let Some(nearest) = bark.iter().filter_map(facing).map(|(distance, ..)| distance).min_by(f32::total_cmp) else {
            continue;
        };
        // Within a ring the best aligned candidate, which is not always the nearest.
        let of_ring = bark.iter().filter_map(facing).filter(|(distance, ..)| *distance <= RING * nearest);
        if let Some((distance, _, way)) = of_ring.max_by(|a, b| a.1.total_cmp(&b.1)) {
            let (along, across) = axis.of((probe.at + 0.5 * way).as_dvec3());
            found.push(((along, 0.5 * f64::from(distance), f64::from(probe.weight)), across.length()));
        }
    }
    let radius =
        |share: f64, list: &[(Point, f64)]| quantile(&mut list.iter().map(|f| f.0.1).collect::<Vec<_>>(), share);
    let inside: Vec<(Point, f64)> = found.iter().copied().filter(|((_, radius, _), off)| off <= radius).collect();
    let (list, share) =
        if inside.len() >= 4 && 10 * inside.len() >= found.len() { (inside, 0.4) } else { (found, 0.7) };
    let Some(thick) = radius(0.9, &list) else { return Vec::new() };
    list.into_iter().map(|(point, _)| point).filter(|point| point.1 >= share * thick).collect()
}

/// Distances from the axis. If their scatter exceeds that of one surface, only the innermost are used.
fn around(bark: &[&Sample], axis: &Axis) -> Option<Vec<Point>> {
    let point = |sample: &&Sample| {
        let (along, across) = axis.of(sample.at.as_dvec3());
        (along, across.length(), f64::from(sample.weight))
    };
    let mut points: Vec<Point> = bark.iter().map(point).collect();
    let median = median(&points)?;
    let spread = quantile(&mut points.iter().map(|p| (p.1 - median).abs()).collect::<Vec<_>>(), 0.5)?;
    if spread > MIXED * median {
        let inner = quantile(&mut points.iter().map(|p| p.1).collect::<Vec<_>>(), INNER)?;
        points.retain(|p| (0.6 * inner..=1.5 * inner).contains(&p.1));
    }
    Some(points)
}

fn median(points: &[Point]) -> Option<f64> {
    quantile(&mut points.iter().map(|p| p.1).collect::<Vec<_>>(), 0.5)
}

/// Value at 0 and slope by least squares; zero slope if the points are too close together.
fn line(points: &[Point]) -> Option<(f64, f64)> {
    let sum: f64 = points.iter().map(|p| p.2).sum();
    if sum <= 0.0 {
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

/// Radii at the nodes of a branch, which never increase towards its tip. `fits` are those of its bones,
/// `places` the distance of each node from the first. `None` without any data for the branch.
pub(crate) fn along(fits: &[Option<Fit>], places: &[f64]) -> Option<Vec<f64>> {
    let mut known: Vec<(f64, f64, f64)> = Vec::new();
    for (i, &place) in places.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|b| fits[b]).map(|fit| (fit.tip, fit.weights[1]));
        let after = fits.get(i).copied().flatten().map(|fit| (fit.base, fit.weights[0]));
        let both = [before, after];
        let weight: f64 = both.iter().flatten().map(|(_, weight)| weight).sum();
        if weight > 0.0 {
            known.push((place, both.iter().flatten().map(|(r, w)| r * w).sum::<f64>() / weight, weight));
        }
    }
    let radii = never_growing(&known.iter().map(|&(_, radius, weight)| (radius, weight)).collect::<Vec<_>>());
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

/// Isotonic (non-increasing) regression of weighted radii by the pool-adjacent-violators algorithm.
pub(crate) fn never_growing(known: &[(f64, f64)]) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for &(radius, weight) in known {
        let mut pool = (radius, weight, 1);
        while let Some(&(r, w, n)) = pools.last().filter(|last| last.0 < pool.0) {
            pool = ((r * w + pool.0 * pool.1) / (w + pool.1), w + pool.1, n + pool.2);
            pools.pop();
        }
        pools.push(pool);
    }
    pools.iter().flat_map(|&(r, _, n)| std::iter::repeat_n(r, n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rings of a cone around y from radius a to b, its axis shifted in x.
    fn cone(a: f32, b: f32, shift: f32) -> Vec<Sample> {
        let mut bark = Vec::new();
        for ring in 0..=5_u8 {
            let s = f32::from(ring) / 5.0;
            for side in 0..8_u8 {
                let angle = f32::from(side) * std::f32::consts::TAU / 8.0;
                let r = a + (b - a) * s;
                let normal = Vec3::new(angle.cos(), 0.0, angle.sin());
                bark.push(Sample { at: normal * r + Vec3::new(shift, 2.0 * s, 0.0), normal, weight: 1.0 });
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
        let beside = |i: u8| Vec3::new(0.3 + 0.1 * f32::from(i), 1.0, 0.0);
        bark.extend((0..6).map(|i| Sample { at: beside(i), normal: Vec3::Y, weight: 1.0 }));
        let found = fit(&bark, DVec3::ZERO, DVec3::Y * 2.0).unwrap();
        assert!((found.base - 0.2).abs() < 1e-3 && (found.tip - 0.1).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn twigs_without_bones_do_not_make_a_trunk_thick() {
        let mut bark = cone(0.1, 0.1, 0.0);
        // Thin tubes along x at increasing heights.
        for i in 0..40_u16 {
            let middle = Vec3::new(0.12 + f32::from(i) * 0.02, f32::from(i % 20) * 0.1, 0.0);
            for normal in [Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
                bark.push(Sample { at: middle + 0.01 * normal, normal, weight: 1.0 });
            }
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

    /// One side of a cone, as in a background mesh; and one without triangles.
    #[test]
    fn where_nothing_lies_opposite_the_distance_from_the_axis_counts() {
        let mut bark = cone(0.2, 0.1, 0.0);
        bark.retain(|sample| sample.normal.x > 0.1);
        let found = fit(&bark, DVec3::ZERO, DVec3::Y * 2.0).unwrap();
        assert!((found.base - 0.2).abs() < 1e-6 && (found.tip - 0.1).abs() < 1e-6, "{found:?}");
        for sample in &mut bark {
            sample.normal = Vec3::ZERO;
        }
        assert_eq!(fit(&bark, DVec3::ZERO, DVec3::Y * 2.0).unwrap(), found);
    }

    #[test]
    fn radii_never_grow_and_gaps_are_filled() {
        let of = |base, tip| Some(Fit { base, tip, weights: [1.0; 2] });
        let radii = along(&[of(0.4, 0.3), None, of(0.2, 0.3)], &[0.0, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!(radii, [0.4, 0.3, 0.25, 0.25]);
        let radii = along(&[None, of(0.2, 0.1), None], &[0.0, 1.0, 2.0, 4.0]).unwrap();
        assert_eq!(radii, [0.2, 0.2, 0.1, 0.1]);
        assert!(along(&[None], &[0.0, 1.0]).is_none());
    }
}
