//! Animated trees: from a motion file, or as a loop that is simulated on the spot.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use clap::{Args, ValueEnum};
use serde::Serialize;
use windfall::core::{BodyId, Plant};
use windfall::io::{
    AnimationError, AnimationOptions, BoneCount, Clip, ExportFormat, Frames, LeafMotion, MotionClip, MotionReader,
    Progress, UsdMotion, VatOptions, check_animated, check_points, check_usd, export_animated, export_points,
    export_poses, export_usd,
};
use windfall::scene::looping::{LoopOptions, LoopReport, simulate_loop};
use windfall::scene::named_wind;
use windfall::scene::{SOLVERS, SolverSpec};
use windfall::skin::Skin;
use windfall::wind::WindSpec;

use super::looped;
use super::parse::parse_bones;
use super::textures::{self, TextureArgs};
use super::written::Written;
use crate::bodies::BodyName;
use crate::numbers::{parse_length, parse_rate, parse_seconds, short};
use crate::{params, progress, solvers};

/// Options for what moves.
#[derive(Args)]
#[command(next_help_heading = "Moving trees (.glb, .usda, .usdc, .usdz, .pc2, .mdd, .csv)")]
pub struct MotionArgs {
    /// A motion of this plant, from `windfall simulate` or `windfall run`
    #[arg(long, value_name = "FILE.wfm", conflicts_with = "wind")]
    motion: Option<PathBuf>,
    /// Simulate the plant in this wind: a name or number of the Beaufort scale, a speed such as 7.5m/s, or a
    /// file ending in .toml
    #[arg(long, value_name = "WIND", requires = "loop_seconds")]
    wind: Option<String>,
    /// Where a named wind comes from, compass degrees: 0 is north (-z), 90 east (+x)
    #[arg(long, value_name = "DEGREES", requires = "wind", allow_hyphen_values = true)]
    wind_from: Option<f64>,
    /// Make a clip of so many seconds that loops: the wind repeats, and the plant is simulated until it does
    #[arg(long = "loop", value_name = "SECONDS", requires = "wind", allow_hyphen_values = true)]
    loop_seconds: Option<f64>,
    /// What moves the plant in a loop
    #[arg(long, value_name = "NAME", default_value = SOLVERS[0].name, value_parser = solvers::parser())]
    solver: SolverSpec,
    /// Bones for all bodies together, or `all` for one per body [default: 256]
    #[arg(long, value_name = "COUNT", value_parser = parse_bones)]
    bones: Option<BoneCount>,
    /// What leaves move with
    #[arg(long, value_enum, default_value_t = Leaves::Bones)]
    leaves: Leaves,
    /// What moves in a .usda, .usdc or .usdz [default: points]
    #[arg(long, value_enum)]
    usd: Option<Usd>,
    /// How far leaving out keys may move any vertex of a .glb: such as 1mm, 0.5mm, 1cm [default: 1mm]
    #[arg(long, value_name = "LENGTH", value_parser = parse_length, allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// Frames in a second that are looked at [default: those of the motion; 30 for loops]
    #[arg(long, value_parser = parse_rate, allow_hyphen_values = true)]
    fps: Option<f64>,
    /// Where in the motion to begin, seconds after its first frame
    #[arg(long, value_name = "SECONDS", requires = "motion", value_parser = parse_seconds, allow_hyphen_values = true)]
    from: Option<f64>,
    /// Where in the motion to end
    #[arg(long, value_name = "SECONDS", requires = "motion", value_parser = parse_seconds, allow_hyphen_values = true)]
    to: Option<f64>,
    /// Only this body (.csv): its number, root or top; may be given several times [default: all]
    #[arg(long, value_name = "BODY")]
    body: Vec<BodyName>,
}

