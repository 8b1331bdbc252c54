//! Where every body is at one moment.

use glam::{Quat, Vec3};

use crate::plant::Plant;

/// The place of every body, in the order of [`crate::BodyId`]: what solvers write, and skins, pictures and files read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pose {
    /// The joint of each body, m, relative to the origin of its tree.
    pub positions: Vec<Vec3>,
    /// Rotates the axes of each body to world axes; unit quaternions.
    pub orientations: Vec<Quat>,
}

impl Pose {
    /// The shape that the plant was grown or modelled in.
    pub fn rest(plant: &Plant) -> Self {
        let wood = plant.segments().iter().map(|s| (s.position, s.orientation));
        let leaves = plant.leaves().iter().map(|l| (l.position, l.orientation));
        let fruit = plant.fruit().iter().map(|f| (f.position, f.orientation));
        let (positions, orientations) = wood.chain(leaves).chain(fruit).map(|(p, q)| (p, q.normalize())).unzip();
        Self { positions, orientations }
    }

    /// How many bodies it places.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether it places none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }
}
