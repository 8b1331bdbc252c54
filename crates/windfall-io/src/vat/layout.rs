//! Where in the texture the frames of a vertex stand.

use glam::Vec2;

use super::VatError;

/// Pixels that a side may have. WebGPU promises 8192, and `OpenVAT` writes no more.
pub const MOST_PIXELS: usize = 8192;

/// `OpenVAT` writes no narrower ones.
const LEAST_PIXELS: usize = 64;

/// Size and order of a texture with packed normals. Sides are powers of two, since engines scale others (Unity does, unless told not to).
///
/// Each vertex has a column, and in it a row for each frame, from the top down, and one more row after the last. Where there are more vertices than columns, the next
/// ones begin below. Offsets fill the upper half, normals the lower one in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VatLayout {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Vertices.
    pub vertices: usize,
    /// Frames that a reader counts.
    pub frames: usize,
}

/// What a row of the texture holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    /// Whether it is a row of normals; otherwise of offsets.
    pub normals: bool,
    /// Counted from 0; the number of frames itself for the row after the last.
    pub frame: usize,
    /// The vertex in its first column.
    pub first: usize,
    /// Vertices in it.
    pub count: usize,
}

impl VatLayout {
    /// The smallest texture that holds so much; of several the one nearest to a square. An error says how much fits.
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

    /// Texture coordinates of the first frame of a vertex, in the middle of its pixel; v runs down.
    pub fn uv(&self, vertex: usize) -> Vec2 {
        let (column, row) = (vertex % self.width, vertex / self.width * (self.frames + 1));
        Vec2::new((column as f32 + 0.5) / self.width as f32, (row as f32 + 0.5) / self.height as f32)
    }

    /// What stands in a row, counted from the top; none if it is empty.
    pub(crate) fn row(&self, row: usize) -> Option<Row> {
        let (normals, row) = (row >= self.height / 2, row % (self.height / 2));
        let first = row / (self.frames + 1) * self.width;
        let count = self.vertices.checked_sub(first)?.min(self.width);
        (count > 0).then_some(Row { normals, frame: row % (self.frames + 1), first, count })
    }
}
