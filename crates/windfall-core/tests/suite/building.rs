//! Division of centre lines into segments.

use proptest::prelude::*;
use windfall_core::Plant;
use windfall_core::build::{
    Attachment, BranchIndex, BuildError, CentreLine, LineError, MaterialIndex, Node, PlantBuilder, Segmentation,
    TreeIndex,
};
use windfall_core::glam::DVec3;
use windfall_core::materials;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn builder() -> (PlantBuilder, TreeIndex, MaterialIndex) {
    let mut builder = PlantBuilder::new("test");
    let wood = builder.wood_material(materials::wood("aspen").unwrap().clone());
    let tree = builder.tree("tree", DVec3::ZERO);
    (builder, tree, wood)
}

fn grown(line: &CentreLine, cut: &Segmentation) -> Plant {
    let (mut builder, tree, wood) = builder();
    builder.branch(Attachment::Root(tree), wood, line, cut).unwrap();
    builder.finish().unwrap()
}

fn length(plant: &Plant) -> f64 {
    plant.segments().iter().map(|s| f64::from(s.length)).sum()
}

/// Each segment begins at the tip of the previous one.
fn assert_connected(plant: &Plant) {
    for pair in plant.segments().windows(2) {
        assert!(pair[0].tip().distance(pair[1].position) < 1e-5);
    }
}

#[test]
fn a_straight_line_is_cut_into_equal_segments() {
    let line = CentreLine::polyline(&[(v(0.0, 0.0, 0.0), 0.1), (v(0.0, 3.0, 0.0), 0.05)]);
    let plant = grown(&line, &Segmentation::by_length(0.25));
    assert_eq!(plant.segments().len(), 12);
    assert!(plant.segments().iter().all(|s| (s.length - 0.25).abs() < 1e-6));
    assert_connected(&plant);
    let middle = plant.segments()[6];
    assert!((middle.base_radius - 0.075).abs() < 1e-6);
}

#[test]
fn a_kink_becomes_a_joint_and_is_not_cut_off() {
    let corner = v(0.0, 1.0, 0.0);
    let line = CentreLine::polyline(&[(DVec3::ZERO, 0.05), (corner, 0.04), (v(1.0, 1.0, 0.0), 0.03)]);
    let plant = grown(&line, &Segmentation::by_length(0.3));
    assert!(plant.segments().iter().any(|s| s.position.as_dvec3().distance(corner) < 1e-6));
    assert!((length(&plant) - 2.0).abs() < 1e-5);
    assert_connected(&plant);
}

#[test]
fn coincident_points_and_zero_lengths_are_merged() {
    let line = CentreLine::polyline(&[
        (DVec3::ZERO, 0.05),
        (DVec3::ZERO, 0.05),
        (v(0.0, 1.0, 0.0), 0.04),
        (v(0.0, 1.0, 1e-9), 0.04),
        (v(0.0, 2.0, 0.0), 0.03),
        (v(0.0, 2.0, 0.0), 0.03),
    ]);
    let plant = grown(&line, &Segmentation::by_length(0.5));
    assert_eq!(plant.segments().len(), 4);
    assert_connected(&plant);
}

#[test]
fn a_radius_jump_is_kept_between_two_segments() {
    let at = v(0.0, 1.0, 0.0);
    let line = CentreLine::polyline(&[(DVec3::ZERO, 0.10), (at, 0.09), (at, 0.05), (v(0.0, 2.0, 0.0), 0.04)]);
    let plant = grown(&line, &Segmentation::by_length(0.5));
    let above = plant.segments().iter().position(|s| s.position.as_dvec3().distance(at) < 1e-6).unwrap();
    assert!((plant.segments()[above - 1].tip_radius - 0.09).abs() < 1e-6);
    assert!((plant.segments()[above].base_radius - 0.05).abs() < 1e-6);
}

#[test]
fn pointed_tips_get_the_least_radius() {
    let line = CentreLine::polyline(&[(DVec3::ZERO, 0.01), (v(0.0, 1.0, 0.0), 0.0)]);
    let plant = grown(&line, &Segmentation { least_radius: 5e-4, ..Segmentation::by_length(0.2) });
    assert!((plant.segments().last().unwrap().tip_radius - 5e-4).abs() < 1e-9);
}

