//! Memory use of exporting. A single test per process, because the counter includes all threads.

#[path = "common/skins.rs"]
mod skins;

use peak_alloc::PeakAlloc;
use windfall_core::glam::DVec3;
use windfall_io::export;
use windfall_skin::{Skin, TreeSkin};

#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

#[test]
fn vertices_are_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let plant = skins::plant(&[("tree", DVec3::ZERO)]);
    let mesh = skins::tube(0.3, 20.0, 100, 10_000);
    let bytes = mesh.bytes();
    let skin = Skin {
        trees: vec![TreeSkin { parts: vec![skins::part("bark", 0, mesh)], ..TreeSkin::default() }],
        materials: skins::materials(),
    };
    // OBJ formats a fixed number of lines at a time.
    for (name, budget) in [("tree.glb", 4 << 20), ("tree.obj", 48 << 20)] {
        PEAK.reset_peak_usage();
        let before = PEAK.current_usage();
        export(&plant, &skin, &folder.path().join(name)).unwrap();
        let taken = PEAK.peak_usage() - before;
        assert!(taken < budget && budget < bytes, "{name} took {taken} for a mesh of {bytes}");
    }
}
