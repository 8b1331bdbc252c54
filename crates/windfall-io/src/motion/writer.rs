//! Streaming output of motions.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use windfall_core::{Plant, Pose};

use super::MotionReader;
use super::fingerprint::fingerprint;
use super::{Header, MotionError, MotionProblem, RATES, UNEVEN, frame};
use crate::atomic::{self, Begun, Staged};

/// Writes poses one by one; stores none of them. The file appears under its name when finished.
pub struct MotionWriter {
    path: PathBuf,
    file: Begun,
    header: Header,
    /// Time of the first frame, s.
    start: f64,
    bytes: Vec<u8>,
    /// Set after a failed write: the position of the next frame is unknown.
    broken: bool,
}

impl MotionWriter {
    /// Begins a motion of this plant with this frame rate. The extension must be `.wfm`; missing folders
    /// are created.
    pub fn create(path: &Path, plant: &Plant, frames_per_second: f64) -> Result<Self, MotionError> {
        let begin = || -> Result<Self, MotionProblem> {
            check_name(path)?;
            if !RATES.contains(&frames_per_second) {
                return Err(MotionProblem::Rate(frames_per_second));
            }
            let bodies = plant.body_count() as u32;
            let header = Header { bodies, fingerprint: fingerprint(plant), rate: frames_per_second, frames: 0 };
            let mut file = atomic::begin(path).map_err(MotionProblem::Os)?;
            file.out.write_all(&header.to_bytes()).map_err(MotionProblem::Os)?;
            Ok(Self { path: path.to_owned(), file, header, start: 0.0, bytes: Vec::new(), broken: false })
        };
        begin().map_err(|problem| problem.at(path))
    }

    /// Number of frames written.
    pub fn len(&self) -> usize {
        self.header.frames as usize
    }

    /// Whether no frame has been written.
    pub fn is_empty(&self) -> bool {
        self.header.frames == 0
    }

    /// Adds the pose at `time` seconds. The first frame may have any time; each must be within half a
    /// frame of its even distance from the first. Invalid frames (NaN, a pose of another plant) are errors
    /// without effect: the file can still be finished with the previous frames.
    pub fn frame(&mut self, time: f64, pose: &Pose) -> Result<(), MotionError> {
        self.check(time, pose).map_err(|rule| MotionProblem::Frame { frame: self.len(), time, rule }.at(&self.path))?;
        if self.is_empty() {
            self.start = time;
        }
        frame::write(&mut self.file.out, time, pose, &mut self.bytes).map_err(|error| {
            self.broken = true;
            MotionProblem::Os(error).at(&self.path)
        })?;
        self.header.frames += 1;
        Ok(())
    }

    fn check(&self, time: f64, pose: &Pose) -> Result<(), String> {
        let (bodies, rate) = (self.header.bodies as usize, self.header.rate);
        if self.broken {
            return Err("writing the frame before it failed".into());
        }
        if !time.is_finite() {
            return Err("the time must be a number".into());
        }
        let even = self.start + self.header.frames as f64 / rate;
        if !self.is_empty() && (time - even).abs() * rate > UNEVEN {
            return Err(format!(
                "{rate} frames per second put it at {even} s, and it must be within half a frame of that"
            ));
        }
        if pose.positions.len() != bodies || pose.orientations.len() != bodies {
            let (p, q) = (pose.positions.len(), pose.orientations.len());
            return Err(format!("{p} positions and {q} orientations for {bodies} bodies"));
        }
        frame::first_not_finite(pose).map_or(Ok(()), |body| Err(format!("body {body} has no finite place")))
    }

    /// Completes the file and renames it to its destination.
    pub fn finish(self) -> Result<(), MotionError> {
        let path = self.path.clone();
        self.complete().and_then(Staged::publish).map_err(|error| MotionProblem::Os(error).at(&path))
    }

    /// Completes the file and reopens it without renaming, for temporary motions. It is deleted with the
    /// reader.
    pub fn read_back(self, plant: &Plant) -> Result<MotionReader, MotionError> {
        let path = self.path.clone();
        let read = || MotionReader::of_temporary(self.complete()?, plant);
        read().map_err(|problem| problem.at(&path))
    }

    fn complete(mut self) -> std::io::Result<Staged> {
        if self.broken {
            return Err(std::io::Error::other("a frame could not be written"));
        }
        self.file.out.seek(SeekFrom::Start(0))?;
        self.file.out.write_all(&self.header.to_bytes())?;
        self.file.complete()
    }
}

/// Checks that a motion can be written here: the extension is `.wfm` and the folder is writable. To be
/// called before long computations.
pub fn check_motion_destination(path: &Path) -> Result<(), MotionError> {
    check_name(path).map_err(|problem| problem.at(path))?;
    atomic::check(path).map_err(|error| MotionProblem::Os(error).at(path))
}

fn check_name(path: &Path) -> Result<(), MotionProblem> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if ending.eq_ignore_ascii_case("wfm") { Ok(()) } else { Err(MotionProblem::Ending) }
}
