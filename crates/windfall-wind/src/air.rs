//! [`WindField`]: a wind built from its description.

use std::fmt;
use std::sync::Arc;

use windfall_core::glam::DVec3;
use windfall_solver::wind::{Points, Velocities, Wind};

use crate::fade::Fade;
use crate::flow::{CHUNK, Flow, LANES, ONES};
use crate::local_points::{Local, Places, Scattered, enter, no_places};

/// Coordinates are clamped to this distance from the origin, m: beyond it, f32 has too few decimals.
pub const FARTHEST: f64 = 1e6;

/// Times are clamped to this magnitude, s (thirty thousand years), so that phases stay finite.
const LATEST: f64 = 1e12;

/// A wind built by [`crate::WindSpec::build`]. Clones share it.
///
/// Velocities are always finite: coordinates are clamped to [`FARTHEST`], and a NaN time or coordinate
/// counts as zero.
#[derive(Clone)]
pub struct WindField {
    flow: Arc<dyn Flow>,
    /// The same object as `flow`, while this wind fades into another.
    fade: Option<Arc<Fade>>,
    /// Period of the whole wind, s.
    period: Option<f64>,
}

impl WindField {
    pub(crate) fn new(flow: Box<dyn Flow>, period: Option<f64>) -> Self {
        Self { flow: flow.into(), fade: None, period }
    }

    /// Period of this wind in seconds, if it is periodic.
    pub fn period(&self) -> Option<f64> {
        self.period
    }

    /// A crossfade from this wind to another: it begins at `start` and lasts `seconds` (at least a
    /// millisecond).
    ///
    /// Used for edits during a simulation. Once a fade has ended, the next fade releases the old wind. A
    /// fade that begins during another keeps both winds, at most eight deep; beyond that the oldest wind
    /// is dropped.
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
        // From the newest fade to the first that has ended.
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

    /// Writes the wind at points spread over several rooms.
    #[inline(never)]
    fn add_scattered(&self, time: f64, points: [&[f32]; 3], mut out: [&mut [f32]; 3]) {
        let (mut places, mut sums) = (no_places(), no_places());
        let mut scattered = Scattered::new(points);
        while let Some(origin) = scattered.gather(&mut places) {
            let gathered = &scattered.gathered[..scattered.gathered_count];
            self.add_room(time, origin, &mut places, gathered.len(), sums.0.each_mut().map(|sums| &mut sums[..]));
            for (out, sum) in out.iter_mut().zip(&sums.0) {
                for (i, sum) in gathered.iter().zip(sum) {
                    out[usize::from(*i)] = *sum;
                }
            }
        }
    }

    /// Writes the wind at the first `count` places of a room to `sums`. Values from there up to the next
    /// multiple of [`LANES`] are unspecified.
    fn add_room(&self, time: f64, origin: DVec3, places: &mut Places, count: usize, mut sums: [&mut [f32]; 3]) {
        let padded = count.next_multiple_of(LANES);
        for (places, sums) in places.0.iter_mut().zip(&mut sums) {
            // Padding points repeat the last point, so they need no additional cells.
            let last = places[count - 1];
            places[count..padded].fill(last);
            sums[..padded].fill(0.0);
        }
        let [x, y, z] = places.0.each_ref().map(|p| &p[..padded]);
        let [u, v, w] = sums.map(|sums| &mut sums[..padded]);
        let points = Local { origin, points: Points::new(x, y, z) };
        self.add(time, points, &ONES.0[..padded], &mut Velocities::new(u, v, w));
    }

    /// Adds this wind to the sums of a chunk.
    pub(crate) fn add(&self, time: f64, points: Local<'_>, weights: &[f32], out: &mut Velocities<'_>) {
        self.flow.add(self.moment(time), points, weights, out);
    }

    /// The time modulo the period; zero for NaN.
    fn moment(&self, time: f64) -> f64 {
        let time = if time.is_finite() { time } else { 0.0 };
        self.period.map_or(time.clamp(-LATEST, LATEST), |period| time.rem_euclid(period))
    }
}

impl fmt::Debug for WindField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Air").field("period", &self.period).finish_non_exhaustive()
    }
}

impl Wind for WindField {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        let held =
            DVec3::from_array(point.to_array().map(|x| if x.is_nan() { 0.0 } else { x.clamp(-FARTHEST, FARTHEST) }));
        self.flow.velocity(held, self.moment(time))
    }

    fn velocities(&self, time: f64, points: Points<'_>, mut out: Velocities<'_>) {
        assert_eq!(points.len(), out.len(), "as many velocities as points");
        let mut places = no_places();
        for start in (0..points.len()).step_by(CHUNK) {
            let here = start..points.len().min(start + CHUNK);
            let points = points.slices().map(|p| &p[here.clone()]);
            let out = out.slices().map(|out| &mut out[here.clone()]);
            if let Some(origin) = enter(points, &mut places) {
                if here.len().is_multiple_of(LANES) {
                    self.add_room(time, origin, &mut places, here.len(), out);
                    continue;
                }
                let mut sums = no_places();
                self.add_room(time, origin, &mut places, here.len(), sums.0.each_mut().map(|sums| &mut sums[..]));
                for (out, sum) in out.into_iter().zip(&sums.0) {
                    out.copy_from_slice(&sum[..here.len()]);
                }
            } else {
                self.add_scattered(time, points, out);
            }
        }
    }
}
