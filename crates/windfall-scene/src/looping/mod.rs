//! Clips that loop: a tree in a periodic wind is simulated until its motion is periodic.
//!
//! A damped tree forgets its initial state, and then repeats its motion in each period of its wind. The
//! remaining difference is measured at the ends of all bodies: the distance between the beginnings of two
//! periods (m) and of their velocities (m/s). Freely fluttering leaves are never periodic; they are guided
//! into a periodic motion (`guide.rs`). The remaining seam is closed by [`Looped`]. The report gives the
//! displacement by both.

mod ends;
mod guide;
mod report;
mod stretch;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use thiserror::Error;
use windfall_core::glam::DVec3;
use windfall_core::{Plant, Pose};
use windfall_io::{Looped, MotionError, MotionWriter};
use windfall_solver::{Params, ParamsError, PoseRequest, Selection, Solver, StepError, StepInput, Unsupported, Wind};
use windfall_wind::{WindField, WindSpec};

use self::ends::Ends;
use self::guide::Guide;
pub use self::stretch::simulate_stretch;
use crate::player::{Clock, Director, play};
use crate::solver_spec::SolverSpec;

/// Number of periods for guiding bodies into a periodic motion, if they don't become periodic by themselves
/// after fewer.
const GUIDED_PERIODS: u32 = 6;

/// Options of a loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoopOptions {
    /// Duration, s.
    pub seconds: f64,
    /// Frames per second, rounded so that whole frames fill the loop.
    pub frames_per_second: f64,
    /// Steps per frame.
    pub substeps: u32,
    /// Largest distance between the beginnings of two periods, m.
    pub tolerance: f64,
    /// Most simulated periods before the one that is kept.
    pub most_periods: u32,
    /// Number of these without guide, after which bodies are guided into a periodic motion.
    pub free_periods: u32,
    /// Whether leaves and fruit are simulated; otherwise they load their wood rigidly.
    pub foliage: bool,
    /// The solver.
    pub solver: SolverSpec,
}

impl LoopOptions {
    /// At 30 frames per second, to 0.1 mm, within a minute and at least twelve periods; leaves are simulated.
    pub fn new(seconds: f64) -> Self {
        let most_periods = (60.0 / seconds).ceil().clamp(12.0, 600.0) as u32;
        let free_periods = (12.0 / seconds).ceil().clamp(3.0, 120.0) as u32;
        Self {
            seconds,
            frames_per_second: 30.0,
            substeps: 1,
            tolerance: 1e-4,
            most_periods,
            free_periods,
            foliage: true,
            solver: SolverSpec::default(),
        }
    }

    /// Checks the duration of the loop.
    pub fn check(&self) -> Result<(), LoopError> {
        let good = (0.1..=600.0).contains(&self.seconds);
        if good { Ok(()) } else { Err(LoopError::Seconds(self.seconds)) }
    }

    /// Number of frames of the period.
    fn frames(&self) -> usize {
        (self.seconds * self.frames_per_second).round().max(1.0) as usize
    }

    /// Frames per second such that whole frames fill the period.
    fn rate(&self) -> f64 {
        self.frames() as f64 / self.seconds
    }
}

/// Accuracy of a loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoopReport {
    /// Duration, s.
    pub seconds: f64,
    /// Frames per second.
    pub frames_per_second: f64,
    /// Simulated periods before the one that was kept.
    pub periods: u32,
    /// Number of them with a guide; zero if bodies became periodic by themselves.
    pub guided_periods: u32,
    /// Largest displacement by the guide of the end of any body in any frame of the kept period, m.
    pub guided_m: f64,
    /// Largest displacement of wood by the guide, m.
    pub wood_guided_m: f64,
    /// Whether the tree is periodic within the tolerance.
    pub repeats: bool,
    /// Seam between the end and the beginning of the simulated period: the largest distance of any end, m.
    pub seam_m: f64,
    /// Seam of velocities, m/s.
    pub seam_m_s: f64,
    /// The seam of wood alone, m.
    pub wood_seam_m: f64,
    /// Largest distance of any end from its place at the beginning, within the period: how large the motion
    /// is, m.
    pub amplitude_m: f64,
    /// Largest speed of any end, m/s.
    pub speed_m_s: f64,
    /// The seam over the amplitude.
    pub seam_of_amplitude: f64,
    /// The seam of velocities over the largest speed.
    pub seam_of_speed: f64,
    /// Largest displacement of the end of any body by closing the seam, m.
    pub correction_m: f64,
    /// Largest displacement of wood by closing the seam, m.
    pub wood_correction_m: f64,
}

/// Why a loop was not made.
#[derive(Debug, Error)]
pub enum LoopError {
    /// The solver lacks a capability that a loop needs.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// An invalid duration.
    #[error("a loop of {0} s: it must last from 0.1 to 600 s")]
    Seconds(f64),
    /// The wind can't be periodic.
    #[error("the wind can't repeat every {seconds} s: {reason}")]
    Wind {
        /// The period, s.
        seconds: f64,
        /// The cause.
        reason: String,
    },
    /// An invalid wind.
    #[error("the wind: {0}")]
    Air(String),
    /// Invalid parameters.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// A failed step.
    #[error("after {time:.3} s: {error}")]
    Step {
        /// Time of the step, s.
        time: f64,
        /// The cause.
        error: StepError,
    },
    /// The frames could not be stored.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// The joints could not be stored.
    #[error("{folder}: {reason}", folder = folder.display())]
    Joints {
        /// The folder.
        folder: std::path::PathBuf,
        /// The cause.
        reason: std::io::Error,
    },
}

