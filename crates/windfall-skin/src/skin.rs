//! The visible surface of a plant.

use crate::material::Material;
use crate::mesh::Mesh;

/// Meshes for every tree of a plant, and their materials.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Skin {
    /// One per tree of the plant, in its order.
    pub trees: Vec<TreeSkin>,
    /// Materials of the parts of the trees.
    pub materials: Vec<Material>,
}

/// The surface of one tree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TreeSkin {
    /// Bark first, then leaves, then fruit. The parts of the bark join each other without gaps.
    pub parts: Vec<SkinPart>,
    /// Number of branches without room on their parent: their bark is closed at the base and overlaps
    /// the parent instead of being joined.
    pub loose_branches: usize,
}

/// All triangles of one material.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SkinPart {
    /// Readable name: `bark`, `leaves`, ...
    pub name: String,
    /// Index into [`Skin::materials`].
    pub material: usize,
    /// Its triangles.
    pub mesh: Mesh,
}

impl Skin {
    /// Removes materials that no part refers to.
    pub fn drop_unused_materials(&mut self) {
        let mut used = vec![false; self.materials.len()];
        for part in self.trees.iter().flat_map(|tree| &tree.parts) {
            used[part.material] = true;
        }
        let new: Vec<usize> = used
            .iter()
            .scan(0, |n, &u| {
                let i = *n;
                *n += usize::from(u);
                Some(i)
            })
            .collect();
        let mut keep = used.iter();
        self.materials.retain(|_| keep.next() == Some(&true));
        for part in self.trees.iter_mut().flat_map(|tree| &mut tree.parts) {
            part.material = new[part.material];
        }
    }

    /// Number of branches of all trees whose bark is not joined to that of their parent.
    pub fn loose_branches(&self) -> usize {
        self.trees.iter().map(|tree| tree.loose_branches).sum()
    }

    /// Number of vertices of all parts.
    pub fn vertex_count(&self) -> usize {
        self.meshes().map(|mesh| mesh.positions.len()).sum()
    }

    /// Number of triangles of all parts.
    pub fn triangle_count(&self) -> usize {
        self.meshes().map(|mesh| mesh.triangles.len()).sum()
    }

    /// Size of the lists of all meshes, bytes.
    pub fn mesh_bytes(&self) -> usize {
        self.meshes().map(Mesh::bytes).sum()
    }

    fn meshes(&self) -> impl Iterator<Item = &Mesh> {
        self.trees.iter().flat_map(|tree| &tree.parts).map(|part| &part.mesh)
    }
}
