//! Bones against brute force, and against motions whose best bones are known.

use crate::common::{bent, tree};
use windfall_core::glam::{DVec3, Quat, Vec3};
use windfall_core::parts::{Branch, PlantParts, Segment, Tree};
use windfall_core::{BodyId, Plant, Pose, materials};
use windfall_skin::bones::{Bones, Loose, Moments, NO_BONE, Off, Rigid, merge};
use windfall_skin::{Detail, Look, Motion, PaintOptions, skin};

/// An upright pole of equal segments.
fn pole(segments: u32) -> Plant {
    let segment = |i: u32| Segment {
        position: Vec3::Y * (0.5 * i as f32),
        orientation: Quat::IDENTITY,
        length: 0.5,
        base_radius: 0.02,
        tip_radius: 0.02,
    };
    Plant::new(PlantParts {
        name: "pole".into(),
        trees: vec![Tree { name: "pole".into(), origin: DVec3::ZERO }],
        branches: vec![Branch { parent: None, tree: 0, segment_count: segments, material: 0, order: 0 }],
        segments: (0..segments).map(segment).collect(),
        wood_materials: vec![materials::wood("aspen").unwrap().clone()],
        ..PlantParts::default()
    })
    .unwrap()
}

/// The pole with its joints turned about z by these angles.
fn turned(plant: &Plant, angles: &[f32]) -> Pose {
    let mut pose = Pose::rest(plant);
    let (mut foot, mut sum) = (Vec3::ZERO, 0.0);
    for (i, angle) in angles.iter().enumerate() {
        sum += angle;
        pose.positions[i] = foot;
        pose.orientations[i] = Quat::from_rotation_z(sum);
        foot += pose.orientations[i] * Vec3::Y * 0.5;
    }
    pose
}

/// Error of the bones, summed over poses by many points of each body.
fn left(plant: &Plant, bones: &Bones, poses: &[Pose]) -> f64 {
    let (rest, moments) = (Pose::rest(plant), Moments::of(plant));
    let mut sum = 0.0;
    for pose in poses {
        let mut placed = Vec::new();
        bones.place(&moments, &rest, pose, &mut placed);
        for (i, s) in plant.segments().iter().enumerate() {
            for k in 0..100 {
                let along = Vec3::Y * (s.length * (k as f32 + 0.5) / 100.0);
                for around in [Vec3::X, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Z] {
                    let local = along + around * s.base_radius;
                    let full = pose.positions[i] + pose.orientations[i] * local;
                    let at_rest = rest.positions[i] + rest.orientations[i] * local;
                    let found = placed[bones.of_body[i] as usize].point(at_rest.as_dvec3());
                    sum += found.distance_squared(full.as_dvec3());
                }
            }
        }
    }
    sum
}

#[test]
fn the_only_joint_that_bends_stays() {
    let plant = pole(12);
    let loose = Loose::new(&plant);
    let mut angles = [0.0; 12];
    angles[7] = 0.4;
    let bones = merge(&plant, &Moments::of(&plant), &loose, |_| false, &[turned(&plant, &angles)], 2);
    assert_eq!((bones.roots.as_slice(), bones.parents.as_slice()), ([0, 7].as_slice(), [NO_BONE, 0].as_slice()));
    assert!(left(&plant, &bones, &[turned(&plant, &angles)]) < 1e-9);
    assert_eq!(bones.names(&plant), ["trunk", "trunk_7"]);
}

