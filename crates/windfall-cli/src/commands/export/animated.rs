//! Moving trees: from a motion file, or as a loop that is simulated on the spot.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use serde::Serialize;
use windfall::core::Plant;
use windfall::io::{
    AnimationOptions, AnimationReport, BoneCount, Clip, ExportFormat, Frames, LeafMotion, MotionClip, MotionReader,
    VatOptions, VatReport, export_animated,
};
use windfall::scene::looping::{LoopOptions, LoopReport, simulate_loop};
use windfall::scene::named_wind;
use windfall::skin::Skin;
use windfall::wind::WindSpec;

use super::textures::{self, TextureArgs};
use crate::numbers::{count, parse_count, short};
use crate::{params, progress};

/// Options for what moves.
#[derive(Args)]
#[command(next_help_heading = "Moving trees (.glb)")]
pub struct MotionArgs {
    /// A motion of this plant, from `windfall simulate` or `windfall run`
    #[arg(long, value_name = "FILE.wfm", conflicts_with = "wind")]
    motion: Option<PathBuf>,
    /// Simulate the plant in this wind: a name or number of the Beaufort scale, a speed such as 7.5m/s, or a file ending in .toml
    #[arg(long, value_name = "WIND", requires = "loop_seconds")]
    wind: Option<String>,
    /// Where a named wind comes from, compass degrees: 0 is north (-z), 90 east (+x)
    #[arg(long, value_name = "DEGREES", requires = "wind", allow_hyphen_values = true)]
    wind_from: Option<f64>,
    /// Make a clip of so many seconds that loops: the wind repeats, and the plant is simulated until it does
    #[arg(long = "loop", value_name = "SECONDS", requires = "wind", allow_hyphen_values = true)]
    loop_seconds: Option<f64>,
    /// Bones for all bodies together, or `all` for one per body [default: 256]
    #[arg(long, value_name = "COUNT", value_parser = parse_bones)]
    bones: Option<BoneCount>,
    /// What leaves move with
    #[arg(long, value_enum, default_value_t = Leaves::Bones)]
    leaves: Leaves,
    /// How far leaving out keys may move any vertex: such as 1mm, 0.5mm, 1cm
    #[arg(long, value_name = "LENGTH", default_value = "1mm", value_parser = parse_length, allow_hyphen_values = true)]
    tolerance: f64,
    /// Frames in a second that are looked at [default: those of the motion; 30 for loops]
    #[arg(long, value_parser = parse_rate, allow_hyphen_values = true)]
    fps: Option<f64>,
    /// Where in the motion to begin, seconds after its first frame
    #[arg(long, value_name = "SECONDS", requires = "motion", allow_hyphen_values = true)]
    from: Option<f64>,
    /// Where in the motion to end
    #[arg(long, value_name = "SECONDS", requires = "motion", allow_hyphen_values = true)]
    to: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Leaves {
    /// Bones, as wood does
    Bones,
    /// A node for each, with a mesh that it shares: exact, large
    Nodes,
}

/// What came of it.
#[derive(Debug, Serialize)]
pub struct Moving {
    #[serde(flatten)]
    written: Written,
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    looped: Option<LoopReport>,
}

/// What moves a tree in a file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Written {
    /// Bones.
    Animation(AnimationReport),
    /// A texture.
    Vat(VatReport),
}

impl MotionArgs {
    pub fn moves(&self) -> bool {
        self.motion.is_some() || self.wind.is_some()
    }

