//! The whole surface of a plant, frame by frame, for formats that store vertices.

use std::borrow::Cow;

use glam::{Quat, Vec3};
use windfall_core::{Plant, Pose};
use windfall_skin::{Binding, Mesh, Motion, Skin};

use crate::frames::Frames;
use crate::skeletal::AnimationError;
use crate::skin_check::FARTHEST;

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

    /// Reads the pose of a frame.
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

/// Reads a frame of a plant with this many bodies. Orientations are normalised.
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
    for (body, (place, turn)) in pose.positions.iter().zip(&mut pose.orientations).enumerate() {
        let long = turn.as_dquat();
        let length = long.length_squared();
        if !place.is_finite() || !length.is_finite() {
            return Err(AnimationError::NotFinite { frame, body });
        }
        if place.abs().max_element() > FARTHEST {
            return Err(AnimationError::Far { frame, body, metres: place.as_dvec3().length() });
        }
        if length < 1e-12 {
            return Err(AnimationError::NoRotation { frame, body, found: turn.to_array() });
        }
        // Rounding alone causes smaller deviations.
        if (length - 1.0).abs() > 1e-5 {
            *turn = long.normalize().as_quat();
        }
    }
    Ok(())
}

/// Sign-aligned quaternion: of `turn` and its negative, which are the same rotation, the one nearer to
/// `other`.
pub(crate) fn same_side(other: Quat, turn: Quat) -> Quat {
    if turn.dot(other) < 0.0 { -turn } else { turn }
}

/// A skin without unused vertices. Other programs drop these on import, which would shift the vertices of
/// a cache.
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

/// The mesh without unused vertices; `None` if there are none.
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
