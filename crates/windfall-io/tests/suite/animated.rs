//! Animated GLB files, read back with the `gltf` crate and played by the test itself, compared with the
//! skin of the full pose.

use crate::grown::tree;
use crate::player::Player;
use crate::skins;
use crate::sway;
use windfall_core::glam::{DVec3, Vec3};
use windfall_core::{Plant, Pose};
use windfall_io::{
    AnimationError, AnimationOptions, AnimationReport, BoneCount, Clip, Frames, LeafMotion, MotionClip, MotionReader,
    MotionWriter, PoseList, export_animated,
};
use windfall_skin::{Binding, Motion, Skin};

const PERIOD: f64 = 2.0;
const RATE: f64 = 24.0;

fn write(plant: &Plant, skin: &Skin, frames: &mut dyn Frames, options: &AnimationOptions) -> (Player, AnimationReport) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.glb");
    let clips = &mut [Clip { name: "sway".into(), frames }];
    let report = export_animated(plant, skin, clips, options, &path, &mut |_| ()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, report.bytes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file stays");
    (Player::new(&bytes), report)
}

/// The full skin of all parts, in world metres.
fn full(plant: &Plant, skin: &Skin, pose: &Pose) -> Vec<Vec<DVec3>> {
    let motion = Motion::new(&Pose::rest(plant), pose);
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    let mut out = Vec::new();
    for (tree, tree_skin) in plant.trees().iter().zip(&skin.trees) {
        for part in tree_skin.parts.iter().filter(|part| !part.mesh.triangles.is_empty()) {
            motion.deform(&part.mesh, &mut positions, &mut normals);
            out.push(positions.iter().map(|p| tree.origin + p.as_dvec3()).collect());
        }
    }
    out
}

/// Largest and mean distance between two lists of vertices.
fn off(a: &[Vec<DVec3>], b: &[Vec<DVec3>]) -> (f64, f64) {
    assert_eq!(a.iter().map(Vec::len).collect::<Vec<_>>(), b.iter().map(Vec::len).collect::<Vec<_>>());
    let distances: Vec<f64> = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a.distance(*b)).collect();
    (distances.iter().copied().fold(0.0, f64::max), distances.iter().sum::<f64>() / distances.len() as f64)
}

#[test]
fn one_bone_per_body_is_exact_to_the_tolerance() {
    let (plant, skin) = tree("apple", 150, 2);
    let mut frames = sway::frames(&plant, PERIOD, RATE, 49);
    for tolerance in [1e-2, 1e-3, 1e-4] {
        let options = AnimationOptions { bones: BoneCount::All, tolerance, ..AnimationOptions::default() };
        let (player, report) = write(&plant, &skin, &mut frames, &options);
        assert_eq!((report.bones, report.joints.len()), (plant.body_count(), 1));
        player.check_keys(0);
        assert!((player.length(0).0 - 2.0).abs() < 1e-6);
        assert_eq!(player.length(0).1 as u64, report.clips[0].keys_after);
        for frame in [0, 7, 24, 31, 48] {
            let (largest, _) =
                off(&player.vertices(0, frame as f64 / RATE), &full(&plant, &skin, &frames.poses[frame]));
            // Weights are rounded to 1/65535 and places to f32.
            assert!(largest < tolerance + 2e-5, "frame {frame}: {largest} with {tolerance}");
        }
    }
}

