//! The whole surface of a plant, frame by frame: what formats that move vertices write.

use std::borrow::Cow;

use glam::Vec3;
use windfall_core::{Plant, Pose};
use windfall_skin::{Binding, Mesh, Motion, Skin};

use crate::frames::Frames;
use crate::skeletal::AnimationError;

/// A pose, and the surface in it.
pub(crate) struct Surface {
    rest: Pose,
    pose: Pose,
    motion: Motion,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

impl Surface {
    pub fn new(plant: &Plant) -> Self {
        Self {
            rest: Pose::rest(plant),
            pose: Pose::default(),
            motion: Motion::default(),
            positions: Vec::new(),
            normals: Vec::new(),
        }
    }

    /// Takes the pose of a frame.
    pub fn read(&mut self, frames: &mut dyn Frames, frame: usize) -> Result<(), AnimationError> {
        read_pose(frames, frame, self.rest.len(), &mut self.pose)?;
        self.motion.update(&self.rest, &self.pose);
        Ok(())
    }

    /// Vertices and normals of a mesh in that pose, relative to the origin of its tree.
    pub fn of(&mut self, mesh: &Mesh) -> (&[Vec3], &[Vec3]) {
        self.motion.deform(mesh, &mut self.positions, &mut self.normals);
        (&self.positions, &self.normals)
    }
}

/// Reads a frame of a plant with so many bodies.
pub(crate) fn read_pose(
    frames: &mut dyn Frames,
    frame: usize,
    bodies: usize,
    pose: &mut Pose,
) -> Result<(), AnimationError> {
    frames.read(frame, pose)?;
    if pose.positions.len() != bodies || pose.orientations.len() != bodies {
        return Err(AnimationError::OtherPlant { frame, found: pose.len(), bodies });
    }
    let lost = pose.positions.iter().zip(&pose.orientations).position(|(p, q)| !p.is_finite() || !q.is_finite());
    lost.map_or(Ok(()), |body| Err(AnimationError::NotFinite { frame, body }))
}

/// How many frames there are in a second; for a single one, as many as most programs have.
pub(crate) fn rate(frames: &dyn Frames) -> Result<f64, AnimationError> {
    let rate = match frames.len() {
        0 | 1 => 24.0,
        // Times are quotients of this rate: what their rounding leaves is rounded off.
        n => ((n - 1) as f64 / frames.time(n - 1) * 1e9).round() / 1e9,
    };
    if rate > 0.0 && rate.is_finite() { Ok(rate) } else { Err(AnimationError::Rate(rate)) }
}

/// A skin without vertices that no triangle has. Other programs drop them when they read a mesh, and then vertices of a cache belong to others.
pub(crate) fn without_unused(skin: &Skin) -> Cow<'_, Skin> {
    let mut skin = Cow::Borrowed(skin);
    for tree in 0..skin.trees.len() {
        for part in 0..skin.trees[tree].parts.len() {
            if let Some(mesh) = tidied(&skin.trees[tree].parts[part].mesh) {
                skin.to_mut().trees[tree].parts[part].mesh = mesh;
            }
        }
    }
    skin
}

/// The mesh without unused vertices; none if there are none.
fn tidied(mesh: &Mesh) -> Option<Mesh> {
    let mut used = vec![false; mesh.positions.len()];
    mesh.triangles.as_flattened().iter().for_each(|&vertex| used[vertex as usize] = true);
    if used.iter().all(|&used| used) {
        return None;
    }
    let mut places = vec![0; used.len()];
    let mut next = 0;
    for (place, &used) in places.iter_mut().zip(&used) {
        *place = next;
        next += u32::from(used);
    }
    Some(Mesh {
        positions: kept(&mesh.positions, &used),
        normals: kept(&mesh.normals, &used),
        uvs: kept(&mesh.uvs, &used),
        tints: kept(&mesh.tints, &used),
        triangles: mesh.triangles.iter().map(|t| t.map(|vertex| places[vertex as usize])).collect(),
        binding: match &mesh.binding {
            Binding::Rigid(bodies) => Binding::Rigid(kept(bodies, &used)),
            Binding::Blended { bodies, weights } => {
                Binding::Blended { bodies: kept(bodies, &used), weights: kept(weights, &used) }
            }
        },
    })
}

fn kept<T: Copy>(list: &[T], used: &[bool]) -> Vec<T> {
    list.iter().zip(used).filter(|(_, used)| **used).map(|(item, _)| *item).collect()
}
