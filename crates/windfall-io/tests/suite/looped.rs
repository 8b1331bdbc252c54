//! Loops: the end matches the beginning in position and velocity, and periodic motions are not changed.

use crate::sway;
use windfall_core::glam::Vec3;
use windfall_core::{Plant, Pose};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_io::{Frames, Looped, MotionReader, MotionWriter};

const RATE: f64 = 60.0;
const PERIOD: f64 = 2.0;
const FRAMES: usize = 120;

fn plant() -> Plant {
    grow(&Species::named("apple").unwrap(), &GrowOptions { bodies: Some(200), seed: 2 }).unwrap()
}

/// A motion that sways with its own period.
fn motion(plant: &Plant, own_period: f64) -> (tempfile::TempDir, MotionReader) {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = MotionWriter::create(&folder.path().join("sway.wfm"), plant, RATE).unwrap();
    for i in 0..FRAMES + 2 {
        writer.frame(i as f64 / RATE, &sway::pose(plant, i as f64 / RATE, own_period)).unwrap();
    }
    let reader = writer.read_back(plant).unwrap();
    assert_eq!(folder.path().read_dir().unwrap().count(), 1, "a file without its name");
    (folder, reader)
}

/// Ends of all bodies, 10 cm out.
fn points(pose: &Pose) -> Vec<Vec3> {
    assert_eq!(pose.positions.len(), pose.orientations.len());
    pose.positions.iter().zip(&pose.orientations).map(|(&p, &q)| p + q * Vec3::Y * 0.1).collect()
}

fn largest(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn what_repeats_is_left_alone() {
    let plant = plant();
    let (_folder, reader) = motion(&plant, PERIOD);
    let mut looped = Looped::new(&plant, reader, FRAMES).unwrap();
    assert_eq!((looped.len(), looped.time(FRAMES)), (FRAMES + 1, PERIOD));
    let (mut closed, mut open) = (Pose::default(), Pose::default());
    for frame in [0, 1, 60, 119, 120] {
        looped.read(frame, &mut closed).unwrap();
        looped.read_open(frame, &mut open).unwrap();
        // The error of orientations in the file is 5e-6 rad, of rates 60 times that over 0.04 s.
        assert!(largest(&points(&closed), &points(&open)) < 2e-4, "frame {frame}");
    }
}

#[test]
fn what_does_not_repeat_is_closed_smoothly() {
    let plant = plant();
    // 2 s are 1.54 of its own periods: the gap is as large as the amplitude.
    let (_folder, reader) = motion(&plant, 1.3);
    let mut looped = Looped::new(&plant, reader, FRAMES).unwrap();
    let mut read = |frame: usize| {
        let mut pose = Pose::default();
        looped.read(frame, &mut pose).unwrap();
        points(&pose)
    };
    let ends = [FRAMES - 2, FRAMES - 1, 0, 1, 2].map(&mut read);
    assert_eq!(read(FRAMES), ends[2]);
    let (mut at_seam, mut inside) = (0.0_f32, 0.0_f32);
    let kink = |a: &[Vec3], b: &[Vec3], c: &[Vec3]| {
        (0..a.len()).map(|i| (a[i] + c[i] - 2.0 * b[i]).length()).fold(0.0, f32::max)
    };
    // Second differences are accelerations over the square of the rate: a jump of velocity would be
    // visible.
    for i in 1..4 {
        at_seam = at_seam.max(kink(&ends[i - 1], &ends[i], &ends[i + 1]));
    }
    for frame in (1..FRAMES - 1).step_by(5) {
        inside = inside.max(kink(&read(frame - 1), &read(frame), &read(frame + 1)));
    }
    // Adjusting velocities within a quarter of a second causes additional acceleration.
    assert!(at_seam < 1.5 * inside, "{at_seam} {inside}");
    // The gap at the seam of the original motion.
    let (mut first, mut last) = (Pose::default(), Pose::default());
    looped.read_open(0, &mut first).unwrap();
    looped.read_open(FRAMES, &mut last).unwrap();
    assert!(largest(&points(&first), &points(&last)) > 0.05);
}

#[test]
fn joints_hold_while_they_are_turned() {
    let plant = plant();
    let (_folder, reader) = motion(&plant, 1.3);
    let mut looped = Looped::new(&plant, reader, FRAMES).unwrap();
    let rest = Pose::rest(&plant);
    let mut loose = windfall_skin::bones::Loose::new(&plant);
    let mut pose = Pose::default();
    for frame in 0..=FRAMES {
        looped.read(frame, &mut pose).unwrap();
        loose.see(&rest, &pose);
    }
    assert_eq!(loose.count(), 0);
}
