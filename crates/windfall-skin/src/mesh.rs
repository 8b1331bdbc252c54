//! Triangles bound to bodies.

use glam::{Vec2, Vec3};

/// A triangle mesh of one material, in the rest shape of its tree. All per-vertex lists have the same length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// Positions, m, relative to the origin of the tree.
    pub positions: Vec<Vec3>,
    /// Unit vectors, outward; for cards, towards the upper side.
    pub normals: Vec<Vec3>,
    /// Texture coordinates as in glTF: (0, 0) is the upper left corner of the image, v runs down. Bark
    /// goes beyond 0 to 1 (it repeats).
    pub uvs: Vec<Vec2>,
    /// Factors of the base colour, linear, 255 is one. The fourth is always 255.
    pub tints: Vec<[u8; 4]>,
    /// Counter-clockwise seen from outside (for cards, from the upper side).
    pub triangles: Vec<[u32; 3]>,
    /// Binding of each vertex to bodies.
    pub binding: Binding,
}

/// Bodies of each vertex of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum Binding {
    /// One body per vertex: leaves and fruit.
    Rigid(Vec<u32>),
    /// Up to four bodies per vertex with weights that add up to one; unused places have weight zero and
    /// repeat the first body. The largest weight comes first.
    Blended {
        /// [`windfall_core::BodyId`]s.
        bodies: Vec<[u32; 4]>,
        /// Weight of each of them.
        weights: Vec<[f32; 4]>,
    },
}

impl Default for Binding {
    fn default() -> Self {
        Self::Rigid(Vec::new())
    }
}

impl Mesh {
    /// Smallest and largest corner of its box; none when it is empty.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let first = *self.positions.first()?;
        Some(self.positions.iter().fold((first, first), |(low, high), &p| (low.min(p), high.max(p))))
    }

    /// Size of its lists, bytes.
    pub fn bytes(&self) -> usize {
        let n = self.positions.len();
        let bound = match &self.binding {
            Binding::Rigid(_) => 4,
            Binding::Blended { .. } => 32,
        };
        n * (12 + 12 + 8 + 4 + bound) + 12 * self.triangles.len()
    }

    /// Reserves space for `share` times this many vertices and triangles with blended binding.
    pub(crate) fn reserve_blended(&mut self, [vertices, triangles]: [usize; 2], share: f64) {
        let room = |n: usize| (n as f64 * share) as usize;
        self.positions.reserve_exact(room(vertices));
        self.normals.reserve_exact(room(vertices));
        self.uvs.reserve_exact(room(vertices));
        self.tints.reserve_exact(room(vertices));
        self.triangles.reserve_exact(room(triangles));
        if let Binding::Blended { bodies, weights } = &mut self.binding {
            bodies.reserve_exact(room(vertices));
            weights.reserve_exact(room(vertices));
        }
    }

    /// Releases unused capacity.
    pub(crate) fn shrink(&mut self) {
        self.positions.shrink_to_fit();
        self.normals.shrink_to_fit();
        self.uvs.shrink_to_fit();
        self.tints.shrink_to_fit();
        self.triangles.shrink_to_fit();
        if let Binding::Blended { bodies, weights } = &mut self.binding {
            bodies.shrink_to_fit();
            weights.shrink_to_fit();
        }
    }
}
