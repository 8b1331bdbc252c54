//! Writes skins as GLB and OBJ into a folder, each with a report of the expected content, for
//! `tools/gltf-check` and `tools/blender-check`: one made by hand with difficult names, an empty one, and
//! a small tree of every species; and moving trees, with expected vertex positions at some times.

#[path = "../tests/common/skins.rs"]
mod skins;
#[path = "../tests/common/sway.rs"]
mod sway;

use std::error::Error;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windfall_core::glam::DVec3;
use windfall_core::{Plant, Pose};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_io::{AnimationOptions, BoneCount, Clip, LeafMotion, PoseList, SkinReport, export, export_animated};
use windfall_skin::{Detail, Look, Motion, PaintOptions, Skin, TreeSkin, skin};

fn main() -> Result<(), Box<dyn Error>> {
    let folder: PathBuf = std::env::args_os().nth(1).ok_or("usage: export_check FOLDER")?.into();
    let (plant, by_hand) = skins::two_trees();
    write(&folder, "two trees", &plant, &by_hand)?;
    let empty = Skin { trees: vec![TreeSkin::default()], ..Skin::default() };
    write(&folder, "empty", &skins::plant(&[("bare", DVec3::ZERO)]), &empty)?;
    for species in Species::all() {
        let (plant, skin) = tree(&species.name, 500, 1)?;
        write(&folder, &species.name, &plant, &skin)?;
    }
    moving_trees(&folder)
}

fn tree(species: &str, bodies: usize, level: u8) -> Result<(Plant, Skin), Box<dyn Error>> {
    let textures = PaintOptions { bark: 128, twig: 64, leaf: 64, fruit: 64, ..PaintOptions::default() };
    let species = Species::named(species).ok_or("no such species")?;
    let plant = grow(&species, &GrowOptions { bodies: Some(bodies), seed: 1 })?;
    let skin = skin(&plant, &Look::of(&plant), &Detail::level(&plant, level), &textures);
    Ok((plant, skin))
}

fn write(folder: &Path, name: &str, plant: &Plant, skin: &Skin) -> Result<(), Box<dyn Error>> {
    for ending in ["glb", "obj"] {
        export(plant, skin, &folder.join(format!("{name}.{ending}")))?;
    }
    let report = serde_json::to_string_pretty(&SkinReport::of(plant, skin))?;
    Ok(std::fs::write(folder.join(format!("{name}.json")), report)?)
}

/// Frames per second of moving trees.
const RATE: f64 = 24.0;

fn moving_trees(folder: &Path) -> Result<(), Box<dyn Error>> {
    let all = AnimationOptions { bones: BoneCount::All, ..AnimationOptions::default() };
    let few = AnimationOptions { bones: BoneCount::AtMost(64), ..AnimationOptions::default() };
    let nodes = AnimationOptions { leaves: LeafMotion::Nodes, ..few };

    let (plant, skin) = tree("apple", 200, 1)?;
    let frames = sway::frames(&plant, 2.0, RATE, 49);
    write_moving(folder, "moving apple, all bones", &plant, &skin, frames.clone(), &all)?;
    let mut falling = frames.clone();
    sway::let_go(&plant, &mut falling, 1.0);
    write_moving(folder, "moving apple that falls apart", &plant, &skin, falling, &all)?;
    write_moving(folder, "moving apple, leaves as nodes", &plant, &skin, frames, &nodes)?;

    // Away from the origin.
    let (plant, skin) = tree("maple", 1500, 2)?;
    let mut parts = plant.into_parts();
    parts.trees[0].origin = DVec3::new(12.5, 1.0, -7.25);
    let plant = Plant::new(parts)?;
    let frames = sway::frames(&plant, 2.0, RATE, 49);
    write_moving(folder, "moving maple, 64 bones", &plant, &skin, frames.clone(), &few)?;
    write_moving(folder, "moving maple, all bones", &plant, &skin, frames, &all)
}

/// Writes a moving tree, and vertex positions of the full simulation's skin. The tolerance is the error
/// reported by the writer.
fn write_moving(
    folder: &Path,
    name: &str,
    plant: &Plant,
    skin: &Skin,
    mut frames: PoseList,
    options: &AnimationOptions,
) -> Result<(), Box<dyn Error>> {
    let poses = frames.poses.clone();
    let clips = &mut [Clip { name: "sway".into(), frames: &mut frames }];
    let path = folder.join(format!("{name}.glb"));
    let report = export_animated(plant, skin, clips, options, &path, &mut |_| ())?;
    // Leaf parts with nodes are not skinned.
    let is_skinned = |part: &windfall_skin::SkinPart| report.leaf_nodes == 0 || !part.name.ends_with("leaf");
    let parts: Vec<_> =
        skin.trees[0].parts.iter().filter(|part| !part.mesh.triangles.is_empty() && is_skinned(part)).collect();
    let used: Vec<Vec<u32>> = parts
        .iter()
        .map(|part| {
            let mut used = part.mesh.triangles.concat();
            used.sort_unstable();
            used.dedup();
            used
        })
        .collect();
    let moments: Vec<Value> = [0, 7, 12, 29, 48]
        .into_iter()
        .map(|frame| {
            let motion = Motion::new(&Pose::rest(plant), &poses[frame]);
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            let mut samples = Vec::new();
            let mut before = 0;
            for (p, (part, used)) in parts.iter().zip(&used).enumerate() {
                let (mut positions, mut normals) = (Vec::new(), Vec::new());
                motion.deform(&part.mesh, &mut positions, &mut normals);
                for (rank, &vertex) in used.iter().enumerate() {
                    let place = plant.trees()[0].origin + positions[vertex as usize].as_dvec3();
                    (low, high) = (low.min(place), high.max(place));
                    if rank % 17 == 0 {
                        samples.push(json!({ "part": p, "vertex": vertex, "used": before + rank, "at": place }));
                    }
                }
                before += used.len();
            }
            json!({ "frame": frame, "time": frame as f64 / RATE, "min": low, "max": high, "samples": samples })
        })
        .collect();
    let mut value = serde_json::to_value(SkinReport::of(plant, skin))?;
    value["animation"] = serde_json::to_value(&report)?;
    value["moments"] = moments.into();
    value["frames_per_second"] = RATE.into();
    Ok(std::fs::write(path.with_extension("json"), serde_json::to_string(&value)?)?)
}
