//! Faults are found, repaired and reported.

use std::f64::consts::PI;
use std::fmt::Write as _;

use windfall_core::glam::{DVec3, Vec3};
use windfall_core::random::Stream;
use windfall_core::{Plant, materials};
use windfall_scan::{FaultKind, Import, ImportOptions, RepairOptions, import};

const HEAD: &str = "id,parent,start_x,start_y,start_z,end_x,end_y,end_z,radius,branch\n";

fn imported(rows: &str) -> Import {
    import(format!("{HEAD}{rows}").as_bytes(), &ImportOptions::default()).unwrap()
}

/// A trunk of `n` cylinders of 1 m with these radii.
fn trunk(radii: &[f64]) -> String {
    let mut rows = String::new();
    for (i, radius) in radii.iter().enumerate() {
        let _ = writeln!(rows, "{},{i},0,0,{i},0,0,{},{radius},1", i + 1, i + 1);
    }
    rows
}

fn radii(plant: &Plant) -> Vec<f32> {
    let mut radii: Vec<f32> = plant.segments().iter().map(|s| s.base_radius).collect();
    radii.push(plant.segments().last().unwrap().tip_radius);
    radii
}

#[test]
fn a_clean_tree_needs_no_repair() {
    let scan = imported(&trunk(&[0.1, 0.09, 0.08, 0.07]));
    assert_eq!(scan.report.repairs, []);
    assert!(scan.report.to_string().contains("nothing to repair"));
    assert_eq!(scan.plant.segments().len(), 4);
    // Volume of four cylinders of 1 m; the plant's cones keep it.
    let volume = std::f64::consts::PI * (0.01 + 0.0081 + 0.0064 + 0.0049);
    assert!((scan.report.volume_before_m3 / volume - 1.0).abs() < 1e-12);
    assert!((scan.report.volume_after_m3 / volume - 1.0).abs() < 1e-5, "{}", scan.report.volume_after_m3);
}

#[test]
fn z_becomes_y_and_the_foot_the_origin() {
    let rows = "1,0,3,4,5,3,4,6,0.1,1\n2,1,3,4,6,4,6,9,0.05,1\n";
    let scan = imported(rows);
    // (1, 2, 3) in a right-handed system with z up is (1, 3, -2) with y up.
    let tip = scan.plant.segments().last().unwrap().tip();
    assert!(tip.distance(Vec3::new(1.0, 4.0, -2.0)) < 1e-5, "{tip}");
    assert_eq!(scan.report.moved_from_m, [3.0, 5.0, -4.0]);
    assert_eq!(scan.plant.trees()[0].origin.to_array(), [0.0; 3]);
    let kept = ImportOptions { keep_place: true, scale: 2.0, ..ImportOptions::default() };
    let kept = import(format!("{HEAD}{rows}").as_bytes(), &kept).unwrap();
    assert_eq!(kept.plant.trees()[0].origin.to_array(), [6.0, 10.0, -8.0]);
    assert!((kept.plant.segments()[0].base_radius / scan.plant.segments()[0].base_radius - 2.0).abs() < 1e-6);
}

#[test]
fn gaps_and_overlaps_are_closed_half_way() {
    // A gap of 0.2 m, then an overlap of 0.1 m.
    let scan = imported("1,0,0,0,0,0,0,0.5,0.1,1\n2,1,0,0,0.7,0,0,1.2,0.1,1\n3,2,0,0,1.1,0,0,1.6,0.1,1\n");
    let gap = scan.report.repair(FaultKind::Gap).unwrap();
    assert_eq!(gap.count, 2);
    assert!((gap.worst.value - 0.2).abs() < 1e-12 && gap.worst.cylinder == 2, "{gap:?}");
    let bases: Vec<f32> = scan.plant.segments().iter().map(|s| s.position.y).collect();
    assert!(bases.iter().zip([0.0, 0.6, 1.15]).all(|(a, b)| (a - b).abs() < 1e-5), "{bases:?}");
    // Each segment ends where the next begins.
    for pair in scan.plant.segments().windows(2) {
        assert!(pair[0].tip().distance(pair[1].position) < 1e-5);
    }
}

