//! Classification of the loose parts of a mesh as wood or foliage.
//!
//! Criteria in this order: names of material and mesh (`bark`, `leaves`, ...); alpha masks and blends are
//! foliage unless the part is a tube; opaque parts are foliage if they are small flat sheets. The user can
//! name the leaf materials instead.

use std::collections::{HashMap, HashSet};

use glam::{DMat3, Vec3};

use crate::document::schema::{Primitive, Schema};
use crate::eigen::{eigen, outer};

/// The class of a loose part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Wood,
    /// Fraction of the area covered by leaf.
    Foliage {
        fill: f64,
    },
}

/// Leaf fraction of a card with an alpha mask. Textures are not read.
const CARD_FILL: f64 = 0.5;
/// Maximum number of triangles of an opaque sheet classified as leaf.
const SHEET: usize = 64;

const LEAF_WORDS: [&str; 10] =
    ["leaf", "leaves", "foliage", "needle", "frond", "petal", "blossom", "flower", "blatt", "feuille"];
const WOOD_WORDS: [&str; 8] = ["bark", "wood", "trunk", "branch", "stem", "rinde", "stamm", "ecorce"];

/// Loose parts: vertices connected by triangles or equal positions.
pub(crate) struct Parts {
    part_of: Vec<u32>,
    /// For each vertex the first vertex at the same position.
    welded: Vec<u32>,
    shapes: Vec<Shape>,
    /// Duplicates of triangles with the same corners.
    doubles: HashSet<u32>,
}

/// Shape properties of a part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub triangles: usize,
    pub area: f64,
    pub low: Vec3,
    pub high: Vec3,
    /// Sum of area times `n n^T`.
    normals: DMat3,
}

impl Parts {
    pub fn new(places: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let mut firsts: HashMap<[u32; 3], u32> = HashMap::with_capacity(places.len());
        // Adding zero turns -0 into 0.
        let welded: Vec<u32> = (0_u32..)
            .zip(places)
            .map(|(i, p)| *firsts.entry((*p + Vec3::ZERO).to_array().map(f32::to_bits)).or_insert(i))
            .collect();
        let mut leader: Vec<u32> = (0..places.len() as u32).collect();
        for t in triangles {
            let [a, b, c] = t.map(|v| find(&mut leader, welded[v as usize]));
            let least = a.min(b).min(c);
            for v in [a, b, c] {
                leader[v as usize] = least;
            }
        }
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut shapes: Vec<Shape> = Vec::new();
        let part_of: Vec<u32> = places
            .iter()
            .zip(&welded)
            .map(|(&at, &v)| {
                let part = *numbers.entry(find(&mut leader, v)).or_insert_with(|| {
                    shapes.push(Shape { triangles: 0, area: 0.0, low: at, high: at, normals: DMat3::ZERO });
                    shapes.len() as u32 - 1
                });
                let shape = &mut shapes[part as usize];
                (shape.low, shape.high) = (shape.low.min(at), shape.high.max(at));
                part
            })
            .collect();
        let mut known: HashSet<[u32; 3]> = HashSet::with_capacity(triangles.len());
        let mut doubles = HashSet::new();
        for (t, corners) in (0_u32..).zip(triangles) {
            let mut same = corners.map(|v| welded[v as usize]);
            same.sort_unstable();
            if !known.insert(same) {
                doubles.insert(t);
            }
            let [a, b, c] = corners.map(|v| places[v as usize].as_dvec3());
            let normal = (b - a).cross(c - a);
            let area = 0.5 * normal.length();
            let shape = &mut shapes[part_of[corners[0] as usize] as usize];
            shape.triangles += 1;
            if area > 0.0 && area.is_finite() {
                shape.area += area;
                shape.normals += outer(normal.normalize_or_zero(), area);
            }
        }
        Self { part_of, welded, shapes, doubles }
    }

    pub fn count(&self) -> usize {
        self.shapes.len()
    }

    pub fn shape(&self, part: usize) -> &Shape {
        &self.shapes[part]
    }

    pub fn of_vertex(&self, vertex: usize) -> usize {
        self.part_of[vertex] as usize
    }

    /// Normals of all vertices, shared at equal positions. For mirrored triangles they are inverted.
    pub fn normals(&self, places: &[Vec3], triangles: &[[u32; 3]], mirrored: bool) -> Vec<Vec3> {
        let mut sums = vec![Vec3::ZERO; places.len()];
        for corners in triangles {
            let [a, b, c] = corners.map(|v| places[v as usize]);
            let normal = if mirrored { (c - a).cross(b - a) } else { (b - a).cross(c - a) };
            for &v in corners {
                sums[self.welded[v as usize] as usize] += normal;
            }
        }
        self.welded.iter().map(|&first| sums[first as usize].normalize_or_zero()).collect()
    }

    /// The first vertex at the position of `vertex`.
    pub fn welded(&self, vertex: u32) -> u32 {
        self.welded[vertex as usize]
    }

