//! Conversion of simulation frames to keyframes of joints.
//!
//! With D the rotation of a segment from rest, and Q the axes of the parent node of its joint (y up,
//! without scale), the rotation of the joint is
//!
//! ```text
//! q' = Q^T (D_above^-1 D) Q q
//! ```
//!
//! where q is the rotation in the file and `D_above` the rotation of the joint above in the file. Joints
//! are fixed relative to their parent and have no translation keys, except joints attached to other wood
//! than in the file.
//!
//! Keys are omitted where interpolation between the others is close enough. The rotation of a joint is
//! relative to the joint above *as reconstructed from its keys*, so that errors do not accumulate: the
//! angular error of each bone is at most the tolerance over the longest path from a root to a tip, and the
//! position error of each bone end is at most the tolerance. Bones with a sliding head use half of the
//! tolerance for the head position, and half for the rotations of the bone and its descendants.

use std::path::Path;

use glam::{DQuat, DVec3};
use windfall_core::Pose;
use windfall_io::Frames;
use windfall_io::skeletal::keys::{angle, arc, reduce_positions, reduce_rotations};
use windfall_io::skeletal::spill::{Spill, Spilled};

use crate::error::RigError;
use crate::report::{AddedClip, Moment, PlacedJoint};
use crate::rig::{Moved, Rig};

/// Memory limit for frames, bytes.
const ROOM: usize = 64 << 20;
/// Fraction of the tolerance for key reduction; the rest covers rounding to f32.
const TRUST: f64 = 0.98;
/// Maximum number of moments and joints in a report.
const MOMENTS: usize = 5;
const SHOWN: usize = 12;

/// A clip whose keys are in temporary files.
pub struct RecordedClip {
    pub(crate) rotation_times: Spilled,
    pub(crate) rotations: Spilled,
    pub(crate) position_times: Spilled,
    pub(crate) positions: Spilled,
    /// Time of the last frame, s.
    pub(crate) end: f64,
    /// Statistics of the clip.
    pub report: AddedClip,
}

/// Rotation from rest, and head relative to the origin of its tree, m.
#[derive(Debug, Clone, Copy)]
struct Place {
    turn: DQuat,
    head: DVec3,
}

/// Parameters of the key reduction.
struct Rules<'a> {
    /// All joints at rest.
    rest: &'a [Place],
    /// Angular tolerance of a bone, rad.
    turn: f64,
    /// Position tolerance of a bone end, m.
    tolerance: f64,
    /// Whether the stretch is the whole clip.
    whole: bool,
}

/// Keys of one joint in a stretch: frame in the stretch and value.
#[derive(Default)]
struct JointKeys {
    rotations: Vec<(u32, DQuat)>,
    positions: Vec<(u32, DVec3)>,
}

