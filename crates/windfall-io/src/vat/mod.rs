//! Vertex animation textures: a static mesh, and a texture from which a vertex shader reads the position
//! of each vertex in each frame.
//!
//! The layout is that of `OpenVAT` (the Blender add-on by Luke Stilson, `sharpen3d/openvat`) with packed
//! normals, as `bevy_open_vat` 0.19 reads it. For `oak.glb` there are:
//!
//! | file | holds |
//! |---|---|
//! | `oak.glb` | the tree at rest; `TEXCOORD_1` of a vertex points to its first frame |
//! | `oak_vat.exr` or `.png` | offsets from rest (upper half) and normals (lower half); linear, not sRGB |
//! | `oak-remap_info.json` | range of the texture values in metres, and the clip |
//!
//! - The row of a frame is that of the first frame plus the frame index, downwards; [`VatLayout`] defines
//!   the order. After the last frame a row repeats the first (in loops) or the last (otherwise), so that
//!   filtering between rows does not mix in the frames of another vertex.
//! - Offsets and normals have the axes of Blender: (x, -z, y) of the plant. Offset = `Min` + pixel
//!   (`Max` - `Min`), normal = 2 pixel - 1. Metres.
//! - A loop has as many frames as fit into its period: the last frame of the clip, which equals the first,
//!   is omitted, and `endFrame` is the number of frames. Otherwise `endFrame` is the last frame. A clip
//!   lasts (`endFrame` - `startFrame`) / `framerate` in both cases.
//! - Vertices have no tints: the shader of `bevy_open_vat` does not pass them on, and the tree would be
//!   black.
//!
//! Each frame is read once. Offsets and normals are stored in temporary files beside the destination (24
//! bytes for each vertex and frame); memory holds one frame and some rows of the texture.

mod bake;
mod error;
mod layout;
mod texture;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use glam::Vec2;
use serde::Serialize;
use windfall_core::Plant;
use windfall_skin::Skin;

pub use self::error::VatError;
pub use self::layout::{MOST_PIXELS, VatLayout};

use self::bake::bake;
use self::texture::Texture;
use crate::atomic;
use crate::beside::{beside, shown};
use crate::frames::Frames;
use crate::glb::second_uvs::Tints;
use crate::glb::{Glb, drawn_parts};
use crate::skeletal::{Clip, Progress};
use crate::skin_check;
use crate::times::even_rate;

/// Storage of the texture. Names are those of `OpenVAT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VatFormat {
    /// `OpenEXR`, 16 bits, 11 of them significant, so that errors are at most 1/4096 of the range of
    /// offsets along each axis.
    #[default]
    Exr16,
    /// `OpenEXR`, 32 bits: the precision of the skin.
    Exr32,
    /// PNG, 16 bits: errors are at most 1/131072 of the range.
    Png16,
}

impl VatFormat {
    fn ending(self) -> &'static str {
        match self {
            Self::Exr16 | Self::Exr32 => "exr",
            Self::Png16 => "png",
        }
    }
}

/// Options of writing a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VatOptions {
    /// Storage of the texture.
    pub format: VatFormat,
    /// Whether the clip is a loop: its last frame equals its first.
    pub looping: bool,
}

/// Report of the export.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VatReport {
    /// Path of the texture.
    #[serde(serialize_with = "shown")]
    pub texture: PathBuf,
    /// Path of the JSON file with the meaning of its numbers.
    #[serde(serialize_with = "shown")]
    pub remap: PathBuf,
    /// Storage of the texture.
    pub format: VatFormat,
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Number of animated vertices.
    pub vertices: usize,
    /// Frames in the texture.
    pub frames: usize,
    /// Frames per second.
    pub frames_per_second: f64,
    /// Whether the clip loops.
    pub looping: bool,
    /// Duration of the clip, s.
    pub seconds: f64,
    /// Smallest offset along each axis of the texture, m.
    pub min: [f32; 3],
    /// Largest offset along each axis of the texture, m.
    pub max: [f32; 3],
    /// Largest rounding error of a vertex relative to the full simulation's skin, m; over all vertices and
    /// frames.
    pub largest_m: f64,
    /// Largest rounding error of a normal, degrees.
    pub largest_turn_deg: f64,
    /// Size of the mesh.
    pub mesh_bytes: u64,
    /// Size of the texture.
    pub texture_bytes: u64,
}

/// The JSON beside the texture. Names are those of `OpenVAT` and `bevy_open_vat`.
#[derive(Serialize)]
struct RemapInfo<'a> {
    #[serde(rename = "os-remap")]
    os_remap: OsRemap,
    animations: BTreeMap<&'a str, Animation>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct OsRemap {
    min: [f32; 3],
    max: [f32; 3],
    frames: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Animation {
    start_frame: usize,
    end_frame: usize,
    framerate: f64,
    looping: bool,
}

