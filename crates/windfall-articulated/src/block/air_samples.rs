//! The wind of a step at the centres of the bodies of a block.

use super::bytes::held;
use crate::math::{Real, Vec3};

/// The wind at the centres of all bodies of a block in its order, then at those of the riders; at least
/// that many. The arrays are lent ([`super::thread_scratch`]).
#[derive(Debug, Clone, Default)]
pub(crate) struct AirSamples {
    /// Points at which the wind is sampled, world metres.
    pub points: [Vec<f32>; 3],
    /// Velocities of the air there, m/s.
    pub velocities: [Vec<f32>; 3],
}

impl AirSamples {
    /// Velocity of the air at a point, m/s. One that is not a number counts as still air.
    pub fn velocity<T: Real>(&self, at: usize) -> Vec3<T> {
        let [u, v, w] = &self.velocities;
        let air = Vec3::new(T::of(u[at].into()), T::of(v[at].into()), T::of(w[at].into()));
        if air.is_finite() { air } else { Vec3::zero() }
    }

    /// Memory of the arrays.
    pub fn bytes(&self) -> usize {
        self.points.iter().chain(&self.velocities).map(held).sum()
    }
}
