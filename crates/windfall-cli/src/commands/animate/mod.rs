//! `windfall animate`.

mod clip;
mod print;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use serde::Serialize;
use windfall::assess;
use windfall::core::materials;
use windfall::rig::{Document, Rig, RigOptions, RigReport, Up, check_output};
use windfall::scene::{SOLVERS, SolverSpec};

use self::clip::{Clip, ClipResult, Wind};
use crate::numbers::{parse_length, parse_rate};
use crate::plants::find_species;
use crate::{params, progress, report, solvers};

/// Add wind to a rigged tree: simulate its bones and write the clips into the file.
#[derive(Args)]
#[command(after_help = "\
Examples:
  windfall animate tree.glb --wind breeze --loop 4         a clip that loops, in tree_wind.glb
  windfall animate tree.glb --wind breeze --wind gale      two clips: wind_breeze and wind_gale
  windfall animate tree.glb --wind storm=25m/s --loop 6    named by you: wind_storm
  windfall animate tree.glb --wind gale --seconds 10       from rest, without a loop
  windfall animate oak.gltf --wood oak --height 18         as an oak of 18 m, whatever its size
  windfall animate tree.glb --dry-run                      what is found: bones, wood, leaves

The tree is a skinned .glb or .gltf (Blender, Sapling, MTree, The Grove, SpeedTree by way of Blender).
Its bones become wood: how thick is taken from the mesh around them, and leaves load them with their
area. The file stays as it is, with clips added that turn its joints; the pose of the file is the pose
of rest. docs/animate.md explains it.")]
pub struct Animate {
    /// The rigged tree, .glb or .gltf
    file: PathBuf,
    /// Where to save it: .glb or .gltf [default: the name of the file with _wind, beside it]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// A wind for a clip, with or without NAME=; may be given several times. A name or number of the Beaufort
    /// scale, a speed such as 7.5m/s, or a file ending in .toml
    #[arg(long, value_name = "WIND", default_value = "breeze", value_parser = clip::parse_wind)]
    wind: Vec<Wind>,
    /// Where named winds come from, compass degrees: 0 is north (-z), 90 east (+x)
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    wind_from: Option<f64>,
    /// Clips of so many seconds that loop [default: 4]
    #[arg(long = "loop", value_name = "SECONDS", allow_hyphen_values = true)]
    loop_seconds: Option<f64>,
    /// Clips of so many seconds that begin at rest and do not loop
    #[arg(long, value_name = "SECONDS", conflicts_with = "loop_seconds", allow_hyphen_values = true)]
    seconds: Option<f64>,
    /// What moves the tree
    #[arg(long, value_name = "NAME", default_value = SOLVERS[0].name, value_parser = solvers::parser())]
    solver: SolverSpec,
    /// Frames in a second that are simulated
    #[arg(long, default_value_t = 30.0, value_parser = parse_rate, allow_hyphen_values = true)]
    fps: f64,
    /// How far leaving out keys may move any end of a bone, in the size of the simulated tree: such as 1mm,
    /// 1cm
    #[arg(long, value_name = "LENGTH", default_value = "1mm", value_parser = parse_length, allow_hyphen_values = true)]
    tolerance: f64,
    /// Say what is found in the file and stop
    #[arg(long)]
    dry_run: bool,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tree: TreeArgs,
}

/// What the file does not say.
#[derive(Args)]
#[command(next_help_heading = "The tree")]
struct TreeArgs {
    /// The species whose wood and leaves it has (`windfall species` lists them), or a species file; oak if
    /// not given
    #[arg(long, value_name = "SPECIES")]
    wood: Option<String>,
    /// How tall the real tree is, m; the file keeps its size
    #[arg(long, value_name = "M", conflicts_with = "scale", allow_hyphen_values = true)]
    height: Option<f64>,
    /// Metres per unit of the file: 0.01 for centimetres
    #[arg(long, value_name = "SCALE", allow_hyphen_values = true)]
    scale: Option<f64>,
    /// Which axis of the file points up
    #[arg(long, value_enum, default_value_t = UpArg::Y)]
    up: UpArg,
    /// One-sided area of all leaves, m2; if not given, that of the mesh (half of it for cards with an alpha
    /// mask)
    #[arg(long, value_name = "M2", allow_hyphen_values = true)]
    leaf_area: Option<f64>,
    /// The materials that are leaves; if not given, names, alpha masks and shapes say it
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    leaf_materials: Option<Vec<String>>,
    /// Animate skeletons that don't look like trees
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UpArg {
    Y,
    Z,
    X,
}

/// The report of the command.
#[derive(Serialize)]
struct Output<'a> {
    rig: &'a RigReport,
    /// Of the first tree; none where it can't be computed.
    first_frequency_hz: Option<f64>,
    clips: &'a [ClipResult],
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
    bytes: u64,
}

