//! `windfall simulate`.

mod air;
mod summary;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use summary::Summary;
use windfall::core::glam::DVec3;
use windfall::core::{BodyId, Plant, Pose};
use windfall::io::ProbeWriter;
use windfall::io::motion::{MotionWriter, check_motion_destination};
use windfall::scene::deflection::Deflection;
use windfall::scene::hand::{Force, Hand};
use windfall::scene::player::{Clock, Director, play};
use windfall::scene::{Precision, SOLVERS, SolverSpec};
use windfall::solver::{
    Grab, LONGEST_STEP, Load, PoseRequest, Selection, Solver, StepError, StepInput, Unsupported, Wind, check_step,
};

use crate::bodies::{BodyName, Cut, Push, gravity, pull, push};
use crate::plants::{GrowArgs, load_or_grow};
use crate::{params, progress, report, solvers};

/// Move a plant: gravity, wind, pushes and cuts, without a window.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "switches of a command line")]
#[command(after_help = "\
Examples:
  windfall simulate oak.wfp --push top:20,0,0:0:1             push the top for a second; saved as out/oak.wfm
  windfall simulate oak.wfp --sag                             how far gravity bends it
  windfall simulate oak.wfp --pull 40:0.5,0,0:0:1             a hand moves body 40 by half a metre and lets go
  windfall simulate maple --bodies 2k --probe top --probe 12  also tables out/maple.top.csv and out/maple.12.csv
  windfall simulate oak.wfp --solver analytic --params soft.toml
  windfall simulate maple --wind gale                         a tree in a gale; `--wind wind.toml` for your own
  windfall simulate oak.wfp --cut 40:1.5                      body 40 breaks off after 1.5 s
  windfall simulate big.wfp --active orders:2                 wood up to order 2 moves, the rest rides along
  windfall preview oak.wfp --motion out/oak.wfm -o oak.gif    look at it

Probe tables hold time, place, velocity and acceleration of the body's centre of mass, and torque and
force in its joint; docs/motion-files.md describes both files, docs/params.toml all parameters.")]
pub struct Simulate {
    /// A .wfp or .json plant, or a species that is grown on the spot
    plant: String,
    /// How to move it
    #[arg(long, value_name = "NAME", default_value = SOLVERS[0].name, value_parser = solvers::parser())]
    solver: SolverSpec,
    /// How long: rounded to whole frames, at least one; 0 saves the first pose alone
    #[arg(long, default_value_t = 5.0, value_parser = parse_seconds, allow_hyphen_values = true)]
    seconds: f64,
    /// Frames in a second that are saved
    #[arg(long, default_value_t = 30.0, value_parser = parse_rate, allow_hyphen_values = true)]
    fps: f64,
    /// Steps for each frame
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    substeps: u32,
    /// Gravity in m/s²: a number (downwards) or X,Y,Z [default: that of the parameters, 9.81]
    #[arg(long, value_parser = gravity, allow_hyphen_values = true)]
    gravity: Option<DVec3>,
    /// Stiffness, damping, multipliers, limits: a file ending in .toml
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// The plant was modelled without gravity and sags under it, whatever the parameters say; without this
    /// `keep_shape` of the parameter file counts, and where that says nothing the plant keeps its shape
    #[arg(long)]
    sag: bool,
    /// A force in newtons on the centre of a body: BODY:X,Y,Z:FROM:TO (a number, root or top; seconds)
    #[arg(long, value_name = "PUSH", value_parser = push, allow_hyphen_values = true)]
    push: Vec<Push>,
    /// A hand that takes the centre of a body, moves it by X,Y,Z metres and lets go: BODY:X,Y,Z:FROM:TO
    /// (whole steps, at least one)
    #[arg(long, value_name = "PULL", value_parser = pull, allow_hyphen_values = true)]
    pull: Vec<Push>,
    /// Wind: a name or number of the Beaufort scale (breeze, gale, 0 to 12), a speed such as 7.5m/s, a file
    /// ending in .toml (docs/wind.md), or none for a vacuum [default: still air]
    #[arg(long, value_name = "WIND")]
    wind: Option<String>,
    /// Where a named wind comes from, compass degrees: 0 is north (-z), 90 east (+x)
    #[arg(long, value_name = "DEGREES", requires = "wind", allow_hyphen_values = true)]
    wind_from: Option<f64>,
    /// Cut a body off its parent: BODY:TIME
    #[arg(long, value_name = "CUT")]
    cut: Vec<Cut>,
    /// Write a table of what this body does (a number, root or top), beside the motion and named after it:
    /// MOTION.BODY.csv
    #[arg(long, value_name = "BODY")]
    probe: Vec<BodyName>,
    /// Simulate only orders:N (branches up to order N), thicker:MM (wood of at least this radius in mm) or
    /// subtree:BODY; the rest rides along
    #[arg(long, value_name = "WHICH", value_parser = parse_active)]
    active: Option<Active>,
    /// Numbers of double precision
    #[arg(long)]
    double: bool,
    /// Threads [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Where to save the motion: .wfm [default: out/PLANT.wfm]
    #[arg(short, long, value_name = "FILE", conflicts_with = "no_motion")]
    output: Option<PathBuf>,
    /// Don't save the motion
    #[arg(long)]
    no_motion: bool,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    grow: GrowArgs,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Active {
    Orders(u16),
    Thicker(f64),
    Subtree(BodyName),
}

impl Simulate {
    pub fn run(self) -> anyhow::Result<()> {
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global().context("threads")?;
        }
        let path = self.output.clone().unwrap_or_else(|| {
            let stem = Path::new(&self.plant).file_stem().unwrap_or("plant".as_ref());
            Path::new("out").join(stem).with_added_extension("wfm")
        });
        if !self.no_motion {
            check_motion_destination(&path)?;
        }
        check_step(self.step())
            .with_context(|| if self.step() > LONGEST_STEP { "raise --substeps" } else { "lower --substeps" })?;
        let params = params::read(self.params.as_deref(), self.gravity, self.sag)?;
        let wind = air::air(self.wind.as_deref(), self.wind_from)?;
        let plant = Arc::new(load_or_grow(&self.plant, &self.grow)?);
        let spec = if self.double { self.solver.with_precision(Precision::F64) } else { self.solver };
        let solver = spec.build(plant.clone(), &params)?;
        let summary = self.simulate(solver, wind, &plant, &path)?;
        let mut out = std::io::stdout().lock();
        if self.json {
            report::json(&mut out, &summary)?;
        } else {
            summary::print(&mut out, &summary)?;
        }
        Ok(())
    }

