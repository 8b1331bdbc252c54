//! Motions are read back as written; damaged, hostile and foreign files are rejected.

use std::f32::consts::TAU;
use std::path::{Path, PathBuf};

use crate::common::{any_plant, sapling};
use proptest::prelude::*;
use windfall_core::glam::{Quat, Vec3};
use windfall_core::{Plant, Pose};
use windfall_io::motion::{MotionError, MotionProblem, MotionReader, MotionWriter};

const HEADER: usize = 40;

fn frame_bytes(plant: &Plant) -> usize {
    8 + 20 * plant.body_count() + 4
}

/// The rest pose, rotated and displaced differently at every time and for every body.
fn swayed(plant: &Plant, time: f64) -> Pose {
    let mut pose = Pose::rest(plant);
    for (i, (p, q)) in pose.positions.iter_mut().zip(&mut pose.orientations).enumerate() {
        let phase = time as f32 * TAU + i as f32;
        *p += Vec3::new(phase.sin(), 0.1 * phase, phase.cos());
        *q = (Quat::from_rotation_x(phase) * Quat::from_rotation_z(0.7 * phase) * *q).normalize();
    }
    pose
}

fn write(path: &Path, plant: &Plant, frames: usize) -> Result<(), MotionError> {
    let mut writer = MotionWriter::create(path, plant, 50.0)?;
    for i in 0..frames {
        let time = 2.0 + i as f64 / 50.0;
        writer.frame(time, &swayed(plant, time))?;
    }
    writer.finish()
}

/// Opens and reads everything.
fn read_all(path: &Path, plant: &Plant) -> Result<Vec<Pose>, MotionError> {
    let mut reader = MotionReader::open(path, plant)?;
    let mut poses = Vec::new();
    for i in 0..reader.len() {
        let mut pose = Pose::default();
        reader.read(i, &mut pose)?;
        poses.push(pose);
    }
    Ok(poses)
}

fn angle(a: Quat, b: Quat) -> f64 {
    let d = a.as_dquat().normalize().conjugate() * b.as_dquat().normalize();
    2.0 * d.xyz().length().atan2(d.w.abs())
}

