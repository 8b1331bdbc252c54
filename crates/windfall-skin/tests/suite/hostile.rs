//! Valid plants of unnatural shape: their surfaces are closed and finite all the same, in little time.

use crate::common::{Welded, bent, options};
use windfall_core::glam::{DVec3, Quat, Vec3};
use windfall_core::materials::wood;
use windfall_core::{Branch, Plant, PlantParts, Pose, Segment, Tree};
use windfall_skin::{Bark, Detail, Motion, bark, members};

type Piece = (Vec3, Vec3, f32, f32);

/// Branches of (parent segment, pieces from point to point with two radii).
fn plant(branches: &[(Option<u32>, Vec<Piece>)]) -> Plant {
    let mut parts = PlantParts {
        name: "hostile".to_owned(),
        trees: vec![Tree { name: "hostile".to_owned(), origin: DVec3::ZERO }],
        wood_materials: vec![wood("oak").or_else(|| wood("sugar maple")).unwrap().clone()],
        ..PlantParts::default()
    };
    for (parent, pieces) in branches {
        let order = u16::from(parent.is_some());
        let segment_count = pieces.len() as u32;
        parts.branches.push(Branch { parent: *parent, tree: 0, segment_count, material: 0, order });
        for &(from, to, base_radius, tip_radius) in pieces {
            let orientation = Quat::from_rotation_arc(Vec3::Y, (to - from).normalize());
            let length = from.distance(to);
            parts.segments.push(Segment { position: from, orientation, length, base_radius, tip_radius });
        }
    }
    Plant::new(parts).unwrap()
}

/// A run of pieces through points.
fn run(points: &[Vec3], r0: f32, r1: f32) -> Vec<Piece> {
    let n = points.len() - 1;
    let radius = |i: usize| if i == n { r1 } else { r0 + (r1 - r0) * i as f32 / n as f32 };
    (0..n).map(|i| (points[i], points[i + 1], radius(i), radius(i + 1))).collect()
}

fn check(plant: &Plant, tolerance: f32, what: &str) -> Bark {
    let bark = bark(plant, &members(plant)[0].branches, &options(plant, tolerance));
    let surface = Welded::of(&bark);
    assert_eq!(surface.open_edges(), 0, "{what}");
    assert_eq!(surface.pieces(), 1 + bark.loose_branches, "{what}");
    let motion = Motion::new(&Pose::rest(plant), &bent(plant, 0.3));
    for part in &bark.parts {
        let mesh = &part.mesh;
        assert!(mesh.positions.iter().all(|p| p.is_finite()), "{what}");
        assert!(mesh.uvs.iter().all(|t| t.is_finite()), "{what}");
        assert!(mesh.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-3), "{what}");
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        motion.deform(mesh, &mut positions, &mut normals);
        assert!(positions.iter().chain(&normals).all(|p| p.is_finite()), "{what}");
    }
    bark
}

fn trunk(height: f32, radius: f32) -> Vec<Piece> {
    run(&[Vec3::ZERO, Vec3::Y * (0.5 * height), Vec3::Y * height], radius, 0.5 * radius)
}

#[test]
fn one_segment_thick_thin_long_short() {
    for (length, radius) in [(1e-6, 1e-6), (1e4, 1e-6), (1e-6, 1e4), (1e4, 1e4), (1.0, 1e-3)] {
        let plant = plant(&[(None, run(&[Vec3::ZERO, Vec3::Y * length], radius, radius))]);
        for tolerance in [1e-5, 1e-3, 10.0] {
            check(&plant, tolerance, &format!("{length} m long, {radius} m thick, {tolerance} m fine"));
        }
    }
}

#[test]
fn pieces_too_short_to_add_to_the_length() {
    let points = [Vec3::ZERO, Vec3::Y * 100.0, Vec3::Y * 100.00001];
    let side = (Some(1), run(&[Vec3::Y * 100.0, Vec3::new(1.0, 100.0, 0.0)], 0.1, 0.05));
    check(&plant(&[(None, run(&points, 1.0, 0.5)), side]), 1e-3, "a micrometre on top of a hundred metres");
}

#[test]
fn a_needle_from_a_hundred_metres_to_a_micrometre() {
    check(&plant(&[(None, run(&[Vec3::ZERO, Vec3::Y], 100.0, 1e-6))]), 1e-3, "a spike");
}

