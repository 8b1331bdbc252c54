//! The validated plant: parents, ids and per-body queries.

use std::ops::Range;

use glam::{DQuat, DVec3};

use crate::materials::{FruitMaterial, LeafKind, LeafMaterial, WoodMaterial};
use crate::mechanics::{
    Frustum, JointProperties, MassProperties, fruit_joint, fruit_mass_properties, leaf_joint, leaf_mass_properties,
    wood_joint,
};
use crate::parts::{Branch, Fruit, Leaf, PlantParts, Segment, Tree};
use crate::validate::{InvalidPlant, validate};

/// One rigid body of a plant. Ids never change: segments first, then leaves, then fruit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub u32);

/// One body of one instance of a plant. A plant may stand in a scene many times; each instance has all
/// its bodies.
///
/// A [`BodyId`] alone means the first instance, the only one in most solvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyRef {
    /// Index of the instance, from 0.
    pub instance: u32,
    /// The body of the plant.
    pub id: BodyId,
}

impl From<BodyId> for BodyRef {
    fn from(id: BodyId) -> Self {
        Self { instance: 0, id }
    }
}

impl PartialEq<BodyId> for BodyRef {
    fn eq(&self, id: &BodyId) -> bool {
        *self == Self::from(*id)
    }
}

impl std::fmt::Display for BodyRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.instance {
            0 => write!(f, "body {}", self.id.0),
            instance => write!(f, "body {} of instance {instance}", self.id.0),
        }
    }
}

/// The classes of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyClass {
    /// Segments of branches.
    Wood,
    /// Leaves, needles, petals.
    Leaf,
    /// Fruit.
    Fruit,
}