impl Animate {
    pub fn run(self) -> anyhow::Result<()> {
        let output = self.output.clone().unwrap_or_else(|| beside(&self.file));
        let clips = self.clips()?;
        let named = || self.file.display().to_string();
        let document = progress::during("reading", || Document::open(&self.file)).with_context(named)?;
        if !self.dry_run {
            check_output(&document, &self.file, &output)?;
        }
        let options = self.tree.options(&self.file)?;
        let rig = progress::during("finding the wood", || Rig::of(&document, &options)).with_context(named)?;
        for warning in &rig.report.warnings {
            eprintln!("warning: {warning}");
        }
        let first_frequency_hz = progress::during("finding its frequency", || frequency(&rig))?;
        let (mut results, mut recorded, mut bytes) = (Vec::new(), Vec::new(), 0);
        if !self.dry_run {
            let mut known: Vec<String> = document.clip_names().into_iter().map(str::to_owned).collect();
            for clip in &clips {
                let (keys, result) = clip.make(&rig, &known, &output)?;
                known.push(keys.report.name.clone());
                recorded.push(keys);
                results.push(result);
            }
            bytes = progress::during("writing", || document.write_with(&rig, &mut recorded, &output))
                .with_context(|| output.display().to_string())?;
        }
        let mut out = std::io::stdout().lock();
        if self.json {
            let file = (!self.dry_run).then_some(output);
            return report::json(
                &mut out,
                &Output { rig: &rig.report, first_frequency_hz, clips: &results, file, bytes },
            );
        }
        print::rig(&mut out, &rig.report, first_frequency_hz)?;
        for result in &results {
            print::clip(&mut out, result)?;
        }
        if !self.dry_run {
            if self.tree.wood.is_none() {
                writeln!(out, "\nthe wood is taken for oak: --wood SPECIES makes it another")?;
            }
            writeln!(out, "\nsaved as {}", output.display())?;
        }
        Ok(())
    }

    /// Contradictory options are refused before any work.
    fn clips(&self) -> anyhow::Result<Vec<Clip>> {
        let (seconds, loops) = match self.seconds {
            Some(seconds) => (seconds, false),
            None => (self.loop_seconds.unwrap_or(4.0), true),
        };
        let make =
            |wind: &Wind| Clip::new(wind, self.wind_from, (seconds, loops), self.fps, self.tolerance, self.solver);
        self.wind.iter().map(make).collect()
    }
}

impl TreeArgs {
    fn options(&self, file: &Path) -> anyhow::Result<RigOptions> {
        let (species, _) = find_species(self.wood.as_deref().unwrap_or("oak"))?;
        let wood = materials::wood(&species.wood)
            .with_context(|| format!("{} has the wood {}, which is unknown", species.name, species.wood))?;
        let leaf = species.leaf.as_ref().map_or("oak", |leaf| leaf.material.as_str());
        let Some(leaf) = materials::leaf(leaf) else {
            bail!("{} has the leaves {leaf}, which are unknown", species.name)
        };
        Ok(RigOptions {
            name: file.file_stem().map_or_else(|| "tree".into(), |stem| stem.to_string_lossy().into_owned()),
            up: match self.up {
                UpArg::Y => Up::Y,
                UpArg::Z => Up::Z,
                UpArg::X => Up::X,
            },
            height: self.height,
            scale: self.scale,
            wood: wood.clone(),
            leaf: leaf.clone(),
            leaf_materials: self.leaf_materials.clone(),
            leaf_area: self.leaf_area,
            force: self.force,
        })
    }
}

/// `tree.glb` becomes `tree_wind.glb` in the same folder, so that relative paths in it stay valid.
fn beside(file: &Path) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let ending = file.extension().map_or_else(|| "glb".into(), |e| e.to_string_lossy().to_lowercase());
    file.with_file_name(format!("{stem}_wind.{ending}"))
}

/// Natural frequency of the first tree as a whole, Hz: of its slowest modes the one that moves most of its
/// mass.
fn frequency(rig: &Rig) -> anyhow::Result<Option<f64>> {
    let options = assess::AssessOptions { from_degrees: Vec::new(), ..assess::AssessOptions::default() };
    let found = assess::assess(&rig.plant, &params::read(None, None, false)?, &options, &mut |_| ());
    let modes = found.map_or_else(|_| Vec::new(), |found| found.modes);
    let whole = modes.iter().max_by(|a, b| a.mass_share.total_cmp(&b.mass_share));
    Ok(whole.map(|mode| mode.frequency_hz))
}
