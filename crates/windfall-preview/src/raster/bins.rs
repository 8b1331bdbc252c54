//! Binning of triangles into the tiles of a raster.

use rayon::prelude::*;

use super::tile::Tile;
use super::triangle::{ScreenTriangle, on_raster};
use crate::camera::View;
use crate::noise::floor;
use crate::scene::Item;

/// Number of triangles sorted by one thread at a time.
const CHUNK: usize = 32_768;

/// A raster divided into square tiles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    pub width: u32,
    pub height: u32,
    /// Samples along the side of a tile.
    pub tile: u32,
    /// Width of the border of neighbouring samples included in a tile.
    pub apron: u32,
}

impl Grid {
    pub fn columns(&self) -> u32 {
        self.width.div_ceil(self.tile)
    }

    pub fn rows(&self) -> u32 {
        self.height.div_ceil(self.tile)
    }

    pub fn count(&self) -> usize {
        self.columns() as usize * self.rows() as usize
    }

    /// The tiles that a triangle touches, as first and last column and row; `None` if it covers no sample.
    fn tiles(&self, triangle: &ScreenTriangle) -> Option<[u32; 4]> {
        let [a, b, c] = triangle.corners;
        let span = |lo: f32, hi: f32, size: u32| {
            let apron = self.apron as f32;
            let first = -floor(0.5 - lo.max(-apron));
            let last = floor(hi.min(size as f32 + apron) - 0.5);
            let tile = self.tile as f32;
            let end = size.div_ceil(self.tile) - 1;
            (first <= last)
                .then(|| (((first - apron) / tile).max(0.0) as u32, (((last + apron) / tile).max(0.0) as u32).min(end)))
        };
        let (x0, x1) = span(a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x), self.width)?;
        let (y0, y1) = span(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y), self.height)?;
        Some([x0, x1, y0, y1])
    }
}

/// Triangles of each tile.
pub(crate) struct Bins<'a> {
    items: &'a [Item<'a>],
    view: &'a View,
    least_radius: f32,
    grid: Grid,
    chunks: Vec<Chunk>,
}

/// A run of triangles of one item, sorted by tile. Chunks keep their order, so that every tile draws in
/// scene order independent of threads.
struct Chunk {
    item: u32,
    /// Number of the item's first triangle in the scene.
    base: u32,
    /// Triangles of the item, those of the first tile first.
    triangles: Vec<u32>,
    /// Start of each tile, and the end.
    starts: Vec<u32>,
}

impl<'a> Bins<'a> {
    pub fn new(items: &'a [Item<'a>], view: &'a View, least_radius: f32, grid: Grid) -> Self {
        let mut runs = Vec::new();
        let mut base = 0u32;
        for (i, item) in items.iter().enumerate() {
            let n = item.mesh.triangles.len();
            runs.extend((0..n).step_by(CHUNK).map(|first| (i as u32, base, first as u32, n.min(first + CHUNK) as u32)));
            base += n as u32;
        }
        let chunks = runs
            .into_par_iter()
            .map(|(item, base, first, end)| {
                let mut touches: Vec<(u32, u32)> = Vec::new();
                for t in first..end {
                    on_raster(view, &items[item as usize], t, least_radius, |triangle| {
                        let Some([x0, x1, y0, y1]) = grid.tiles(triangle) else { return };
                        for y in y0..=y1 {
                            touches.extend((x0..=x1).map(|x| (y * grid.columns() + x, t)));
                        }
                    });
                }
                sorted(item, base, &touches, grid.count())
            })
            .filter(|chunk| !chunk.triangles.is_empty())
            .collect();
        Self { items, view, least_radius, grid, chunks }
    }

    /// Draws all triangles of a tile.
    pub fn draw(&self, number: usize, tile: &mut Tile<'_>) {
        let columns = self.grid.columns() as usize;
        debug_assert_eq!(tile.x, (number % columns * self.grid.tile as usize) as i32 - self.grid.apron as i32);
        for chunk in &self.chunks {
            let item = &self.items[chunk.item as usize];
            let range = chunk.starts[number] as usize..chunk.starts[number + 1] as usize;
            for &t in &chunk.triangles[range] {
                on_raster(self.view, item, t, self.least_radius, |triangle| {
                    tile.fill(triangle, item.surface.holes.as_ref(), chunk.base + t);
                });
            }
        }
    }

    /// The item that a triangle of the scene belongs to, and its number there.
    pub fn find(&self, id: u32) -> (&'a Item<'a>, u32) {
        let i = self.chunks.partition_point(|chunk| chunk.base <= id) - 1;
        let chunk = &self.chunks[i];
        (&self.items[chunk.item as usize], id - chunk.base)
    }
}

/// A counting sort: order within a tile is kept.
fn sorted(item: u32, base: u32, touches: &[(u32, u32)], tiles: usize) -> Chunk {
    if touches.is_empty() {
        return Chunk { item, base, triangles: Vec::new(), starts: Vec::new() };
    }
    let mut starts = vec![0u32; tiles + 1];
    for &(tile, _) in touches {
        starts[tile as usize + 1] += 1;
    }
    for i in 0..tiles {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut triangles = vec![0u32; touches.len()];
    for &(tile, t) in touches {
        let place = &mut next[tile as usize];
        triangles[*place as usize] = t;
        *place += 1;
    }
    Chunk { item, base, triangles, starts }
}
