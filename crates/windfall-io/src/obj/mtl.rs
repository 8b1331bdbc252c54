//! The material file of an OBJ, and the images that it names.

use std::fmt::Write as _;

use windfall_skin::{Image, Material};

use crate::images;

/// A file beside the OBJ, before it is compressed.
pub(super) struct ImageFile {
    pub name: String,
    pub image: Image,
}

/// The text of the material file, and the images. `stem` is what all file names begin with; materials come with
/// their names in the file.
///
/// What readers make of it was tried with Blender 5.0 and three.js:
///
/// - Blender takes the *alpha* channel of `map_d`, three.js the green one: the image has the same in all.
/// - Normal maps are named by `norm` alone. Blender takes them from `map_Bump`, which is for heights, but decodes them as
///   sRGB colours and lights the surface wrongly; so it gets none. For the same reason `map_Pr` is a comment, and `Pr` the
///   mean of the image.
/// - Blender uses no factor where there is an image: factors are multiplied into the images.
/// - Blender takes a `Ks` of 0.5 for the usual reflection of wood and leaves (4 %), and 1 where there is none.
pub(super) fn library(stem: &str, materials: &[(&str, &Material)]) -> (String, Vec<ImageFile>) {
    let mut text = concat!("# windfall ", env!("CARGO_PKG_VERSION"), "\n").to_owned();
    let mut files = Vec::new();
    for &(name, material) in materials {
        let mut lines = format!("\nnewmtl {name}\nillum 2\nKs 0.5 0.5 0.5\nd 1\nPm 0\n");
        let mut texture = |what: &str, image: Image| {
            let file = format!("{stem}_{name}_{what}.png");
            files.push(ImageFile { name: file.clone(), image });
            file
        };
        let mut line = |key: &str, value: &str| writeln!(lines, "{key} {value}").expect("text has no limit");
        if let Some(image) = &material.base_color {
            line("Kd", "1 1 1");
            line("map_Kd", &texture("color", multiplied(image, material.base_color_factor)));
            if material.alpha_cutoff.is_some() {
                line("map_d", &texture("alpha", images::map(image, |p| [p[3]; 4])));
            }
        } else {
            let [r, g, b] = material.base_color_factor;
            line("Kd", &format!("{r:.4} {g:.4} {b:.4}"));
        }
        let mut roughness = material.roughness_factor;
        if let Some(image) = &material.roughness {
            let grey = images::map(image, |p| {
                let g = images::byte(f32::from(p[1]) / 255.0 * roughness);
                [g, g, g, u8::MAX]
            });
            let sum: u64 = grey.pixels.iter().map(|p| u64::from(p[0])).sum();
            roughness = (sum as f64 / grey.pixels.len() as f64 / 255.0) as f32;
            line("# map_Pr", &texture("roughness", grey));
        }
        line("Pr", &format!("{roughness:.4}"));
        // For readers that know gloss only; Blender's formula.
        line("Ns", &format!("{:.1}", 1000.0 * (1.0 - roughness).powi(2)));
        if let Some(image) = &material.normal {
            line("norm", &texture("normal", images::map(image, |&[x, y, z, _]| [x, y, z, u8::MAX])));
        }
        text += &lines;
    }
    (text, files)
}

/// An sRGB image times a linear colour.
fn multiplied(image: &Image, factor: [f32; 3]) -> Image {
    if factor == [1.0; 3] {
        return image.clone();
    }
    let linear = images::linear_of_srgb();
    // One table per channel instead of a power per pixel.
    let tables = factor.map(|f| linear.map(|c| images::byte(images::srgb_of_linear(c * f))));
    images::map(image, |&[r, g, b, a]| {
        [tables[0][usize::from(r)], tables[1][usize::from(g)], tables[2][usize::from(b)], a]
    })
}
