//! Clips: playback of the file equals the simulation, and the rest of the file is unchanged.

use crate::common;
use crate::common::{Player, Rigged, document, glb, options, swaying};
use glam::{DAffine3, DQuat, DVec3};
use serde_json::{Value, json};
use windfall_core::Pose;
use windfall_io::{Frames, MotionError, PoseList};
use windfall_rig::{Document, Rig, RigOptions, Up, check_output};

const TOLERANCE: f64 = 1e-3;

/// A tree with side branches, and one bone that has no parent in the file.
fn tree(armature: DAffine3) -> Rigged {
    let mut rigged = Rigged { armature, ..Rigged::chain(4, 8.0, 0.2, 0.08) };
    rigged.side("limb", Some(2), DVec3::Y * 5.0, DVec3::new(3.0, 6.0, 0.0), 0.05);
    rigged.side("loose", None, DVec3::new(0.05, 3.0, 0.0), DVec3::new(-3.0, 4.0, 1.0), 0.05);
    rigged.side("twig", Some(4), DVec3::new(2.0, 5.7, 0.0), DVec3::new(2.5, 6.5, 1.0), 0.02);
    rigged
}

/// Adds a swaying clip and returns the written bytes, the poses, and the rig.
fn animate(bytes: &[u8], options: &RigOptions, name: &str) -> (Vec<u8>, PoseList, Rig) {
    let document = document(bytes).unwrap();
    let rig = Rig::of(&document, options).unwrap();
    let mut frames = swaying(&rig.plant, 60, 0.08);
    let folder = tempfile::tempdir().unwrap();
    let mut clips = [rig.record("sway", &mut frames, TOLERANCE, folder.path()).unwrap()];
    let path = folder.path().join(name);
    let size = document.write_with(&rig, &mut clips, &path).unwrap();
    let written = std::fs::read(&path).unwrap();
    assert_eq!(size, written.len() as u64);
    // No temporary files remain.
    drop(clips);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    (written, frames, rig)
}

/// Heads of the bones in a pose, by bone names: segments are identified by their rest position.
fn expected(rig: &Rig, rigged: &Rigged, pose: &Pose) -> Vec<DVec3> {
    let rest = Pose::rest(&rig.plant);
    let place = |(.., head, _): &common::Bone| {
        let nearest = (0..rig.plant.segments().len()).min_by(|&a, &b| {
            let at = |i: usize| {
                let id = rig.plant.segment_id(i);
                rig.plant.rest_position(id).distance(*head)
            };
            at(a).total_cmp(&at(b))
        });
        let i = nearest.unwrap();
        *head + (pose.positions[i] - rest.positions[i]).as_dvec3()
    };
    rigged.bones.iter().map(place).collect()
}

fn armatures() -> Vec<DAffine3> {
    vec![
        DAffine3::IDENTITY,
        DAffine3::from_scale_rotation_translation(
            DVec3::splat(0.01),
            DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2),
            DVec3::ZERO,
        ),
        DAffine3::from_scale_rotation_translation(
            DVec3::splat(30.0),
            DQuat::from_rotation_z(2.0),
            DVec3::new(3.0, -2.0, 7.0),
        ),
        DAffine3::from_scale_rotation_translation(DVec3::new(-1.0, 1.0, 1.0), DQuat::from_rotation_y(1.0), DVec3::X),
    ]
}

/// For any armature transform, joints are at the positions of their simulated segments.
#[test]
fn players_show_what_was_simulated() {
    for armature in armatures() {
        let rigged = tree(armature);
        let (written, frames, rig) = animate(&rigged.glb(), &options(), "tree.glb");
        let player = Player::of(&written);
        let mut moved = 0.0_f64;
        for (i, pose) in frames.poses.iter().enumerate() {
            let worlds = player.worlds(0, i as f64 / 25.0);
            for (k, wanted) in expected(&rig, &rigged, pose).iter().enumerate() {
                let found = worlds[k + 1].translation;
                assert!(
                    found.distance(*wanted) < TOLERANCE * 1.05,
                    "frame {i}, {}: {found} and {wanted}",
                    rigged.bones[k].0
                );
                moved = moved.max(found.distance(rigged.bones[k].2));
            }
        }
        assert!(moved > 0.5, "{moved}");
    }
}