#[test]
fn a_long_vine_has_room_for_all_its_twigs() {
    let points: Vec<Vec3> = (0..=3000).map(|i| Vec3::new(0.1 * i as f32, 1.0, 0.0)).collect();
    let mut branches = vec![(None, run(&points, 0.01, 0.005))];
    for i in 0..3000u32 {
        let from = Vec3::new(0.1 * i as f32 + 0.05, 1.005, 0.0);
        branches.push((Some(i), run(&[from, from + Vec3::new(0.05, 0.1, 0.02)], 0.002, 0.001)));
    }
    assert_eq!(check(&plant(&branches), 1e-3, "a vine").loose_branches, 0);
}

#[test]
fn detail_goes_with_size_not_with_place() {
    let at = |from: Vec3| plant(&[(None, run(&[from, from + Vec3::Y * 10.0], 0.2, 0.1))]);
    let (near, far) = (Detail::level(&at(Vec3::ZERO), 1), Detail::level(&at(Vec3::X * 5000.0), 1));
    assert!((near.tolerance / far.tolerance - 1.0).abs() < 1e-3);
}

#[test]
fn a_line_that_turns_back_and_swells() {
    let zigzag: Vec<Vec3> = (0..40).map(|i| Vec3::new(0.0, if i % 2 == 0 { 1.0 } else { 2.0 }, 0.0)).collect();
    check(&plant(&[(None, run(&zigzag, 0.1, 0.01))]), 1e-3, "turns back");
    let hook = [Vec3::ZERO, Vec3::Y, Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.1, 0.05, 0.0)];
    check(&plant(&[(None, run(&hook, 0.01, 0.5))]), 1e-3, "swells");
}

#[test]
fn side_branches_that_do_not_fit() {
    let at = |from: Vec3, to: Vec3, r: f32| (Some(0), run(&[from, to], r, 0.5 * r));
    let cases = [
        ("thicker than its parent", at(Vec3::Y * 0.5, Vec3::new(3.0, 0.5, 0.0), 1.0)),
        ("along its parent", at(Vec3::Y * 0.2, Vec3::Y * 0.9, 0.02)),
        ("backward inside its parent", at(Vec3::Y * 0.9, Vec3::Y * 0.2, 0.02)),
        ("far from its parent", at(Vec3::new(5.0, 7.0, 1.0), Vec3::new(6.0, 7.0, 1.0), 0.02)),
        ("shorter than its parent is thick", at(Vec3::Y * 0.5, Vec3::new(0.001, 0.5, 0.0), 0.02)),
        ("below the ground", at(Vec3::ZERO, Vec3::new(0.5, -1.0, 0.0), 0.05)),
        ("at the tip", at(Vec3::Y, Vec3::new(0.5, 1.2, 0.0), 0.05)),
    ];
    for (what, branch) in cases {
        check(&plant(&[(None, trunk(1.0, 0.1)), branch]), 1e-3, what);
    }
}

#[test]
fn ten_thousand_branches_on_one_segment() {
    let spread = |same: bool| {
        let mut branches = vec![(None, run(&[Vec3::ZERO, Vec3::Y], 0.1, 0.1))];
        for i in 0..10_000 {
            let angle = i as f32 * 2.399963;
            let out = Vec3::new(angle.cos(), 0.2, angle.sin());
            let from = Vec3::Y * if same { 0.5 } else { i as f32 / 10_000.0 } + out * 0.075;
            branches.push((Some(0), run(&[from, from + out], 0.002, 0.001)));
        }
        plant(&branches)
    };
    let bark = check(&spread(false), 1e-3, "a brush");
    assert!(bark.loose_branches < 2000, "{} of 10,000 branches found no room", bark.loose_branches);
    check(&spread(true), 1e-3, "a star");
}

#[test]
fn a_hundred_thousand_branches_one_on_the_other() {
    let mut branches = vec![(None, run(&[Vec3::ZERO, Vec3::Y], 0.1, 0.1))];
    for i in 0..100_000u32 {
        let from = Vec3::new(0.01 * i as f32, 1.0, 0.0);
        // Each branch leaves the previous one at a right angle, so none continues another.
        let out = if i % 2 == 0 { Vec3::X } else { Vec3::Z };
        branches.push((Some(i), run(&[from, from + out * 0.01], 0.002, 0.002)));
    }
    let plant = plant(&branches);
    let bark = bark(&plant, &members(&plant)[0].branches, &options(&plant, 1e-3));
    assert_eq!(Welded::of(&bark).open_edges(), 0);
}