/// Greedy merging is not always optimal, but near it: against all divisions of a pole of nine segments
/// into three.
#[test]
fn greedy_is_near_the_best_of_all() {
    let plant = pole(9);
    let loose = Loose::new(&plant);
    for seed in 0..20_u32 {
        let angle = |i: u32, pose: u32| {
            let mut n = (seed * 31 + pose * 7 + i + 1).wrapping_mul(0x9E37_79B9);
            n ^= n >> 15;
            n = n.wrapping_mul(0x85EB_CA6B);
            (n >> 8) as f32 / 16_777_216.0 * 0.4 - 0.2
        };
        let poses: Vec<Pose> =
            (0..3).map(|k| turned(&plant, &(0..9).map(|i| angle(i, k)).collect::<Vec<_>>())).collect();
        let found = left(&plant, &merge(&plant, &Moments::of(&plant), &loose, |_| false, &poses, 3), &poses);
        let mut best = f64::INFINITY;
        for a in 1..9 {
            for b in a + 1..9 {
                // A pose that only bends there makes exactly these bones.
                let mut angles = [0.0; 9];
                (angles[a], angles[b]) = (0.5, -0.5);
                let bones = merge(&plant, &Moments::of(&plant), &loose, |_| false, &[turned(&plant, &angles)], 3);
                assert_eq!(bones.roots, [0, a as u32, b as u32]);
                best = best.min(left(&plant, &bones, &poses));
            }
        }
        // Squares of distances: distances are at most half as large again.
        assert!(found.sqrt() < 1.5 * best.sqrt(), "seed {seed}: {found} {best}");
    }
}

#[test]
fn a_bone_for_each_body_is_exact() {
    let plant = tree("apple", 400, 1);
    let pose = bent(&plant, 0.1);
    let loose = Loose::new(&plant);
    let (rest, moments) = (Pose::rest(&plant), Moments::of(&plant));
    let skin = skin(&plant, &Look::of(&plant), &Detail::level(&plant, 2), &PaintOptions::default());
    let off = |bones: &Bones| {
        let mut placed: Vec<Rigid> = Vec::new();
        bones.place(&bones.loads(&plant, &moments), &rest, &pose, &mut placed);
        let (full, mut by_bones) = (Motion::new(&rest, &pose), Motion::default());
        by_bones.update_by_bones(bones, &placed, &[]);
        let mut off = Off::default();
        for part in &skin.trees[0].parts {
            let (mut a, mut b, mut normals) = (Vec::new(), Vec::new(), Vec::new());
            full.deform(&part.mesh, &mut a, &mut normals);
            by_bones.deform(&part.mesh, &mut b, &mut normals);
            off.see(&a, &b);
        }
        off
    };
    // Rounding of f32 at coordinates of some metres.
    assert!(off(&Bones::all(&plant, &loose)).largest < 1e-5);
    // More bones are never much worse, and the errors are small.
    let errors: Vec<f64> = [1, 8, 64, 400]
        .map(|n| off(&merge(&plant, &Moments::of(&plant), &loose, |_| false, std::slice::from_ref(&pose), n)).mean())
        .into();
    assert!(errors[0] > errors[1] && errors[1] > errors[2] && errors[3] < 1e-6, "{errors:?}");
}

/// A cylinder of many sides has the moments of a cylinder; bodies without a mesh hardly count.
#[test]
fn moments_of_a_skin_are_those_of_its_surface() {
    let plant = tree("oak", 300, 1);
    let whole = skin(&plant, &Look::of(&plant), &Detail::level(&plant, 0), &PaintOptions::default());
    let (by_skin, by_form) = (Moments::of_skin(&plant, &whole), Moments::of(&plant));
    let area = |list: &[Moments]| list[..plant.segments().len()].iter().map(|m| m.weight).sum::<f64>();
    assert!((area(&by_skin) / area(&by_form) - 1.0).abs() < 0.15, "{} {}", area(&by_skin), area(&by_form));
    let leaf = plant.leaf_id(3).0 as usize;
    assert!(by_skin[leaf].centre.distance(by_form[leaf].centre) < 0.05);
    let bare = windfall_skin::Skin { trees: vec![windfall_skin::TreeSkin::default()], ..Default::default() };
    let unseen = Moments::of_skin(&plant, &bare);
    assert!((unseen[leaf].weight / by_form[leaf].weight - 1e-6).abs() < 1e-12);
    assert!(unseen[leaf].centre.distance(by_form[leaf].centre) < 1e-9);
}

