//! With few bones, invisible bodies get none.

use crate::sway;
use std::collections::BTreeSet;

use crate::grown::tree;
use crate::player::Player;
use windfall_core::glam::{Quat, Vec3};
use windfall_core::{Plant, Pose};
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

/// Nodes that move a corner of a triangle.
fn used_nodes(player: &Player) -> BTreeSet<usize> {
    let mut used = BTreeSet::new();
    for node in player.file.nodes().filter(|node| node.skin().is_some()) {
        let joints: Vec<usize> = node.skin().unwrap().joints().map(|joint| joint.index()).collect();
        for primitive in node.mesh().unwrap().primitives() {
            let reader = primitive.reader(|_| player.file.blob.as_deref());
            let places: Vec<[u16; 4]> = reader.read_joints(0).unwrap().into_u16().collect();
            let weights: Vec<[f32; 4]> = reader.read_weights(0).unwrap().into_f32().collect();
            for vertex in reader.read_indices().unwrap().into_u32().map(|v| v as usize) {
                let carrying = places[vertex].into_iter().zip(weights[vertex]).filter(|&(_, weight)| weight > 0.0);
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
        // The largest number exceeds the wood: the rest are for leaves.
        for bones in [20, 300, 2000] {
            let (used, report) = write(&plant, &skin, &mut frames, bones);
            assert_eq!(used.len(), report.bones, "level {level}: {} of {} bones", used.len(), report.bones);
            assert!(report.bones <= bones);
            assert!(bones > 300 || report.bones == bones, "{} bones of {bones}", report.bones);
        }
    }
}

/// Invisible twigs with large sway, and a static visible part: an algorithm that only considers bodies
/// would assign all bones to the twigs. Leaves on such twigs are visible, or not.
#[test]
fn unseen_wood_gets_no_bone_however_it_moves() {
    let (plant, mut skin) = tree("oak", 3000, 2);
    // The thinner half of all wood.
    let mut radii: Vec<f32> = plant.segments().iter().map(|segment| segment.base_radius).collect();
    radii.sort_by(f32::total_cmp);
    let middle = radii[radii.len() / 2];
    let is_twig = |&body: &u32| plant.segments().get(body as usize).is_some_and(|s| s.base_radius < middle);
    let twigs = plant.body_ids().filter(|id| is_twig(&id.0)).count();
    for part in &mut skin.trees[0].parts {
        if let Binding::Blended { bodies, .. } = &part.mesh.binding {
            part.mesh.triangles.retain(|corners| !corners.iter().any(|&v| bodies[v as usize].iter().any(is_twig)));
        }
    }
    assert!(twigs > 50, "{twigs} of {}", plant.segments().len());
    let rest = Pose::rest(&plant);
    let pose = |frame: usize| {
        let mut pose = rest.clone();
        for id in plant.body_ids() {
            let (i, Some(parent)) = (id.0 as usize, plant.parent(id)) else { continue };
            let p = parent.0 as usize;
            let size = if is_twig(&id.0) { 0.5 * (0.4 * frame as f32 + i as f32).sin() } else { 0.0 };
            let moved = (pose.orientations[p] * rest.orientations[p].conjugate()).normalize();
            pose.positions[i] = pose.positions[p] + moved * (rest.positions[i] - rest.positions[p]);
            pose.orientations[i] = (moved * Quat::from_rotation_x(size) * rest.orientations[i]).normalize();
        }
        pose
    };
    let mut frames = PoseList { poses: (0..13).map(pose).collect(), frames_per_second: 24.0 };
    for leaves in [true, false] {
        if !leaves {
            skin.trees[0].parts.retain(|part| !matches!(part.mesh.binding, Binding::Rigid(_)));
        }
        for bones in [20, 100, 2000] {
            let (used, report) = write(&plant, &skin, &mut frames, bones);
            assert_eq!(used.len(), report.bones, "leaves {leaves}: {} of {} bones", used.len(), report.bones);
        }
    }
}

/// Detached leaves and branches that are not in the mesh: they have no bone, and their motion does not
/// affect others.
#[test]
fn what_falls_unseen_changes_nothing() {
    let (plant, mut skin) = tree("oak", 400, 2);
    let mut frames = sway::frames(&plant, 2.0, 24.0, 13);
    // Leaves are removed from the mesh.
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
