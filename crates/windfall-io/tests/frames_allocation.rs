//! Memory of formats with frames does not grow with their number. A single test per process, because the
//! counter includes all threads.

#[path = "common/sway.rs"]
mod sway;

use std::path::Path;

use peak_alloc::PeakAlloc;
use windfall_core::{Plant, Pose};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_io::{BoneCount, Frames, MotionError, UsdMotion, export_points, export_poses, export_usd};
use windfall_skin::{Detail, Look, PaintOptions, Skin, skin};

#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

/// Frames of the longer motion.
const MANY: usize = 360;
/// Allowed variation between runs, bytes.
const ROOM: usize = 1 << 20;

/// Poses generated on demand.
struct Made<'a> {
    plant: &'a Plant,
    frames: usize,
}

impl Frames for Made<'_> {
    fn len(&self) -> usize {
        self.frames
    }

    fn time(&self, frame: usize) -> f64 {
        frame as f64 / 24.0
    }

    fn read(&mut self, frame: usize, pose: &mut Pose) -> Result<(), MotionError> {
        *pose = sway::pose(self.plant, self.time(frame), 2.0);
        Ok(())
    }
}

fn write(plant: &Plant, skin: &Skin, frames: usize, path: &Path) {
    let frames = &mut Made { plant, frames };
    let seen = &mut |_| ();
    match path.file_name().unwrap().to_str().unwrap() {
        "tree.csv" => assert!(export_poses(plant, frames, &[], path, seen).is_ok()),
        "tree.pc2" | "tree.mdd" => assert!(export_points(plant, skin, frames, path, seen).is_ok()),
        "tree.usda" | "tree.usdc" => assert!(export_usd(plant, skin, frames, UsdMotion::Points, path, seen).is_ok()),
        _ => assert!(export_usd(plant, skin, frames, UsdMotion::Skeleton(BoneCount::All), path, seen).is_ok()),
    }
}

#[test]
fn more_frames_take_no_more_memory() {
    let plant = grow(&Species::named("oak").unwrap(), &GrowOptions { bodies: Some(500), seed: 1 }).unwrap();
    let textures = PaintOptions { bark: 16, twig: 16, leaf: 16, fruit: 16, ..PaintOptions::default() };
    let skin = skin(&plant, &Look::of(&plant), &Detail::level(&plant, 2), &textures);
    let folder = tempfile::tempdir().unwrap();
    for name in ["tree.csv", "tree.pc2", "tree.mdd", "tree.usda", "tree.usdc", "bones.usda", "bones.usdc"] {
        let path = folder.path().join(name);
        let peak = |frames: usize| {
            PEAK.reset_peak_usage();
            let before = PEAK.current_usage();
            write(&plant, &skin, frames, &path);
            PEAK.peak_usage() - before
        };
        // The first run starts threads and makes lasting allocations.
        peak(24);
        let small = peak(24);
        let few = path.metadata().unwrap().len() as usize;
        let large = peak(MANY);
        let more = path.metadata().unwrap().len() as usize - few;
        // Text is formatted in blocks by a varying number of threads.
        assert!(large < small + ROOM, "{name}: {small} for 24 frames, {large} for {MANY}");
        assert!(more > 3 * ROOM, "{name}: {more} bytes are too few to see whether they were kept");
    }
}
