//! Images of materials as files beside an export, for formats that don't hold images themselves.

use std::path::Path;

use rayon::prelude::*;
use windfall_skin::{Image, Material, Skin};

use crate::text::{word, words};
use crate::{ExportError, atomic, images};

/// A file, before it is compressed.
pub(crate) struct ImageFile {
    pub name: String,
    pub image: Image,
}

/// The files of one material. Factors are multiplied into them.
pub(crate) struct Textures {
    /// sRGB, with alpha.
    pub color: Option<ImageFile>,
    /// One number in all channels.
    pub roughness: Option<ImageFile>,
    /// Tangent space, y up.
    pub normal: Option<ImageFile>,
}

impl Textures {
    /// `stem` and `name` are what file names begin with.
    pub fn of(stem: &str, name: &str, material: &Material) -> Self {
        let file = |what: &str, image: Image| ImageFile { name: format!("{stem}_{name}_{what}.png"), image };
        let grey = |image: &Image| {
            images::map(image, |p| {
                let g = images::byte(f32::from(p[1]) / 255.0 * material.roughness_factor);
                [g, g, g, u8::MAX]
            })
        };
        let opaque = |image: &Image| images::map(image, |&[x, y, z, _]| [x, y, z, u8::MAX]);
        let color = material.base_color.as_ref();
        Self {
            color: color.map(|image| file("color", multiplied(image, material.base_color_factor))),
            roughness: material.roughness.as_ref().map(|image| file("roughness", grey(image))),
            normal: material.normal.as_ref().map(|image| file("normal", opaque(image))),
        }
    }
}

/// Materials that triangles have, each with a name of its own that is a plain word.
pub(crate) fn used_materials(skin: &Skin) -> Vec<Option<String>> {
    let mut used = vec![false; skin.materials.len()];
    for part in skin.trees.iter().flat_map(|tree| &tree.parts).filter(|part| !part.mesh.triangles.is_empty()) {
        used[part.material] = true;
    }
    let names = words(skin.materials.iter().map(|material| &*material.name));
    names.into_iter().zip(used).map(|(name, used)| used.then_some(name)).collect()
}

/// What names of files beside another begin with. If that is not the name of the other it gets a check sum of it: `a b.obj` must not
/// overwrite the files of `a_b.obj`.
pub(crate) fn file_stem(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let word = word(&name);
    if word == name { word } else { format!("{word}_{:08x}", crc32fast::hash(name.as_bytes())) }
}

/// Writes images into the folder of `path`; they have no names yet.
pub(crate) fn stage_images(files: &[ImageFile], path: &Path) -> Result<Vec<atomic::Staged>, ExportError> {
    let stage = |file: &ImageFile| {
        let png = images::png(&file.image);
        let path = path.with_file_name(&file.name);
        atomic::stage(&path, |out| out.write_all(&png)).map_err(|reason| ExportError::Os { path, reason })
    };
    files.par_iter().map(stage).collect()
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
