//! USD files: `.usda` (text) and `.usdc` (binary) with images beside them, and `.usdz` (binary and images
//! in one file).
//!
//! ```text
//! /oak                 Xform, kind = component (the default prim)
//!   /materials         UsdPreviewSurface
//!   /tree              Xform, or SkelRoot, at the origin of the tree
//!     /bark ...        a Mesh for each part, subdivisionScheme = none, with primvars:st
//! ```
//!
//! Metres, y up; time codes are frames, from 0. Motion is written in one of two forms ([`UsdMotion`]):
//!
//! - **points**: time samples of `points`, `normals` and `extent` of each mesh: exact, large.
//! - **skeleton**: a `Skeleton` with `SkelAnimation` per tree, on the same bones as in a GLB, with all
//!   joints in each frame: small, with the approximation error of bones.
//!
//! Formats: the output follows the schemas of `OpenUSD` (`UsdGeom`, `UsdShade`, `UsdSkel`) and, for
//! `.usdc`, its crate files of version 0.8 (`crate_file`). No Rust library was found that writes crate
//! files without holding all samples in memory.

mod crate_file;
mod layer;
mod materials;
mod package;
mod points;
mod scene;
mod skeleton;
mod text;

use std::io::{BufWriter, Cursor};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;
use windfall_core::Plant;
use windfall_skin::Skin;

use self::layer::{Layer, Timing};
use self::scene::Scene;
use crate::export::ExportError;
use crate::frames::Frames;
use crate::skeletal::report::ErrorReport;
use crate::skeletal::{AnimationError, BoneCount, Progress};
use crate::temporary::Temporary;
use crate::textures::{self, file_stem, stage_images, whole_name};
use crate::times::{rate, uneven_codes};
use crate::{ExportFormat, atomic, images, skin_check};

/// Form of motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UsdMotion {
    /// Every vertex in each frame.
    #[default]
    Points,
    /// Bones in each frame, at most this many.
    Skeleton(BoneCount),
}

/// Statistics of a USD file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UsdReport {
    /// Meshes of all trees.
    pub meshes: usize,
    /// Vertices of all meshes.
    pub points: usize,
    /// Number of frames; 0 for static files.
    pub frames: usize,
    /// Duration from the first frame to the last, s.
    pub seconds: f64,
    /// Frame rate.
    pub frames_per_second: f64,
    /// Number of images beside it, or in a `.usdz`.
    pub images: usize,
    /// Size of the file, without images beside it.
    pub bytes: u64,
    /// Bones, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skeleton: Option<UsdBones>,
}

/// Bones of a USD file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UsdBones {
    /// Number of bones that represent all bodies.
    pub bones: usize,
    /// Number of these that are detached from the tree.
    pub loose: usize,
    /// Errors of vertices relative to the full simulation's skin.
    pub error: ErrorReport,
}

/// Fills a byte buffer for each stream with the values of a frame, little-endian f32.
type Sample<'a> = dyn FnMut(usize, &mut [Vec<u8>]) -> Result<(), AnimationError> + 'a;

/// Checks before a simulation, as far as possible, that a motion of this many frames can be written here:
/// known extension, all files writable, counts within limits, and package not too large.
pub fn check_usd(
    plant: &Plant,
    skin: &Skin,
    frames: usize,
    motion: UsdMotion,
    path: &Path,
) -> Result<(), AnimationError> {
    check(plant, skin)?;
    skin_check::check_bindings(plant, skin)?;
    let format = ExportFormat::of(path)?;
    match format {
        ExportFormat::Usdz => {
            let streams = match motion {
                UsdMotion::Points => points::streams(skin),
                UsdMotion::Skeleton(BoneCount::All) => skeleton::streams(plant.body_count()).to_vec(),
                // Their number is not known yet, but small.
                UsdMotion::Skeleton(BoneCount::AtMost(_)) => Vec::new(),
            };
            check_package(crate_file::least_bytes(&streams, frames))?;
            atomic::check_all([path])?;
        }
        ExportFormat::Usda | ExportFormat::Usdc => {
            let names = textures::image_names(skin, &image_names(path));
            let images: Vec<_> = names.iter().map(|name| path.with_file_name(name)).collect();
            atomic::check_all(images.iter().map(PathBuf::as_path).chain([path]))?;
        }
        _ => return Err(AnimationError::Ending(".usda, .usdc or .usdz")),
    }
    Ok(())
}

/// Checks the size limit of a package.
fn check_package(bytes: u64) -> Result<(), AnimationError> {
    if bytes > package::MOST { Err(AnimationError::Package { bytes }) } else { Ok(()) }
}

