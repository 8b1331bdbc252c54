//! Motion as time samples of vertices.

use std::path::Path;

use glam::Vec3;
use windfall_core::Plant;
use windfall_skin::Skin;

use super::layer::{Content, Kind, Layer, Stream, Timing};
use super::scene::{Scene, ScenePart, Shape, extent};
use super::{Written, image_names, write};
use crate::frames::Frames;
use crate::glb::drawn_parts;
use crate::skeletal::{AnimationError, Progress};
use crate::surface::Surface;

pub(super) fn export(
    plant: &Plant,
    skin: &Skin,
    frames: &mut dyn Frames,
    timing: &Timing,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Written, AnimationError> {
    let mut scene = Scene::new(plant, skin, &skin.trees, &image_names(path));
    let layer = layer(&mut scene, timing);
    let meshes: Vec<_> = scene.parts().map(|part| &part.part.mesh).collect();
    let mut surface = Surface::new(plant);
    let total = timing.frames;
    let sample = &mut |frame: usize, lists: &mut [Vec<u8>]| {
        surface.read(frames, frame)?;
        for (mesh, lists) in meshes.iter().zip(lists.chunks_exact_mut(3)) {
            let (positions, normals) = surface.of(mesh);
            fill(&mut lists[0], &extent(positions));
            fill(&mut lists[1], normals);
            fill(&mut lists[2], positions);
        }
        progress(Progress { done: frame + 1, total });
        Ok(())
    };
    write(&layer, &scene, sample, path)
}

/// Samples of all meshes of a skin.
pub(super) fn streams(skin: &Skin) -> Vec<Stream> {
    let parts = skin.trees.iter().flat_map(|tree| drawn_parts(&tree.parts));
    parts.flat_map(|part| streams_of(part.mesh.positions.len())).collect()
}

fn streams_of(vertices: usize) -> [Stream; 3] {
    [2, vertices, vertices].map(|count| Stream { kind: Kind::Vec3, count })
}

/// Three streams for each mesh: extent, normals, points.
fn layer<'a>(scene: &mut Scene<'a>, timing: &Timing) -> Layer<'a> {
    let mut streams = Vec::new();
    let mut mesh = |part: &ScenePart<'a>| {
        let first = streams.len();
        let vertices = part.part.mesh.positions.len();
        streams.extend(streams_of(vertices));
        let [extent, normals, points] = [first, first + 1, first + 2].map(Content::Samples);
        scene.mesh(part, Shape { points, normals, extent })
    };
    let trees = scene.trees.iter().map(|tree| {
        let mut prim = tree.prim("Xform");
        prim.children.extend(tree.parts.iter().map(&mut mesh));
        prim
    });
    let trees = trees.collect();
    Layer { root: scene.root(trees), timing: Some(timing.clone()), streams }
}

/// Vectors as bytes.
pub(super) fn fill(list: &mut Vec<u8>, vectors: &[Vec3]) {
    list.clear();
    list.reserve(12 * vectors.len());
    for vector in vectors {
        list.extend_from_slice(vector.to_array().map(f32::to_le_bytes).as_flattened());
    }
}
