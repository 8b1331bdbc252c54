//! Volume between the flat triangles of bark and the round wood they approximate.
//!
//! Vertices of a tube lie on its circles, so its triangles lie inside: a tube of eight sides has 90 % of
//! the volume of the round one, of four 64 %, of three 41 %. With the angle t between the normals of both
//! ends of an edge, and c the component of the edge across the wood, the arc above the edge has the mean
//! height
//!
//! ```text
//! m(t) c,    m(t) = (t - sin t) / (8 sin²(t / 2))            (of a circle: segment over chord)
//! ```
//!
//! and the volume above a triangle is half the sum of the heights of its three edges times its area: exact
//! for cylinders of any number of sides, second order otherwise. For wood only the curvature around the
//! axis counts, not that along it: otherwise the rim of a capped end would bulge. Spheres curve in both
//! directions.

use glam::{DMat3, DVec3};

use crate::eigen::{eigen, outer};

/// Larger angles between normals than those of a tube with three sides (120 degrees) indicate a sheet.
const SHARPEST: f64 = 2.2;

/// Normals of vertices, across the wood.
pub(crate) struct Round {
    /// Normal, and axis of the wood.
    normals: Vec<(DVec3, DVec3)>,
}

impl Round {
    /// `corner` returns the positions of the triangles, `triangles` are their vertices.
    pub fn new(places: usize, triangles: &[[u32; 3]], corner: impl Fn(u32) -> DVec3) -> Self {
        let mut sums = vec![(DVec3::ZERO, DMat3::ZERO); places];
        for triangle in triangles {
            let at = triangle.map(&corner);
            let normal = (at[1] - at[0]).cross(at[2] - at[0]);
            let (area, normal) = (0.5 * normal.length(), normal.normalize_or_zero());
            for k in 0..3 {
                let (a, b) = (at[(k + 1) % 3] - at[k], at[(k + 2) % 3] - at[k]);
                // Weighted by angle, so that the triangulation of a side does not matter.
                let angle = libm::atan2(a.cross(b).length(), a.dot(b));
                let sum = &mut sums[triangle[k] as usize];
                sum.0 += normal * angle;
                sum.1 += outer(normal, area);
            }
        }
        let across = |(normal, facing): (DVec3, DMat3)| {
            // The wood's axis is the direction with the least normal component.
            let along = eigen(facing).1.col(2);
            ((normal - along * normal.dot(along)).normalize_or_zero(), along)
        };
        Self { normals: sums.into_iter().map(across).collect() }
    }

    /// Volume above a triangle for wood, and for a sphere.
    pub fn above(&self, triangle: [u32; 3], at: [DVec3; 3]) -> [f64; 2] {
        let area = 0.5 * (at[1] - at[0]).cross(at[2] - at[0]).length();
        let height = |k: usize| {
            let (i, j) = (k, (k + 1) % 3);
            let [(from, along), (to, other)] = [i, j].map(|k| self.normals[triangle[k] as usize]);
            let way = to - from;
            let chord = way.length();
            let angle = 2.0 * libm::asin((0.5 * chord).min(1.0));
            if chord < 1e-6 || angle > SHARPEST || from == DVec3::ZERO || to == DVec3::ZERO {
                return [0.0; 2];
            }
            let mean = (angle - libm::sin(angle)) / (2.0 * chord * chord);
            // At the rim of an end the wood's axis is undefined: the axis of the other vertex is used.
            let edge = at[j] - at[i];
            let across = |along: DVec3| (edge - along * edge.dot(along)).dot(way) / chord;
            let (a, b) = (across(along), across(other));
            [if a.abs() < b.abs() { a } else { b }, edge.dot(way) / chord].map(|across| mean * across)
        };
        let heights = [height(0), height(1), height(2)];
        [0, 1].map(|k| 0.5 * area * heights.iter().map(|height| height[k]).sum::<f64>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The triangles of a cylinder of radius 1 and length 3, triangulated as a glTF tube, sum to the
    /// volume missing from the round one.
    #[test]
    fn cylinders_of_any_number_of_sides_become_round() {
        for sides in [3_u32, 4, 5, 8, 16] {
            let angle = std::f64::consts::TAU / f64::from(sides);
            let corner = |v: u32| {
                let (sin, cos) = (angle * f64::from(v % sides)).sin_cos();
                DVec3::new(sin, f64::from(v / sides), cos)
            };
            let mut triangles = Vec::new();
            for ring in 0..3 {
                for side in 0..sides {
                    let (a, b) = (ring * sides + side, ring * sides + (side + 1) % sides);
                    triangles.extend([[a, b, a + sides], [b, b + sides, a + sides]]);
                }
            }
            let round = Round::new(4 * sides as usize, &triangles, corner);
            let more: f64 = triangles.iter().map(|&t| round.above(t, t.map(corner))[0]).sum();
            let flat = 0.5 * f64::from(sides) * angle.sin();
            let missing = 3.0 * (std::f64::consts::PI - flat);
            assert!((more / missing - 1.0).abs() < 1e-9, "{sides} sides: {more} of {missing}");
        }
    }

    /// Fruit of few triangles: number of meridians, and of rings from pole to pole.
    #[test]
    fn balls_become_round() {
        for (sides, rings) in [(8_u32, 6_u32), (12, 8), (16, 12)] {
            let corner = |v: u32| {
                let (ring, side) = (v / sides, v % sides);
                let (sin, cos) = (std::f64::consts::PI * f64::from(ring) / f64::from(rings)).sin_cos();
                let (x, z) = (std::f64::consts::TAU * f64::from(side) / f64::from(sides)).sin_cos();
                if ring.is_multiple_of(rings) { DVec3::Y * cos } else { DVec3::new(sin * x, cos, sin * z) }
            };
            // All corners at a pole share one index.
            let id = |ring: u32, side: u32| ring * sides + if ring.is_multiple_of(rings) { 0 } else { side % sides };
            let mut triangles = Vec::new();
            for (ring, side) in (0..rings).flat_map(|ring| (0..sides).map(move |side| (ring, side))) {
                let [a, b, c, d] = [id(ring, side), id(ring + 1, side), id(ring + 1, side + 1), id(ring, side + 1)];
                triangles.extend([[a, b, c], [a, c, d]].into_iter().filter(|[a, b, c]| a != b && b != c && c != a));
            }
            let flat: f64 = triangles.iter().map(|t| t.map(corner)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum();
            let round = Round::new(((rings + 1) * sides) as usize, &triangles, corner);
            let more: f64 = triangles.iter().map(|&t| round.above(t, t.map(corner))[1]).sum();
            let whole = 4.0 / 3.0 * std::f64::consts::PI;
            assert!(((flat + more) / whole - 1.0).abs() < 0.01, "{sides} by {rings}: {flat} + {more} of {whole}");
        }
    }
}