    pub fn is_double(&self, triangle: usize) -> bool {
        self.doubles.contains(&(triangle as u32))
    }
}

pub(crate) fn find(leader: &mut [u32], mut v: u32) -> u32 {
    while leader[v as usize] != v {
        leader[v as usize] = leader[leader[v as usize] as usize];
        v = leader[v as usize];
    }
    v
}

impl Shape {
    /// Fractions of the area that face along three orthogonal principal axes, largest first.
    fn facing(&self) -> [f64; 3] {
        if self.area <= 0.0 { [1.0, 0.0, 0.0] } else { eigen(self.normals * (1.0 / self.area)).0 }
    }

    fn is_flat(&self) -> bool {
        self.facing()[0] > 0.8
    }

    /// A tube is long for its surface, with normals all around: ratio of length to the radius of a tube
    /// with this surface.
    fn is_tube(&self) -> bool {
        let length = self.low.distance(self.high).into();
        let radius = self.area / (std::f64::consts::TAU * f64::max(length, f64::MIN_POSITIVE));
        self.triangles >= 12 && self.facing()[1] > 0.25 && length > 6.0 * radius
    }
}

/// Material properties that classify parts.
pub(crate) struct Looks<'a> {
    pub schema: &'a Schema,
    /// Leaf materials named by the user; if given, no other materials are leaves.
    pub leaf_materials: Option<&'a [String]>,
}

impl Looks<'_> {
    pub fn kind(&self, primitive: &Primitive, mesh: &str, shape: &Shape) -> Kind {
        let material = primitive.material.and_then(|m| self.schema.materials.get(m));
        let name = material.and_then(|m| m.name.as_deref()).unwrap_or_default();
        let cut = material.is_some_and(|m| matches!(m.alpha_mode.as_deref(), Some("MASK" | "BLEND")));
        let foliage = Kind::Foliage { fill: if cut { CARD_FILL } else { 1.0 } };
        let is = |leaf: bool| if leaf { foliage } else { Kind::Wood };
        if let Some(named) = self.leaf_materials {
            return is(named.iter().any(|known| known == name));
        }
        let has = |text: &str, words: &[&str]| {
            let text = text.to_lowercase();
            words.iter().any(|word| text.contains(word))
        };
        for text in [name, mesh] {
            match (has(text, &LEAF_WORDS), has(text, &WOOD_WORDS)) {
                (true, false) => return foliage,
                (false, true) => return Kind::Wood,
                _ => {}
            }
        }
        is(if cut { !shape.is_tube() } else { shape.is_flat() && shape.triangles <= SHEET })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tube of n sides around y, and a square card of two triangles beside it.
    fn tube_and_card() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let (mut places, mut triangles) = (Vec::new(), Vec::new());
        for ring in 0..4_u8 {
            for side in 0..8_u8 {
                let angle = f32::from(side) * std::f32::consts::TAU / 8.0;
                places.push(Vec3::new(0.1 * angle.cos(), f32::from(ring), 0.1 * angle.sin()));
            }
        }
        for ring in 0..3 {
            for side in 0..8 {
                let (a, b) = (8 * ring + side, 8 * ring + (side + 1) % 8);
                triangles.extend([[a, b, a + 8], [b, b + 8, a + 8]]);
            }
        }
        let first = places.len() as u32;
        places.extend([Vec3::X, Vec3::X * 2.0, Vec3::new(2.0, 1.0, 0.0), Vec3::new(1.0, 1.0, 0.0)]);
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3], [first, first + 2, first + 1]]);
        (places, triangles)
    }

    #[test]
    fn loose_parts_are_told_apart() {
        let (places, triangles) = tube_and_card();
        let parts = Parts::new(&places, &triangles);
        assert_eq!(parts.count(), 2);
        let (tube, card) = (parts.shape(0), parts.shape(1));
        assert!(tube.is_tube() && !tube.is_flat());
        assert!(card.is_flat() && !card.is_tube());
        assert_eq!((card.low, card.high), (Vec3::X, Vec3::new(2.0, 1.0, 0.0)));
        assert!(parts.is_double(triangles.len() - 1) && !parts.is_double(triangles.len() - 2));
        let schema = serde_json::from_str(
            r#"{"asset":{"version":"2.0"},"materials":[{"name":"a","alphaMode":"MASK"},{"name":"b"},{"name":"Oak_Leaves"},{"name":"Bark","alphaMode":"BLEND"}]}"#,
        );
        let looks = Looks { schema: &schema.unwrap(), leaf_materials: None };
        let kind = |material: usize, shape| {
            looks.kind(&Primitive { material: Some(material), ..Primitive::default() }, "tree", shape)
        };
        assert_eq!([kind(0, tube), kind(1, tube), kind(3, tube)], [Kind::Wood; 3]);
        assert_eq!(kind(0, card), Kind::Foliage { fill: 0.5 });
        assert_eq!([kind(1, card), kind(2, card), kind(2, tube)], [Kind::Foliage { fill: 1.0 }; 3]);
        assert_eq!(kind(3, card), Kind::Wood);
    }
}