/// Simulates a tree in a wind with this period until its motion is periodic, and returns the period after
/// that. Its frames are in a temporary file beside `near` until they are dropped. `seen` is called after
/// each frame with the number of frames so far and the largest possible number.
pub fn simulate_loop(
    plant: &Arc<Plant>,
    params: &Params,
    wind: &WindSpec,
    options: &LoopOptions,
    near: &Path,
    seen: &mut dyn FnMut(usize, usize),
) -> Result<(Looped, LoopReport), LoopError> {
    options.check()?;
    let seconds = options.seconds;
    let wind = WindSpec { period: Some(seconds), ..wind.clone() };
    let (frames, rate) = (options.frames(), options.rate());
    let most = (options.most_periods as usize + 1) * frames + 1;
    let air = wind.build().map_err(|error| LoopError::Wind { seconds, reason: error.to_string() })?;
    let mut run = Run::new(plant, params, air, options, most, seen)?;

    let folder = near.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let kept = |reason| LoopError::Joints { folder: folder.to_owned(), reason };
    let mut guide: Option<Guide> = None;
    let mut ends = Ends::new(plant);
    ends.begin(&run.solver.pose());
    let (mut periods, mut guided_periods, mut repeats) = (0, 0, false);
    while periods < options.most_periods && !repeats {
        if periods + 1 == options.free_periods {
            guide = Some(Guide::new(&*run.solver, frames, rate, folder)?.map_err(kept)?);
        }
        if let Some(guide) = &mut guide {
            guide.begin_period();
        }
        run.play(frames, |frame, solver| match &mut guide {
            _ if frame == 0 => Ok(()),
            Some(guide) if periods >= options.free_periods => guide.pull(frame, solver).map_err(kept),
            Some(guide) => guide.remember(frame, solver).map_err(kept),
            None => Ok(()),
        })?;
        guided_periods += u32::from(periods >= options.free_periods);
        periods += 1;
        let pose = run.solver.pose();
        // The pull fades from period to period, ever more slowly.
        let is_led = guided_periods == 0
            || guided_periods >= GUIDED_PERIODS
            || guide.as_ref().is_none_or(|guide| guide.moved()[0] <= options.tolerance);
        let meets = ends.seam(&pose) <= options.tolerance;
        if let Some(guide) = guide.as_mut().filter(|_| guided_periods > 0 && !meets) {
            guide.pull_harder();
        }
        repeats = is_led && meets;
        ends.begin(&pose);
    }
    // A guide that has not pulled yet is no longer needed, or there was no time for it.
    let mut guide = guide.filter(|_| guided_periods > 0);
    if let Some(guide) = &mut guide {
        guide.begin_period();
    }
    let mut writer = MotionWriter::create(&near.with_extension("wfm"), plant, rate)?;
    let mut pose = Pose::default();
    run.play(frames + 1, |frame, solver| {
        if let Some(guide) = guide.as_mut().filter(|_| frame > 0) {
            guide.pull(frame, solver).map_err(kept)?;
        }
        solver.write_pose(PoseRequest::default(), &mut pose);
        Ok(writer.frame(frame as f64 / rate, &pose)?)
    })?;
    let mut looped = Looped::new(plant, writer.read_back(plant)?, frames)?;
    let [guided_m, wood_guided_m] = guide.map_or([0.0; 2], |guide| guide.moved());
    let measured = report::measure(plant, &mut looped, frames, rate, options.tolerance)?;
    let report = LoopReport { periods, guided_periods, guided_m, wood_guided_m, ..measured };
    Ok((looped, report))
}

/// A simulation, frame by frame.
struct Run<'a> {
    solver: Box<dyn Solver>,
    air: InWind,
    clock: Clock,
    most: usize,
    done: usize,
    seen: &'a mut dyn FnMut(usize, usize),
}

/// A tree in a wind, without other actions.
struct InWind {
    gravity: DVec3,
    wind: Arc<dyn Wind>,
}

impl Director<dyn Solver> for InWind {
    type Error = LoopError;

    fn before_step(&mut self, _: &mut dyn Solver, _: f64) -> Result<(), LoopError> {
        Ok(())
    }

    fn input<'a>(&'a mut self, _: &dyn Solver, _: f64) -> StepInput<'a> {
        StepInput::new().gravity(self.gravity).wind(Some(&self.wind))
    }

    fn step_error(&self, time: f64, error: StepError) -> LoopError {
        LoopError::Step { time, error }
    }
}

impl<'a> Run<'a> {
    /// A tree at rest in a wind, for `most` frames at most.
    fn new(
        plant: &Arc<Plant>,
        params: &Params,
        air: WindField,
        options: &LoopOptions,
        most: usize,
        seen: &'a mut dyn FnMut(usize, usize),
    ) -> Result<Self, LoopError> {
        let mut solver = options.solver.build(plant.clone(), params)?;
        if !options.foliage {
            // Leaves and fruit are rigid with their wood.
            solver.select(&Selection::Orders { highest: u16::MAX, foliage: false })?;
        }
        let clock = Clock { fps: options.rate(), substeps: options.substeps };
        let air = InWind { gravity: params.gravity, wind: Arc::new(air) };
        Ok(Self { solver, air, clock, most, done: 0, seen })
    }

    /// Plays this many frames. `each` is called for every one, also for the first, before any step.
    fn play(
        &mut self,
        frames: usize,
        mut each: impl FnMut(usize, &mut dyn Solver) -> Result<(), LoopError>,
    ) -> Result<(), LoopError> {
        let Self { solver, air, clock, most, done, seen } = self;
        play(&mut **solver, air, clock, frames, |frame, solver, _| {
            each(frame, solver)?;
            if frame > 0 {
                *done += 1;
                seen(*done, *most);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(())
    }
}
