//! Pivot Painter 2: a static mesh divided into rigid elements, and two textures with the pivot and the
//! parent of each. Wind is computed in a shader.
//!
//! The layout is that of Unreal's material functions (`PivotPainter2FoliageShader`), by Jonathan Lindquist
//! at Epic Games; Epic's pages on Pivot Painter Tool 2.0 define the channels, and third-party exporters
//! for Blender show the packing. For `oak.glb` there are:
//!
//! | file | red, green, blue | alpha |
//! |---|---|---|
//! | `oak_PivotPos_Index_16-bit.exr` | pivot, cm, half floats | number of the parent: the half float whose bits are the number + 1024 |
//! | `oak_XVector_Extent_8-bit.png` | axis along the element, (v + 1) / 2 | reach along the axis / 2048 cm, at least 8 cm |
//!
//! and `oak.glb`, whose `TEXCOORD_1` is the centre of the pixel of the vertex's element (indices run along
//! rows, from the top left).
//!
//! - Axes and units of the textures are those of Unreal for an imported `.glb`: (x, z, y) of the plant,
//!   centimetres, relative to the origin of the tree. Both are linear.
//! - An element is a branch with the forks that continue it, a leaf or a fruit. A root is its own parent.
//!   Unreal evaluates [`MOST_LEVELS`] levels: branches that grow on the last level of wood belong to their
//!   parent branch. Leaves have the level below wood, which then has one less.
//! - There are at most [`MOST_ELEMENTS`]. If there are more, leaves and fruit are merged with their
//!   branches, then branches of the last levels with their parents.
//! - A vertex moves with the body of its largest weight. At forks triangles connect both elements, so that
//!   there are no gaps.

mod elements;

use std::path::{Path, PathBuf};

use glam::{Vec2, Vec3};
use serde::Serialize;
use windfall_core::Plant;
use windfall_skin::{Image, Skin};

pub use self::elements::{MOST_ELEMENTS, MOST_LEVELS};

use self::elements::{Element, Elements};
use crate::beside::{beside, shown};
use crate::exr::{self, Samples};
use crate::glb::second_uvs::Tints;
use crate::glb::{Glb, drawn_parts};
use crate::skin_check::{self, SkinError};
use crate::{atomic, images};

/// Added to a parent's index, so that its bits are never those of a denormal half float, which GPUs may
/// flush to zero.
const FIRST_INDEX: u16 = 1024;

/// The largest extent representable in the second texture, cm.
const MOST_EXTENT: f32 = 2048.0;

/// Pixels in a row, unless there are fewer elements.
const WIDTH: usize = 256;

/// Options of the decomposition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PivotOptions {
    /// Whether leaves and fruit are elements, unless there are too many.
    pub leaves: bool,
}

impl Default for PivotOptions {
    fn default() -> Self {
        Self { leaves: true }
    }
}

/// Errors of writing pivots. The message is complete; there is no error source.
#[derive(Debug, thiserror::Error)]
pub enum PivotError {
    /// An operating system error.
    #[error("{0}")]
    Os(std::io::Error),
    /// Invalid skin.
    #[error("{0}")]
    Skin(SkinError),
    /// Too many trees: each tree is at least one element.
    #[error("{trees} trees: Pivot Painter counts at most {MOST_ELEMENTS} elements; export fewer trees at a time")]
    Trees {
        /// Trees of the plant.
        trees: usize,
    },
    /// A pivot outside the range of half floats.
    #[error(
        "a pivot lies {metres:.0} m from the origin of its tree; half floats hold at most 655 m: build the plant around its origin"
    )]
    Far {
        /// Its distance, m.
        metres: f32,
    },
}

impl From<std::io::Error> for PivotError {
    fn from(error: std::io::Error) -> Self {
        Self::Os(error)
    }
}

impl From<SkinError> for PivotError {
    fn from(error: SkinError) -> Self {
        Self::Skin(error)
    }
}

/// Report of the export.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PivotReport {
    /// The texture of pivots and parents.
    #[serde(serialize_with = "shown")]
    pub pivots: PathBuf,
    /// The texture of axes and extents.
    #[serde(serialize_with = "shown")]
    pub axes: PathBuf,
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// All elements.
    pub elements: usize,
    /// Number of these that are leaves and fruit.
    pub foliage: usize,
    /// Levels from roots to the last elements.
    pub levels: usize,
    /// Number of elements longer than the texture can represent; their extent is clamped to 20.48 m.
    pub clamped: usize,
    /// Largest rounding error of a pivot, m.
    pub largest_m: f64,
}

