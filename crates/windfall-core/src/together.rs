//! Union of several plants: a park, a forest, a tree beside another.

use glam::DVec3;

use crate::parts::PlantParts;
use crate::plant::Plant;
use crate::validate::InvalidPlant;

impl Plant {
    /// One plant with all trees of these plants, each translated by its vector (world metres). Bodies
    /// keep their order: all wood of the first plant, then of the second, and so on; then all leaves,
    /// then all fruit.
    ///
    /// Equal materials are shared. More than 65,535 different ones are an error.
    pub fn together(name: &str, plants: &[(&Plant, DVec3)]) -> Result<Self, InvalidPlant> {
        let mut all = PlantParts {
            name: name.to_owned(),
            provenance: format!("{} plants put together", plants.len()),
            ..PlantParts::default()
        };
        for (plant, moved) in plants {
            let parts = plant.parts();
            let wood = index_of_each(&mut all.wood_materials, &parts.wood_materials);
            let leaf = index_of_each(&mut all.leaf_materials, &parts.leaf_materials);
            let fruit = index_of_each(&mut all.fruit_materials, &parts.fruit_materials);
            let (segments, trees) = (all.segments.len() as u32, all.trees.len() as u32);
            all.trees.extend(parts.trees.iter().cloned().map(|mut tree| {
                tree.origin += *moved;
                tree
            }));
            all.branches.extend(parts.branches.iter().map(|branch| {
                let mut branch = *branch;
                branch.parent = branch.parent.map(|p| p + segments);
                branch.tree += trees;
                branch.material = wood[usize::from(branch.material)];
                branch
            }));
            all.segments.extend_from_slice(&parts.segments);
            all.leaves.extend(parts.leaves.iter().map(|old| {
                let mut new = *old;
                new.parent += segments;
                new.material = leaf[usize::from(old.material)];
                new
            }));
            all.fruit.extend(parts.fruit.iter().map(|old| {
                let mut new = *old;
                new.parent += segments;
                new.material = fruit[usize::from(old.material)];
                new
            }));
        }
        Self::new(all)
    }
}

/// Adds the items that are missing, and returns the index of each. Validation finds too many of them.
fn index_of_each<M: Clone + PartialEq>(all: &mut Vec<M>, new: &[M]) -> Vec<u16> {
    let index = |material: &M| {
        let at = all.iter().position(|m| m == material).unwrap_or_else(|| {
            all.push(material.clone());
            all.len() - 1
        });
        at.min(usize::from(u16::MAX)) as u16
    };
    new.iter().map(index).collect()
}
