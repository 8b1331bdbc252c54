//! Outputs of a run, and contents of its pictures.

use std::path::Path;

use windfall_core::Pose;
use windfall_io::MotionReader;
use windfall_scene::show::Show;
use windfall_scene::{Outputs, PreparedScene, SceneFile, run};

/// A branch, a red ball above it, a blue box beside it, a squirrel on it; the branch is cut.
const SCENE: &str = r#"
name = "all"
seconds = 0.4

[[plants]]
rod = { length = 1, radius = 0.03, segments = 4 }
at = [0, 0.6, 0]

[[throws]]
shape.sphere.radius = 0.12
at = [0.8, 0.9, 0]
color = [1, 0, 0]

[[obstacles]]
shape.box.size = [0.3, 0.3, 0.3]
at = [0.2, 0.15, 0.3]
color = [0, 0.1, 1]

[[creatures]]
mass = 0.1
radius = 0.03
at = { branch = 0, along = 0.3 }
way = [{ run = 0.5, to = "top" }]

[[events]]
at = 0.2
cut = [2]

[output]
motion = true
probes = ["top"]

[preview]
stills = 2
gif = true
size = [192, 108]
azimuth_degrees = 0
"#;

fn set() -> PreparedScene {
    SceneFile::from_text(SCENE).and_then(|file| file.set_up()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_file_is_written_and_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let (set, outputs) = (set(), Outputs { folder: folder.path().join("new"), pictures: true });
    outputs.check(&set).unwrap();
    let mut seen = 0;
    let report = outputs.run(&set, &mut |_| {
        seen += 1;
        Ok(())
    });
    let report = report.unwrap();
    assert_eq!((seen, report.frames), (13, 12));
    let at = |ending: &str| outputs.folder.join(format!("all.{ending}"));
    for ending in ["wfm", "wfp", "probe0.csv", "events.csv", "bodies.csv", "png", "gif", "json"] {
        assert!(report.files.contains(&at(ending).display().to_string()), "{ending}: {:?}", report.files);
    }
    // No other and no unfinished files.
    assert_eq!(std::fs::read_dir(&outputs.folder).unwrap().count(), 8);

    let text = |ending: &str| std::fs::read_to_string(at(ending)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text("json")).unwrap();
    assert_eq!((&json["frames"], &json["breaks"]), (&12.into(), &1.into()));
    let events: Vec<Vec<String>> =
        text("events.csv").lines().map(|l| l.split(',').map(str::to_owned).collect()).collect();
    assert_eq!(events.len(), 2);
    assert_eq!(events[1][1..], ["broke", "2", "wood", "inf"]);
    assert!((events[1][0].parse::<f64>().unwrap() - 0.2).abs() < 1e-9);
    // The ball in 13 frames, the squirrel in 12: it has no place before the first step.
    assert_eq!(text("bodies.csv").lines().count(), 1 + 13 + 12);
    assert_eq!(text("probe0.csv").lines().count(), 1 + 13);

    let plant = windfall_io::load(&at("wfp")).unwrap();
    let mut motion = MotionReader::open(&at("wfm"), &plant).unwrap();
    assert_eq!(motion.len(), 13);
    let mut pose = Pose::default();
    motion.read(12, &mut pose).unwrap();
    // The outer half was cut at 0.2 s and has fallen since: g t^2 / 2 at 0.2 s, plus the push of the ball
    // on it.
    let fallen = plant.segments()[2].position.y - pose.positions[2].y;
    assert!(fallen > 0.15, "{fallen} m");

    let starts = |ending: &str, with: &[u8]| assert!(std::fs::read(at(ending)).unwrap().starts_with(with), "{ending}");
    starts("png", b"\x89PNG");
    starts("gif", b"GIF89a");
}

#[test]
fn a_name_that_is_taken_by_a_folder_is_found_before_the_run() {
    let set = set();
    for ending in ["wfm", "wfp", "probe0.csv", "events.csv", "bodies.csv", "png", "gif", "json"] {
        let folder = tempfile::tempdir().unwrap();
        let outputs = Outputs { folder: folder.path().to_owned(), pictures: true };
        outputs.check(&set).unwrap();
        std::fs::create_dir(folder.path().join(format!("all.{ending}"))).unwrap();
        let error = outputs.check(&set).expect_err(ending).to_string();
        assert!(error.contains(&format!("all.{ending}: is there already")), "{error}");
    }
}

#[test]
fn pictures_are_left_out_when_nobody_wants_them() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Outputs { folder: folder.path().to_owned(), pictures: false };
    outputs.run(&set(), &mut |_| Ok(())).unwrap();
    let exists = |ending: &str| Path::new(&outputs.folder).join(format!("all.{ending}")).exists();
    assert!(exists("json") && !exists("png") && !exists("gif"));
}

#[test]
fn a_run_that_is_stopped_leaves_nothing_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = Outputs { folder: folder.path().to_owned(), pictures: true };
    let error = windfall_scene::SceneError::Write { file: "x".into(), reason: "enough".into() };
    let mut error = Some(error);
    let stopped = outputs.run(&set(), &mut |frame| if frame.number < 5 { Ok(()) } else { Err(error.take().unwrap()) });
    assert_eq!(stopped.unwrap_err().to_string(), "x: enough");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn pictures_show_thrown_bodies_and_obstacles() {
    let set = set();
    let mut show = Show::new(&set).unwrap();
    let mut heights = Vec::new();
    run(&set, &mut |frame| {
        show.see(frame);
        if frame.number % 4 == 0 {
            let picture = show.draw(frame)?;
            let (mut red, mut blue, mut rows) = (0, 0, 0);
            for (i, [r, g, b, _]) in picture.pixels.iter().map(|p| p.map(i32::from)).enumerate() {
                if r > 60 && r > 2 * g && r > 2 * b {
                    red += 1;
                    rows += i / picture.width as usize;
                }
                blue += usize::from(b > 60 && b > 2 * r && 2 * b > 3 * g);
            }
            assert!(red > 30 && blue > 30, "frame {}: {red} red and {blue} blue pixels", frame.number);
            heights.push(rows / red);
        }
        Ok(())
    })
    .unwrap();
    assert!(heights[0] + 3 < *heights.last().unwrap(), "the ball falls down the picture: {heights:?}");
}
