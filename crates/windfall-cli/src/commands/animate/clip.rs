//! One clip: a wind, simulated and turned into keys.

use std::path::Path;

use serde::Serialize;
use windfall::io::{Frames, MotionClip};
use windfall::rig::{AddedClip, RecordedClip, Rig};
use windfall::scene::looping::{LoopOptions, LoopReport, simulate_loop, simulate_stretch};
use windfall::scene::{SolverSpec, named_wind};
use windfall::wind::WindSpec;

use crate::numbers::short;
use crate::{params, progress};

/// A wind of the command line.
#[derive(Debug, Clone)]
pub struct Wind {
    /// Name of its clip.
    name: String,
    text: String,
}

/// A clip to be made.
pub struct Clip {
    name: String,
    wind: WindSpec,
    options: LoopOptions,
    loops: bool,
    tolerance: f64,
}

/// The report of a clip.
#[derive(Debug, Serialize)]
pub struct ClipResult {
    #[serde(flatten)]
    pub clip: AddedClip,
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub looped: Option<LoopReport>,
}

impl Clip {
    pub fn new(
        wind: &Wind,
        from: Option<f64>,
        (seconds, loops): (f64, bool),
        fps: f64,
        tolerance: f64,
        solver: SolverSpec,
    ) -> anyhow::Result<Self> {
        let spec = named_wind(&wind.text, from, Path::new("")).map_err(anyhow::Error::msg)?;
        let mut options = LoopOptions::new(seconds);
        options.frames_per_second = fps;
        options.substeps = (60.0 / fps).ceil().max(1.0) as u32;
        options.foliage = false;
        options.solver = solver;
        options.check()?;
        Ok(Self { name: format!("wind_{}", wind.name), wind: spec, options, loops, tolerance })
    }

    /// Simulates the clip, and makes keys for the joints. Files with clips of the same name get another
    /// number.
    pub fn make(&self, rig: &Rig, known: &[String], output: &Path) -> anyhow::Result<(RecordedClip, ClipResult)> {
        let bar = progress::bar(&self.name, 0);
        let mut seen = |done: usize, most: usize| {
            bar.set_length(most as u64);
            bar.set_position(done as u64);
        };
        let params = params::read(None, None, false)?;
        let (mut frames, looped): (Box<dyn Frames>, _) = if self.loops {
            let (frames, report) = simulate_loop(&rig.plant, &params, &self.wind, &self.options, output, &mut seen)?;
            if !report.repeats {
                eprintln!(
                    "note: {}: after {} periods the tree does not repeat itself (the ends are {} m apart); they are closed by turning joints over the whole \
                     loop, which moves no wood by more than {} m",
                    self.name,
                    report.periods,
                    short(report.wood_seam_m),
                    short(report.wood_correction_m)
                );
            }
            (Box::new(frames), Some(report))
        } else {
            let reader = simulate_stretch(&rig.plant, &params, &self.wind, &self.options, output, &mut seen)?;
            (Box::new(MotionClip::whole(reader)), None)
        };
        bar.finish_and_clear();
        let folder = output.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = free_name(&self.name, known);
        let recorded = rig.record(&name, &mut *frames, self.tolerance, folder)?;
        let clip = recorded.report.clone();
        Ok((recorded, ClipResult { clip, looped }))
    }
}

/// The name, with a number if it is taken.
fn free_name(name: &str, known: &[String]) -> String {
    let mut free = name.to_owned();
    let mut number = 2;
    while known.contains(&free) {
        free = format!("{name}_{number}");
        number += 1;
    }
    free
}

/// `WIND` or `NAME=WIND`; without a name, after the wind.
pub fn parse_wind(text: &str) -> Result<Wind, String> {
    let (name, text) = if let Some((name, text)) = text.split_once('=') {
        (name.to_owned(), text)
    } else {
        let stem = Path::new(text).file_stem().filter(|_| text.to_lowercase().ends_with(".toml"));
        let name = stem.map_or_else(|| text.to_owned(), |stem| stem.to_string_lossy().into_owned());
        (name.replace("m/s", "").replace('-', "_"), text)
    };
    if name.is_empty() || name.chars().any(|c| c.is_control() || c == '/' || c == '\\') {
        return Err(format!("`{name}` is no name for a clip; write for example gusty=7.5m/s"));
    }
    Ok(Wind { name, text: text.to_owned() })
}
