//! Different descriptions of one tree give the same plant.

use std::fmt::Write as _;

use windfall_core::glam::{DVec3, Vec3};
use windfall_core::random::Stream;
use windfall_core::{Plant, Summary};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_scan::{Import, ImportOptions, UpAxis, import, write};

/// The columns of [`write::plain_csv`]: id, parent, both ends, both radii, branch and tree.
fn rows() -> Vec<Vec<String>> {
    let maple = Species::named("maple").unwrap();
    let text = write::plain_csv(&grow(&maple, &GrowOptions { bodies: Some(3000), seed: 4 }).unwrap());
    text.lines().skip(1).map(|line| line.split(',').map(ToOwned::to_owned).collect()).collect()
}

fn table(rows: &[Vec<String>]) -> String {
    let mut text = "id,parent,start_x,start_y,start_z,end_x,end_y,end_z,radius,tip_radius,branch,tree\n".to_owned();
    for row in rows {
        let _ = writeln!(text, "{}", row.join(","));
    }
    text
}

/// The rows with other coordinates and radii.
fn measured(rows: &[Vec<String>], place: impl Fn(DVec3) -> DVec3, radius: f64) -> Vec<Vec<String>> {
    let mut rows = rows.to_vec();
    for row in &mut rows {
        for first in [2, 5] {
            let at = |k: usize| row[first + k].parse::<f64>().unwrap();
            let moved = place(DVec3::new(at(0), at(1), at(2)));
            for k in 0..3 {
                row[first + k] = moved[k].to_string();
            }
        }
        for column in [8, 9] {
            row[column] = (row[column].parse::<f64>().unwrap() * radius).to_string();
        }
    }
    rows
}

fn imported(rows: &[Vec<String>], options: &ImportOptions) -> Import {
    import(table(rows).as_bytes(), options).unwrap()
}

/// Base, tip and radii of all segments, sorted.
fn sorted(plant: &Plant) -> Vec<[Vec3; 3]> {
    let mut all: Vec<[Vec3; 3]> =
        plant.segments().iter().map(|s| [s.position, s.tip(), Vec3::new(s.base_radius, s.tip_radius, 0.0)]).collect();
    let key = |s: &[Vec3; 3]| [s[0], s[1]].map(|p| p.to_array().map(|v| (f64::from(v) * 1e3).round() as i64));
    all.sort_by_key(key);
    all
}

fn assert_same(found: &Plant, expected: &Plant, tolerance: f32) {
    assert_eq!(found.branches().len(), expected.branches().len());
    let (found, expected) = (sorted(found), sorted(expected));
    assert_eq!(found.len(), expected.len());
    let far = found.iter().zip(&expected).map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).length()).fold(0.0, f32::max));
    let worst = far.fold(0.0, f32::max);
    assert!(worst < tolerance, "{worst}");
}

/// Rows in any order, with arbitrary ids.
#[test]
fn the_order_of_rows_does_not_matter() {
    let rows = rows();
    let expected = imported(&rows, &ImportOptions::default());
    let mut stream = Stream::new(9);
    let mut mixed = rows.clone();
    for i in (1..mixed.len()).rev() {
        mixed.swap(i, (stream.unit() * (i + 1) as f64) as usize);
    }
    let id = |old: &str| old.parse::<u64>().map_or(String::new(), |id| (id * 7919 % 1_000_003 + 5).to_string());
    for row in &mut mixed {
        row[0] = id(&row[0]);
        row[1] = id(&row[1]);
    }
    let found = imported(&mixed, &ImportOptions::default());
    assert_same(&found.plant, &expected.plant, 1e-5);
    assert!((found.report.volume_after_m3 / expected.report.volume_after_m3 - 1.0).abs() < 1e-6);
}

/// Without parents and branches the structure is reconstructed: the foot is the lowest part, and the
/// trunk is as thick as before.
#[test]
fn parents_may_be_missing() {
    let rows = rows();
    let expected = imported(&rows, &ImportOptions::default());
    let mut loose = rows.clone();
    for row in &mut loose {
        row[1].clear();
        row[10].clear();
    }
    let found = imported(&loose, &ImportOptions::default());
    assert_eq!(found.plant.trees().len(), 1, "{}", found.report);
    assert_eq!(found.report.moved_from_m, expected.report.moved_from_m);
    let ratio = found.report.volume_after_m3 / expected.report.volume_after_m3;
    assert!((ratio - 1.0).abs() < 0.03, "{ratio} {}", found.report);
    let dbh = |plant: &Plant| Summary::of(plant).trees[0].dbh_m.unwrap();
    assert!((dbh(&found.plant) / dbh(&expected.plant) - 1.0).abs() < 0.03, "{}", found.report);
}

/// On a map grid a coordinate has nine digits before its tenths of a millimetre.
#[test]
fn where_it_stands_does_not_matter() {
    let rows = rows();
    let expected = imported(&rows, &ImportOptions::default());
    let corner = DVec3::new(500_000.25, 5_400_000.5, 312.75);
    let far = imported(&measured(&rows, |p| p + corner, 1.0), &ImportOptions::default());
    assert_same(&far.plant, &expected.plant, 2e-6);
    let moved = DVec3::from_array(far.report.moved_from_m);
    assert!(moved.distance(DVec3::new(corner.x, corner.z, -corner.y)) < 1e-3, "{moved}");
    // With the position kept, wood is as exact as before.
    let kept =
        imported(&measured(&rows, |p| p + corner, 1.0), &ImportOptions { keep_place: true, ..Default::default() });
    assert_same(&kept.plant, &expected.plant, 2e-6);
    assert_eq!(kept.plant.trees()[0].origin, moved);
}

#[test]
fn units_and_axes_do_not_matter() {
    let rows = rows();
    let expected = imported(&rows, &ImportOptions::default());
    let millimetres = ImportOptions { scale: 1e-3, ..Default::default() };
    assert_same(&imported(&measured(&rows, |p| p * 1e3, 1e3), &millimetres).plant, &expected.plant, 2e-6);
    let tenths = ImportOptions { scale: 1e-3, radius_scale: Some(1e-4), ..Default::default() };
    assert_same(&imported(&measured(&rows, |p| p * 1e3, 1e4), &tenths).plant, &expected.plant, 2e-6);
    let upright = ImportOptions { up: UpAxis::Y, ..Default::default() };
    let turned = measured(&rows, |p| DVec3::new(p.x, p.z, -p.y), 1.0);
    assert_same(&imported(&turned, &upright).plant, &expected.plant, 2e-6);
}
