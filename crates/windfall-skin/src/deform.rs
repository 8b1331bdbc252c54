//! Deformation of a mesh with its tree by linear blend skinning, the same sum that game engines and glTF
//! viewers compute.
//!
//! x' = sum over bodies of w (R x + t), where (R, t) takes a body from its rest pose to the current
//! pose. Normals are transformed by the same sum without t and normalised again.

use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};
use rayon::prelude::*;
use windfall_core::Pose;

use crate::mesh::{Binding, Mesh};

/// The transform of each body from its rest pose to the current pose.
#[derive(Debug, Clone, Default)]
pub struct Motion {
    transforms: Vec<Affine3A>,
}

/// Vertices per task.
const BATCH: usize = 4096;

impl Motion {
    /// From a rest pose to another pose of the same plant.
    ///
    /// # Panics
    /// If the two have different numbers of bodies.
    pub fn new(rest: &Pose, pose: &Pose) -> Self {
        let mut motion = Self::default();
        motion.update(rest, pose);
        motion
    }

    /// Sets the next pose; allocates nothing when the number of bodies stays the same.
    ///
    /// # Panics
    /// If the two have different numbers of bodies.
    pub fn update(&mut self, rest: &Pose, pose: &Pose) {
        for pose in [rest, pose] {
            assert_eq!(pose.positions.len(), pose.orientations.len(), "a pose with a place and a turn for each body");
        }
        assert_eq!(rest.len(), pose.len(), "two poses of one plant");
        let places = rest.positions.par_iter().zip(&rest.orientations).zip(&pose.positions).zip(&pose.orientations);
        places.map(|(((&p0, &q0), &p1), &q1)| transform(p0, q0, p1, q1)).collect_into_vec(&mut self.transforms);
    }

    /// Sets the transforms of the bodies from another source.
    pub(crate) fn set(&mut self, transforms: impl IntoIterator<Item = Affine3A>) {
        self.transforms.clear();
        self.transforms.extend(transforms);
    }

    /// Writes the deformed vertices of a mesh, on all cores.
    ///
    /// # Panics
    /// If the mesh is bound to bodies that the pose does not have.
    pub fn deform(&self, mesh: &Mesh, positions: &mut Vec<Vec3>, normals: &mut Vec<Vec3>) {
        positions.resize(mesh.positions.len(), Vec3::ZERO);
        normals.resize(mesh.normals.len(), Vec3::ZERO);
        let out = positions.par_chunks_mut(BATCH).zip(normals.par_chunks_mut(BATCH)).enumerate();
        out.for_each(|(batch, (positions, normals))| {
            for (k, (position, normal)) in positions.iter_mut().zip(normals).enumerate() {
                let i = batch * BATCH + k;
                let transform = self.at(&mesh.binding, i);
                *position = transform.transform_point3(mesh.positions[i]);
                *normal = transform.transform_vector3(mesh.normals[i]).try_normalize().unwrap_or(mesh.normals[i]);
            }
        });
    }

    /// The transform of one vertex.
    fn at(&self, binding: &Binding, vertex: usize) -> Affine3A {
        let (bodies, weights) = match binding {
            Binding::Rigid(bodies) => return self.transforms[bodies[vertex] as usize],
            Binding::Blended { bodies, weights } => (&bodies[vertex], &weights[vertex]),
        };
        let mut sum = Affine3A { matrix3: Mat3A::ZERO, translation: Vec3A::ZERO };
        for (&body, &weight) in bodies.iter().zip(weights) {
            if weight == 0.0 {
                break;
            }
            let one = &self.transforms[body as usize];
            sum.matrix3 += one.matrix3 * weight;
            sum.translation += one.translation * weight;
        }
        sum
    }
}

fn transform(p0: Vec3, q0: Quat, p1: Vec3, q1: Quat) -> Affine3A {
    let turn = (q1 * q0.conjugate()).normalize();
    Affine3A::from_rotation_translation(turn, p1 - turn * p0)
}