#[test]
fn a_cylinder_behind_the_tip_of_its_parent_is_merged() {
    let scan = imported("1,0,0,0,0,0,0,1,0.1,1\n2,1,0,0,0.2,0,0,0.5,0.1,1\n3,2,0,0,1,0,0,2,0.1,1\n");
    assert_eq!(scan.report.count(FaultKind::Overlap), 1);
    let top = scan.plant.segments().last().unwrap().tip();
    assert!(top.distance(Vec3::Y * 2.0) < 1e-5);
}

#[test]
fn branches_begin_at_the_bark() {
    // On the axis, 0.3 m away from the bark, and exactly at the depth of branch bases.
    for (x, kind) in [(0.0, Some(FaultKind::Inside)), (0.4, Some(FaultKind::SideGap)), (0.075, None)] {
        let scan = imported(&format!("1,0,0,0,0,0,0,2,0.1,1\n2,1,{x},0,1,1,0,1,0.02,2\n"));
        let branch = &scan.plant.segments()[scan.plant.branch_segments(1).start];
        // Three quarters of the radius from the axis.
        assert!(branch.position.distance(Vec3::new(0.075, 1.0, 0.0)) < 1e-5, "{}", branch.position);
        for of in [FaultKind::Inside, FaultKind::SideGap] {
            assert_eq!(scan.report.count(of), usize::from(kind == Some(of)), "{x}");
        }
        assert!((f64::from(scan.plant.segments().last().unwrap().tip().x) - 1.0).abs() < 1e-5);
    }
    let worst =
        |x: f64| imported(&format!("1,0,0,0,0,0,0,2,0.1,1\n2,1,{x},0,1,1,0,1,0.02,2\n")).report.repairs[0].worst.value;
    assert!((worst(0.4) - 0.3).abs() < 1e-12 && (worst(0.0) - 0.075).abs() < 1e-12);
}

#[test]
fn radii_that_cannot_be_are_taken_from_the_neighbours() {
    let good = [0.1, 0.095, 0.09, 0.085, 0.08, 0.075, 0.07];
    let reference = radii(&imported(&trunk(&good)).plant);
    for (wrong, kind) in [
        (0.0, FaultKind::NoRadius),
        (-0.1, FaultKind::NoRadius),
        (f64::NAN, FaultKind::NoRadius),
        (f64::INFINITY, FaultKind::NoRadius),
        (90.0, FaultKind::NoRadius),
        (0.9, FaultKind::TooThick),
        (0.004, FaultKind::TooThin),
    ] {
        let mut bad = good;
        bad[3] = wrong;
        let scan = imported(&trunk(&bad));
        assert_eq!((scan.report.count(kind), scan.report.repairs.len()), (1, 1), "{wrong}: {}", scan.report);
        assert_eq!(scan.report.repairs[0].worst.cylinder, 4);
        for (found, expected) in radii(&scan.plant).iter().zip(&reference) {
            assert!((found / expected - 1.0).abs() < 0.05, "{wrong}: {:?}", radii(&scan.plant));
        }
    }
    let ratio = imported(&trunk(&[0.1, 0.1, 0.1, 0.4, 0.1, 0.1, 0.1])).report.repairs[0].worst.value;
    assert!((ratio - 4.0).abs() < 1e-12);
}

#[test]
fn a_steep_taper_a_flare_and_a_thin_end_are_no_faults() {
    let scan = imported(&trunk(&[0.5, 0.3, 0.2, 0.12, 0.07, 0.04, 0.02, 0.005]));
    assert!(scan.report.repairs.iter().all(|repair| repair.kind == FaultKind::Long), "{}", scan.report);
}

#[test]
fn a_foot_carries_what_stands_on_it_and_an_end_is_no_club() {
    let scan = imported(&trunk(&[0.01, 0.1, 0.1, 0.1]));
    assert_eq!(scan.report.count(FaultKind::TooThin), 1);
    assert!((scan.plant.segments()[0].base_radius - 0.1).abs() < 1e-3);
    let scan = imported(&trunk(&[0.1, 0.1, 0.1, 0.4]));
    assert_eq!(scan.report.count(FaultKind::TooThick), 1);
    assert!((scan.plant.segments()[3].tip_radius - 0.1).abs() < 1e-3);
}