/// Fluttering leaves do not turn the twig on the same bone.
#[test]
fn leaves_ride_and_don_t_steer() {
    let plant = tree("oak", 300, 1);
    let (rest, moments) = (Pose::rest(&plant), Moments::of(&plant));
    let mut pose = rest.clone();
    for leaf in plant.segments().len()..plant.body_count() {
        pose.orientations[leaf] = Quat::from_rotation_x(1.5) * rest.orientations[leaf];
    }
    let bones = merge(&plant, &moments, &Loose::new(&plant), |_| false, std::slice::from_ref(&pose), 20);
    let mut placed = Vec::new();
    bones.place(&bones.loads(&plant, &moments), &rest, &pose, &mut placed);
    for by in placed {
        assert!(by.rotation.angle_between(Rigid::IDENTITY.rotation) < 1e-6 && by.translation.length() < 1e-6);
    }
}

/// The moments of two bodies together are those of all their points.
#[test]
fn moments_join() {
    let plant = pole(2);
    let all = Moments::of(&plant);
    let mut both = all[0];
    both.join(&all[1]);
    // A pole of a metre, 2 cm thick: area 2 pi r l, mean squares l²/12 and r²/2.
    let area = 2.0 * std::f64::consts::PI * 0.02;
    assert!((both.weight - area).abs() < 1e-8 && both.centre.distance(DVec3::Y * 0.5) < 1e-7);
    assert!((both.spread.y_axis.y / both.weight - 1.0 / 12.0).abs() < 1e-7);
    assert!((both.spread.x_axis.x / both.weight - 0.0002).abs() < 1e-9);
}

#[test]
fn what_lets_go_has_its_own_bone_and_is_on_top() {
    let plant = tree("apple", 400, 1);
    let mut pose = bent(&plant, 0.02);
    let mut loose = Loose::new(&plant);
    loose.see(&Pose::rest(&plant), &pose);
    assert_eq!(loose.count(), 0, "a bent tree is whole");
    let fallen = plant.leaf_id(5);
    pose.positions[fallen.0 as usize] -= Vec3::Y * 0.5;
    loose.see(&Pose::rest(&plant), &pose);
    assert_eq!(loose.count(), 1);
    let bones = merge(&plant, &Moments::of(&plant), &loose, |_| false, &[pose], 10);
    assert_eq!(bones.len(), 11);
    let bone = bones.of_body[fallen.0 as usize] as usize;
    assert_eq!((bones.members(bone), bones.parents[bone]), ([fallen.0].as_slice(), NO_BONE));
    assert_eq!(bones.names(&plant)[bone], "leaf_5");
}

#[test]
fn what_is_apart_keeps_its_bone_on_that_of_its_parent() {
    let plant = tree("apple", 400, 1);
    let leaves = plant.leaf_id(0).0..plant.fruit_id(0).0;
    let bones = merge(
        &plant,
        &Moments::of(&plant),
        &Loose::new(&plant),
        |id| leaves.contains(&id.0),
        &[bent(&plant, 0.05)],
        10,
    );
    assert_eq!(bones.len(), 10 + leaves.len());
    for body in leaves {
        let bone = bones.of_body[body as usize] as usize;
        let parent = plant.parent(BodyId(body)).unwrap().0 as usize;
        assert_eq!((bones.members(bone), bones.parents[bone]), ([body].as_slice(), bones.of_body[parent]));
    }
}

#[test]
fn bones_are_parts_of_the_tree_and_parents_stand_first() {
    let plant = tree("maple", 2000, 3);
    let loose = Loose::new(&plant);
    let bones = merge(&plant, &Moments::of(&plant), &loose, |_| false, &[bent(&plant, 0.05)], 50);
    assert_eq!(bones.len(), 50);
    for body in plant.body_ids() {
        let bone = bones.of_body[body.0 as usize] as usize;
        let carrier = plant.parent(body).map(|p: BodyId| bones.of_body[p.0 as usize]);
        if bones.roots[bone] == body.0 {
            assert_eq!(carrier.unwrap_or(NO_BONE), bones.parents[bone]);
            assert!(bones.parents[bone] == NO_BONE || (bones.parents[bone] as usize) < bone);
        } else {
            assert_eq!(carrier, Some(bone as u32));
        }
    }
}
