//! Writes texture-animated trees into a folder, each with expected positions of some vertices, for
//! `tools/texture-check`.

#[path = "../tests/common/sway.rs"]
mod sway;

use std::error::Error;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windfall_core::{Body, BodyId, Plant, Pose};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_io::{Clip, PivotOptions, VatFormat, VatOptions, export_pivot_painter, export_vat};
use windfall_skin::{Binding, Detail, Look, Motion, PaintOptions, Skin, SkinPart, skin};

/// One of this many vertices is compared.
const EVERY: usize = 13;

fn main() -> Result<(), Box<dyn Error>> {
    let folder: PathBuf = std::env::args_os().nth(1).ok_or("usage: texture_check FOLDER")?.into();
    let (plant, skin) = tree("apple", 400)?;
    for (name, format, looping) in [
        ("vat half", VatFormat::Exr16, true),
        ("vat float", VatFormat::Exr32, false),
        ("vat png", VatFormat::Png16, true),
    ] {
        write_vat(&folder, name, &plant, &skin, VatOptions { format, looping })?;
    }
    write_pivots(&folder, "pivots", &plant, &skin)
}

fn tree(species: &str, bodies: usize) -> Result<(Plant, Skin), Box<dyn Error>> {
    let textures = PaintOptions { bark: 64, twig: 64, leaf: 64, fruit: 64, ..PaintOptions::default() };
    let species = Species::named(species).ok_or("no such species")?;
    let plant = grow(&species, &GrowOptions { bodies: Some(bodies), seed: 1 })?;
    let skin = skin(&plant, &Look::of(&plant), &Detail::level(&plant, 1), &textures);
    Ok((plant, skin))
}

fn parts(skin: &Skin) -> impl Iterator<Item = &SkinPart> {
    skin.trees[0].parts.iter().filter(|part| !part.mesh.triangles.is_empty())
}

fn write_vat(folder: &Path, name: &str, plant: &Plant, skin: &Skin, options: VatOptions) -> Result<(), Box<dyn Error>> {
    let mut frames = sway::frames(plant, 2.0, 24.0, 49);
    let poses = frames.poses.clone();
    let path = folder.join(format!("{name}.glb"));
    let clip = &mut Clip { name: "sway".into(), frames: &mut frames };
    let report = export_vat(plant, skin, clip, options, &path, &mut |_| ())?;
    let moments: Vec<Value> = [0, 1, 7, 29, report.frames - 1]
        .into_iter()
        .map(|frame| {
            let motion = Motion::new(&Pose::rest(plant), &poses[frame]);
            let mut samples = Vec::new();
            for (p, part) in parts(skin).enumerate() {
                let (mut positions, mut normals) = (Vec::new(), Vec::new());
                motion.deform(&part.mesh, &mut positions, &mut normals);
                for (vertex, (at, normal)) in positions.iter().zip(&normals).enumerate().step_by(EVERY) {
                    samples.push(json!({ "part": p, "vertex": vertex, "at": at, "normal": normal }));
                }
            }
            json!({ "frame": frame, "samples": samples })
        })
        .collect();
    let value = json!({ "report": report, "moments": moments });
    Ok(std::fs::write(folder.join(format!("{name}.json")), value.to_string())?)
}

fn write_pivots(folder: &Path, name: &str, plant: &Plant, skin: &Skin) -> Result<(), Box<dyn Error>> {
    let path = folder.join(format!("{name}.glb"));
    let report = export_pivot_painter(plant, skin, PivotOptions::default(), &path)?;
    // Leaves and fruit rotate about their own joints; the chain of parents ends at the trunk.
    let mut samples = Vec::new();
    for (p, part) in parts(skin).enumerate() {
        let Binding::Rigid(bodies) = &part.mesh.binding else { continue };
        for (vertex, &body) in bodies.iter().enumerate().step_by(EVERY) {
            let (pivot, turn) = match plant.body(BodyId(body)) {
                Some(Body::Leaf(leaf)) => (leaf.position, leaf.orientation),
                Some(Body::Fruit(fruit)) => (fruit.position, fruit.orientation),
                _ => continue,
            };
            let axis = turn * windfall_core::glam::Vec3::Y;
            samples.push(json!({ "part": p, "vertex": vertex, "pivot": pivot, "axis": axis }));
        }
    }
    let value = json!({ "report": report, "root": plant.segments()[0].position, "samples": samples });
    Ok(std::fs::write(folder.join(format!("{name}.json")), value.to_string())?)
}
