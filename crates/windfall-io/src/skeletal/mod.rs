//! Moving trees on bones: the format-independent content of skinned, animated files.
//!
//! | module | content |
//! |---|---|
//! | `skeleton` | bones in the rest pose |
//! | `palette` | division of the surface into meshes within the joint limit |
//! | [`leaves`] | leaves with separate nodes |
//! | [`keys`] | key reduction |
//! | `tracks`, [`spill`] | conversion of frames to keys of all bones, through files |
//! | `compare` | errors of the skin on bones relative to that on bodies |
//! | [`report`] | statistics |

pub(crate) mod compare;
mod error;
pub mod keys;
pub mod leaves;
pub(crate) mod palette;
pub mod report;
pub(crate) mod skeleton;
pub mod spill;
pub(crate) mod tracks;

use std::path::Path;

use windfall_core::{BodyId, Plant, Pose};
use windfall_skin::bones::{Bones, Loose, Moments, Rigid, lean, leans, merge};
use windfall_skin::{Skin, TreeSkin};

pub use self::error::AnimationError;
use self::leaves::LeafNodes;
use self::skeleton::Skeleton;
use self::tracks::{Recorder, Tracks};
use crate::frames::Frames;
use crate::skin_check;
use crate::surface::read_pose;
use crate::times;

/// A named clip of motion.
pub struct Clip<'a> {
    /// Name of the clip.
    pub name: String,
    /// Source of its poses.
    pub frames: &'a mut dyn Frames,
}

/// Requested number of bones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoneCount {
    /// At most this many, but at least one for each tree; detached bodies have additional bones. Bodies
    /// without visible skin get none.
    AtMost(usize),
    /// One for each body.
    All,
}

impl Default for BoneCount {
    /// As many as one skin supports in all engines.
    fn default() -> Self {
        Self::AtMost(palette::MOST_JOINTS)
    }
}

/// Binding of leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LeafMotion {
    /// Bones, like wood: one mesh for any number of leaves.
    #[default]
    Bones,
    /// A separate node for each leaf with a shared mesh (see [`leaves`]): exact motion, large files.
    Nodes,
}

/// Options of writing a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnimationOptions {
    /// Number of bones; nodes of leaves are additional.
    pub bones: BoneCount,
    /// Binding of leaves.
    pub leaves: LeafMotion,
    /// Maximum displacement of any vertex of a bone by key reduction, m.
    pub tolerance: f64,
}

impl Default for AnimationOptions {
    /// 256 bones, 1 mm.
    fn default() -> Self {
        Self { bones: BoneCount::default(), leaves: LeafMotion::default(), tolerance: 1e-3 }
    }
}

/// Progress: frames read out of the total. Every frame is read twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Frames read so far.
    pub done: usize,
    /// Total number of frames to read.
    pub total: usize,
}

/// Number of poses used to group bodies into bones.
const SAMPLES: usize = 12;
/// Memory limit of these poses, bytes; it reduces their number only for the largest trees.
const SAMPLE_ROOM: usize = 1 << 30;
/// Bytes of a body in a sample.
const SAMPLE_BYTES: usize = 170;

/// A moving tree on bones, its keys in temporary files.
pub(crate) struct Rigged {
    /// The surface bound to bones: leaves and fruit in their mean pose.
    pub trees: Vec<TreeSkin>,
    /// Leaves with separate nodes.
    pub leaves: LeafNodes,
    pub skeleton: Skeleton,
    pub clips: Vec<Tracks>,
    /// Number of detached bones.
    pub loose: usize,
}

/// A plant on bones.
pub(crate) struct Bound {
    /// The surface bound to bones: leaves and fruit in their mean pose.
    pub trees: Vec<TreeSkin>,
    /// Leaves with separate nodes.
    pub leaves: LeafNodes,
    pub skeleton: Skeleton,
    /// Moments of the bodies that bones follow.
    pub loads: Vec<Moments>,
    /// Mean transforms of leaves on bones.
    pub leans: Vec<Rigid>,
    /// Number of detached bones.
    pub loose: usize,
}

