//! Motion as bones: a skeleton for each tree, and its joint transforms in each frame.
//!
//! Joints are those of a GLB, without key reduction: `SkelAnimation` has all joints in each sample.
//! Transforms of joints are relative to their parents, rounded to f32; rounding errors do not accumulate
//! along branches.

use std::path::Path;

use glam::{DMat4, DVec3, Quat, Vec3};
use windfall_core::{Plant, Pose};
use windfall_skin::Skin;
use windfall_skin::bones::{NO_BONE, Rigid};

use super::layer::{Content, Kind, Layer, Prim, Property, Stream, Timing, Value};
use super::points::fill;
use super::scene::{Scene, ScenePart, SceneTree, Shape};
use super::{UsdBones, Written, image_names, write};
use crate::frames::Frames;
use crate::skeletal::compare::Compare;
use crate::skeletal::palette::influences;
use crate::skeletal::skeleton::{Skeleton, rigid};
use crate::skeletal::{AnimationError, AnimationOptions, BoneCount, Bound, Clip, Progress, bind};
use crate::surface::{read_pose, same_side};

/// Name of a skeleton and of its animation.
pub(super) const NAME: &str = "skeleton";
const ANIMATION: &str = "animation";

/// Limit of the total size of joint names, bytes. Each name contains those of all its ancestors.
const MOST_NAMES: usize = 256 << 20;

/// Maximum number of frames compared with the full simulation.
const COMPARED: usize = 60;

