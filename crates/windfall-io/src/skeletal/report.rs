//! Statistics of a moving tree on bones.

use serde::Serialize;
use windfall_core::Plant;

use super::Rigged;

/// Bones, keys and errors of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnimationReport {
    /// Bodies of the plant.
    pub bodies: usize,
    /// Number of bones that represent them.
    pub bones: usize,
    /// Number of these that are detached from the tree.
    pub loose: usize,
    /// Number of leaves with separate nodes.
    pub leaf_nodes: usize,
    /// Joints of each skin.
    pub joints: Vec<usize>,
    /// In the order of the input.
    pub clips: Vec<ClipReport>,
    /// Size of the file.
    pub bytes: u64,
}

/// One clip.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClipReport {
    /// Its name.
    pub name: String,
    /// Duration, s.
    pub seconds: f64,
    /// Frames of the motion.
    pub frames: usize,
    /// Number of rotation and position keys if every bone had both in each frame.
    pub keys_before: u64,
    /// Number of keys in the file.
    pub keys_after: u64,
    /// Errors of vertices relative to the full simulation's skin.
    pub error: ErrorReport,
}

/// Distances between vertices of the file and of the full simulation's skin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ErrorReport {
    /// Number of compared frames, evenly spaced in the clip.
    pub frames: usize,
    /// Maximum over all vertices, m.
    pub largest_m: f64,
    /// Mean over all vertices and frames, m.
    pub mean_m: f64,
    /// Maximum relative to the height of the tallest tree.
    pub largest_of_height: f64,
    /// Mean relative to the height of the tallest tree.
    pub mean_of_height: f64,
    /// For bark and twigs only, m.
    pub wood_largest_m: f64,
    /// For bark and twigs only, m.
    pub wood_mean_m: f64,
    /// For leaves and fruit only, m.
    pub foliage_largest_m: f64,
    /// For leaves and fruit only, m.
    pub foliage_mean_m: f64,
}

impl AnimationReport {
    pub(crate) fn new(plant: &Plant, rigged: &Rigged, joints: Vec<usize>, bytes: u64) -> Self {
        let bones = rigged.skeleton.bones.len();
        let clip = |clip: &super::Tracks| ClipReport {
            name: clip.name.clone(),
            seconds: clip.end,
            frames: clip.frames,
            keys_before: 2 * bones as u64 * clip.frames as u64,
            keys_after: (clip.rotation_times.bytes() + clip.position_times.bytes()) / 4,
            error: clip.compare.report(plant),
        };
        Self {
            bodies: plant.body_count(),
            bones,
            loose: rigged.loose,
            leaf_nodes: rigged.leaves.len(),
            joints,
            clips: rigged.clips.iter().map(clip).collect(),
            bytes,
        }
    }
}

/// From the lowest to the highest joint of the tallest tree, m; never zero.
pub(super) fn height(plant: &Plant) -> f64 {
    let mut ends = vec![(f32::INFINITY, f32::NEG_INFINITY); plant.trees().len()];
    for (i, branch) in plant.branches().iter().enumerate() {
        let (low, high) = &mut ends[branch.tree as usize];
        for segment in &plant.segments()[plant.branch_segments(i)] {
            *low = low.min(segment.position.y).min(segment.tip().y);
            *high = high.max(segment.position.y).max(segment.tip().y);
        }
    }
    ends.into_iter().map(|(low, high)| f64::from(high - low)).fold(1e-6, f64::max)
}
