//! Loops: in a breeze a tree is periodic, in a storm it is not, and the report gives both.

use std::sync::Arc;

use windfall_core::{Plant, Pose};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_io::Frames;
use windfall_scene::looping::{LoopError, LoopOptions, LoopReport, simulate_loop};
use windfall_scene::named_wind;
use windfall_solver::Params;

fn tree(species: &str) -> Arc<Plant> {
    Arc::new(grow(&Species::named(species).unwrap(), &GrowOptions { bodies: Some(400), seed: 1 }).unwrap())
}

fn looped(species: &str, wind: &str, options: &LoopOptions) -> Result<(Vec<Pose>, LoopReport), LoopError> {
    let folder = tempfile::tempdir().unwrap();
    let plant = tree(species);
    let params = Params { keep_shape: true, ..Params::default() };
    let wind = named_wind(wind, None, folder.path()).unwrap();
    let near = folder.path().join("tree.glb");
    let (mut frames, report) = simulate_loop(&plant, &params, &wind, options, &near, &mut |_, _| ())?;
    let mut poses = vec![Pose::default(); frames.len()];
    for (i, pose) in poses.iter_mut().enumerate() {
        frames.read(i, pose).unwrap();
    }
    drop(frames);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    Ok((poses, report))
}

#[test]
fn a_tree_in_a_breeze_repeats_itself() {
    let (poses, report) = looped("oak", "breeze", &LoopOptions::new(3.0)).unwrap();
    assert!(report.repeats && report.periods < 12, "{report:?}");
    assert_eq!((poses.len(), report.frames_per_second), (91, 30.0));
    assert_eq!(poses[0], poses[90]);
    assert!(report.seam_m <= 1e-4 && report.amplitude_m > 0.02, "{report:?}");
    // Velocities are differences of frames: twice the tolerance of positions times the rate is their
    // largest error.
    assert!(report.seam_m_s < 2.0 * 1e-4 * 30.0 && report.seam_of_speed < 0.05, "{report:?}");
    assert!(report.correction_m < 1e-3, "{report:?}");
}

#[test]
fn a_tree_that_does_not_repeat_itself_is_closed_and_it_is_said() {
    let options = LoopOptions { most_periods: 2, ..LoopOptions::new(2.0) };
    let (poses, report) = looped("aspen", "storm", &options).unwrap();
    assert!(!report.repeats && report.periods == 2 && report.seam_m > 0.01, "{report:?}");
    assert!(report.correction_m >= report.seam_m * 0.5, "closing it moves something: {report:?}");
    assert_eq!(poses[0], poses[60]);
    let plant = tree("aspen");
    let rest = Pose::rest(&plant);
    let mut loose = windfall_skin::bones::Loose::new(&plant);
    for pose in &poses {
        loose.see(&rest, pose);
    }
    assert_eq!(loose.count(), 0);
}

/// The same tree that is not guided in the test above.
#[test]
fn what_flutters_is_led_into_a_motion_that_repeats() {
    let (poses, report) = looped("aspen", "fresh-breeze", &LoopOptions::new(2.0)).unwrap();
    assert!(report.repeats && report.guided_periods > 0, "{report:?}");
    assert!(report.seam_m <= 1e-4 && report.amplitude_m > 0.1, "{report:?}");
    assert!(report.wood_guided_m <= report.guided_m && report.guided_m < 0.5 * report.amplitude_m, "{report:?}");
    assert!(report.correction_m < 0.1 * report.amplitude_m, "{report:?}");
    assert_eq!(poses[0], poses[60]);
}

/// 0.35 s at 30 frames per second are 10.5 frames: eleven of them, each a little shorter.
#[test]
fn whole_frames_fill_the_loop() {
    let options = LoopOptions { most_periods: 1, ..LoopOptions::new(0.35) };
    let (poses, report) = looped("oak", "breeze", &options).unwrap();
    assert_eq!(poses.len(), 12);
    assert!((report.frames_per_second - 11.0 / 0.35).abs() < 1e-9 && (report.seconds - 0.35).abs() < 1e-12);
}

#[test]
fn what_can_not_loop_is_refused() {
    for seconds in [0.0, -1.0, f64::NAN, 1e6] {
        let options = LoopOptions { seconds, ..LoopOptions::new(1.0) };
        assert!(matches!(looped("oak", "breeze", &options), Err(LoopError::Seconds(_))));
    }
}
