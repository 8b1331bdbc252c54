//! Largest deflection of wood.

use windfall_core::glam::Vec3;
use windfall_core::{BodyId, Plant, Pose, Segment};

/// The largest distance of any joint or tip of wood, and of any joint of a leaf or fruit, from its place at
/// rest.
#[derive(Debug)]
pub struct Deflection<'a> {
    plant: &'a Plant,
    segments: &'a [Segment],
    rest: Pose,
    /// Whether each body is off the tree; empty as long as none is.
    off: Vec<bool>,
    /// Largest distance, m.
    pub largest: f64,
    /// Its body.
    pub body: u32,
    /// Its time, s.
    pub time: f64,
}

impl<'a> Deflection<'a> {
    /// A deflection of zero.
    pub fn new(plant: &'a Plant) -> Self {
        let rest = Pose::rest(plant);
        Self { plant, segments: plant.segments(), rest, off: Vec::new(), largest: 0.0, body: 0, time: 0.0 }
    }

    /// Updates the maximum with a pose.
    pub fn see(&mut self, time: f64, pose: &Pose) {
        // Wood comes first in a pose.
        let lengths = self.segments.iter().map(|s| s.length).chain(std::iter::repeat(0.0));
        for (i, length) in (0..pose.len()).zip(lengths) {
            if self.off.get(i) == Some(&true) {
                continue;
            }
            let joint = pose.positions[i] - self.rest.positions[i];
            let tip = joint + length * (pose.orientations[i] * Vec3::Y - self.rest.orientations[i] * Vec3::Y);
            let distance = f64::from(joint.length().max(tip.length()));
            if distance > self.largest {
                (self.largest, self.body, self.time) = (distance, i as u32, time);
            }
        }
    }

    /// Excludes bodies that fell off, with their subtrees, from now on.
    pub fn leave_out(&mut self, bodies: impl IntoIterator<Item = BodyId>) {
        let mut wood = false;
        for body in bodies {
            self.off.resize(self.plant.body_count(), false);
            self.off[body.0 as usize] = true;
            wood |= (body.0 as usize) < self.segments.len();
        }
        if !wood {
            return;
        }
        for id in self.plant.body_ids() {
            if self.plant.parent(id).is_some_and(|parent| self.off[parent.0 as usize]) {
                self.off[id.0 as usize] = true;
            }
        }
    }
}
