//! Moving trees on bones: what a skinned, animated file holds, whatever its format.
//!
//! | module | what it holds |
//! |---|---|
//! | `skeleton` | bones in their rest places |
//! | `palette` | the surface cut into meshes with few enough bones each |
//! | [`leaves`] | leaves with nodes of their own |
//! | [`keys`] | leaving out keys that are not needed |
//! | `tracks`, [`spill`] | frames in, keys of all bones out, through files |
//! | `compare` | how far the skin on bones is from that on bodies |
//! | [`report`] | what came of it |

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

/// A stretch of motion with a name.
pub struct Clip<'a> {
    /// What to call it.
    pub name: String,
    /// Where its poses come from.
    pub frames: &'a mut dyn Frames,
}

/// How many bones there shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoneCount {
    /// At most so many, but one for each tree; what has let go has its own on top. None is spent on what the skin does not show.
    AtMost(usize),
    /// One for each body.
    All,
}

impl Default for BoneCount {
    /// As many as fit into one skin everywhere.
    fn default() -> Self {
        Self::AtMost(palette::MOST_JOINTS)
    }
}

/// What leaves move with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LeafMotion {
    /// Bones, as wood does: one mesh for all, however many there are.
    #[default]
    Bones,
    /// Each has a node of its own with a mesh that it shares with others (see [`leaves`]): exact motion, large files.
    Nodes,
}

/// How a motion is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnimationOptions {
    /// How many bones; those of leaves with nodes of their own come on top.
    pub bones: BoneCount,
    /// What leaves move with.
    pub leaves: LeafMotion,
    /// How far leaving out keys may move any vertex of a bone, m.
    pub tolerance: f64,
}

impl Default for AnimationOptions {
    /// 256 bones, 1 mm.
    fn default() -> Self {
        Self { bones: BoneCount::default(), leaves: LeafMotion::default(), tolerance: 1e-3 }
    }
}

/// How far the work is: frames read of all that will be. Every frame is read twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Read so far.
    pub done: usize,
    /// To be read.
    pub total: usize,
}

/// Poses that decide which bodies share a bone.
const SAMPLES: usize = 12;
/// Bytes that they may take while bones are put together; below that for the largest trees only.
const SAMPLE_ROOM: usize = 1 << 30;
/// Bytes of a body in a sample.
const SAMPLE_BYTES: usize = 170;

/// A moving tree on bones, its keys in temporary files.
pub(crate) struct Rigged {
    /// The surface to be bound to bones: leaves and fruit lie where they are on average.
    pub trees: Vec<TreeSkin>,
    /// Leaves with nodes of their own.
    pub leaves: LeafNodes,
    pub skeleton: Skeleton,
    pub clips: Vec<Tracks>,
    /// Bones that have let go.
    pub loose: usize,
}

/// A plant on bones.
pub(crate) struct Bound {
    /// The surface to be bound to bones: leaves and fruit lie where they are on average.
    pub trees: Vec<TreeSkin>,
    /// Leaves with nodes of their own.
    pub leaves: LeafNodes,
    pub skeleton: Skeleton,
    /// What bones follow.
    pub loads: Vec<Moments>,
    /// How leaves lie on bones.
    pub leans: Vec<Rigid>,
    /// Bones that have let go.
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
    // What nobody sees has no bone, even if it has let go.
    let loose = bones.roots.iter().filter(|&&root| loose.is_loose(BodyId(root))).count();
    let skeleton = Skeleton::new(plant, &trees, bones);
    Ok(Bound { trees, leaves, skeleton, loads, leans, loose })
}

/// Looks at every frame for what has let go, and keeps some poses, evenly from all clips.
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
            // The n-th of so many in the middle of its part of the clip.
            if next < each && frame >= (2 * next + 1) * count / (2 * each) {
                samples.push(pose.clone());
                next = each.min((2 * frame + 2) * each / (2 * count)).max(next + 1);
            }
            seen();
        }
    }
    Ok((loose, samples))
}
