//! Times of frames in file formats.

use crate::frames::Frames;
use crate::skeletal::AnimationError;

/// Allowed deviation of a frame from its even time, in frames, for formats without times.
const UNEVEN: f64 = 0.01;

/// Mean frame rate; for a single frame a common default. Times must begin at zero and increase.
pub(crate) fn rate(frames: &dyn Frames) -> Result<f64, AnimationError> {
    let count = frames.len();
    let mut before = f64::NEG_INFINITY;
    for frame in 0..count {
        let found = frames.time(frame);
        // Also false for NaN.
        let good = found.is_finite() && found > before && (frame > 0 || found == 0.0);
        if !good {
            return Err(AnimationError::Time { frame, found });
        }
        before = found;
    }
    // Times are multiples of the frame duration: their rounding error is removed.
    let rate = if count < 2 { 24.0 } else { ((count - 1) as f64 / before * 1e9).round() / 1e9 };
    if rate > 0.0 && rate.is_finite() { Ok(rate) } else { Err(AnimationError::Rate(rate)) }
}

/// The same, for formats without times: frames must be evenly spaced.
pub(crate) fn even_rate(frames: &dyn Frames, what: &'static str) -> Result<f64, AnimationError> {
    let rate = rate(frames)?;
    match first_uneven(frames, UNEVEN) {
        Some(frame) => {
            let expected = frame as f64 * mean_step(frames);
            Err(AnimationError::Uneven { frame, found: frames.time(frame), expected, what })
        }
        None => Ok(rate),
    }
}

/// Times in units of the mean time between frames; `None` if they are 0, 1, 2 and so on up to rounding.
pub(crate) fn uneven_codes(frames: &dyn Frames) -> Option<Vec<f64>> {
    first_uneven(frames, 1e-6)?;
    let step = mean_step(frames);
    Some((0..frames.len()).map(|frame| frames.time(frame) / step).collect())
}

/// For formats with times of f32: each frame must be later than the previous one in f32, too.
pub(crate) fn check_short_times(frames: &dyn Frames) -> Result<(), AnimationError> {
    let together = |&frame: &usize| frames.time(frame) as f32 <= frames.time(frame - 1) as f32;
    match (1..frames.len()).find(together) {
        Some(frame) => Err(AnimationError::TooClose { frame, time: frames.time(frame) }),
        None => Ok(()),
    }
}

fn mean_step(frames: &dyn Frames) -> f64 {
    let last = frames.len().saturating_sub(1);
    frames.time(last) / last as f64
}

/// The first frame that deviates from its even time by more than `tolerance` frames.
fn first_uneven(frames: &dyn Frames, tolerance: f64) -> Option<usize> {
    let step = mean_step(frames);
    (1..frames.len()).find(|&frame| (frames.time(frame) - frame as f64 * step).abs() > tolerance * step)
}
