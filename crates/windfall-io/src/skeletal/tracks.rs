//! Conversion of frames to keys of all bones.
//!
//! Bones are read for a stretch of frames that fits into a fixed amount of memory, then reduced level by
//! level: the motion of a bone is relative to the parent *as reconstructed from its keys*, so that errors
//! do not accumulate from the trunk to the twigs. Each bone, with all its vertices, is within the
//! tolerance of the best-fit displacement of its bodies. At the end of a stretch all bones have a key;
//! motions of usual length are one stretch.

use std::io;
use std::path::Path;

use glam::{DQuat, DVec3, Quat, Vec3};
use rayon::prelude::*;
use windfall_core::Pose;
use windfall_skin::Skin;
use windfall_skin::bones::{Moments, NO_BONE, Rigid};

use super::AnimationError;
use super::compare::Compare;
use super::keys::{angle, arc, reduce_positions_at, reduce_rotations_at};
use super::skeleton::{Skeleton, rigid};
use super::spill::{Spill, Spilled};
use crate::frames::Frames;
use crate::surface::read_pose;

/// Memory limit for bone transforms, bytes.
pub(crate) const ROOM: usize = 256 << 20;
/// Maximum number of frames in which the skin on bones is compared with that on bodies.
const COMPARED: usize = 60;

/// The keys of one clip.
pub(crate) struct Tracks {
    pub name: String,
    pub rotation_times: Spilled,
    pub rotations: Spilled,
    pub position_times: Spilled,
    pub positions: Spilled,
    /// Time of the last frame, s.
    pub end: f64,
    pub frames: usize,
    /// Comparison with the skin of the full simulation.
    pub compare: Compare,
}

/// Data independent of the frame.
pub(crate) struct Recorder<'a> {
    pub skin: &'a Skin,
    pub skeleton: &'a Skeleton,
    pub rest: Pose,
    /// Moments of the bodies that bones follow.
    pub loads: Vec<Moments>,
    /// Mean transforms of leaves on bones.
    pub leans: Vec<Rigid>,
    /// m.
    pub tolerance: f64,
    /// Memory limit for bone transforms, bytes: [`ROOM`], less in tests.
    pub room: usize,
}

