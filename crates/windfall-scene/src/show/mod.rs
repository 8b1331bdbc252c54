//! Pictures of a run: trees bent by their pose, pieces and leaves that fell, thrown bodies, creatures,
//! obstacles, the ground.

mod creature;
mod skins;
mod tear;
mod things;

use windfall_core::glam::Vec3;
use windfall_preview::{Camera, Framing, Item, Picture, PictureScene, PreviewOptions, draw};

use self::skins::MemberSkin;
use self::things::Things;
use crate::error::SceneError;
use crate::prepared::PreparedScene;
use crate::run::Frame;

/// A camera and the meshes of a scene.
pub struct Show {
    members: Vec<MemberSkin>,
    things: Things,
    camera: Camera,
    options: PreviewOptions,
    extent: (Vec3, Vec3),
}

/// Distance beyond the trees up to which pictures show free bodies, in sizes of the whole.
const AROUND: f32 = 1.0;

impl Show {
    /// Makes the meshes and textures, and places the camera so that all trees at rest and all things at
    /// their start fit into the picture.
    pub fn new(set: &PreparedScene) -> Result<Self, SceneError> {
        let members = set.plants.members.iter().zip(&set.looks);
        let members = members
            .map(|(member, look)| MemberSkin::new(member, &set.plants.whole, look.as_ref(), &set.scene.preview))
            .collect::<Result<Vec<_>, _>>()?;
        let things = Things::new(set)?;
        let preview = &set.scene.preview;
        let scene = PictureScene { items: items(&members, &things) };
        let fallback = || (Vec3::splat(-0.5), Vec3::splat(0.5));
        let (low, high) = scene.bounds().unwrap_or_else(fallback);
        let size = (high - low).max_element().max(0.1);
        let aspect = preview.size[0] as f32 / preview.size[1] as f32;
        let angles = [preview.azimuth_degrees, preview.elevation_degrees, preview.fov_degrees];
        let [azimuth, elevation, fov] = angles.map(|degrees| (degrees as f32).to_radians());
        let camera = if let Some(target) = preview.target {
            let span = (preview.span / preview.zoom) as f32;
            Camera::close_up(target.as_vec3(), span, azimuth, elevation, fov, aspect)
        } else {
            let mut framing = Framing::new(azimuth, elevation, fov, aspect);
            framing.add(scene.points());
            framing.add(things.starts().iter().copied());
            framing.camera(preview.zoom as f32)
        };
        let [sun_azimuth, sun_elevation] = preview.sun_degrees.map(|degrees| (degrees as f32).to_radians());
        let ground = set.scene.ground.height as f32;
        let beyond = Vec3::new(AROUND * size, 0.3 * size, AROUND * size);
        let extent = ((low - beyond).with_y(low.y.min(ground) - 0.01 * size), high + beyond);
        let options = PreviewOptions {
            width: preview.size[0],
            height: preview.size[1],
            samples: preview.samples,
            sun_azimuth: azimuth + sun_azimuth,
            sun_elevation,
            ground: Some(ground),
            // A small margin beyond the trees keeps the shadows fine.
            extent: Some((low - 0.15 * beyond, high + 0.15 * beyond)),
            ..PreviewOptions::default()
        };
        Ok(Self { members, things, camera, options, extent })
    }

    /// Must be called for every frame: broken wood is torn off its mesh.
    pub fn see(&mut self, frame: &Frame<'_>) {
        for member in &mut self.members {
            member.tear(frame);
        }
        self.things.see(frame);
    }

    /// Draws a frame.
    pub fn draw(&mut self, frame: &Frame<'_>) -> Result<Picture, SceneError> {
        for member in &mut self.members {
            member.bend(frame.pose, self.extent);
        }
        self.things.place(frame);
        let scene = PictureScene { items: items(&self.members, &self.things) };
        Ok(draw(&scene, &self.camera, &self.options)?)
    }
}

fn items<'a>(members: &'a [MemberSkin], things: &'a Things) -> Vec<Item<'a>> {
    members.iter().flat_map(MemberSkin::items).chain(things.items()).collect()
}