/// The exported part of the plant.
pub enum What {
    /// Its surface.
    Surface(Skin),
    /// Places of bodies; of all bodies if the list is empty.
    Bodies(Vec<BodyId>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Usd {
    /// Every vertex in each frame: exact, large
    Points,
    /// Bones, as in a .glb: small
    Skel,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Leaves {
    /// Bones, as wood does
    Bones,
    /// A node for each, with a mesh that it shares: exact, large
    Nodes,
}

/// The report of an animated export.
#[derive(Debug, Serialize)]
pub struct Moving {
    #[serde(flatten)]
    written: Written,
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    looped: Option<LoopReport>,
}

impl MotionArgs {
    pub fn moves(&self) -> bool {
        self.motion.is_some() || self.wind.is_some()
    }

    /// Contradictory options are refused before any work.
    pub fn check(&self, output: &Path) -> anyhow::Result<()> {
        let format = ExportFormat::of(output)?;
        let is_usd = matches!(format, ExportFormat::Usda | ExportFormat::Usdc | ExportFormat::Usdz);
        if self.moves() && format == ExportFormat::Obj {
            bail!(
                "{}: it holds no moving trees; write .glb, .usda, .usdc, .usdz, .pc2, .mdd or .csv",
                output.display()
            );
        }
        let about_motion = self.bones.is_some() || self.fps.is_some() || self.usd.is_some() || self.tolerance.is_some();
        if !self.moves() && (about_motion || self.leaves == Leaves::Nodes) {
            bail!(
                "--bones, --leaves, --usd, --tolerance and --fps are for moving trees; give --motion, or --wind and --loop"
            );
        }
        if !self.moves() && format.needs_motion() {
            bail!("{}: it holds what moves; give --motion, or --wind and --loop", output.display());
        }
        if self.usd.is_some() && !is_usd {
            bail!("{}: --usd is for .usda, .usdc and .usdz", output.display());
        }
        let has_bones = format == ExportFormat::Glb || self.usd == Some(Usd::Skel);
        if self.bones.is_some() && !has_bones {
            bail!("{}: here every vertex has its own motion; --bones is for .glb and --usd skel", output.display());
        }
        if self.tolerance.is_some() && format != ExportFormat::Glb {
            bail!("{}: no frame is left out here; --tolerance is for .glb", output.display());
        }
        if self.leaves == Leaves::Nodes && format != ExportFormat::Glb {
            bail!("{}: --leaves nodes is for .glb", output.display());
        }
        if format != ExportFormat::Csv && !self.body.is_empty() {
            bail!("--body is for tables of poses; write .csv");
        }
        if let (Some(wind), Some(seconds)) = (&self.wind, self.loop_seconds) {
            self.spec(wind)?;
            LoopOptions { seconds, ..LoopOptions::new(1.0) }.check()?;
        }
        if let (Some(from), Some(to)) = (self.from, self.to)
            && from > to
        {
            bail!("--from {from} --to {to}: the end lies before the beginning");
        }
        Ok(())
    }

    fn spec(&self, wind: &str) -> anyhow::Result<WindSpec> {
        named_wind(wind, self.wind_from, Path::new("")).map_err(anyhow::Error::msg)
    }

    /// Opens the motion, if there is one.
    pub fn open(&self, plant: &Plant) -> anyhow::Result<Option<MotionClip>> {
        let Some(path) = &self.motion else { return Ok(None) };
        let reader = MotionReader::open(path, plant)?;
        if reader.is_empty() {
            bail!("{}: it has no frames", path.display());
        }
        let range = self.from.unwrap_or(0.0)..self.to.unwrap_or(f64::INFINITY);
        let length = reader.duration();
        let clip = MotionClip::new(reader, range, self.fps);
        if clip.is_empty() {
            bail!("{}: it lasts {length} s; --from and --to must lie within", path.display());
        }
        Ok(Some(clip))
    }

    /// The bodies of the options.
    pub fn bodies(&self, plant: &Plant) -> anyhow::Result<Vec<BodyId>> {
        self.body.iter().map(|name| name.find(plant)).collect()
    }

    /// Writes an animated tree; none without a motion.
    pub fn export(
        &self,
        plant: &Arc<Plant>,
        what: &What,
        motion: Option<MotionClip>,
        textures: &TextureArgs,
        output: &Path,
    ) -> anyhow::Result<Option<Moving>> {
        if let Some(mut clip) = motion {
            let stem = self.motion.as_deref().and_then(Path::file_stem);
            let name = stem.map_or_else(|| "motion".into(), |stem| stem.to_string_lossy().into_owned());
            let clip = Clip { name, frames: &mut clip };
            let written = self.write(plant, what, clip, (textures, false), output)?;
            return Ok(Some(Moving { written, looped: None }));
        }
        let (Some(wind), Some(seconds)) = (&self.wind, self.loop_seconds) else { return Ok(None) };
        let spec = self.spec(wind)?;
        let mut options = LoopOptions::new(seconds);
        options.frames_per_second = self.fps.unwrap_or(options.frames_per_second);
        options.solver = self.solver;
        options.substeps = (30.0 / options.frames_per_second).ceil().max(1.0) as u32;
        if let What::Surface(skin) = what {
            let frames = (seconds * options.frames_per_second).round() as usize + 1;
            self.check_room(plant, skin, frames, textures, output)?;
        }
        let bar = progress::bar("simulating", 0);
        let (mut frames, report) =
            simulate_loop(plant, &params::read(None, None, false)?, &spec, &options, output, &mut |done, most| {
                bar.set_length(most as u64);
                bar.set_position(done as u64);
            })?;
        bar.finish_and_clear();
        looped::warn(&report);
        let clip = Clip { name: format!("{wind} loop"), frames: &mut frames };
        let written = self.write(plant, what, clip, (textures, true), output)?;
        Ok(Some(Moving { written, looped: Some(report) }))
    }

    /// Checks that a loop of this many frames could be written, before it is simulated.
    fn check_room(
        &self,
        plant: &Plant,
        skin: &Skin,
        frames: usize,
        textures: &TextureArgs,
        output: &Path,
    ) -> anyhow::Result<()> {
        if let Some(format) = textures.vat() {
            return textures::check_room(plant, skin, frames, VatOptions { format, looping: true }, output);
        }
        let checked = match ExportFormat::of(output)? {
            ExportFormat::Pc2 | ExportFormat::Mdd => check_points(plant, skin, frames, output),
            ExportFormat::Usda | ExportFormat::Usdc | ExportFormat::Usdz => {
                check_usd(plant, skin, frames, self.usd_motion(), output)
            }
            _ => check_animated(plant, skin, &self.options(), output),
        };
        checked.map_err(|error| named(error, output))
    }

    fn write(
        &self,
        plant: &Plant,
        what: &What,
        mut clip: Clip<'_>,
        (textures, looping): (&TextureArgs, bool),
        output: &Path,
    ) -> anyhow::Result<Written> {
        if let (What::Surface(skin), Some(format)) = (what, textures.vat()) {
            let options = VatOptions { format, looping };
            return Ok(Written::Vat(textures::write_vat(plant, skin, &mut clip, options, output)?));
        }
        let format = ExportFormat::of(output)?;
        let bar = progress::bar("writing", 0);
        let seen = &mut |at: Progress| {
            bar.set_length(at.total as u64);
            bar.set_position(at.done as u64);
        };
        let written = match (what, format) {
            (What::Bodies(bodies), _) => export_poses(plant, clip.frames, bodies, output, seen).map(Written::Poses),
            (What::Surface(skin), ExportFormat::Pc2 | ExportFormat::Mdd) => {
                export_points(plant, skin, clip.frames, output, seen).map(Written::Points)
            }
            (What::Surface(skin), ExportFormat::Usda | ExportFormat::Usdc | ExportFormat::Usdz) => {
                export_usd(plant, skin, clip.frames, self.usd_motion(), output, seen).map(Written::Usd)
            }
            (What::Surface(skin), _) => {
                export_animated(plant, skin, &mut [clip], &self.options(), output, seen).map(Written::Animation)
            }
        };
        bar.finish_and_clear();
        written.map_err(|error| named(error, output))
    }

    fn usd_motion(&self) -> UsdMotion {
        match self.usd {
            None | Some(Usd::Points) => UsdMotion::Points,
            Some(Usd::Skel) => UsdMotion::Skeleton(self.bones.unwrap_or_default()),
        }
    }

    fn options(&self) -> AnimationOptions {
        let usual = AnimationOptions::default();
        AnimationOptions {
            bones: self.bones.unwrap_or_default(),
            leaves: match self.leaves {
                Leaves::Bones => LeafMotion::Bones,
                Leaves::Nodes => LeafMotion::Nodes,
            },
            tolerance: self.tolerance.unwrap_or(usual.tolerance),
        }
    }
}

/// Adds the name of the output, unless the error names another file.
fn named(error: AnimationError, output: &Path) -> anyhow::Error {
    match error {
        AnimationError::Beside(error) => error.into(),
        error => anyhow::Error::new(error).context(output.display().to_string()),
    }
}

/// Writes the report as an aligned list.
pub fn print(out: &mut impl Write, moving: &Moving) -> io::Result<()> {
    moving.written.print(out)?;
    moving.looped.as_ref().map_or(Ok(()), |report| looped::print(out, report))?;
    moving.written.bytes().map_or(Ok(()), |bytes| writeln!(out, "  {:<16} {} MB", "file", short(bytes as f64 / 1e6)))
}
