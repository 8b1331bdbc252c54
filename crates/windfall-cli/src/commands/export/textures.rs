//! Trees animated by textures: vertex animation textures and Pivot Painter 2.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueEnum};
use windfall::core::Plant;
use windfall::io::{
    AnimationError, Clip, ExportFormat, PivotOptions, PivotReport, VatError, VatFormat, VatOptions, VatReport,
    check_vat, export_pivot_painter, export_vat,
};
use windfall::skin::Skin;

use crate::numbers::{count, short};
use crate::progress;

/// Options for trees that textures move.
#[derive(Args)]
#[command(next_help_heading = "Trees that textures move (.glb with textures beside it)")]
pub struct TextureArgs {
    /// Put all vertices in all frames into a vertex animation texture, as `OpenVAT` and `bevy_open_vat` read
    /// it [exr16 without a value]
    #[arg(
        long, value_enum, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "exr16",
        conflicts_with_all = ["bones", "leaves", "tolerance"]
    )]
    vat: Option<Vat>,
    /// Write pivots and parents for wind in Unreal's shaders (Pivot Painter 2) [leaves without a value]
    #[arg(
        long, value_enum, value_name = "ELEMENTS", num_args = 0..=1, require_equals = true, default_missing_value = "leaves",
        conflicts_with_all = ["motion", "wind", "vat"]
    )]
    pivot_painter: Option<Pivots>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Vat {
    /// Half floats: vertices within 1/4096 of how far they move
    Exr16,
    /// Floats: exact, about four times as large
    Exr32,
    /// 16 bits: vertices within 1/131072 of how far they move
    Png16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Pivots {
    /// An element for each branch, leaf and fruit
    Leaves,
    /// An element for each branch; leaves and fruit move with it
    Branches,
}

impl TextureArgs {
    /// Contradictory options are refused before any work.
    pub fn check(&self, moves: bool, output: &Path) -> anyhow::Result<()> {
        let option = if self.vat.is_some() { "--vat" } else { "--pivot-painter" };
        let wanted = self.vat.is_some() || self.pivot_painter.is_some();
        if wanted && ExportFormat::of(output)? != ExportFormat::Glb {
            bail!("{}: {option} writes a .glb with textures beside it", output.display());
        }
        if self.vat.is_some() && !moves {
            bail!("--vat is for moving trees; give --motion, or --wind and --loop");
        }
        Ok(())
    }

    /// The requested format of the texture, if any.
    pub fn vat(&self) -> Option<VatFormat> {
        self.vat.map(|format| match format {
            Vat::Exr16 => VatFormat::Exr16,
            Vat::Exr32 => VatFormat::Exr32,
            Vat::Png16 => VatFormat::Png16,
        })
    }

    /// Writes pivots; none if not requested.
    pub fn export_pivots(&self, plant: &Plant, skin: &Skin, output: &Path) -> anyhow::Result<Option<PivotReport>> {
        let Some(elements) = self.pivot_painter else { return Ok(None) };
        let options = PivotOptions { leaves: elements == Pivots::Leaves };
        let report = progress::during("writing", || export_pivot_painter(plant, skin, options, output))
            .with_context(|| output.display().to_string())?;
        let has_foliage = !(plant.leaves().is_empty() && plant.fruit().is_empty());
        if options.leaves && has_foliage && report.foliage == 0 {
            eprintln!(
                "note: with leaves and fruit there are more than {} elements; they move with their branches",
                count(windfall::io::pivots::MOST_ELEMENTS)
            );
        }
        Ok(Some(report))
    }
}

/// Checks that a clip of this many frames could be written, before it is simulated.
pub fn check_room(plant: &Plant, skin: &Skin, frames: usize, options: VatOptions, output: &Path) -> anyhow::Result<()> {
    check_vat(plant, skin, frames, options, output).map(drop).map_err(|error| named(error, output))
}

/// Adds the name of the output, unless the error names another file, and the options with which it would fit.
fn named(error: VatError, output: &Path) -> anyhow::Error {
    let error = match error {
        VatError::Animation(AnimationError::Beside(error)) => return error.into(),
        VatError::TooLarge { .. } => anyhow!("{error} (--lod, --bodies, --fps, --loop, --from, --to)"),
        other => other.into(),
    };
    error.context(output.display().to_string())
}

/// Writes a vertex animation texture.
pub fn write_vat(
    plant: &Plant,
    skin: &Skin,
    clip: &mut Clip<'_>,
    options: VatOptions,
    output: &Path,
) -> anyhow::Result<VatReport> {
    let bar = progress::bar("writing", 0);
    let report = export_vat(plant, skin, clip, options, output, &mut |at| {
        bar.set_length(at.total as u64);
        bar.set_position(at.done as u64);
    });
    bar.finish_and_clear();
    report.map_err(|error| named(error, output))
}

/// Writes the report as an aligned list.
pub fn print_vat(out: &mut impl Write, r: &VatReport) -> io::Result<()> {
    let mut row = |label: &str, value: String| writeln!(out, "  {label:<16} {value}");
    let kind = if r.looping { "loops" } else { "once" };
    row("clip", format!("{} s, {} frames, {kind}", short(r.seconds), count(r.frames)))?;
    row("texture", format!("{} ({} by {})", r.texture.display(), r.width, r.height))?;
    row("numbers", r.remap.display().to_string())?;
    let turn = short(r.largest_turn_deg);
    row("error", format!("{} mm at most, normals {turn} degrees at most", short(r.largest_m * 1e3)))?;
    let (mesh, texture) = (short(r.mesh_bytes as f64 / 1e6), short(r.texture_bytes as f64 / 1e6));
    row("files", format!("mesh {mesh} MB, texture {texture} MB"))
}

/// Writes the report as an aligned list.
pub fn print_pivots(out: &mut impl Write, r: &PivotReport) -> io::Result<()> {
    let mut row = |label: &str, value: String| writeln!(out, "  {label:<16} {value}");
    let foliage =
        if r.foliage > 0 { format!(", {} of them leaves and fruit", count(r.foliage)) } else { String::new() };
    row("elements", format!("{} on {} levels{foliage}", count(r.elements), r.levels))?;
    row("textures", format!("{} and {} ({} by {})", r.pivots.display(), r.axes.display(), r.width, r.height))?;
    row("error", format!("pivots {} mm at most", short(r.largest_m * 1e3)))?;
    if r.clamped > 0 {
        row(
            "clamped",
            format!("{} elements are longer than 20.48 m, which is all that the texture can tell", count(r.clamped)),
        )?;
    }
    Ok(())
}
