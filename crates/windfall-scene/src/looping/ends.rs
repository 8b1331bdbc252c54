//! Where the ends of bodies are: what the seams of loops are measured at.

use windfall_core::glam::Vec3;
use windfall_core::{Plant, Pose};

/// The outer ends of all bodies.
pub struct Ends {
    lengths: Vec<f32>,
    begin: Vec<Vec3>,
}

impl Ends {
    pub fn new(plant: &Plant) -> Self {
        let wood = plant.segments().iter().map(|s| s.length);
        let leaves = plant.leaves().iter().map(|l| l.petiole_length + l.length);
        let fruit = plant.fruit().iter().map(|f| f.stalk_length + 2.0 * f.radius);
        Self { lengths: wood.chain(leaves).chain(fruit).collect(), begin: Vec::new() }
    }

    pub fn of(&self, pose: &Pose) -> Vec<Vec3> {
        let places = pose.positions.iter().zip(&pose.orientations).zip(&self.lengths);
        places.map(|((&p, &q), &length)| p + q * (Vec3::Y * length)).collect()
    }

    /// A period begins with this pose.
    pub fn begin(&mut self, pose: &Pose) {
        self.begin = self.of(pose);
    }

    /// How far this pose is from the one that the period began with, m.
    pub fn seam(&self, pose: &Pose) -> f64 {
        largest(&self.of(pose), &self.begin)
    }
}

/// The largest distance, m.
pub fn largest(a: &[Vec3], b: &[Vec3]) -> f64 {
    f64::from(a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max))
}
