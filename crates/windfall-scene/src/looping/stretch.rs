//! Clips that don't loop.

use std::path::Path;
use std::sync::Arc;

use windfall_core::{Plant, Pose};
use windfall_io::{MotionReader, MotionWriter};
use windfall_solver::{Params, PoseRequest};
use windfall_wind::WindSpec;

use super::{LoopError, LoopOptions, Run};

/// Simulates `seconds` of a tree in a wind from rest, without a loop. The frames are in a temporary file
/// beside `near` until they are dropped. `seen` is called after each frame with the number of frames so far
/// and of all.
pub fn simulate_stretch(
    plant: &Arc<Plant>,
    params: &Params,
    wind: &WindSpec,
    options: &LoopOptions,
    near: &Path,
    seen: &mut dyn FnMut(usize, usize),
) -> Result<MotionReader, LoopError> {
    options.check()?;
    let (frames, rate) = (options.frames(), options.rate());
    let air = wind.build().map_err(|error| LoopError::Air(error.to_string()))?;
    let mut run = Run::new(plant, params, air, options, frames, seen)?;
    let mut writer = MotionWriter::create(&near.with_extension("wfm"), plant, rate)?;
    let mut pose = Pose::default();
    run.play(frames, |frame, solver| {
        solver.write_pose(PoseRequest::default(), &mut pose);
        Ok(writer.frame(frame as f64 / rate, &pose)?)
    })?;
    Ok(writer.read_back(plant)?)
}
