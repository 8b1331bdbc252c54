//! Closing a period of motion into a loop, continuous in position and velocity.
//!
//! The discontinuity of a simulation under periodic wind at the seam is removed joint by joint. With q the
//! rotation of a joint relative to its parent over the period 0..T, phi the rotation gap at the end, and
//! omega the gap in angular velocity (rad/s, both in the axes of the body),
//!
//! ```text
//! q'(t) = q(t) exp(c(t) phi) exp(d(t) omega)  c = 3 s² - 2 s³, s = t / T
//!                                             d = w (x³ - x²), x = (t - T + w) / w, in the last w seconds
//! ```
//!
//! c rises from 0 to 1 with zero slope at both ends; d is 0 at both ends, has the slope 1 at the end, and
//! its magnitude is at most 4 w / 27. Motions are thus not blended: each joint gets a small rotation that
//! grows over the whole period, and its velocity is adjusted at the end. If the simulation is already
//! periodic, the correction is zero.

use glam::{Quat, Vec3};
use rayon::prelude::*;
use windfall_core::{Plant, Pose};

use crate::frames::Frames;
use crate::motion::{MotionError, MotionReader};

/// Fraction of the period in which velocities are adjusted, and maximum duration, s.
const BEND: (f64, f64) = (0.125, 0.25);

/// Frames of a motion as a loop: the last frame equals the first.
#[derive(Debug)]
pub struct Looped {
    reader: MotionReader,
    /// Frames of the period; frame `period` of the motion must match the first.
    period: usize,
    rest: Pose,
    /// Parent of each body; its own index for roots.
    parents: Vec<u32>,
    /// Gaps at the end: rotation, rad, and angular velocity, rad/s, in the axes of each body.
    missing: Vec<[Vec3; 2]>,
    /// The same for positions of bodies without a parent, m and m/s; zero for others.
    shifts: Vec<[Vec3; 2]>,
    /// Bodies by tree level: each level depends only on the previous ones.
    levels: Vec<Vec<u32>>,
}

impl Looped {
    /// Builds a loop from the first `period` frames of a motion, which must have at least two more. No
    /// body may be detached in them: joints are placed on their parents.
    ///
    /// # Panics
    /// If it has fewer frames.
    pub fn new(plant: &Plant, mut reader: MotionReader, period: usize) -> Result<Self, MotionError> {
        assert!(period > 0 && reader.len() >= period + 2, "a period and two frames");
        let parents: Vec<u32> = plant.body_ids().map(|id| plant.parent(id).unwrap_or(id).0).collect();
        let mut ends: [Pose; 4] = Default::default();
        for (frame, pose) in [0, 1, period, period + 1].into_iter().zip(&mut ends) {
            reader.read(frame, pose)?;
        }
        let rate = reader.frames_per_second() as f32;
        let missing = |body: usize| {
            let [a, a1, b, b1] = ends.each_ref().map(|pose| local(pose, &parents, body));
            let turn = (b.conjugate() * a).normalize();
            let want = log(a.conjugate() * a1) * rate;
            let have = turn.conjugate() * (log(b.conjugate() * b1) * rate);
            [log(turn), want - have]
        };
        let shift = |body: usize| {
            if parents[body] as usize != body {
                return [Vec3::ZERO; 2];
            }
            let [a, a1, b, b1] = ends.each_ref().map(|pose| pose.positions[body]);
            [a - b, ((a1 - a) - (b1 - b)) * rate]
        };
        let bodies = plant.body_count();
        Ok(Self {
            missing: (0..bodies).into_par_iter().map(missing).collect(),
            shifts: (0..bodies).map(shift).collect(),
            levels: levels(&parents),
            rest: Pose::rest(plant),
            reader,
            period,
            parents,
        })
    }

    /// A frame as simulated, without the loop correction.
    pub fn read_open(&mut self, frame: usize, pose: &mut Pose) -> Result<(), MotionError> {
        self.reader.read(frame, pose).map(drop)
    }

    fn close(&self, share: f64, pose: &mut Pose) {
        let length = self.period as f64 / self.reader.frames_per_second();
        let window = (BEND.0 * length).min(BEND.1);
        let x = ((share - 1.0) * length / window + 1.0).max(0.0);
        let turn = (share * share * (3.0 - 2.0 * share)) as f32;
        let bend = (window * x * x * (x - 1.0)) as f32;
        let open: Vec<Quat> = (0..pose.len()).into_par_iter().map(|body| local(pose, &self.parents, body)).collect();
        for level in &self.levels {
            let places: Vec<(Vec3, Quat)> = level
                .par_iter()
                .with_min_len(1024)
                .map(|&body| {
                    let body = body as usize;
                    let [phi, omega] = self.missing[body];
                    let own = open[body] * Quat::from_scaled_axis(phi * turn) * Quat::from_scaled_axis(omega * bend);
                    let parent = self.parents[body] as usize;
                    if parent == body {
                        let [way, speed] = self.shifts[body];
                        return (pose.positions[body] + way * turn + speed * bend, own.normalize());
                    }
                    // The joint has a fixed position on the parent.
                    let carrier = pose.orientations[parent];
                    let on = self.rest.orientations[parent].conjugate()
                        * (self.rest.positions[body] - self.rest.positions[parent]);
                    (pose.positions[parent] + carrier * on, (carrier * own).normalize())
                })
                .collect();
            for (&body, (position, orientation)) in level.iter().zip(places) {
                pose.positions[body as usize] = position;
                pose.orientations[body as usize] = orientation;
            }
        }
    }
}

impl Frames for Looped {
    /// Includes the last frame, which equals the first.
    fn len(&self) -> usize {
        self.period + 1
    }

    fn time(&self, frame: usize) -> f64 {
        frame as f64 / self.reader.frames_per_second()
    }

    fn read(&mut self, frame: usize, pose: &mut Pose) -> Result<(), MotionError> {
        // The last frame is bit-identical to the first, independent of rounding.
        let frame = if frame == self.period { 0 } else { frame };
        self.reader.read(frame, pose)?;
        if frame > 0 {
            self.close(frame as f64 / self.period as f64, pose);
        }
        Ok(())
    }
}

/// Rotation of a body relative to its parent; for roots relative to the world.
fn local(pose: &Pose, parents: &[u32], body: usize) -> Quat {
    let parent = parents[body] as usize;
    let own = pose.orientations[body];
    if parent == body { own } else { (pose.orientations[parent].conjugate() * own).normalize() }
}

/// Rotation vector of the shorter rotation, rad.
fn log(turn: Quat) -> Vec3 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let sine = turn.xyz().length();
    if sine < 1e-9 { turn.xyz() * 2.0 } else { turn.xyz() * (2.0 * sine.atan2(turn.w) / sine) }
}

/// Bodies by their distance from the root. Parents have smaller indices.
fn levels(parents: &[u32]) -> Vec<Vec<u32>> {
    let mut depths = vec![0; parents.len()];
    let mut levels: Vec<Vec<u32>> = Vec::new();
    for (body, &parent) in parents.iter().enumerate() {
        if parent as usize != body {
            depths[body] = depths[parent as usize] + 1;
        }
        if levels.len() == depths[body] {
            levels.push(Vec::new());
        }
        levels[depths[body]].push(body as u32);
    }
    levels
}