#[test]
fn a_branch_is_not_thicker_than_what_it_grows_on() {
    let scan = imported("1,0,0,0,0,0,0,2,0.1,1\n2,1,0.1,0,1,1,0,1,0.3,2\n");
    let repair = scan.report.repair(FaultKind::ThickerThanParent).unwrap();
    assert!((repair.worst.value - 3.0).abs() < 1e-12);
    assert!(scan.plant.segments().iter().all(|s| s.base_radius < 0.1 + 1e-6));
}

/// A branch of one cylinder with side branches has no neighbours of its own: the wood below and above it
/// shows that it is too thin.
#[test]
fn a_pinched_branch_does_not_thin_what_it_bears() {
    let rows = "1,0,0,0,0,0,0,1,0.1,1\n2,1,0,0,1,0,0,2,0.1,1\n3,2,0,0,2,0,0,3,0.1,1\n4,3,0,0,2.5,1,0,2.5,0.004,2\n\
                5,4,0.5,0,2.5,0.5,1,2.5,0.03,3\n6,5,0.5,1,2.5,0.5,2,2.5,0.03,3\n7,6,0.5,2,2.5,0.5,3,2.5,0.03,3\n";
    let scan = imported(rows);
    let repair = scan.report.repair(FaultKind::TooThin).unwrap();
    assert_eq!((repair.count, repair.worst.cylinder), (1, 4));
    assert!((repair.worst.value - 7.5).abs() < 1e-9);
    assert_eq!(scan.report.count(FaultKind::ThickerThanParent), 0);
    assert!(scan.plant.segments().iter().all(|s| s.tip_radius > 0.029));
}

#[test]
fn trees_without_radii_get_them_from_the_pipes() {
    // A trunk that bears two twigs and continues: three tips.
    let rows = "1,0,0,0,0,0,0,1,,1\n2,1,0,0,1,0,0,2,,1\n3,1,0,0,1,1,0,1,,2\n4,1,0,0,1,-1,0,1,,3\n";
    let scan = imported(rows);
    assert_eq!(scan.report.count(FaultKind::NoRadius), 4);
    let twig = RepairOptions::default().twig_radius;
    let base = f64::from(scan.plant.segments()[0].base_radius);
    assert!((base - twig * 3_f64.sqrt()).abs() < 0.1 * twig, "{base}");
    let side = &scan.plant.segments()[scan.plant.branch_segments(1).start];
    assert!((f64::from(side.base_radius) - twig).abs() < 1e-6);
}

/// Missing radii of a trunk do not make a branch near its tip the trunk: they become the mean of their
/// neighbours.
#[test]
fn a_trunk_without_a_radius_goes_on() {
    let with = |radius: &str| {
        imported(&format!(
            "1,0,0,0,0,0,0,1,0.05,\n2,1,0,0,1,0,0,2,{radius},\n3,1,0.03,0,0.9,1,0,1.5,0.02,\n4,2,0,0,2,0,0,3,0.03,\n"
        ))
    };
    let whole = with("0.04").plant;
    let tip = whole.segments()[whole.branch_segments(0).end - 1].tip();
    assert!((tip - Vec3::new(0.0, 3.0, 0.0)).length() < 1e-6, "{tip}");
    for radius in ["0", "-0.04", "NaN", "1e9", ""] {
        let scan = with(radius);
        assert_eq!(scan.plant.branches(), whole.branches(), "{radius}: {}", scan.report);
        for (found, expected) in scan.plant.segments().iter().zip(whole.segments()) {
            assert!((found.tip() - expected.tip()).length() < 1e-6, "{radius}: {}", scan.report);
            assert!((found.base_radius - expected.base_radius).abs() < 1e-6, "{radius}: {}", scan.report);
        }
    }
}