impl Recorder<'_> {
    /// Reads a clip; `seen` is called after each frame.
    pub fn record(
        &self,
        name: &str,
        frames: &mut dyn Frames,
        folder: &Path,
        seen: &mut dyn FnMut(),
    ) -> Result<Tracks, AnimationError> {
        let bones = self.skeleton.bones.len();
        let count = frames.len();
        let stretch = (self.room / (size_of::<Rigid>() * bones.max(1))).clamp(2, count.max(2));
        let stride = count.div_ceil(COMPARED).max(1);
        let mut spills = Spills::new(folder)?;
        let mut sides: Vec<DQuat> = self.skeleton.locals.iter().map(|&local| rigid(local).rotation).collect();
        let mut compare = Compare::default();
        let (mut pose, mut placed) = (Pose::default(), Vec::new());
        let mut begin = 0;
        loop {
            let end = (begin + stretch).min(count);
            let mut places: Vec<Vec<Rigid>> = vec![Vec::with_capacity(end - begin); bones];
            for frame in begin..end {
                read_pose(frames, frame, self.rest.len(), &mut pose)?;
                self.skeleton.bones.place(&self.loads, &self.rest, &pose, &mut placed);
                for ((list, by), bind) in places.iter_mut().zip(&placed).zip(&self.skeleton.binds) {
                    list.push(by.after(bind));
                }
                if frame > begin || begin == 0 {
                    seen();
                }
            }
            let whole = end - begin == count;
            let times: Vec<f32> = (begin..end).map(|frame| frames.time(frame) as f32).collect();
            let keys = self.reduce(&mut places, &times, whole, &mut sides);
            // The first frame of a later stretch is the last frame of the previous one.
            spills.stretch(&keys, &times, begin > 0)?;
            let compared = |frame: &usize| frame.is_multiple_of(stride) && (*frame > begin || begin == 0);
            for frame in (begin..end).filter(compared) {
                read_pose(frames, frame, self.rest.len(), &mut pose)?;
                placed.clear();
                let both = places.iter().zip(&self.skeleton.binds);
                placed.extend(both.map(|(list, bind)| list[frame - begin].after(&bind.inverse())));
                compare.see(self.skin, &self.skeleton.bones, &self.rest, &pose, &placed, &self.leans);
            }
            if end == count {
                break;
            }
            begin = end - 1;
        }
        let [rotation_times, rotations, position_times, positions] = spills.finish()?;
        Ok(Tracks {
            name: name.to_owned(),
            rotation_times,
            rotations,
            position_times,
            positions,
            end: frames.time(count.saturating_sub(1)),
            frames: count,
            compare,
        })
    }

    /// Finds keys, and replaces transforms by those reconstructed from the keys.
    fn reduce(&self, places: &mut [Vec<Rigid>], times: &[f32], whole: bool, sides: &mut [DQuat]) -> Vec<BoneKeys> {
        let mut keys: Vec<BoneKeys> = places.iter().map(|_| BoneKeys::default()).collect();
        for level in &self.skeleton.levels {
            let found: Vec<(BoneKeys, Vec<Rigid>)> = level
                .par_iter()
                .map(|&bone| {
                    let bone = bone as usize;
                    let parent = self.skeleton.bones.parents[bone];
                    let carriers = (parent != NO_BONE).then(|| places[parent as usize].as_slice());
                    self.reduce_bone(bone, &places[bone], carriers, times, (whole, sides[bone]))
                })
                .collect();
            for (&bone, (found, moved)) in level.iter().zip(found) {
                if let Some(&(_, last)) = found.rotations.last() {
                    sides[bone as usize] = last.as_dquat();
                }
                places[bone as usize] = moved;
                keys[bone as usize] = found;
            }
        }
        keys
    }

    fn reduce_bone(
        &self,
        bone: usize,
        places: &[Rigid],
        carriers: Option<&[Rigid]>,
        times: &[f32],
        (whole, mut side): (bool, DQuat),
    ) -> (BoneKeys, Vec<Rigid>) {
        let carrier = |i: usize| carriers.map_or(Rigid::IDENTITY, |list| list[i]);
        let rest = rigid(self.skeleton.locals[bone]);
        let (mut rotations, mut positions) = (Vec::with_capacity(places.len()), Vec::with_capacity(places.len()));
        for (i, place) in places.iter().enumerate() {
            let local = carrier(i).inverse().after(place);
            // Rounded as in the file, with the sign of the previous key.
            let turn = local.rotation.as_quat().normalize().as_dquat();
            side = if turn.dot(side) < 0.0 { -turn } else { turn };
            rotations.push(side);
            positions.push(local.translation.as_vec3().as_dvec3());
        }
        // Half of the tolerance for each; a rotation displaces the farthest vertex by its angle times the
        // reach.
        let half = 0.5 * self.tolerance;
        // Times as seen by readers.
        let time = |i: usize| f64::from(times[i]);
        let turn = half / self.skeleton.reaches[bone].max(1e-3);
        let keys = BoneKeys {
            rotations: channel(
                &rotations,
                rest.rotation,
                // The first bone always has keys at both ends: they define the duration of the clip.
                whole && bone > 0,
                |a, b| angle(a, b) <= turn,
                |values| reduce_rotations_at(values, time, turn),
            )
            .into_iter()
            .map(|i| (i, rotations[i as usize].as_quat()))
            .collect(),
            positions: channel(
                &positions,
                rest.translation,
                whole,
                |a, b| a.distance(b) <= half,
                |values| reduce_positions_at(values, time, half),
            )
            .into_iter()
            .map(|i| (i, positions[i as usize].as_vec3()))
            .collect(),
        };
        let moved = (0..places.len())
            .map(|i| {
                let local = Rigid {
                    rotation: between(&keys.rotations, (i, times), rest.rotation, |q| q.as_dquat().normalize(), arc),
                    translation: between(&keys.positions, (i, times), rest.translation, Vec3::as_dvec3, DVec3::lerp),
                };
                carrier(i).after(&local)
            })
            .collect();
        (keys, moved)
    }
}

