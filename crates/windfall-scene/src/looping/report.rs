//! Accuracy of a loop.

use windfall_core::glam::Vec3;
use windfall_core::{Plant, Pose};
use windfall_io::{Frames, Looped};

use super::ends::{Ends, largest};
use super::{LoopError, LoopReport};

/// Measures a period in a second pass over its frames; the fields on its simulation are left to the caller.
pub fn measure(
    plant: &Plant,
    looped: &mut Looped,
    frames: usize,
    rate: f64,
    tolerance: f64,
) -> Result<LoopReport, LoopError> {
    let ends = Ends::new(plant);
    let wood = plant.segments().len();
    let (mut open, mut closed) = (Pose::default(), Pose::default());
    let [mut first, mut second, mut before]: [Vec<Vec3>; 3] = Default::default();
    let (mut amplitude, mut speed) = (0.0_f64, 0.0_f64);
    let (mut correction, mut wood_correction) = (0.0_f64, 0.0_f64);
    let [mut seam, mut wood_seam, mut velocity] = [0.0; 3];
    for frame in 0..frames + 2 {
        looped.read_open(frame, &mut open)?;
        let now = ends.of(&open);
        match frame {
            0 => first.clone_from(&now),
            1 => second.clone_from(&now),
            _ => {}
        }
        if frame == frames {
            seam = largest(&now, &first);
            wood_seam = largest(&now[..wood], &first[..wood]);
        }
        if frame == frames + 1 {
            let jumps = (0..now.len()).map(|i| ((now[i] - before[i]) - (second[i] - first[i])).length());
            velocity = rate * f64::from(jumps.fold(0.0, f32::max));
        }
        if frame <= frames {
            amplitude = amplitude.max(largest(&now, &first));
            looped.read(frame, &mut closed)?;
            let moved = ends.of(&closed);
            correction = correction.max(largest(&now, &moved));
            wood_correction = wood_correction.max(largest(&now[..wood], &moved[..wood]));
        }
        if frame > 0 {
            speed = speed.max(rate * largest(&now, &before));
        }
        before = now;
    }
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    Ok(LoopReport {
        seconds: frames as f64 / rate,
        frames_per_second: rate,
        periods: 0,
        guided_periods: 0,
        guided_m: 0.0,
        wood_guided_m: 0.0,
        repeats: seam <= tolerance,
        seam_m: seam,
        seam_m_s: velocity,
        wood_seam_m: wood_seam,
        amplitude_m: amplitude,
        speed_m_s: speed,
        seam_of_amplitude: share(seam, amplitude),
        seam_of_speed: share(velocity, speed),
        correction_m: correction,
        wood_correction_m: wood_correction,
    })
}