impl Rig {
    /// Converts a motion of [`Rig::plant`] to keys. The position error of bone ends is at most
    /// `tolerance`, m of the simulated tree. Temporary files are created in `folder`; memory does not grow
    /// with the number of frames.
    pub fn record(
        &self,
        name: &str,
        frames: &mut dyn Frames,
        tolerance: f64,
        folder: &Path,
    ) -> Result<RecordedClip, RigError> {
        if !(tolerance > 0.0 && tolerance <= 10.0) {
            return Err(RigError::Option(format!("a tolerance of {tolerance} m: it must be above 0 and at most 10")));
        }
        let count = frames.len();
        if count == 0 {
            return Err(RigError::Option(format!("the clip `{name}` has no frame")));
        }
        let rest = self.rest();
        let turn = TRUST * tolerance / self.longest_way();
        let stretch = (ROOM / (2 * size_of::<Place>() * self.moved.len().max(1))).clamp(2, count.max(2));
        let mut spills =
            [Spill::new(folder, 4)?, Spill::new(folder, 16)?, Spill::new(folder, 4)?, Spill::new(folder, 12)?];
        let mut sides: Vec<DQuat> = self.moved.iter().map(|joint| joint.rotation).collect();
        let sliding = self.moved.iter().filter(|joint| joint.slides.is_some()).count();
        let mut report = AddedClip {
            name: name.to_owned(),
            seconds: frames.time(count - 1),
            frames: count,
            keys_before: (count * (self.moved.len() + sliding)) as u64,
            keys_after: 0,
            largest_error_m: 0.0,
            largest_turn_deg: 0.0,
            largest_motion_m: 0.0,
            moments: Vec::new(),
        };
        let shown: Vec<usize> = (0..MOMENTS).map(|i| i * (count - 1) / (MOMENTS - 1)).collect();
        let mut pose = Pose::default();
        let mut begin = 0;
        loop {
            let end = (begin + stretch).min(count);
            let mut wanted: Vec<Vec<Place>> = vec![Vec::with_capacity(end - begin); self.moved.len()];
            for frame in begin..end {
                frames.read(frame, &mut pose)?;
                for ((list, joint), rest) in wanted.iter_mut().zip(&self.moved).zip(&rest) {
                    let now = pose.orientations[joint.segment].as_dquat().normalize();
                    let head = pose.positions[joint.segment].as_dvec3();
                    list.push(Place { turn: (now * rest.turn.conjugate()).normalize(), head });
                }
            }
            let rules = Rules { rest: &rest, turn, tolerance, whole: end - begin == count };
            let mut found: Vec<Vec<Place>> = Vec::with_capacity(self.moved.len());
            let mut keys = Vec::with_capacity(self.moved.len());
            for (j, list) in wanted.iter().enumerate() {
                let (of_joint, places) = self.joint(j, list, &found, &rules, &mut sides[j]);
                found.push(places);
                keys.push(of_joint);
            }
            let times: Vec<f32> = (begin..end).map(|frame| frames.time(frame) as f32).collect();
            // The first frame of a later stretch is the last frame of the previous one.
            report.keys_after += spill(&mut spills, &keys, &times, begin > 0)?;
            self.measure(&wanted, &found, &rest, &mut report);
            for &frame in shown.iter().filter(|&&frame| (begin + usize::from(begin > 0)..end).contains(&frame)) {
                report.moments.push(self.moment(frame, frames.time(frame), &found, &rest, frame - begin));
            }
            if end == count {
                break;
            }
            begin = end - 1;
        }
        let [rotation_times, rotations, position_times, positions] = spills.map(Spill::finish);
        Ok(RecordedClip {
            rotation_times: rotation_times?,
            rotations: rotations?,
            position_times: position_times?,
            positions: positions?,
            end: report.seconds,
            report,
        })
    }

    /// Orientation and head of each joint's segment at rest.
    fn rest(&self) -> Vec<Place> {
        let of = |joint: &Moved| {
            let segment = &self.plant.segments()[joint.segment];
            Place { turn: segment.orientation.as_dquat().normalize(), head: segment.position.as_dvec3() }
        };
        self.moved.iter().map(of).collect()
    }

    /// Longest path along wood and arms from a root to an end, m; doubled if heads slide, because they use
    /// half of the tolerance.
    fn longest_way(&self) -> f64 {
        let mut ways: Vec<(f64, f64)> = Vec::with_capacity(self.moved.len());
        let mut longest = 1e-3_f64;
        for joint in &self.moved {
            let (before, times) = match joint.above {
                Some(a) => (ways[a].0 + self.moved[a].home.distance(joint.home) * self.scale, ways[a].1),
                None => (0.0, if joint.slides.is_some() { 2.0 } else { 1.0 }),
            };
            ways.push((before, times));
            longest = longest.max(times * (before + joint.length));
        }
        longest
    }

