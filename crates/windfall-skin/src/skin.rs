//! The visible surface of a plant.

use crate::material::Material;
use crate::mesh::Mesh;

/// Meshes for every tree of a plant, and what they look like.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Skin {
    /// One per tree of the plant, in its order.
    pub trees: Vec<TreeSkin>,
    /// What the parts of the trees refer to.
    pub materials: Vec<Material>,
}

/// The surface of one tree.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TreeSkin {
    /// Bark first, then leaves, then fruit. The parts of the bark join each other without gaps.
    pub parts: Vec<SkinPart>,
}

/// All triangles of one material.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SkinPart {
    /// What it is, for people: `bark`, `leaves`, ...
    pub name: String,
    /// Index into [`Skin::materials`].
    pub material: usize,
    /// Its triangles.
    pub mesh: Mesh,
}
