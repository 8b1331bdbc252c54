//! The skin of one plant of a scene, deformed by the pose of the combined plant.

use windfall_core::glam::Vec3;
use windfall_core::{Plant, Pose};
use windfall_preview::{Item, PictureSurface};
use windfall_skin::{Binding, Detail, Look, Motion, PaintOptions, Skin, skin};
use windfall_stage::Event;

use super::tear::tear;
use crate::error::SceneError;
use crate::plants::Member;
use crate::run::Frame;
use crate::schema::Preview;

/// A plant prepared for drawing.
pub(super) struct MemberSkin {
    skin: Skin,
    surfaces: Vec<PictureSurface>,
    /// Ranges of its segments, leaves and fruit in the pose of the combined plant.
    ranges: [std::ops::Range<usize>; 3],
    origins: Vec<Vec3>,
    rest: Pose,
    pose: Pose,
    motion: Motion,
    /// Positions and normals of every part of every tree.
    parts: Vec<(Vec<Vec3>, Vec<Vec3>)>,
    /// Tree of every body.
    trees: Vec<u32>,
    /// Parent of every segment; itself for a root.
    parents: Vec<u32>,
    /// Segments that broke off.
    broken: Vec<u32>,
}

/// Side of the bark textures, pixels: pictures of scenes are small.
const TEXTURE: u32 = 512;

/// Default level of detail for this many bodies.
fn detail_for(bodies: usize) -> u8 {
    match bodies {
        0..60_000 => 1,
        60_000..1_500_000 => 2,
        _ => 3,
    }
}

impl MemberSkin {
    pub fn new(member: &Member, whole: &Plant, look: Option<&Look>, preview: &Preview) -> Result<Self, SceneError> {
        let plant = &*member.plant;
        let look = look.map_or_else(|| Look::of(plant), Look::clone);
        let detail = Detail::level(plant, preview.detail.unwrap_or_else(|| detail_for(whole.body_count())));
        let textures = PaintOptions {
            bark: TEXTURE,
            twig: TEXTURE / 4,
            leaf: TEXTURE / 4,
            fruit: TEXTURE / 4,
            ..PaintOptions::default()
        };
        let mut skin = skin(plant, &look, &detail, &textures);
        if preview.bare {
            for tree in &mut skin.trees {
                tree.parts.retain(|part| matches!(part.mesh.binding, Binding::Blended { .. }));
            }
        }
        let surfaces = PictureSurface::all(&skin.materials)?;
        let rest = Pose::rest(plant);
        let parts = skin.trees.iter().flat_map(|tree| &tree.parts);
        let parts = parts.map(|part| (part.mesh.positions.clone(), part.mesh.normals.clone())).collect();
        Ok(Self {
            surfaces,
            ranges: member.ranges(whole),
            origins: plant.trees().iter().map(|tree| tree.origin.as_vec3()).collect(),
            pose: rest.clone(),
            motion: Motion::new(&rest, &rest),
            rest,
            parts,
            trees: plant.body_ids().map(|id| plant.tree_index(id) as u32).collect(),
            parents: (0..plant.segments().len())
                .map(|i| plant.parent(plant.segment_id(i)).map_or(i as u32, |p| p.0))
                .collect(),
            broken: Vec::new(),
            skin,
        })
    }

    /// Extracts the pose of its own bodies from the combined one, and deforms the meshes. Parts outside of
    /// the box are not drawn.
    pub fn bend(&mut self, all: &Pose, (low, high): (Vec3, Vec3)) {
        self.pose.positions.clear();
        self.pose.orientations.clear();
        for range in &self.ranges {
            self.pose.positions.extend_from_slice(&all.positions[range.clone()]);
            self.pose.orientations.extend_from_slice(&all.orientations[range.clone()]);
        }
        for (position, &tree) in self.pose.positions.iter_mut().zip(&self.trees) {
            let place = *position + self.origins[tree as usize];
            if place.cmplt(low).any() || place.cmpgt(high).any() {
                // Outside of the picture.
                *position = Vec3::splat(1e9);
            }
        }
        self.motion.update(&self.rest, &self.pose);
        let parts = self.skin.trees.iter().flat_map(|tree| &tree.parts);
        for (part, (positions, normals)) in parts.zip(&mut self.parts) {
            self.motion.deform(&part.mesh, positions, normals);
        }
    }

    /// Tears the bark where wood broke.
    pub fn tear(&mut self, frame: &Frame<'_>) {
        let before = self.broken.len();
        let wood = self.ranges[0].clone();
        for event in frame.events {
            if let Event::Broke { body, .. } = event
                && wood.contains(&(body.id.0 as usize))
            {
                self.broken.push(body.id.0 - wood.start as u32);
            }
        }
        if self.broken.len() == before {
            return;
        }
        let mut piece: Vec<u32> = self.parents.clone();
        for &root in &self.broken {
            piece[root as usize] = root;
        }
        // A parent comes before its children.
        for i in 0..piece.len() {
            piece[i] = piece[piece[i] as usize];
        }
        for part in self.skin.trees.iter_mut().flat_map(|tree| &mut tree.parts) {
            tear(&mut part.mesh, &piece);
        }
    }

    pub fn items(&self) -> impl Iterator<Item = Item<'_>> {
        let trees = self.skin.trees.iter().zip(&self.origins);
        let parts = trees.flat_map(|(tree, &origin)| tree.parts.iter().map(move |part| (part, origin)));
        parts.zip(&self.parts).map(|((part, offset), (positions, normals))| Item {
            positions: Some(positions),
            normals: Some(normals),
            offset,
            // Fruit that fell lies on grass.
            stands: matches!(part.mesh.binding, Binding::Blended { .. }),
            ..Item::new(&part.mesh, &self.surfaces[part.material])
        })
    }
}
