//! Ends of bodies, at which the seams of loops are measured.

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

    /// Begins a period with this pose.
    pub fn begin(&mut self, pose: &Pose) {
        self.begin = self.of(pose);
    }

    /// Distance of this pose from the first one of the period, m.
    pub fn seam(&self, pose: &Pose) -> f64 {
        largest(&self.of(pose), &self.begin)
    }
}

/// The largest distance, m.
pub fn largest(a: &[Vec3], b: &[Vec3]) -> f64 {
    f64::from(a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max))
}