    /// Keys of a joint for a stretch, and the resulting positions.
    fn joint(
        &self,
        j: usize,
        wanted: &[Place],
        found: &[Vec<Place>],
        by: &Rules<'_>,
        side: &mut DQuat,
    ) -> (JointKeys, Vec<Place>) {
        let Rules { rest, turn, tolerance, whole } = *by;
        let joint = &self.moved[j];
        let carrier = |i: usize| joint.above.map_or(DQuat::IDENTITY, |a| found[a][i].turn);
        let mut before = *side;
        let rotations: Vec<DQuat> = wanted
            .iter()
            .enumerate()
            .map(|(i, place)| {
                let own = turned_into(&joint.axes, carrier(i).conjugate() * place.turn) * joint.rotation;
                // Rounded to f32 as in the file; sign chosen for continuity with the previous key.
                let own = own.as_quat().normalize().as_dquat();
                before = if own.dot(before) < 0.0 { -own } else { own };
                before
            })
            .collect();
        *side = before;
        let kept = channel(
            &rotations,
            joint.rotation,
            // The first joint always has keys at both ends: they define the duration of the clip.
            (whole, j == 0),
            |a, b| angle(a, b) <= turn,
            |values| reduce_rotations(values, turn),
        );
        let mut keys = JointKeys { rotations: kept, positions: Vec::new() };
        if let Some(into) = &joint.slides {
            // It has no parent joint in the file (otherwise it would not have been joined).
            let values: Vec<DVec3> = wanted
                .iter()
                .map(|place| into.transform_point3((place.head - rest[j].head) / self.scale + joint.home))
                .map(|p| p.as_vec3().as_dvec3())
                .collect();
            let unit = 0.5 * TRUST * tolerance / self.scale * into.matrix3.determinant().abs().cbrt();
            keys.positions = channel(
                &values,
                joint.translation,
                (whole, false),
                |a, b| a.distance(b) <= unit,
                |values| reduce_positions(values, unit),
            );
        }
        let places = (0..wanted.len())
            .map(|i| {
                let own = between(&keys.rotations, i, joint.rotation, arc);
                let turn = (carrier(i) * turned_back(&joint.axes, own * joint.rotation.conjugate())).normalize();
                let head = match &joint.slides {
                    Some(into) => {
                        let at = between(&keys.positions, i, joint.translation, DVec3::lerp);
                        self.carried(j, found, rest, i, into.inverse().transform_point3(at))
                    }
                    None => self.carried(j, found, rest, i, joint.home),
                };
                Place { turn, head }
            })
            .collect();
        (keys, places)
    }

    /// Position in a frame of a rest-pose point (file units, y up) carried by the joint above, m from the
    /// origin of the tree of joint `j`.
    fn carried(&self, j: usize, found: &[Vec<Place>], rest: &[Place], i: usize, at: DVec3) -> DVec3 {
        let moved = match self.moved[j].above {
            Some(a) => {
                let (home, place) = (self.moved[a].home, found[a][i]);
                place.turn * (at - home) + home + (place.head - rest[a].head) / self.scale
            }
            None => at,
        };
        (moved - self.moved[j].home) * self.scale + rest[j].head
    }

    fn measure(&self, wanted: &[Vec<Place>], found: &[Vec<Place>], rest: &[Place], report: &mut AddedClip) {
        for (j, joint) in self.moved.iter().enumerate() {
            let end = rest[j].turn * (DVec3::Y * joint.length);
            let home = rest[j].head + end;
            for (wanted, found) in wanted[j].iter().zip(&found[j]) {
                let ends = [wanted, found].map(|place| place.head + place.turn * end);
                report.largest_error_m = report.largest_error_m.max(ends[0].distance(ends[1]));
                report.largest_motion_m = report.largest_motion_m.max(ends[1].distance(home));
                let turn = angle(found.turn, DQuat::IDENTITY).to_degrees();
                report.largest_turn_deg = report.largest_turn_deg.max(turn);
            }
        }
    }

    fn moment(&self, frame: usize, seconds: f64, found: &[Vec<Place>], rest: &[Place], i: usize) -> Moment {
        let count = self.moved.len();
        let shown = SHOWN.min(count);
        // Evenly spaced, including the last.
        let joints = (0..shown).map(|k| ((k + 1) * count / shown) - 1).map(|j| {
            let joint = &self.moved[j];
            let at = joint.home + (found[j][i].head - rest[j].head) / self.scale;
            PlacedJoint { node: joint.node, name: joint.name.clone(), at: (self.upright.transpose() * at).to_array() }
        });
        Moment { frame, seconds, joints: joints.collect() }
    }
}

/// A world rotation expressed in axes that may be mirrored.
fn turned_into(axes: &glam::DMat3, turn: DQuat) -> DQuat {
    let v = axes.transpose() * turn.xyz() * axes.determinant().signum();
    DQuat::from_xyzw(v.x, v.y, v.z, turn.w).normalize()
}

/// The inverse of `turned_into`.
fn turned_back(axes: &glam::DMat3, turn: DQuat) -> DQuat {
    let v = *axes * turn.xyz() * axes.determinant().signum();
    DQuat::from_xyzw(v.x, v.y, v.z, turn.w).normalize()
}

