//! Memory use of vertex animation textures. A single test per process, because the counter includes all
//! threads.

#[path = "common/skins.rs"]
mod skins;

use peak_alloc::PeakAlloc;
use windfall_core::glam::{DVec3, Quat};
use windfall_core::{Plant, Pose};
use windfall_io::{Clip, Frames, MotionError, VatFormat, VatOptions, export_vat};
use windfall_skin::{Skin, TreeSkin};

#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

/// Poses generated on demand.
struct Turning<'a>(&'a Plant, usize);

impl Frames for Turning<'_> {
    fn len(&self) -> usize {
        self.1
    }

    fn time(&self, frame: usize) -> f64 {
        frame as f64 / 30.0
    }

    fn read(&mut self, frame: usize, pose: &mut Pose) -> Result<(), MotionError> {
        *pose = Pose::rest(self.0);
        pose.orientations[0] = Quat::from_rotation_x(0.01 * frame as f32);
        Ok(())
    }
}

#[test]
fn memory_does_not_grow_with_frames() {
    let folder = tempfile::tempdir().unwrap();
    let plant = skins::plant(&[("tree", DVec3::ZERO)]);
    let parts = vec![skins::part("bark", 0, skins::tube(0.3, 20.0, 49, 99))];
    let skin = Skin { trees: vec![TreeSkin { parts, ..TreeSkin::default() }], materials: skins::materials() };
    for format in [VatFormat::Exr16, VatFormat::Png16] {
        let write = |frames: usize| {
            PEAK.reset_peak_usage();
            let before = PEAK.current_usage();
            let clip = &mut Clip { name: "turn".into(), frames: &mut Turning(&plant, frames) };
            let options = VatOptions { format, looping: false };
            let report =
                export_vat(&plant, &skin, clip, options, &folder.path().join("tree.glb"), &mut |_| ()).unwrap();
            (PEAK.peak_usage() - before, report.width * report.height)
        };
        write(2);
        let (few, few_pixels) = write(20);
        let (many, pixels) = write(400);
        assert!(pixels >= 16 * few_pixels);
        // Rows of the texture are wider, and eight blocks of sixteen rows are compressed at a time. Stored
        // frames would take 120 kB each, 46 MB in all.
        assert!(many < few + 12_000_000, "{format:?}: {few} for few frames, {many} for many");
    }
}
