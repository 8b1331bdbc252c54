//! Statistics of a skin, for users, for scripts, and for checking files with other programs.

use glam::DVec3;
use serde::Serialize;
use windfall_core::Plant;
use windfall_skin::{Image, Material, Skin};

/// Counts and bounds of a skin. Parts without triangles are omitted, as in files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkinReport {
    /// Of all trees.
    pub vertices: usize,
    /// Of all trees.
    pub triangles: usize,
    /// All materials of the skin.
    pub materials: Vec<MaterialReport>,
    /// In the order of the plant.
    pub trees: Vec<TreeReport>,
}

/// One material.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MaterialReport {
    /// Its name.
    pub name: String,
    /// Its images, each with its purpose.
    pub images: Vec<ImageReport>,
    /// Whether transparent pixels of its image are holes.
    pub cut_out: bool,
    /// Whether both sides are visible.
    pub double_sided: bool,
}

/// One image of a material.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImageReport {
    /// `base_color`, `normal`, `roughness` or `translucency`.
    pub what: &'static str,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

/// One tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TreeReport {
    /// Its name.
    pub name: String,
    /// Origin of its local coordinates, world metres.
    pub origin: DVec3,
    /// Its parts with triangles.
    pub parts: Vec<PartReport>,
}

/// All triangles of one material of one tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartReport {
    /// Its name.
    pub name: String,
    /// Name of its material; empty if the skin has no such material.
    pub material: String,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Smallest corner of its bounding box, world metres.
    pub min: DVec3,
    /// Largest corner of its bounding box, world metres.
    pub max: DVec3,
}

impl SkinReport {
    /// Counts a skin of this plant.
    pub fn of(plant: &Plant, skin: &Skin) -> Self {
        let trees: Vec<TreeReport> = plant
            .trees()
            .iter()
            .zip(&skin.trees)
            .map(|(tree, tree_skin)| TreeReport {
                name: tree.name.clone(),
                origin: tree.origin,
                parts: (tree_skin.parts.iter().filter(|part| !part.mesh.triangles.is_empty()))
                    .map(|part| {
                        let (min, max) = part.mesh.bounds().unwrap_or_default();
                        PartReport {
                            name: part.name.clone(),
                            material: skin.materials.get(part.material).map(|m| m.name.clone()).unwrap_or_default(),
                            vertices: part.mesh.positions.len(),
                            triangles: part.mesh.triangles.len(),
                            min: tree.origin + min.as_dvec3(),
                            max: tree.origin + max.as_dvec3(),
                        }
                    })
                    .collect(),
            })
            .collect();
        let parts = || trees.iter().flat_map(|t| &t.parts);
        Self {
            vertices: parts().map(|p| p.vertices).sum(),
            triangles: parts().map(|p| p.triangles).sum(),
            materials: skin.materials.iter().map(material_report).collect(),
            trees,
        }
    }
}

fn material_report(material: &Material) -> MaterialReport {
    let images: [(&'static str, &Option<Image>); 4] = [
        ("base_color", &material.base_color),
        ("normal", &material.normal),
        ("roughness", &material.roughness),
        ("translucency", &material.translucency),
    ];
    MaterialReport {
        name: material.name.clone(),
        images: images
            .into_iter()
            .filter_map(|(what, image)| image.as_ref().map(|i| ImageReport { what, width: i.width, height: i.height }))
            .collect(),
        cut_out: material.alpha_cutoff.is_some(),
        double_sided: material.double_sided,
    }
}
