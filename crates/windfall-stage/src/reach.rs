//! Reachable workspaces: for any joint angles, a subtree stays within a ball about its first joint
//! (quigley2017, section 6).
//!
//! ```text
//! reach_p = max(own extent of p, max over the children c of |joint_c - joint_p| + reach_c)
//! ```
//!
//! The paper takes the length of a body as its extent; here it is the farthest point of its collision
//! shape, radius of the wood and blade of the leaf included, so that no contact is missed.

use windfall_core::glam::DVec3;
use windfall_core::{Body, BodyId, Plant};

use windfall_free::Shape;

/// The balls of all subtrees of a plant, and its topology.
#[derive(Debug, Clone)]
pub struct Reach {
    /// Radius of every body's ball, m.
    radii: Vec<f32>,
    /// The children of all bodies in one list, and the start of each body's children in it.
    children: Vec<u32>,
    starts: Vec<u32>,
    roots: Vec<BodyId>,
}

impl Reach {
    /// The workspaces of a plant, valid in any pose.
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

    /// Radius of the ball of a body with its subtree, about its joint, m.
    pub fn radius(&self, body: BodyId) -> f64 {
        f64::from(self.radii[body.0 as usize])
    }

    /// The roots of the trees.
    pub fn roots(&self) -> &[BodyId] {
        &self.roots
    }

    /// Visits a body and its subtree, from the inside out, skipping every subtree for which `enter` returns
    /// false. Returns the number of visited bodies.
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

/// The collision shape of a body of a plant, and the position of the shape's origin from its joint, body
/// axes: a capsule about a segment with its larger radius, the triangle of a leaf, the ball of a fruit.
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
