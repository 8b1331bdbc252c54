//! Thickness of the wood around a bone from cross-sections.
//!
//! The bark is cut by planes perpendicular to the bone at several positions. Each closed polygon of a cut
//! is wood: its area, corrected for the inclination of the wood to the plane and for the ratio of a circle
//! to a polygon with the same number of sides, is that of a round section. The polygon that contains the
//! bone is used; if the bone is outside its wood (a straight bone in a curved bough), the largest polygon
//! is used with half the weight. Twigs attached to the bone are smaller. Skin weights only select the
//! nearby triangles.

use std::collections::HashMap;

use glam::{DMat3, DVec2, DVec3};

use crate::eigen::{eigen, outer};
use crate::radii::Point;

/// Positions of the cuts, relative to the length of the bone. Not at halves, thirds and tenths, where
/// rings of vertices are likely: there rounding would determine which sides are cut.
const CUTS: [f64; 9] = [0.0203, 0.1013, 0.2017, 0.3529, 0.5037, 0.6473, 0.7983, 0.8987, 0.9797];
/// Allowed lateral distance of wood from the bone, relative to its length.
pub(crate) const BESIDE: f64 = 0.5;
/// Minimum cosine of the angle between bone and wood.
const ASLANT: f64 = 0.3;

/// A triangle: indices and positions of its corners.
pub(crate) type Triangle = ([u32; 3], [DVec3; 3]);

/// Radii along a bone from the triangles around it, at positions with closed wood. `beside` is the allowed
/// lateral distance of wood from the bone, relative to its length.
pub(crate) fn measure(
    triangles: &(impl Iterator<Item = Triangle> + Clone),
    head: DVec3,
    tail: DVec3,
    beside: f64,
) -> Vec<Point> {
    let way = tail - head;
    let direction = way.normalize();
    let mut points: Vec<Point> = Vec::new();
    for cut in CUTS {
        let plane = Plane::new(head + way * cut, direction);
        let lines: Vec<Line> = triangles.clone().filter_map(|triangle| plane.cut(triangle)).collect();
        if let Some((area, weight)) = own_wood(&lines, &plane, beside * way.length()) {
            points.push((cut, (area / std::f64::consts::PI).sqrt(), weight));
        }
    }
    points
}

/// Number of segments in all cuts of [`measure`].
pub(crate) fn lines(triangles: impl Iterator<Item = Triangle>, head: DVec3, tail: DVec3) -> usize {
    let way = tail - head;
    let along = way / way.length_squared();
    triangles
        .map(|(_, corners)| {
            let [a, b, c] = corners.map(|p| (p - head).dot(along));
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            CUTS.iter().filter(|cut| (low..=high).contains(*cut)).count()
        })
        .sum()
}

struct Plane {
    at: DVec3,
    normal: DVec3,
    x: DVec3,
    z: DVec3,
}

/// Intersection of a triangle with a plane: seen from the first end to the second, the wood is on the
/// left.
#[derive(Clone, Copy)]
struct Line {
    ends: [DVec2; 2],
    /// The triangle edges that contain the ends.
    edges: [(u32, u32); 2],
    /// Normal of the triangle.
    normal: DVec3,
    /// Whether it has two corners above the plane instead of one.
    is_upper: bool,
}

impl Plane {
    fn new(at: DVec3, normal: DVec3) -> Self {
        // A right-handed frame, viewed against the normal.
        let x = normal.any_orthonormal_vector();
        Self { at, normal, x, z: normal.cross(x) }
    }

    fn cut(&self, (ids, corners): Triangle) -> Option<Line> {
        let corners = corners.map(|p| p - self.at);
        let along = corners.map(|p| p.dot(self.normal));
        let above = along.map(|a| a >= 0.0);
        if above[0] == above[1] && above[1] == above[2] {
            return None;
        }
        let mut found = Vec::with_capacity(2);
        for k in 0..3 {
            let j = (k + 1) % 3;
            if above[k] != above[j] {
                let p = corners[k].lerp(corners[j], along[k] / (along[k] - along[j]));
                found.push((DVec2::new(p.dot(self.x), p.dot(self.z)), (ids[k].min(ids[j]), ids[k].max(ids[j]))));
            }
        }
        let &[mut a, mut b] = found.as_slice() else { return None };
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        let out = DVec2::new(normal.dot(self.x), normal.dot(self.z));
        if (b.0 - a.0).perp().dot(out) > 0.0 {
            (a, b) = (b, a);
        }
        let is_upper = above.iter().filter(|above| **above).count() == 2;
        Some(Line { ends: [a.0, b.0], edges: [a.1, b.1], normal, is_upper })
    }
}

