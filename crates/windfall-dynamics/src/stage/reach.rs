//! Reachable workspaces: whatever its joints do, a subtree stays within a ball about its first joint (quigley2017, section 6).
//!
//! ```text
//! reach_p = max(own extent of p, max over the children c of |joint_c - joint_p| + reach_c)
//! ```
//!
//! The paper takes the length of a body as its extent; here it is the farthest point of its collision shape, radius of the wood and blade of the leaf included,
//! so that no contact is missed.

use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{Body, BodyId, Plant};

use crate::free::Shape;

/// The balls of all subtrees of a plant, and who grows on whom.
#[derive(Debug, Clone)]
pub struct Reach {
    /// Of every body, m.
    radii: Vec<f32>,
    /// The children of all bodies in one list, and where those of each body begin in it.
    children: Vec<u32>,
    starts: Vec<u32>,
    roots: Vec<BodyId>,
}

impl Reach {
    /// Of a plant in any shape.
    pub fn new(plant: &Plant) -> Self {
        let count = plant.body_count();
        let mut radii: Vec<f32> = plant
            .body_ids()
            .map(|id| {
                let (shape, center) = collision_shape(plant, id);
                // Rounded up, as all sums below.
                shape.reach(-center).next_up() as f32 * (1.0 + f32::EPSILON)
            })
            .collect();
        let mut starts = vec![0u32; count + 1];
        let mut roots = Vec::new();
        for id in plant.body_ids() {
            match plant.parent(id) {
                Some(parent) => starts[parent.0 as usize + 1] += 1,
                None => roots.push(id),
            }
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut children = vec![0u32; starts[count] as usize];
        for id in plant.body_ids() {
            if let Some(parent) = plant.parent(id) {
                let next = &mut next[parent.0 as usize];
                children[*next as usize] = id.0;
                *next += 1;
            }
        }
        // A parent comes before its children.
        for id in plant.body_ids().rev() {
            if let Some(parent) = plant.parent(id) {
                let arm = plant.rest_position(id).distance(plant.rest_position(parent)) as f32;
                let whole = (arm + radii[id.0 as usize]) * (1.0 + 2.0 * f32::EPSILON);
                let radius = &mut radii[parent.0 as usize];
                *radius = radius.max(whole);
            }
        }
        Self { radii, children, starts, roots }
    }

    /// Radius of the ball of a body with all that grows on it, about its joint, m.
    pub fn radius(&self, body: BodyId) -> f64 {
        f64::from(self.radii[body.0 as usize])
    }

    /// The roots of the trees.
    pub fn roots(&self) -> &[BodyId] {
        &self.roots
    }

    /// Visits a body and all that grows on it, from the inside out, leaving out every subtree for which `enter` says no. Gives how many bodies
    /// were looked at.
    pub fn visit(&self, from: BodyId, stack: &mut Vec<u32>, mut enter: impl FnMut(BodyId, f64) -> bool) -> usize {
        let mut looked = 0;
        stack.clear();
        stack.push(from.0);
        while let Some(id) = stack.pop() {
            looked += 1;
            if enter(BodyId(id), f64::from(self.radii[id as usize])) {
                let (a, b) = (self.starts[id as usize], self.starts[id as usize + 1]);
                stack.extend(self.children[a as usize..b as usize].iter().rev());
            }
        }
        looked
    }
}

/// The shape of a body of a plant for collisions, and where the shape's origin is from its joint, body axes: a capsule about a segment with its larger
/// radius, the triangle of a leaf, the ball of a fruit.
///
/// # Panics
/// If the plant has no such body.
pub fn collision_shape(plant: &Plant, id: BodyId) -> (Shape, DVec3) {
    match plant.body(id).expect("ids go from 0 to the number of bodies") {
        Body::Wood(segment) => {
            let half_length = 0.5 * f64::from(segment.length);
            let radius = f64::from(segment.base_radius.max(segment.tip_radius));
            (Shape::Capsule { half_length, radius }, DVec3::new(0.0, half_length, 0.0))
        }
        Body::Leaf(leaf) => {
            let [width, length, petiole] = [leaf.width, leaf.length, leaf.petiole_length].map(f64::from);
            (Shape::Blade { width, length, petiole }, DVec3::ZERO)
        }
        Body::Fruit(fruit) => {
            let radius = f64::from(fruit.radius);
            (Shape::Sphere { radius }, DVec3::new(0.0, f64::from(fruit.stalk_length) + radius, 0.0))
        }
    }
}

/// A body of a tree in its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub joint: DVec3,
    pub orientation: DQuat,
}

impl Placed {
    pub fn point(&self, body_point: DVec3) -> DVec3 {
        self.joint + self.orientation * body_point
    }

    /// A world point in the axes of the body, from its joint.
    pub fn local(&self, point: DVec3) -> DVec3 {
        self.orientation.conjugate() * (point - self.joint)
    }
}
