//! Moments of the surface of a body, for bones that stand for several bodies.
//!
//! Weights are areas, because errors are visible on surfaces. With w the weight of a point p of the
//! surface, a body has W = sum w, its centre c = sum w p / W and the spread C = sum w (p - c)(p - c)^T,
//! all at rest.

use glam::{DMat3, DVec3};
use windfall_core::{Body, Plant, Pose};

use super::fit::outer;
use crate::mesh::Binding;
use crate::skin::Skin;

/// Area, centre and spread of the surface of one body at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// Area, m² (W).
    pub weight: f64,
    /// Centre, m, relative to the origin of the tree (c).
    pub centre: DVec3,
    /// Spread about the centre, m⁴, axes of the world (C).
    pub spread: DMat3,
    /// Whether a mesh contains any part of it.
    pub seen: bool,
}

/// Factor of the area of a body that is in no mesh: negligible, but not zero.
const UNSEEN: f64 = 1e-6;

impl Moments {
    /// Moments of all bodies of a plant from the meshes of a skin, in the order of their ids. Triangles
    /// give a third of their area to each corner, and corners to their bodies by weight.
    ///
    /// # Panics
    /// If the skin is bound to bodies that the plant does not have.
    pub fn of_skin(plant: &Plant, skin: &Skin) -> Vec<Self> {
        let mut all = Self::of(plant);
        // Sums about the origin.
        let about = |m: &Self| m.spread + outer(m.centre, m.centre) * m.weight;
        let mut sums: Vec<(f64, DVec3, DMat3)> =
            all.iter().map(|m| (UNSEEN * m.weight, m.centre * (UNSEEN * m.weight), about(m) * UNSEEN)).collect();
        let mut seen = vec![false; sums.len()];
        let mut add = |body: u32, weight: f64, p: DVec3| {
            let sum = &mut sums[body as usize];
            seen[body as usize] |= weight > 0.0;
            sum.0 += weight;
            sum.1 += p * weight;
            sum.2 += outer(p, p) * weight;
        };
        for mesh in skin.trees.iter().flat_map(|tree| &tree.parts).map(|part| &part.mesh) {
            for triangle in &mesh.triangles {
                let corners = triangle.map(|v| mesh.positions[v as usize].as_dvec3());
                let third = (corners[1] - corners[0]).cross(corners[2] - corners[0]).length() / 6.0;
                for (&v, p) in triangle.iter().zip(corners) {
                    let v = v as usize;
                    match &mesh.binding {
                        Binding::Rigid(bodies) => add(bodies[v], third, p),
                        Binding::Blended { bodies, weights } => {
                            for (&body, &weight) in bodies[v].iter().zip(&weights[v]).filter(|(_, w)| **w > 0.0) {
                                add(body, third * f64::from(weight), p);
                            }
                        }
                    }
                }
            }
        }
        for ((m, (weight, first, second)), seen) in all.iter_mut().zip(sums).zip(seen) {
            let centre = first / weight;
            *m = Self { weight, centre, spread: second - outer(centre, centre) * weight, seen };
        }
        all
    }

    /// Moments of all bodies of a plant, in the order of their ids.
    pub fn of(plant: &Plant) -> Vec<Self> {
        let rest = Pose::rest(plant);
        let wood = plant.segments().iter().map(Body::Wood);
        let bodies = wood.chain(plant.leaves().iter().map(Body::Leaf)).chain(plant.fruit().iter().map(Body::Fruit));
        bodies.enumerate().map(|(i, body)| Self::placed(body, &rest, i)).collect()
    }

    fn placed(body: Body<'_>, rest: &Pose, i: usize) -> Self {
        let (weight, along, spread) = in_own_axes(body);
        let turn = rest.orientations[i].as_dquat().normalize();
        let matrix = DMat3::from_quat(turn);
        Self {
            weight,
            centre: rest.positions[i].as_dvec3() + turn * (DVec3::Y * along),
            spread: matrix * DMat3::from_diagonal(spread * weight) * matrix.transpose(),
            seen: true,
        }
    }

    /// Adds the surface of another body.
    pub fn join(&mut self, other: &Self) {
        let weight = self.weight + other.weight;
        let between = other.centre - self.centre;
        self.spread += other.spread + outer(between, between) * (self.weight * other.weight / weight);
        self.centre += between * (other.weight / weight);
        self.weight = weight;
        self.seen |= other.seen;
    }
}

/// Area, distance of the centre from the joint along y, and mean squares of the distances from the
/// centre along x, y and z.
fn in_own_axes(body: Body<'_>) -> (f64, f64, DVec3) {
    use std::f64::consts::PI;
    match body {
        // The lateral surface of a cylinder with the mean radius; taper moves the centre by less than a
        // sixth of the length.
        Body::Wood(s) => {
            let (length, radius) = (f64::from(s.length), 0.5 * f64::from(s.base_radius + s.tip_radius));
            let across = 0.5 * radius * radius;
            (2.0 * PI * radius * length, 0.5 * length, DVec3::new(across, length * length / 12.0, across))
        }
        // Both sides of the triangle: its base along x, its apex at the end. Mean squares of a triangle:
        // b²/24 and h²/18.
        Body::Leaf(l) => {
            let (width, length) = (f64::from(l.width), f64::from(l.length));
            let along = f64::from(l.petiole_length) + length / 3.0;
            (2.0 * l.area(), along, DVec3::new(width * width / 24.0, length * length / 18.0, 0.0))
        }
        Body::Fruit(f) => {
            let radius = f64::from(f.radius);
            (4.0 * PI * radius * radius, f64::from(f.stalk_length) + radius, DVec3::splat(radius * radius / 3.0))
        }
    }
}
