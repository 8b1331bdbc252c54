//! How far wood was bent.

use windfall_core::glam::Vec3;
use windfall_core::{BodyId, Plant, Pose, Segment};

/// The largest distance of any joint or tip of wood, and of any joint of a leaf or fruit, from its place at rest.
#[derive(Debug)]
pub struct Deflection<'a> {
    plant: &'a Plant,
    segments: &'a [Segment],
    rest: Pose,
    /// What is off the tree; empty as long as nothing is.
    off: Vec<bool>,
    /// m.
    pub largest: f64,
    /// Where.
    pub body: u32,
    /// When, s.
    pub time: f64,
}

impl<'a> Deflection<'a> {
    /// Nothing seen yet.
    pub fn new(plant: &'a Plant) -> Self {
        let rest = Pose::rest(plant);
        Self { plant, segments: plant.segments(), rest, off: Vec::new(), largest: 0.0, body: 0, time: 0.0 }
    }

    /// Looks at a pose.
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

    /// Bodies that fell off, with all that grows on them, don't count from now on.
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
