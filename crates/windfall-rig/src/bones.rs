//! Classification of joints as wood, and head and tail of their bones.
//!
//! A glTF joint is a position and axes; it has no tail. The bone of a joint ends at the head of the child
//! that continues it or, without such a child, at the end of its own bark.
//!
//! | joint | class |
//! |---|---|
//! | moves vertices | wood |
//! | moves none, but is between joints that do | wood |
//! | moves none, nor do its descendants (IK targets, ends) or its ancestors (a root for the whole rig) | carried |
//! | its bone has no length | carried |

use glam::DVec3;

use crate::surface::{Sample, Surface};

/// A joint of a skin.
#[derive(Debug, Clone)]
pub(crate) struct Joint {
    pub node: usize,
    pub name: String,
    /// The nearest joint above it.
    pub parent: Option<usize>,
    /// Its head, in units of the file, y up.
    pub at: DVec3,
    /// Its own +y axis: along the bone in files from Blender.
    pub along: DVec3,
}

/// A joint that is wood.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bone {
    pub tail: DVec3,
    /// The child whose head is the tail.
    pub next: Option<usize>,
    /// The parent bone according to the file.
    pub parent: Option<usize>,
}

/// Minimum sum of all vertex weights for a joint to count as moving vertices.
const NOTHING: f64 = 0.25;
/// Lengths below this fraction of the rig's size count as zero.
pub(crate) const NO_LENGTH: f64 = 1e-4;

/// Maximum number of children tested as the continuation of a joint: each test visits all of its bark.
const MOST_TRIED: usize = 16;

/// Minimum ratio of the extent of bark in front of the head to that behind it, for a bone that hangs down.
const HANGS: f64 = 2.0;

