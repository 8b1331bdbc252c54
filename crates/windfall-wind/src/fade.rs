//! From one wind to another, for edits that change how fast something passes.
//!
//! ```text
//! v(x, t) = v_old(x, t) + s((t - start) / seconds) (v_new(x, t) - v_old(x, t)),    s(q) = 3 q² - 2 q³
//! ```
//!
//! Phases count from time zero. An edit of a strength or a direction is therefore no more than that edit; but another speed
//! of turbulence, or another period of gusts, has been running since time zero and is somewhere else by now. Fading hides it.

use windfall_core::glam::DVec3;
use windfall_core::wind::{Velocities, Wind};

use crate::air::Air;
use crate::flow::{CHUNK, Flow};
use crate::lanes::smooth_step_f64;
use crate::room::Local;

/// The old wind, the new one, and when.
pub(crate) struct Fade {
    pub(crate) old: Air,
    pub(crate) new: Air,
    pub(crate) start: f64,
    pub(crate) seconds: f64,
}

impl Fade {
    /// How much of the new wind there is, 0 to 1.
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
            // Before and after the fade only one of them costs.
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
