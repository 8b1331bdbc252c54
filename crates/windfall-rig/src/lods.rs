//! Detection of duplicate meshes of a tree, which must not be counted twice: coarser versions (levels of
//! detail) on the same bones, and repeated use of one mesh with one skin.
//!
//! They are identified by the extension `MSFT_lod`, by names (`oak_LOD1`, `LOD 2 oak`: only the lowest
//! number counts), or by equal mesh and skin. They are animated nevertheless, because their bones are.

use std::collections::{HashMap, HashSet};

use crate::document::schema::{Node, Schema};
use crate::graph::Graph;

/// For each node, whether its mesh duplicates the tree of another node.
pub(crate) fn again(schema: &Schema, graph: &Graph) -> Vec<bool> {
    let mut again = vec![false; schema.nodes.len()];
    let meshes = || schema.nodes.iter().enumerate().filter(|(i, node)| graph.shown[*i] && node.mesh.is_some());
    for node in &schema.nodes {
        for id in node.lods() {
            if let Some(is) = again.get_mut(id) {
                *is = true;
            }
        }
    }
    let levels: Vec<(usize, u32)> = meshes().filter_map(|(i, node)| Some((i, level(schema, node)?))).collect();
    if let Some(finest) = levels.iter().filter(|(i, _)| !again[*i]).map(|(_, level)| *level).min() {
        // Meshes on separate bones are separate trees.
        let joints =
            |node: &Node| node.skin.and_then(|skin| schema.skins.get(skin)).map_or(&[][..], |skin| &skin.joints);
        let fine = levels.iter().filter(|(_, level)| *level == finest);
        let moved: HashSet<usize> = fine.flat_map(|(i, _)| joints(&schema.nodes[*i])).copied().collect();
        for (i, _) in levels.iter().filter(|(_, level)| *level > finest) {
            let own = joints(&schema.nodes[*i]);
            again[*i] |= own.is_empty() || own.iter().any(|joint| moved.contains(joint));
        }
    }
    // The position of a skinned mesh depends only on its joints.
    let mut known: HashMap<(usize, &[usize], Option<usize>), usize> = HashMap::new();
    for (i, node) in meshes().filter(|(_, node)| node.skin.is_some()) {
        if let (Some(mesh), Some(skin)) = (node.mesh, node.skin.and_then(|skin| schema.skins.get(skin))) {
            again[i] |= *known.entry((mesh, &skin.joints, skin.inverse_bind_matrices)).or_insert(i) != i;
        }
    }
    again
}

/// The level of detail in the name of a node or its mesh.
fn level(schema: &Schema, node: &Node) -> Option<u32> {
    let mesh = node.mesh.and_then(|mesh| schema.meshes.get(mesh)).and_then(|mesh| mesh.name.as_deref());
    node.name.as_deref().and_then(number).or_else(|| mesh.and_then(number))
}

/// `LOD` as a word or at the end of a word, followed by a number.
fn number(name: &str) -> Option<u32> {
    let lower = name.to_ascii_lowercase();
    lower.match_indices("lod").find_map(|(at, _)| {
        let before = name[..at].chars().next_back();
        // Not within a word such as `explod3d`: a capital begins a new word.
        let begins = before.is_none_or(|c| !c.is_ascii_lowercase()) || name[at..].starts_with('L');
        let rest = name[at + 3..].trim_start_matches(['_', '-', ' ', '.']);
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        begins.then(|| rest[..digits].parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_levels() {
        for (name, level) in [
            ("oak_LOD1", Some(1)),
            ("LOD 2 oak", Some(2)),
            ("lod0", Some(0)),
            ("OakLOD3.001", Some(3)),
            ("oak-lod_12-leaves", Some(12)),
            ("melody1", None),
            ("explod3d", None),
            ("lodgepole", None),
            ("oak", None),
            ("LOD99999999999", None),
        ] {
            assert_eq!(number(name), level, "{name}");
        }
    }
}
