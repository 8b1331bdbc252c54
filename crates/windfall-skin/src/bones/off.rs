//! Deviation of the skin on bones from the skin on bodies.

use glam::Vec3;

use crate::deform::Motion;
use crate::mesh::{Binding, Mesh};

use super::{Bones, Rigid};

/// Distances between vertices of two skins, over poses.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Off {
    /// The largest, m.
    pub largest: f64,
    /// Sum of all distances, m.
    sum: f64,
    count: u64,
}

impl Off {
    /// Compares two lists of the same vertices.
    pub fn see(&mut self, full: &[Vec3], bones: &[Vec3]) {
        for (a, b) in full.iter().zip(bones) {
            let distance = f64::from(a.distance(*b));
            self.largest = self.largest.max(distance);
            self.sum += distance;
        }
        self.count += full.len() as u64;
    }

    /// Adds the distances of another comparison.
    pub fn join(&mut self, other: &Self) {
        self.largest = self.largest.max(other.largest);
        self.sum += other.sum;
        self.count += other.count;
    }

    /// The mean over all vertices and poses, m; 0 where there are none.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }
}

impl Motion {
    /// Sets the displacements of bones: every body moves with its bone, from its mean position
    /// ([`super::leans`]; without leans, from its rest pose). Allocates nothing when the number of
    /// bodies stays the same.
    ///
    /// # Panics
    /// If there are fewer displacements than bones.
    pub fn update_by_bones(&mut self, bones: &Bones, placed: &[Rigid], leans: &[Rigid]) {
        self.set(bones.of_body.iter().enumerate().map(|(body, &bone)| {
            let by = placed[bone as usize];
            let by = leans.get(body).map_or(by, |lean| by.after(lean));
            glam::Affine3A::from_rotation_translation(by.rotation.as_quat(), by.translation.as_vec3())
        }));
    }
}

/// Reach of each bone: largest distance of its vertices from its centre at rest, m. A turn of the bone
/// by a small angle moves no vertex by more than angle times this.
pub fn reaches<'a>(bones: &Bones, meshes: impl IntoIterator<Item = &'a Mesh>, centres: &[Vec3]) -> Vec<f32> {
    let mut reaches = vec![0.0_f32; bones.len()];
    for mesh in meshes {
        let mut see = |vertex: usize, body: u32| {
            let bone = bones.of_body[body as usize] as usize;
            reaches[bone] = reaches[bone].max(mesh.positions[vertex].distance(centres[bone]));
        };
        match &mesh.binding {
            Binding::Rigid(bodies) => bodies.iter().enumerate().for_each(|(i, &body)| see(i, body)),
            Binding::Blended { bodies, weights } => {
                for (i, (bodies, weights)) in bodies.iter().zip(weights).enumerate() {
                    bodies.iter().zip(weights).filter(|(_, w)| **w > 0.0).for_each(|(&body, _)| see(i, body));
                }
            }
        }
    }
    reaches
}