    fn clock(&self) -> Clock {
        Clock { fps: self.fps, substeps: self.substeps }
    }

    /// Length of a step, s.
    fn step(&self) -> f64 {
        self.clock().step()
    }

    fn simulate(
        &self,
        mut solver: Box<dyn Solver>,
        wind: Option<Arc<dyn Wind>>,
        plant: &Plant,
        path: &Path,
    ) -> anyhow::Result<Summary> {
        let unless = |can: bool, what| if can { Ok(()) } else { Err(Unsupported { solver: solver.name(), what }) };
        unless(solver.breakable().is_some() || self.cut.is_empty(), CUTTING)?;
        unless(solver.loads().is_some() || self.probe.is_empty(), "the loads of joints, which probes record")?;
        let (clock, dt) = (self.clock(), self.step());
        let mut deeds = Deeds {
            gravity: solver.params().gravity,
            wind,
            pushes: self.push.iter().map(|p| force(p, plant)).collect::<anyhow::Result<_>>()?,
            hands: self.pull.iter().map(|p| hand(p, plant, dt)).collect::<anyhow::Result<_>>()?,
            cuts: self.cut.iter().map(|c| Ok((c.time, c.body.find(plant)?))).collect::<anyhow::Result<_>>()?,
            loads: Vec::new(),
            grabs: Vec::new(),
        };
        if let Some(active) = self.active {
            solver.select(&active.selection(plant)?)?;
        }
        let frames = clock.frames(self.seconds);
        let (mut probes, probe_paths) = self.probes(plant, path)?;
        let mut motion = (!self.no_motion).then(|| MotionWriter::create(path, plant, self.fps)).transpose()?;
        let mut deflection = Deflection::new(plant);
        let mut pose = Pose::default();
        let bar = progress::bar("simulating", frames);
        let stepping = play(&mut *solver, &mut deeds, &clock, frames, |frame, solver: &mut dyn Solver, _| {
            bar.set_position(frame as u64);
            solver.write_pose(PoseRequest::default(), &mut pose);
            deflection.see(solver.time(), &pose);
            if let Some(motion) = &mut motion {
                motion.frame(frame as f64 / self.fps, &pose)?;
            }
            for (probe, body) in &mut probes {
                let load = solver.loads().expect("asked before").joint_load((*body).into());
                probe.row(solver.time(), &solver.motion((*body).into()), &load).context("a probe")?;
            }
            Ok(ControlFlow::Continue(()))
        })?
        .as_secs_f64();
        bar.finish_and_clear();
        for (probe, _) in probes {
            probe.finish().context("a probe")?;
        }
        if let Some(motion) = motion {
            motion.finish()?;
        }
        let (steps, simulated) = (frames * self.substeps as usize, solver.simulated_bodies());
        Ok(Summary {
            bodies: plant.body_count(),
            simulated_bodies: simulated,
            solver: self.solver.name(),
            step_s: dt,
            steps,
            simulated_s: solver.time(),
            wall_s: stepping,
            body_steps_per_s: if stepping > 0.0 { (simulated * steps) as f64 / stepping } else { 0.0 },
            largest_deflection_m: deflection.largest,
            largest_deflection_body: deflection.body,
            largest_deflection_time_s: deflection.time,
            motion: (!self.no_motion).then(|| shown(path)),
            probes: probe_paths.iter().map(|path| shown(path)).collect(),
        })
    }

