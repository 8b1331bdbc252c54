//! Vertices with their joints, and triangles of them.

use std::collections::HashMap;

use glam::Vec3;

use crate::document::schema::Primitive;
use crate::document::{Document, Wanted};
use crate::error::RigError;
use crate::sections::Triangle;

/// Of a weight that makes a triangle near to a joint, at least.
const NEAR: f32 = 0.1;
/// Where vertices go, and which joints they hang on.
pub(crate) struct Vertices {
    pub places: Vec<Vec3>,
    /// Joints and weights of all vertices; those of a vertex add up to 1, or there are none.
    pub influences: Vec<(u32, f32)>,
    /// Where those of each vertex end.
    pub ends: Vec<u32>,
    /// Whether triangles are seen from their backs, because something mirrors them.
    pub mirrored: bool,
}

impl Vertices {
    pub fn of(&self, vertex: usize) -> &[(u32, f32)] {
        let begin = vertex.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.influences[begin as usize..self.ends[vertex] as usize]
    }
}

/// Triangles of bark, of all meshes. Wood goes on from one mesh to the next (bark of its own for twigs, skins with few joints), so vertices at one place are one.
#[derive(Debug, Default)]
pub(crate) struct Wood {
    places: Vec<Vec3>,
    numbers: HashMap<[u32; 3], u32>,
    triangles: Vec<[u32; 3]>,
    /// Of their corners in order.
    known: HashMap<[u32; 3], u32>,
    /// Triangles that hang on each joint by some weight, from the first to the last.
    on: Vec<Vec<u32>>,
}

impl Wood {
    pub fn new(joints: usize) -> Self {
        Self { on: vec![Vec::new(); joints], ..Self::default() }
    }

    /// Adds a triangle; those that lie on another count once.
    pub fn add(&mut self, corners: [u32; 3], vertices: &Vertices) {
        let [a, b, c] = corners.map(|v| self.number(vertices.places[v as usize]));
        // Corners that are one place are no corners.
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

    /// After the last triangle: a triangle that lies on another may hang on other joints, or on the same once more.
    pub fn finish(&mut self) {
        (self.known, self.numbers) = (HashMap::new(), HashMap::new());
        for on in &mut self.on {
            on.sort_unstable();
            on.dedup();
        }
    }

    fn number(&mut self, place: Vec3) -> u32 {
        let next = self.places.len() as u32;
        // Adding zero makes -0 to 0.
        let number = *self.numbers.entry((place + Vec3::ZERO).to_array().map(f32::to_bits)).or_insert(next);
        if number == next {
            self.places.push(place);
        }
        number
    }

    /// How many triangles are near a joint.
    pub fn count(&self, joint: usize) -> usize {
        self.on[joint].len()
    }

    pub fn near(&self, joint: usize) -> impl Iterator<Item = Triangle> + Clone {
        let place = |v: u32| self.places[v as usize].as_dvec3();
        self.on[joint].iter().map(move |&t| (self.triangles[t as usize], self.triangles[t as usize].map(place)))
    }
}

/// The joint that a triangle hangs on most.
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

/// Of lists, strips and fans; points and lines have none.
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

    /// Two trees of a file may have the same trunk at the same place, on bones of their own.
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
