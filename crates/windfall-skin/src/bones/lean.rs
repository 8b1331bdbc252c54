//! Mean displacement of leaves and fruit relative to their bones.
//!
//! In wind leaves hang and lean far from their rest pose, as long as it blows. A bone that follows wood
//! cannot turn them there, but a mesh can contain the mean displacement from the start: then only the
//! flutter about it is lost.

use rayon::prelude::*;
use windfall_core::{Plant, Pose};

use super::fit::{PoseSums, RestSums, Rigid, fit};
use super::{Bones, Moments, displacement};
use crate::mesh::Binding;
use crate::skin::TreeSkin;

/// Displacement of each body from its rest pose to its mean over samples, both relative to its bone at
/// rest. The identity for wood, for bodies with bones of their own, and without samples.
///
/// # Panics
/// If a sample is of another plant.
pub fn leans(plant: &Plant, bones: &Bones, moments: &[Moments], samples: &[Pose]) -> Vec<Rigid> {
    let rest = Pose::rest(plant);
    let loads = bones.loads(plant, moments);
    let placed: Vec<Vec<Rigid>> = samples
        .iter()
        .map(|sample| {
            let mut placed = Vec::new();
            bones.place(&loads, &rest, sample, &mut placed);
            placed
        })
        .collect();
    (0..plant.body_count())
        .into_par_iter()
        .map(|body| {
            // Leaves and fruit on the bone of their wood have passed their weight to the wood.
            if loads[body].weight > 0.0 || samples.is_empty() || body < plant.segments().len() {
                return Rigid::IDENTITY;
            }
            let bone = bones.of_body[body] as usize;
            let (mut at_rest, mut moved) = (RestSums::default(), PoseSums::default());
            let mut guess = Rigid::IDENTITY.rotation;
            for (sample, placed) in samples.iter().zip(&placed) {
                let on_bone = placed[bone].inverse().after(&displacement(&rest, sample, body));
                at_rest += RestSums::of(&moments[body]);
                moved += PoseSums::of(&moments[body], &on_bone);
                guess = on_bone.rotation;
            }
            fit(&at_rest, &moved, guess).0
        })
        .collect()
}

/// Moves the vertices of leaves and fruit to their mean positions.
///
/// # Panics
/// If the tree is bound to bodies that have no lean.
pub fn lean(tree: &mut TreeSkin, leans: &[Rigid]) {
    for mesh in tree.parts.iter_mut().map(|part| &mut part.mesh) {
        let Binding::Rigid(bodies) = &mesh.binding else { continue };
        for ((position, normal), &body) in mesh.positions.iter_mut().zip(&mut mesh.normals).zip(bodies) {
            let by = &leans[body as usize];
            if *by != Rigid::IDENTITY {
                *position = by.point(position.as_dvec3()).as_vec3();
                *normal = (by.rotation * normal.as_dvec3()).as_vec3().normalize_or(*normal);
            }
        }
    }
}
