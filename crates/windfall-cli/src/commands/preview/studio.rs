//! A plant in front of a camera.

use anyhow::Context;
use windfall::core::Plant;
use windfall::core::glam::Vec3;
use windfall::preview::{Camera, Framing, Picture, PictureScene, PictureSurface, PreviewError, PreviewOptions, draw};
use windfall::skin::{Binding, Skin};

use super::Preview;

/// A plant prepared for drawing.
pub struct Studio<'a> {
    pub args: &'a Preview,
    pub skin: &'a Skin,
    pub surfaces: Vec<PictureSurface>,
    pub offsets: Vec<Vec3>,
    azimuth: f32,
    close_up: Option<(Vec3, f32)>,
}

/// Default direction of the camera, degrees.
const AZIMUTH: f32 = 25.0;

impl<'a> Studio<'a> {
    pub fn new(args: &'a Preview, plant: &Plant, skin: &'a Skin) -> anyhow::Result<Self> {
        let first = plant.trees().first().map(|tree| tree.origin).unwrap_or_default();
        let offsets = plant.trees().iter().map(|tree| (tree.origin - first).as_vec3()).collect();
        let mut azimuth = args.azimuth.unwrap_or(AZIMUTH).to_radians();
        let mut close_up = args.target.map(|target| (target, args.span.unwrap_or(2.0)));
        if let Some(focus) = args.focus {
            let found = focus.find(plant, azimuth).context("--focus: this plant has nothing of the kind")?;
            close_up = Some((found.target, args.span.unwrap_or(found.span)));
            azimuth = found.azimuth.filter(|_| args.azimuth.is_none()).unwrap_or(azimuth);
        }
        Ok(Self { args, skin, surfaces: PictureSurface::all(&skin.materials)?, offsets, azimuth, close_up })
    }

    /// Elevation, radians. A whole tree is seen from below; a close-up from there might be from under the
    /// ground.
    fn elevation(&self) -> f32 {
        self.args.elevation.unwrap_or(if self.close_up.is_some() { 4.0 } else { -5.0 }).to_radians()
    }

    /// Draws the plant at rest, from the camera's place turned by some degrees.
    pub fn draw(&self, turn: f32) -> Result<Picture, PreviewError> {
        let scene = PictureScene::of_skin(self.skin, &self.surfaces, &self.offsets);
        let turn = turn.to_radians();
        let mut framing = self.framing(turn);
        if self.args.turntable.is_some() {
            // A turntable keeps its distance: the frame holds the whole swept volume of the plant.
            framing.add(swept(scene.points()));
        } else {
            framing.add(scene.points());
        }
        self.shoot(&scene, &self.camera(&framing, turn), turn, None)
    }

    /// A framing that finds the camera placement from which everything fits into the picture.
    pub fn framing(&self, turn: f32) -> Framing {
        let (width, height) = self.args.size;
        let aspect = width as f32 / height as f32;
        Framing::new(self.azimuth + turn, self.elevation(), self.args.fov.to_radians(), aspect)
    }

    /// The camera of a close-up, or one that shows everything.
    pub fn camera(&self, framing: &Framing, turn: f32) -> Camera {
        let args = self.args;
        let Some((target, span)) = self.close_up else { return framing.camera(args.zoom) };
        let (azimuth, fov) = (self.azimuth + turn, args.fov.to_radians());
        let aspect = args.size.0 as f32 / args.size.1 as f32;
        Camera::close_up(target, span / args.zoom, azimuth, self.elevation(), fov, aspect)
    }

    /// Draws a scene; `extent` is the bounding box of its whole motion, where it moves.
    pub fn shoot(
        &self,
        scene: &PictureScene<'_>,
        camera: &Camera,
        turn: f32,
        extent: Option<(Vec3, Vec3)>,
    ) -> Result<Picture, PreviewError> {
        let args = self.args;
        let options = PreviewOptions {
            width: args.size.0,
            height: args.size.1,
            samples: args.samples,
            sun_azimuth: self.azimuth + turn + args.sun.0.to_radians(),
            sun_elevation: args.sun.1.to_radians(),
            background: args.background,
            extent,
            ..PreviewOptions::default()
        };
        draw(scene, camera, &options)
    }
}

/// Points of the volume that a scene sweeps when it turns once about the first tree.
fn swept(points: impl Iterator<Item = Vec3> + Clone) -> Vec<Vec3> {
    const SLICES: usize = 64;
    let heights = points.clone().map(|p| p.y);
    let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), y| (low.min(y), high.max(y)));
    let step = ((high - low) / SLICES as f32).max(1e-6);
    let mut radii = [0.0f32; SLICES];
    for p in points {
        let slice = &mut radii[(((p.y - low) / step) as usize).min(SLICES - 1)];
        *slice = slice.max(p.x.hypot(p.z));
    }
    let circle = |(i, &radius): (usize, &f32)| {
        let y = low + step * (i as f32 + 0.5);
        (0..180).map(move |k| {
            let (sin, cos) = (k as f32 * 2.0).to_radians().sin_cos();
            Vec3::new(radius * sin, y, radius * cos)
        })
    };
    radii.iter().enumerate().flat_map(circle).collect()
}

/// Removes leaves and fruit from the wood.
pub fn strip(skin: &mut Skin) {
    for tree in &mut skin.trees {
        tree.parts.retain(|part| matches!(part.mesh.binding, Binding::Blended { .. }));
    }
}