/// The values kept in a channel: none if it stays at rest, one if it is constant elsewhere.
fn channel<T: Copy>(
    values: &[T],
    rest: T,
    whole: bool,
    near: impl Fn(T, T) -> bool,
    reduce: impl Fn(&[T]) -> Vec<u32>,
) -> Vec<u32> {
    let stays = |at: T| values.iter().all(|&value| near(at, value));
    match values.first() {
        None => Vec::new(),
        Some(_) if whole && stays(rest) => Vec::new(),
        Some(&first) if whole && stays(first) => vec![0],
        Some(_) => reduce(values),
    }
}

/// The value at a frame, interpolated from keys as by a reader.
fn between<K: Copy, T>(
    keys: &[(u32, K)],
    (frame, times): (usize, &[f32]),
    rest: T,
    value: impl Fn(K) -> T,
    way: impl Fn(T, T, f64) -> T,
) -> T {
    let after = keys.partition_point(|&(at, _)| at as usize <= frame);
    match (after.checked_sub(1).map(|i| keys[i]), keys.get(after)) {
        (None, _) => rest,
        (Some((_, key)), None) => value(key),
        (Some((a, from)), Some(&(b, to))) => {
            let time = |i: usize| f64::from(times[i]);
            let (a, b) = (a as usize, b as usize);
            way(value(from), value(to), (time(frame) - time(a)) / (time(b) - time(a)))
        }
    }
}

/// Keys of one bone in a stretch: frame in the stretch and value.
#[derive(Default)]
struct BoneKeys {
    rotations: Vec<(u32, Quat)>,
    positions: Vec<(u32, Vec3)>,
}

/// Temporary storage of keys.
struct Spills {
    rotation_times: Spill,
    rotations: Spill,
    position_times: Spill,
    positions: Spill,
}

impl Spills {
    fn new(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            rotation_times: Spill::new(folder, 4)?,
            rotations: Spill::new(folder, 16)?,
            position_times: Spill::new(folder, 4)?,
            positions: Spill::new(folder, 12)?,
        })
    }

    fn stretch(&mut self, keys: &[BoneKeys], times: &[f32], goes_on: bool) -> io::Result<()> {
        for spill in [&mut self.rotation_times, &mut self.rotations, &mut self.position_times, &mut self.positions] {
            spill.begin_stretch();
        }
        for bone in keys {
            let (rotations, positions) = (skip(&bone.rotations, goes_on), skip(&bone.positions, goes_on));
            self.rotation_times.bone(rotations.iter().map(|&(i, _)| [times[i as usize]]))?;
            self.rotations.bone(rotations.iter().map(|(_, q)| q.to_array()))?;
            self.position_times.bone(positions.iter().map(|&(i, _)| [times[i as usize]]))?;
            self.positions.bone(positions.iter().map(|(_, p)| p.to_array()))?;
        }
        Ok(())
    }

    fn finish(self) -> io::Result<[Spilled; 4]> {
        Ok([
            self.rotation_times.finish()?,
            self.rotations.finish()?,
            self.position_times.finish()?,
            self.positions.finish()?,
        ])
    }
}

