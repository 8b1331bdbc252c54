//! Draws a tree and prints the duration of each stage:
//! `stages OUT.png SPECIES BODIES [AZIMUTH ELEVATION [ZOOM]]`. Angles in degrees. Repeats at one picture
//! size, 1280 x 720.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use windfall_preview::{Camera, PictureScene, PictureSurface, PreviewOptions, draw_watched, encode};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = |i: usize, default: &str| args.get(i).map_or(default, String::as_str).to_owned();
    let number = |i: usize, default: &str| text(i, default).parse::<f32>();
    let (width, height) = (number(6, "1280")? as u32, number(7, "720")? as u32);
    let skin = support::tree(&text(1, "oak"), text(2, "20000").parse()?, 1, 6);
    let begin = Instant::now();
    let surfaces = PictureSurface::all(&skin.materials)?;
    println!("surfaces {:.3} s", begin.elapsed().as_secs_f64());
    let scene = PictureScene::of_skin(&skin, &surfaces, &[]);
    let begin = Instant::now();
    let aspect = width as f32 / height as f32;
    let (azimuth, elevation) = (number(3, "30")?.to_radians(), number(4, "6")?.to_radians());
    let camera = Camera::framing(scene.points(), azimuth, elevation, 0.5, aspect, number(5, "1")?);
    println!("framing {:.3} s, {} triangles", begin.elapsed().as_secs_f64(), scene.triangle_count());
    let options = PreviewOptions { width, height, ..PreviewOptions::default() };
    let begin = Instant::now();
    let mut last = (None, begin);
    let picture = draw_watched(&scene, &camera, &options, &mut |stage| {
        if let (Some(before), since) = last {
            println!("{before:?} {:.3} s", since.elapsed().as_secs_f64());
        }
        last = (Some(stage), Instant::now());
    })?;
    println!("all {:.3} s", begin.elapsed().as_secs_f64());
    encode::png(&picture, &mut std::fs::File::create(text(0, "picture.png"))?)?;
    Ok(())
}
