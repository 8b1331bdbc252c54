//! Tests whether a skeleton is a tree and stands upright.

use glam::DVec3;

use crate::bones::{Bone, Joint};
use crate::error::RigError;

/// Words in the names of the joints of people and animals.
const BODY_WORDS: [&str; 18] = [
    "hips", "pelvis", "spine", "neck", "shoulder", "clavicle", "upperarm", "forearm", "hand", "thigh", "upleg", "calf",
    "shin", "foot", "toe", "finger", "thumb", "jaw",
];

/// Fraction of joints with such names that identifies a character.
const CHARACTER: f64 = 0.4;
/// Allowed extent of wood below the foot of its tree, relative to the height.
const HANGS: f64 = 0.25;

/// Minimum distance of the wood's centroid from the root to define a growth direction, relative to the
/// size.
const ASIDE: f64 = 0.2;

/// Rejects skeletons that are not trees.
pub(crate) fn is_a_tree(joints: &[Joint], bones: &[Option<Bone>], height: f64, lies: bool) -> Result<(), RigError> {
    let wood: Vec<usize> = (0..joints.len()).filter(|&j| bones[j].is_some()).collect();
    let refuse = |reason: String| Err(RigError::NotATree(reason));
    match wood.len() {
        0 => {
            return refuse(
                "no joint moves any vertex. Give the mesh weights: in Blender parent it to the armature with automatic weights".into(),
            );
        }
        1 => {
            return refuse(format!(
                "all of the mesh hangs on one joint, `{}`, so nothing can bend. It needs bones along the trunk and the branches",
                joints[wood[0]].name
            ));
        }
        _ => {}
    }
    let named: Vec<&str> = wood
        .iter()
        .map(|&j| joints[j].name.as_str())
        .filter(|name| {
            let name = name.to_lowercase();
            BODY_WORDS.iter().any(|word| name.contains(word))
        })
        .collect();
    if named.len() as f64 > CHARACTER * wood.len() as f64 {
        let some = named.iter().take(4).copied().collect::<Vec<_>>().join(", ");
        return refuse(format!(
            "{} of its {} joints are named as those of a character ({some}). --force animates it nevertheless",
            named.len(),
            wood.len()
        ));
    }
    if lies {
        return Ok(());
    }
    for (root, lowest, low) in lowest(joints, bones) {
        let foot = joints[root].at.y;
        if foot - low > HANGS * height {
            let share = 100.0 * (foot - low) / height;
            return refuse(format!(
                "its root `{}` is not at its foot: `{}` is {share:.0} % of the height below it. A tree stands on its root and grows upward \
                 (--up sets which way that is; --force animates it nevertheless)",
                joints[root].name, joints[lowest].name
            ));
        }
    }
    Ok(())
}

/// For every root: the root, the joint with the lowest wood on it, and that height.
fn lowest(joints: &[Joint], bones: &[Option<Bone>]) -> Vec<(usize, usize, f64)> {
    let mut found: Vec<(usize, usize, f64)> = Vec::new();
    let mut tree_of = vec![0_usize; joints.len()];
    // Parents come before children.
    for (j, bone) in bones.iter().enumerate() {
        let Some(bone) = bone else { continue };
        let Some(parent) = bone.parent else {
            tree_of[j] = found.len();
            found.push((j, j, joints[j].at.y));
            continue;
        };
        tree_of[j] = tree_of[parent];
        let low = joints[j].at.y.min(bone.tail.y);
        let tree = &mut found[tree_of[j]];
        if low < tree.2 {
            (tree.1, tree.2) = (j, low);
        }
    }
    found
}

/// The axis along which the wood leaves its root if that is clearly not upward. `size` is the size of the
/// whole mesh.
pub(crate) fn lies(joints: &[Joint], bones: &[Option<Bone>], size: f64) -> Option<DVec3> {
    let (mut middle, mut total) = (DVec3::ZERO, 0.0);
    let mut root = None;
    for (joint, bone) in joints.iter().zip(bones) {
        let Some(bone) = bone else { continue };
        root = root.or(Some(joint.at));
        let length = joint.at.distance(bone.tail);
        middle += 0.5 * (joint.at + bone.tail) * length;
        total += length;
    }
    let way = middle / total - root?;
    // A centroid near the root defines no direction.
    if way.length() <= ASIDE * size {
        return None;
    }
    let way = way.normalize();
    let axes = [DVec3::X, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Z, DVec3::NEG_Y];
    let along = axes.into_iter().max_by(|a, b| a.dot(way).total_cmp(&b.dot(way)))?;
    (along.dot(way) > 0.8 && way.y < 0.5).then_some(along)
}
