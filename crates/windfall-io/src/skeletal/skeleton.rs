//! Bones in the rest pose, as stored in a file.

use glam::{DQuat, DVec3, Mat4, Quat, Vec3};
use windfall_core::{BodyId, Plant, Pose};
use windfall_skin::TreeSkin;
use windfall_skin::bones::{Bones, NO_BONE, Rigid, off};

/// Bones with names and rest transforms.
pub(crate) struct Skeleton {
    pub bones: Bones,
    pub names: Vec<String>,
    /// Tree of each bone.
    pub trees: Vec<u32>,
    /// Rest transform of each bone relative to its parent (to the origin of its tree for roots), rounded
    /// as in the file.
    pub locals: Vec<(Quat, Vec3)>,
    /// Rest transform relative to the origin of the tree, composed of the rounded ones.
    pub binds: Vec<Rigid>,
    /// Largest distance of a vertex of each bone from its joint, m.
    pub reaches: Vec<f64>,
    /// Bones of each level below the trees.
    pub levels: Vec<Vec<u32>>,
}

impl Skeleton {
    pub fn new(plant: &Plant, trees: &[TreeSkin], bones: Bones) -> Self {
        let rest = Pose::rest(plant);
        let (mut locals, mut binds, mut levels) = (Vec::new(), Vec::<Rigid>::new(), Vec::<Vec<u32>>::new());
        let mut depths = Vec::<usize>::new();
        for (bone, (&root, &parent)) in bones.roots.iter().zip(&bones.parents).enumerate() {
            let (position, orientation) = (rest.positions[root as usize], rest.orientations[root as usize]);
            let place = Rigid { rotation: orientation.as_dquat().normalize(), translation: position.as_dvec3() };
            let (on, depth) = if parent == NO_BONE {
                (Rigid::IDENTITY, 0)
            } else {
                (binds[parent as usize], depths[parent as usize] + 1)
            };
            let local = on.inverse().after(&place);
            let rounded = (local.rotation.as_quat().normalize(), local.translation.as_vec3());
            binds.push(on.after(&rigid(rounded)));
            locals.push(rounded);
            depths.push(depth);
            if levels.len() == depth {
                levels.push(Vec::new());
            }
            levels[depth].push(bone as u32);
        }
        let centres: Vec<Vec3> = binds.iter().map(|bind| bind.translation.as_vec3()).collect();
        let meshes = trees.iter().flat_map(|tree| &tree.parts).map(|part| &part.mesh);
        let reaches = off::reaches(&bones, meshes, &centres).into_iter().map(f64::from).collect();
        let trees = bones.roots.iter().map(|&root| plant.tree_index(BodyId(root)) as u32).collect();
        Self { names: bones.names(plant), trees, locals, binds, reaches, levels, bones }
    }

    /// Transforms vertices of the tree to the axes of a bone at rest.
    pub fn inverse_bind(&self, bone: usize) -> Mat4 {
        let back = self.binds[bone].inverse();
        Mat4::from_rotation_translation(back.rotation.as_quat(), back.translation.as_vec3())
    }
}

/// A transform as stored in a file.
pub(crate) fn rigid((rotation, translation): (Quat, Vec3)) -> Rigid {
    let rotation: DQuat = rotation.as_dquat().normalize();
    let translation: DVec3 = translation.as_dvec3();
    Rigid { rotation, translation }
}