/// A body with its data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Body<'a> {
    /// A wood segment.
    Wood(&'a Segment),
    /// A leaf, needle tuft, petal, blossom or leaflet.
    Leaf(&'a Leaf),
    /// A fruit.
    Fruit(&'a Fruit),
}

/// A valid plant. [`Plant::new`], a [`crate::PlantBuilder`], a grower or a file reader makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plant {
    parts: PlantParts,
    /// Parent segment of each segment, `u32::MAX` for a root.
    parents: Vec<u32>,
    /// Branch of each segment.
    branch_of: Vec<u32>,
    /// Index of the first segment of each branch, followed by the number of segments.
    firsts: Vec<u32>,
}

const NO_PARENT: u32 = u32::MAX;

impl Plant {
    /// Validates the parts against every rule of a plant.
    pub fn new(parts: PlantParts) -> Result<Self, InvalidPlant> {
        validate(&parts)?;
        let mut parents = Vec::with_capacity(parts.segments.len());
        let mut branch_of = Vec::with_capacity(parts.segments.len());
        let mut firsts = Vec::with_capacity(parts.branches.len() + 1);
        for (i, branch) in parts.branches.iter().enumerate() {
            let first = parents.len() as u32;
            firsts.push(first);
            parents.push(branch.parent.unwrap_or(NO_PARENT));
            parents.extend(first..first + branch.segment_count - 1);
            branch_of.resize(parents.len(), i as u32);
        }
        firsts.push(parents.len() as u32);
        Ok(Self { parts, parents, branch_of, firsts })
    }

    /// The plain data.
    pub fn parts(&self) -> &PlantParts {
        &self.parts
    }

    /// Returns the plain data, for changes and a new plant.
    pub fn into_parts(self) -> PlantParts {
        self.parts
    }

    /// Name of the plant.
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// The trees.
    pub fn trees(&self) -> &[Tree] {
        &self.parts.trees
    }

    /// The branches, a parent before its children.
    pub fn branches(&self) -> &[Branch] {
        &self.parts.branches
    }

    /// The wood segments.
    pub fn segments(&self) -> &[Segment] {
        &self.parts.segments
    }

    /// The leaves.
    pub fn leaves(&self) -> &[Leaf] {
        &self.parts.leaves
    }

    /// The fruit.
    pub fn fruit(&self) -> &[Fruit] {
        &self.parts.fruit
    }

    /// Number of bodies: segments, leaves and fruit.
    pub fn body_count(&self) -> usize {
        self.parts.segments.len() + self.parts.leaves.len() + self.parts.fruit.len()
    }

    /// Index range of each class in the order of ids.
    pub fn classes(&self) -> [(BodyClass, Range<usize>); 3] {
        let (wood, leaves) = (self.parts.segments.len(), self.parts.leaves.len());
        [
            (BodyClass::Wood, 0..wood),
            (BodyClass::Leaf, wood..wood + leaves),
            (BodyClass::Fruit, wood + leaves..self.body_count()),
        ]
    }

    /// All ids in order.
    pub fn body_ids(&self) -> impl ExactSizeIterator<Item = BodyId> + DoubleEndedIterator + use<> {
        (0..self.body_count() as u32).map(BodyId)
    }

    /// The id of the n-th segment.
    pub fn segment_id(&self, index: usize) -> BodyId {
        BodyId(index as u32)
    }

    /// The id of the n-th leaf.
    pub fn leaf_id(&self, index: usize) -> BodyId {
        BodyId((self.parts.segments.len() + index) as u32)
    }

    /// The id of the n-th fruit.
    pub fn fruit_id(&self, index: usize) -> BodyId {
        BodyId((self.parts.segments.len() + self.parts.leaves.len() + index) as u32)
    }

    /// The body with this id; none if the plant has no such body.
    pub fn body(&self, id: BodyId) -> Option<Body<'_>> {
        let i = id.0 as usize;
        let (wood, leaves) = (self.parts.segments.len(), self.parts.leaves.len());
        if i < wood {
            Some(Body::Wood(&self.parts.segments[i]))
        } else if i < wood + leaves {
            Some(Body::Leaf(&self.parts.leaves[i - wood]))
        } else {
            self.parts.fruit.get(i - wood - leaves).map(Body::Fruit)
        }
    }

    fn expect_body(&self, id: BodyId) -> Body<'_> {
        self.body(id).unwrap_or_else(|| panic!("body {} of a plant with {} bodies", id.0, self.body_count()))
    }

    /// The parent of a body in its instance.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn parent_ref(&self, body: BodyRef) -> Option<BodyRef> {
        self.parent(body.id).map(|id| BodyRef { id, ..body })
    }

    /// The parent segment; none for a root.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn parent(&self, id: BodyId) -> Option<BodyId> {
        match self.expect_body(id) {
            Body::Wood(_) => Some(self.parents[id.0 as usize]).filter(|&p| p != NO_PARENT).map(BodyId),
            Body::Leaf(leaf) => Some(BodyId(leaf.parent)),
            Body::Fruit(fruit) => Some(BodyId(fruit.parent)),
        }
    }

    /// The branch of this body: its own for wood, that of the parent segment otherwise.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn branch_index(&self, id: BodyId) -> usize {
        let segment = match self.expect_body(id) {
            Body::Wood(_) => id.0,
            Body::Leaf(leaf) => leaf.parent,
            Body::Fruit(fruit) => fruit.parent,
        };
        self.branch_of[segment as usize] as usize
    }

    /// The segments of a branch, from base to tip.
    ///
    /// # Panics
    /// If the plant has no such branch.
    pub fn branch_segments(&self, branch: usize) -> Range<usize> {
        self.firsts[branch] as usize..self.firsts[branch + 1] as usize
    }

    /// The tree that this body belongs to.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn tree_index(&self, id: BodyId) -> usize {
        self.parts.branches[self.branch_index(id)].tree as usize
    }

    /// Position of the body's joint at rest, world metres.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn rest_position(&self, id: BodyId) -> DVec3 {
        let local = match self.expect_body(id) {
            Body::Wood(s) => s.position,
            Body::Leaf(leaf) => leaf.position,
            Body::Fruit(fruit) => fruit.position,
        };
        self.parts.trees[self.tree_index(id)].origin + local.as_dvec3()
    }

    /// Rest orientation: rotates body axes to world axes.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn rest_orientation(&self, id: BodyId) -> DQuat {
        let q = match self.expect_body(id) {
            Body::Wood(s) => s.orientation,
            Body::Leaf(leaf) => leaf.orientation,
            Body::Fruit(fruit) => fruit.orientation,
        };
        q.as_dquat().normalize()
    }

    /// The material of a segment.
    pub fn wood_material(&self, segment: usize) -> &WoodMaterial {
        let branch = self.branch_of[segment] as usize;
        &self.parts.wood_materials[usize::from(self.parts.branches[branch].material)]
    }

    /// The material of a leaf.
    pub fn leaf_material(&self, leaf: &Leaf) -> &LeafMaterial {
        &self.parts.leaf_materials[usize::from(leaf.material)]
    }

    /// The material of a fruit.
    pub fn fruit_material(&self, fruit: &Fruit) -> &FruitMaterial {
        &self.parts.fruit_materials[usize::from(fruit.material)]
    }

    /// Kind of this body: `wood`, `fruit`, or the kind of leaf.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn kind_name(&self, id: BodyId) -> &'static str {
        match self.expect_body(id) {
            Body::Wood(_) => "wood",
            Body::Leaf(leaf) => self.leaf_material(leaf).kind.name(),
            Body::Fruit(_) => "fruit",
        }
    }

    /// Number of leaves of this kind.
    pub fn leaf_count(&self, kind: LeafKind) -> usize {
        self.parts.leaves.iter().filter(|leaf| self.leaf_material(leaf).kind == kind).count()
    }

    /// Mass, centre of mass and inertia in body axes.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn mass_properties(&self, id: BodyId) -> MassProperties {
        match self.expect_body(id) {
            Body::Wood(s) => s.frustum().mass_properties(self.wood_material(id.0 as usize).density),
            Body::Leaf(leaf) => leaf_mass_properties(leaf, self.leaf_material(leaf)),
            Body::Fruit(fruit) => fruit_mass_properties(fruit, self.fruit_material(fruit)),
        }
    }

    /// Stiffness, damping and strength of the joint to the parent; for a root, of its clamp in the
    /// ground.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn joint_properties(&self, id: BodyId) -> JointProperties {
        match self.expect_body(id) {
            Body::Wood(segment) => {
                let i = id.0 as usize;
                let inside_branch = self.firsts[self.branch_of[i] as usize] as usize != i;
                let parent = inside_branch.then(|| self.parts.segments[i - 1].frustum());
                wood_joint(&segment.frustum(), parent.as_ref(), self.wood_material(i))
            }
            Body::Leaf(leaf) => leaf_joint(leaf, self.leaf_material(leaf)),
            Body::Fruit(fruit) => fruit_joint(fruit, self.fruit_material(fruit)),
        }
    }

    /// Reference area of the drag: silhouette of a segment from the side, blade area, circle of a fruit;
    /// m².
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn drag_area(&self, id: BodyId) -> f64 {
        match self.expect_body(id) {
            Body::Wood(s) => s.frustum().drag_area(),
            Body::Leaf(leaf) => leaf.area(),
            Body::Fruit(fruit) => std::f64::consts::PI * f64::from(fruit.radius).powi(2),
        }
    }
}

impl Segment {
    /// Its dimensions in f64.
    pub fn frustum(&self) -> Frustum {
        Frustum {
            base_radius: f64::from(self.base_radius),
            tip_radius: f64::from(self.tip_radius),
            length: f64::from(self.length),
        }
    }

    /// Centre of its tip, m, relative to the tree's origin.
    pub fn tip(&self) -> glam::Vec3 {
        self.position + self.orientation * (glam::Vec3::Y * self.length)
    }
}