fn skip<T>(keys: &[T], first: bool) -> &[T] {
    keys.get(usize::from(first)..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use windfall_core::{Body, Plant};
    use windfall_grow::{GrowOptions, Species, grow};
    use windfall_skin::bones::{Bones, Loose};
    use windfall_skin::{Detail, Look, PaintOptions, skin};

    use super::*;
    use crate::frames::PoseList;

    const FRAMES: usize = 100;
    const TOLERANCE: f64 = 2e-3;

    /// Every joint oscillates; positions are recomputed from the root.
    fn swaying(plant: &Plant) -> PoseList {
        let rest = Pose::rest(plant);
        let pose = |frame: usize| {
            let mut pose = rest.clone();
            for id in plant.body_ids() {
                let i = id.0 as usize;
                let size = if matches!(plant.body(id), Some(Body::Wood(_))) { 0.02 } else { 0.4 };
                let turn = Quat::from_rotation_x(size * (0.2 * frame as f32 + i as f32).sin());
                if let Some(parent) = plant.parent(id) {
                    let p = parent.0 as usize;
                    let moved = pose.orientations[p] * rest.orientations[p].conjugate();
                    pose.positions[i] = pose.positions[p] + moved * (rest.positions[i] - rest.positions[p]);
                    pose.orientations[i] = (moved * turn * rest.orientations[i]).normalize();
                }
            }
            pose
        };
        PoseList { poses: (0..FRAMES).map(pose).collect(), frames_per_second: 25.0 }
    }

    fn numbers(spilled: &mut Spilled) -> Vec<f32> {
        let mut bytes = Vec::new();
        spilled.copy(&mut bytes).unwrap();
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    /// Keys of each bone: frame and value.
    fn keys<const N: usize, K>(
        times: &mut Spilled,
        values: &mut Spilled,
        make: fn([f32; N]) -> K,
    ) -> Vec<Vec<(u32, K)>> {
        let counts = times.counts();
        assert_eq!(counts, values.counts());
        let frames = numbers(times).into_iter().map(|t| (t * 25.0).round() as u32);
        let values: Vec<f32> = numbers(values);
        let mut both = frames.zip(values.chunks_exact(N).map(|v| make(v.try_into().unwrap())));
        counts.iter().map(|&n| both.by_ref().take(n as usize).collect()).collect()
    }

    /// For any memory limit, every bone has the correct position, and stretches join without duplicate
    /// keys.
    #[test]
    fn stretches_of_any_length_keep_the_tolerance() {
        let plant = grow(&Species::named("oak").unwrap(), &GrowOptions { bodies: Some(120), seed: 1 }).unwrap();
        let textures = PaintOptions { bark: 16, twig: 16, leaf: 16, fruit: 16, ..PaintOptions::default() };
        let skin = skin(&plant, &Look::of(&plant), &Detail::level(&plant, 2), &textures);
        let skeleton = Skeleton::new(&plant, &skin.trees, Bones::all(&plant, &Loose::new(&plant)));
        let mut frames = swaying(&plant);
        let folder = tempfile::tempdir().unwrap();
        let times: Vec<f32> = (0..FRAMES).map(|frame| frames.time(frame) as f32).collect();
        let mut totals = Vec::new();
        for stretch in [2, 7, 33, FRAMES] {
            let recorder = Recorder {
                skin: &skin,
                skeleton: &skeleton,
                rest: Pose::rest(&plant),
                loads: Moments::of(&plant),
                leans: Vec::new(),
                tolerance: TOLERANCE,
                room: stretch * size_of::<Rigid>() * skeleton.bones.len(),
            };
            let mut seen = 0;
            let mut tracks = recorder.record("sway", &mut frames, folder.path(), &mut || seen += 1).unwrap();
            assert_eq!(seen, FRAMES);
            // Every second frame, without duplicates at the ends of stretches.
            assert_eq!(tracks.compare.report(&plant).frames, FRAMES / 2);
            let rotations = keys(&mut tracks.rotation_times, &mut tracks.rotations, Quat::from_array);
            let positions = keys(&mut tracks.position_times, &mut tracks.positions, Vec3::from_array);
            for list in &rotations {
                assert!(list.windows(2).all(|k| k[0].0 < k[1].0 && k[0].1.dot(k[1].1) >= 0.0));
            }
            totals.push(rotations.iter().map(Vec::len).sum::<usize>());
            let mut placed = Vec::new();
            for (frame, pose) in frames.poses.iter().enumerate() {
                skeleton.bones.place(&recorder.loads, &recorder.rest, pose, &mut placed);
                let mut globals: Vec<Rigid> = Vec::new();
                for bone in 0..skeleton.bones.len() {
                    let rest = rigid(skeleton.locals[bone]);
                    let local = Rigid {
                        rotation: between(
                            &rotations[bone],
                            (frame, &times),
                            rest.rotation,
                            |q| q.as_dquat().normalize(),
                            arc,
                        ),
                        translation: between(
                            &positions[bone],
                            (frame, &times),
                            rest.translation,
                            Vec3::as_dvec3,
                            DVec3::lerp,
                        ),
                    };
                    let parent = skeleton.bones.parents[bone];
                    globals.push(if parent == NO_BONE { local } else { globals[parent as usize].after(&local) });
                    let expected = placed[bone].after(&skeleton.binds[bone]);
                    let off = globals[bone].translation.distance(expected.translation)
                        + skeleton.reaches[bone] * angle(globals[bone].rotation, expected.rotation);
                    assert!(off < TOLERANCE * 1.01, "stretch {stretch}, frame {frame}, bone {bone}: {off}");
                }
            }
        }
        assert!(totals[0] > totals[3], "short stretches need more keys: {totals:?}");
    }
}
