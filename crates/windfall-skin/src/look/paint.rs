//! All materials of a plant.

use rayon::prelude::*;
use windfall_core::Plant;

use super::data::Look;
use super::{paint_bark, paint_fruit, paint_leaf};
use crate::material::Material;

/// Sizes of textures, and their seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaintOptions {
    /// Side of a bark texture, pixels.
    pub bark: u32,
    /// Side of a twig texture, pixels.
    pub twig: u32,
    /// Side of one leaf in its texture, pixels.
    pub leaf: u32,
    /// Height of a fruit texture, pixels.
    pub fruit: u32,
    /// Seed of cracks and spots.
    pub seed: u64,
}

impl Default for PaintOptions {
    fn default() -> Self {
        Self { bark: 1024, twig: 256, leaf: 256, fruit: 256, seed: 1 }
    }
}

/// The materials of a plant, each list in the order of the plant's own.
#[derive(Debug, Clone, PartialEq)]
pub struct Paints {
    /// One per wood material.
    pub wood: Vec<WoodPaint>,
    /// One per leaf material.
    pub leaves: Vec<Material>,
    /// One per fruit material.
    pub fruit: Vec<Material>,
}

/// Thick and thin wood of one material.
#[derive(Debug, Clone, PartialEq)]
pub struct WoodPaint {
    /// Old bark, opaque.
    pub bark: Material,
    /// Side of the square that one bark texture covers, m.
    pub bark_tile: f32,
    /// Young shoots, opaque.
    pub twig: Material,
    /// Side of the square that one twig texture covers, m.
    pub twig_tile: f32,
}

/// Paints every wood, leaf and fruit material that the plant uses; the others get no images.
pub fn paint(look: &Look, plant: &Plant, options: &PaintOptions) -> Paints {
    let parts = plant.parts();
    // Each material has its own seed, so that no two have the same cracks.
    let seed = |list: u64, i: usize| options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (list << 32) ^ i as u64;
    let woods = used(parts.wood_materials.len(), parts.branches.iter().map(|b| b.material));
    let leafs = used(parts.leaf_materials.len(), parts.leaves.iter().map(|l| l.material));
    let fruits = used(parts.fruit_materials.len(), parts.fruit.iter().map(|f| f.material));
    let when = |used: bool, paint: &dyn Fn() -> Material| if used { paint() } else { Material::default() };
    let (wood, (leaves, fruit)) = rayon::join(
        || {
            let wood = parts.wood_materials.par_iter().enumerate().map(|(i, material)| {
                let wood = look.wood_for(&material.name);
                let name = |part: &str| format!("{} {part}", material.name);
                WoodPaint {
                    bark: Material {
                        name: name("bark"),
                        ..when(woods[i], &|| paint_bark(&wood.bark, options.bark, seed(1, i)))
                    },
                    bark_tile: wood.bark.tile,
                    twig: Material {
                        name: name("twig"),
                        ..when(woods[i], &|| paint_bark(&wood.twig, options.twig, seed(2, i)))
                    },
                    twig_tile: wood.twig.tile,
                }
            });
            wood.collect()
        },
        || {
            let leaves = parts.leaf_materials.par_iter().enumerate().map(|(i, material)| {
                let leaf = look.leaf_for(&material.name, material.kind);
                let name = format!("{} {}", material.name, material.kind.name());
                Material { name, ..when(leafs[i], &|| paint_leaf(leaf, options.leaf, seed(3, i))) }
            });
            let fruit = parts.fruit_materials.par_iter().enumerate().map(|(i, material)| {
                let name = format!("{} fruit", material.name);
                let look = look.fruit_for(&material.name);
                Material { name, ..when(fruits[i], &|| paint_fruit(look, options.fruit, seed(4, i))) }
            });
            (leaves.collect(), fruit.collect())
        },
    );
    Paints { wood, leaves, fruit }
}

/// Flags for the materials that occur at least once.
fn used(count: usize, named: impl Iterator<Item = u16>) -> Vec<bool> {
    let mut used = vec![false; count];
    named.for_each(|material| used[usize::from(material)] = true);
    used
}