/// Writes the skin of a plant as a `.glb` at `path`, with both textures beside it. All three are complete
/// before the first is renamed; the `.glb` is renamed last.
pub fn export_pivot_painter(
    plant: &Plant,
    skin: &Skin,
    options: PivotOptions,
    path: &Path,
) -> Result<PivotReport, PivotError> {
    skin_check::check(plant, skin)?;
    skin_check::check_bindings(plant, skin)?;
    let elements = Elements::new(plant, skin, options.leaves)?;
    let [width, height] = size(elements.list.len());
    let uv = |element: usize| {
        let (x, y) = (element % width, element / width);
        Vec2::new((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32)
    };
    let parts = skin.trees.iter().flat_map(|tree| drawn_parts(&tree.parts));
    let uvs: Vec<Vec<Vec2>> = parts
        .map(|part| (0..part.mesh.positions.len()).map(|v| uv(elements.of_vertex(&part.mesh, v))).collect())
        .collect();
    let glb = Glb::with_second_uvs(plant, skin, &uvs, Tints::Keep)?;

    let pixels: Vec<[f32; 4]> = elements.list.iter().map(pivot_and_parent).collect();
    let mut largest = 0.0_f32;
    for (element, &[x, y, z, _]) in elements.list.iter().zip(&pixels) {
        let pivot = in_unreal(element.pivot) * 100.0;
        let left = Vec3::new(exr::half(x), exr::half(y), exr::half(z));
        if !left.is_finite() {
            return Err(PivotError::Far { metres: element.pivot.length() });
        }
        largest = largest.max(left.distance(pivot));
    }
    let pivots_path = beside(path, "_PivotPos_Index_16-bit.exr");
    let mut pivots = atomic::begin(&pivots_path)?;
    exr::write::<4>(&mut pivots.out, [width, height], Samples::Half, |y, row| {
        row.fill([0.0; 4]);
        let some = pixels.iter().skip(y * width);
        row.iter_mut().zip(some).for_each(|(to, from)| *to = *from);
        Ok(())
    })?;
    let pivots = pivots.complete()?;
    let mut pixels: Vec<[u8; 4]> = elements.list.iter().map(axis_and_extent).collect();
    pixels.resize(width * height, [0; 4]);
    let axes = Image { width: width as u32, height: height as u32, pixels };
    let axes_path = beside(path, "_XVector_Extent_8-bit.png");
    let axes = atomic::stage(&axes_path, |out| out.write_all(&images::rgba_png(&axes)))?;
    let mesh = atomic::stage(path, |out| glb.write(out))?;
    atomic::publish_all([pivots, axes, mesh])?;
    Ok(PivotReport {
        pivots: pivots_path,
        axes: axes_path,
        width,
        height,
        elements: elements.list.len(),
        foliage: elements.foliage,
        levels: elements.levels(),
        clamped: elements.list.iter().filter(|e| e.extent * 100.0 > MOST_EXTENT).count(),
        largest_m: f64::from(largest) / 100.0,
    })
}

/// Sides of a texture for this number of elements: powers of two, since engines rescale other sizes.
fn size(elements: usize) -> [usize; 2] {
    let width = elements.next_power_of_two().clamp(4, WIDTH);
    [width, elements.div_ceil(width).next_power_of_two()]
}

/// Unreal has z up, is left-handed, and swaps y and z of a `.glb`.
fn in_unreal(v: Vec3) -> Vec3 {
    Vec3::new(v.x, v.z, v.y)
}

fn pivot_and_parent(element: &Element) -> [f32; 4] {
    let [x, y, z] = (in_unreal(element.pivot) * 100.0).to_array();
    [x, y, z, exr::of_half_bits(element.parent as u16 + FIRST_INDEX)]
}

fn axis_and_extent(element: &Element) -> [u8; 4] {
    let [x, y, z] = in_unreal(element.axis).to_array().map(|c| images::byte(c * 0.5 + 0.5));
    // Rounded up: no vertex is outside. Never 0: Unreal changes the colours of transparent pixels of a
    // PNG.
    let extent = (element.extent * 100.0 / MOST_EXTENT * 255.0).ceil().clamp(1.0, 255.0);
    [x, y, z, extent as u8]
}