pub(super) fn export(
    plant: &Plant,
    skin: &Skin,
    frames: &mut dyn Frames,
    bones: BoneCount,
    timing: &Timing,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Written, AnimationError> {
    let total = timing.frames;
    let mut done = 0;
    let mut seen = || {
        done += 1;
        progress(Progress { done, total: 2 * total });
    };
    let options = AnimationOptions { bones, ..AnimationOptions::default() };
    let bound = bind(plant, skin, &mut [Clip { name: String::new(), frames }], &options, &mut seen)?;
    let skeleton = &bound.skeleton;
    let joints = Joints::of(plant, skeleton);
    let mut bytes = 0;
    let trees = 0..joints.of_tree.len();
    let names = trees.map(|tree| joints.paths(skeleton, tree, &mut bytes)).collect::<Result<Vec<_>, _>>()?;
    let mut scene = Scene::new(plant, skin, &bound.trees, &image_names(path));
    let layer = layer(&mut scene, timing, &bound, &joints, names);
    let stride = total.div_ceil(COMPARED).max(1);
    let rest = Pose::rest(plant);
    let (mut pose, mut placed) = (Pose::default(), Vec::new());
    let mut compare = Compare::default();
    let mut sides: Vec<Quat> = skeleton.locals.iter().map(|local| local.0).collect();
    let sample = &mut |frame: usize, lists: &mut [Vec<u8>]| {
        read_pose(frames, frame, rest.len(), &mut pose)?;
        skeleton.bones.place(&bound.loads, &rest, &pose, &mut placed);
        let (locals, places) = locals(skeleton, &placed, &mut sides);
        for (bones, lists) in joints.of_tree.iter().zip(lists.chunks_exact_mut(3)) {
            let own = |bone: &u32| locals[*bone as usize];
            fill(&mut lists[0], &extent(skeleton, bones, &places));
            fill_turns(&mut lists[1], bones.iter().map(|bone| own(bone).0));
            fill(&mut lists[2], &bones.iter().map(|bone| own(bone).1).collect::<Vec<_>>());
        }
        if frame.is_multiple_of(stride) {
            let moved: Vec<Rigid> =
                places.iter().zip(&skeleton.binds).map(|(p, bind)| p.after(&bind.inverse())).collect();
            compare.see(skin, &skeleton.bones, &rest, &pose, &moved, &bound.leans);
        }
        seen();
        Ok(())
    };
    let written = write(&layer, &scene, sample, path)?;
    let skeleton = UsdBones { bones: skeleton.bones.len(), loose: bound.loose, error: compare.report(plant) };
    Ok(Written { skeleton: Some(skeleton), ..written })
}

/// Transforms of bones relative to their parents as in the file, and the resulting transforms relative to
/// the origin of the tree. `sides` are the rotations of the previous frame: signs are kept consistent,
/// since some programs interpolate component by component.
fn locals(skeleton: &Skeleton, placed: &[Rigid], sides: &mut [Quat]) -> (Vec<(Quat, Vec3)>, Vec<Rigid>) {
    let (mut locals, mut places) = (Vec::with_capacity(placed.len()), Vec::<Rigid>::with_capacity(placed.len()));
    for (bone, by) in placed.iter().enumerate() {
        let parent = skeleton.bones.parents[bone];
        let on = if parent == NO_BONE { Rigid::IDENTITY } else { places[parent as usize] };
        let local = on.inverse().after(&by.after(&skeleton.binds[bone]));
        let turn = same_side(sides[bone], local.rotation.as_quat().normalize());
        sides[bone] = turn;
        let rounded = (turn, local.translation.as_vec3());
        places.push(on.after(&rigid(rounded)));
        locals.push(rounded);
    }
    (locals, places)
}

fn fill_turns(list: &mut Vec<u8>, turns: impl Iterator<Item = Quat>) {
    list.clear();
    turns.for_each(|turn| list.extend_from_slice(turn.to_array().map(f32::to_le_bytes).as_flattened()));
}

/// Bones of each tree, in their order.
struct Joints {
    of_tree: Vec<Vec<u32>>,
    /// Index of each bone of the plant among those of its tree.
    places: Vec<u32>,
}

impl Joints {
    fn of(plant: &Plant, skeleton: &Skeleton) -> Self {
        let mut of_tree: Vec<Vec<u32>> = vec![Vec::new(); plant.trees().len()];
        let mut places = Vec::with_capacity(skeleton.bones.len());
        for (bone, &tree) in skeleton.trees.iter().enumerate() {
            places.push(of_tree[tree as usize].len() as u32);
            of_tree[tree as usize].push(bone as u32);
        }
        Self { of_tree, places }
    }

    /// Paths of joints: names from the foot of the tree on. `bytes` is the size of the names of previous
    /// trees.
    fn paths(&self, skeleton: &Skeleton, tree: usize, bytes: &mut usize) -> Result<Vec<String>, AnimationError> {
        let mut paths: Vec<String> = Vec::with_capacity(self.of_tree[tree].len());
        for &bone in &self.of_tree[tree] {
            let (name, parent) = (&skeleton.names[bone as usize], skeleton.bones.parents[bone as usize]);
            let path = match parent {
                NO_BONE => name.clone(),
                parent => format!("{}/{name}", paths[self.places[parent as usize] as usize]),
            };
            *bytes += path.len();
            if *bytes > MOST_NAMES {
                let (what, advice) = ("bytes of names of joints", "take fewer bones");
                return Err(AnimationError::TooMany { count: *bytes, what, ending: "usd", most: MOST_NAMES, advice });
            }
            paths.push(path);
        }
        Ok(paths)
    }
}

/// Bounding box of everything bound to bones: each bone contributes a box of its reach around its joint.
fn extent(skeleton: &Skeleton, bones: &[u32], places: &[Rigid]) -> [Vec3; 2] {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &bone in bones {
        let (at, reach) = (places[bone as usize].translation, DVec3::splat(skeleton.reaches[bone as usize]));
        (low, high) = (low.min(at - reach), high.max(at + reach));
    }
    if bones.is_empty() { [Vec3::ZERO; 2] } else { [low.as_vec3(), high.as_vec3()] }
}

/// Streams of a tree with this many bones.
pub(super) fn streams(bones: usize) -> [Stream; 3] {
    [(Kind::Vec3, 2), (Kind::Quat, bones), (Kind::Vec3, bones)].map(|(kind, count)| Stream { kind, count })
}

/// Three streams for each tree: extent, rotations, translations.
fn layer<'a>(
    scene: &mut Scene<'a>,
    timing: &Timing,
    bound: &Bound,
    joints: &Joints,
    names: Vec<Vec<String>>,
) -> Layer<'a> {
    let mut streams = Vec::new();
    let trees = scene.trees.iter().zip(&joints.of_tree).zip(names).map(|((tree, bones), names)| {
        let first = streams.len();
        streams.extend(self::streams(bones.len()));
        let mut root = tree.prim("SkelRoot");
        root.properties.push(Property::new("float3[]", "extent", Content::Samples(first)));
        root.children.push(skeleton_prim(tree, bound, bones, names, first));
        root.children.extend(tree.parts.iter().map(|part| skinned(scene, tree, part, bound, joints)));
        root
    });
    let trees = trees.collect();
    Layer { root: scene.root(trees), timing: Some(timing.clone()), streams }
}