    /// What makes no sense together is said before any work.
    pub fn check(&self, output: &Path) -> anyhow::Result<()> {
        if self.moves() && ExportFormat::of(output)? != ExportFormat::Glb {
            bail!("{}: only .glb holds moving trees", output.display());
        }
        if !self.moves() && (self.bones.is_some() || self.fps.is_some() || self.leaves == Leaves::Nodes) {
            bail!("--bones, --leaves and --fps are for moving trees; give --motion, or --wind and --loop");
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

    /// Writes a moving tree; none if nothing moves it.
    pub fn export(
        &self,
        plant: &Arc<Plant>,
        skin: &Skin,
        motion: Option<MotionClip>,
        textures: &TextureArgs,
        output: &Path,
    ) -> anyhow::Result<Option<Moving>> {
        if let Some(mut clip) = motion {
            let stem = self.motion.as_deref().and_then(Path::file_stem);
            let name = stem.map_or_else(|| "motion".into(), |stem| stem.to_string_lossy().into_owned());
            let clip = Clip { name, frames: &mut clip };
            let written = self.write(plant, skin, clip, textures, false, output)?;
            return Ok(Some(Moving { written, looped: None }));
        }
        let (Some(wind), Some(seconds)) = (&self.wind, self.loop_seconds) else { return Ok(None) };
        let spec = self.spec(wind)?;
        let mut options = LoopOptions::new(seconds);
        options.frames_per_second = self.fps.unwrap_or(options.frames_per_second);
        options.substeps = (30.0 / options.frames_per_second).ceil().max(1.0) as u32;
        textures.check_room(skin, (seconds * options.frames_per_second).round() as usize + 1, true)?;
        let bar = progress::bar("simulating", 0);
        let (mut frames, report) =
            simulate_loop(plant, params::read(None, None, false)?, &spec, &options, output, &mut |done, most| {
                bar.set_length(most as u64);
                bar.set_position(done as u64);
            })?;
        bar.finish_and_clear();
        if !report.repeats {
            let (gap, moved) = (short(report.seam_m), short(report.correction_m));
            eprintln!(
                "note: after {} periods the plant does not repeat itself (the ends are {gap} m apart); they are closed by turning \
                 joints over the whole loop, which moves no leaf by more than {moved} m and no wood by more than {} m",
                report.periods,
                short(report.wood_correction_m)
            );
        }
        let clip = Clip { name: format!("{wind} loop"), frames: &mut frames };
        let written = self.write(plant, skin, clip, textures, true, output)?;
        Ok(Some(Moving { written, looped: Some(report) }))
    }

    fn write(
        &self,
        plant: &Plant,
        skin: &Skin,
        mut clip: Clip<'_>,
        textures: &TextureArgs,
        looping: bool,
        output: &Path,
    ) -> anyhow::Result<Written> {
        if let Some(format) = textures.vat() {
            let options = VatOptions { format, looping };
            return Ok(Written::Vat(textures::write_vat(plant, skin, &mut clip, options, output)?));
        }
        let options = AnimationOptions {
            bones: self.bones.unwrap_or_default(),
            leaves: match self.leaves {
                Leaves::Bones => LeafMotion::Bones,
                Leaves::Nodes => LeafMotion::Nodes,
            },
            tolerance: self.tolerance,
        };
        let bar = progress::bar("writing", 0);
        let report = export_animated(plant, skin, &mut [clip], &options, output, &mut |at| {
            bar.set_length(at.total as u64);
            bar.set_position(at.done as u64);
        });
        bar.finish_and_clear();
        report.map(Written::Animation).with_context(|| output.display().to_string())
    }
}

/// Writes what came of it as an aligned list.
pub fn print(out: &mut impl Write, moving: &Moving) -> io::Result<()> {
    match &moving.written {
        Written::Animation(report) => print_bones(out, report)?,
        Written::Vat(report) => textures::print_vat(out, report)?,
    }
    moving.looped.as_ref().map_or(Ok(()), |looped| print_loop(out, looped))?;
    if let Written::Animation(report) = &moving.written {
        writeln!(out, "  {:<16} {} MB", "file", short(report.bytes as f64 / 1e6))?;
    }
    Ok(())
}

fn print_bones(out: &mut impl Write, a: &AnimationReport) -> io::Result<()> {
    let mut row = |label: &str, value: String| writeln!(out, "  {label:<16} {value}");
    let loose = if a.loose > 0 { format!(", {} of them let go", count(a.loose)) } else { String::new() };
    row("bones", format!("{} for {} bodies{loose}", count(a.bones), count(a.bodies)))?;
    if a.leaf_nodes > 0 {
        row("leaves", format!("{} with nodes of their own", count(a.leaf_nodes)))?;
    }
    let most = a.joints.iter().max().copied().unwrap_or(0);
    row("skins", format!("{} of at most {} joints", count(a.joints.len()), count(most)))?;
    for clip in &a.clips {
        row("clip", format!("{}: {} s, {} frames", clip.name, short(clip.seconds), count(clip.frames)))?;
        let share = 100.0 * clip.keys_after as f64 / clip.keys_before.max(1) as f64;
        row(
            "keys",
            format!("{} of {} ({} %)", count(clip.keys_after as usize), count(clip.keys_before as usize), short(share)),
        )?;
        let e = &clip.error;
        row(
            "error",
            format!(
                "{} mm at most, {} mm on average ({} % and {} % of the height), in {} frames",
                short(e.largest_m * 1e3),
                short(e.mean_m * 1e3),
                short(e.largest_of_height * 100.0),
                short(e.mean_of_height * 100.0),
                count(e.frames)
            ),
        )?;
        row(
            "  wood",
            format!("{} mm at most, {} mm on average", short(e.wood_largest_m * 1e3), short(e.wood_mean_m * 1e3)),
        )?;
        if e.foliage_largest_m > 0.0 {
            let (largest, mean) = (short(e.foliage_largest_m * 1e3), short(e.foliage_mean_m * 1e3));
            row("  leaves, fruit", format!("{largest} mm at most, {mean} mm on average"))?;
        }
    }
    Ok(())
}

fn print_loop(out: &mut impl Write, l: &LoopReport) -> io::Result<()> {
    let mut row = |label: &str, value: String| writeln!(out, "  {label:<16} {value}");
    let state = if l.repeats { "repeats" } else { "does not repeat" };
    row("loop", format!("{} s; {state} after {} periods", short(l.seconds), l.periods))?;
    row(
        "seam",
        format!(
            "{} mm and {} mm/s before closing ({} % of the motion's {} m, {} % of its {} m/s)",
            short(l.seam_m * 1e3),
            short(l.seam_m_s * 1e3),
            short(l.seam_of_amplitude * 100.0),
            short(l.amplitude_m),
            short(l.seam_of_speed * 100.0),
            short(l.speed_m_s)
        ),
    )?;
    let (all, wood) = (short(l.correction_m * 1e3), short(l.wood_correction_m * 1e3));
    row("closed by", format!("{all} mm at most, wood by {wood} mm"))
}

fn parse_bones(text: &str) -> Result<BoneCount, String> {
    if text == "all" {
        return Ok(BoneCount::All);
    }
    match parse_count(text) {
        Ok(0) | Err(_) => Err(format!("`{text}` is not a number of bones; write for example 64, 256, 1k or all")),
        Ok(bones) => Ok(BoneCount::AtMost(bones)),
    }
}

/// A length with its unit; without one in metres.
fn parse_length(text: &str) -> Result<f64, String> {
    let (number, unit) = [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0)]
        .into_iter()
        .find_map(|(unit, size)| text.strip_suffix(unit).map(|number| (number, size)))
        .unwrap_or((text, 1.0));
    let length = number.trim().parse::<f64>().ok().map(|n| n * unit).filter(|l| (1e-7..=10.0).contains(l));
    length.ok_or_else(|| format!("`{text}` is not a length from 0.0001mm to 10m; write for example 1mm"))
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (0.1..=1000.0).contains(rate));
    rate.ok_or_else(|| format!("`{text}` should be a number of frames from 0.1 to 1000"))
}