/// Finds bones for all clips and the keys of each. Temporary files are made in `folder`.
pub(crate) fn rig(
    plant: &Plant,
    skin: &Skin,
    clips: &mut [Clip<'_>],
    options: &AnimationOptions,
    folder: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Rigged, AnimationError> {
    if !(options.tolerance > 0.0 && options.tolerance <= 10.0) {
        return Err(AnimationError::Tolerance(options.tolerance));
    }
    for clip in &*clips {
        times::rate(clip.frames)?;
        times::check_short_times(clip.frames)?;
    }
    let total = 2 * clips.iter().map(|clip| clip.frames.len()).sum::<usize>();
    let mut done = 0;
    let mut seen = || {
        done += 1;
        progress(Progress { done, total });
    };
    let Bound { trees, leaves, skeleton, loads, leans, loose } = bind(plant, skin, clips, options, &mut seen)?;
    let recorder = Recorder {
        skin,
        skeleton: &skeleton,
        rest: Pose::rest(plant),
        loads,
        leans,
        tolerance: options.tolerance,
        room: tracks::ROOM,
    };
    let record = |clip: &mut Clip<'_>| recorder.record(&clip.name, clip.frames, folder, &mut seen);
    let tracks = clips.iter_mut().map(record).collect::<Result<_, _>>()?;
    drop(recorder);
    Ok(Rigged { trees, leaves, skeleton, clips: tracks, loose })
}

/// Finds bones for all clips; `seen` is called after each frame.
pub(crate) fn bind(
    plant: &Plant,
    skin: &Skin,
    clips: &mut [Clip<'_>],
    options: &AnimationOptions,
    seen: &mut dyn FnMut(),
) -> Result<Bound, AnimationError> {
    skin_check::check(plant, skin)?;
    skin_check::check_bindings(plant, skin)?;
    if options.bones == BoneCount::AtMost(0) {
        return Err(AnimationError::NoBones);
    }
    if let Some(clip) = clips.iter().find(|clip| clip.frames.is_empty()) {
        return Err(AnimationError::NoFrames(clip.name.clone()));
    }
    let (loose, samples) = survey(plant, clips, options.bones, seen)?;
    let leaves = match options.leaves {
        LeafMotion::Bones => LeafNodes::default(),
        LeafMotion::Nodes => LeafNodes::of(plant, skin),
    };
    let moments = Moments::of_skin(plant, skin);
    let bones = match options.bones {
        BoneCount::All => Bones::all(plant, &loose),
        BoneCount::AtMost(count) => merge(plant, &moments, &loose, |body| leaves.contains(body), &samples, count),
    };
    let leans = leans(plant, &bones, &moments, &samples);
    drop(samples);
    let mut trees = skin.trees.clone();
    for tree in &mut trees {
        lean(tree, &leans);
    }
    let loads = bones.loads(plant, &moments);
    // Invisible bodies have no bone, even if detached.
    let loose = bones.roots.iter().filter(|&&root| loose.is_loose(BodyId(root))).count();
    let skeleton = Skeleton::new(plant, &trees, bones);
    Ok(Bound { trees, leaves, skeleton, loads, leans, loose })
}

/// Searches all frames for detached bodies, and samples poses evenly from all clips.
fn survey(
    plant: &Plant,
    clips: &mut [Clip<'_>],
    bones: BoneCount,
    seen: &mut dyn FnMut(),
) -> Result<(Loose, Vec<Pose>), AnimationError> {
    let rest = Pose::rest(plant);
    let mut loose = Loose::new(plant);
    let mut samples = Vec::new();
    let room = (SAMPLE_ROOM / (SAMPLE_BYTES * plant.body_count().max(1))).clamp(4, SAMPLES);
    let each = if bones == BoneCount::All { 0 } else { room.div_ceil(clips.len().max(1)) };
    let mut pose = Pose::default();
    for clip in clips {
        let count = clip.frames.len();
        let mut next = 0;
        for frame in 0..count {
            read_pose(clip.frames, frame, rest.len(), &mut pose)?;
            loose.see(&rest, &pose);
            // The n-th sample is at the centre of its part of the clip.
            if next < each && frame >= (2 * next + 1) * count / (2 * each) {
                samples.push(pose.clone());
                next = each.min((2 * frame + 2) * each / (2 * count)).max(next + 1);
            }
            seen();
        }
    }
    Ok((loose, samples))
}
