//! `windfall export`.

mod animated;
mod looped;
mod parse;
mod textures;
mod written;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use windfall::io::{ExportFormat, PivotReport, SkinReport};

use self::animated::{MotionArgs, Moving, What};
use self::textures::TextureArgs;
use crate::appearance::AppearanceArgs;
use crate::numbers::count;
use crate::plants::{GrowArgs, load_or_grow};
use crate::{progress, report};

/// Write a plant as a textured mesh for other programs, still or moving.
#[derive(Args)]
#[command(after_help = "\
Examples:
  windfall export oak.wfp -o oak.glb                       for game engines, Blender, the web
  windfall export maple --look maple-autumn -o maple.glb   grown on the spot, in autumn
  windfall export oak.wfp --lod 3 -o oak_far.glb           for the far distance
  windfall export oak.wfp -o oak.obj                       with .mtl and textures beside it
  windfall export oak.wfp --motion out/oak.wfm -o oak.glb  moving, on 256 bones: one skin that loads everywhere
  windfall export oak.wfp --motion out/oak.wfm --bones all -o oak.glb
                                                           a bone for each body: exact, large
  windfall export oak --wind breeze --loop 4 -o oak.glb    simulates a clip that loops
  windfall export oak.wfp --motion out/oak.wfm -o oak.usdc every vertex in each frame, as USD
  windfall export oak.wfp --motion out/oak.wfm --usd skel --bones 1k -o oak.usdc
                                                           USD with a skeleton of 1000 bones
  windfall export oak.wfp --motion out/oak.wfm -o oak.mdd  every vertex in each frame, for the mesh oak.mdd.obj beside it
  windfall export oak.wfp --motion out/oak.wfm -o oak.csv  a table: where every body is in each frame
  windfall export oak --bodies 5k --lod 3 --wind breeze --loop 4 --vat -o oak.glb
                                                           all motion in a texture: oak_vat.exr, oak-remap_info.json
  windfall export oak --pivot-painter -o oak.glb           for wind in Unreal's shaders

A .glb has one mesh per tree and one draw call per material: bark, twigs, leaves (alpha mask, seen from both
sides), fruit. Units are metres, y is up. docs/interchange.md says how to use moving trees in which program.")]
pub struct Export {
    /// A .wfp or .json plant, or a species that is grown on the spot
    plant: String,
    /// Where to save it: .glb or .usdz (one file), .usda, .usdc or .obj (with images beside them); moving
    /// also .pc2 or .mdd (point caches beside an .obj) or .csv (places of all bodies)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    appearance: AppearanceArgs,
    #[command(flatten)]
    grow: GrowArgs,
    #[command(flatten)]
    motion: MotionArgs,
    #[command(flatten)]
    textures: TextureArgs,
    /// Print counts, bounds and errors as JSON
    #[arg(long)]
    json: bool,
}

impl Export {
    pub fn run(&self) -> anyhow::Result<()> {
        windfall::io::check_export_destination(&self.output)?;
        self.motion.check(&self.output)?;
        self.textures.check(self.motion.moves(), &self.output)?;
        let plant = Arc::new(load_or_grow(&self.plant, &self.grow)?);
        let motion = self.motion.open(&plant)?;
        let what = if ExportFormat::of(&self.output)? == ExportFormat::Csv {
            What::Bodies(self.motion.bodies(&plant)?)
        } else {
            What::Surface(self.appearance.skin(&plant)?)
        };
        let moving = self.motion.export(&plant, &what, motion, &self.textures, &self.output)?;
        let mut pivots = None;
        if let (None, What::Surface(skin)) = (&moving, &what) {
            pivots = self.textures.export_pivots(&plant, skin, &self.output)?;
            if pivots.is_none() {
                progress::during("writing", || windfall::io::export(&plant, skin, &self.output))?;
            }
        }
        let skin = match &what {
            What::Surface(skin) => Some(SkinReport::of(&plant, skin)),
            What::Bodies(_) => None,
        };
        let mut out = std::io::stdout().lock();
        if self.json {
            let exported = Exported { skin: skin.as_ref(), moving: moving.as_ref(), pivots: pivots.as_ref() };
            report::json(&mut out, &exported)?;
            return Ok(());
        }
        if let Some(skin) = &skin {
            print_skin(&mut out, skin)?;
        }
        if let Some(moving) = &moving {
            animated::print(&mut out, moving)?;
        }
        if let Some(pivots) = &pivots {
            textures::print_pivots(&mut out, pivots)?;
        }
        writeln!(out, "\nsaved as {}", self.output.display())?;
        Ok(())
    }
}

/// Writes the parts of a surface as an aligned list.
fn print_skin(out: &mut impl Write, skin: &SkinReport) -> io::Result<()> {
    for part in skin.trees.iter().take(MOST_TREES).flat_map(|tree| &tree.parts) {
        let (vertices, triangles) = (count(part.vertices), count(part.triangles));
        writeln!(out, "  {:<24} {vertices:>12} vertices {triangles:>12} triangles", part.name)?;
    }
    if skin.trees.len() > MOST_TREES {
        writeln!(out, "  and {} more trees (all with --json)", skin.trees.len() - MOST_TREES)?;
    }
    let (vertices, triangles) = (count(skin.vertices), count(skin.triangles));
    writeln!(out, "  {:<24} {vertices:>12} vertices {triangles:>12} triangles", "all")
}

/// The JSON output.
#[derive(Serialize)]
struct Exported<'a> {
    #[serde(flatten)]
    skin: Option<&'a SkinReport>,
    #[serde(flatten)]
    moving: Option<&'a Moving>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pivots: Option<&'a PivotReport>,
}

/// Trees of a grove whose parts are listed.
const MOST_TREES: usize = 3;
