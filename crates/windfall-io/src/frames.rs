//! Poses over time, whatever they come from: what every writer of moving trees reads.
//!
//! A source is asked for any frame, as often as needed, and keeps none: memory does not grow with their number.

use std::ops::Range;

use windfall_core::Pose;

use crate::motion::{MotionError, MotionReader, RATES};

/// A source of frames. Times begin at zero and grow.
pub trait Frames {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Time of a frame, s; 0 for the first.
    fn time(&self, frame: usize) -> f64;

    /// Writes where all bodies are in a frame, those that have let go too.
    fn read(&mut self, frame: usize, pose: &mut Pose) -> Result<(), MotionError>;
}

/// A stretch of a motion file, at its own rate or another.
#[derive(Debug)]
pub struct MotionClip {
    reader: MotionReader,
    /// Seconds after the first frame of the file.
    from: f64,
    rate: f64,
    frames: usize,
}

impl MotionClip {
    /// From `seconds.start` to `seconds.end` after the first frame of the file, both included, as far as it goes; with
    /// `frames_per_second`, or those of the file. Between frames of the file bodies move on straight lines and turn on the shorter arc. A stretch or a rate
    /// (0.001 to 100000) that is none has no frames.
    pub fn new(reader: MotionReader, seconds: Range<f64>, frames_per_second: Option<f64>) -> Self {
        let rate = frames_per_second.unwrap_or(reader.frames_per_second());
        let from = seconds.start.max(0.0);
        // A hair too short is long enough.
        let length = seconds.end.min(reader.duration()) - from + 1e-4 / rate;
        let good = RATES.contains(&rate) && !seconds.start.is_nan() && !seconds.end.is_nan();
        let frames = if !good || reader.is_empty() || length < 0.0 { 0 } else { (length * rate) as usize + 1 };
        Self { reader, from, rate, frames }
    }

    /// All of it, as it is.
    pub fn whole(reader: MotionReader) -> Self {
        Self::new(reader, 0.0..f64::INFINITY, None)
    }
}

impl Frames for MotionClip {
    fn len(&self) -> usize {
        self.frames
    }

    fn time(&self, frame: usize) -> f64 {
        frame as f64 / self.rate
    }

    fn read(&mut self, frame: usize, pose: &mut Pose) -> Result<(), MotionError> {
        self.reader.sample(self.from + self.time(frame), pose)
    }
}

/// Poses in memory, so many in a second.
#[derive(Debug, Clone, PartialEq)]
pub struct PoseList {
    /// The poses.
    pub poses: Vec<Pose>,
    /// How many there are in a second.
    pub frames_per_second: f64,
}

impl Frames for PoseList {
    fn len(&self) -> usize {
        self.poses.len()
    }

    fn time(&self, frame: usize) -> f64 {
        frame as f64 / self.frames_per_second
    }

    /// # Panics
    /// If there is no such frame.
    fn read(&mut self, frame: usize, pose: &mut Pose) -> Result<(), MotionError> {
        pose.clone_from(&self.poses[frame]);
        Ok(())
    }
}
