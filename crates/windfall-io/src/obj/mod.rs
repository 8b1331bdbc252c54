//! Wavefront OBJ with its material file (MTL) and images beside it: for programs that don't read glTF.
//!
//! - `tree.obj` refers to `tree.mtl`, and that to `tree.obj_bark_color.png` and so on. Names of these
//!   files have no spaces, even if the name of the OBJ has: readers treat spaces differently.
//! - One object per tree, one material per part. Coordinates are metres relative to the origin of the
//!   *first* tree, given in a comment at the top: readers store them in f32, which cannot resolve twigs in
//!   map coordinates.
//! - Positions are rounded to 0.01 mm, texture coordinates to 0.00001, normals to 0.0001.
//! - Tints follow the position as three more numbers (sRGB), as Blender, three.js and others read them;
//!   they are omitted for all vertices if all of them are white, since readers expect all or none. Light
//!   transmitted through leaves cannot be represented.

mod mtl;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use glam::DVec3;
use windfall_core::Plant;
use windfall_skin::{Material, Mesh, Skin};

use crate::skin_check;
use crate::text::{integer, lines, number};
use crate::textures::{file_stem, image_names, stage_images, used_materials, whole_name};
use crate::{ExportError, atomic, images};

/// Grouping into objects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Objects {
    /// One for each tree.
    Trees,
    /// One object for all trees.
    One,
}

/// Writes all files. All are complete before the first is renamed; the OBJ is renamed last.
pub(crate) fn export(plant: &Plant, skin: &Skin, path: &Path) -> Result<(), ExportError> {
    let files = stage(plant, skin, Objects::Trees, path)?;
    atomic::publish_all(files).map_err(|reason| ExportError::Os { path: path.to_owned(), reason })
}

/// All files of an OBJ export of this skin, including the OBJ itself.
pub(crate) fn files(skin: &Skin, path: &Path) -> Vec<PathBuf> {
    let beside = whole_name(path);
    let names = image_names(skin, &beside).into_iter().chain(mtl::alpha_names(skin, &beside));
    let mut files: Vec<PathBuf> = names.chain([library_name(path)]).map(|name| path.with_file_name(name)).collect();
    files.push(path.to_owned());
    files
}

/// By convention the name of the OBJ with another extension.
fn library_name(path: &Path) -> String {
    format!("{}.mtl", file_stem(path))
}

/// Writes all files under temporary names. The OBJ is the last of them.
pub(crate) fn stage(
    plant: &Plant,
    skin: &Skin,
    objects: Objects,
    path: &Path,
) -> Result<Vec<atomic::Staged>, ExportError> {
    skin_check::check(plant, skin).map_err(|reason| ExportError::Skin { path: path.to_owned(), reason })?;
    let names = used_materials(skin);
    let materials: Vec<(&str, &Material)> = (names.iter().zip(&skin.materials))
        .filter_map(|(name, material)| name.as_deref().map(|name| (name, material)))
        .collect();
    let (library, image_files) = mtl::library(&whole_name(path), &materials);
    let mut files = stage_images(&image_files, path)?;
    let library_name = library_name(path);
    let stage = |path: &Path, fill: &dyn Fn(&mut dyn Write) -> io::Result<()>| {
        atomic::stage(path, fill).map_err(|reason| ExportError::Os { path: path.to_owned(), reason })
    };
    files.push(stage(&path.with_file_name(&library_name), &|out| out.write_all(library.as_bytes()))?);
    files.push(stage(path, &|out| write(plant, skin, objects, &names, &library_name, out))?);
    Ok(files)
}

/// Writes the text of the OBJ for a checked skin.
fn write(
    plant: &Plant,
    skin: &Skin,
    objects: Objects,
    names: &[Option<String>],
    library_name: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let base = plant.trees().first().map_or(DVec3::ZERO, |tree| tree.origin);
    writeln!(out, "# windfall {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "# metres, y up; 0 0 0 is {} {} {} in the world", base.x, base.y, base.z)?;
    writeln!(out, "mtllib {library_name}")?;
    let mut parts = skin.trees.iter().flat_map(|tree| &tree.parts);
    let tinted = parts.any(|part| part.mesh.tints.iter().any(|&tint| tint != [u8::MAX; 4]));
    let mut first = 1;
    for (t, (tree, tree_skin)) in plant.trees().iter().zip(&skin.trees).enumerate() {
        match objects {
            Objects::Trees => writeln!(out, "o {}", one_line(&tree.name))?,
            Objects::One if t == 0 => writeln!(out, "o {}", one_line(plant.name()))?,
            Objects::One => (),
        }
        for part in tree_skin.parts.iter().filter(|part| !part.mesh.triangles.is_empty()) {
            writeln!(out, "usemtl {}", names[part.material].as_deref().unwrap_or_default())?;
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
        // v points down from the top of the image in the skin, up from the bottom in OBJ.
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

/// A name on one line.
fn one_line(name: &str) -> String {
    if name.trim().is_empty() {
        return "tree".to_owned();
    }
    name.chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}