#[test]
fn the_report_says_where_joints_are_and_how_large_the_error_is() {
    let rigged = tree(armatures()[1]);
    let bytes = rigged.glb();
    let document = document(&bytes).unwrap();
    let rig = Rig::of(&document, &options()).unwrap();
    let mut frames = swaying(&rig.plant, 60, 0.08);
    let folder = tempfile::tempdir().unwrap();
    let clip = rig.record("sway", &mut frames, TOLERANCE, folder.path()).unwrap();
    let report = clip.report.clone();
    assert!(report.largest_error_m > 0.0 && report.largest_error_m <= TOLERANCE, "{}", report.largest_error_m);
    assert!(report.keys_after < report.keys_before && report.largest_turn_deg > 5.0 && report.largest_motion_m > 0.5);
    let path = folder.path().join("x.glb");
    document.write_with(&rig, &mut [clip], &path).unwrap();
    let player = Player::of(&std::fs::read(&path).unwrap());
    assert_eq!(report.moments.len(), 5);
    for moment in &report.moments {
        let worlds = player.worlds(0, moment.seconds);
        for joint in &moment.joints {
            let found = worlds[joint.node].translation;
            assert!(found.distance(DVec3::from_array(joint.at)) < 1e-4, "{found} {joint:?}");
        }
    }
}

/// Bones attached to other wood than in the file have translation keys; these respect the tolerance, too.
#[test]
fn the_tolerance_is_a_bound_for_joined_bones() {
    let mut rigged = Rigged::chain(5, 6.0, 0.2, 0.1);
    // High on the tree, where displacements are large, and long.
    for k in 0..4_u8 {
        let from = DVec3::new(0.05, 3.5 + 0.6 * f64::from(k), 0.02);
        let way = DVec3::new(5.0 + f64::from(k), 1.0, f64::from(k) - 1.5);
        rigged.side(&format!("loose{k}"), None, from, from + way, 0.04);
    }
    let bytes = rigged.glb();
    let rig = Rig::of(&document(&bytes).unwrap(), &options()).unwrap();
    assert_eq!(rig.report.joined_bones, 4);
    let folder = tempfile::tempdir().unwrap();
    let mut worst = 0.0_f64;
    for k in 1..=12_u8 {
        let mut frames = swaying(&rig.plant, 200, 0.0007 * f32::from(k));
        let report = rig.record("sway", &mut frames, TOLERANCE, folder.path()).unwrap().report;
        worst = worst.max(report.largest_error_m);
        assert!(report.keys_after < report.keys_before);
    }
    assert!(worst > 0.5 * TOLERANCE && worst <= TOLERANCE, "{worst}");
}

/// Heights scale the physics, not the file: another height gives the same rotations.
#[test]
fn the_size_of_the_simulated_tree_does_not_matter_to_the_file() {
    let rigged = tree(DAffine3::IDENTITY);
    let (small, ..) = animate(&rigged.glb(), &options(), "a.glb");
    let (tall, ..) = animate(&rigged.glb(), &RigOptions { height: Some(24.0), ..options() }, "a.glb");
    let (small, tall) = (Player::of(&small), Player::of(&tall));
    for time in [0.0, 0.7, 1.9] {
        let (small, tall) = (small.worlds(0, time), tall.worlds(0, time));
        assert_eq!(small.len(), tall.len());
        for (a, b) in small.iter().zip(&tall) {
            assert!(a.translation.distance(b.translation) < 2.0 * TOLERANCE);
        }
    }
}

#[test]
fn a_file_that_lies_moves_in_its_own_axes() {
    let mut lying = Rigged::chain(4, 8.0, 0.2, 0.08);
    let turn = |p: DVec3| DVec3::new(p.x, -p.z, p.y);
    lying.bones.iter_mut().for_each(|bone| (bone.2, bone.3) = (turn(bone.2), turn(bone.3)));
    lying.vertices.iter_mut().for_each(|vertex| vertex.0 = turn(vertex.0));
    let (written, frames, rig) = animate(&lying.glb(), &RigOptions { up: Up::Z, ..options() }, "a.glb");
    let player = Player::of(&written);
    let rest = Pose::rest(&rig.plant);
    for (i, pose) in frames.poses.iter().enumerate().step_by(7) {
        let worlds = player.worlds(0, i as f64 / 25.0);
        for k in 0..4 {
            let wanted = lying.bones[k].2 + turn((pose.positions[k] - rest.positions[k]).as_dvec3());
            assert!(worlds[k + 1].translation.distance(wanted) < TOLERANCE * 1.05);
        }
    }
}

