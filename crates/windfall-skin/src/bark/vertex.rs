//! Vertices of bark and their weights.

use glam::{Vec2, Vec3};

use crate::mesh::{Binding, Mesh};

#[derive(Debug, Clone, Copy)]
pub(super) struct Vertex {
    pub position: Vec3,
    pub normal: Vec3,
    pub uv: Vec2,
    pub weights: Weights,
}

/// Weights of up to four bodies, with the sum one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weights {
    pub bodies: [u32; 4],
    pub weights: [f32; 4],
}

impl Weights {
    pub fn one(body: u32) -> Self {
        Self { bodies: [body; 4], weights: [1.0, 0.0, 0.0, 0.0] }
    }

    /// Weights of two bodies; the first is at least as large as the second.
    pub fn pair(a: u32, wa: f32, b: u32, wb: f32) -> Self {
        if wb == 0.0 {
            return Self::one(a);
        }
        Self { bodies: [a, b, a, a], weights: [wa, wb, 0.0, 0.0] }
    }

    /// Linear blend of two sets: `share` of the second. The four largest weights stay.
    pub fn mix(self, other: Self, share: f32) -> Self {
        if share.is_nan() || share <= 0.0 {
            return self;
        }
        let mut sum: [(f32, u32); 8] = [(0.0, u32::MAX); 8];
        for (from, factor) in [(self, 1.0 - share), (other, share)] {
            for (&body, &weight) in from.bodies.iter().zip(&from.weights) {
                let weight = weight * factor;
                if weight > 0.0
                    && let Some(slot) = sum.iter_mut().find(|s| s.1 == body || s.1 == u32::MAX)
                {
                    *slot = (slot.0 + weight, body);
                }
            }
        }
        sum.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let [a, b, c, d, ..] = sum;
        let strongest = [a, b, c, d];
        let total: f32 = strongest.iter().map(|s| s.0).sum();
        Self {
            bodies: strongest.map(|(_, body)| if body == u32::MAX { a.1 } else { body }),
            weights: strongest.map(|(weight, _)| weight / total),
        }
    }
}

/// A mesh under construction, vertex by vertex.
#[derive(Debug, Default)]
pub(super) struct Patch {
    vertices: Vec<Vertex>,
    pub triangles: Vec<[u32; 3]>,
}

impl Patch {
    pub fn push(&mut self, vertex: Vertex) -> u32 {
        self.vertices.push(vertex);
        // A batch of stems is far from four billion vertices; `append_to` checks the whole mesh.
        self.vertices.len() as u32 - 1
    }

    pub fn len(&self) -> usize {
        self.vertices.len()
    }

    pub fn get(&self, index: u32) -> Vertex {
        self.vertices[index as usize]
    }

    /// Adds its vertices and triangles to a mesh with blended binding.
    pub fn append_to(self, mesh: &mut Mesh) {
        let first = u32::try_from(mesh.positions.len() + self.vertices.len())
            .expect("a mesh of less than four billion vertices; a coarser level of detail has fewer");
        let first = first - self.vertices.len() as u32;
        mesh.positions.extend(self.vertices.iter().map(|v| v.position));
        mesh.normals.extend(self.vertices.iter().map(|v| v.normal));
        mesh.uvs.extend(self.vertices.iter().map(|v| v.uv));
        mesh.tints.resize(mesh.positions.len(), [255; 4]);
        mesh.triangles.extend(self.triangles.iter().map(|t| t.map(|i| first + i)));
        if let Binding::Blended { bodies, weights } = &mut mesh.binding {
            bodies.extend(self.vertices.iter().map(|v| v.weights.bodies));
            weights.extend(self.vertices.iter().map(|v| v.weights.weights));
        }
    }
}
