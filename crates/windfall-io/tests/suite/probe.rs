//! Tables of probes read back as the same numbers.

use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyMotion, JointLoad};
use windfall_io::{PROBE_COLUMNS, ProbeWriter};

#[test]
fn every_number_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tables/tip.csv");
    let motion = BodyMotion {
        joint: DVec3::splat(77.0),
        center: DVec3::new(0.1, 1.0 / 3.0, -0.0),
        velocity: DVec3::new(f64::MIN_POSITIVE / 8.0, f64::MAX, -1e-300),
        acceleration: DVec3::new(9.806_65, 1e16, 123_456_789.123_456_79),
        orientation: DQuat::IDENTITY,
        angular_velocity: DVec3::splat(77.0),
        angular_acceleration: DVec3::splat(77.0),
    };
    let load = JointLoad { torque: DVec3::new(-1.5, 2.0_f64.sqrt(), 3.0), force: DVec3::new(4.0, 5.0, f64::INFINITY) };
    let mut writer = ProbeWriter::create(&path).unwrap();
    writer.row(0.1 + 0.2, &motion, &load).unwrap();
    writer.row(1.0, &BodyMotion { center: DVec3::NAN, ..motion }, &JointLoad::default()).unwrap();
    assert!(!path.exists(), "nothing appears before it is finished");
    writer.finish().unwrap();

    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next().unwrap().split(',').collect::<Vec<_>>(), PROBE_COLUMNS);
    let numbers = |line: &str| line.split(',').map(|n| n.parse().unwrap()).collect::<Vec<f64>>();
    let row = numbers(lines.next().unwrap());
    let mut expected = vec![0.1 + 0.2];
    for vector in [motion.center, motion.velocity, motion.acceleration, load.torque, load.force] {
        expected.extend(vector.to_array());
    }
    assert_eq!(
        row.iter().map(|n| n.to_bits()).collect::<Vec<_>>(),
        expected.iter().map(|n| n.to_bits()).collect::<Vec<_>>()
    );
    let row = numbers(lines.next().unwrap());
    assert_eq!(row.len(), PROBE_COLUMNS.len());
    assert!(row[1..4].iter().all(|n| n.is_nan()));
    assert_eq!(lines.next(), None);
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}
