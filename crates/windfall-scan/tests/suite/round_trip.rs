//! Grown trees survive export as cylinders and import.

use windfall_core::{Plant, Summary};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_scan::{FaultKind, ImportOptions, import, write};

fn grown(name: &str) -> Plant {
    grow(&Species::named(name).unwrap(), &GrowOptions { bodies: Some(8000), seed: 2 }).unwrap()
}

fn volume(plant: &Plant) -> f64 {
    plant.segments().iter().map(|s| s.frustum().volume()).sum()
}

/// The tips of all branches, highest first.
fn heights(plant: &Plant) -> Vec<f32> {
    let mut heights: Vec<f32> =
        (0..plant.branches().len()).map(|b| plant.segments()[plant.branch_segments(b).end - 1].tip().y).collect();
    heights.sort_by(|a, b| b.total_cmp(a));
    heights
}

#[test]
fn grown_trees_come_back() {
    for name in ["maple", "oak", "pine", "willow"] {
        let plant = grown(name);
        let scan = import(write::plain_csv(&plant).as_bytes(), &ImportOptions::default()).unwrap();
        // No cylinder is lost and no part is loose.
        assert_eq!(scan.report.cylinders_kept, plant.segments().len(), "{name}");
        for kind in [
            FaultKind::BadPlace,
            FaultKind::Loop,
            FaultKind::LoosePart,
            FaultKind::Dropped,
            FaultKind::NoRadius,
            FaultKind::UnknownParent,
        ] {
            assert_eq!(scan.report.count(kind), 0, "{name}: {}", scan.report);
        }
        let ratio = volume(&scan.plant) / volume(&plant);
        assert!((ratio - 1.0).abs() < 0.03, "{name}: volume {ratio}");
        let (before, after) = (&Summary::of(&plant).trees[0], &Summary::of(&scan.plant).trees[0]);
        assert!((before.dbh_m.unwrap() / after.dbh_m.unwrap() - 1.0).abs() < 0.03, "{name}");
        // Branch tips keep their positions; the arms of a fork are one branch less, since one of them
        // continues the parent.
        let (before, after) = (heights(&plant), heights(&scan.plant));
        assert!((before[0] - after[0]).abs() < 1e-3, "{name}");
        let forks = scan.report.count(FaultKind::Continued);
        assert_eq!(before.len() - after.len(), forks, "{name}: {}", scan.report);
    }
}

/// A second round of export and import needs no repair of parents and radii.
#[test]
fn importing_again_changes_little() {
    let first = import(write::plain_csv(&grown("maple")).as_bytes(), &ImportOptions::default()).unwrap();
    let second = import(write::plain_csv(&first.plant).as_bytes(), &ImportOptions::default()).unwrap();
    assert_eq!(first.plant.branches().len(), second.plant.branches().len());
    assert!((volume(&second.plant) / volume(&first.plant) - 1.0).abs() < 0.01);
}
