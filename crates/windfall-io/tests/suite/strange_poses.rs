//! Invalid poses and skins from callers of the library: rejected with a reason by every writer of motion.

use crate::skins;
use crate::sway;
use std::path::Path;

use crate::grown::tree;
use windfall_core::glam::{Quat, Vec3};
use windfall_core::{Plant, Pose};
use windfall_io::{
    AnimationOptions, BoneCount, Clip, PoseList, UsdMotion, VatOptions, export_animated, export_points, export_poses,
    export_usd, export_vat,
};
use windfall_skin::{Binding, Skin};

const NAMES: [&str; 8] = ["t.pc2", "t.mdd", "t.csv", "t.usda", "bones.usdc", "t.usdz", "t.glb", "vat.glb"];

fn write(plant: &Plant, skin: &Skin, frames: &PoseList, path: &Path) -> Result<(), String> {
    let (frames, seen) = (&mut frames.clone(), &mut |_| ());
    let clip = |frames| Clip { name: "sway".into(), frames };
    let written = match path.file_name().unwrap().to_str().unwrap() {
        "t.pc2" | "t.mdd" => export_points(plant, skin, frames, path, seen).map(drop),
        "t.csv" => export_poses(plant, frames, &[], path, seen).map(drop),
        "bones.usdc" => {
            export_usd(plant, skin, frames, UsdMotion::Skeleton(BoneCount::default()), path, seen).map(drop)
        }
        "t.glb" => {
            export_animated(plant, skin, &mut [clip(frames)], &AnimationOptions::default(), path, seen).map(drop)
        }
        "vat.glb" => {
            return export_vat(plant, skin, &mut clip(frames), VatOptions::default(), path, seen)
                .map(drop)
                .map_err(|error| error.to_string());
        }
        _ => export_usd(plant, skin, frames, UsdMotion::Points, path, seen).map(drop),
    };
    written.map_err(|error| error.to_string())
}

#[test]
fn bodies_that_are_nowhere() {
    let (plant, skin) = tree("oak", 100, 2);
    let good = sway::frames(&plant, 2.0, 24.0, 3);
    let changed = |change: &dyn Fn(&mut Vec3, &mut Quat)| {
        let mut frames = good.clone();
        let pose = &mut frames.poses[2];
        change(&mut pose.positions[17], &mut pose.orientations[17]);
        frames
    };
    let folder = tempfile::tempdir().unwrap();
    for (frames, expected) in [
        (changed(&|place, _| place.x = f32::INFINITY), "frame 2: the place of body 17 is not finite"),
        (changed(&|_, turn| turn.w = f32::NAN), "frame 2: the place of body 17 is not finite"),
        (
            changed(&|place, _| place.y = f32::MAX),
            "frame 2: body 17 is 3.4e38 m from the origin of its tree, and 1e9 m",
        ),
        (
            changed(&|_, turn| *turn = Quat::from_array([0.0; 4])),
            "frame 2: the orientation of body 17 is [0.0, 0.0, 0.0, 0.0]",
        ),
    ] {
        for name in NAMES {
            let error = write(&plant, &skin, &frames, &folder.path().join(name)).unwrap_err();
            assert!(error.contains(expected), "{name}: {error}");
            assert_eq!(folder.path().read_dir().unwrap().count(), 0, "{name}");
        }
    }
}

/// A quaternion of any length is the same rotation.
#[test]
fn orientations_need_no_unit_length() {
    let (plant, skin) = tree("oak", 100, 2);
    let good = sway::frames(&plant, 2.0, 24.0, 3);
    let mut long = good.clone();
    for turn in long.poses.iter_mut().flat_map(|pose| &mut pose.orientations) {
        *turn *= 4.0;
    }
    let folder = tempfile::tempdir().unwrap();
    for name in NAMES {
        let path = folder.path().join(name);
        write(&plant, &skin, &good, &path).unwrap();
        let expected = std::fs::read(&path).unwrap().len() as f64;
        write(&plant, &skin, &long, &path).unwrap();
        let found = std::fs::read(&path).unwrap().len() as f64;
        assert!((found / expected - 1.0).abs() < 0.02, "{name}: {found} and {expected} bytes");
    }
    // Positions, one by one.
    let read = |frames: &PoseList| -> Vec<f32> {
        let path = folder.path().join("t.pc2");
        write(&plant, &skin, frames, &path).unwrap();
        std::fs::read(&path).unwrap()[32..].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    };
    let (found, expected) = (read(&long), read(&good));
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 2e-6));
}

#[test]
fn weights_that_are_not_sorted_or_not_whole() {
    let (plant, skin) = tree("oak", 100, 2);
    let frames = sway::frames(&plant, 2.0, 24.0, 3);
    let folder = tempfile::tempdir().unwrap();
    for (weights, expected) in [
        ([0.25, 0.75, 0.0, 0.0], "vertex 3 has the weights [0.25, 0.75, 0.0, 0.0]: the strongest must come first"),
        ([0.0, 1.0, 0.0, 0.0], "the strongest must come first"),
        ([0.6, 0.0, 0.0, 0.0], "vertex 3 has the weights [0.6, 0.0, 0.0, 0.0], which don't add up to one"),
        ([f32::NAN, 0.0, 0.0, 0.0], "don't add up to one"),
    ] {
        let mut strange = skin.clone();
        let Binding::Blended { weights: list, .. } = &mut strange.trees[0].parts[0].mesh.binding else {
            panic!("bark is blended")
        };
        list[3] = weights;
        for name in NAMES.into_iter().filter(|name| *name != "t.csv") {
            let error = write(&plant, &strange, &frames, &folder.path().join(name)).unwrap_err();
            assert!(error.contains(expected), "{name}: {error}");
            assert_eq!(folder.path().read_dir().unwrap().count(), 0, "{name}");
        }
    }
    let mut strange = skin;
    strange.trees[0].parts[0].mesh.positions[0].x = f32::MAX;
    let error = write(&plant, &strange, &frames, &folder.path().join("t.pc2")).unwrap_err();
    assert!(error.contains("is more than 1e9 m from the origin of its tree"), "{error}");
}

/// Bodies and vertices are relative to the origin of their own tree.
#[test]
fn vertices_bound_to_another_tree() {
    let (plant, mut skin) = skins::two_trees();
    let frames = PoseList { poses: vec![Pose::rest(&plant); 2], frames_per_second: 24.0 };
    let folder = tempfile::tempdir().unwrap();
    write(&plant, &skin, &frames, &folder.path().join("bones.usdc")).unwrap();
    let Binding::Rigid(bodies) = &mut skin.trees[1].parts[1].mesh.binding else { panic!("it is rigid") };
    bodies[3] = 0;
    for name in NAMES.into_iter().filter(|name| *name != "t.csv") {
        let error = write(&plant, &skin, &frames, &folder.path().join(name)).unwrap_err();
        assert!(error.contains("part `leaves` of tree 1: it is bound to body 0, which is one of tree 0"), "{error}");
    }
}
