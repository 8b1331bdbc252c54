//! Layout of the texture: positions of the frames of each vertex.

use glam::Vec2;

use super::VatError;

/// Maximum side in pixels. WebGPU guarantees 8192, and `OpenVAT` writes no more.
pub const MOST_PIXELS: usize = 8192;

/// Minimum width in pixels; `OpenVAT` writes no narrower ones.
const LEAST_PIXELS: usize = 64;

/// Size and order of a texture with packed normals. Sides are powers of two, since engines rescale other
/// sizes (Unity by default).
///
/// Each vertex has a column, and in it a row for each frame, from the top down, and one more row after the
/// last. If there are more vertices than columns, the next vertices begin below. Offsets fill the upper
/// half, normals the lower half in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VatLayout {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Vertices.
    pub vertices: usize,
    /// Number of frames seen by a reader.
    pub frames: usize,
}

/// Content of a row of the texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    /// Whether it is a row of normals; otherwise of offsets.
    pub normals: bool,
    /// Frame index from 0; equal to the number of frames for the row after the last.
    pub frame: usize,
    /// The vertex in its first column.
    pub first: usize,
    /// Vertices in it.
    pub count: usize,
}

impl VatLayout {
    /// The smallest sufficient texture; of several the one nearest to a square. The error contains the
    /// maximum sizes.
    pub fn new(vertices: usize, frames: usize) -> Result<Self, VatError> {
        if vertices == 0 {
            return Err(VatError::NoVertices);
        }
        if frames == 0 {
            return Err(VatError::NoFrames);
        }
        let sides = || (0..).map(|power| LEAST_PIXELS << power).take_while(|&side| side <= MOST_PIXELS);
        let height_of = |width: usize| {
            let rows = vertices.div_ceil(width).checked_mul(frames.checked_add(1)?)?.checked_mul(2)?;
            sides().find(|&height| height >= rows)
        };
        let sizes = sides().filter_map(|width| Some((width, height_of(width)?)));
        let best = sizes.min_by_key(|&(width, height)| (width * height, width.max(height), height));
        let Some((width, height)) = best else {
            let rows = |frames: usize| MOST_PIXELS / 2 / frames.saturating_add(1);
            let most_frames = (MOST_PIXELS / 2 / vertices.div_ceil(MOST_PIXELS)).saturating_sub(1);
            return Err(VatError::TooLarge {
                vertices,
                frames,
                most_vertices: rows(frames) * MOST_PIXELS,
                most_frames,
            });
        };
        Ok(Self { width, height, vertices, frames })
    }

    /// Texture coordinates of the first frame of a vertex, at the centre of its pixel; v points down.
    pub fn uv(&self, vertex: usize) -> Vec2 {
        let (column, row) = (vertex % self.width, vertex / self.width * (self.frames + 1));
        Vec2::new((column as f32 + 0.5) / self.width as f32, (row as f32 + 0.5) / self.height as f32)
    }

    /// Content of a row, counted from the top; `None` if it is empty.
    pub(crate) fn row(&self, row: usize) -> Option<Row> {
        let (normals, row) = (row >= self.height / 2, row % (self.height / 2));
        let first = row / (self.frames + 1) * self.width;
        let count = self.vertices.checked_sub(first)?.min(self.width);
        (count > 0).then_some(Row { normals, frame: row % (self.frames + 1), first, count })
    }
}
