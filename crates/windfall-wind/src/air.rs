//! [`Air`]: a wind that was built from its description.

use std::fmt;
use std::sync::Arc;

use windfall_core::glam::DVec3;
use windfall_core::wind::{Points, Velocities, Wind};

use crate::fade::Fade;
use crate::flow::{CHUNK, Flow, LANES};

/// Points farther from the origin than this are taken to be this far away, m: beyond, f32 has no decimals left to speak of.
pub const FARTHEST: f64 = 1e6;

/// Times farther from zero than this are taken to be this far away, s (thirty thousand years): phases stay finite.
const LATEST: f64 = 1e12;

/// A wind built by [`crate::WindSpec::build`]. Clones share it.
///
/// It never gives NaN or infinity: coordinates are held within [`FARTHEST`], and a time or coordinate that is not a
/// number counts as zero.
#[derive(Clone)]
pub struct Air {
    flow: Arc<dyn Flow>,
    /// The same as `flow`, if this wind is turning into another.
    fade: Option<Arc<Fade>>,
    /// After which time everything repeats, s.
    period: Option<f64>,
}

impl Air {
    pub(crate) fn new(flow: Box<dyn Flow>, period: Option<f64>) -> Self {
        Self { flow: flow.into(), fade: None, period }
    }

    /// After how many seconds this wind repeats, if it does.
    pub fn period(&self) -> Option<f64> {
        self.period
    }

    /// A wind that turns from this one into another over some seconds (at least a millisecond) from `start` on.
    ///
    /// For edits while trees move in it. Let one fade end before the next begins: then the old wind is forgotten. A fade that begins
    /// during another keeps both, at most eight deep; then the oldest wind is dropped.
    ///
    /// ```
    /// # use windfall_wind::{Wind, preset};
    /// # let old = preset("breeze").unwrap().build()?;
    /// # let new = preset("gale").unwrap().build()?;
    /// let now = 72.0;
    /// let air = old.fade_to(&new, now, 0.5);
    /// # let tip = Default::default();
    /// assert_eq!(air.velocity(tip, now), old.velocity(tip, now));
    /// # Ok::<(), windfall_wind::WindError>(())
    /// ```
    pub fn fade_to(&self, new: &Self, start: f64, seconds: f64) -> Self {
        const DEEPEST: usize = 8;
        let start = if start.is_finite() { start } else { 0.0 };
        let seconds = if seconds >= 1e-3 { seconds.min(1e9) } else { 1e-3 };
        let mut fades = Vec::new();
        let mut old = self;
        // Newest first, until one that is over.
        while let Some(fade) = old.fade.as_deref() {
            if start >= fade.start + fade.seconds {
                old = &fade.new;
                break;
            }
            if fades.len() + 1 == DEEPEST {
                old = &fade.new;
                break;
            }
            fades.push(fade);
            old = &fade.old;
        }
        let mut old = old.clone();
        for fade in fades.into_iter().rev() {
            old = Self::fading(Fade { old, new: fade.new.clone(), ..*fade });
        }
        Self::fading(Fade { old, new: new.clone(), start, seconds })
    }

    fn fading(fade: Fade) -> Self {
        let fade = Arc::new(fade);
        Self { flow: fade.clone(), fade: Some(fade), period: None }
    }

    /// Adds this wind to the sums of a chunk.
    pub(crate) fn add(&self, time: f64, points: Points<'_>, weights: &[f32], out: &mut Velocities<'_>) {
        self.flow.add(self.moment(time), points, weights, out);
    }

    /// The time within the period; zero for a time that is not a number.
    fn moment(&self, time: f64) -> f64 {
        let time = if time.is_finite() { time } else { 0.0 };
        self.period.map_or(time.clamp(-LATEST, LATEST), |period| time.rem_euclid(period))
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

    fn velocities(&self, time: f64, points: Points<'_>, mut out: Velocities<'_>) {
        assert_eq!(points.len(), out.len(), "as many velocities as points");
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
            self.add(time, points, &ones[..padded], &mut added);
            for (out, sum) in out.slices().into_iter().zip(&sums) {
                out[start..start + count].copy_from_slice(&sum[..count]);
            }
        }
    }
}