#[test]
fn loops_are_opened_at_the_widest_gap() {
    // 1 grows on 3, 2 on 1, 3 on 2; the connection from 3 back to 1 is the long one.
    let scan = imported("1,3,0,0,0,0,0,1,0.1,\n2,1,0,0,1,0,0,2,0.1,\n3,2,0,0,2,0,0,3,0.1,\n");
    let repair = scan.report.repair(FaultKind::Loop).unwrap();
    assert_eq!((repair.count, repair.worst.cylinder), (1, 1));
    assert!((repair.worst.value - 2.0).abs() < 1e-12);
    assert_eq!(scan.plant.branches().len(), 1);
    assert!(scan.plant.segments().last().unwrap().tip().distance(Vec3::Y * 3.0) < 1e-5);
    // A cylinder that is its own parent.
    let scan = imported("1,1,0,0,0,0,0,1,0.1,\n2,1,0,0,1,0,0,2,0.1,\n");
    assert_eq!(scan.report.count(FaultKind::Loop), 1);
    assert_eq!(scan.plant.segments().len(), 2);
}

#[test]
fn order_and_parents_that_do_not_exist() {
    let scan = imported("3,2,0,0,2,0,0,3,0.1,1\n2,1,0,0,1,0,0,2,0.1,1\n1,0,0,0,0,0,0,1,0.1,1\n");
    assert_eq!(scan.report.count(FaultKind::Order), 2);
    assert_eq!((scan.plant.branches().len(), scan.plant.segments().len()), (1, 3));
    let scan = imported("1,0,0,0,0,0,0,1,0.1,1\n2,99,0,0,1,0,0,2,0.1,1\n");
    assert_eq!((scan.report.count(FaultKind::UnknownParent), scan.report.count(FaultKind::LoosePart)), (1, 1));
    assert_eq!(scan.plant.branches().len(), 1);
}

#[test]
fn points_and_places_that_are_none_are_left_out() {
    let scan = imported(
        "1,0,0,0,0,0,0,1,0.1,1\n2,1,0,0,1,0,0,1,0.1,1\n3,2,0,0,1,0,0,2,0.1,1\n4,3,0,0,NaN,0,0,3,0.1,1\n5,4,0,0,2,0,0,3,0.1,1\n",
    );
    assert_eq!((scan.report.count(FaultKind::NoLength), scan.report.count(FaultKind::BadPlace)), (1, 1));
    // Their children moved down: still one branch.
    assert_eq!((scan.plant.branches().len(), scan.plant.segments().len()), (1, 3));
    assert_eq!((scan.report.cylinders_read, scan.report.cylinders_kept), (5, 3));
    let far = imported("1,0,0,0,0,0,0,1,0.1,1\n2,1,0,0,1,0,0,2,0.1,1\n3,2,0,0,2,0,0,3e5,0.1,1\n");
    assert_eq!(far.report.count(FaultKind::BadPlace), 1);
}

#[test]
fn loose_parts_are_joined_left_out_or_trees() {
    let trunk = "1,0,0,0,0,0,0,5,0.1,1\n";
    // 0.15 m from the bark, 3 m up; a part within reach only through the first; one too far; one that
    // stands 4 m away.
    let near = "2,0,0.25,0,3,1,0,3,0.02,2\n3,0,1.1,0,3,2,0,3,0.02,3\n";
    let far = "4,0,3,0,4,4,0,4,0.02,4\n5,4,4,0,4,5,0,4,0.02,4\n";
    let own = "6,0,4,0,0,4,0,3,0.08,5\n";
    let scan = imported(&format!("{trunk}{near}{far}{own}"));
    let joined = scan.report.repair(FaultKind::LoosePart).unwrap();
    assert_eq!(joined.count, 2);
    assert!((joined.worst.value - 0.15).abs() < 1e-12, "{joined:?}");
    let dropped = scan.report.repair(FaultKind::Dropped).unwrap();
    assert_eq!((dropped.count, dropped.worst.value, dropped.worst.cylinder), (1, 2.0, 4));
    assert_eq!(scan.report.count(FaultKind::OwnTree), 1);
    assert_eq!(scan.plant.trees().len(), 2);
    assert_eq!(scan.plant.trees()[1].origin.to_array(), [4.0, 0.0, 0.0]);
    let reach = RepairOptions { join: 0.1, ..RepairOptions::default() };
    let less = ImportOptions { repair: reach, ..ImportOptions::default() };
    let less = import(format!("{HEAD}{trunk}{near}").as_bytes(), &less).unwrap();
    assert_eq!((less.report.count(FaultKind::LoosePart), less.report.count(FaultKind::Dropped)), (0, 2));
}

