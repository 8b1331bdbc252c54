//! Sources of poses over time: the input of all writers of moving trees.
//!
//! Frames can be read in any order and repeatedly; a source stores none: memory does not grow with their
//! number.

use std::ops::Range;

use windfall_core::Pose;

use crate::motion::{MotionError, MotionReader, RATES};

/// A source of frames. Times begin at zero and increase.
pub trait Frames {
    /// Number of frames.
    fn len(&self) -> usize;

    /// Whether there are no frames.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Time of a frame, s; 0 for the first.
    fn time(&self, frame: usize) -> f64;

    /// Reads the poses of all bodies in a frame, including detached ones.
    fn read(&mut self, frame: usize, pose: &mut Pose) -> Result<(), MotionError>;
}

/// A time range of a motion file, at its own frame rate or another.
#[derive(Debug)]
pub struct MotionClip {
    reader: MotionReader,
    /// Start in seconds after the first frame of the file.
    from: f64,
    rate: f64,
    frames: usize,
}

impl MotionClip {
    /// From `seconds.start` to `seconds.end` after the first frame of the file, both included, limited by
    /// the file; at `frames_per_second`, or the rate of the file. Between frames of the file positions are
    /// interpolated linearly and orientations along the shorter arc. An invalid range or rate (outside
    /// 0.001 to 100000) yields no frames.
    pub fn new(reader: MotionReader, seconds: Range<f64>, frames_per_second: Option<f64>) -> Self {
        let rate = frames_per_second.unwrap_or(reader.frames_per_second());
        let from = seconds.start.max(0.0);
        // Tolerance for rounding of the range.
        let length = seconds.end.min(reader.duration()) - from + 1e-4 / rate;
        let good = RATES.contains(&rate) && !seconds.start.is_nan() && !seconds.end.is_nan();
        let frames = if !good || reader.is_empty() || length < 0.0 { 0 } else { (length * rate) as usize + 1 };
        Self { reader, from, rate, frames }
    }

    /// The whole motion with its own frames.
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

/// Poses in memory at a fixed rate.
#[derive(Debug, Clone, PartialEq)]
pub struct PoseList {
    /// The poses.
    pub poses: Vec<Pose>,
    /// Poses per second.
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
    /// If the frame does not exist.
    fn read(&mut self, frame: usize, pose: &mut Pose) -> Result<(), MotionError> {
        pose.clone_from(&self.poses[frame]);
        Ok(())
    }
}
