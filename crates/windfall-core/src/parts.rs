//! The plain data of a plant, as it stands in a file, not yet validated.
//!
//! Positions are metres relative to the origin of the tree that the body belongs to, so that a twig
//! keeps its precision in `f32` even when its tree stands a kilometre from the world's origin.

use glam::{DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::materials::{FruitMaterial, LeafMaterial, WoodMaterial};

/// All data of a plant. [`crate::Plant::new`] validates it.
///
/// Body ids follow from the order of these lists: first all segments, then all leaves, then all fruit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlantParts {
    /// Name of the plant.
    pub name: String,
    /// Origin of the plant (grower, species, seed, imported file); free text.
    pub provenance: String,
    /// The trees; each has exactly one branch without a parent.
    pub trees: Vec<Tree>,
    /// The branches, a parent before its children. Their segments stand in [`PlantParts::segments`],
    /// branch after branch in this order.
    pub branches: Vec<Branch>,
    /// The wood segments of all branches.
    pub segments: Vec<Segment>,
    /// Leaves, needles, petals, blossoms and fronds.
    pub leaves: Vec<Leaf>,
    /// Fruit.
    pub fruit: Vec<Fruit>,
    /// Materials of the wood.
    pub wood_materials: Vec<WoodMaterial>,
    /// Materials of the leaves.
    pub leaf_materials: Vec<LeafMaterial>,
    /// Materials of the fruit.
    pub fruit_materials: Vec<FruitMaterial>,
}

/// One tree of the plant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// Name of the tree.
    pub name: String,
    /// Origin of its local coordinates, world metres.
    pub origin: DVec3,
}

/// A run of segments, each the child of the previous one: a trunk, a limb, a twig.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Branch {
    /// The parent segment; none for the root branch of a tree.
    pub parent: Option<u32>,
    /// Index of its tree.
    pub tree: u32,
    /// Number of its segments (at least one).
    pub segment_count: u32,
    /// Index of its wood material.
    pub material: u16,
    /// Branch order: 0 for a trunk, 1 for its limbs, and so on. A fork that continues its parent keeps
    /// the order.
    pub order: u16,
}

/// A conical frustum of wood.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// The joint to its parent: centre of its base, m, relative to the tree's origin.
    pub position: Vec3,
    /// Rest frame: rotates body axes to world axes; +y runs from base to tip. As x, y, z, w.
    pub orientation: Quat,
    /// Distance from base to tip, m.
    pub length: f32,
    /// Radius at the base, m.
    pub base_radius: f32,
    /// Radius at the tip, m.
    pub tip_radius: f32,
}

/// A leaf, needle tuft, petal, blossom or frond leaflet: a petiole and a thin triangle.
///
/// The petiole runs from the joint along +y. The proxy triangle follows: its base edge of length `width`
/// lies along x at `y = petiole_length`, its apex at `y = petiole_length + length`. Its area is the area
/// of the real blade.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leaf {
    /// The parent segment.
    pub parent: u32,
    /// Index of its leaf material.
    pub material: u16,
    /// The joint: base of the petiole, m, relative to the tree's origin.
    pub position: Vec3,
    /// Rest frame: x width, y length, z normal. As x, y, z, w.
    pub orientation: Quat,
    /// Base edge of the proxy triangle, m.
    pub width: f32,
    /// Height of the proxy triangle, which is the length of the blade, m.
    pub length: f32,
    /// Length of the petiole, m; may be zero (a sessile leaf).
    pub petiole_length: f32,
    /// Radius of the petiole, m.
    pub petiole_radius: f32,
}

/// A fruit: a stalk along +y from the joint, and a sphere at its end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fruit {
    /// The parent segment.
    pub parent: u32,
    /// Index of its fruit material.
    pub material: u16,
    /// The joint: base of the stalk, m, relative to the tree's origin.
    pub position: Vec3,
    /// Rest frame: +y from the joint to the centre of the sphere. As x, y, z, w.
    pub orientation: Quat,
    /// Radius of the sphere, m.
    pub radius: f32,
    /// Length of the stalk, m; may be zero.
    pub stalk_length: f32,
    /// Radius of the stalk, m.
    pub stalk_radius: f32,
}

impl Leaf {
    /// Area of the proxy triangle, m².
    pub fn area(&self) -> f64 {
        0.5 * f64::from(self.width) * f64::from(self.length)
    }
}