/// One implausible radius neither makes a loose cylinder the tree, nor causes a report that most of the
/// wood is lost.
#[test]
fn a_loose_cylinder_with_an_impossible_radius_is_not_the_tree() {
    for row in ["9,0,3,0,2,3,0,2.5,90,2", "9,0,3,0,2,3,0,2.5,-90,2", "9,0,3,0,2,3,0,3e5,0.1,2"] {
        let scan = imported(&format!("{}{row}\n", trunk(&[0.1; 5])));
        assert_eq!((scan.plant.segments().len(), scan.report.cylinders_kept), (5, 5), "{row}: {}", scan.report);
        assert!(scan.plant.segments().iter().all(|s| (s.base_radius - 0.1).abs() < 1e-6));
        let volume = 5.0 * std::f64::consts::PI * 0.01;
        assert!((scan.report.volume_before_m3 / volume - 1.0).abs() < 1e-12, "{row}: {}", scan.report);
    }
    // A missing radius takes the value of the other: a cylinder of 1 m.
    let text = "start_x,start_y,start_z,end_x,end_y,end_z,radius,tip_radius\n0,0,0,0,0,1,,0.1\n";
    let report = import(text.as_bytes(), &ImportOptions::default()).unwrap().report;
    assert!((report.volume_before_m3 - std::f64::consts::PI * 0.01).abs() < 1e-12, "{report}");
}

/// A hole in the trunk: the crown has most of the wood, but stands on the foot, which is intact.
#[test]
fn a_tree_stands_on_its_foot() {
    let crown = "5,0,0,0,1.1,0,0,6,0.1,\n6,5,0,0,6,0,0,8,0.08,\n7,5,0,0,6,2,0,7,0.05,\n";
    let feet = [
        ("1,0,0,0,0,0,0,1,0.11,\n", 1),
        // Three pieces without parents, each within reach only of its neighbours.
        ("1,0,0,0,0,0,0,0.3,0.11,\n2,0,0,0,0.3,0,0,0.6,0.11,\n3,0,0,0,0.6,0,0,1,0.11,\n", 1),
        // A shrub, or a stem beside it, does not carry a trunk.
        ("1,0,0,0,0,0,0,1,0.11,\n2,0,0.2,0,-0.1,0.1,0,0.9,0.01,\n", 2),
        ("1,0,0,0,0,0,0,1,0.11,\n2,0,0.35,0,-0.05,0.4,0,2,0.1,\n", 2),
    ];
    for (foot, branches) in feet {
        let scan = imported(&format!("{crown}{foot}"));
        assert_eq!(scan.plant.trees().len(), 1, "{}", scan.report);
        assert_eq!(scan.report.moved_from_m, [0.0; 3], "{}", scan.report);
        let trunk = scan.plant.branch_segments(0);
        let tip = scan.plant.segments()[trunk.end - 1].tip();
        assert!((tip - Vec3::new(0.0, 8.0, 0.0)).length() < 1e-5, "{tip} {}", scan.report);
        assert_eq!(scan.plant.branches().len(), branches + 1, "{}", scan.report);
        assert_eq!(scan.report.count(FaultKind::ThickerThanParent), 0, "{}", scan.report);
    }
}

/// A trunk with inverted parents, each with a twig: all parents are wrong, but no wood is created.
#[test]
fn parents_upside_down_make_no_wood() {
    for branch in ["", "1"] {
        let mut rows = String::new();
        for i in 0..40 {
            let (z, parent) = (0.5 * f64::from(i), if i == 39 { 0 } else { i + 2 });
            let _ = writeln!(rows, "{},{parent},0,0,{z},0,0,{},0.1,{branch}", i + 1, z + 0.5);
            let _ = writeln!(rows, "{},{},0.08,0,{z},1,0,{z},0.02,", i + 101, i + 1);
        }
        let report = imported(&rows).report;
        assert!(report.volume_after_m3 < 1.001 * report.volume_before_m3, "{report}");
        // The distance of each base from its parent is the parent's length.
        assert!(report.repair(FaultKind::SideGap).is_none_or(|gaps| gaps.worst.value < 1.0), "{report}");
    }
}

