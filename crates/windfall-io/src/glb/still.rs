//! The JSON of a tree that stands still.

use serde_json::{Value, json};
use windfall_core::Plant;
use windfall_skin::Skin;

use super::document::{Document, Materials};

/// Lays out a checked skin and gives the JSON: one node and one mesh per tree.
pub(super) fn describe<'a>(document: &mut Document<'a>, plant: &'a Plant, skin: &'a Skin) -> Value {
    let mut meshes = Vec::new();
    let mut nodes = Vec::new();
    let mut materials = Materials::new(skin);
    for (tree, tree_skin) in plant.trees().iter().zip(&skin.trees) {
        let parts = tree_skin.parts.iter().filter(|part| !part.mesh.triangles.is_empty());
        let primitives: Vec<Value> =
            parts.map(|part| document.primitive(&part.mesh, materials.place(part.material))).collect();
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
