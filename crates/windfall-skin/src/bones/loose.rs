//! Finding what has let go, from poses alone.

use rayon::prelude::*;
use windfall_core::{BodyId, Plant, Pose};

use super::displacement;

/// A joint that is farther than this from its place on the parent has parted, m. Joints of solvers hold to micrometres.
const PARTED: f64 = 0.005;

/// Bodies that have let go of their parents in one of the poses seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loose {
    loose: Vec<bool>,
    /// Parent of each body, its own number where it has none.
    parents: Vec<u32>,
}

impl Loose {
    /// Nothing has.
    pub fn new(plant: &Plant) -> Self {
        let parents = plant.body_ids().map(|id| plant.parent(id).unwrap_or(id).0).collect();
        Self { loose: vec![false; plant.body_count()], parents }
    }

    /// Looks at a pose: the joint of a body is fixed on its parent, unless it has parted.
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

    /// Whether this body has let go of its parent.
    pub fn is_loose(&self, body: BodyId) -> bool {
        self.loose[body.0 as usize]
    }

    /// Of these only some.
    pub(super) fn only(&self, some: &[bool]) -> Self {
        let loose = self.loose.iter().zip(some).map(|(&loose, &some)| loose && some).collect();
        Self { loose, parents: self.parents.clone() }
    }

    /// How many have.
    pub fn count(&self) -> usize {
        self.loose.iter().filter(|&&loose| loose).count()
    }
}
