//! Invalid scenes are refused before anything runs; accepted ones run.

use windfall_scene::{SceneFile, run};

const TREE: &str = "[[plants]]\nspecies = 'apple'\nbodies = 300\n";
const ROD: &str = "[[plants]]\nrod = { length = 1, radius = 0.02, segments = 4 }\n";

/// The error of reading or preparing, without the name of the file.
fn refused(text: &str) -> String {
    let read = SceneFile::from_text(text);
    match read.and_then(|file| file.set_up()) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_can_not_be_is_refused_with_line_and_key() {
    let creature = "[[creatures]]\nmass = 0.3\nradius = 0.05\n";
    for (text, says) in [
        (format!("{TREE}{creature}at = {{ near = [0, 1, 0], kind = 'leaf' }}"), "line 7: creatures[0].at: body"),
        (format!("{TREE}{creature}at = 299"), "line 7: creatures[0].at: body 299 is no wood"),
        (format!("air = false\nwind = 'gale'\n{TREE}"), "line 2: wind: there is none in a vacuum"),
        (format!("air = false\n{TREE}[[events]]\nat = 1\nwind = 'gale'"), "line 7: events[0].wind: there is none"),
        (
            format!("{TREE}[[events]]\nat = 1\ncut = [3]\nwind_from_degrees = 9"),
            "line 7: events[0].wind_from_degrees: needs",
        ),
        (
            format!("{TREE}[[bases]]\nsway = {{ by = [1, 0, 0], frequency = 1 }}\n[[bases]]\nkeys = [{{ time = 1 }}]"),
            "line 6: bases[1].plant = 0: its ground moves already as bases[0] says",
        ),
        (
            format!("{TREE}[preview]\nsize = [4096, 4096]\nstills = 100"),
            "line 6: preview.stills: all on one sheet: a picture of 41048 x 41328 pixels: a side must have at most",
        ),
        (format!("fps = 0\n{TREE}"), "scene\n  line 1: fps = 0: must be from 0.1 to 10000 per second"),
        (format!("fps = 5\n{TREE}"), "scene\n  line 1: fps: a step of 2.000e-1 s: fps and substeps must give"),
        (
            format!("wind = 'gale'\nwind_from_degrees = 400\n{TREE}"),
            "line 2: wind_from_degrees = 400: must be from -360",
        ),
        ("[[plants]]\nspecies = 'oak'\nbodies = 3".into(), "line 3: plants[0].bodies = 3: must be from 50 to"),
        (format!("{TREE}[stage.collisions]\nzeta = -1"), "line 5: stage.collisions.zeta = -1: must be from 0 to"),
        (format!("{TREE}[ground]\nrestitution = 2"), "line 5: ground.restitution = 2: must be from 0 to 1"),
        (
            format!("{TREE}[[events]]\nat = 1\n[events.set.branches]\ndensity = 1\nstiffness = 'x'"),
            "line 8: events[0].set.branches.stiffness: invalid type: string \"x\", expected a number",
        ),
        (
            format!("{TREE}[[events]]\nat = 1\nstage.collisions.friction = -1"),
            "line 6: events[0].stage.collisions.friction = -1: must be from 0 to 1000",
        ),
        (format!("seconds = 1e300\n{TREE}"), "line 1: seconds = 1e300: must be"),
        (format!("seconds = '2 s'\n{TREE}"), "expected a number, in SI units and without a unit"),
        (format!("substeps = -1\n{TREE}"), "expected a whole number from 0 to"),
        (format!("{TREE}[select]"), "must have exactly one kind, and has none"),
        (format!("{ROD}[[events]]\nat = 1\nlet_go.kind = 'fruit'"), "line 5: events[0].let_go: there is no fruit"),
        (
            format!("{TREE}[[events]]\nat = 1\nover = 1\nhand.body = 'top'"),
            "line 7: events[0].hand: must have by or path",
        ),
        (
            format!("{TREE}[[events]]\nat = 1\nover = 1\nhand = {{ body = 'top', path = [[0, nan, 0]] }}"),
            "line 7: events[0].hand.path[0] = ",
        ),
    ] {
        let error = refused(&text);
        assert!(error.contains(says), "{error}\nand not: {says}\n{text}");
    }
}

#[test]
fn what_comes_after_the_end_is_remarked() {
    let text = format!(
        "seconds = 2\n{TREE}[[throws]]\nshape.sphere.radius = 0.1\nat = [0, 3, 0]\n[[throws]]\nshape.sphere.radius = 0.1\n\
         at = [0, 3, 0]\ntime = 2.5\n[[events]]\nat = 1.9\ncut = [3]\n[[events]]\nat = 2\ncut = [3]"
    );
    let remarks: Vec<String> = SceneFile::from_text(&text).unwrap().remarks().iter().map(ToString::to_string).collect();
    let late = "never happens, the scene ends after 2 s";
    assert_eq!(
        remarks,
        [format!("line 11: throws[1].time = 2.5: {late}"), format!("line 16: events[1].at = 2: {late}")]
    );
}

/// Gravity grows from 0 to 1 m/s² over 4 s, but is removed after half a second: the ball keeps the speed g
/// t² / 8 = 0.03125 m/s.
#[test]
fn the_newest_wish_for_a_parameter_counts() {
    let text = format!(
        "seconds = 2\nair = false\n{ROD}[params]\ngravity = [0, 0, 0]\n[[throws]]\nshape.sphere.radius = 0.1\nat = [0, 50, 0]\n\
         [[events]]\nat = 0\nover = 4\nset.gravity = [0, -1, 0]\n[[events]]\nat = 0.5\nset.gravity = [0, 0, 0]"
    );
    let set = SceneFile::from_text(&text).and_then(|file| file.set_up()).unwrap_or_else(|error| panic!("{error}"));
    let mut speed = 0.0;
    run(&set, &mut |frame| {
        speed = -frame.free.iter().next().unwrap().velocity.y;
        Ok(())
    })
    .unwrap();
    // To one step of the ramp at its end: 1/30 s at 0.125 m/s².
    assert!((speed - 0.031_25).abs() < 0.005, "{speed} m/s");
}

/// A hand, a push and a cut on a fallen leaf, on cut-off wood, and on bodies that are not simulated.
#[test]
fn what_acts_on_bodies_that_are_gone_does_no_harm() {
    for (solver, gone) in [("implicit", "{ near = [0, 2, 0], kind = 'leaf' }"), ("analytic", "{ branch = 3 }")] {
        let text = format!(
            "seconds = 1\nsolver = '{solver}'\n{TREE}[[events]]\nat = 0.1\ncut = [{gone}]\n[[events]]\nat = 0.3\ncut = [{gone}, {gone}]\n\
             [[events]]\nat = 0.3\nover = 0.3\nhand = {{ body = {gone}, path = [[0.1, 0, 0], [0, 0, 0]] }}\npush = {{ body = {gone}, force = [1, 0, 0] }}\n\
             [[events]]\nat = 0.5\nselect.orders = {{ highest = 0 }}\n[[events]]\nat = 0.6\nover = 0.2\n\
             hand = {{ body = {{ branch = 5 }}, by = [0, 0.1, 0] }}\ncut = ['root']"
        );
        let set = SceneFile::from_text(&text).and_then(|file| file.set_up()).unwrap_or_else(|error| panic!("{error}"));
        let report = run(&set, &mut |_| Ok(())).unwrap_or_else(|error| panic!("{solver}: {error}"));
        assert_eq!((report.frames, report.left_numbers_s), (30, None));
    }
}
