//! GLB files of moving trees: skinned meshes on a skeleton that follows the tree, and clips.
//!
//! - A node per tree at its origin, with the bones below it: the parent of a bone is the bone of the wood
//!   on which it grows, with +y outward. Bodies that detach from the tree in one of the clips have their
//!   own bone on the tree's node from the start.
//! - Skins of at most 256 joints; a tree with more joints has several skins, each with a part of the
//!   surface. Four weights per vertex.
//! - Leaves and fruit bound to bones of wood have their mean pose relative to the bone, not the rest pose
//!   (in wind the two differ strongly).
//! - Leaves are bound to bones like wood, or have separate nodes with shared meshes.
//! - LINEAR samplers, rotations without sign flips, keys omitted within a tolerance, channels at rest
//!   omitted. The first bone has keys at the first and the last frame.
//! - No extension is required.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};
use windfall_core::Plant;
use windfall_skin::bones::NO_BONE;
use windfall_skin::{Binding, Skin};

use super::blob::Blob;
use super::document::{Document, FLOAT, Materials, UNSIGNED_BYTE, UNSIGNED_SHORT, VERTICES};
use super::{Head, check_size, drawn_parts};
use crate::atomic;
use crate::skeletal::leaves::Shapes;
use crate::skeletal::palette::{Piece, pieces};
use crate::skeletal::report::AnimationReport;
use crate::skeletal::skeleton::Skeleton;
use crate::skeletal::spill::Spilled;
use crate::skeletal::tracks::Tracks;
use crate::skeletal::{AnimationError, AnimationOptions, Clip, LeafMotion, Progress, Rigged, rig};
use crate::skin_check;

/// Checks before a simulation, as far as possible, that a moving skin can be written here: the file is
/// writable, and its meshes alone are not too large.
pub fn check_animated(
    plant: &Plant,
    skin: &Skin,
    options: &AnimationOptions,
    path: &Path,
) -> Result<(), AnimationError> {
    skin_check::check(plant, skin)?;
    skin_check::check_bindings(plant, skin)?;
    atomic::check_all([path])?;
    let parts = skin.trees.iter().flat_map(|tree| drawn_parts(&tree.parts));
    // Leaves with nodes share meshes.
    let own =
        parts.filter(|part| options.leaves == LeafMotion::Bones || !matches!(part.mesh.binding, Binding::Rigid(_)));
    // Positions, normals, texture coordinates, joints and weights of a vertex; corners of a triangle at
    // least as u16.
    let bytes = own.map(|part| 44 * part.mesh.positions.len() as u64 + 6 * part.mesh.triangles.len() as u64).sum();
    check_size(bytes).map_err(|_| AnimationError::TooLarge { bytes })
}

/// Writes the skin of a plant with clips. Each frame is read twice; memory does not grow with their
/// number. After an error the destination is unchanged.
pub fn export_animated(
    plant: &Plant,
    skin: &Skin,
    clips: &mut [Clip<'_>],
    options: &AnimationOptions,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<AnimationReport, AnimationError> {
    check_animated(plant, skin, options, path)?;
    let mut file = atomic::begin(path)?;
    let mut rigged = rig(plant, skin, clips, options, file.folder(), progress)?;
    let pieces: Vec<Vec<Piece<'_>>> = (rigged.trees.iter().enumerate())
        .map(|(t, tree)| pieces(tree, &rigged.skeleton.bones, |p| !rigged.leaves.has_part(t, p)))
        .collect();
    let shapes = rigged.leaves.shapes(plant, skin, &rigged.skeleton);
    let mut document = Document::default();
    let root = describe(&mut document, plant, skin, &rigged, &pieces, &shapes);
    let more = rigged.clips.iter().map(|clip| streams(clip).iter().map(|s| s.bytes()).sum::<u64>()).sum::<u64>();
    let json = document.finish(root, more);
    let head = Head { json: &json, binary: document.bytes + more, others: 0 };
    let bytes = head.file_bytes();
    if check_size(bytes).is_err() {
        return Err(AnimationError::TooLarge { bytes });
    }
    let joints = pieces.iter().flatten().map(|piece| piece.joints.len()).collect();
    let report = AnimationReport::new(plant, &rigged, joints, bytes);
    head.write(&mut file.out)?;
    document.blobs.iter().try_for_each(|blob| blob.write(&mut file.out))?;
    write_keys(&mut rigged.clips, &mut file.out)?;
    file.complete()?.publish()?;
    Ok(report)
}

/// In the order of the file.
fn streams(clip: &Tracks) -> [&Spilled; 4] {
    [&clip.rotation_times, &clip.rotations, &clip.position_times, &clip.positions]
}

fn write_keys(clips: &mut [Tracks], out: &mut dyn Write) -> io::Result<()> {
    for clip in clips {
        clip.rotation_times.copy(out)?;
        clip.rotations.copy(out)?;
        clip.position_times.copy(out)?;
        clip.positions.copy(out)?;
    }
    Ok(())
}

fn describe<'a>(
    document: &mut Document<'a>,
    plant: &'a Plant,
    skin: &'a Skin,
    rigged: &Rigged,
    pieces: &'a [Vec<Piece<'a>>],
    shapes: &'a Shapes,
) -> Value {
    let skeleton = &rigged.skeleton;
    let trees = plant.trees().len();
    let mut nodes = skeleton_nodes(plant, skeleton);
    let mut scene_nodes: Vec<usize> = (0..trees).collect();
    let (mut meshes, mut skins) = (Vec::new(), Vec::new());
    let mut materials = Materials::new(skin);
    for (t, (tree, pieces)) in plant.trees().iter().zip(pieces).enumerate() {
        for (p, piece) in pieces.iter().enumerate() {
            let name = if pieces.len() == 1 { tree.name.clone() } else { format!("{} {}", tree.name, p + 1) };
            let primitives: Vec<Value> = piece
                .parts
                .iter()
                .map(|part| {
                    let mut primitive = document.primitive(&part.mesh, materials.place(part.material));
                    let count = part.joints.len();
                    let joints = Blob::Joints(&part.joints);
                    let weights = Blob::Weights(&part.weights);
                    let normalized = json!({ "normalized": true });
                    primitive["attributes"]["JOINTS_0"] =
                        document.accessor(joints, Some(VERTICES), count, "VEC4", UNSIGNED_BYTE, Value::Null).into();
                    primitive["attributes"]["WEIGHTS_0"] =
                        document.accessor(weights, Some(VERTICES), count, "VEC4", UNSIGNED_SHORT, normalized).into();
                    primitive
                })
                .collect();
            let binds = piece.joints.iter().map(|&bone| skeleton.inverse_bind(bone as usize)).collect();
            let binds = document.accessor(Blob::Matrices(binds), None, piece.joints.len(), "MAT4", FLOAT, Value::Null);
            let joints: Vec<usize> = piece.joints.iter().map(|&bone| trees + bone as usize).collect();
            scene_nodes.push(nodes.len());
            nodes.push(json!({ "name": format!("{name} mesh"), "mesh": meshes.len(), "skin": skins.len() }));
            skins.push(json!({ "name": name, "inverseBindMatrices": binds, "joints": joints, "skeleton": t }));
            meshes.push(json!({ "name": name, "primitives": primitives }));
        }
    }
    let first = meshes.len();
    for shape in &shapes.meshes {
        let primitive = document.primitive(&shape.mesh, materials.place(shape.material));
        meshes.push(json!({ "name": shape.name, "primitives": [primitive] }));
    }
    for leaf in &shapes.leaves {
        let node = &mut nodes[trees + leaf.bone as usize];
        node["mesh"] = (first + leaf.shape).into();
        node["scale"] = json!(leaf.scale.to_array());
    }
    // Images precede the keys, which are written last.
    let root =
        document.root(plant.name(), scene_nodes, &materials, [("nodes", nodes), ("meshes", meshes), ("skins", skins)]);
    let mut end = document.bytes;
    let animations = rigged.clips.iter().map(|clip| animation(document, clip, trees, &mut end)).collect::<Vec<_>>();
    let mut root = root;
    // glTF allows no empty list.
    if !animations.is_empty() {
        root["animations"] = animations.into();
    }
    root
}

