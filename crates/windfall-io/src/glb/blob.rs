//! The pieces of the binary chunk: their sizes are known in advance, and they are converted to bytes only
//! while writing.

use std::io::{self, Write};

use glam::{Mat4, Vec2, Vec3};

/// One piece. Large data are borrowed from the skin.
pub(super) enum Blob<'a> {
    /// Positions or normals, f32.
    Vectors(&'a [Vec3]),
    /// Texture coordinates, f32.
    Uvs(&'a [Vec2]),
    /// Colours, normalised u8.
    Tints(&'a [[u8; 4]]),
    /// Triangles, u32.
    Indices(&'a [[u32; 3]]),
    /// Triangles of at most 65535 vertices, u16.
    ShortIndices(&'a [[u32; 3]]),
    /// Four joints per vertex, u8.
    Joints(&'a [[u8; 4]]),
    /// Four weights per vertex, normalised u16.
    Weights(&'a [[u16; 4]]),
    /// Matrices, f32, column-major.
    Matrices(Vec<Mat4>),
    /// A whole PNG file.
    Png(Vec<u8>),
}

impl Blob<'_> {
    /// Size in bytes, without padding.
    pub fn bytes(&self) -> u64 {
        let (count, size) = match self {
            Self::Vectors(list) => (list.len(), 12),
            Self::Uvs(list) => (list.len(), 8),
            Self::Tints(list) | Self::Joints(list) => (list.len(), 4),
            Self::Weights(list) => (list.len(), 8),
            Self::Matrices(list) => (list.len(), 64),
            Self::Indices(list) => (list.len(), 12),
            Self::ShortIndices(list) => (list.len(), 6),
            Self::Png(file) => (file.len(), 1),
        };
        count as u64 * size
    }

    /// Writes the piece, padded with zeros to a multiple of four bytes.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Vectors(list) => stream(out, list, |v| v.to_array().map(f32::to_le_bytes)),
            Self::Uvs(list) => stream(out, list, |v| v.to_array().map(f32::to_le_bytes)),
            Self::Tints(list) | Self::Joints(list) => stream(out, list, |&four| [four]),
            Self::Weights(list) => stream(out, list, |four| four.map(u16::to_le_bytes)),
            Self::Matrices(list) => stream(out, list, |m| m.to_cols_array().map(f32::to_le_bytes)),
            Self::Indices(list) => stream(out, list, |t| t.map(u32::to_le_bytes)),
            Self::ShortIndices(list) => stream(out, list, |t| t.map(|i| (i as u16).to_le_bytes())),
            Self::Png(file) => out.write_all(file),
        }?;
        out.write_all(&[0; 3][..padding(self.bytes())])
    }
}

/// Bytes to the next multiple of four.
pub(super) fn padding(bytes: u64) -> usize {
    (bytes.wrapping_neg() % 4) as usize
}

/// Converts items of `P` numbers with `S` bytes each to bytes, in small batches.
fn stream<T, const P: usize, const S: usize>(
    out: &mut dyn Write,
    list: &[T],
    numbers_of: impl Fn(&T) -> [[u8; S]; P],
) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(P * S * 4096);
    for some in list.chunks(4096) {
        buffer.clear();
        for item in some {
            buffer.extend_from_slice(numbers_of(item).as_flattened());
        }
        out.write_all(&buffer)?;
    }
    Ok(())
}
