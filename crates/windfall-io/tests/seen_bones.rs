//! With few bones none is spent on what the mesh does not show.

#[path = "common/grown.rs"]
mod grown;
#[path = "common/player.rs"]
mod player;
#[path = "common/sway.rs"]
mod sway;

use std::collections::BTreeSet;

use grown::tree;
use player::Player;
use windfall_core::Plant;
use windfall_core::glam::Vec3;
use windfall_io::{AnimationOptions, AnimationReport, BoneCount, Clip, PoseList, export_animated};
use windfall_skin::{Binding, Skin};

fn write(plant: &Plant, skin: &Skin, frames: &mut PoseList, bones: usize) -> (BTreeSet<usize>, AnimationReport) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.glb");
    let options = AnimationOptions { bones: BoneCount::AtMost(bones), ..AnimationOptions::default() };
    let clips = &mut [Clip { name: "sway".into(), frames }];
    let report = export_animated(plant, skin, clips, &options, &path, &mut |_| ()).unwrap();
    let player = Player::new(&std::fs::read(&path).unwrap());
    (used_nodes(&player), report)
}

/// Nodes that move a vertex.
fn used_nodes(player: &Player) -> BTreeSet<usize> {
    let mut used = BTreeSet::new();
    for node in player.file.nodes().filter(|node| node.skin().is_some()) {
        let joints: Vec<usize> = node.skin().unwrap().joints().map(|joint| joint.index()).collect();
        for primitive in node.mesh().unwrap().primitives() {
            let reader = primitive.reader(|_| player.file.blob.as_deref());
            let places = reader.read_joints(0).unwrap().into_u16();
            for (places, weights) in places.zip(reader.read_weights(0).unwrap().into_f32()) {
                let carrying = places.into_iter().zip(weights).filter(|&(_, weight)| weight > 0.0);
                used.extend(carrying.map(|(place, _)| joints[usize::from(place)]));
            }
        }
    }
    used
}

#[test]
fn every_bone_moves_a_vertex() {
    for level in [1, 3] {
        let (plant, skin) = tree("oak", 3000, level);
        let mut frames = sway::frames(&plant, 2.0, 24.0, 13);
        // More than there is wood: the last are for leaves.
        for bones in [20, 300, 2000] {
            let (used, report) = write(&plant, &skin, &mut frames, bones);
            assert_eq!(used.len(), report.bones, "level {level}: {} of {} bones", used.len(), report.bones);
            assert!(report.bones <= bones);
            assert!(bones > 300 || report.bones == bones, "{} bones of {bones}", report.bones);
        }
    }
}

/// Leaves and branches that let go and are not in the mesh: they have no bone, and where they fly pulls nothing along.
#[test]
fn what_falls_unseen_changes_nothing() {
    let (plant, mut skin) = tree("oak", 400, 2);
    let mut frames = sway::frames(&plant, 2.0, 24.0, 13);
    // Leaves are left out of the mesh.
    skin.trees[0].parts.retain(|part| !matches!(part.mesh.binding, Binding::Rigid(_)));
    let (_, before) = write(&plant, &skin, &mut frames, 60);
    for (i, pose) in frames.poses.iter_mut().enumerate() {
        for leaf in 0..20 {
            pose.positions[plant.leaf_id(leaf).0 as usize] += Vec3::new(3.0, -2.0, 1.0) * i as f32;
        }
    }
    let (used, after) = write(&plant, &skin, &mut frames, 60);
    assert_eq!((used.len(), after.bones, after.loose), (60, 60, 0));
    assert_eq!(after.clips[0].error.wood_largest_m, before.clips[0].error.wood_largest_m);
}