fn assert_same(found: &Pose, expected: &Pose) {
    assert_eq!(found.positions, expected.positions);
    assert_eq!(found.orientations.len(), expected.orientations.len());
    for (&a, &b) in found.orientations.iter().zip(&expected.orientations) {
        assert!(angle(a, b) < 5e-6, "{a} {b}");
    }
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A file of these bytes.
    fn with(&self, bytes: &[u8]) -> PathBuf {
        let path = self.file("tampered.wfm");
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

#[test]
fn frames_come_back_in_any_order() {
    let (folder, plant) = (Folder::new(), sapling());
    let path = folder.file("new/sway.wfm");
    write(&path, &plant, 7).unwrap();
    assert_eq!(std::fs::read(&path).unwrap().len(), HEADER + 7 * frame_bytes(&plant));
    let mut reader = MotionReader::open(&path, &plant).unwrap();
    assert_eq!((reader.len(), reader.frames_per_second(), reader.start()), (7, 50.0, 2.0));
    assert!((reader.duration() - 6.0 / 50.0).abs() < 1e-12);
    let mut pose = Pose::default();
    for i in [6, 0, 3, 3, 5, 1] {
        let time = reader.read(i, &mut pose).unwrap();
        assert_eq!(time, 2.0 + i as f64 / 50.0);
        assert_same(&pose, &swayed(&plant, time));
    }
    let error = reader.read(7, &mut pose).unwrap_err().to_string();
    assert!(error.ends_with("frame 7 of a motion with 7 frames"), "{error}");
}

#[test]
fn between_frames_bodies_are_in_between() {
    let (folder, plant) = (Folder::new(), sapling());
    let path = folder.file("turn.wfm");
    let rest = Pose::rest(&plant);
    let mut other = rest.clone();
    for (p, q) in other.positions.iter_mut().zip(&mut other.orientations) {
        *p += Vec3::new(1.0, 2.0, -4.0);
        // The same rotation with the other sign: interpolation must still use the shorter arc.
        *q = -(Quat::from_rotation_y(1.0) * *q);
    }
    let mut writer = MotionWriter::create(&path, &plant, 10.0).unwrap();
    writer.frame(0.0, &rest).unwrap();
    writer.frame(0.1, &other).unwrap();
    writer.finish().unwrap();
    let mut reader = MotionReader::open(&path, &plant).unwrap();
    let mut pose = Pose::default();
    for (seconds, share) in [(0.025, 0.25_f32), (0.0, 0.0), (0.1, 1.0), (0.05, 0.5), (-3.0, 0.0), (9.0, 1.0)] {
        reader.sample(seconds, &mut pose).unwrap();
        for i in 0..rest.len() {
            let place = rest.positions[i] + Vec3::new(1.0, 2.0, -4.0) * share;
            assert!(pose.positions[i].distance(place) < 1e-5);
            assert!(angle(pose.orientations[i], Quat::from_rotation_y(share) * rest.orientations[i]) < 6e-6);
        }
    }
}

/// Frames may deviate up to half a frame from their even times; a steady motion remains steady.
#[test]
fn frames_have_their_own_times() {
    let (folder, plant) = (Folder::new(), sapling());
    let path = folder.file("jitter.wfm");
    let rest = Pose::rest(&plant);
    let at = |time: f64| {
        let mut pose = rest.clone();
        pose.positions.iter_mut().for_each(|place| *place += Vec3::new(1.0, 2.0, -4.0) * time as f32);
        pose.orientations.iter_mut().for_each(|turn| *turn = Quat::from_rotation_y(time as f32) * *turn);
        pose
    };
    let mut writer = MotionWriter::create(&path, &plant, 10.0).unwrap();
    // The third and the fourth have the same time.
    for (frame, off) in [0.0, 0.4, 0.5, -0.5, -0.3, 0.2, 0.0].into_iter().enumerate() {
        let time = (frame as f64 + off) / 10.0;
        writer.frame(7.0 + time, &at(time)).unwrap();
    }
    writer.finish().unwrap();
    let mut reader = MotionReader::open(&path, &plant).unwrap();
    let mut pose = Pose::default();
    for step in 0..=120 {
        let time = f64::from(step) / 200.0;
        reader.sample(time, &mut pose).unwrap();
        let expected = at(time);
        for i in 0..rest.len() {
            assert!(pose.positions[i].distance(expected.positions[i]) < 1e-5, "after {time} s");
            assert!(angle(pose.orientations[i], expected.orientations[i]) < 1e-5, "after {time} s");
        }
    }
}

#[test]
fn the_same_poses_are_the_same_bytes() {
    let (folder, plant) = (Folder::new(), sapling());
    let bytes = |threads: usize| {
        let path = folder.file(&format!("{threads}.wfm"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| write(&path, &plant, 3)).unwrap();
        std::fs::read(path).unwrap()
    };
    assert_eq!(bytes(1), bytes(3));
}

#[test]
fn nothing_appears_before_it_is_finished() {
    let (folder, plant) = (Folder::new(), sapling());
    let path = folder.file("a.wfm");
    write(&path, &plant, 1).unwrap();
    let mut writer = MotionWriter::create(&path, &plant, 50.0).unwrap();
    writer.frame(0.0, &Pose::rest(&plant)).unwrap();
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), 1, "no rubbish stays");
    assert_eq!(read_all(&path, &plant).unwrap().len(), 1, "and the old file does");
}

#[test]
fn a_motion_may_be_empty() {
    let (folder, plant) = (Folder::new(), sapling());
    let path = folder.file("none.wfm");
    write(&path, &plant, 0).unwrap();
    let mut reader = MotionReader::open(&path, &plant).unwrap();
    assert!(reader.is_empty());
    assert_eq!(reader.duration(), 0.0);
    assert!(matches!(
        reader.sample(0.0, &mut Pose::default()).unwrap_err().problem,
        MotionProblem::NoFrame { frame: 0, frames: 0 }
    ));
}

#[test]
fn what_cannot_be_a_frame_is_refused_and_the_frames_before_it_are_kept() {
    let (folder, plant) = (Folder::new(), sapling());
    let path = folder.file("blown_up.wfm");
    let rest = Pose::rest(&plant);
    let mut writer = MotionWriter::create(&path, &plant, 10.0).unwrap();
    writer.frame(0.0, &rest).unwrap();
    let changed = |change: fn(&mut Pose)| {
        let mut pose = rest.clone();
        change(&mut pose);
        pose
    };
    for (time, pose, text) in [
        (0.1, changed(|p| p.positions[5].y = f32::NAN), "frame 1 at 0.1 s: body 5 has no finite place"),
        (0.1, changed(|p| p.positions[0].x = f32::INFINITY), "body 0 has no"),
        (0.1, changed(|p| p.orientations[9] = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)), "body 9 has no"),
        (0.1, changed(|p| p.orientations[9].w = f32::NAN), "body 9 has no"),
        (0.1, Pose::default(), "0 positions and 0 orientations"),
        (0.1, changed(|p| p.orientations.truncate(3)), "and 3 orientations"),
        (f64::NAN, rest.clone(), "must be a number"),
        (0.2, rest.clone(), "put it at 0.1 s"),
        (0.0, rest.clone(), "put it at 0.1 s"),
    ] {
        let error = writer.frame(time, &pose).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
    // Steps need not coincide with frames.
    writer.frame(0.14, &rest).unwrap();
    writer.frame(0.1501, &rest).unwrap();
    writer.finish().unwrap();
    assert_eq!(read_all(&path, &plant).unwrap().len(), 3);
}

#[test]
fn bad_destinations_and_rates_are_refused_at_once() {
    let (folder, plant) = (Folder::new(), sapling());
    let problem = |name: &str, rate: f64| MotionWriter::create(&folder.file(name), &plant, rate).err().unwrap().problem;
    assert!(matches!(problem("a.gif", 60.0), MotionProblem::Ending));
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        assert!(matches!(problem("a.wfm", rate), MotionProblem::Rate(_)), "{rate}");
    }
}

