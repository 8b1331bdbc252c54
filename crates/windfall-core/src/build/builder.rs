//! Assembles a plant from branches, leaves and fruit.

use glam::{DQuat, DVec3};

use super::frames::{frame_along, transported};
use super::{CentreLine, LineError, Node, Segmentation};
use crate::materials::{FruitMaterial, LeafMaterial, WoodMaterial};
use crate::parts::{Branch, Fruit, Leaf, PlantParts, Segment, Tree};
use crate::plant::Plant;
use crate::validate::InvalidPlant;

/// Handle of a tree in a [`PlantBuilder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeIndex(pub usize);

/// Handle of a branch in a [`PlantBuilder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BranchIndex(pub usize);

/// Handle of a material in a [`PlantBuilder`]; wood, leaf and fruit materials are counted separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaterialIndex(pub u16);

/// The attachment of a branch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Attachment {
    /// The ground: the first branch of a tree.
    Root(TreeIndex),
    /// The side of another branch: the nearest of its segments to the base of the line becomes the
    /// parent. The order is one higher.
    Lateral(BranchIndex),
    /// The tip of another branch, continued as one of several forks. The order is the same.
    Fork(BranchIndex),
}

/// Why a plant could not be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The centre line of a branch cannot be divided into segments.
    #[error("branch {branch}: {reason}")]
    Line {
        /// Index of the branch, in the order of calls.
        branch: usize,
        /// The error of the centre line.
        reason: LineError,
    },
    /// An index that this builder did not return.
    #[error("{what} {index} does not exist: the builder has {count}")]
    Unknown {
        /// Kind of the index: branch or tree.
        what: &'static str,
        /// The index.
        index: usize,
        /// Number of items of this kind in the builder.
        count: usize,
    },
}

/// Builds a plant branch by branch, a parent before its children.
#[derive(Debug, Clone, Default)]
pub struct PlantBuilder {
    parts: PlantParts,
    /// Index of the first segment of each branch.
    firsts: Vec<usize>,
}