#[test]
fn few_bones_are_as_wrong_as_the_report_says() {
    let (plant, skin) = tree("maple", 1500, 2);
    let mut frames = sway::frames(&plant, PERIOD, RATE, 49);
    let mut before = f64::INFINITY;
    for bones in [20, 100, 256] {
        let options = AnimationOptions { bones: BoneCount::AtMost(bones), ..AnimationOptions::default() };
        let (player, report) = write(&plant, &skin, &mut frames, &options);
        assert_eq!((report.bones, report.joints.len()), (bones, 1));
        let error = &report.clips[0].error;
        assert_eq!(error.frames, 49, "all frames of a short clip");
        let (mut largest, mut sum) = (0.0_f64, 0.0);
        for (frame, pose) in frames.poses.iter().enumerate() {
            let found = off(&player.vertices(0, frame as f64 / RATE), &full(&plant, &skin, pose));
            largest = largest.max(found.0);
            sum += found.1;
        }
        let mean = sum / 49.0;
        assert!((largest - error.largest_m).abs() < 3e-5, "{bones}: {largest} {}", error.largest_m);
        assert!((mean - error.mean_m).abs() < 1e-5, "{bones}: {mean} {}", error.mean_m);
        assert!(error.wood_mean_m < error.foliage_mean_m, "leaves flutter, bones don't");
        assert!(mean < before);
        before = mean;
    }
}

/// Leaves with a constant lean and little flutter have correct positions with few bones too.
#[test]
fn leaves_lie_as_they_do_on_average() {
    let (plant, skin) = tree("oak", 500, 2);
    let mut frames = PoseList { poses: vec![Pose::rest(&plant); 25], frames_per_second: 25.0 };
    for pose in &mut frames.poses {
        for leaf in plant.segments().len()..plant.body_count() {
            pose.orientations[leaf] = windfall_core::glam::Quat::from_rotation_x(0.8) * pose.orientations[leaf];
        }
    }
    let options = AnimationOptions { bones: BoneCount::AtMost(5), ..AnimationOptions::default() };
    let (player, report) = write(&plant, &skin, &mut frames, &options);
    let (largest, _) = off(&player.vertices(0, 0.4), &full(&plant, &skin, &frames.poses[10]));
    assert!(largest < 2e-5 && report.clips[0].error.largest_m < 2e-5, "{largest}");
}

/// More bones than a skin may have: several skins, the same vertices.
#[test]
fn many_bones_are_split_into_skins() {
    let (plant, skin) = tree("oak", 1200, 2);
    let mut frames = sway::frames(&plant, PERIOD, RATE, 13);
    let options = AnimationOptions { bones: BoneCount::All, ..AnimationOptions::default() };
    let (player, report) = write(&plant, &skin, &mut frames, &options);
    assert!(report.joints.len() >= 3 && report.joints.iter().all(|&n| n <= 256), "{:?}", report.joints);
    let triangles: usize = (player.file.meshes().flat_map(|m| m.primitives().collect::<Vec<_>>()))
        .map(|p| p.indices().unwrap().count() / 3)
        .sum();
    assert_eq!(triangles, skin.triangle_count());
    // Every vertex is near one of the full skin: the order differs.
    let all: Vec<DVec3> = full(&plant, &skin, &frames.poses[7]).concat();
    let found = player.vertices(0, 7.0 / RATE).concat();
    assert!(!found.is_empty());
    for p in found.iter().step_by(7) {
        assert!(all.iter().any(|q| q.distance(*p) < 1e-3 + 2e-5), "{p} is nowhere");
    }
}

#[test]
fn what_lets_go_is_not_pulled_along() {
    let (plant, skin) = tree("apple", 400, 2);
    let mut frames = sway::frames(&plant, PERIOD, RATE, 49);
    let fallen = sway::let_go(&plant, &mut frames, 1.0);
    let options = AnimationOptions { bones: BoneCount::AtMost(30), ..AnimationOptions::default() };
    let (player, report) = write(&plant, &skin, &mut frames, &options);
    assert_eq!((report.loose, report.bones), (fallen.len(), 30 + fallen.len()));
    // Leaf and fruit are rigid and have their own bones: their positions are correct before, during and
    // after the fall.
    let rigid: Vec<u32> = fallen[..fallen.len() - 1].iter().map(|&b| b as u32).collect();
    let mut seen = 0;
    for frame in [10, 30, 48] {
        let (found, expected) = (player.vertices(0, frame as f64 / RATE), full(&plant, &skin, &frames.poses[frame]));
        for (p, part) in skin.trees[0].parts.iter().enumerate() {
            let Binding::Rigid(bodies) = &part.mesh.binding else { continue };
            for (v, body) in bodies.iter().enumerate().filter(|(_, body)| rigid.contains(body)) {
                assert!(found[p][v].distance(expected[p][v]) < 1e-3 + 2e-5, "body {body} in frame {frame}");
                seen += 1;
            }
        }
    }
    assert!(seen > 0);
}

