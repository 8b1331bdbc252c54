//! Images of materials as companion files, for formats without embedded images.

use std::ffi::OsStr;
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
    /// `beside` (the [`whole_name`] of the file) and `name` are the prefixes of file names.
    pub fn of(beside: &str, name: &str, material: &Material) -> Self {
        let file = |what: &str, image: Image| ImageFile { name: image_name(beside, name, what), image };
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

/// The name of an image file: export, material, and content.
pub(crate) fn image_name(beside: &str, material: &str, what: &str) -> String {
    format!("{beside}_{material}_{what}.png")
}

/// Names of the image files of a skin's materials, without creating them.
pub(crate) fn image_names(skin: &Skin, beside: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (name, material) in used_materials(skin).iter().zip(&skin.materials) {
        let Some(name) = name else { continue };
        let images = [&material.base_color, &material.roughness, &material.normal];
        let kinds = ["color", "roughness", "normal"].into_iter().zip(images).filter(|(_, image)| image.is_some());
        names.extend(kinds.map(|(what, _)| image_name(beside, name, what)));
    }
    names
}

/// Used materials, each with a unique plain name.
pub(crate) fn used_materials(skin: &Skin) -> Vec<Option<String>> {
    let mut used = vec![false; skin.materials.len()];
    for part in skin.trees.iter().flat_map(|tree| &tree.parts).filter(|part| !part.mesh.triangles.is_empty()) {
        used[part.material] = true;
    }
    let names = words(skin.materials.iter().map(|material| &*material.name));
    names.into_iter().zip(used).map(|(name, used)| used.then_some(name)).collect()
}

/// Prefix of the image names of a file: its whole name, since `oak.usdc` must not overwrite the images of
/// `oak.obj`.
pub(crate) fn whole_name(path: &Path) -> String {
    plain(path.file_name().unwrap_or_default())
}

/// The name of a file without extension, as a plain word.
pub(crate) fn file_stem(path: &Path) -> String {
    plain(path.file_stem().unwrap_or_default())
}

/// A name that is not a plain word gets a checksum of the original: `a b.obj` must not overwrite the files
/// of `a_b.obj`.
fn plain(name: &OsStr) -> String {
    let text = name.to_string_lossy();
    let word = word(&text);
    // Of the bytes, not of the text: different invalid UTF-8 may look the same.
    if word == text { word } else { format!("{word}_{:08x}", crc32fast::hash(name.as_encoded_bytes())) }
}

/// Writes images into the folder of `path` under temporary names.
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
