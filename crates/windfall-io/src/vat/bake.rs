//! Conversion of poses to offsets and normals of vertices. They are produced frame by frame and needed
//! column by column; meanwhile they are in temporary files.

use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use glam::Vec3;
use windfall_core::Plant;
use windfall_skin::Skin;

use super::VatError;
use crate::frames::Frames;
use crate::glb::drawn_parts;
use crate::surface::Surface;
use crate::temporary::Temporary;

/// Bytes of a vector.
const VECTOR: u64 = 12;

/// A vector for each vertex in each frame, on disk.
pub(super) struct Baked {
    file: Temporary,
    vertices: usize,
    buffer: Vec<u8>,
}

/// The whole motion.
pub(super) struct Bake {
    /// Displacement of each vertex from rest, m, in the axes of the texture.
    pub offsets: Baked,
    /// Unit vectors, in the axes of the texture.
    pub normals: Baked,
    /// Smallest offsets, m.
    pub min: Vec3,
    /// Largest offsets, m.
    pub max: Vec3,
}

/// Axes of Blender, which readers of `OpenVAT` expect: x unchanged, y = -z, z up.
fn in_texture(v: Vec3) -> Vec3 {
    Vec3::new(v.x, -v.z, v.y)
}

/// Reads the first frames of a motion, each once. `seen` is called after each.
pub(super) fn bake(
    plant: &Plant,
    skin: &Skin,
    frames: &mut dyn Frames,
    count: usize,
    folder: &Path,
    mut seen: impl FnMut(),
) -> Result<Bake, VatError> {
    let spill = || io::Result::Ok(BufWriter::with_capacity(1 << 20, Temporary::new_in(folder)?));
    let (mut offsets, mut normals) = (spill()?, spill()?);
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let mut surface = Surface::new(plant);
    let parts = || skin.trees.iter().flat_map(|tree| drawn_parts(&tree.parts));
    for frame in 0..count {
        surface.read(frames, frame)?;
        for part in parts() {
            let (moved, turned) = surface.of(&part.mesh);
            for ((&place, &at_rest), &normal) in moved.iter().zip(&part.mesh.positions).zip(turned) {
                let offset = in_texture(place - at_rest);
                (min, max) = (min.min(offset), max.max(offset));
                put(&mut offsets, offset)?;
                put(&mut normals, in_texture(normal))?;
            }
        }
        seen();
    }
    let vertices = parts().map(|part| part.mesh.positions.len()).sum();
    let done = |out: BufWriter<Temporary>| {
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        io::Result::Ok(Baked { file, vertices, buffer: Vec::new() })
    };
    Ok(Bake { offsets: done(offsets)?, normals: done(normals)?, min, max })
}

fn put(out: &mut impl Write, v: Vec3) -> io::Result<()> {
    out.write_all(v.to_array().map(f32::to_le_bytes).as_flattened())
}

impl Baked {
    /// Vectors of a contiguous range of vertices in one frame.
    pub fn read(&mut self, frame: usize, first: usize, count: usize) -> io::Result<impl Iterator<Item = Vec3>> {
        let place = VECTOR * (frame as u64 * self.vertices as u64 + first as u64);
        self.buffer.resize(count * VECTOR as usize, 0);
        self.file.seek(SeekFrom::Start(place))?;
        self.file.read_exact(&mut self.buffer)?;
        let number = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        Ok(self
            .buffer
            .chunks_exact(VECTOR as usize)
            .map(move |v| Vec3::new(number(v), number(&v[4..]), number(&v[8..]))))
    }
}
