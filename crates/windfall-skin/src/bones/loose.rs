//! Detection of detached bodies, from poses alone.

use rayon::prelude::*;
use windfall_core::{BodyId, Plant, Pose};

use super::displacement;

/// Distance of a joint from its attachment on the parent above which it counts as parted, m. Joints of
/// solvers hold to micrometres.
const PARTED: f64 = 0.005;

/// Bodies that were detached from their parents in at least one pose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loose {
    loose: Vec<bool>,
    /// Parent of each body; its own number for a root.
    parents: Vec<u32>,
}

impl Loose {
    /// No detached bodies.
    pub fn new(plant: &Plant) -> Self {
        let parents = plant.body_ids().map(|id| plant.parent(id).unwrap_or(id).0).collect();
        Self { loose: vec![false; plant.body_count()], parents }
    }

    /// Evaluates a pose: the joint of a body is fixed on its parent, unless it has parted.
    ///
    /// # Panics
    /// If one of the poses is of another plant.
    pub fn see(&mut self, rest: &Pose, pose: &Pose) {
        let parents = &self.parents;
        self.loose.par_iter_mut().enumerate().with_min_len(4096).for_each(|(body, loose)| {
            let parent = parents[body] as usize;
            if *loose || parent == body {
                return;
            }
            let expected = displacement(rest, pose, parent).point(rest.positions[body].as_dvec3());
            *loose = expected.distance(pose.positions[body].as_dvec3()) > PARTED;
        });
    }

    /// Whether this body is detached from its parent.
    pub fn is_loose(&self, body: BodyId) -> bool {
        self.loose[body.0 as usize]
    }

    /// The detached bodies within a subset.
    pub(super) fn only(&self, some: &[bool]) -> Self {
        let loose = self.loose.iter().zip(some).map(|(&loose, &some)| loose && some).collect();
        Self { loose, parents: self.parents.clone() }
    }

    /// Number of detached bodies.
    pub fn count(&self) -> usize {
        self.loose.iter().filter(|&&loose| loose).count()
    }
}