/// Wood within reach is found at every position relative to the search grid: 0.299 m from the bark,
/// across a slanting axis.
#[test]
fn what_is_within_reach_is_joined() {
    let n = 0.5_f64.sqrt();
    for k in 0..5476 {
        let (x, z) = (0.005 * f64::from(k % 74), 0.005 * f64::from(k / 74));
        let end = |length: f64| (x + n * length, z - n * length);
        let ((end_x, end_z), (on_x, on_z)) = (end(0.6 - 1e-6), end(0.45));
        let (from_x, from_z) = (on_x + n * 0.349, on_z + n * 0.349);
        let scan = imported(&format!(
            "1,0,{x},0,{z},{end_x},0,{end_z},0.05,1\n2,0,{from_x},0,{from_z},{},0,{},0.01,2\n",
            from_x + 0.2,
            from_z + 0.2
        ));
        let joined = scan.report.repair(FaultKind::LoosePart);
        assert!(joined.is_some_and(|r| (r.worst.value - 0.299).abs() < 1e-9), "{x} {z}: {}", scan.report);
    }
}

/// The trunk is thicker than the reach. A branch that touches it, or begins 0.05 m away, belongs to it,
/// though the axis of a twig is nearer.
#[test]
fn loose_branches_are_joined_to_the_bark_of_thick_trunks() {
    let wood = "1,0,0,0,0,0,0,4,0.5,1\n2,1,0.5,0,2.2,0.8,0,2.2,0.01,2\n";
    for (x, gap) in [(0.5, 0.0), (0.55, 0.05)] {
        let scan = imported(&format!("{wood}3,0,{x},0,2,1.5,0,2,0.04,3\n4,3,1.5,0,2,2,0,2,0.04,3\n"));
        let joined = scan.report.repair(FaultKind::LoosePart).unwrap();
        assert!(joined.count == 1 && (joined.worst.value - gap).abs() < 1e-12, "{}", scan.report);
        let trunk = scan.plant.branch_segments(0);
        let parents: Vec<_> = scan.plant.branches().iter().filter_map(|branch| branch.parent).collect();
        assert_eq!((scan.plant.branches().len(), parents.len()), (3, 2));
        assert!(parents.iter().all(|&parent| trunk.contains(&(parent as usize))), "{parents:?}");
    }
    // Ends are flat: 0.2 m above the tip is 0.2 m away, and 0.3 m beside that is too far.
    let above = |x: f64| imported(&format!("1,0,0,0,0,0,0,4,0.5,1\n2,0,{x},0,4.2,{x},0,5,0.04,2\n")).report;
    assert!((above(0.1).repair(FaultKind::LoosePart).unwrap().worst.value - 0.2).abs() < 1e-12);
    assert!((above(0.65).repair(FaultKind::LoosePart).unwrap().worst.value - 0.25).abs() < 1e-12);
    assert_eq!((above(0.8).count(FaultKind::LoosePart), above(0.8).count(FaultKind::Dropped)), (0, 1));
    // A radius far above all radii below it does not attract loose parts.
    let wood = "1,0,0,0,0,0,0,2,0.05,1\n2,1,0,0,2,0,0,3,1.5,1\n3,2,0,0,3,0,0,4,0.05,1\n";
    let scan = imported(&format!("{wood}4,0,1.2,0,2.5,2,0,2.5,0.01,2\n"));
    assert_eq!(
        (scan.report.count(FaultKind::LoosePart), scan.report.count(FaultKind::Dropped)),
        (0, 1),
        "{}",
        scan.report
    );
}

/// With the reach zero only touching parts are joined, all along a hundred metres.
#[test]
fn a_short_reach_does_not_end_the_search() {
    let mut options = ImportOptions::default();
    options.repair.join = 0.0;
    let mut rows = String::new();
    for i in 0..100 {
        let _ = writeln!(rows, "{i},-1,0,0,{i},0,0,{},0.1,", i + 1);
    }
    let scan = import(format!("{HEAD}{rows}").as_bytes(), &options).unwrap();
    assert_eq!((scan.report.count(FaultKind::LoosePart), scan.report.cylinders_kept), (99, 100), "{}", scan.report);
    assert_eq!(scan.report.notes, [] as [String; 0]);
}

