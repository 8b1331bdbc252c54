//! [`Air`]: a wind that was built from its description.

use std::fmt;
use std::sync::Arc;

use windfall_core::glam::DVec3;

use crate::flow::{CHUNK, Flow, LANES};
use crate::wind::{Points, Velocities, Wind};

/// Points farther from the origin than this are taken to be this far away, m: beyond, f32 has no decimals left to speak of.
pub const FARTHEST: f64 = 1e6;

/// A wind built by [`crate::WindSpec::build`]. Clones share it.
///
/// It never gives NaN or infinity: coordinates are held within [`FARTHEST`], and a time or coordinate that is not a
/// number counts as zero.
#[derive(Clone)]
pub struct Air {
    flow: Arc<dyn Flow>,
    /// After which time everything repeats, s.
    period: Option<f64>,
}

impl Air {
    pub(crate) fn new(flow: Box<dyn Flow>, period: Option<f64>) -> Self {
        Self { flow: flow.into(), period }
    }

    /// After how many seconds this wind repeats, if it does.
    pub fn period(&self) -> Option<f64> {
        self.period
    }

    /// The time within the period; zero for a time that is not a number.
    fn moment(&self, time: f64) -> f64 {
        let time = if time.is_finite() { time } else { 0.0 };
        self.period.map_or(time, |period| time.rem_euclid(period))
    }
}

impl fmt::Debug for Air {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Air").field("period", &self.period).finish_non_exhaustive()
    }
}

impl Wind for Air {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        let held =
            DVec3::from_array(point.to_array().map(|x| if x.is_nan() { 0.0 } else { x.clamp(-FARTHEST, FARTHEST) }));
        self.flow.velocity(held, self.moment(time))
    }

    fn velocities(&self, time: f64, points: Points<'_>, out: Velocities<'_>) {
        assert_eq!(points.len(), out.len(), "as many velocities as points");
        let time = self.moment(time);
        let mut held = [[0.0_f32; CHUNK]; 3];
        let mut sums = [[0.0_f32; CHUNK]; 3];
        let ones = [1.0_f32; CHUNK];
        for start in (0..points.len()).step_by(CHUNK) {
            let count = CHUNK.min(points.len() - start);
            let padded = count.next_multiple_of(LANES);
            for (held, given) in held.iter_mut().zip(points.slices()) {
                for (held, x) in held[..count].iter_mut().zip(&given[start..]) {
                    *held = if x.is_nan() { 0.0 } else { x.clamp(-FARTHEST as f32, FARTHEST as f32) };
                }
            }
            for sum in &mut sums {
                sum[..padded].fill(0.0);
            }
            let [x, y, z] = &held;
            let points = Points::new(&x[..padded], &y[..padded], &z[..padded]);
            let [x, y, z] = &mut sums;
            let mut added = Velocities::new(&mut x[..padded], &mut y[..padded], &mut z[..padded]);
            self.flow.add(time, points, &ones[..padded], &mut added);
            for (out, sum) in [&mut *out.x, &mut *out.y, &mut *out.z].into_iter().zip(&sums) {
                out[start..start + count].copy_from_slice(&sum[..count]);
            }
        }
    }
}