/// A closed polygon of a cut.
#[derive(Clone, Copy)]
struct Ring {
    area: f64,
    /// Area times centroid.
    moment: DVec2,
    /// Normals of the triangles crossed, weighted by length.
    normals: DMat3,
    /// Number of crossings with a ray from the bone.
    crossed: u32,
    /// Number of unmatched ends.
    loose: u32,
    /// Triangles with one corner above the plane, and with two.
    lines: [u32; 2],
}

impl Ring {
    /// Area ratio of the circumscribed circle to the polygon. A plane crosses two triangles on each side
    /// of a tube, one of each kind, and one on each side of a cone tip.
    fn round(&self) -> f64 {
        let side = std::f64::consts::TAU / f64::from(self.lines[0].max(self.lines[1]).max(3));
        side / libm::sin(side)
    }
}

/// Area of the bone's wood in a cut, and its weight.
fn own_wood(lines: &[Line], plane: &Plane, beside: f64) -> Option<(f64, f64)> {
    let mut numbers: HashMap<(u32, u32), (u32, u32)> = HashMap::new();
    let mut leader: Vec<u32> = (0..lines.len() as u32).collect();
    for (i, line) in (0_u32..).zip(lines) {
        for edge in line.edges {
            let (other, count) = numbers.entry(edge).or_insert((i, 0));
            *count += 1;
            let [a, b] = [i, *other].map(|v| crate::kinds::find(&mut leader, v));
            leader[a.max(b) as usize] = a.min(b);
        }
    }
    let empty = Ring { area: 0.0, moment: DVec2::ZERO, normals: DMat3::ZERO, crossed: 0, loose: 0, lines: [0; 2] };
    let mut rings: HashMap<u32, Ring> = HashMap::new();
    for (i, line) in (0_u32..).zip(lines) {
        let ring = rings.entry(crate::kinds::find(&mut leader, i)).or_insert(empty);
        let [a, b] = line.ends;
        let area = 0.5 * a.perp_dot(b);
        ring.area += area;
        ring.lines[usize::from(line.is_upper)] += 1;
        ring.moment += (a + b) * (area / 3.0);
        ring.normals += outer(line.normal, a.distance(b));
        ring.crossed += u32::from((a.y >= 0.0) != (b.y >= 0.0) && a.x + (b.x - a.x) * a.y / (a.y - b.y) > 0.0);
        ring.loose += line.edges.iter().map(|edge| u32::from(numbers[edge].1 != 2)).sum::<u32>();
    }
    let wood = |ring: &Ring| {
        // The wood's axis is the direction with the least normal component.
        let slant = eigen(ring.normals).1.col(2).dot(plane.normal).abs();
        // The absolute value handles meshes turned inside out.
        let area = ring.area.abs() * slant * ring.round();
        (ring.loose == 0 && area > 0.0 && slant > ASLANT).then_some((area, ring.crossed % 2 == 1))
    };
    let near = |ring: &&Ring| (ring.moment / ring.area).length() <= beside;
    let inside = rings.values().filter_map(wood).filter(|(_, inside)| *inside).map(|(area, _)| area);
    // For nested wood the innermost.
    if let Some(area) = inside.min_by(f64::total_cmp) {
        return Some((area, 1.0));
    }
    let largest = rings.values().filter(near).filter_map(wood).map(|(area, _)| area).max_by(f64::total_cmp);
    largest.map(|area| (area, 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radii::{kept, straight};

    /// Triangles of a cone around y from radius a to b over 2 m, moved aside.
    fn cone(a: f64, b: f64, sides: u32, aside: DVec3, first: u32) -> Vec<Triangle> {
        let id = |ring: u32, side: u32| first + ring * sides + side % sides;
        let corner = |ring: u32, side: u32| {
            let turn = f64::from(side % sides) * std::f64::consts::TAU / f64::from(sides);
            let s = f64::from(ring) / 4.0;
            let r = a + (b - a) * s;
            aside + DVec3::new(r * turn.sin(), 2.0 * s, r * turn.cos())
        };
        let mut triangles = Vec::new();
        for ring in 0..4 {
            for side in 0..sides {
                let [p, q] = [side, side + 1].map(|side| (id(ring, side), corner(ring, side)));
                let [r, s] = [side, side + 1].map(|side| (id(ring + 1, side), corner(ring + 1, side)));
                triangles.extend([[p, q, r], [q, s, r]].map(|t| (t.map(|c| c.0), t.map(|c| c.1))));
            }
        }
        triangles
    }

    #[test]
    fn a_cone_is_measured_wherever_the_bone_runs() {
        for aside in [DVec3::ZERO, DVec3::X * 0.04, DVec3::new(-0.03, 0.0, 0.05), DVec3::X * 0.5] {
            let bark = cone(0.2, 0.1, 64, aside, 0);
            let found = straight(&kept(measure(&bark.iter().copied(), DVec3::ZERO, DVec3::Y * 2.0, BESIDE))).unwrap();
            assert!((found.base / 0.2 - 1.0).abs() < 0.01 && (found.tip / 0.1 - 1.0).abs() < 0.01, "{found:?}");
        }
        // Too far away, and half a cone.
        let far = cone(0.2, 0.1, 64, DVec3::X * 1.5, 0);
        assert_eq!(measure(&far.iter().copied(), DVec3::ZERO, DVec3::Y * 2.0, BESIDE), []);
        let mut half = cone(0.2, 0.1, 64, DVec3::ZERO, 0);
        half.retain(|(_, corners)| corners.iter().all(|p| p.x > 0.0));
        assert_eq!(measure(&half.into_iter(), DVec3::ZERO, DVec3::Y * 2.0, BESIDE), []);
    }

    /// A bone that leaves its wood at an angle, surrounded by thin tubes.
    #[test]
    fn twigs_and_slants_do_not_matter() {
        let mut bark = cone(0.1, 0.1, 32, DVec3::ZERO, 0);
        for k in 1..30 {
            let aside = DVec3::new(0.2 + 0.02 * f64::from(k), 0.0, 0.3);
            bark.extend(cone(0.01, 0.01, 6, aside, 1000 * k));
        }
        let found =
            straight(&kept(measure(&bark.iter().copied(), DVec3::ZERO, DVec3::new(0.6, 2.0, 0.0), BESIDE))).unwrap();
        assert!((found.base / 0.1 - 1.0).abs() < 0.01 && (found.tip / 0.1 - 1.0).abs() < 0.01, "{found:?}");
    }

    /// A conical twig that ends in a point has one triangle per side instead of two.
    #[test]
    fn points_have_as_many_sides_as_tubes() {
        for sides in [3, 4, 6, 8] {
            let corner = |side: u32| {
                let turn = f64::from(side % sides) * std::f64::consts::TAU / f64::from(sides);
                DVec3::new(0.1 * turn.sin(), 0.0, 0.1 * turn.cos())
            };
            let point = (sides, DVec3::Y * 2.0);
            let bark: Vec<Triangle> = (0..sides)
                .map(|side| {
                    let [p, q] = [side, side + 1].map(|side| (side % sides, corner(side)));
                    ([p.0, q.0, point.0], [p.1, q.1, point.1])
                })
                .collect();
            for (along, radius, _) in measure(&bark.iter().copied(), DVec3::ZERO, DVec3::Y * 2.0, BESIDE) {
                let truth = 0.1 * (1.0 - along);
                assert!((radius / truth - 1.0).abs() < 0.01, "{sides} sides at {along}: {radius} of {truth}");
            }
        }
    }
}