/// A pile in one spot; the last of it leads 5 m away, to a loose part. In a large pile the search ends
/// before, and the report states this.
#[test]
fn a_search_that_is_given_up_is_noted() {
    for (pile, given_up) in [(10, false), (4000, true)] {
        let mut rows = "0,-1,0,0,0,0,0,1,0.3,\n".to_owned();
        for i in 1..pile {
            let _ = writeln!(rows, "{i},-1,0,0,{},0,0,1,0.1,", 1e-6 * f64::from(i));
        }
        let _ = writeln!(rows, "{pile},-1,0,0,0.005,5,0,0.005,0.1,\n{},-1,5.1,0,0.005,6,0,0.005,0.1,", pile + 1);
        let report = imported(&rows).report;
        assert_eq!(report.count(FaultKind::Dropped), usize::from(given_up), "{report}");
        assert_eq!(report.notes.iter().any(|note| note.contains("given up")), given_up, "{report}");
    }
}

#[test]
fn cylinders_without_any_parents_find_each_other() {
    let mut rows = String::new();
    for i in 0..50 {
        let _ = writeln!(
            rows,
            "{i},-1,0,0,{},0,0,{},{},",
            0.2 * f64::from(i),
            0.2 * f64::from(i + 1),
            0.1 - 0.001 * f64::from(i)
        );
    }
    let scan = imported(&rows);
    assert_eq!(scan.report.count(FaultKind::LoosePart), 49);
    assert_eq!(scan.plant.branches().len(), 1);
    let length: f32 = scan.plant.segments().iter().map(|s| s.length).sum();
    assert!((length - 10.0).abs() < 1e-4);
}

#[test]
fn the_straight_thick_child_goes_on_where_nobody_says_so() {
    // No branches given: the thick upright child continues, the thin one is a side branch.
    let scan = imported("1,0,0,0,0,0,0,1,0.1,\n2,1,0,0,1,0.5,0,1.2,0.02,\n3,1,0,0,1,0,0,2,0.09,\n");
    assert_eq!(scan.plant.branch_segments(0).len(), 2);
    assert!(scan.plant.segments()[1].tip().distance(Vec3::Y * 2.0) < 1e-5);
    // A separate branch at the tip of wood without a continuation.
    let scan = imported("1,0,0,0,0,0,0,1,0.1,1\n2,1,0,0,1,0,0,2,0.09,2\n");
    assert_eq!((scan.report.count(FaultKind::Continued), scan.plant.branches().len()), (1, 1));
}

#[test]
fn long_pieces_are_cut_and_short_ones_merged() {
    let scan = imported("1,0,0,0,0,0,0,3.5,0.1,1\n");
    assert_eq!(scan.plant.segments().len(), 4);
    assert!((scan.report.repair(FaultKind::Long).unwrap().worst.value - 3.5).abs() < 1e-12);
    // Twigs of 1 mm radius are cut to 5 cm: at most 20 pieces.
    assert_eq!(imported("1,0,0,0,0,0,0,0.5,0.001,1\n").plant.segments().len(), 10);
    // Discs of 8 mm with 10 cm radius: seven of them are as long as half a radius, and so are at least
    // the nine that remain.
    let mut rows = String::new();
    for i in 0..100 {
        let _ = writeln!(rows, "{},{i},0,0,{},0,0,{},0.1,1", i + 1, 0.008 * f64::from(i), 0.008 * f64::from(i + 1));
    }
    let scan = imported(&rows);
    assert_eq!((scan.plant.segments().len(), scan.report.count(FaultKind::Short)), (14, 86));
}