/// A node for each tree and each bone.
fn skeleton_nodes(plant: &Plant, skeleton: &Skeleton) -> Vec<Value> {
    let trees = plant.trees().len();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); trees + skeleton.bones.len()];
    for (bone, (&parent, &tree)) in skeleton.bones.parents.iter().zip(&skeleton.trees).enumerate() {
        let carrier = if parent == NO_BONE { tree as usize } else { trees + parent as usize };
        children[carrier].push(trees + bone);
    }
    let tree_nodes = plant.trees().iter().map(|tree| json!({ "name": tree.name, "translation": tree.origin }));
    let bones = skeleton.names.iter().zip(&skeleton.locals);
    let bone_nodes = bones.map(|(name, (rotation, translation))| {
        json!({ "name": name, "rotation": rotation.to_array(), "translation": translation.to_array() })
    });
    let nodes = tree_nodes.chain(bone_nodes).zip(children);
    nodes
        .map(|(mut node, children)| {
            if !children.is_empty() {
                node["children"] = children.into();
            }
            node
        })
        .collect()
}

/// A clip whose keys begin at the byte `end` of the binary chunk; `end` is advanced past them.
fn animation(document: &mut Document<'_>, clip: &Tracks, first_bone: usize, end: &mut u64) -> Value {
    let views = streams(clip).map(|stream| {
        let view = document.views.len();
        let bytes = stream.bytes();
        // Empty views are omitted; no accessor refers to them.
        if bytes > 0 {
            document.views.push(json!({ "buffer": 0, "byteOffset": *end, "byteLength": bytes }));
        }
        *end += bytes;
        view
    });
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    let [rotations, positions] = [clip.rotations.counts(), clip.positions.counts()];
    for (path, counts, kind, size, [times, values]) in [
        ("rotation", rotations, "VEC4", 16, [views[0], views[1]]),
        ("translation", positions, "VEC3", 12, [views[2], views[3]]),
    ] {
        let mut before = 0;
        for (bone, count) in counts.into_iter().enumerate().filter(|&(_, count)| count > 0) {
            let last = if count == 1 { 0.0 } else { clip.end as f32 };
            let input = document.accessors.len();
            document.accessors.push(json!({
                "bufferView": times, "byteOffset": 4 * before, "componentType": FLOAT, "count": count, "type": "SCALAR",
                "min": [0.0], "max": [last],
            }));
            document.accessors.push(json!({
                "bufferView": values, "byteOffset": size * before, "componentType": FLOAT, "count": count, "type": kind,
            }));
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": first_bone + bone, "path": path } }));
            samplers.push(json!({ "input": input, "output": input + 1, "interpolation": "LINEAR" }));
            before += count;
        }
    }
    json!({ "name": clip.name, "channels": channels, "samplers": samplers })
}