#[test]
fn a_spline_goes_through_its_points_and_rounds_the_corner() {
    let points = [(DVec3::ZERO, 0.03), (v(0.0, 1.0, 0.0), 0.02), (v(1.0, 1.5, 0.5), 0.01)];
    let cut = Segmentation { kink: 10.0, ..Segmentation::by_length(0.01) };
    let smooth = grown(&CentreLine::spline(&points), &cut);
    for (p, _) in points {
        let nearest = smooth.segments().iter().map(|s| s.position.as_dvec3().distance(p)).fold(9.0, f64::min);
        assert!(nearest < 0.011, "{p}: {nearest}");
    }
    let straight = grown(&CentreLine::polyline(&points), &cut);
    assert!(length(&smooth) > length(&straight) + 0.005);
    // No kink: neighbouring segments turn by small angles.
    for pair in smooth.segments().windows(2) {
        let (a, b) = (pair[0].tip() - pair[0].position, pair[1].tip() - pair[1].position);
        assert!(a.angle_between(b) < 0.1);
    }
}

#[test]
fn segments_can_follow_the_radius() {
    let line = CentreLine::polyline(&[(DVec3::ZERO, 0.004), (v(0.0, 1.0, 0.0), 0.002)]);
    let cut = Segmentation { longest_in_radii: 20.0, ..Segmentation::by_length(10.0) };
    // From 80 mm at the base to 40 mm at the tip: the integral of ds / (20 r) is ln 2 / 0.04 = 17.3 pieces.
    let plant = grown(&line, &cut);
    assert_eq!(plant.segments().len(), 18);
    for s in plant.segments() {
        let radii = s.length / (0.5 * (s.base_radius + s.tip_radius));
        assert!((18.0..20.1).contains(&radii), "{radii}");
    }
}

#[test]
fn bad_lines_are_refused_with_the_point_or_the_length() {
    let (mut builder, tree, wood) = builder();
    let cut = Segmentation::by_length(0.1);
    let mut attempt = |points: &[(DVec3, f64)]| {
        builder.branch(Attachment::Root(tree), wood, &CentreLine::polyline(points), &cut).unwrap_err().to_string()
    };
    assert!(attempt(&[(DVec3::ZERO, 0.1), (v(f64::NAN, 0.0, 0.0), 0.1)]).contains("point 1"));
    assert!(attempt(&[(DVec3::ZERO, -0.1), (DVec3::Y, 0.1)]).contains("radius -0.1"));
    assert!(attempt(&[(DVec3::ZERO, f64::INFINITY), (DVec3::Y, 0.1)]).contains("radius inf"));
    assert!(attempt(&[(DVec3::ZERO, 0.1), (v(1e200, 0.0, 0.0), 0.1)]).contains("point 1"));
    assert!(attempt(&[]).contains("0 points"));
    assert!(attempt(&[(DVec3::ZERO, 0.1)]).contains("1 points"));
    assert!(attempt(&[(DVec3::ONE, 0.1); 5]).contains("5 points within 0 m"));
    let unknown = builder.branch(
        Attachment::Lateral(BranchIndex(7)),
        wood,
        &CentreLine::polyline(&[(DVec3::ZERO, 0.1), (DVec3::Y, 0.1)]),
        &cut,
    );
    assert_eq!(unknown, Err(BuildError::Unknown { what: "branch", index: 7, count: 0 }));
    let too_short = BuildError::Line { branch: 0, reason: LineError::TooShort { points: 0, extent: 0.0, least: 0.0 } };
    assert_eq!(builder.branch_of_nodes(Attachment::Root(tree), wood, &[]), Err(too_short));
}

#[test]
fn bad_segmentations_are_refused() {
    let line = CentreLine::polyline(&[(DVec3::ZERO, 0.1), (DVec3::Y, 0.1)]);
    let good = Segmentation::by_length(0.1);
    good.cut(&line).unwrap();
    for (cut, field) in [
        (Segmentation::by_length(-1.0), "longest"),
        (Segmentation::by_length(0.0), "longest"),
        (Segmentation::by_length(f64::NAN), "longest"),
        (Segmentation { longest_in_radii: f64::NAN, ..good }, "longest_in_radii"),
        (Segmentation { shortest: 1.0, ..good }, "shortest"),
        (Segmentation { kink: f64::NAN, ..good }, "kink"),
        (Segmentation { least_radius: -1.0, ..good }, "least_radius"),
    ] {
        let error = cut.cut(&line).unwrap_err().to_string();
        assert!(error.contains(field), "{error}");
    }
}

