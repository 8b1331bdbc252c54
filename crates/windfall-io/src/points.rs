//! Point caches: the position of every vertex in each frame, with the mesh itself as OBJ.
//!
//! | ending | header | numbers |
//! |---|---|---|
//! | `.pc2` | `POINTCACHE2\0`, version 1, points, first frame 0, frames per sample 1, samples | little endian |
//! | `.mdd` | frames, points, the time of each frame in seconds | big endian |
//!
//! After that both have three f32 per point and frame. Both formats are derived from existing
//! implementations (here: Blender's Mesh Cache modifier and its exporters); neither has a specification.
//!
//! `oak.pc2` belongs to `oak.pc2.obj` (and `oak.mdd` to `oak.mdd.obj`, since the two may have different
//! trees or skins), which is written with it: one object for all trees, its vertices in the order of the
//! cache, metres relative to the origin of the first tree, y up. Rounding to f32 grows with the distance
//! between trees: errors above 1 mm are rejected, and the report contains the error. Every vertex has a
//! triangle, since readers drop others. All frames have all vertices, including those of detached bodies.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use glam::{DVec3, Vec3};
use serde::Serialize;
use windfall_core::Plant;
use windfall_skin::{Skin, SkinPart};

use crate::frames::Frames;
use crate::glb::drawn_parts;
use crate::obj::{self, Objects};
use crate::skeletal::{AnimationError, Progress};
use crate::surface::{Surface, without_unused};
use crate::times::{check_short_times, even_rate, rate};
use crate::{ExportFormat, atomic, skin_check};

/// Points and frames of a cache.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointReport {
    /// Vertices of the mesh.
    pub points: usize,
    /// Number of frames.
    pub frames: usize,
    /// Duration from the first frame to the last, s.
    pub seconds: f64,
    /// Frame rate.
    pub frames_per_second: f64,
    /// Maximum rounding error of a vertex along an axis in f32, m. It grows with the distance from the
    /// first tree.
    pub rounding_m: f64,
    /// Size of the cache.
    pub bytes: u64,
    /// Name of the mesh beside it.
    pub mesh: String,
}

/// Maximum number of points and frames: readers use signed integers.
const MOST: usize = i32::MAX as usize;

/// Maximum rounding error of a rest vertex along an axis, m: less than the thickness of any twig. Trees
/// may be 32 km apart.
const MOST_ROUNDING: f64 = 1e-3;

#[derive(Clone, Copy)]
enum Cache {
    Pc2,
    Mdd,
}

impl Cache {
    /// The format by file extension, with the extension.
    fn of(path: &Path) -> Result<(Self, &'static str), AnimationError> {
        match ExportFormat::of(path) {
            Ok(ExportFormat::Pc2) => Ok((Self::Pc2, "pc2")),
            Ok(ExportFormat::Mdd) => Ok((Self::Mdd, "mdd")),
            _ => Err(AnimationError::Ending(".pc2 or .mdd")),
        }
    }
}

/// Path of the mesh of a cache.
fn mesh_of(cache: &Path) -> PathBuf {
    let mut name = cache.file_name().unwrap_or_default().to_owned();
    name.push(".obj");
    cache.with_file_name(name)
}

/// Checks before a simulation, as far as possible, that a cache of this many frames can be written here:
/// known extension, all files writable, counts within limits, and trees not too far apart.
pub fn check_points(plant: &Plant, skin: &Skin, frames: usize, path: &Path) -> Result<(), AnimationError> {
    let (_, ending) = Cache::of(path)?;
    skin_check::check(plant, skin)?;
    skin_check::check_bindings(plant, skin)?;
    let points = skin.vertex_count();
    for (count, what, advice) in [
        (points, "vertices", "take a skin with less detail (--lod)"),
        (frames, "frames", "take a shorter stretch or fewer in a second"),
    ] {
        if count > MOST {
            return Err(AnimationError::TooMany { count, what, ending, most: MOST, advice });
        }
    }
    let corners = placed_parts(plant, skin).filter_map(|(offset, part)| {
        let (low, high) = part.mesh.bounds()?;
        let [low, high] = [low, high].map(|corner| (offset + corner.as_dvec3()).abs().max_element());
        Some(low.max(high))
    });
    let metres = corners.fold(0.0, f64::max);
    let rounding = rounding_at(metres);
    if rounding > MOST_ROUNDING {
        return Err(AnimationError::FarApart { metres, rounding, ending });
    }
    let files = obj::files(skin, &mesh_of(path));
    atomic::check_all(files.iter().map(PathBuf::as_path).chain([path]))?;
    Ok(())
}