/// The keys of a channel: none if it stays at rest, one if it is constant elsewhere; the `first` channel
/// has at least two.
fn channel<T: Copy>(
    values: &[T],
    rest: T,
    (whole, first): (bool, bool),
    near: impl Fn(T, T) -> bool,
    reduce: impl Fn(&[T]) -> Vec<u32>,
) -> Vec<(u32, T)> {
    let stays = |at: T| values.iter().all(|&value| near(at, value));
    let last = values.len().saturating_sub(1) as u32;
    if whole && stays(rest) {
        // Exactly as in the file.
        return if first { [(0, rest), (last, rest)][..if last > 0 { 2 } else { 1 }].to_vec() } else { Vec::new() };
    }
    if whole && !first && stays(values[0]) {
        return vec![(0, values[0])];
    }
    reduce(values).into_iter().map(|i| (i, values[i as usize])).collect()
}

/// The value at a frame, interpolated from keys as by a glTF reader.
fn between<T: Copy>(keys: &[(u32, T)], frame: usize, rest: T, way: impl Fn(T, T, f64) -> T) -> T {
    let after = keys.partition_point(|&(at, _)| at as usize <= frame);
    match (after.checked_sub(1).map(|i| keys[i]), keys.get(after)) {
        (None, _) => rest,
        (Some((_, value)), None) => value,
        (Some((a, from)), Some(&(b, to))) => way(from, to, (frame as f64 - f64::from(a)) / f64::from(b - a)),
    }
}

/// Writes the keys of a stretch; returns their number.
fn spill(spills: &mut [Spill; 4], keys: &[JointKeys], times: &[f32], goes_on: bool) -> std::io::Result<u64> {
    let mut count = 0;
    spills.iter_mut().for_each(Spill::begin_stretch);
    let [rotation_times, rotations, position_times, positions] = spills;
    for joint in keys {
        let r = joint.rotations.get(usize::from(goes_on)..).unwrap_or_default();
        let p = joint.positions.get(usize::from(goes_on)..).unwrap_or_default();
        rotation_times.bone(r.iter().map(|&(i, _)| [times[i as usize]]))?;
        rotations.bone(r.iter().map(|(_, q)| q.as_quat().to_array()))?;
        position_times.bone(p.iter().map(|&(i, _)| [times[i as usize]]))?;
        positions.bone(p.iter().map(|(_, p)| p.as_vec3().to_array()))?;
        count += (r.len() + p.len()) as u64;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_in_the_axes_of_a_mirror_and_back() {
        let axes = glam::DMat3::from_quat(DQuat::from_rotation_x(0.4))
            * glam::DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
        let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), 0.9);
        let inside = turned_into(&axes, turn);
        // Equal to the product of matrices.
        let product = axes.transpose() * glam::DMat3::from_quat(turn) * axes;
        assert!((glam::DMat3::from_quat(inside) - product).to_cols_array().iter().all(|x| x.abs() < 1e-12));
        assert!(angle(turned_back(&axes, inside), turn) < 1e-12);
    }

    #[test]
    fn channels_that_stay_have_few_keys() {
        let near = |a: f64, b: f64| (a - b).abs() < 0.1;
        let all = |values: &[f64]| (0..values.len() as u32).collect::<Vec<_>>();
        assert_eq!(channel(&[1.01, 0.99, 1.0], 1.0, (true, false), near, all), []);
        assert_eq!(channel(&[1.01, 0.99, 1.0], 1.0, (true, true), near, all), [(0, 1.0), (2, 1.0)]);
        assert_eq!(channel(&[2.0, 2.05, 2.0], 1.0, (true, false), near, all), [(0, 2.0)]);
        assert_eq!(channel(&[2.0, 2.05, 2.0], 1.0, (false, false), near, all).len(), 3);
        let keys = [(0, 1.0), (2, 3.0)];
        let line = |a: f64, b: f64, share: f64| a + (b - a) * share;
        assert_eq!([0, 1, 2, 5].map(|i| between(&keys, i, 9.0, line)), [1.0, 2.0, 3.0, 3.0]);
        assert_eq!(between(&[], 3, 9.0, line), 9.0);
    }
}
