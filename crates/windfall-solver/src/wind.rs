//! The interface between a solver and the wind.

use windfall_core::glam::DVec3;

/// A velocity field of the air over place and time.
///
/// Points are world metres (y up), times are seconds, velocities are m/s in the direction in which the air
/// moves. Both forms give the same wind: the first in f64 for probes and tests, the second in f32 for
/// solvers.
///
/// A wind is a function of place and time alone: solvers may sample it at the end of a step for the
/// beginning of the next. To change it, give another one to the next step ([`crate::StepInput`]).
pub trait Wind: std::fmt::Debug + Send + Sync {
    /// The velocity at one point.
    fn velocity(&self, point: DVec3, time: f64) -> DVec3;

    /// The velocities at many points at one time.
    ///
    /// Solvers call this for one block of bodies after the other, from many threads. The result for a point
    /// does not depend on the other points of the batch.
    ///
    /// # Panics
    /// If `points` and `out` differ in length.
    fn velocities(&self, time: f64, points: Points<'_>, out: Velocities<'_>) {
        assert_eq!(points.len(), out.len(), "as many velocities as points");
        for i in 0..points.len() {
            let velocity = self.velocity(points.get(i), time).as_vec3();
            (out.x[i], out.y[i], out.z[i]) = (velocity.x, velocity.y, velocity.z);
        }
    }
}

/// Sample points: three slices of the same length, world metres.
#[derive(Debug, Clone, Copy)]
pub struct Points<'a> {
    x: &'a [f32],
    y: &'a [f32],
    z: &'a [f32],
}

impl<'a> Points<'a> {
    /// Points with these coordinates.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn new(x: &'a [f32], y: &'a [f32], z: &'a [f32]) -> Self {
        assert!(x.len() == y.len() && y.len() == z.len(), "x, y and z of the same length");
        Self { x, y, z }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// One point.
    ///
    /// # Panics
    /// If the index is out of bounds.
    pub fn get(&self, i: usize) -> DVec3 {
        DVec3::new(f64::from(self.x[i]), f64::from(self.y[i]), f64::from(self.z[i]))
    }

    /// The three slices x, y and z.
    pub fn slices(&self) -> [&'a [f32]; 3] {
        [self.x, self.y, self.z]
    }
}

/// Output of velocities: three slices of the same length, m/s.
#[derive(Debug)]
pub struct Velocities<'a> {
    x: &'a mut [f32],
    y: &'a mut [f32],
    z: &'a mut [f32],
}

impl<'a> Velocities<'a> {
    /// Velocities that are written to these slices.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn new(x: &'a mut [f32], y: &'a mut [f32], z: &'a mut [f32]) -> Self {
        assert!(x.len() == y.len() && y.len() == z.len(), "x, y and z of the same length");
        Self { x, y, z }
    }

    /// Number of velocities.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are no velocities.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// The three slices x, y and z.
    pub fn slices(&mut self) -> [&mut [f32]; 3] {
        [self.x, self.y, self.z]
    }
}
