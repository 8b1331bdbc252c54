//! The report of a skin, compared with counts by hand.

use crate::skins;
use serde_json::json;
use windfall_core::glam::DVec3;
use windfall_io::SkinReport;

#[test]
fn counts_bounds_and_images() {
    let (plant, skin) = skins::two_trees();
    let report = SkinReport::of(&plant, &skin);
    let first = &report.trees[0];
    let names: Vec<&str> = first.parts.iter().map(|p| &*p.name).collect();
    assert_eq!(names, ["bark", "leaves", "fruit"], "parts without triangles are left out");
    // A tube of 12 sides and 8 rings with a seam; cards of four corners.
    assert_eq!((first.parts[0].vertices, first.parts[0].triangles), (13 * 9, 12 * 8 * 2));
    assert_eq!((first.parts[1].vertices, first.parts[1].triangles), (4 * 101, 2 * 101));
    let all: usize = report.trees.iter().flat_map(|t| &t.parts).map(|p| p.triangles).sum();
    assert_eq!(report.triangles, all);
    // A tube of 30 cm radius and 9 m height around the origin of the second tree.
    let trunk = &report.trees[1].parts[0];
    let radius = DVec3::new(0.3, 0.0, 0.3);
    assert!(trunk.min.distance(report.trees[1].origin - radius) < 1e-6);
    assert!(trunk.max.distance(report.trees[1].origin + radius + 9.0 * DVec3::Y) < 1e-6);

    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["trees"][0]["origin"], json!([10.0, 0.0, -5.0]));
    assert_eq!(json["trees"][0]["parts"][1]["material"], "leaf");
    assert_eq!(json["materials"][1]["images"][3], json!({ "what": "translucency", "width": 64, "height": 64 }));
}
