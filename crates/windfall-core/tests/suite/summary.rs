//! The forestry measures against a tree with measures known by construction.

use std::f64::consts::PI;

use windfall_core::build::{Attachment, CentreLine, PlantBuilder, Segmentation};
use windfall_core::glam::{DVec3, Quat, Vec3};
use windfall_core::parts::{Branch, Leaf, PlantParts, Segment, Tree};
use windfall_core::{Plant, Summary, materials};

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b}");
}

/// A trunk of 4 m from 10 to 6 cm radius, with eight limbs of 2 m at 2.5 m height, 60 degrees from the trunk.
fn octopus() -> Plant {
    let mut builder = PlantBuilder::new("octopus");
    let wood = builder.wood_material(materials::wood("aspen").unwrap().clone());
    builder.leaf_material(materials::leaf("aspen").unwrap().clone());
    let tree = builder.tree("octopus", DVec3::new(500.0, 20.0, -500.0));
    let cut = Segmentation::by_length(0.5);
    let trunk = CentreLine::polyline(&[(DVec3::ZERO, 0.10), (DVec3::Y * 4.0, 0.06)]);
    let trunk = builder.branch(Attachment::Root(tree), wood, &trunk, &cut).unwrap();
    for k in 0..8 {
        let angle = PI * f64::from(k) / 4.0;
        let out = DVec3::new(angle.cos(), 0.0, angle.sin());
        let base = DVec3::Y * 2.75;
        let tip = base + 2.0 * (60_f64.to_radians().sin() * out + 60_f64.to_radians().cos() * DVec3::Y);
        let limb = CentreLine::polyline(&[(base, 0.03), (tip, 0.01)]);
        builder.branch(Attachment::Lateral(trunk), wood, &limb, &cut).unwrap();
    }
    for parent in [3, 20, 39] {
        builder.leaf(Leaf {
            parent,
            material: 0,
            position: Vec3::Y,
            orientation: Quat::IDENTITY,
            width: 0.04,
            length: 0.05,
            petiole_length: 0.05,
            petiole_radius: 0.001,
        });
    }
    builder.finish().unwrap()
}

#[test]
fn measures_match_the_construction() {
    let summary = Summary::of(&octopus());
    let tree = &summary.trees[0];
    assert_eq!((summary.bodies, summary.wood, summary.branches, summary.orders), (43, 40, 9, 2));
    assert_eq!(summary.leaves.get("leaf"), Some(&3));
    // The trunk's six segments below the limbs, four of a limb; no body is deeper.
    assert_eq!(summary.depth, 11);
    close(tree.height_m, 4.0, 1e-6);
    // Linear taper: at 1.3 m the radius is 0.10 - 0.04 * 1.3 / 4.
    close(tree.dbh_m.unwrap(), 2.0 * (0.10 - 0.04 * 1.3 / 4.0), 1e-6);
    close(tree.base_diameter_m, 0.20, 1e-6);
    close(tree.clear_trunk_m.unwrap(), 2.75, 1e-6);
    close(tree.insertion_angle_deg.unwrap(), 60.0, 1e-3);
    // The tips are the corners of a regular octagon with this circumradius.
    let r = 2.0 * 60_f64.to_radians().sin();
    close(tree.crown_area_m2, 0.5 * 8.0 * r * r * (PI / 4.0).sin(), 1e-4);
    // Mean width of a convex figure is its perimeter over pi (Cauchy); the fan of directions is coarse.
    close(tree.crown_width_m, 8.0 * 2.0 * r * (PI / 8.0).sin() / PI, 0.02);
    close(tree.leaf_area_m2, 3.0 * 0.5 * 0.04 * 0.05, 1e-9);
    close(tree.leaf_area_index, tree.leaf_area_m2 / tree.crown_area_m2, 1e-12);
    close(summary.mass_kg, tree.mass_kg, 1e-9);
    close(summary.mass_kg, summary.wood_mass_kg + summary.leaf_mass_kg, 1e-12);
}

#[test]
fn a_hundred_thousand_trees_are_summed_up_in_time() {
    let n = 100_000;
    let segment =
        Segment { position: Vec3::ZERO, orientation: Quat::IDENTITY, length: 1.0, base_radius: 0.1, tip_radius: 0.1 };
    let plant = Plant::new(PlantParts {
        trees: (0..n).map(|i| Tree { name: i.to_string(), origin: DVec3::X * f64::from(i) }).collect(),
        branches: (0..n)
            .map(|i| Branch { parent: None, tree: i as u32, segment_count: 1, material: 0, order: 0 })
            .collect(),
        segments: vec![segment; n as usize],
        wood_materials: vec![materials::wood("aspen").unwrap().clone()],
        ..PlantParts::default()
    })
    .unwrap();
    // A search for each tree's trunk among all branches would take ten thousand million steps.
    let summary = Summary::of(&plant);
    assert_eq!(summary.trees.len(), n as usize);
    assert!(summary.trees.iter().all(|tree| (tree.height_m - 1.0).abs() < 1e-6));
}
