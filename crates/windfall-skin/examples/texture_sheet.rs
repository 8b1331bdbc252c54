//! Writes all textures of a look into one PNG:
//! `cargo run --release -p windfall-skin --example texture_sheet -- oak oak.png`. The look is the name
//! of a built-in one or the path of a look file.
//!
//! Bark and twigs two by two (with their normals), leaves over white and over dark, transmitted light,
//! fruit.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

use windfall_skin::look::{Look, paint_bark, paint_fruit, paint_leaf};
use windfall_skin::{Image, Material};

struct Sheet {
    width: usize,
    rows: Vec<Vec<[u8; 3]>>,
}

impl Sheet {
    /// Puts images side by side as one band, each repeated and over a background colour.
    fn band(&mut self, images: &[(&Image, usize, [u8; 3])], height: usize) {
        let top = self.rows.len();
        self.rows.resize(top + height + 8, vec![[128; 3]; self.width]);
        let mut left = 4;
        for (image, repeat, ground) in images {
            let (w, h) = (image.width as usize, image.height as usize);
            let step = (h * repeat) as f32 / height as f32;
            let width = ((w * repeat) as f32 / step) as usize;
            for y in 0..height {
                for x in 0..width.min(self.width.saturating_sub(left)) {
                    self.rows[top + y][left + x] = mean(image, x as f32 * step, y as f32 * step, step, *ground);
                }
            }
            left += width + 8;
        }
    }
}

/// Mean colour of a square of a repeating image, over a background.
fn mean(image: &Image, x0: f32, y0: f32, size: f32, ground: [u8; 3]) -> [u8; 3] {
    let n = (size.ceil() as usize).max(1);
    let mut sum = [0.0_f32; 3];
    for k in 0..n * n {
        let x = (x0 + size * (k % n) as f32 / n as f32) as usize % image.width as usize;
        let y = (y0 + size * (k / n) as f32 / n as f32) as usize % image.height as usize;
        let p = image.pixels[y * image.width as usize + x];
        let alpha = f32::from(p[3]) / 255.0;
        for c in 0..3 {
            sum[c] += f32::from(p[c]) * alpha + f32::from(ground[c]) * (1.0 - alpha);
        }
    }
    sum.map(|s| (s / (n * n) as f32) as u8)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, path] = &arguments[..] else { return Err("usage: texture_sheet LOOK|LOOK.toml FILE.png".into()) };
    let look = match Look::named(name) {
        Some(look) => look.clone(),
        None => Look::from_toml(&std::fs::read_to_string(name)?)?,
    };
    let mut sheet = Sheet { width: 1640, rows: Vec::new() };
    let black = [0; 3];
    let start = std::time::Instant::now();
    let barks: Vec<Material> =
        look.wood.iter().flat_map(|w| [paint_bark(&w.bark, 1024, 7), paint_bark(&w.twig, 256, 8)]).collect();
    let bark_time = start.elapsed();
    let leaves: Vec<Material> = look.leaf.iter().map(|leaf| paint_leaf(leaf, 256, 9)).collect();
    let fruit: Vec<Material> = look.fruit.iter().map(|fruit| paint_fruit(fruit, 256, 10)).collect();
    let [bark, all] = [bark_time, start.elapsed()].map(|t| t.as_secs_f64() * 1e3);
    println!("{name}: {} barks in {bark:.0} ms, everything in {all:.0} ms", barks.len());
    for pair in barks.chunks(2) {
        let image = |m: &'_ Material| m.base_color.clone().unwrap();
        let (bark, twig, normal) = (image(&pair[0]), image(&pair[1]), pair[0].normal.clone().unwrap());
        sheet.band(&[(&bark, 2, black), (&normal, 1, black), (&twig, 2, black)], 540);
    }
    for material in &leaves {
        let (base, glow) = (material.base_color.as_ref().unwrap(), material.translucency.as_ref().unwrap());
        let normal = material.normal.as_ref().unwrap();
        let mut cut = glow.clone();
        cut.pixels.iter_mut().zip(&base.pixels).for_each(|(g, b)| g[3] = b[3]);
        let height = if base.width > 4 * base.height { 200 } else { 256.max(base.height as usize / 2) };
        sheet.band(&[(base, 1, [255; 3]), (base, 1, [20, 24, 30])], height);
        sheet.band(&[(&cut, 1, black), (normal, 1, black)], height);
    }
    for material in &fruit {
        sheet.band(
            &[(material.base_color.as_ref().unwrap(), 1, black), (material.normal.as_ref().unwrap(), 1, black)],
            256,
        );
    }
    let mut encoder =
        png::Encoder::new(BufWriter::new(File::create(path)?), sheet.width as u32, sheet.rows.len() as u32);
    encoder.set_color(png::ColorType::Rgb);
    let bytes: Vec<u8> = sheet.rows.iter().flatten().flatten().copied().collect();
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(())
}
