//! Poses of every body in each frame, as a table for spreadsheets and scripts.
//!
//! Comma-separated values with a header line, then one line per frame and body: all bodies of the first
//! frame, then those of the second. Positions are world metres rounded to 0.1 µm, orientations are unit
//! quaternions rounded to 0.0000001: slightly finer than the f32 source. The sign of each quaternion is
//! that nearer to the previous frame (in the first frame nearer to the rest pose), so that columns do not
//! jump.

use std::io::Write;
use std::path::Path;

use glam::Quat;
use serde::Serialize;
use windfall_core::{BodyId, Plant, Pose};
use windfall_skin::bones::body_name;

use crate::atomic;
use crate::frames::Frames;
use crate::skeletal::{AnimationError, Progress};
use crate::surface::{read_pose, same_side};
use crate::text::{integer, lines, number};
use crate::times::rate;

/// The names of the columns: time after the first frame; the index of the body and its name (`trunk`,
/// `branch_12_3` for the fourth segment of branch 12, `leaf_7`, `fruit_2`); world position of its joint;
/// rotation from its own axes (+y outward) to those of the world.
pub const POSE_COLUMNS: [&str; 10] = ["time_s", "body", "name", "x_m", "y_m", "z_m", "qx", "qy", "qz", "qw"];

/// Statistics of a table of poses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PoseReport {
    /// Bodies in each frame.
    pub bodies: usize,
    /// Number of frames.
    pub frames: usize,
    /// Duration from the first frame to the last, s.
    pub seconds: f64,
    /// Frame rate.
    pub frames_per_second: f64,
    /// Number of rows without the header.
    pub rows: u64,
    /// Size of the file.
    pub bytes: u64,
}

/// Writes a table of these bodies; of all bodies if the list is empty. Each frame is read once; memory
/// does not grow with their number. The file appears under its name when complete.
///
/// # Panics
/// If the plant does not have one of the bodies.
pub fn export_poses(
    plant: &Plant,
    frames: &mut dyn Frames,
    bodies: &[BodyId],
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<PoseReport, AnimationError> {
    let total = frames.len();
    if total == 0 {
        return Err(AnimationError::NoFrames("csv".to_owned()));
    }
    let frames_per_second = rate(frames)?;
    let all: Vec<BodyId> = if bodies.is_empty() { plant.body_ids().collect() } else { bodies.to_vec() };
    let named: Vec<_> =
        all.iter().map(|&id| (id, body_name(plant, id), plant.trees()[plant.tree_index(id)].origin)).collect();
    let mut file = atomic::begin(path)?;
    writeln!(file.out, "{}", POSE_COLUMNS.join(","))?;
    let mut pose = Pose::default();
    let rest = Pose::rest(plant);
    let mut sides: Vec<Quat> = all.iter().map(|id| rest.orientations[id.0 as usize]).collect();
    for frame in 0..total {
        read_pose(frames, frame, plant.body_count(), &mut pose)?;
        for ((id, ..), side) in named.iter().zip(&mut sides) {
            let turn = &mut pose.orientations[id.0 as usize];
            *turn = same_side(*side, *turn);
            *side = *turn;
        }
        let mut time = Vec::new();
        number::<7>(&mut time, frames.time(frame));
        lines(&mut file.out, named.len(), |line, i| {
            let (id, name, origin) = &named[i];
            let place = *origin + pose.positions[id.0 as usize].as_dvec3();
            let turn = pose.orientations[id.0 as usize].to_array().map(f64::from);
            line.extend_from_slice(&time);
            line.push(b',');
            integer(line, id.0.into());
            line.push(b',');
            line.extend_from_slice(name.as_bytes());
            for value in place.to_array().into_iter().chain(turn) {
                line.push(b',');
                number::<7>(line, value);
            }
        })?;
        progress(Progress { done: frame + 1, total });
    }
    let file = file.complete()?;
    let bytes = file.path().metadata()?.len();
    file.publish()?;
    Ok(PoseReport {
        bodies: named.len(),
        frames: total,
        seconds: frames.time(total - 1),
        frames_per_second,
        rows: named.len() as u64 * total as u64,
        bytes,
    })
}
