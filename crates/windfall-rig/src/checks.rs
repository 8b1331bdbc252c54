//! Whether a skeleton is that of a tree, and stands as trees do.

use glam::DVec3;

use crate::bones::{Bone, Joint};
use crate::error::RigError;

/// Words in the names of the joints of people and animals.
const BODY_WORDS: [&str; 18] = [
    "hips", "pelvis", "spine", "neck", "shoulder", "clavicle", "upperarm", "forearm", "hand", "thigh", "upleg", "calf",
    "shin", "foot", "toe", "finger", "thumb", "jaw",
];

/// Share of the joints with such names that makes a character.
const CHARACTER: f64 = 0.4;
/// How far wood may hang below the foot of its tree, of the height.
const HANGS: f64 = 0.25;

/// How far the middle of the wood must be from the root to say where it grows to, of the size.
const ASIDE: f64 = 0.2;

/// Refuses what is no tree.
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
    for &root in wood.iter().filter(|&&j| bones[j].is_some_and(|bone| bone.parent.is_none())) {
        let foot = joints[root].at.y;
        let lowest = below(joints, bones, root);
        if foot - lowest.1 > HANGS * height {
            let share = 100.0 * (foot - lowest.1) / height;
            return refuse(format!(
                "its root `{}` is not at its foot: `{}` is {share:.0} % of the height below it. A tree stands on its root and grows upward \
                 (--up sets which way that is; --force animates it nevertheless)",
                joints[root].name, joints[lowest.0].name
            ));
        }
    }
    Ok(())
}

/// The joint on a root whose wood is lowest, and how low.
fn below(joints: &[Joint], bones: &[Option<Bone>], root: usize) -> (usize, f64) {
    let mut on = vec![false; joints.len()];
    on[root] = true;
    let mut lowest = (root, joints[root].at.y);
    for j in root + 1..joints.len() {
        let Some(bone) = bones[j] else { continue };
        on[j] = bone.parent.is_some_and(|p| on[p]);
        let low = joints[j].at.y.min(bone.tail.y);
        if on[j] && low < lowest.1 {
            lowest = (j, low);
        }
    }
    lowest
}

/// Along which axis the wood leaves its root if that is clearly not upward. `size` is that of the whole mesh.
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
    // A middle near the root says nothing.
    if way.length() <= ASIDE * size {
        return None;
    }
    let way = way.normalize();
    let axes = [DVec3::X, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Z, DVec3::NEG_Y];
    let along = axes.into_iter().max_by(|a, b| a.dot(way).total_cmp(&b.dot(way)))?;
    (along.dot(way) > 0.8 && way.y < 0.5).then_some(along)
}