#[test]
fn another_plant_is_refused() {
    let (folder, plant) = (Folder::new(), sapling());
    let path = folder.file("sway.wfm");
    write(&path, &plant, 2).unwrap();
    let refused = |other: Plant| match MotionReader::open(&path, &other).unwrap_err().problem {
        MotionProblem::OtherPlant(what) => what,
        other => panic!("{other}"),
    };
    let mut fewer = plant.clone().into_parts();
    fewer.leaves.pop();
    assert!(refused(Plant::new(fewer).unwrap()).contains("bodies, and"));
    let mut moved = plant.clone().into_parts();
    moved.leaves.last_mut().unwrap().position.x += 1e-3;
    assert!(refused(Plant::new(moved).unwrap()).contains("placed otherwise"));
    let mut joined = plant.clone().into_parts();
    joined.leaves[0].parent = 0;
    assert!(refused(Plant::new(joined).unwrap()).contains("placed otherwise"));
    // A stiffer plant elsewhere can be shown with the same motion.
    let mut stiffer = plant.clone().into_parts();
    stiffer.name = "stiffer".into();
    stiffer.trees[0].origin.x = 1000.0;
    for wood in &mut stiffer.wood_materials {
        wood.youngs_modulus *= 2.0;
    }
    assert_eq!(read_all(&path, &Plant::new(stiffer).unwrap()).unwrap().len(), 2);
}

#[test]
fn every_truncation_and_every_flipped_bit_is_an_error() {
    let (folder, plant) = (Folder::new(), sapling());
    let path = folder.file("good.wfm");
    write(&path, &plant, 2).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let places: Vec<usize> = (0..HEADER + 30).chain((HEADER + 30..bytes.len()).step_by(37)).collect();
    for &at in &places {
        assert!(read_all(&folder.with(&bytes[..at]), &plant).is_err(), "cut at {at}");
        bytes[at] ^= 0x10;
        assert!(read_all(&folder.with(&bytes), &plant).is_err(), "byte {at}");
        bytes[at] ^= 0x10;
    }
    assert_eq!(read_all(&folder.with(&bytes), &plant).unwrap().len(), 2);
    bytes.push(0);
    assert!(read_all(&folder.with(&bytes), &plant).is_err(), "one byte more");
}

