//! `windfall run`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use windfall::scene::{Outputs, RunReport, SceneFile};

use crate::numbers::{count, short};
use crate::{progress, report};

/// Run a scene: trees, wind, things that fall and are thrown, creatures, events.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "switches of a command line")]
#[command(after_help = "\
Examples:
  windfall run scenes/small/fig08.toml                  apples fall; pictures and tables in out/
  windfall run scenes/fig08.toml --out apples           the whole tree of the paper
  windfall run my.toml --check                          is everything in it right? Nothing is run or written
  windfall run my.toml --seconds 1 --no-preview --json  the first second, without pictures

A scene is a TOML file; docs/scenes.md describes it. What is written is named after the scene: NAME.png (six moments),
NAME.gif and NAME.wfm where the scene asks for them, NAME.events.csv, NAME.bodies.csv and NAME.json.")]
pub struct Run {
    /// A scene: a file ending in .toml
    scene: PathBuf,
    /// Read and check the scene, grow its plants, find its bodies; run and write nothing
    #[arg(long)]
    check: bool,
    /// Where to write
    #[arg(long, value_name = "FOLDER", default_value = "out")]
    out: PathBuf,
    /// Another duration than the scene's
    #[arg(long, allow_hyphen_values = true)]
    seconds: Option<f64>,
    /// Draw no pictures
    #[arg(long)]
    no_preview: bool,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
    /// Print nothing
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    /// Threads [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Run {
    pub fn run(&self) -> anyhow::Result<()> {
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
        }
        let mut file = SceneFile::read(&self.scene)?;
        if !self.quiet {
            for remark in file.remarks() {
                eprintln!("note: {}: {remark}", self.scene.display());
            }
        }
        if let Some(seconds) = self.seconds {
            if !(0.0..=1e6).contains(&seconds) {
                anyhow::bail!("--seconds {seconds}: must be from 0 to 1000000");
            }
            file.scene.seconds = seconds;
        }
        let set = progress::during("setting up", || file.set_up())?;
        let mut out = std::io::stdout().lock();
        if self.check {
            if !self.quiet {
                let (bodies, frames) = (count(set.plants.whole.body_count()), count(file.scene.frames()));
                writeln!(out, "{}: fine; {bodies} bodies, {frames} frames", self.scene.display())?;
            }
            return Ok(());
        }
        let outputs = Outputs { folder: self.out.clone(), pictures: !self.no_preview };
        outputs.check(&set)?;
        let bar = progress::bar(file.scene.name.clone(), file.scene.frames());
        let ran = outputs.run(&set, &mut |frame| {
            bar.set_position(frame.number as u64);
            Ok(())
        });
        bar.finish_and_clear();
        let report = ran?;
        if self.json {
            report::json(&mut out, &report)?;
        } else if !self.quiet {
            print(&mut out, &report)?;
        }
        Ok(())
    }
}

fn print(out: &mut impl Write, r: &RunReport) -> std::io::Result<()> {
    let mut row = |label: &str, value: String| writeln!(out, "  {label:<16} {value}");
    row("scene", r.scene.clone())?;
    let riding = r.bodies - r.simulated_bodies;
    let rest = if riding > 0 { format!(", {} ride along", count(riding)) } else { String::new() };
    row("bodies", format!("{} simulated{rest}", count(r.simulated_bodies)))?;
    row(
        "steps",
        format!("{} of {} ms ({}): {} s", count(r.steps), short(r.step_s * 1e3), r.solver, short(r.simulated_s)),
    )?;
    row("speed", format!("{} ms a frame, {} frames a second", short(r.ms_per_frame), short(r.frames_per_s)))?;
    let (d, body) = (short(r.largest_deflection_m), r.largest_deflection_body);
    row("deflection", format!("{d} m at most (body {body}, after {} s)", short(r.largest_deflection_time_s)))?;
    if r.breaks + r.leaves_let_go + r.fruit_let_go > 0 {
        let (breaks, leaves, fruit) = (count(r.breaks), count(r.leaves_let_go), count(r.fruit_let_go));
        row("let go", format!("wood {breaks} times, {leaves} leaves or petals, {fruit} fruit"))?;
    }
    if r.free_bodies > 0 {
        row("free", format!("{} bodies, {} of them at rest", count(r.free_bodies), count(r.free_bodies_at_rest)))?;
    }
    if let Some(time) = r.left_numbers_s {
        row("stopped", format!("after {} s: the motion left the range of numbers; take smaller steps", short(time)))?;
    }
    for file in &r.files {
        row("saved as", file.clone())?;
    }
    Ok(())
}
