//! Assembles the variants of a leaf side by side in one texture.

use rayon::prelude::*;
use windfall_core::LeafKind;

use super::bark::SIZES;
use super::blade::{Cell, paint_blade, paint_blossom};
use super::canvas::Grid;
use super::color::{byte, pixel};
use super::data::LeafLook;
use super::needles::paint_needles;
use super::noise::fold_seed;
use super::outline;
use super::relief::Relief;
use crate::material::{Image, Material};

/// Pixels with less alpha than this are holes.
const CUTOFF: f32 = 0.5;

/// The leaves of a look as a texture of `look.variants` cells side by side, each of about `size` by
/// `size` pixels (clamped to 16 to 1024), higher and narrower for long leaves; sides are powers of two.
///
/// In a cell the base of the blade is at the bottom middle, its tip at the top, and its width fills the
/// cell except for two pixels at each side. Colours continue under the holes, so that filtering mixes in
/// no other colour at the edge.
pub fn paint_leaf(look: &LeafLook, size: u32, seed: u64) -> Material {
    let seed = fold_seed(seed);
    let grid = grid(look, size.clamp(SIZES.0, 1024));
    let cells: Vec<(Cell, Vec<u32>)> = (0..look.variants)
        .into_par_iter()
        .map(|variant| {
            let cell = match (look.kind, &look.needles) {
                (LeafKind::Needles, Some(needles)) => paint_needles(look, needles, &grid, variant, seed),
                (LeafKind::Blossom, _) => paint_blossom(look, &grid, variant, seed),
                _ => paint_blade(look, &grid, variant, seed),
            };
            let nearest = grid.nearest(|i| cell.cover[i] > 0.9).or_else(|| grid.nearest(|i| cell.cover[i] > 0.0));
            (cell, nearest.unwrap_or_else(|| (0..grid.len() as u32).collect()))
        })
        .collect();
    let atlas = |value: &(dyn Fn(&Cell, usize, usize) -> [u8; 4] + Sync)| {
        let width = grid.width * cells.len();
        let mut pixels = vec![[0; 4]; width * grid.height];
        pixels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, out) in row.iter_mut().enumerate() {
                let (cell, nearest) = &cells[x / grid.width];
                let i = y * grid.width + x % grid.width;
                *out = value(cell, i, nearest[i] as usize);
            }
        });
        Image { width: width as u32, height: grid.height as u32, pixels }
    };
    let heights = atlas_heights(&grid, &cells);
    let step = grid.pixel();
    Material {
        base_color: Some(atlas(&|cell, i, near| {
            let [r, g, b, _] = pixel(cell.color[near]);
            [r, g, b, byte(cell.cover[i])]
        })),
        normal: Some(heights.normals(step.y / step.x)),
        roughness: Some(atlas(&|cell, _, near| [255, byte(cell.roughness[near].max(0.05)), 0, 255])),
        translucency: Some(atlas(&|cell, _, near| pixel(cell.glow[near]))),
        alpha_cutoff: Some(CUTOFF),
        double_sided: true,
        ..Material::default()
    }
}

/// Heights of the whole texture in widths of a pixel.
fn atlas_heights(grid: &Grid, cells: &[(Cell, Vec<u32>)]) -> Relief {
    let width = grid.width * cells.len();
    let unit = 1.0 / grid.pixel().x;
    let values = (0..width * grid.height)
        .map(|n| {
            let (x, y) = (n % width, n / width);
            let (cell, nearest) = &cells[x / grid.width];
            cell.height[nearest[y * grid.width + x % grid.width] as usize] * unit
        })
        .collect();
    Relief { width, height: grid.height, values, wraps: false }
}

fn grid(look: &LeafLook, size: u32) -> Grid {
    let aspect = match (look.kind, &look.needles) {
        (LeafKind::Needles, Some(needles)) => needles.aspect,
        (LeafKind::Blossom, _) => 1.0,
        _ => outline::aspect(look),
    };
    let root = aspect.sqrt();
    Grid { width: power_of_two(size as f32 * root), height: power_of_two(size as f32 / root), aspect }
}

/// The nearest power of two (by ratio), 16 to 4096.
fn power_of_two(value: f32) -> usize {
    let below = (value.max(1.0) as usize).next_power_of_two() / 2;
    let nearest = if value > below as f32 * std::f32::consts::SQRT_2 { 2 * below } else { below };
    nearest.clamp(16, 4096)
}
