//! Nearness of the joints of wood to forks.

use windfall_core::glam::Vec3;
use windfall_core::{BodyId, Plant};

/// Largest number of segments from a fork to a stiffened joint: it bounds the work where segments are much
/// shorter than wide.
const FARTHEST: usize = 32;

/// For each segment's joint: 1 at a fork, falling smoothly to 0 at `reach` radii of the lateral. See
/// [`super::ForkStiffening`].
pub(super) fn nearness(plant: &Plant, reach: f64) -> Vec<f64> {
    let segments = plant.segments();
    let mut nearness = vec![0.0; segments.len()];
    for (i, branch) in plant.branches().iter().enumerate() {
        let Some(parent) = branch.parent.map(|p| p as usize) else { continue };
        let lateral = plant.branch_segments(i);
        let foot = &segments[lateral.start];
        // Position along its parent segment at which the lateral leaves.
        let on = &segments[parent];
        let along = (foot.position - on.position).dot(on.orientation * Vec3::Y).clamp(0.0, on.length);
        let (before, after) = (f64::from(along), f64::from(on.length - along));
        let stem = plant.branch_segments(plant.branch_index(BodyId(parent as u32)));

        // The distance between neighbouring joints is the length of the segment between them: that of the
        // nearer joint outward, of the farther joint inward.
        let reach = reach * f64::from(foot.base_radius);
        let length = |j: usize| f64::from(segments[j].length);
        let mut mark = |joint: usize, distance: f64| {
            let t = distance / reach;
            if t < 1.0 {
                // At most 1, also when rounded: a factor of 0 must not make a stiffness negative.
                let near = f64::min(1.0, (1.0 - t) * (1.0 - t) * (1.0 + 2.0 * t));
                nearness[joint] = f64::max(nearness[joint], near);
            }
            t < 1.0
        };
        for (joints, mut distance) in [(lateral, 0.0), (parent + 1..stem.end, after)] {
            for joint in joints.take(FARTHEST) {
                if !mark(joint, distance) {
                    break;
                }
                distance += length(joint);
            }
        }
        let mut distance = before - length(parent);
        for joint in (stem.start..=parent).rev().take(FARTHEST) {
            distance += length(joint);
            if !mark(joint, distance) {
                break;
            }
        }
    }
    nearness
}
