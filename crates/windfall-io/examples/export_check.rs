//! Writes skins as GLB and OBJ into a folder, each with a report of what must be in them, for `tools/gltf-check`: one made
//! by hand with hard names, one without anything, and a small tree of every species.

#[path = "../tests/common/skins.rs"]
mod skins;

use std::error::Error;
use std::path::{Path, PathBuf};

use windfall_core::Plant;
use windfall_core::glam::DVec3;
use windfall_grow::{GrowOptions, Species, grow};
use windfall_io::{SkinReport, export};
use windfall_skin::{Detail, Look, PaintOptions, Skin, TreeSkin, skin};

fn main() -> Result<(), Box<dyn Error>> {
    let folder: PathBuf = std::env::args_os().nth(1).ok_or("usage: export_check FOLDER")?.into();
    let (plant, by_hand) = skins::two_trees();
    write(&folder, "two trees", &plant, &by_hand)?;
    let empty = Skin { trees: vec![TreeSkin::default()], ..Skin::default() };
    write(&folder, "empty", &skins::plant(&[("bare", DVec3::ZERO)]), &empty)?;
    let textures = PaintOptions { bark: 128, twig: 64, leaf: 64, fruit: 64, ..PaintOptions::default() };
    for species in Species::all() {
        let plant = grow(&species, &GrowOptions { bodies: Some(500), seed: 1 })?;
        let skin = skin(&plant, &Look::of(&plant), &Detail::level(&plant, 1), &textures);
        write(&folder, &species.name, &plant, &skin)?;
    }
    Ok(())
}

fn write(folder: &Path, name: &str, plant: &Plant, skin: &Skin) -> Result<(), Box<dyn Error>> {
    for ending in ["glb", "obj"] {
        export(plant, skin, &folder.join(format!("{name}.{ending}")))?;
    }
    let report = serde_json::to_string_pretty(&SkinReport::of(plant, skin))?;
    Ok(std::fs::write(folder.join(format!("{name}.json")), report)?)
}
