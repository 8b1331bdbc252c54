//! Random access to the frames of a motion.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use glam::{Quat, Vec3};
use rayon::prelude::*;
use windfall_core::{Plant, Pose};

use super::fingerprint::fingerprint;
use crate::atomic::Staged;

use super::{HEADER, Header, MotionError, MotionProblem, UNEVEN, frame, frame_bytes};

/// Reads the frames of a motion in any order; stores none of them.
#[derive(Debug)]
pub struct MotionReader {
    path: PathBuf,
    file: File,
    header: Header,
    /// Time of the first frame, s.
    start: f64,
    bytes: Vec<u8>,
    /// The second frame of an interpolation.
    next: Pose,
    /// Deletes an unpublished file on drop.
    _temporary: Option<Staged>,
}

impl MotionReader {
    /// Opens a motion of this plant.
    pub fn open(path: &Path, plant: &Plant) -> Result<Self, MotionError> {
        Self::opened(path, plant).map_err(|problem| problem.at(path))
    }

    /// Opens a file with a temporary name; it is deleted with the reader.
    pub(super) fn of_temporary(staged: Staged, plant: &Plant) -> Result<Self, MotionProblem> {
        let reader = Self::opened(staged.path(), plant)?;
        Ok(Self { _temporary: Some(staged), ..reader })
    }

    fn opened(path: &Path, plant: &Plant) -> Result<Self, MotionProblem> {
        let data = std::fs::metadata(path)?;
        if !data.is_file() {
            return Err(std::io::Error::other("is not a file").into());
        }
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        if length == 0 {
            return Err(MotionProblem::Empty);
        }
        let mut bytes = [0; HEADER];
        if length < HEADER as u64 {
            let mut begin = Vec::new();
            file.take(8).read_to_end(&mut begin)?;
            let ours = super::MAGIC.starts_with(&begin);
            let cut = || MotionProblem::Damaged("it ends within the header".into());
            return Err(if ours { cut() } else { MotionProblem::NotAMotion });
        }
        file.read_exact(&mut bytes)?;
        let header = Header::from_bytes(&bytes)?;
        let expected = header.frames.checked_mul(frame_bytes(header.bodies as usize));
        if expected.and_then(|frames| frames.checked_add(HEADER as u64)) != Some(length) {
            let what = format!(
                "{} frames of {} bodies don't make the {length} bytes that it has",
                header.frames, header.bodies
            );
            return Err(MotionProblem::Damaged(what));
        }
        let bodies = plant.body_count();
        if header.bodies as usize != bodies {
            let what = format!("it moves {} bodies, and `{}` has {bodies}", header.bodies, plant.name());
            return Err(MotionProblem::OtherPlant(what));
        }
        if header.fingerprint != fingerprint(plant) {
            let what =
                format!("it moves as many bodies as `{}` has, but they are joined or placed otherwise", plant.name());
            return Err(MotionProblem::OtherPlant(what));
        }
        let mut start = [0; 8];
        if header.frames > 0 {
            file.read_exact(&mut start)?;
        }
        let start = f64::from_le_bytes(start);
        if !start.is_finite() {
            return Err(MotionProblem::Damaged("the time of the first frame is not a number".into()));
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            header,
            start,
            bytes: Vec::new(),
            next: Pose::default(),
            _temporary: None,
        })
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.header.frames as usize
    }

    /// Whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.header.frames == 0
    }

    /// Frames per second.
    pub fn frames_per_second(&self) -> f64 {
        self.header.rate
    }

    /// Time of the first frame, s; 0 without frames.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// Time from the first frame to the last, s.
    pub fn duration(&self) -> f64 {
        self.header.frames.saturating_sub(1) as f64 / self.header.rate
    }

    /// Reads a frame and returns its time, s. Allocates nothing if the pose has been used before. After an
    /// error the pose is unspecified.
    pub fn read(&mut self, frame: usize, pose: &mut Pose) -> Result<f64, MotionError> {
        self.read_frame(frame, pose).map_err(|problem| problem.at(&self.path))
    }

    fn read_frame(&mut self, frame: usize, pose: &mut Pose) -> Result<f64, MotionProblem> {
        if frame >= self.len() {
            return Err(MotionProblem::NoFrame { frame, frames: self.len() });
        }
        let bodies = self.header.bodies as usize;
        pose.positions.resize(bodies, Vec3::ZERO);
        pose.orientations.resize(bodies, Quat::IDENTITY);
        self.file.seek(SeekFrom::Start(HEADER as u64 + frame as u64 * frame_bytes(bodies)))?;
        let in_frame = |problem| match problem {
            MotionProblem::Damaged(what) => MotionProblem::Damaged(format!("frame {frame}: {what}")),
            other => other,
        };
        let time = frame::read(&mut self.file, pose, &mut self.bytes).map_err(in_frame)?;
        let even = self.start + frame as f64 / self.header.rate;
        // Also false for NaN.
        if (time - even).abs() * self.header.rate <= UNEVEN {
            return Ok(time);
        }
        Err(MotionProblem::Damaged(format!("frame {frame}: its time is {time} s, and it should be about {even} s")))
    }

    /// The pose at any time, seconds after the first frame: between two frames, with their actual times,
    /// positions are interpolated linearly and orientations along the shorter arc. Before the first and
    /// after the last frame that frame is returned.
    ///
    /// # Panics
    /// If the time is not a number.
    pub fn sample(&mut self, seconds: f64, pose: &mut Pose) -> Result<(), MotionError> {
        assert!(!seconds.is_nan(), "a time must be a number");
        let (start, rate) = (self.start, self.header.rate);
        let place_of = |time: f64| (time - start) * rate;
        let last = self.len().saturating_sub(1);
        let place = (seconds * rate).clamp(0.0, last as f64);
        // Frames are within half a frame of their even times: the nearest even time belongs to one of the
        // two.
        let near = place.round() as usize;
        let near_place = place_of(self.read(near, pose)?);
        let other = if place > near_place { near + 1 } else { near.saturating_sub(1) };
        // Times within rounding of a frame use only that frame, without reading a second one.
        if (place - near_place).abs() < 1e-4 || other > last || other == near {
            return Ok(());
        }
        let mut next = std::mem::take(&mut self.next);
        let result = self.read(other, &mut next);
        if let Ok(time) = result {
            // Both may have the same time.
            let share = (place - near_place) / (place_of(time) - near_place);
            blend(pose, &next, if share.is_finite() { share.clamp(0.0, 1.0) as f32 } else { 0.0 });
        }
        self.next = next;
        result.map(drop)
    }
}

/// Interpolates towards another pose.
fn blend(pose: &mut Pose, toward: &Pose, share: f32) {
    pose.positions.par_iter_mut().zip(&toward.positions).with_min_len(4096).for_each(|(position, &other)| {
        *position = position.lerp(other, share);
    });
    pose.orientations.par_iter_mut().zip(&toward.orientations).with_min_len(4096).for_each(|(orientation, &other)| {
        *orientation = orientation.slerp(other, share).normalize();
    });
}
