//! Writes moving trees as point caches and USD into a folder, each with expected vertex positions at some
//! times, for `tools/cache-check`.

#[path = "../tests/common/sway.rs"]
mod sway;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windfall_core::glam::DVec3;
use windfall_core::{Plant, Pose};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_io::{BoneCount, PoseList, UsdMotion, export, export_points, export_usd};
use windfall_skin::{Detail, Look, Motion, PaintOptions, Skin, skin};

/// Frames per second.
const RATE: f64 = 24.0;

fn main() -> Result<(), Box<dyn Error>> {
    let folder: PathBuf = std::env::args_os().nth(1).ok_or("usage: cache_check FOLDER")?.into();
    // Wood, leaves and fruit, some of each falling; away from the origin.
    let (plant, skin) = tree("apple", 5000, DVec3::new(12.5, 1.0, -7.25))?;
    assert!(!plant.fruit().is_empty());
    let mut frames = sway::frames(&plant, 2.0, RATE, 49);
    sway::let_go(&plant, &mut frames, 1.0);
    for ending in ["pc2", "mdd"] {
        let path = folder.join(format!("apple.{ending}"));
        export_points(&plant, &skin, &mut frames, &path, &mut |_| ())?;
        // Precision of f32 at 12 m.
        write_check(&path, &plant, &skin, &frames, Vertices::Used, 1e-5)?;
    }
    let few = UsdMotion::Skeleton(BoneCount::AtMost(64));
    for ending in ["usda", "usdc", "usdz"] {
        export(&plant, &skin, &folder.join(format!("still.{ending}")))?;
        for (name, motion) in [("apple_points", UsdMotion::Points), ("apple_few_bones", few)] {
            write_usd(&folder.join(format!("{name}.{ending}")), &plant, &skin, &mut frames, motion)?;
        }
    }
    // A bone for each body.
    let (plant, skin) = tree("oak", 1200, DVec3::new(-3.0, 0.5, 4.0))?;
    let mut frames = sway::frames(&plant, 2.0, RATE, 49);
    sway::let_go(&plant, &mut frames, 1.0);
    let all = UsdMotion::Skeleton(BoneCount::All);
    for ending in ["usda", "usdc", "usdz"] {
        write_usd(&folder.join(format!("oak_all_bones.{ending}")), &plant, &skin, &mut frames, all)?;
    }
    Ok(())
}

fn write_usd(
    path: &Path,
    plant: &Plant,
    skin: &Skin,
    frames: &mut PoseList,
    motion: UsdMotion,
) -> Result<(), Box<dyn Error>> {
    let report = export_usd(plant, skin, frames, motion, path, &mut |_| ())?;
    // Weights are rounded to 1/65535.
    let allowed = 2e-5 + report.skeleton.map_or(0.0, |skeleton| skeleton.error.largest_m);
    write_check(path, plant, skin, frames, Vertices::All, allowed)
}

fn tree(species: &str, bodies: usize, origin: DVec3) -> Result<(Plant, Skin), Box<dyn Error>> {
    let textures = PaintOptions { bark: 128, twig: 64, leaf: 64, fruit: 64, ..PaintOptions::default() };
    let species = Species::named(species).ok_or("no such species")?;
    let mut parts = grow(&species, &GrowOptions { bodies: Some(bodies), seed: 1 })?.into_parts();
    parts.trees[0].origin = origin;
    let plant = Plant::new(parts)?;
    let skin = skin(&plant, &Look::of(&plant), &Detail::level(&plant, 2), &textures);
    Ok((plant, skin))
}

/// The vertices in a file.
#[derive(Clone, Copy, PartialEq)]
enum Vertices {
    /// Those used by a triangle.
    Used,
    /// All of the skin.
    All,
}

/// Writes vertex positions of the full simulation's skin. The tolerance of the file is `allowed`, m.
fn write_check(
    path: &Path,
    plant: &Plant,
    skin: &Skin,
    frames: &PoseList,
    which: Vertices,
    allowed: f64,
) -> Result<(), Box<dyn Error>> {
    let origin = plant.trees()[0].origin;
    let parts: Vec<_> = skin.trees[0].parts.iter().filter(|part| !part.mesh.triangles.is_empty()).collect();
    let vertices: Vec<Vec<u32>> = parts
        .iter()
        .map(|part| match which {
            Vertices::Used => {
                part.mesh.triangles.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect()
            }
            Vertices::All => (0..part.mesh.positions.len() as u32).collect(),
        })
        .collect();
    let points: usize = vertices.iter().map(Vec::len).sum();
    let moments: Vec<Value> = [0, 7, 12, 29, 48]
        .into_iter()
        .map(|frame| {
            let motion = Motion::new(&Pose::rest(plant), &frames.poses[frame]);
            let mut samples = Vec::new();
            let mut before = 0;
            for (part, vertices) in parts.iter().zip(&vertices) {
                let (mut positions, mut normals) = (Vec::new(), Vec::new());
                motion.deform(&part.mesh, &mut positions, &mut normals);
                for (rank, &vertex) in vertices.iter().enumerate().step_by(17) {
                    let place = origin + positions[vertex as usize].as_dvec3();
                    samples.push(json!({ "vertex": before + rank, "at": place }));
                }
                before += vertices.len();
            }
            json!({ "frame": frame, "samples": samples })
        })
        .collect();
    let identifier = |name: &str| name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let names: Vec<String> = parts.iter().map(|part| identifier(&part.name)).collect();
    let value = json!({
        "frames_per_second": RATE, "points": points, "origin": origin, "allowed_m": allowed, "meshes": names, "moments": moments,
    });
    let name = format!("{}.check.json", path.file_name().unwrap_or_default().to_string_lossy());
    Ok(std::fs::write(path.with_file_name(name), serde_json::to_string(&value)?)?)
}