/// Parts with triangles, each with the offset of its tree from the first one, m.
fn placed_parts<'a>(plant: &'a Plant, skin: &'a Skin) -> impl Iterator<Item = (DVec3, &'a SkinPart)> {
    let base = plant.trees().first().map_or(DVec3::ZERO, |tree| tree.origin);
    let trees = plant.trees().iter().zip(&skin.trees);
    trees.flat_map(move |(tree, skin)| drawn_parts(&skin.parts).map(move |part| (tree.origin - base, part)))
}

/// Maximum rounding error in f32 of a number of this magnitude.
fn rounding_at(size: f64) -> f64 {
    let size = size as f32;
    0.5 * (f64::from(size.next_up()) - f64::from(size))
}

/// Writes a point cache (`.pc2` or `.mdd`) and its OBJ. Each frame is read once; memory does not grow with
/// their number. All files are complete before the first is renamed; the cache is renamed last.
pub fn export_points(
    plant: &Plant,
    skin: &Skin,
    frames: &mut dyn Frames,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<PointReport, AnimationError> {
    let (cache, ending) = Cache::of(path)?;
    let total = frames.len();
    if total == 0 {
        return Err(AnimationError::NoFrames(ending.to_owned()));
    }
    check_points(plant, skin, total, path)?;
    let frames_per_second = match cache {
        Cache::Pc2 => even_rate(frames, "a .pc2 file")?,
        Cache::Mdd => {
            let rate = rate(frames)?;
            check_short_times(frames)?;
            rate
        }
    };
    let skin = without_unused(skin);
    let parts: Vec<(DVec3, &SkinPart)> = placed_parts(plant, &skin).collect();
    let points = parts.iter().map(|(_, part)| part.mesh.positions.len()).sum::<usize>();
    let mesh_path = mesh_of(path);
    let mut file = atomic::begin(path)?;
    let mut files = obj::stage(plant, &skin, Objects::One, &mesh_path)?;
    let header = match cache {
        Cache::Pc2 => write_pc2_header(&mut file.out, points, total),
        Cache::Mdd => write_mdd_header(&mut file.out, points, &*frames),
    }?;
    let mut surface = Surface::new(plant);
    let mut farthest = 0.0_f32;
    for frame in 0..total {
        surface.read(frames, frame)?;
        for (offset, part) in &parts {
            let (positions, _) = surface.of(&part.mesh);
            let far = match cache {
                Cache::Pc2 => write_points(&mut file.out, positions, *offset, f32::to_le_bytes)?,
                Cache::Mdd => write_points(&mut file.out, positions, *offset, f32::to_be_bytes)?,
            };
            farthest = farthest.max(far);
        }
        progress(Progress { done: frame + 1, total });
    }
    files.push(file.complete()?);
    atomic::publish_all(files)?;
    Ok(PointReport {
        points,
        frames: total,
        seconds: frames.time(total - 1),
        frames_per_second,
        rounding_m: rounding_at(farthest.into()),
        bytes: header + 12 * points as u64 * total as u64,
        mesh: mesh_path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    })
}

/// Returns its size in bytes.
fn write_pc2_header(out: &mut dyn Write, points: usize, frames: usize) -> io::Result<u64> {
    out.write_all(b"POINTCACHE2\0")?;
    out.write_all([1, points as i32].map(i32::to_le_bytes).as_flattened())?;
    // First frame, and frames of the host program per sample.
    out.write_all([0.0_f32, 1.0].map(f32::to_le_bytes).as_flattened())?;
    out.write_all(&(frames as i32).to_le_bytes())?;
    Ok(32)
}

/// Returns its size in bytes.
fn write_mdd_header(out: &mut dyn Write, points: usize, frames: &dyn Frames) -> io::Result<u64> {
    out.write_all([frames.len() as i32, points as i32].map(i32::to_be_bytes).as_flattened())?;
    for frame in 0..frames.len() {
        out.write_all(&(frames.time(frame) as f32).to_be_bytes())?;
    }
    Ok(8 + 4 * frames.len() as u64)
}

/// Returns the largest magnitude.
fn write_points(
    out: &mut dyn Write,
    positions: &[Vec3],
    offset: DVec3,
    bytes: impl Fn(f32) -> [u8; 4] + Copy,
) -> io::Result<f32> {
    let mut buffer = Vec::with_capacity(12 * 4096);
    let mut farthest = 0.0_f32;
    for some in positions.chunks(4096) {
        buffer.clear();
        for &position in some {
            // Rounded once.
            let place = (position.as_dvec3() + offset).as_vec3();
            farthest = farthest.max(place.abs().max_element());
            buffer.extend_from_slice(place.to_array().map(bytes).as_flattened());
        }
        out.write_all(&buffer)?;
    }
    Ok(farthest)
}