fn skeleton_prim<'a>(tree: &SceneTree<'a>, bound: &Bound, bones: &[u32], names: Vec<String>, first: usize) -> Prim<'a> {
    let skeleton = &bound.skeleton;
    let matrix = |place: &Rigid| DMat4::from_rotation_translation(place.rotation, place.translation);
    let binds = bones.iter().map(|&bone| matrix(&skeleton.binds[bone as usize])).collect();
    let rests = bones.iter().map(|&bone| matrix(&rigid(skeleton.locals[bone as usize]))).collect();
    let mut prim = Prim::new("Skeleton", NAME);
    prim.api_schemas.push("SkelBindingAPI");
    prim.set_uniform("matrix4d[]", "bindTransforms", Value::Matrices(binds));
    prim.set_uniform("token[]", "joints", Value::Tokens(names.clone()));
    prim.set_uniform("matrix4d[]", "restTransforms", Value::Matrices(rests));
    prim.relate("skel:animationSource", format!("{}/{NAME}/{ANIMATION}", tree.path));
    let mut animation = Prim::new("SkelAnimation", ANIMATION);
    animation.set_uniform("token[]", "joints", Value::Tokens(names));
    animation.properties.push(Property::new("quatf[]", "rotations", Content::Samples(first + 1)));
    animation.set("half3[]", "scales", Value::HalfOnes(bones.len()));
    animation.properties.push(Property::new("float3[]", "translations", Content::Samples(first + 2)));
    prim.children.push(animation);
    prim
}

fn skinned<'a>(
    scene: &Scene<'a>,
    tree: &SceneTree<'a>,
    part: &ScenePart<'a>,
    bound: &Bound,
    joints: &Joints,
) -> Prim<'a> {
    let mesh = &part.part.mesh;
    let mut prim = scene.mesh(part, Shape::still(mesh));
    prim.api_schemas.push("SkelBindingAPI");
    let list = influences(mesh, &bound.skeleton.bones);
    // One entry suffices if every vertex has only one bone.
    let size = if list.iter().all(|i| i.weights[1] == 0) { 1 } else { 4 };
    let mut indices = Vec::with_capacity(size * list.len());
    let mut weights = Vec::with_capacity(size * list.len());
    for influence in &list {
        for k in 0..size {
            let place = joints.places[influence.bones[k] as usize] as i32;
            indices.push(if influence.weights[k] == 0 { 0 } else { place });
            weights.push(f32::from(influence.weights[k]) / f32::from(u16::MAX));
        }
    }
    prim.set("matrix4d", "primvars:skel:geomBindTransform", Value::Matrix(DMat4::IDENTITY));
    for (type_name, name, value) in [
        ("int[]", "primvars:skel:jointIndices", Value::Ints(indices)),
        ("float[]", "primvars:skel:jointWeights", Value::Floats(weights)),
    ] {
        prim.properties.push(Property {
            interpolation: Some("vertex"),
            element_size: Some(size as i32),
            ..Property::new(type_name, name, Content::Value(value))
        });
    }
    prim.relate("skel:skeleton", format!("{}/{NAME}", tree.path));
    prim
}
