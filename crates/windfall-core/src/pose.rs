//! Positions and orientations of all bodies at one moment.

use glam::{Quat, Vec3};

use crate::plant::Plant;

/// Position and orientation of every body, in the order of [`crate::BodyId`]. Solvers write it; skins,
/// pictures and files read it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pose {
    /// Position of the joint of each body, m, relative to the origin of its tree.
    pub positions: Vec<Vec3>,
    /// Rotations from the axes of each body to world axes; unit quaternions.
    pub orientations: Vec<Quat>,
}

impl Pose {
    /// The rest pose, in which the plant was grown or modelled.
    pub fn rest(plant: &Plant) -> Self {
        let wood = plant.segments().iter().map(|s| (s.position, s.orientation));
        let leaves = plant.leaves().iter().map(|l| (l.position, l.orientation));
        let fruit = plant.fruit().iter().map(|f| (f.position, f.orientation));
        let (positions, orientations) = wood.chain(leaves).chain(fruit).map(|(p, q)| (p, q.normalize())).unzip();
        Self { positions, orientations }
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }
}
