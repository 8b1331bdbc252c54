//! A quaternion and its negative are the same rotation, and motion files contain either. Files for other
//! programs have the one nearer to that of the previous frame: programs that interpolate component by
//! component would otherwise rotate the long way round.

use crate::crates::Crate;
use crate::grown::tree;
use crate::player;
use crate::sway;
use windfall_core::Plant;
use windfall_core::glam::Quat;
use windfall_io::{AnimationOptions, BoneCount, Clip, PoseList, UsdMotion, export_animated, export_poses, export_usd};

const FRAMES: usize = 9;

/// Frames in which every second quaternion is negated.
fn flipping(plant: &Plant) -> PoseList {
    let mut frames = sway::frames(plant, 2.0, 24.0, FRAMES);
    for pose in frames.poses.iter_mut().skip(1).step_by(2) {
        for turn in &mut pose.orientations {
            *turn = -*turn;
        }
    }
    frames
}

fn stays(turns: &[Quat]) -> bool {
    turns.len() == FRAMES && turns.windows(2).all(|pair| pair[0].dot(pair[1]) > 0.0)
}

#[test]
fn joints_of_usd_stay_on_their_side() {
    let (plant, skin) = tree("oak", 100, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.usdc");
    for bones in [BoneCount::All, BoneCount::AtMost(12)] {
        export_usd(&plant, &skin, &mut flipping(&plant), UsdMotion::Skeleton(bones), &path, &mut |_| ()).unwrap();
        let file = Crate::read(std::fs::read(&path).unwrap());
        let name = file.specs.keys().find(|path| path.ends_with(".rotations")).unwrap();
        let samples: Vec<Vec<Quat>> = file.samples(name).1.into_iter().map(|value| file.quats(value)).collect();
        for joint in 0..samples[0].len() {
            let turns: Vec<Quat> = samples.iter().map(|sample| sample[joint]).collect();
            assert!(stays(&turns), "{bones:?}, joint {joint}: {turns:?}");
        }
    }
}

#[test]
fn keys_of_a_glb_stay_on_their_side() {
    let (plant, skin) = tree("oak", 100, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.glb");
    let options = AnimationOptions { bones: BoneCount::All, ..AnimationOptions::default() };
    let mut clips = [Clip { name: "sway".into(), frames: &mut flipping(&plant) }];
    export_animated(&plant, &skin, &mut clips, &options, &path, &mut |_| ()).unwrap();
    player::Player::new(&std::fs::read(&path).unwrap()).check_keys(0);
}

#[test]
fn columns_of_a_table_stay_on_their_side() {
    let (plant, _) = tree("oak", 100, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("poses.csv");
    // One of them twice.
    let some = [plant.leaf_id(4), plant.segment_id(0), plant.leaf_id(4)];
    export_poses(&plant, &mut flipping(&plant), &some, &path, &mut |_| ()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let turns: Vec<Quat> = text
        .lines()
        .skip(1)
        .map(|line| {
            let numbers: Vec<f32> = line.split(',').skip(6).map(|word| word.parse().unwrap()).collect();
            Quat::from_slice(&numbers)
        })
        .collect();
    for (column, body) in some.iter().enumerate() {
        let own: Vec<Quat> = turns.iter().copied().skip(column).step_by(some.len()).collect();
        assert!(stays(&own), "{body:?}: {own:?}");
    }
}
