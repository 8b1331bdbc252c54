//! Renders a turntable animation of a tree: `turntable OUT.gif|OUT.png SPECIES BODIES FRAMES`, and a
//! contact sheet of its views in `OUT.sheet.png`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::f32::consts::TAU;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use windfall_preview::encode::{Animation, ApngWriter, GifWriter, animate, png};
use windfall_preview::{
    Background, Camera, PictureScene, PictureSurface, PreviewError, PreviewOptions, contact_sheet, draw,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = |i: usize, default: &str| args.get(i).map_or(default, String::as_str).to_owned();
    let (out, frames): (String, u32) = (text(0, "turntable.gif"), text(3, "24").parse()?);
    let skin = support::tree(&text(1, "maple"), text(2, "5000").parse()?, 1, 6);
    let surfaces = PictureSurface::all(&skin.materials)?;
    let scene = PictureScene::of_skin(&skin, &surfaces, &[]);
    let options = PreviewOptions { width: 480, height: 480, ..PreviewOptions::default() };
    let view = |turn: f32, options: &PreviewOptions| {
        draw(&scene, &Camera::framing(scene.points(), turn * TAU, 0.05, 0.5, 1.0, 1.0), options)
    };
    let mut file = BufWriter::new(File::create(&out)?);
    let animation: Box<dyn Animation> = if Path::new(&out).extension().is_some_and(|e| e == "gif") {
        Box::new(GifWriter::new(&mut file, 480, 480, 25.0)?)
    } else {
        Box::new(ApngWriter::new(&mut file, 480, 480, frames, 25.0)?)
    };
    animate::<PreviewError>(animation, (0..frames).map(|i| view(i as f32 / frames as f32, &options)))?;
    let clear = PreviewOptions { background: Background::Transparent, ..options.clone() };
    let views = [(0.0, "front"), (0.25, "right"), (0.5, "back"), (0.75, "left")];
    let mut pictures = views.iter().map(|v| view(v.0, &options)).collect::<Result<Vec<_>, _>>()?;
    pictures.push(view(0.0, &clear)?);
    let labels: Vec<&str> = views.iter().map(|v| v.1).chain(["front, transparent"]).collect();
    png(&contact_sheet(&pictures, 3, &labels)?, &mut File::create(format!("{out}.sheet.png"))?)?;
    Ok(())
}