impl PlantBuilder {
    /// An empty builder for a plant with this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { parts: PlantParts { name: name.into(), ..PlantParts::default() }, firsts: Vec::new() }
    }

    /// Sets the provenance of the plant (free text).
    pub fn provenance(&mut self, text: impl Into<String>) {
        self.parts.provenance = text.into();
    }

    /// Begins a tree. All its coordinates are relative to `origin`, world metres.
    pub fn tree(&mut self, name: impl Into<String>, origin: DVec3) -> TreeIndex {
        self.parts.trees.push(Tree { name: name.into(), origin });
        TreeIndex(self.parts.trees.len() - 1)
    }

    /// Adds a wood material.
    pub fn wood_material(&mut self, material: WoodMaterial) -> MaterialIndex {
        self.parts.wood_materials.push(material);
        MaterialIndex((self.parts.wood_materials.len() - 1) as u16)
    }

    /// Adds a leaf material.
    pub fn leaf_material(&mut self, material: LeafMaterial) -> MaterialIndex {
        self.parts.leaf_materials.push(material);
        MaterialIndex((self.parts.leaf_materials.len() - 1) as u16)
    }

    /// Adds a fruit material.
    pub fn fruit_material(&mut self, material: FruitMaterial) -> MaterialIndex {
        self.parts.fruit_materials.push(material);
        MaterialIndex((self.parts.fruit_materials.len() - 1) as u16)
    }

    /// Divides the line into segments and adds them as a branch.
    pub fn branch(
        &mut self,
        on: Attachment,
        material: MaterialIndex,
        line: &CentreLine,
        segmentation: &Segmentation,
    ) -> Result<BranchIndex, BuildError> {
        let nodes =
            segmentation.cut(line).map_err(|reason| BuildError::Line { branch: self.parts.branches.len(), reason })?;
        self.branch_of_nodes(on, material, &nodes)
    }

    /// Adds a branch from nodes that are already the ends of segments; neighbouring nodes must differ in
    /// position.
    pub fn branch_of_nodes(
        &mut self,
        on: Attachment,
        material: MaterialIndex,
        nodes: &[Node],
    ) -> Result<BranchIndex, BuildError> {
        let index = self.parts.branches.len();
        if nodes.len() < 2 {
            let reason = LineError::TooShort { points: nodes.len(), extent: 0.0, least: 0.0 };
            return Err(BuildError::Line { branch: index, reason });
        }
        let distance = |i: usize| nodes[i].position.distance(nodes[i + 1].position);
        if let Some(i) = (0..nodes.len() - 1).find(|&i| !(distance(i) > 0.0 && distance(i).is_finite())) {
            let reason = LineError::NoLength { index: i, distance: distance(i) };
            return Err(BuildError::Line { branch: index, reason });
        }
        let (parent, tree, order) = self.resolve(on, nodes[0].position)?;
        let mut frame = parent.map_or(DQuat::IDENTITY, |p| self.parts.segments[p as usize].orientation.as_dquat());
        self.firsts.push(self.parts.segments.len());
        for (i, pair) in nodes.windows(2).enumerate() {
            let along = pair[1].position - pair[0].position;
            let length = along.length();
            let direction = along / length;
            frame = if i == 0 && parent.is_none() {
                frame_along(direction, DVec3::X)
            } else {
                transported(frame, direction)
            };
            self.parts.segments.push(Segment {
                position: pair[0].position.as_vec3(),
                orientation: frame.as_quat(),
                length: length as f32,
                base_radius: pair[0].radius_after as f32,
                tip_radius: pair[1].radius_before as f32,
            });
        }
        let segment_count = (nodes.len() - 1) as u32;
        self.parts.branches.push(Branch { parent, tree, segment_count, material: material.0, order });
        Ok(BranchIndex(index))
    }

    /// Adds a leaf on a segment (the index of the segment counts over all branches).
    pub fn leaf(&mut self, leaf: Leaf) {
        self.parts.leaves.push(leaf);
    }

    /// Adds a fruit on a segment (the index of the segment counts over all branches).
    pub fn fruit(&mut self, fruit: Fruit) {
        self.parts.fruit.push(fruit);
    }

    /// Indices of the segments of a branch, over all branches.
    pub fn segments_of(&self, branch: BranchIndex) -> Result<std::ops::Range<usize>, BuildError> {
        let first = self.known_branch(branch)?;
        Ok(first..first + self.parts.branches[branch.0].segment_count as usize)
    }

    /// Validates the parts and returns the plant.
    pub fn finish(self) -> Result<Plant, InvalidPlant> {
        Plant::new(self.parts)
    }

    fn known_branch(&self, branch: BranchIndex) -> Result<usize, BuildError> {
        let unknown = BuildError::Unknown { what: "branch", index: branch.0, count: self.firsts.len() };
        self.firsts.get(branch.0).copied().ok_or(unknown)
    }

    /// Parent segment, tree and order of a new branch with this base point.
    fn resolve(&self, on: Attachment, base: DVec3) -> Result<(Option<u32>, u32, u16), BuildError> {
        match on {
            Attachment::Root(tree) if tree.0 < self.parts.trees.len() => Ok((None, tree.0 as u32, 0)),
            Attachment::Root(tree) => {
                Err(BuildError::Unknown { what: "tree", index: tree.0, count: self.parts.trees.len() })
            }
            Attachment::Lateral(branch) => {
                let segments = self.segments_of(branch)?;
                let nearest = segments.min_by(|&a, &b| self.distance(a, base).total_cmp(&self.distance(b, base)));
                let on = &self.parts.branches[branch.0];
                Ok((nearest.map(|s| s as u32), on.tree, on.order.saturating_add(1)))
            }
            Attachment::Fork(branch) => {
                let last = self.segments_of(branch)?.end - 1;
                let on = &self.parts.branches[branch.0];
                Ok((Some(last as u32), on.tree, on.order))
            }
        }
    }

    /// Distance from a point to the axis of a segment, m.
    fn distance(&self, segment: usize, point: DVec3) -> f64 {
        let s = &self.parts.segments[segment];
        let (a, b) = (s.position.as_dvec3(), s.tip().as_dvec3());
        let along = b - a;
        let t = ((point - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        (a + along * t).distance(point)
    }
}