#[test]
fn several_clips_share_bones() {
    let (plant, skin) = tree("willow", 200, 2);
    let (mut slow, mut fast) = (sway::frames(&plant, 3.0, 20.0, 61), sway::frames(&plant, 1.0, 30.0, 31));
    let (slow_poses, fast_poses) = (slow.poses.clone(), fast.poses.clone());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/tree.glb");
    let clips = &mut [Clip { name: "slow".into(), frames: &mut slow }, Clip { name: "fast".into(), frames: &mut fast }];
    let options = AnimationOptions { bones: BoneCount::All, ..AnimationOptions::default() };
    let mut last = None;
    export_animated(&plant, &skin, clips, &options, &path, &mut |p| last = Some(p)).unwrap();
    assert_eq!(last.map(|p| (p.done, p.total)), Some((184, 184)));
    let player = Player::new(&std::fs::read(&path).unwrap());
    let names: Vec<_> = player.file.animations().map(|a| a.name().unwrap().to_owned()).collect();
    assert_eq!(names, ["slow", "fast"]);
    for (clip, time, pose) in [(0, 2.0, &slow_poses[40]), (1, 0.5, &fast_poses[15])] {
        player.check_keys(clip);
        let (largest, _) = off(&player.vertices(clip, time), &full(&plant, &skin, pose));
        assert!(largest < 1e-3 + 2e-5, "clip {clip}: {largest}");
    }
}

#[test]
fn a_tree_that_stands_still_has_a_clip_of_its_length_and_hardly_a_key() {
    let (plant, skin) = tree("oak", 200, 2);
    let mut frames = PoseList { poses: vec![Pose::rest(&plant); 25], frames_per_second: 25.0 };
    let (player, report) = write(&plant, &skin, &mut frames, &AnimationOptions::default());
    assert_eq!((report.clips[0].keys_after, player.length(0)), (2, (f64::from(0.96_f32), 2)));
    let (largest, _) = off(&player.vertices(0, 0.5), &full(&plant, &skin, &Pose::rest(&plant)));
    assert!(largest < 1e-5, "inverse bind matrices are exact: {largest}");
}

/// Motion files are read twice, at any rate; trees keep their positions.
#[test]
fn motions_of_files_and_trees_far_away() {
    let (plant, skin) = tree("pine", 250, 2);
    let mut parts = plant.into_parts();
    parts.trees[0].origin = DVec3::new(120.5, 3.25, -40.0);
    let plant = Plant::new(parts).unwrap();
    let frames = sway::frames(&plant, PERIOD, RATE, 49);
    let folder = tempfile::tempdir().unwrap();
    let motion = folder.path().join("sway.wfm");
    let mut writer = MotionWriter::create(&motion, &plant, RATE).unwrap();
    for (i, pose) in frames.poses.iter().enumerate() {
        writer.frame(5.0 + i as f64 / RATE, pose).unwrap();
    }
    writer.finish().unwrap();
    let clip = |range, rate| MotionClip::new(MotionReader::open(&motion, &plant).unwrap(), range, rate);
    let options = AnimationOptions { bones: BoneCount::All, ..AnimationOptions::default() };
    let (player, report) = write(&plant, &skin, &mut clip(0.5..1.5, Some(12.0)), &options);
    assert_eq!((report.clips[0].frames, report.clips[0].seconds), (13, 1.0));
    // Frame 6 of the clip, at 0.5 s, is frame 24 of the motion. The resolution of f32 at 120 m is 8
    // micrometres.
    let (largest, _) = off(&player.vertices(0, 0.5), &full(&plant, &skin, &frames.poses[24]));
    assert!(largest < 1e-3 + 5e-5, "{largest}");
    assert_eq!(clip(0.0..f64::INFINITY, None).len(), 49);
    assert_eq!(clip(3.0..4.0, None).len(), 0);
    assert_eq!(clip(1.0..0.5, None).len(), 0);
    // Invalid times and rates.
    for range in [f64::NAN..1.0, 0.0..f64::NAN, f64::INFINITY..f64::INFINITY, -2.0..-1.0] {
        assert_eq!(clip(range.clone(), None).len(), 0, "{range:?}");
    }
    for rate in [0.0, -24.0, f64::NAN, f64::INFINITY, 1e300] {
        assert_eq!(clip(0.0..1.0, Some(rate)).len(), 0, "{rate}");
    }
}

