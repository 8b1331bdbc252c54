//! Vertices with their joints, and their triangles.

use std::collections::HashMap;

use glam::Vec3;

use crate::document::schema::Primitive;
use crate::document::{Document, Wanted};
use crate::error::RigError;
use crate::sections::Triangle;

/// Minimum weight for a triangle to count as near a joint.
const NEAR: f32 = 0.1;
/// Vertex positions and their joint weights.
pub(crate) struct Vertices {
    pub places: Vec<Vec3>,
    /// Joints and weights of all vertices; the weights of a vertex sum to 1, or it has none.
    pub influences: Vec<(u32, f32)>,
    /// End index of the influences of each vertex.
    pub ends: Vec<u32>,
    /// Whether the winding of triangles is reversed by a mirroring transform.
    pub mirrored: bool,
}

impl Vertices {
    pub fn of(&self, vertex: usize) -> &[(u32, f32)] {
        let begin = vertex.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.influences[begin as usize..self.ends[vertex] as usize]
    }
}

/// Triangles of bark, of all meshes. Wood may be split over several meshes (separate bark for twigs, skins
/// with few joints), so vertices at equal positions are merged.
#[derive(Debug, Default)]
pub(crate) struct Wood {
    places: Vec<Vec3>,
    numbers: HashMap<[u32; 3], u32>,
    triangles: Vec<[u32; 3]>,
    /// Triangle index by sorted corners.
    known: HashMap<[u32; 3], u32>,
    /// For each joint the indices of its weighted triangles, ascending.
    on: Vec<Vec<u32>>,
}

impl Wood {
    pub fn new(joints: usize) -> Self {
        Self { on: vec![Vec::new(); joints], ..Self::default() }
    }

    /// Adds a triangle; coincident triangles count once.
    pub fn add(&mut self, corners: [u32; 3], vertices: &Vertices) {
        let [a, b, c] = corners.map(|v| self.number(vertices.places[v as usize]));
        // Degenerate triangles are skipped.
        if a == b || b == c || c == a {
            return;
        }
        let mut same = [a, b, c];
        same.sort_unstable();
        let next = self.triangles.len() as u32;
        let id = *self.known.entry(same).or_insert(next);
        if id == next {
            self.triangles.push(if vertices.mirrored { [a, c, b] } else { [a, b, c] });
        }
        for v in corners {
            for &(joint, weight) in vertices.of(v as usize) {
                let on = &mut self.on[joint as usize];
                if weight >= NEAR && on.last() != Some(&id) {
                    on.push(id);
                }
            }
        }
    }

    /// Called after the last triangle: coincident triangles may add other joints or repeat the same joint.
    pub fn finish(&mut self) {
        (self.known, self.numbers) = (HashMap::new(), HashMap::new());
        for on in &mut self.on {
            on.sort_unstable();
            on.dedup();
        }
    }

    fn number(&mut self, place: Vec3) -> u32 {
        let next = self.places.len() as u32;
        // Adding zero turns -0 into 0.
        let number = *self.numbers.entry((place + Vec3::ZERO).to_array().map(f32::to_bits)).or_insert(next);
        if number == next {
            self.places.push(place);
        }
        number
    }

    /// Number of triangles near a joint.
    pub fn count(&self, joint: usize) -> usize {
        self.on[joint].len()
    }

    pub fn near(&self, joint: usize) -> impl Iterator<Item = Triangle> + Clone {
        let place = |v: u32| self.places[v as usize].as_dvec3();
        self.on[joint].iter().map(move |&t| (self.triangles[t as usize], self.triangles[t as usize].map(place)))
    }
}

/// The joint with the largest weight of a triangle.
pub(crate) fn heaviest(vertices: &Vertices, corners: &[u32; 3]) -> Option<u32> {
    let mut sums: Vec<(u32, f32)> = Vec::with_capacity(4);
    for &v in corners {
        for &(joint, weight) in vertices.of(v as usize) {
            match sums.iter_mut().find(|(known, _)| *known == joint) {
                Some((_, sum)) => *sum += weight,
                None => sums.push((joint, weight)),
            }
        }
    }
    sums.into_iter()
        .filter(|(_, sum)| *sum > 0.0)
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
        .map(|(j, _)| j)
}

/// Triangles of lists, strips and fans; points and lines have none.
pub(crate) fn triangles(
    document: &Document,
    primitive: &Primitive,
    item: &str,
    count: usize,
) -> Result<Vec<[u32; 3]>, RigError> {
    let mode = primitive.mode.unwrap_or(4);
    if !(4..=6).contains(&mode) {
        return Ok(Vec::new());
    }
    let indices: Vec<u32> = match primitive.indices {
        Some(accessor) => {
            let numbers = document.numbers(accessor, "SCALAR", Wanted::Indices)?;
            (0..numbers.len()).map(|i| numbers.item::<1>(i)[0] as u32).collect()
        }
        None => (0..count as u32).collect(),
    };
    if let Some(bad) = indices.iter().find(|&&i| i as usize >= count) {
        return Err(RigError::broken(item, format!("an index of {bad}, but it has {count} vertices")));
    }
    Ok(match mode {
        4 => indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
        5 => indices
            .windows(3)
            .enumerate()
            .map(|(i, t)| if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] })
            .collect(),
        _ => indices.get(1..).unwrap_or_default().windows(2).map(|t| [indices[0], t[0], t[1]]).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two trees of a file may have the same trunk at the same position, on separate bones.
    #[test]
    fn triangles_at_one_place_are_near_the_joints_of_all() {
        let mesh = |joint: u32| Vertices {
            places: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
            influences: vec![(joint, 1.0); 4],
            ends: vec![1, 2, 3, 4],
            mirrored: false,
        };
        let mut wood = Wood::new(3);
        for joint in [0, 1, 0] {
            wood.add([0, 1, 2], &mesh(joint));
            wood.add([0, 1, 3], &mesh(joint));
        }
        wood.finish();
        assert_eq!([0, 1, 2].map(|joint| wood.near(joint).count()), [2, 2, 0]);
    }
}
