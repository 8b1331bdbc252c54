//! Construction of a skin from a plant and a look.

use std::collections::BTreeSet;

use glam::Vec3;
use rayon::prelude::*;
use windfall_core::Plant;

use crate::bark::{BarkOptions, WoodTexture, bark};
use crate::foliage::{FoliageDetail, fruit_mesh, leaf_mesh};
use crate::look::{Look, PaintOptions, paint};
use crate::material::Material;
use crate::mesh::Mesh;
use crate::skin::{Skin, SkinPart, TreeSkin};

/// Level of detail of a skin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detail {
    /// Largest distance of flat faces of bark inside the round surface, m.
    pub tolerance: f32,
    /// Side branches with a thinner base are left out with their subtrees, except the leaves; m.
    pub thinnest: f32,
    /// Leaves and fruit.
    pub foliage: FoliageDetail,
}

/// Finest level of detail, for close-ups.
pub const FINEST: u8 = 0;
/// Coarsest level of detail, for far trees.
pub const COARSEST: u8 = 3;

impl Detail {
    /// A level from [`FINEST`] to [`COARSEST`] for this plant: 0 for close-ups, 1 for a tree that fills
    /// the picture, 2 and 3 for trees with heights of a few hundred and a few dozen pixels. Higher
    /// numbers count as the coarsest.
    pub fn level(plant: &Plant, level: u8) -> Self {
        let height = extent(plant);
        // Fractions of the height: a tenth of a pixel for a tree of 1500, 600, 200 and 60 pixels.
        let (tolerance, thinnest, leaves, keep) = match level {
            0 => (height / 15_000.0, 0.0, 0, 1.0),
            1 => (height / 6000.0, 0.0, 1, 1.0),
            2 => (height / 2000.0, height / 8000.0, 2, 0.5),
            _ => (height / 600.0, height / 2000.0, 2, 0.15),
        };
        Self { tolerance, thinnest, foliage: FoliageDetail { level: leaves, keep, ..FoliageDetail::default() } }
    }
}

/// Longest side of the box around the wood of the largest tree, m, never zero.
fn extent(plant: &Plant) -> f32 {
    let mut boxes = vec![(Vec3::INFINITY, Vec3::NEG_INFINITY); plant.trees().len()];
    for (i, branch) in plant.branches().iter().enumerate() {
        let (low, high) = &mut boxes[branch.tree as usize];
        for segment in &plant.segments()[plant.branch_segments(i)] {
            *low = low.min(segment.position).min(segment.tip());
            *high = high.max(segment.position).max(segment.tip());
        }
    }
    boxes.into_iter().map(|(low, high)| (high - low).max_element()).fold(1e-6, f32::max)
}

/// Branches with a thinner base than this get the texture of twigs, m.
const TWIG_RADIUS: f32 = 0.012;

/// Makes meshes and paints textures for all trees of a plant.
pub fn skin(plant: &Plant, look: &Look, detail: &Detail, textures: &PaintOptions) -> Skin {
    let parts = plant.parts();
    let paints = paint(look, plant, textures);
    let wood = paints.wood.iter().map(|w| WoodTexture {
        bark_tile: w.bark_tile,
        twig_tile: w.twig_tile,
        twig_radius: TWIG_RADIUS,
    });
    let options = BarkOptions { tolerance: detail.tolerance, thinnest: detail.thinnest, wood: wood.collect() };
    let (woods, leaves) = (parts.wood_materials.len(), parts.leaf_materials.len());
    let mut materials: Vec<Material> = Vec::new();
    materials.extend(paints.wood.into_iter().flat_map(|w| [w.bark, w.twig]));
    materials.extend(paints.leaves);
    materials.extend(paints.fruit);
    let trees = members(plant).into_par_iter().map(|tree| {
        let mut out = Vec::new();
        let mut add = |name: String, material: usize, mesh: Mesh| {
            if !mesh.triangles.is_empty() {
                out.push(SkinPart { name, material, mesh });
            }
        };
        let bark = bark(plant, &tree.branches, &options);
        for part in bark.parts {
            let kind = if part.twigs { "twigs" } else { "bark" };
            let name = format!("{} {kind}", parts.wood_materials[usize::from(part.material)].name);
            add(name, 2 * usize::from(part.material) + usize::from(part.twigs), part.mesh);
        }
        let kinds: BTreeSet<u16> = tree.leaves.iter().map(|&i| plant.leaves()[i as usize].material).collect();
        for m in kinds.into_iter().map(usize::from) {
            let material = &parts.leaf_materials[m];
            let look = look.leaf_for(&material.name, material.kind);
            let mesh = leaf_mesh(plant, &tree.leaves, m as u16, look, &detail.foliage);
            add(format!("{} {}", material.name, material.kind.name()), 2 * woods + m, mesh);
        }
        let kinds: BTreeSet<u16> = tree.fruit.iter().map(|&i| plant.fruit()[i as usize].material).collect();
        for m in kinds.into_iter().map(usize::from) {
            let material = &parts.fruit_materials[m];
            let look = look.fruit_for(&material.name);
            let mesh = fruit_mesh(plant, &tree.fruit, m as u16, look, &detail.foliage);
            add(format!("{} fruit", material.name), 2 * woods + leaves + m, mesh);
        }
        TreeSkin { parts: out, loose_branches: bark.loose_branches }
    });
    let trees = trees.collect();
    let mut skin = Skin { trees, materials };
    skin.drop_unused_materials();
    skin
}

/// Members of one tree: indices into the lists of the plant, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Members {
    /// Into [`Plant::branches`].
    pub branches: Vec<u32>,
    /// Into [`Plant::leaves`].
    pub leaves: Vec<u32>,
    /// Into [`Plant::fruit`].
    pub fruit: Vec<u32>,
}

/// The members of each tree of a plant.
pub fn members(plant: &Plant) -> Vec<Members> {
    let mut trees = vec![Members::default(); plant.trees().len()];
    for (i, branch) in plant.branches().iter().enumerate() {
        trees[branch.tree as usize].branches.push(i as u32);
    }
    for i in 0..plant.leaves().len() {
        trees[plant.tree_index(plant.leaf_id(i))].leaves.push(i as u32);
    }
    for i in 0..plant.fruit().len() {
        trees[plant.tree_index(plant.fruit_id(i))].fruit.push(i as u32);
    }
    trees
}
