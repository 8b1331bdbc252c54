//! Point caches: where every vertex of a mesh is in each frame, beside the mesh itself as OBJ.
//!
//! | ending | header | numbers |
//! |---|---|---|
//! | `.pc2` | `POINTCACHE2\0`, version 1, points, first frame 0, frames per sample 1, samples | little endian |
//! | `.mdd` | frames, points, the time of each frame in seconds | big endian |
//!
//! After that both have three f32 per point and frame. Both formats are known from what programs read and write (here: Blender's Mesh Cache modifier and its
//! exporters); neither has a specification.
//!
//! `oak.pc2` belongs to `oak.obj`, which is written with it: one object for all trees, its vertices in the order of the cache, metres relative to the origin
//! of the first tree, y up. Every vertex has a triangle, since readers drop others. All frames have all vertices, those of what has let go too.

use std::io::{self, Write};
use std::path::Path;

use glam::{DVec3, Vec3};
use serde::Serialize;
use windfall_core::Plant;
use windfall_skin::{Skin, SkinPart};

use crate::frames::Frames;
use crate::obj::{self, Objects};
use crate::skeletal::{AnimationError, Progress};
use crate::surface::{Surface, rate, without_unused};
use crate::{ExportFormat, atomic, skin_check};

/// Points and frames of a cache.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointReport {
    /// Vertices of the mesh.
    pub points: usize,
    /// How many there are.
    pub frames: usize,
    /// From the first to the last.
    pub seconds: f64,
    /// Rate.
    pub frames_per_second: f64,
    /// Size of the cache.
    pub bytes: u64,
    /// Name of the mesh beside it.
    pub mesh: String,
}

/// Most points and frames: readers count them with signed numbers.
const MOST: usize = i32::MAX as usize;

#[derive(Clone, Copy)]
enum Cache {
    Pc2,
    Mdd,
}

/// Writes a point cache (`.pc2` or `.mdd`) and the OBJ that it belongs to. Each frame is read once; memory does not grow with their number. All files are
/// complete before the first gets its name, the cache gets it last.
pub fn export_points(
    plant: &Plant,
    skin: &Skin,
    frames: &mut dyn Frames,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<PointReport, AnimationError> {
    let (cache, ending) = match ExportFormat::of(path) {
        Ok(ExportFormat::Pc2) => (Cache::Pc2, "pc2"),
        Ok(ExportFormat::Mdd) => (Cache::Mdd, "mdd"),
        _ => return Err(AnimationError::Ending(".pc2 or .mdd")),
    };
    skin_check::check(plant, skin)?;
    skin_check::check_bindings(plant, skin)?;
    let skin = without_unused(skin);
    let base = plant.trees().first().map_or(DVec3::ZERO, |tree| tree.origin);
    let parts: Vec<(Vec3, &SkinPart)> = (plant.trees().iter().zip(&skin.trees))
        .flat_map(|(tree, tree_skin)| tree_skin.parts.iter().map(move |part| ((tree.origin - base).as_vec3(), part)))
        .filter(|(_, part)| !part.mesh.triangles.is_empty())
        .collect();
    let points = parts.iter().map(|(_, part)| part.mesh.positions.len()).sum::<usize>();
    let total = frames.len();
    if total == 0 {
        return Err(AnimationError::NoFrames(ending.to_owned()));
    }
    for (count, what, advice) in [
        (points, "vertices", "take a skin with less detail (--lod)"),
        (total, "frames", "take a shorter stretch or fewer in a second"),
    ] {
        if count > MOST {
            return Err(AnimationError::TooMany { count, what, ending, most: MOST, advice });
        }
    }
    let frames_per_second = rate(frames)?;
    let mesh_path = path.with_extension("obj");
    let mut file = atomic::begin(path)?;
    let mut files = obj::stage(plant, &skin, Objects::One, &mesh_path)?;
    let header = match cache {
        Cache::Pc2 => write_pc2_header(&mut file.out, points, total),
        Cache::Mdd => write_mdd_header(&mut file.out, points, &*frames),
    }?;
    let mut surface = Surface::new(plant);
    for frame in 0..total {
        surface.read(frames, frame)?;
        for (offset, part) in &parts {
            let (positions, _) = surface.of(&part.mesh);
            match cache {
                Cache::Pc2 => write_points(&mut file.out, positions, *offset, f32::to_le_bytes)?,
                Cache::Mdd => write_points(&mut file.out, positions, *offset, f32::to_be_bytes)?,
            }
        }
        progress(Progress { done: frame + 1, total });
    }
    files.push(file.complete()?);
    files.into_iter().try_for_each(atomic::Staged::publish)?;
    Ok(PointReport {
        points,
        frames: total,
        seconds: frames.time(total - 1),
        frames_per_second,
        bytes: header + 12 * points as u64 * total as u64,
        mesh: mesh_path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    })
}

/// Gives the bytes that it takes.
fn write_pc2_header(out: &mut dyn Write, points: usize, frames: usize) -> io::Result<u64> {
    out.write_all(b"POINTCACHE2\0")?;
    out.write_all([1, points as i32].map(i32::to_le_bytes).as_flattened())?;
    // First frame, and how many frames of the program there are from one sample to the next.
    out.write_all([0.0_f32, 1.0].map(f32::to_le_bytes).as_flattened())?;
    out.write_all(&(frames as i32).to_le_bytes())?;
    Ok(32)
}

/// Gives the bytes that it takes.
fn write_mdd_header(out: &mut dyn Write, points: usize, frames: &dyn Frames) -> io::Result<u64> {
    out.write_all([frames.len() as i32, points as i32].map(i32::to_be_bytes).as_flattened())?;
    for frame in 0..frames.len() {
        out.write_all(&(frames.time(frame) as f32).to_be_bytes())?;
    }
    Ok(8 + 4 * frames.len() as u64)
}

fn write_points(
    out: &mut dyn Write,
    positions: &[Vec3],
    offset: Vec3,
    bytes: impl Fn(f32) -> [u8; 4] + Copy,
) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(12 * 4096);
    for some in positions.chunks(4096) {
        buffer.clear();
        for &position in some {
            buffer.extend_from_slice((position + offset).to_array().map(bytes).as_flattened());
        }
        out.write_all(&buffer)?;
    }
    Ok(())
}