/// The bones of all joints (`None` for joints carried by another bone), and for each joint its own or its
/// carrying bone.
pub(crate) fn bones(joints: &[Joint], surface: &Surface) -> (Vec<Option<Bone>>, Vec<Option<usize>>) {
    let count = joints.len();
    let size = (surface.high - surface.low).length();
    let least = NO_LENGTH * size;
    let weighted: Vec<bool> = surface.weights.iter().map(|&weight| weight >= NOTHING).collect();
    let (mut above, mut below) = (vec![false; count], weighted.clone());
    for (j, joint) in joints.iter().enumerate() {
        above[j] = joint.parent.is_some_and(|p| weighted[p] || above[p]);
    }
    for (j, joint) in joints.iter().enumerate().rev() {
        if let Some(p) = joint.parent
            && below[j]
        {
            below[p] = true;
        }
    }
    let is_wood: Vec<bool> = (0..count).map(|j| weighted[j] || (above[j] && below[j])).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut ends: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (j, joint) in joints.iter().enumerate() {
        if let Some(p) = joint.parent {
            let on = if is_wood[j] { &mut children } else { &mut ends };
            on[p].push(j);
        }
    }
    // Length of the wood beyond each joint.
    let mut reach = vec![0.0_f64; count];
    for (j, joint) in joints.iter().enumerate().rev() {
        if let Some(p) = joint.parent.filter(|_| is_wood[j]) {
            reach[p] = reach[p].max(joint.at.distance(joints[p].at) + reach[j]);
        }
    }
    let mut bones: Vec<Option<Bone>> = vec![None; count];
    let mut carriers: Vec<Option<usize>> = vec![None; count];
    for j in 0..count {
        let at = joints[j].at;
        let parent = joints[j].parent.and_then(|p| carriers[p]);
        carriers[j] = parent;
        if !is_wood[j] {
            continue;
        }
        // Incoming direction of the wood.
        let before = parent.and_then(|p| bones[p].map(|bone| (bone.tail - joints[p].at).normalize_or_zero()));
        let hint = before.unwrap_or(joints[j].along);
        // Direction of a child's wood, if known.
        let onward = |c: usize| {
            let far = children[c].iter().copied().max_by(|a, b| reach[*a].total_cmp(&reach[*b]));
            let to = far.map_or_else(|| middle(&surface.bark[c]), |f| Some(joints[f].at));
            to.and_then(|to| (to - joints[c].at).try_normalize())
        };
        let score = |&c: &usize| {
            let way = joints[c].at - at;
            let along = way.normalize_or_zero();
            let straight =
                along.dot(hint).max(0.1) * onward(c).map_or(1.0, |onward| onward.dot(along).max(0.1).powi(2));
            (way.length() + reach[c]) * straight
        };
        // The likeliest first.
        let mut others: Vec<(f64, usize)> =
            children[j].iter().filter(|&&c| joints[c].at.distance(at) > least).map(|c| (score(c), *c)).collect();
        others.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // Children passed by the wood of the bone are side branches.
        let mut passed: Vec<DVec3> = Vec::new();
        let next = others.iter().take(MOST_TRIED).find(|(_, c)| {
            let end = beyond(at, joints[j].along, joints[*c].at, &surface.bark[j]);
            passed.extend(end);
            end.is_none()
        });
        let (tail, next) = match next {
            Some(&(_, c)) => (joints[c].at, Some(c)),
            None if !others.is_empty() => {
                let far = passed.into_iter().max_by(|a, b| a.distance(at).total_cmp(&b.distance(at)));
                let end = far.unwrap_or(at);
                let said = ends[j].iter().map(|&e| joints[e].at).find(|e| e.distance(end) < 0.2 * end.distance(at));
                (said.unwrap_or(end), None)
            }
            None if children[j].is_empty() => {
                let continues = parent.is_none_or(|p| bones[p].is_some_and(|bone| bone.next == Some(j)));
                (last_tail(joints, j, surface, &ends[j], hint, continues), None)
            }
            // Its children begin at its head: the bone has no length.
            None => (at, None),
        };
        if tail.distance(at) > least && tail.is_finite() {
            bones[j] = Some(Bone { tail, next, parent });
            carriers[j] = Some(j);
        }
    }
    // A child of zero length does not continue a bone.
    for j in 0..count {
        if let Some(bone) = bones[j]
            && bone.next.is_some_and(|c| bones[c].is_none())
        {
            let through = bone.next.and_then(|c| children[c].iter().copied().find(|&g| bones[g].is_some()));
            bones[j] = Some(Bone { next: through.filter(|&g| joints[g].at.distance(bone.tail) <= least), ..bone });
        }
    }
    (bones, carriers)
}

/// The end of a joint's bark if it extends far beyond the child: the child is then a side branch. `along`
/// is the +y axis of the joint. Twigs on the bone also reach beyond the child but are off its axis.
fn beyond(at: DVec3, along: DVec3, child: DVec3, bark: &[Sample]) -> Option<DVec3> {
    let aim = (child - at).normalize();
    // Side branches may begin on the surface of the wood, so the axis of the bone itself is tested too.
    let lines = [aim, along].into_iter().filter(|line| line.dot(aim) > 0.5).filter_map(|direction| {
        let length = (child - at).dot(direction);
        let places = || {
            own(bark).map(|p| {
                let along = (p - at).dot(direction);
                (along, (p - at - direction * along).length())
            })
        };
        // A low quantile excludes twigs; the margin includes the ring at the head despite rounding.
        let mut across: Vec<f64> = places().filter(|p| (-0.01 * length..length).contains(&p.0)).map(|p| p.1).collect();
        if across.is_empty() {
            across.extend(places().map(|p| p.1));
        }
        let radius = quantile(&mut across, 0.2)?;
        let on_line = |p: &(f64, f64)| p.1 < 2.5 * radius + 0.1 * p.0.max(0.0);
        let mut ends: Vec<f64> = places().filter(on_line).map(|p| p.0).collect();
        let end = quantile(&mut ends, 0.95)?;
        let farther = ends.iter().filter(|&&along| along > length).count();
        (end > 1.5 * length && farther >= 5).then(|| (ends.len(), at + direction * end))
    });
    lines.max_by_key(|(count, _)| *count).map(|(_, end)| end)
}

