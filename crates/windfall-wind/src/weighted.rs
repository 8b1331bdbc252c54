//! Winds multiplied by a position-dependent factor: the common part of masks and height profiles.

use windfall_core::glam::DVec3;
use windfall_solver::wind::Velocities;

use crate::flow::{CHUNK, Flow};
use crate::local_points::Local;

/// A factor at every point and time.
pub(crate) trait Weight: Send + Sync {
    /// At one point, in f64.
    fn at(&self, point: DVec3, time: f64) -> f64;

    /// Multiplies `weights` by the factor at every point.
    fn multiply(&self, time: f64, points: Local<'_>, weights: &mut [f32]);
}

/// A wind times a weight.
pub(crate) struct Weighted<W> {
    pub(crate) weight: W,
    pub(crate) flow: Box<dyn Flow>,
}

impl<W: Weight> Flow for Weighted<W> {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        let weight = self.weight.at(point, time);
        if weight == 0.0 { DVec3::ZERO } else { weight * self.flow.velocity(point, time) }
    }

    fn add(&self, time: f64, points: Local<'_>, weights: &[f32], out: &mut Velocities<'_>) {
        let mut weighed = [0.0; CHUNK];
        let weighed = &mut weighed[..weights.len()];
        weighed.copy_from_slice(weights);
        self.weight.multiply(time, points, weighed);
        // Outside a mask the inner wind is not evaluated.
        if weighed.iter().any(|w| *w != 0.0) {
            self.flow.add(time, points, weighed, out);
        }
    }
}