    /// A table for every probe, beside the motion and named after it.
    fn probes(&self, plant: &Plant, motion: &Path) -> anyhow::Result<(Vec<Probe>, Vec<PathBuf>)> {
        let mut writers = Vec::new();
        let mut paths = Vec::new();
        for name in &self.probe {
            let body = name.find(plant)?;
            let label = match name {
                BodyName::Number(n) => n.to_string(),
                BodyName::Root => "root".into(),
                BodyName::Top => "top".into(),
            };
            let path = motion.with_extension(format!("{label}.csv"));
            if paths.contains(&path) {
                bail!("two probes of {label}");
            }
            writers.push((ProbeWriter::create(&path).with_context(|| path.display().to_string())?, body));
            paths.push(path);
        }
        Ok((writers, paths))
    }
}

/// What `--cut` needs of a solver.
const CUTTING: &str = "cutting branches";

/// The actions of the command line on a simulation.
struct Deeds {
    gravity: DVec3,
    wind: Option<Arc<dyn Wind>>,
    pushes: Vec<Force>,
    hands: Vec<Hand>,
    /// Time, s, and body.
    cuts: Vec<(f64, BodyId)>,
    loads: Vec<Load>,
    grabs: Vec<Grab>,
}

impl Director<dyn Solver> for Deeds {
    type Error = anyhow::Error;

    fn before_step(&mut self, solver: &mut dyn Solver, dt: f64) -> anyhow::Result<()> {
        let soon = solver.time() + 0.5 * dt;
        if !self.cuts.iter().any(|(time, _)| *time <= soon) {
            return Ok(());
        }
        let name = solver.name();
        let breakable = solver.breakable_mut().ok_or(Unsupported { solver: name, what: CUTTING })?;
        self.cuts.retain(|(time, body)| {
            let due = *time <= soon;
            if due {
                breakable.release(&[(*body).into()]);
            }
            !due
        });
        Ok(())
    }

    fn input<'a>(&'a mut self, solver: &dyn Solver, dt: f64) -> StepInput<'a> {
        self.loads.clear();
        self.loads.extend(self.pushes.iter().filter_map(|push| push.load(solver, dt)));
        self.grabs.clear();
        self.grabs.extend(self.hands.iter_mut().filter_map(|hand| hand.grab(solver, dt)));
        let input = StepInput::new().gravity(self.gravity).wind(self.wind.as_ref());
        input.loads(&self.loads).grabs(&self.grabs)
    }

    fn step_error(&self, _: f64, error: StepError) -> anyhow::Error {
        error.into()
    }
}

fn force(push: &Push, plant: &Plant) -> anyhow::Result<Force> {
    Ok(Force { body: push.body.find(plant)?, force: push.vector, time: push.from..push.to })
}

fn hand(pull: &Push, plant: &Plant, dt: f64) -> anyhow::Result<Hand> {
    Ok(Hand::new(pull.body.find(plant)?, vec![pull.vector], pull.from..pull.to, plant, dt))
}

/// A path as text for users. JSON is Unicode, and paths need not be.
fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A table and the body that it follows.
type Probe = (ProbeWriter, BodyId);

impl Active {
    fn selection(self, plant: &Plant) -> anyhow::Result<Selection> {
        Ok(match self {
            Self::Orders(highest) => Selection::Orders { highest, foliage: false },
            Self::Thicker(radius) => Selection::Thicker { radius },
            Self::Subtree(body) => Selection::Subtrees(vec![body.find(plant)?]),
        })
    }
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    if (0.0..=1e6).contains(&value) { Ok(value) } else { Err("it must be between 0 and 1,000,000 s".into()) }
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of frames"))?;
    if (0.1..=10_000.0).contains(&value) {
        Ok(value)
    } else {
        Err("it must be between 0.1 and 10,000 per second".into())
    }
}

fn parse_active(text: &str) -> Result<Active, String> {
    let wrong = || format!("`{text}`: write orders:N, thicker:MM or subtree:BODY");
    let (kind, value) = text.split_once(':').ok_or_else(wrong)?;
    match kind {
        "orders" => value.parse().map(Active::Orders).map_err(|_| wrong()),
        "thicker" => match value.parse::<f64>() {
            Ok(mm) if mm >= 0.0 => Ok(Active::Thicker(mm * 1e-3)),
            _ => Err(wrong()),
        },
        "subtree" => value.parse().map(Active::Subtree),
        _ => Err(wrong()),
    }
}