/// Centroid of the vertices weighted mainly to one joint.
fn middle(bark: &[Sample]) -> Option<DVec3> {
    let (sum, count) = own(bark).fold((DVec3::ZERO, 0.0), |(sum, count), p| (sum + p, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// Vertices weighted mainly to one joint.
fn own(bark: &[Sample]) -> impl Iterator<Item = DVec3> + '_ {
    bark.iter().filter(|sample| sample.weight > 0.6).map(|sample| sample.at.as_dvec3())
}

/// The tail of a bone without continuation: the end of its bark; otherwise a child joint without vertices,
/// its leaves, or none. `continues` is whether the bone continues its parent bone instead of leaving it
/// sideways.
fn last_tail(joints: &[Joint], j: usize, surface: &Surface, ends: &[usize], hint: DVec3, continues: bool) -> DVec3 {
    let at = joints[j].at;
    let leaves = &surface.leaves[j];
    let bark: Vec<DVec3> = own(&surface.bark[j]).collect();
    let mut direction = middle(&surface.bark[j]).map_or(hint, |middle| (middle - at).normalize_or(hint));
    let reach = |direction: DVec3| bark.iter().map(|p| (*p - at).dot(direction)).fold(0.0, f64::max);
    // A bone points away from its parent or hangs down from it; bark on all sides of its head gives no
    // direction.
    if direction.dot(hint) < 0.0 && (continues || reach(direction) < HANGS * reach(-direction)) {
        direction = hint;
    }
    let length = reach(direction);
    let end = ends.iter().map(|&e| joints[e].at).max_by(|a, b| a.distance(at).total_cmp(&b.distance(at)));
    if let Some(end) = end {
        let said = end.distance(at);
        if said > 0.0 && (bark.is_empty() || (0.5..1.5).contains(&(length / said))) {
            return end;
        }
    }
    if bark.is_empty() && leaves.area > 0.0 {
        return leaves.moment / leaves.area;
    }
    at + direction * length
}

/// `None` for an empty slice. Sorts the values.
pub(crate) fn quantile(values: &mut [f64], share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(((values.len().max(1) - 1) as f64 * share).round() as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rings of six vertices around a line.
    fn tube(from: DVec3, to: DVec3, radius: f64, rings: usize) -> Vec<Sample> {
        let (x, z) = (to - from).normalize().any_orthonormal_pair();
        let ring = |i: usize| from.lerp(to, i as f64 / (rings - 1) as f64);
        let vertex = |i: usize, k: usize| {
            let angle = k as f64 * std::f64::consts::FRAC_PI_3;
            ring(i) + (x * angle.cos() + z * angle.sin()) * radius
        };
        let all = (0..rings).flat_map(|i| (0..6).map(move |k| (i, k)));
        all.map(|(i, k)| Sample { at: vertex(i, k).as_vec3(), normal: glam::Vec3::ZERO, weight: 1.0 }).collect()
    }

    #[test]
    fn bark_goes_on_beyond_a_child_but_twigs_do_not() {
        let (at, child) = (DVec3::ZERO, DVec3::Y * 0.5);
        // A trunk of one bone with a branch half way up.
        let trunk = tube(at, DVec3::Y * 2.0, 0.05, 20);
        let end = beyond(at, DVec3::Y, child, &trunk).expect("it goes on");
        assert!(end.distance(DVec3::Y * 2.0) < 0.11, "{end}");
        // A bone of a bough, with twigs of the length of two bones all around.
        let mut bough = tube(at, child, 0.02, 6);
        for k in 0..8 {
            let angle = f64::from(k) * std::f64::consts::FRAC_PI_4;
            let foot = DVec3::Y * 0.06 * f64::from(k);
            let tip = foot + DVec3::new(angle.cos(), 1.0, angle.sin()) * 0.7;
            bough.extend(tube(foot, tip, 0.003, 12));
        }
        assert_eq!(beyond(at, DVec3::Y, child, &bough), None);
        assert_eq!(beyond(at, DVec3::Y, child, &[]), None);
    }
}