#[test]
fn nonsense_is_refused_and_leaves_nothing() {
    let (plant, skin) = tree("oak", 100, 2);
    let mut frames = sway::frames(&plant, PERIOD, RATE, 3);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.glb");
    let tried = |skin: &Skin, frames: &mut PoseList, options: AnimationOptions| {
        let clips = &mut [Clip { name: "sway".into(), frames }];
        let error = export_animated(&plant, skin, clips, &options, &path, &mut |_| ()).unwrap_err();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        error
    };
    let good = AnimationOptions::default();
    let mut empty = PoseList { poses: Vec::new(), frames_per_second: 24.0 };
    assert!(matches!(tried(&skin, &mut empty, good), AnimationError::NoFrames(_)));
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = tried(&skin, &mut frames, AnimationOptions { tolerance, ..good });
        assert!(matches!(error, AnimationError::Tolerance(_)));
    }
    let none = AnimationOptions { bones: BoneCount::AtMost(0), ..good };
    assert!(matches!(tried(&skin, &mut frames, none), AnimationError::NoBones));
    let mut strange = skin.clone();
    let part = strange.trees[0].parts.iter_mut().find(|p| matches!(p.mesh.binding, Binding::Rigid(_))).unwrap();
    if let Binding::Rigid(bodies) = &mut part.mesh.binding {
        bodies[0] = 100;
    }
    assert!(tried(&strange, &mut frames, good).to_string().contains("body 100, and there are 100"));
}

