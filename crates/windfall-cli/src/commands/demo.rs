//! `windfall demo`: a first example for new users.

use std::io::Write;
use std::path::Path;

use clap::Args;
use windfall::core::Summary;
use windfall::grow::{GrowOptions, Species};
use windfall::preview::{Camera, PictureScene, PictureSurface, PreviewOptions, draw, encode};
use windfall::skin::{Detail, Look, PaintOptions, skin};

use crate::{progress, report};

/// Grow the default tree, draw it, and export it, into out/.
#[derive(Args)]
#[command(after_help = "Example:\n  windfall demo")]
pub struct Demo {
    /// Another seed is another tree
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Demo {
    pub fn run(&self) -> anyhow::Result<()> {
        let species = Species::named("maple").expect("maple is built in");
        let [plant_file, picture_file, mesh_file] = ["out/maple.wfp", "out/maple.png", "out/maple.glb"].map(Path::new);
        let options = GrowOptions { bodies: None, seed: self.seed };
        let plant = progress::during("growing a maple", || windfall::grow::grow(&species, &options))?;
        progress::during("saving", || windfall::io::save(&plant, plant_file))?;
        let (look, textures) = (Look::of(&plant), PaintOptions::default());
        progress::during("drawing", || -> anyhow::Result<()> {
            let skin = skin(&plant, &look, &Detail::level(&plant, 1), &textures);
            let surfaces = PictureSurface::all(&skin.materials)?;
            let scene = PictureScene::of_skin(&skin, &surfaces, &[]);
            let (azimuth, sun) = (25f32.to_radians(), (-30f32).to_radians());
            let options = PreviewOptions { width: 1000, height: 1000, sun_azimuth: sun, ..PreviewOptions::default() };
            let camera = Camera::framing(scene.points(), azimuth, -0.09, 0.5, 1.0, 1.0);
            let picture = draw(&scene, &camera, &options)?;
            let write = |out: &mut dyn Write| encode::png(&picture, out).map_err(std::io::Error::other);
            Ok(windfall::io::atomic::write(picture_file, write)?)
        })?;
        // Coarser than the picture, so that any viewer opens it at once.
        progress::during("exporting", || {
            let skin = skin(&plant, &look, &Detail::level(&plant, 2), &textures);
            windfall::io::export(&plant, &skin, mesh_file)
        })?;
        let mut out = std::io::stdout().lock();
        report::summary(&mut out, &Summary::of(&plant))?;
        writeln!(out, "\n  {:<16} what it looks like", picture_file.display())?;
        writeln!(out, "  {:<16} for game engines and Blender", mesh_file.display())?;
        writeln!(out, "  {:<16} the plant; look inside with: windfall inspect out/maple.wfp", plant_file.display())?;
        Ok(())
    }
}
