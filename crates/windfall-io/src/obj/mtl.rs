//! The material file of an OBJ, and its images.

use std::fmt::Write as _;

use windfall_skin::{Material, Skin};

use crate::images;
use crate::textures::{ImageFile, Textures, image_name, used_materials};

/// Suffix of the alpha mask image.
const ALPHA: &str = "alpha";

/// Names of images used only by OBJ.
pub(super) fn alpha_names(skin: &Skin, beside: &str) -> Vec<String> {
    let materials = used_materials(skin).into_iter().zip(&skin.materials);
    let cut_out = materials.filter(|(_, material)| material.base_color.is_some() && material.alpha_cutoff.is_some());
    cut_out.filter_map(|(name, _)| Some(image_name(beside, &name?, ALPHA))).collect()
}

/// The text of the material file, and the images. `beside` is the prefix of image names; materials are
/// paired with their names in the file.
///
/// Tested with Blender 5.0 and three.js:
///
/// - Blender uses the *alpha* channel of `map_d`, three.js the green one: all channels of the image are
///   equal.
/// - Normal maps are referenced by `norm` only. Blender would read them from `map_Bump`, which is for
///   heights, but decodes them as sRGB colours, which gives wrong shading; so `map_Bump` is omitted. For
///   the same reason `map_Pr` is a comment, and `Pr` the mean of the image.
/// - Blender ignores factors if there is an image: factors are multiplied into the images.
/// - Blender interprets a `Ks` of 0.5 as the usual reflection of wood and leaves (4 %), and assumes 1 if
///   it is missing.
pub(super) fn library(beside: &str, materials: &[(&str, &Material)]) -> (String, Vec<ImageFile>) {
    let mut text = concat!("# windfall ", env!("CARGO_PKG_VERSION"), "\n").to_owned();
    let mut files = Vec::new();
    for &(name, material) in materials {
        let mut lines = format!("\nnewmtl {name}\nillum 2\nKs 0.5 0.5 0.5\nd 1\nPm 0\n");
        let textures = Textures::of(beside, name, material);
        let mut line = |key: &str, value: &str| writeln!(lines, "{key} {value}").expect("text has no limit");
        if let Some(color) = &textures.color {
            line("Kd", "1 1 1");
            line("map_Kd", &color.name);
            if material.alpha_cutoff.is_some() {
                let alpha = ImageFile {
                    name: image_name(beside, name, ALPHA),
                    image: images::map(&color.image, |p| [p[3]; 4]),
                };
                line("map_d", &alpha.name);
                files.push(alpha);
            }
        } else {
            let [r, g, b] = material.base_color_factor;
            line("Kd", &format!("{r:.4} {g:.4} {b:.4}"));
        }
        let mut roughness = material.roughness_factor;
        if let Some(file) = &textures.roughness {
            let sum: u64 = file.image.pixels.iter().map(|p| u64::from(p[0])).sum();
            roughness = (sum as f64 / file.image.pixels.len() as f64 / 255.0) as f32;
            line("# map_Pr", &file.name);
        }
        line("Pr", &format!("{roughness:.4}"));
        // For readers that only support gloss; Blender's formula.
        line("Ns", &format!("{:.1}", 1000.0 * (1.0 - roughness).powi(2)));
        if let Some(file) = &textures.normal {
            line("norm", &file.name);
        }
        files.extend([textures.color, textures.roughness, textures.normal].into_iter().flatten());
        text += &lines;
    }
    (text, files)
}
