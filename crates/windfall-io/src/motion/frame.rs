//! Serialization of a pose, in batches: no buffer is as long as the pose.

use std::io::{self, Read, Write};

use glam::{Quat, Vec3};
use rayon::prelude::*;
use windfall_core::Pose;

use super::MotionProblem;
use super::rotation::{pack, unpack};

/// Bytes of a body.
pub(super) const BODY: usize = 20;
/// Bodies converted at a time.
const BATCH: usize = 1 << 16;
/// Bodies per task.
const TASK: usize = 1 << 12;

/// Writes a frame. The caller has checked that all numbers are finite.
pub(super) fn write(out: &mut impl Write, time: f64, pose: &Pose, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&time.to_le_bytes());
    out.write_all(&time.to_le_bytes())?;
    for (positions, orientations) in pose.positions.chunks(BATCH).zip(pose.orientations.chunks(BATCH)) {
        bytes.resize(BODY * positions.len(), 0);
        let tasks =
            bytes.par_chunks_mut(BODY * TASK).zip(positions.par_chunks(TASK)).zip(orientations.par_chunks(TASK));
        tasks.for_each(|((bytes, positions), orientations)| {
            for ((body, position), &orientation) in bytes.chunks_exact_mut(BODY).zip(positions).zip(orientations) {
                for (field, value) in body.chunks_exact_mut(4).zip(position.to_array()) {
                    field.copy_from_slice(&value.to_le_bytes());
                }
                body[12..].copy_from_slice(&pack(orientation).to_le_bytes());
            }
        });
        sum.update(bytes);
        out.write_all(bytes)?;
    }
    out.write_all(&sum.finalize().to_le_bytes())
}

/// Reads a frame with as many bodies as the pose has, and returns its time. After an error the pose is
/// unspecified.
pub(super) fn read(input: &mut impl Read, pose: &mut Pose, bytes: &mut Vec<u8>) -> Result<f64, MotionProblem> {
    let mut sum = crc32fast::Hasher::new();
    let mut time = [0; 8];
    input.read_exact(&mut time)?;
    sum.update(&time);
    for (positions, orientations) in pose.positions.chunks_mut(BATCH).zip(pose.orientations.chunks_mut(BATCH)) {
        bytes.resize(BODY * positions.len(), 0);
        input.read_exact(bytes)?;
        sum.update(bytes);
        let tasks =
            bytes.par_chunks(BODY * TASK).zip(positions.par_chunks_mut(TASK)).zip(orientations.par_chunks_mut(TASK));
        tasks.for_each(|((bytes, positions), orientations)| {
            for ((body, position), orientation) in bytes.chunks_exact(BODY).zip(positions).zip(orientations) {
                (*position, *orientation) = place(body);
            }
        });
    }
    let mut expected = [0; 4];
    input.read_exact(&mut expected)?;
    if sum.finalize() != u32::from_le_bytes(expected) {
        return Err(MotionProblem::Damaged("its check sum is wrong".into()));
    }
    if let Some(body) = first_not_finite(pose) {
        return Err(MotionProblem::Damaged(format!("the position of body {body} is not finite")));
    }
    Ok(f64::from_le_bytes(time))
}

/// The first body with a position that is not finite.
pub(super) fn first_not_finite(pose: &Pose) -> Option<usize> {
    let bodies = pose.positions.par_iter().zip(&pose.orientations);
    bodies.position_first(|(position, orientation)| {
        let length = orientation.as_dquat().length_squared();
        !position.is_finite() || !length.is_finite() || length < 1e-12
    })
}

fn place(body: &[u8]) -> (Vec3, Quat) {
    let float = |at: usize| f32::from_le_bytes(std::array::from_fn(|i| body[at + i]));
    let packed = u64::from_le_bytes(std::array::from_fn(|i| body[12 + i]));
    (Vec3::new(float(0), float(4), float(8)), unpack(packed))
}