#[test]
fn errors_say_what_is_wrong() {
    let (folder, plant) = (Folder::new(), sapling());
    let path = folder.file("good.wfm");
    write(&path, &plant, 2).unwrap();
    let good = std::fs::read(&path).unwrap();
    let error = |bytes: &[u8]| read_all(&folder.with(bytes), &plant).unwrap_err().to_string();
    assert!(error(b"").ends_with("tampered.wfm: the file is empty"));
    assert!(error(b"GIF89a").contains("not a motion file"));
    assert!(error(b"WFMOT").contains("ends within the header"));
    assert!(error(&[b'{'; 100]).contains("not a motion file"));
    assert!(error(&good[..good.len() - 1]).contains("2 frames of 200 bodies don't make"));
    let changed = |at: usize, with: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + with.len()].copy_from_slice(with);
        with_right_sums(bytes, &plant)
    };
    assert!(error(&changed(8, &[2])).contains("newer windfall"));
    assert!(error(&changed(8, &[0])).contains("version 0"));
    for rate in [f64::NAN, 0.0, -60.0, f64::INFINITY] {
        assert!(error(&changed(20, &rate.to_le_bytes())).contains("frames per second"));
    }
    assert!(error(&changed(HEADER, &f64::NAN.to_le_bytes())).contains("first frame"));
    let second = HEADER + frame_bytes(&plant);
    for time in [f64::NAN, f64::INFINITY, 2.0, -1.0, 3.0] {
        assert!(error(&changed(second, &time.to_le_bytes())).contains("frame 1: its time is"));
    }
    let place = second + 8 + 20 * 7;
    assert!(error(&changed(place, &f32::NAN.to_le_bytes())).contains("frame 1: the position of body 7"));
    let mut flipped = good.clone();
    flipped[place] ^= 1;
    assert!(error(&flipped).contains("frame 1: its check sum is wrong"));
    assert!(MotionReader::open(folder.0.path(), &plant).unwrap_err().to_string().contains("is not a file"));
    assert!(MotionReader::open(&folder.file("no.wfm"), &plant).unwrap_err().to_string().contains("no.wfm: No such"));
}

#[test]
fn numbers_that_lie_are_answered() {
    let (folder, plant) = (Folder::new(), sapling());
    let path = folder.file("good.wfm");
    write(&path, &plant, 2).unwrap();
    let good = std::fs::read(&path).unwrap();
    for lie in [u64::MAX, u64::MAX / 2, 1 << 40, 3, 1, 0] {
        let mut bytes = good.clone();
        bytes[28..36].copy_from_slice(&lie.to_le_bytes());
        assert!(read_all(&folder.with(&with_right_sums(bytes, &plant)), &plant).is_err(), "{lie} frames");
    }
    // Counts of bodies and frames whose product matches the file size, or overflows to it.
    for (bodies, frames) in [(u32::MAX, 2), (0, (good.len() - HEADER) as u64 / 12), (0, 0), (1, 1 << 59)] {
        let mut bytes = good.clone();
        bytes[12..16].copy_from_slice(&bodies.to_le_bytes());
        bytes[28..36].copy_from_slice(&u64::to_le_bytes(frames));
        assert!(read_all(&folder.with(&with_right_sums(bytes, &plant)), &plant).is_err(), "{bodies} bodies");
    }
}

/// Corrects the checksums of a modified file, so that later checks are reached.
fn with_right_sums(mut bytes: Vec<u8>, plant: &Plant) -> Vec<u8> {
    if bytes.len() < HEADER {
        return bytes;
    }
    let sum = crc32fast::hash(&bytes[..36]);
    bytes[36..40].copy_from_slice(&sum.to_le_bytes());
    for frame in bytes[HEADER..].chunks_exact_mut(frame_bytes(plant)) {
        let end = frame.len() - 4;
        let sum = crc32fast::hash(&frame[..end]);
        frame[end..].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_plant_moves(plant in any_plant()) {
        let folder = Folder::new();
        let path = folder.file("any.wfm");
        write(&path, &plant, 2).unwrap();
        for (i, pose) in read_all(&path, &plant).unwrap().iter().enumerate() {
            assert_same(pose, &swayed(&plant, 2.0 + i as f64 / 50.0));
        }
    }

    /// Random damage with correct checksums: any pose that is read can be drawn.
    #[test]
    fn tampered_files_are_answered(
        plant in any_plant(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<prop::sample::Index>(),
        shorten: bool,
    ) {
        let folder = Folder::new();
        let path = folder.file("any.wfm");
        write(&path, &plant, 2).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if shorten {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(poses) = read_all(&folder.with(&with_right_sums(bytes, &plant)), &plant) {
            for pose in poses {
                prop_assert!(pose.positions.iter().all(|p| p.is_finite()));
                prop_assert!(pose.orientations.iter().all(|q| (q.length() - 1.0).abs() < 1e-6));
            }
        }
    }
}