/// Nothing moves: the clip has the pose of the file exactly, in two keys of one joint.
#[test]
fn a_still_wind_gives_exactly_the_pose_of_the_file() {
    let rigged = tree(armatures()[2]);
    let bytes = rigged.glb();
    let document = document(&bytes).unwrap();
    let rig = Rig::of(&document, &options()).unwrap();
    let mut frames = PoseList { poses: vec![Pose::rest(&rig.plant); 20], frames_per_second: 30.0 };
    let folder = tempfile::tempdir().unwrap();
    let clip = rig.record("calm", &mut frames, TOLERANCE, folder.path()).unwrap();
    assert_eq!(clip.report.keys_after, 2);
    assert!(clip.report.largest_turn_deg < 1e-9);
    let path = folder.path().join("x.glb");
    document.write_with(&rig, &mut [clip], &path).unwrap();
    let player = Player::of(&std::fs::read(&path).unwrap());
    assert_eq!(player.json["animations"][0]["channels"].as_array().unwrap().len(), 1);
    let still = player.worlds(0, 0.3);
    // Bit-exact in the f32 of keys.
    let sampler = &player.json["animations"][0]["samplers"][0];
    let keys = player.floats(sampler["output"].as_u64().unwrap() as usize);
    let file: Vec<f64> = player.json["nodes"][1]["rotation"]
        .as_array()
        .unwrap()
        .iter()
        .map(|x| f64::from(x.as_f64().unwrap() as f32))
        .collect();
    assert_eq!((&keys[..4], &keys[4..]), (&file[..], &file[..]));
    for (k, (.., head, _)) in rigged.bones.iter().enumerate() {
        assert!(still[k + 1].translation.distance(*head) < 1e-5);
    }
}

/// Text and bytes of the original file are preserved.
#[test]
fn everything_else_stays_as_it_was() {
    let (mut json, bin) = tree(DAffine3::IDENTITY).build();
    json["extras"] = json!({ "by": "an artist", "numbers": [1.0, 2.5e-7, 12345678901234567890_u64] });
    json["extensionsUsed"] = json!(["VENDOR_thing"]);
    json["extensions"] = json!({ "VENDOR_thing": { "z": 1, "a": [null] } });
    json["animations"] = json!([{ "name": "bird", "channels": [{ "sampler": 0, "target": { "node": 0, "path": "scale" } }], "samplers": [{ "input": 3, "output": 0 }] }]);
    json["materials"][0]["pbrMetallicRoughness"] = json!({ "baseColorFactor": [0.1, 0.2, 0.30000000000000004, 1] });
    let (written, ..) = animate(&glb(&json, &bin), &options(), "a.glb");
    let after = Player::of(&written);
    assert_eq!(after.bin[..bin.len()], bin);
    for (key, value) in json.as_object().unwrap() {
        let now = &after.json[key];
        match (key.as_str(), value.as_array()) {
            ("buffers", _) => assert_eq!(now[0]["byteLength"].as_u64().unwrap() as usize, after.bin.len()),
            ("accessors" | "bufferViews" | "animations", Some(old)) => {
                assert_eq!(now.as_array().unwrap()[..old.len()], old[..], "{key}");
                assert!(now.as_array().unwrap().len() > old.len());
            }
            _ => assert_eq!(now, value, "{key}"),
        }
    }
    assert_eq!(after.json["animations"][1]["name"], "sway");
    // Keys in their order, and unmodified values verbatim.
    let text = String::from_utf8_lossy(&written);
    assert!(text.contains(&json["nodes"].to_string()) && text.contains(&json["extras"].to_string()));
}

#[test]
fn joints_with_matrices_are_animated_too() {
    let rigged = tree(DAffine3::IDENTITY);
    let (mut json, bin) = rigged.build();
    common::matrices(&mut json);
    let (written, frames, rig) = animate(&glb(&json, &bin), &options(), "a.glb");
    let player = Player::of(&written);
    assert!(player.json["nodes"][0].get("matrix").is_some(), "the armature does not move");
    assert!(player.json["nodes"][1].get("matrix").is_none() && player.json["nodes"][1]["extras"]["mine"] == 0);
    let worlds = player.worlds(0, 1.0);
    for (k, wanted) in expected(&rig, &rigged, &frames.poses[25]).iter().enumerate() {
        assert!(worlds[k + 1].translation.distance(*wanted) < TOLERANCE * 1.05);
    }
}