/// Writes a moving plant as `.usda`, `.usdc` or `.usdz`. Each frame is read once, with a skeleton twice;
/// memory does not grow with their number. All files are complete before the first is renamed; the USD
/// file is renamed last.
pub fn export_usd(
    plant: &Plant,
    skin: &Skin,
    frames: &mut dyn Frames,
    motion: UsdMotion,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<UsdReport, AnimationError> {
    if frames.is_empty() {
        return Err(AnimationError::NoFrames("usd".to_owned()));
    }
    check_usd(plant, skin, frames.len(), motion, path)?;
    let timing = Timing { frames: frames.len(), frames_per_second: rate(frames)?, uneven: uneven_codes(frames) };
    let written = match motion {
        UsdMotion::Points => points::export(plant, skin, frames, &timing, path, progress),
        UsdMotion::Skeleton(bones) => skeleton::export(plant, skin, frames, bones, &timing, path, progress),
    }?;
    Ok(UsdReport {
        meshes: written.meshes,
        points: written.points,
        frames: timing.frames,
        seconds: frames.time(timing.frames - 1),
        frames_per_second: timing.frames_per_second,
        images: written.images,
        bytes: written.bytes,
        skeleton: written.skeleton,
    })
}

/// Writes a static plant.
pub(crate) fn export_still(plant: &Plant, skin: &Skin, path: &Path) -> Result<(), ExportError> {
    let write = || {
        check(plant, skin)?;
        let mut scene = Scene::new(plant, skin, &skin.trees, &image_names(path));
        let layer = scene.still();
        write(&layer, &scene, &mut |_, _| Ok(()), path)
    };
    write().map(drop).map_err(|error| match error {
        AnimationError::Beside(error) => error,
        AnimationError::Skin(reason) => ExportError::Skin { path: path.to_owned(), reason },
        AnimationError::Os(reason) => ExportError::Os { path: path.to_owned(), reason },
        other => ExportError::Os { path: path.to_owned(), reason: std::io::Error::other(other.to_string()) },
    })
}

/// Vertex counts are signed integers.
fn check(plant: &Plant, skin: &Skin) -> Result<(), AnimationError> {
    skin_check::check(plant, skin)?;
    let corners = |part: &windfall_skin::SkinPart| part.mesh.positions.len().max(3 * part.mesh.triangles.len());
    let count = skin.trees.iter().flat_map(|tree| &tree.parts).map(corners).max().unwrap_or(0);
    let most = i32::MAX as usize;
    if count > most {
        let (what, advice) = ("corners in a mesh", "take a skin with less detail (--lod)");
        return Err(AnimationError::TooMany { count, what, ending: "usd", most, advice });
    }
    Ok(())
}

/// Result of writing.
struct Written {
    meshes: usize,
    points: usize,
    images: usize,
    bytes: u64,
    skeleton: Option<UsdBones>,
}

/// Prefix of image names. A package contains the companion files of a `.usdc` with this name.
fn image_names(path: &Path) -> String {
    let is_package = matches!(ExportFormat::of(path), Ok(ExportFormat::Usdz));
    if is_package { format!("{}.usdc", file_stem(path)) } else { whole_name(path) }
}

/// Writes a layer and the images of its materials.
fn write(
    layer: &Layer<'_>,
    scene: &Scene<'_>,
    sample: &mut Sample<'_>,
    path: &Path,
) -> Result<Written, AnimationError> {
    let format = ExportFormat::of(path)?;
    let mut file = atomic::begin(path)?;
    let mut files = Vec::new();
    match format {
        ExportFormat::Usdz => {
            write_package(layer, scene, sample, &mut file, path)?;
        }
        ExportFormat::Usda | ExportFormat::Usdc => {
            files = stage_images(&scene.materials.images, path)?;
            if format == ExportFormat::Usda {
                text::write(layer, sample, &mut file)?;
            } else {
                crate_file::write(layer, sample, &mut file.out)?;
            }
        }
        _ => return Err(AnimationError::Ending(".usda, .usdc or .usdz")),
    }
    files.push(file.complete()?);
    let bytes = files.last().map_or(Ok(0), |file| file.path().metadata().map(|about| about.len()))?;
    atomic::publish_all(files)?;
    let (meshes, points) = scene.counts();
    Ok(Written { meshes, points, images: scene.materials.images.len(), bytes, skeleton: None })
}

/// The crate file is in a temporary file until complete.
fn write_package(
    layer: &Layer<'_>,
    scene: &Scene<'_>,
    sample: &mut Sample<'_>,
    file: &mut atomic::Begun,
    path: &Path,
) -> Result<(), AnimationError> {
    let name = image_names(path);
    let images: Vec<(&str, Vec<u8>)> =
        scene.materials.images.par_iter().map(|file| (&*file.name, images::png(&file.image))).collect();
    // Size errors are reported before the first frame is read.
    let sizes = images.iter().map(|(name, png)| (*name, png.len() as u64));
    let bytes = crate_file::bytes(layer)?;
    check_package(package::package_bytes([(&*name, bytes)].into_iter().chain(sizes)))?;
    let mut out = BufWriter::with_capacity(1 << 20, Temporary::new_in(file.folder())?);
    let written = crate_file::write(layer, sample, &mut out)?;
    debug_assert_eq!(written, bytes, "samples take as much room as zeros");
    let mut whole = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    let mut package = package::Package::new(&mut file.out);
    package.add(&name, &mut whole)?;
    for (name, png) in images {
        package.add(name, &mut Cursor::new(png))?;
    }
    package.finish()?;
    Ok(())
}