/// A file without clips is a static rig. glTF has no empty lists.
#[test]
fn no_clips() {
    let (plant, skin) = tree("oak", 100, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.glb");
    let report = export_animated(&plant, &skin, &mut [], &AnimationOptions::default(), &path, &mut |_| ()).unwrap();
    assert!(report.bones > 0 && report.clips.is_empty());
    let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
    assert!(text.contains("\"skins\"") && !text.contains("\"animations\""));
}

/// Leaves with nodes: as many as in the skin, on bones of wood, moving as simulated, with few shared
/// meshes.
#[test]
fn leaves_with_nodes_move_exactly_and_share_meshes() {
    let (plant, skin) = tree("apple", 400, 2);
    let mut frames = sway::frames(&plant, PERIOD, RATE, 49);
    let options =
        AnimationOptions { bones: BoneCount::AtMost(20), leaves: LeafMotion::Nodes, ..AnimationOptions::default() };
    let (player, report) = write(&plant, &skin, &mut frames, &options);
    let wood = plant.segments().len() as u32;
    let is_leaf = |body: u32| body >= wood && body < plant.fruit_id(0).0;
    let leaf_parts = || {
        skin.trees[0].parts.iter().filter_map(|part| match &part.mesh.binding {
            Binding::Rigid(bodies) if is_leaf(bodies[0]) => Some((&part.mesh, bodies)),
            _ => None,
        })
    };
    let shown: std::collections::BTreeSet<u32> = leaf_parts().flat_map(|(_, bodies)| bodies.iter().copied()).collect();
    assert_eq!((report.leaf_nodes, report.bones), (shown.len(), 20 + shown.len()));
    let frame = 31;
    let found = player.unskinned(0, frame as f64 / RATE);
    assert_eq!(found.len(), shown.len());
    let meshes: std::collections::BTreeSet<usize> = found.iter().map(|node| node.mesh).collect();
    assert!(meshes.len() <= 24 && meshes.len() < shown.len() / 4, "{} meshes", meshes.len());
    let motion = Motion::new(&Pose::rest(&plant), &frames.poses[frame]);
    let mut exact = 0;
    for node in &found {
        let leaf: usize = node.name.strip_prefix("leaf_").unwrap().parse().unwrap();
        let body = plant.leaf_id(leaf).0;
        // The joint of the leaf, independent of its shape.
        let joint = frames.poses[frame].positions[body as usize].as_dvec3();
        assert!(node.origin.distance(joint) < 1e-3, "{}: {}", node.name, node.origin.distance(joint));
        let (mesh, bodies) = leaf_parts().find(|(_, bodies)| bodies.contains(&body)).unwrap();
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        motion.deform(mesh, &mut positions, &mut normals);
        let own: Vec<Vec3> = bodies.iter().zip(positions).filter(|(b, _)| **b == body).map(|(_, p)| p).collect();
        assert_eq!(own.len(), node.vertices.len());
        let largest = own.iter().zip(&node.vertices).map(|(a, b)| a.as_dvec3().distance(*b)).fold(0.0, f64::max);
        // Another leaf's shape, scaled: the error is at most half a leaf.
        assert!(largest < 0.06, "{}: {largest}", node.name);
        exact += usize::from(largest < 1e-3 + 1e-5);
    }
    assert!(exact >= meshes.len(), "those whose shape it is have it: {exact}");
}

/// Blades and stalks may be separate parts: the scaling to the size of a leaf must not be applied twice.
#[test]
fn leaves_of_several_parts_keep_their_size() {
    let (plant, mut skin) = tree("apple", 150, 2);
    let parts = &mut skin.trees[0].parts;
    let is_foliage = |part: &windfall_skin::SkinPart| matches!(part.mesh.binding, Binding::Rigid(_));
    let again = parts.iter().find(|part| is_foliage(part)).unwrap().clone();
    parts.push(again);
    let mut frames = sway::frames(&plant, PERIOD, RATE, 25);
    let options = AnimationOptions { leaves: LeafMotion::Nodes, bones: BoneCount::All, ..AnimationOptions::default() };
    let (player, report) = write(&plant, &skin, &mut frames, &options);
    assert_eq!(report.joints.len(), 1);
    let (found, expected) = (player.vertices(0, 12.0 / RATE), full(&plant, &skin, &frames.poses[12]));
    let (largest, _) = off(&found[found.len() - 1..], &expected[expected.len() - 1..]);
    assert!(largest < 1e-3 + 2e-5, "{largest}");
}

/// A grove: a skeleton for each tree, with unique names.
#[test]
fn two_trees_have_a_skeleton_each() {
    let (plant, skin) = skins::two_trees();
    let mut poses = vec![Pose::rest(&plant); 5];
    for (i, pose) in poses.iter_mut().enumerate() {
        pose.orientations[1] = windfall_core::glam::Quat::from_rotation_z(0.05 * i as f32);
    }
    let mut frames = PoseList { poses, frames_per_second: 10.0 };
    let (player, report) = write(&plant, &skin, &mut frames, &AnimationOptions::default());
    assert_eq!((report.bones, &*report.joints), (2, [1, 1].as_slice()));
    let names: Vec<_> = player.file.nodes().filter_map(|n| n.name().map(str::to_owned)).collect();
    assert!(names.contains(&"trunk".to_owned()) && names.contains(&"trunk2".to_owned()), "{names:?}");
    let expected = full(&plant, &skin, &frames.poses[4]);
    let (largest, _) = off(&player.vertices(0, 0.4), &expected);
    // The second is a kilometre away, where the resolution of the crate's f32 is 0.06 mm, and is 9 m high.
    assert!(largest < 1e-3 + 2e-4, "{largest}");
    assert_ne!(expected[3][0].as_vec3(), Vec3::ZERO);
}
