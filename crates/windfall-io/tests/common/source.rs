//! Frames requested one by one, at any times.

#![allow(dead_code, reason = "every test file uses its own part of this")]

use windfall_core::Pose;
use windfall_io::{Frames, MotionError};

pub struct Source<F: FnMut(usize, &mut Pose) -> Result<(), MotionError>> {
    pub times: Vec<f64>,
    pub read: F,
}

impl<F: FnMut(usize, &mut Pose) -> Result<(), MotionError>> Frames for Source<F> {
    fn len(&self) -> usize {
        self.times.len()
    }

    fn time(&self, frame: usize) -> f64 {
        self.times[frame]
    }

    fn read(&mut self, frame: usize, pose: &mut Pose) -> Result<(), MotionError> {
        (self.read)(frame, pose)
    }
}

/// This many frames, none of which may be read: errors must be found before.
pub struct Never(pub usize);

impl Frames for Never {
    fn len(&self) -> usize {
        self.0
    }

    fn time(&self, frame: usize) -> f64 {
        frame as f64 / 24.0
    }

    fn read(&mut self, frame: usize, _: &mut Pose) -> Result<(), MotionError> {
        panic!("frame {frame} was read before it was known whether it can be written")
    }
}