#[test]
fn dense_points_neither_make_jumps_nor_lose_the_tip() {
    // A twig from 1 to 0.5 mm over 20.2 mm with a point every half millimetre: one segment, with its
    // real tip.
    let point = |i: i32| (DVec3::Y * 0.0005 * f64::from(i), 0.001 - 0.0005 * f64::from(i) / 40.0);
    let mut points: Vec<(DVec3, f64)> = (0..=40).map(point).collect();
    points.push((DVec3::Y * 0.0202, 0.0005));
    let plant = grown(&CentreLine::polyline(&points), &Segmentation::by_length(0.1));
    assert_eq!(plant.segments().len(), 1);
    assert!((plant.segments()[0].length - 0.0202).abs() < 1e-6);
    assert!((plant.segments()[0].tip_radius - 0.0005).abs() < 1e-6);
}

#[test]
fn segments_are_not_cut_shorter_than_the_shortest() {
    let line = CentreLine::polyline(&[(DVec3::ZERO, 0.1), (DVec3::Y * 1.1, 0.1)]);
    let cut = Segmentation { shortest: 1.0, ..Segmentation::by_length(1.0) };
    assert_eq!(grown(&line, &cut).segments().len(), 1);
}

#[test]
fn absurdly_fine_cuts_are_refused() {
    let (mut builder, tree, wood) = builder();
    let line = CentreLine::polyline(&[(DVec3::ZERO, 0.1), (v(0.0, 9000.0, 0.0), 0.1)]);
    let error = builder.branch(Attachment::Root(tree), wood, &line, &Segmentation::by_length(1e-6)).unwrap_err();
    assert!(error.to_string().contains("too many segments"), "{error}");
}

#[test]
fn laterals_find_the_nearest_segment_and_gain_an_order() {
    let (mut builder, tree, wood) = builder();
    let cut = Segmentation::by_length(0.5);
    let line = |a: DVec3, b: DVec3| CentreLine::polyline(&[(a, 0.05), (b, 0.03)]);
    let trunk = builder.branch(Attachment::Root(tree), wood, &line(DVec3::ZERO, v(0.0, 3.0, 0.0)), &cut).unwrap();
    let limb =
        builder.branch(Attachment::Lateral(trunk), wood, &line(v(0.05, 1.2, 0.0), v(1.0, 1.6, 0.0)), &cut).unwrap();
    let fork = builder.branch(Attachment::Fork(limb), wood, &line(v(1.0, 1.6, 0.0), v(1.5, 2.0, 0.3)), &cut).unwrap();
    let plant = builder.finish().unwrap();
    assert_eq!(plant.branches()[limb.0].parent, Some(2));
    assert_eq!(plant.branches()[limb.0].order, 1);
    assert_eq!(plant.branches()[fork.0].order, 1);
    assert_eq!(plant.branches()[fork.0].parent, Some(plant.branch_segments(limb.0).end as u32 - 1));
}

#[test]
fn nodes_that_coincide_are_refused() {
    let (mut builder, tree, wood) = builder();
    let node = Node { position: DVec3::ONE, radius_before: 0.1, radius_after: 0.1 };
    builder.branch_of_nodes(Attachment::Root(tree), wood, &[node, node]).unwrap_err();
}

fn any_point() -> impl Strategy<Value = (DVec3, f64)> {
    // Coarse steps make coincident points, straight runs and reversals likely.
    let coordinate = || (-4..5_i8).prop_map(|i| 0.25 * f64::from(i));
    let radius = prop_oneof![Just(0.0), Just(0.001), Just(0.2), 0.0..0.3_f64];
    ((coordinate(), coordinate(), coordinate()), radius).prop_map(|((x, y, z), r)| (v(x, y, z), r))
}

proptest! {
    /// Every line gives either a valid connected plant of the right extent, or an error.
    #[test]
    fn any_line_gives_a_valid_branch_or_an_error(
        points in prop::collection::vec(any_point(), 0..12), smooth: bool, longest in 0.01..2.0_f64
    ) {
        let line = if smooth { CentreLine::spline(&points) } else { CentreLine::polyline(&points) };
        let cut = Segmentation::by_length(longest);
        let (mut builder, tree, wood) = builder();
        if builder.branch(Attachment::Root(tree), wood, &line, &cut).is_ok() {
            let plant = builder.finish().unwrap();
            let first = points[0].0;
            let last = points[points.len() - 1].0;
            assert_connected(&plant);
            prop_assert!(plant.segments()[0].position.as_dvec3().distance(first) < 1e-2);
            prop_assert!(plant.segments().last().unwrap().tip().as_dvec3().distance(last) < 1e-2);
            // Where two kinks are nearer than twice the shortest length, that takes precedence over the
            // longest.
            let most = longest.max(2.0 * cut.shortest);
            prop_assert!(plant.segments().iter().all(|s| f64::from(s.length) <= most * 1.001));
        }
    }
}