/// Number of frames in the texture of a clip with `frames` frames.
pub fn frames_in_texture(frames: usize, looping: bool) -> usize {
    if looping && frames > 1 { frames - 1 } else { frames }
}

/// Number of vertices with a column of the texture: those of parts with triangles.
pub fn vertices_in_texture(skin: &Skin) -> usize {
    skin.trees.iter().flat_map(|tree| drawn_parts(&tree.parts)).map(|part| part.mesh.positions.len()).sum()
}

/// Checks before a simulation, as far as possible, that a clip of this many frames can be written here:
/// all files writable, and texture not too large. Returns the layout of the texture.
pub fn check_vat(
    plant: &Plant,
    skin: &Skin,
    frames: usize,
    options: VatOptions,
    path: &Path,
) -> Result<VatLayout, VatError> {
    skin_check::check(plant, skin)?;
    skin_check::check_bindings(plant, skin)?;
    let layout = VatLayout::new(vertices_in_texture(skin), frames_in_texture(frames, options.looping))?;
    let beside = files_beside(path, options.format);
    atomic::check_all(beside.iter().map(PathBuf::as_path).chain([path]))?;
    Ok(layout)
}

/// Paths of the texture and of the JSON file. The names are those of `OpenVAT`: only a `.glb` has such
/// files, so other exports do not touch them.
fn files_beside(path: &Path, format: VatFormat) -> [PathBuf; 2] {
    [beside(path, &format!("_vat.{}", format.ending())), beside(path, "-remap_info.json")]
}

/// Frames per second; 1 for a single frame, which has no rate.
fn rate(frames: &dyn Frames) -> Result<f64, VatError> {
    let rate = even_rate(frames, "a texture")?;
    Ok(if frames.len() < 2 { 1.0 } else { rate })
}

/// Writes the skin of a plant as a still `.glb` at `path`, with a texture and a JSON file beside it that
/// hold a clip. All three are complete before the first is renamed; the `.glb` is renamed last.
pub fn export_vat(
    plant: &Plant,
    skin: &Skin,
    clip: &mut Clip<'_>,
    options: VatOptions,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<VatReport, VatError> {
    let layout = check_vat(plant, skin, clip.frames.len(), options, path)?;
    let frames = layout.frames;
    let rate = rate(clip.frames)?;
    let uvs = uvs(skin, &layout);
    let glb = Glb::with_second_uvs(plant, skin, &uvs, Tints::Drop)?;

    let [texture_path, remap_path] = files_beside(path, options.format);
    let mut picture = atomic::begin(&texture_path)?;
    let mut remap = atomic::begin(&remap_path)?;
    let mut mesh = atomic::begin(path)?;

    let mut done = 0;
    let mut bake = bake(plant, skin, clip.frames, frames, picture.folder(), || {
        done += 1;
        progress(Progress { done, total: frames });
    })?;
    let (min, max) = (bake.min.to_array(), bake.max.to_array());
    let after_last = if options.looping { 0 } else { frames - 1 };
    let mut texture =
        Texture { layout, format: options.format, bake: &mut bake, after_last, largest_error: 0.0, largest_turn: 0.0 };
    texture.write(&mut picture.out)?;
    let (largest_m, largest_turn) = (f64::from(texture.largest_error), f64::from(texture.largest_turn));
    drop(bake);

    let end_frame = if options.looping { frames } else { frames - 1 };
    let animation = Animation { start_frame: 0, end_frame, framerate: rate, looping: options.looping };
    let info = RemapInfo {
        os_remap: OsRemap { min, max, frames },
        animations: BTreeMap::from([(clip.name.as_str(), animation)]),
    };
    serde_json::to_writer_pretty(&mut remap.out, &info).map_err(std::io::Error::from)?;
    remap.out.write_all(b"\n")?;
    glb.write(&mut mesh.out)?;

    let (picture, remap, mesh) = (picture.complete()?, remap.complete()?, mesh.complete()?);
    let texture_bytes = std::fs::metadata(picture.path())?.len();
    atomic::publish_all([picture, remap, mesh])?;
    Ok(VatReport {
        texture: texture_path,
        remap: remap_path,
        format: options.format,
        width: layout.width,
        height: layout.height,
        vertices: layout.vertices,
        frames,
        frames_per_second: rate,
        looping: options.looping,
        seconds: end_frame as f64 / rate,
        min,
        max,
        largest_m,
        largest_turn_deg: largest_turn.to_degrees(),
        mesh_bytes: glb.bytes(),
        texture_bytes,
    })
}

/// Texture coordinates of all vertices: a list for each part with triangles, tree after tree.
fn uvs(skin: &Skin, layout: &VatLayout) -> Vec<Vec<Vec2>> {
    let mut before = 0;
    let parts = skin.trees.iter().flat_map(|tree| drawn_parts(&tree.parts));
    parts
        .map(|part| {
            let first = before;
            before += part.mesh.positions.len();
            (first..before).map(|vertex| layout.uv(vertex)).collect()
        })
        .collect()
}