/// A thick foot that is too short for a piece of its own, and a thick beginning of a branch: `pi r^2 L`
/// of both cylinders remains.
#[test]
fn merging_keeps_the_volume() {
    let volume = std::f64::consts::PI * (0.13 * 0.13 * 0.05 + 0.1 * 0.1 * 2.0);
    let report = imported("1,0,0,0,0,0,0,0.05,0.13,1\n2,1,0,0,0.05,0,0,2.05,0.1,1\n").report;
    assert_eq!(report.count(FaultKind::Short), 1);
    assert!((report.volume_after_m3 / volume - 1.0).abs() < 1e-5, "{report}");
    // It begins at the depth of branch bases: nothing is cut off.
    let rows = "1,0,0,0,0,0,0,1,0.1,1\n2,1,0.075,0,0.5,0.08,0,0.5,0.03,2\n3,2,0.08,0,0.5,0.4,0,0.5,0.02,2\n";
    let report = imported(rows).report;
    let volume = std::f64::consts::PI * (0.1 * 0.1 + 0.03 * 0.03 * 0.005 + 0.02 * 0.02 * 0.32);
    assert_eq!((report.count(FaultKind::Short), report.count(FaultKind::Inside)), (1, 0));
    assert!((report.volume_after_m3 / volume - 1.0).abs() < 1e-5, "{report}");
}

/// A crooked trunk with gaps and overlaps of some centimetres: each cylinder keeps its radius and
/// extends from the midpoint of one gap to that of the next, `sum pi r^2 L`.
#[test]
fn gaps_change_no_volume_but_their_own() {
    let mut stream = Stream::new(11);
    for _ in 0..20 {
        let (mut rows, mut cylinders) = (String::new(), Vec::new());
        let mut place = DVec3::ZERO;
        for i in 0..15 {
            let radius = 0.1 * 0.9_f64.powi(i);
            let bend = DVec3::new(stream.around(0.3), stream.around(0.3), 1.0);
            let end = place + bend * (0.4 + 0.8 * stream.unit());
            cylinders.push((place, end, radius));
            let _ = writeln!(
                rows,
                "{},{i},{},{},{},{},{},{},{radius},1",
                i + 1,
                place.x,
                place.y,
                place.z,
                end.x,
                end.y,
                end.z
            );
            place = end + DVec3::new(stream.around(0.02), stream.around(0.02), stream.around(0.02));
        }
        let middle = |k: usize| match k {
            0 => cylinders[0].0,
            15 => cylinders[14].1,
            k => 0.5 * (cylinders[k - 1].1 + cylinders[k].0),
        };
        let piece = |k: usize| PI * cylinders[k].2 * cylinders[k].2 * middle(k).distance(middle(k + 1));
        let expected: f64 = (0..15).map(piece).sum();
        let report = imported(&rows).report;
        assert!((report.volume_after_m3 / expected - 1.0).abs() < 1e-5, "{expected} {report}");
        assert_eq!(report.cylinders_kept, 15);
    }
}

#[test]
fn heights_that_no_tree_has_get_a_note() {
    let tall = imported("1,0,0,0,0,0,0,900,100,1\n2,1,0,0,900,0,0,1800,80,1\n");
    assert!(tall.report.notes[0].contains("1800.000 m high"), "{:?}", tall.report.notes);
    assert_eq!(imported(&trunk(&[0.1, 0.1])).report.notes, [] as [String; 0]);
}

#[test]
fn the_report_is_json_too() {
    let report = imported("1,0,0,0,0,0,0,1,0.1,1\n2,1,0,0,1.2,0,0,2,0.1,1\n").report;
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["repairs"][0]["kind"], "gap");
    assert_eq!(json["repairs"][0]["count"], 1);
    assert_eq!(json["repairs"][0]["worst"]["unit"], "m");
    assert_eq!(json["cylinders_read"], 2);
}

#[test]
fn options_out_of_range_are_refused() {
    let text = format!("{HEAD}{}", trunk(&[0.1]));
    let with = |change: fn(&mut ImportOptions)| {
        let mut options = ImportOptions::default();
        change(&mut options);
        import(text.as_bytes(), &options).map(|_| ()).unwrap_err().to_string()
    };
    assert!(with(|o| o.scale = 0.0).contains("scale"));
    assert!(with(|o| o.radius_scale = Some(f64::NAN)).contains("radius scale"));
    assert!(with(|o| o.longest = -1.0).contains("longest"));
    assert!(with(|o| o.repair.join = f64::NAN).contains("join"));
    assert!(with(|o| o.wood.density = f64::NAN).contains("density"));
    assert!(materials::wood("white oak").is_some());
}
