//! Wavefront OBJ with its material file (MTL) and images beside it: for programs that don't read glTF.
//!
//! - `tree.obj` refers to `tree.mtl`, and that to `tree_bark_color.png` and so on. Names of these files have no spaces, even
//!   if the OBJ's has: readers don't agree on spaces.
//! - One object per tree, one material per part. Coordinates are metres relative to the origin of the *first* tree, which a
//!   comment at the top gives: readers hold them in f32, and a tree in map coordinates would lose its twigs.
//! - Positions are rounded to 0.01 mm, texture coordinates to 0.00001, normals to 0.0001.
//! - Tints follow the position as three more numbers (sRGB), as Blender, three.js and others read them; they are left out
//!   if all of them are white, and then of all vertices, since readers want all or none. Light that comes through leaves
//!   can't be told.

mod mtl;
mod text;

use std::io::{self, Write};
use std::path::Path;

use glam::DVec3;
use rayon::prelude::*;
use windfall_core::Plant;
use windfall_skin::{Material, Mesh, Skin};

use crate::skin_check;
use crate::{ExportError, atomic, images};
use text::{integer, number, word, words};

/// Lines that one thread formats at a time, and how many such blocks are in memory at once.
const BLOCK: usize = 1 << 12;
const BLOCKS: usize = 64;

/// Writes all files. All are complete before the first gets its name; the OBJ gets it last.
pub(crate) fn export(plant: &Plant, skin: &Skin, path: &Path) -> Result<(), ExportError> {
    skin_check::check(plant, skin).map_err(|reason| ExportError::Skin { path: path.to_owned(), reason })?;
    let stem = file_stem(&path.file_stem().unwrap_or_default().to_string_lossy());
    let names = words(skin.materials.iter().map(|material| &*material.name));
    let mut used = vec![false; skin.materials.len()];
    for part in skin.trees.iter().flat_map(|tree| &tree.parts).filter(|part| !part.mesh.triangles.is_empty()) {
        used[part.material] = true;
    }
    let materials = names.iter().map(String::as_str).zip(&skin.materials).zip(used);
    let materials: Vec<(&str, &Material)> = materials.filter(|(_, used)| *used).map(|(material, _)| material).collect();
    let (library, image_files) = mtl::library(&stem, &materials);
    let library_name = format!("{stem}.mtl");

    let stage = |name: &str, fill: &dyn Fn(&mut dyn Write) -> io::Result<()>| {
        let path = path.with_file_name(name);
        atomic::stage(&path, fill).map_err(|reason| ExportError::Os { path, reason })
    };
    let staged_images: Vec<atomic::Staged> = image_files
        .par_iter()
        .map(|file| {
            let png = images::png(&file.image);
            stage(&file.name, &|out| out.write_all(&png))
        })
        .collect::<Result<_, _>>()?;
    let staged_library = stage(&library_name, &|out| out.write_all(library.as_bytes()))?;
    let here = |reason| ExportError::Os { path: path.to_owned(), reason };
    let staged_obj = atomic::stage(path, |out| write(plant, skin, &names, &library_name, out)).map_err(here)?;
    for file in staged_images.into_iter().chain([staged_library, staged_obj]) {
        file.publish().map_err(here)?;
    }
    Ok(())
}

/// Writes the text of the OBJ for a checked skin.
fn write(plant: &Plant, skin: &Skin, names: &[String], library_name: &str, out: &mut dyn Write) -> io::Result<()> {
    let base = plant.trees().first().map_or(DVec3::ZERO, |tree| tree.origin);
    writeln!(out, "# windfall {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "# metres, y up; 0 0 0 is {} {} {} in the world", base.x, base.y, base.z)?;
    writeln!(out, "mtllib {library_name}")?;
    let mut parts = skin.trees.iter().flat_map(|tree| &tree.parts);
    let tinted = parts.any(|part| part.mesh.tints.iter().any(|&tint| tint != [u8::MAX; 4]));
    let mut first = 1;
    for (tree, tree_skin) in plant.trees().iter().zip(&skin.trees) {
        writeln!(out, "o {}", one_line(&tree.name))?;
        for part in tree_skin.parts.iter().filter(|part| !part.mesh.triangles.is_empty()) {
            writeln!(out, "usemtl {}", names[part.material])?;
            write_mesh(out, &part.mesh, tree.origin - base, tinted, first)?;
            first += part.mesh.positions.len() as u64;
        }
    }
    Ok(())
}

fn write_mesh(out: &mut dyn Write, mesh: &Mesh, offset: DVec3, tinted: bool, first: u64) -> io::Result<()> {
    let count = mesh.positions.len();
    let srgb: [f64; 256] = std::array::from_fn(|i| f64::from(images::srgb_of_linear(i as f32 / 255.0)));
    lines(out, count, |line, i| {
        let p = mesh.positions[i].as_dvec3() + offset;
        line.push(b'v');
        numbers::<5>(line, p.to_array());
        if tinted {
            numbers::<4>(line, mesh.tints[i][..3].iter().map(|&c| srgb[usize::from(c)]));
        }
    })?;
    lines(out, count, |line, i| {
        line.extend_from_slice(b"vt");
        let uv = mesh.uvs[i].as_dvec2();
        // Ours runs down from the top of the image, that of OBJ up from its bottom.
        numbers::<5>(line, [uv.x, 1.0 - uv.y]);
    })?;
    lines(out, count, |line, i| {
        line.extend_from_slice(b"vn");
        numbers::<4>(line, mesh.normals[i].as_dvec3().to_array());
    })?;
    lines(out, mesh.triangles.len(), |line, i| {
        line.push(b'f');
        for corner in mesh.triangles[i] {
            for between in [b' ', b'/', b'/'] {
                line.push(between);
                integer(line, first + u64::from(corner));
            }
        }
    })
}

fn numbers<const D: u32>(line: &mut Vec<u8>, values: impl IntoIterator<Item = f64>) {
    for value in values {
        line.push(b' ');
        number::<D>(line, value);
    }
}

/// Writes lines that are formatted by all threads, in their order.
fn lines(out: &mut dyn Write, count: usize, format: impl Fn(&mut Vec<u8>, usize) + Sync) -> io::Result<()> {
    for start in (0..count).step_by(BLOCK * BLOCKS) {
        let end = count.min(start + BLOCK * BLOCKS);
        let blocks: Vec<Vec<u8>> = (start..end)
            .into_par_iter()
            .step_by(BLOCK)
            .map(|first| {
                let mut text = Vec::with_capacity(BLOCK * 32);
                for i in first..end.min(first + BLOCK) {
                    format(&mut text, i);
                    text.push(b'\n');
                }
                text
            })
            .collect();
        blocks.iter().try_for_each(|block| out.write_all(block))?;
    }
    Ok(())
}

/// What names of the other files begin with. If that is not the name of the OBJ it gets a check sum of it: `a b.obj` must not
/// overwrite the files of `a_b.obj`.
fn file_stem(name: &str) -> String {
    let word = word(name);
    if word == name { word } else { format!("{word}_{:08x}", crc32fast::hash(name.as_bytes())) }
}

/// A name on one line.
fn one_line(name: &str) -> String {
    if name.trim().is_empty() {
        return "tree".to_owned();
    }
    name.chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}
