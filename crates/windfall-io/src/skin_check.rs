//! Validation of skins. Writers rely on it and need no further checks.

use rayon::prelude::*;
use windfall_core::{BodyId, Plant};
use windfall_skin::{Binding, Image, Mesh, Skin};

/// Allowed deviation of the length of a normal from one. Readers (and Khronos' validator) accept 0.5 %.
const UNIT_TOLERANCE: f32 = 5e-3;

/// Maximum distance of a vertex or a body from the origin of its tree along an axis, m: far beyond any
/// motion, and small enough for squares in f32.
pub(crate) const FARTHEST: f32 = 1e9;

/// Allowed deviation of the sum of weights from one.
const WEIGHT_TOLERANCE: f32 = 1e-3;

/// Errors in a skin. Skins made by `windfall-skin` never cause them, except for the size.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SkinError {
    /// The skin belongs to another plant.
    #[error("the skin has {skin} trees, its plant has {plant}")]
    TreeCount {
        /// Trees of the skin.
        skin: usize,
        /// Trees of the plant.
        plant: usize,
    },
    /// Invalid triangles of a part.
    #[error("part `{part}` of tree {tree}: {reason}")]
    Part {
        /// Index of the tree.
        tree: usize,
        /// Name of the part.
        part: String,
        /// The violated rule.
        reason: String,
    },
    /// Invalid material.
    #[error("material `{material}`: {reason}")]
    Material {
        /// Name of the material.
        material: String,
        /// The violated rule.
        reason: String,
    },
    /// Larger than the file format allows.
    #[error(
        "a .glb file holds at most 4.29 GB and this one would have {:.2} GB: make the skin with less detail, or write \
         .obj, which has no limit",
        *bytes as f64 / 1e9
    )]
    TooLarge {
        /// Size of the file.
        bytes: u64,
    },
}

/// Checks all rules required by writers.
pub(crate) fn check(plant: &Plant, skin: &Skin) -> Result<(), SkinError> {
    if skin.trees.len() != plant.trees().len() {
        return Err(SkinError::TreeCount { skin: skin.trees.len(), plant: plant.trees().len() });
    }
    for material in &skin.materials {
        let wrong = |reason: String| SkinError::Material { material: material.name.clone(), reason };
        let images = [&material.base_color, &material.normal, &material.roughness, &material.translucency];
        images.into_iter().flatten().try_for_each(|image| check_image(image).map_err(wrong))?;
        for factor in material.base_color_factor.into_iter().chain([material.roughness_factor]) {
            if !(0.0..=1.0).contains(&factor) {
                return Err(wrong(format!("the factor {factor} is not between 0 and 1")));
            }
        }
        if let Some(cutoff) = material.alpha_cutoff.filter(|c| !(0.0..=1.0).contains(c)) {
            return Err(wrong(format!("the alpha cut-off {cutoff} is not between 0 and 1")));
        }
    }
    for (tree, tree_skin) in skin.trees.iter().enumerate() {
        for part in &tree_skin.parts {
            let wrong = |reason| SkinError::Part { tree, part: part.name.clone(), reason };
            if part.material >= skin.materials.len() {
                let reason = format!("it has material {}, there are {}", part.material, skin.materials.len());
                return Err(wrong(reason));
            }
            check_mesh(&part.mesh).map_err(wrong)?;
        }
    }
    Ok(())
}

/// Checks the additional rules of moving skins: each vertex is bound to bodies of its tree.
pub(crate) fn check_bindings(plant: &Plant, skin: &Skin) -> Result<(), SkinError> {
    for (tree, tree_skin) in skin.trees.iter().enumerate() {
        for part in &tree_skin.parts {
            check_binding(&part.mesh, plant, tree).map_err(|reason| SkinError::Part {
                tree,
                part: part.name.clone(),
                reason,
            })?;
        }
    }
    Ok(())
}

fn check_binding(mesh: &Mesh, plant: &Plant, tree: usize) -> Result<(), String> {
    let bodies = plant.body_count();
    let (bound, list): (usize, &[u32]) = match &mesh.binding {
        Binding::Rigid(list) => (list.len(), list),
        Binding::Blended { bodies: list, weights } => {
            let whole = |w: &[f32; 4]| {
                w.iter().all(|&w| (0.0..=1.0).contains(&w)) && (w.iter().sum::<f32>() - 1.0).abs() <= WEIGHT_TOLERANCE
            };
            if let Some(i) = weights.iter().position(|w| !whole(w)) {
                return Err(format!("vertex {i} has the weights {:?}, which don't add up to one", weights[i]));
            }
            // Writers assume that the first weight is the largest, and stop at the first zero.
            if let Some(i) = weights.iter().position(|w| !w.is_sorted_by(|a, b| a >= b)) {
                return Err(format!("vertex {i} has the weights {:?}: the strongest must come first", weights[i]));
            }
            (list.len().min(weights.len()), list.as_flattened())
        }
    };
    if let Some(body) = list.iter().find(|&&body| body as usize >= bodies) {
        return Err(format!("it is bound to body {body}, and there are {bodies}"));
    }
    // Positions of bodies and vertices are relative to the origin of their tree.
    let strange = |&&body: &&u32| plant.tree_index(BodyId(body)) != tree;
    if let Some(&body) = list.iter().filter(|_| plant.trees().len() > 1).find(strange) {
        let other = plant.tree_index(BodyId(body));
        return Err(format!("it is bound to body {body}, which is one of tree {other}"));
    }
    if bound != mesh.positions.len() {
        return Err(format!("{bound} of {} vertices are bound to bodies", mesh.positions.len()));
    }
    Ok(())
}

fn check_image(image: &Image) -> Result<(), String> {
    let Image { width, height, ref pixels } = *image;
    if width == 0 || height == 0 || pixels.len() as u64 != u64::from(width) * u64::from(height) {
        return Err(format!("an image of {width} by {height} has {} pixels", pixels.len()));
    }
    Ok(())
}

fn check_mesh(mesh: &Mesh) -> Result<(), String> {
    let count = mesh.positions.len();
    if [mesh.normals.len(), mesh.uvs.len(), mesh.tints.len()].iter().any(|&n| n != count) {
        return Err(format!(
            "{count} positions, {} normals, {} texture coordinates and {} tints",
            mesh.normals.len(),
            mesh.uvs.len(),
            mesh.tints.len()
        ));
    }
    let vertex = (0..count).into_par_iter().find_map_first(|i| {
        let (position, normal, uv) = (mesh.positions[i], mesh.normals[i], mesh.uvs[i]);
        let off = |what: String| Some(format!("vertex {i} of {count}: {what}"));
        if !position.is_finite() {
            off(format!("position {position} is not finite"))
        } else if position.abs().max_element() > FARTHEST {
            off(format!("position {position} is more than {FARTHEST:e} m from the origin of its tree"))
        } else if !uv.is_finite() {
            off(format!("texture coordinates {uv} are not finite"))
        // Comparisons with NaN are false, so the condition states the valid case.
        } else if (normal.length() - 1.0).abs() <= UNIT_TOLERANCE {
            None
        } else {
            off(format!("normal {normal} is not a unit vector"))
        }
    });
    let triangle = || {
        let outside = |t: &&[u32; 3]| t.iter().any(|&i| i as usize >= count);
        let found = mesh.triangles.par_iter().find_first(outside)?;
        Some(format!("triangle {found:?} needs vertices beyond the {count} there are"))
    };
    vertex.or_else(triangle).map_or(Ok(()), Err)
}