/// As `.gltf` with external buffers and data URIs, and from there as one `.glb`.
#[test]
fn gltf_files_and_what_stands_beside_them() {
    let (mut json, bin) = tree(DAffine3::IDENTITY).build();
    json["buffers"][0]["uri"] = "my%20tree.bin".into();
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("tree.gltf");
    std::fs::write(&input, json.to_string()).unwrap();
    assert!(Document::open(&input).unwrap_err().to_string().contains("my tree.bin"));
    std::fs::write(folder.path().join("my tree.bin"), &bin).unwrap();
    let document = Document::open(&input).unwrap();
    let rig = Rig::of(&document, &options()).unwrap();
    let mut play = Vec::new();
    for name in ["out.glb", "out.gltf"] {
        let output = folder.path().join(name);
        check_output(&document, &input, &output).unwrap();
        let mut frames = swaying(&rig.plant, 30, 0.05);
        // The placeholder of the keys in the text is not a reserved word.
        let mut clips = [rig.record("@keys@", &mut frames, TOLERANCE, folder.path()).unwrap()];
        document.write_with(&rig, &mut clips, &output).unwrap();
        let again = Document::open(&output).unwrap();
        assert_eq!(again.clip_names(), ["@keys@"]);
        let bones = Rig::of(&again, &options()).unwrap().report.bones;
        assert_eq!(bones, rig.report.bones);
        play.push(std::fs::read(&output).unwrap());
    }
    assert!(Player::of(&play[0]).json["buffers"][0].get("uri").is_none());
    let text: Value = serde_json::from_slice(&play[1]).unwrap();
    assert_eq!(text["buffers"][0]["uri"], "my%20tree.bin");
    assert!(text["buffers"][1]["uri"].as_str().unwrap().starts_with("data:application/octet-stream;base64,"));
    // In another folder a `.gltf` would not find its buffer; a `.glb` contains it.
    let other = folder.path().join("other");
    let error = check_output(&document, &input, &other.join("x.gltf")).unwrap_err().to_string();
    assert!(error.contains("same folder") && error.contains("my%20tree.bin"), "{error}");
    check_output(&document, &input, &other.join("x.glb")).unwrap();
    assert!(check_output(&document, &input, &folder.path().join("x.obj")).is_err());
    let error = check_output(&document, &input, &folder.path().join("./tree.gltf")).unwrap_err().to_string();
    assert!(error.contains("is the tree itself"), "{error}");
}

/// The same poses, repeated.
struct Again(PoseList, usize);

impl Frames for Again {
    fn len(&self) -> usize {
        self.1
    }

    fn time(&self, frame: usize) -> f64 {
        frame as f64 / 25.0
    }

    fn read(&mut self, frame: usize, pose: &mut Pose) -> Result<(), MotionError> {
        pose.clone_from(&self.0.poses[frame % self.0.poses.len()]);
        Ok(())
    }
}

/// Longer than the frames held in memory (64 MB: 85,000 frames of seven bones).
#[test]
fn long_clips_are_made_in_stretches() {
    let rigged = tree(DAffine3::IDENTITY);
    let bytes = rigged.glb();
    let document = document(&bytes).unwrap();
    let rig = Rig::of(&document, &options()).unwrap();
    let count = 100_000;
    let mut frames = Again(swaying(&rig.plant, 1000, 0.05), count);
    let folder = tempfile::tempdir().unwrap();
    let clip = rig.record("long", &mut frames, TOLERANCE, folder.path()).unwrap();
    assert!(clip.report.largest_error_m <= TOLERANCE);
    assert!((clip.report.seconds - (count - 1) as f64 / 25.0).abs() < 1e-6);
    let path = folder.path().join("long.glb");
    document.write_with(&rig, &mut [clip], &path).unwrap();
    let player = Player::of(&std::fs::read(&path).unwrap());
    for frame in [0, 50_000, 85_597, 85_598, 85_599, 99_999] {
        let worlds = player.worlds(0, frame as f64 / 25.0);
        for (k, wanted) in expected(&rig, &rigged, &frames.0.poses[frame % 1000]).iter().enumerate() {
            // Times are f32: at one hour their resolution is a quarter of a millisecond.
            assert!(worlds[k + 1].translation.distance(*wanted) < 3.0 * TOLERANCE, "frame {frame}");
        }
    }
    let animation = &player.json["animations"][0];
    for sampler in animation["samplers"].as_array().unwrap() {
        let times = player.floats(sampler["input"].as_u64().unwrap() as usize);
        assert!(times.windows(2).all(|t| t[0] < t[1]), "times grow, and no key stands twice");
    }
    for bad in [0.0, -1.0, f64::NAN, 11.0] {
        assert!(rig.record("x", &mut frames, bad, folder.path()).is_err());
    }
    let mut none = PoseList { poses: Vec::new(), frames_per_second: 30.0 };
    assert!(rig.record("x", &mut none, TOLERANCE, folder.path()).is_err());
}
