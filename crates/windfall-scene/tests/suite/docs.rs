//! The example in docs/scenes.md is a valid scene, and runs.

use windfall_scene::schema::Scene;
use windfall_scene::{SceneFile, run};

fn example() -> String {
    let page = include_str!("../../../../docs/scenes.md");
    let (_, rest) = page.split_once("```toml\n").expect("an example");
    rest.split_once("```").expect("its end").0.to_owned()
}

#[test]
fn the_example_runs_and_everything_in_it_happens() {
    let file = SceneFile::from_text(&example()).unwrap_or_else(|error| panic!("{error}"));
    let set = file.set_up().unwrap_or_else(|error| panic!("{error}"));
    let report = run(&set, &mut |_| Ok(())).unwrap();
    assert_eq!((report.frames, report.left_numbers_s), (60, None));
    assert_eq!(report.breaks, 1, "the saw; wood does not break by itself");
    let fruit = set.plants.members[0].plant.fruit().len();
    assert!(report.fruit_let_go > fruit / 4 && report.fruit_let_go < fruit, "{} of {fruit}", report.fruit_let_go);
    assert!(report.free_bodies >= report.fruit_let_go + 3, "three balls");
}

/// The example holds every key of the tables of a scene.
#[test]
fn the_page_knows_every_key() {
    let text = example();
    // The error of the reader for an unknown key lists all keys of the table.
    let known = |scene: &str| -> Vec<String> {
        let error = toml::from_str::<Scene>(scene).unwrap_err().to_string();
        let list = error.split_once("expected").unwrap_or_else(|| panic!("{error}")).1.to_owned();
        list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    for table in [
        "x = 1",
        "[[plants]]\nx = 1",
        "[[plants]]\nrod.x = 1",
        "stage.x = 1",
        "stage.collisions.x = 1",
        "ground.x = 1",
        "[[obstacles]]\nx = 1",
        "[[throws]]\nx = 1",
        "[[throws]]\nshape.x = 1",
        "[[creatures]]\nx = 1",
        "[[creatures]]\nway = [{ x = 1 }]",
        "[[bases]]\nx = 1",
        "[[bases]]\nsway.x = 1",
        "[[bases]]\nkeys = [{ x = 1 }]",
        "[[events]]\nx = 1",
        "[[events]]\nlet_go.x = 1",
        "[[events]]\npush.x = 1",
        "[[events]]\nhand.x = 1",
        "select.x = 1",
        "output.x = 1",
        "preview.x = 1",
    ] {
        let keys = known(table);
        assert!(!keys.is_empty(), "{table}");
        for key in keys.iter().filter(|key| *key != "x") {
            assert!(
                text.contains(key.as_str()) || include_str!("../../../../docs/scenes.md").contains(key.as_str()),
                "{table}: {key} is not on the page"
            );
        }
    }
}
