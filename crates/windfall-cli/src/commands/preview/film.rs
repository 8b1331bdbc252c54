//! A moving plant in front of a fixed camera.

use std::path::Path;

use anyhow::bail;
use windfall::core::glam::Vec3;
use windfall::core::{Plant, Pose};
use windfall::io::MotionReader;
use windfall::preview::{Camera, Item, Picture, PictureScene};
use windfall::skin::Motion;

use super::studio::Studio;
use crate::progress;

/// Most pictures of one motion.
const MOST_FRAMES: usize = 36_000;

/// A motion, its shown times, and a camera placement from which all of them fit into the picture.
pub struct Film<'a> {
    studio: &'a Studio<'a>,
    stage: Stage,
    /// Seconds after the first frame of the motion.
    times: Vec<f64>,
    start: f64,
    camera: Camera,
    extent: Option<(Vec3, Vec3)>,
}

/// The plant deformed at one moment.
struct Stage {
    reader: MotionReader,
    rest: Pose,
    pose: Pose,
    motion: Motion,
    /// Positions and normals of every part of every tree.
    parts: Vec<(Vec<Vec3>, Vec<Vec3>)>,
}

/// Opens a motion and checks that it can be shown.
pub fn open(file: &Path, plant: &Plant) -> anyhow::Result<MotionReader> {
    let reader = MotionReader::open(file, plant)?;
    if reader.is_empty() {
        bail!("{}: a motion without frames", file.display());
    }
    Ok(reader)
}

/// The shown times of a motion.
#[derive(Clone, Copy)]
pub enum Times {
    /// This many per second.
    Rate(f64),
    /// This many from beginning to end.
    Count(u32),
}

impl Times {
    /// Seconds after the first frame.
    fn of(self, reader: &MotionReader) -> anyhow::Result<Vec<f64>> {
        let duration = reader.duration();
        let (count, step) = match self {
            // A motion of whole frames ends on one, despite rounding.
            Self::Rate(rate) => ((duration * rate + 1e-6).floor() + 1.0, 1.0 / rate),
            Self::Count(1) => (1.0, 0.0),
            Self::Count(_) if duration == 0.0 => (1.0, 0.0),
            Self::Count(count) => (f64::from(count), duration / f64::from(count - 1)),
        };
        if count > MOST_FRAMES as f64 {
            bail!("{duration} s would be {count} frames, and {MOST_FRAMES} is the most; choose a lower --fps");
        }
        Ok((0..count as usize).map(|i| i as f64 * step).collect())
    }
}

impl<'a> Film<'a> {
    /// Scans all shown frames.
    pub fn new(studio: &'a Studio<'a>, plant: &Plant, reader: MotionReader, times: Times) -> anyhow::Result<Self> {
        let times = times.of(&reader)?;
        let rest = Pose::rest(plant);
        let (start, pose, motion) = (reader.start(), rest.clone(), Motion::new(&rest, &rest));
        let parts = studio.skin.trees.iter().flat_map(|tree| &tree.parts).map(|_| Default::default()).collect();
        let mut stage = Stage { reader, rest, pose, motion, parts };
        let mut framing = studio.framing(0.0);
        let mut extent: Option<(Vec3, Vec3)> = None;
        let bar = progress::bar("looking ahead", times.len());
        for &time in &times {
            stage.bend(studio, time)?;
            let scene = stage.scene(studio);
            framing.add(scene.points());
            let join = |(a, b): (Vec3, Vec3)| extent.map_or((a, b), |(low, high)| (a.min(low), b.max(high)));
            extent = scene.bounds().map(join).or(extent);
            bar.inc(1);
        }
        bar.finish_and_clear();
        let camera = studio.camera(&framing, 0.0);
        Ok(Self { studio, stage, times, start, camera, extent })
    }

    /// Number of pictures.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Time of a picture, s.
    pub fn time(&self, picture: usize) -> f64 {
        self.start + self.times[picture]
    }

    /// Draws a picture.
    pub fn draw(&mut self, picture: usize) -> anyhow::Result<Picture> {
        self.stage.bend(self.studio, self.times[picture])?;
        Ok(self.studio.shoot(&self.stage.scene(self.studio), &self.camera, 0.0, self.extent)?)
    }
}

impl Stage {
    /// Deforms everything by the pose at a time, seconds after the first frame.
    fn bend(&mut self, studio: &Studio<'_>, time: f64) -> anyhow::Result<()> {
        self.reader.sample(time, &mut self.pose)?;
        self.motion.update(&self.rest, &self.pose);
        let parts = studio.skin.trees.iter().flat_map(|tree| &tree.parts);
        for (part, (positions, normals)) in parts.zip(&mut self.parts) {
            self.motion.deform(&part.mesh, positions, normals);
        }
        Ok(())
    }

    fn scene<'b>(&'b self, studio: &'b Studio<'_>) -> PictureScene<'b> {
        let mut scene = PictureScene::of_skin(studio.skin, &studio.surfaces, &studio.offsets);
        for (item, (positions, normals)) in scene.items.iter_mut().zip(&self.parts) {
            *item = Item { positions: Some(positions), normals: Some(normals), ..*item };
        }
        scene
    }
}
