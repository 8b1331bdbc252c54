//! Crossfade between winds, for edits that change a speed or a frequency.
//!
//! ```text
//! v(x, t) = v_old(x, t) + s((t - start) / seconds) (v_new(x, t) - v_old(x, t)),    s(q) = 3 q² - 2 q³
//! ```
//!
//! Phases count from time zero. An edit of a strength or a direction therefore changes only that quantity.
//! A different advection speed of turbulence or a different gust period changes the phase by an amount
//! that grows with time, which makes the wind jump. The fade hides the jump.

use windfall_core::glam::DVec3;
use windfall_solver::wind::{Velocities, Wind};

use crate::air::WindField;
use crate::flow::{CHUNK, Flow};
use crate::lanes::smooth_step_f64;
use crate::local_points::Local;

/// The old wind, the new wind and the interval of the fade.
pub(crate) struct Fade {
    pub(crate) old: WindField,
    pub(crate) new: WindField,
    pub(crate) start: f64,
    pub(crate) seconds: f64,
}

impl Fade {
    /// Weight of the new wind, 0 to 1.
    fn share(&self, time: f64) -> f64 {
        smooth_step_f64((time - self.start) / self.seconds)
    }
}

impl Flow for Fade {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        self.old.velocity(point, time).lerp(self.new.velocity(point, time), self.share(time))
    }

    fn add(&self, time: f64, points: Local<'_>, weights: &[f32], out: &mut Velocities<'_>) {
        let share = self.share(time) as f32;
        for (air, share) in [(&self.old, 1.0 - share), (&self.new, share)] {
            // Outside the fade only one wind is evaluated.
            if share > 0.0 {
                let mut shares = [0.0; CHUNK];
                let shares = &mut shares[..weights.len()];
                for (scaled, w) in shares.iter_mut().zip(weights) {
                    *scaled = w * share;
                }
                air.add(time, points, shares, out);
            }
        }
    }
}
