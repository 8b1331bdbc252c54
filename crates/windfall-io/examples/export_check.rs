//! Writes small skins as GLB and OBJ into a folder, each with a report of what must be in them, for `tools/gltf-check`.

#[path = "../tests/common/skins.rs"]
mod skins;

use std::path::PathBuf;

use windfall_core::Plant;
use windfall_core::glam::DVec3;
use windfall_io::{SkinReport, export};
use windfall_skin::{Skin, TreeSkin};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder: PathBuf = std::env::args_os().nth(1).ok_or("usage: export_check FOLDER")?.into();
    let empty_plant = skins::plant(&[("bare", DVec3::ZERO)]);
    let empty = Skin { trees: vec![TreeSkin::default()], ..Skin::default() };
    let cases: [(&str, (Plant, Skin)); 2] = [("two trees", skins::two_trees()), ("empty", (empty_plant, empty))];
    for (name, (plant, skin)) in cases {
        for ending in ["glb", "obj"] {
            export(&plant, &skin, &folder.join(format!("{name}.{ending}")))?;
        }
        let report = serde_json::to_string_pretty(&SkinReport::of(&plant, &skin))?;
        std::fs::write(folder.join(format!("{name}.json")), report)?;
    }
    Ok(())
}
