//! The JSON of a static tree.

use serde_json::{Value, json};
use windfall_core::Plant;
use windfall_skin::{Mesh, Skin, SkinPart};

use super::document::{Document, Materials};

/// Parts written to a file: those with triangles.
pub(crate) fn drawn_parts(parts: &[SkinPart]) -> impl Iterator<Item = &SkinPart> {
    parts.iter().filter(|part| !part.mesh.triangles.is_empty())
}

/// Lays out a checked skin and returns the JSON: one node and one mesh per tree. `primitive` adds the mesh
/// of a part with its material.
pub(super) fn describe<'a>(
    document: &mut Document<'a>,
    plant: &'a Plant,
    skin: &'a Skin,
    mut primitive: impl FnMut(&mut Document<'a>, &'a Mesh, usize) -> Value,
) -> Value {
    let mut meshes = Vec::new();
    let mut nodes = Vec::new();
    let mut materials = Materials::new(skin);
    for (tree, tree_skin) in plant.trees().iter().zip(&skin.trees) {
        let primitives: Vec<Value> = drawn_parts(&tree_skin.parts)
            .map(|part| primitive(document, &part.mesh, materials.place(part.material)))
            .collect();
        let mut node = json!({ "name": tree.name, "translation": tree.origin });
        if !primitives.is_empty() {
            node["mesh"] = meshes.len().into();
            meshes.push(json!({ "name": tree.name, "primitives": primitives }));
        }
        nodes.push(node);
    }
    let roots = (0..nodes.len()).collect();
    document.root(plant.name(), roots, &materials, [("nodes", nodes), ("meshes", meshes)])
}
