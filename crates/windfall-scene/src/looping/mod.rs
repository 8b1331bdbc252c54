//! Clips that loop: a tree in a wind that repeats is simulated until it repeats itself.
//!
//! A damped tree forgets how it began, and then does in each period of its wind what it did in the one before. How far it is from that is
//! measured at the ends of all bodies: the distance between the beginnings of two periods (m) and of their velocities (m/s). Leaves that flutter as they like repeat
//! nothing; they are led into a motion that does (`guide.rs`). What is left then is closed by [`Looped`]. The report says how much both move.

mod ends;
mod guide;
mod report;
mod stretch;

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use thiserror::Error;
use windfall_core::{Actions, Plant, Solver, StepError};
use windfall_dynamics::params::ParamsError;
use windfall_dynamics::{Method, Params, Selection, World};
use windfall_io::{Looped, MotionError, MotionWriter};
use windfall_wind::{Air, WindSpec};

use self::ends::Ends;
use self::guide::Guide;
pub use self::stretch::simulate_stretch;

/// So many periods lead bodies into a motion that repeats, if they don't repeat it by themselves after fewer.
const GUIDED_PERIODS: u32 = 6;

/// How a loop is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoopOptions {
    /// How long it is, s.
    pub seconds: f64,
    /// Frames in a second, rounded so that whole frames fill the loop.
    pub frames_per_second: f64,
    /// Steps for each frame.
    pub substeps: u32,
    /// How far apart the beginnings of two periods may be, m.
    pub tolerance: f64,
    /// Periods that are simulated at most before the one that is kept.
    pub most_periods: u32,
    /// After so many of them without repeating, bodies are led into a motion that repeats.
    pub free_periods: u32,
    /// Whether leaves and fruit move by themselves; otherwise they load the wood that they hang on.
    pub foliage: bool,
}

impl LoopOptions {
    /// At 30 frames per second, right to 0.1 mm, within a minute and at least twelve periods; leaves move.
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
        }
    }

    /// Whether a loop can be that long.
    pub fn check(&self) -> Result<(), LoopError> {
        let good = (0.1..=600.0).contains(&self.seconds);
        if good { Ok(()) } else { Err(LoopError::Seconds(self.seconds)) }
    }

    /// Whole frames of the period.
    fn frames(&self) -> usize {
        (self.seconds * self.frames_per_second).round().max(1.0) as usize
    }

    /// Frames in a second, so that whole ones fill the period.
    fn rate(&self) -> f64 {
        self.frames() as f64 / self.seconds
    }
}

/// How well a loop closes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoopReport {
    /// How long it is.
    pub seconds: f64,
    /// Frames in a second.
    pub frames_per_second: f64,
    /// Periods that were simulated before the one that was kept.
    pub periods: u32,
    /// In how many of them bodies were led into a motion that repeats; zero if they found it by themselves.
    pub guided_periods: u32,
    /// How far that still moved the end of any body in any frame of the period that was kept, at most, m.
    pub guided_m: f64,
    /// The same of wood alone, m.
    pub wood_guided_m: f64,
    /// Whether the tree repeats itself within the tolerance.
    pub repeats: bool,
    /// Between the end and the beginning of the simulated period: the farthest end of any body, m.
    pub seam_m: f64,
    /// The same of velocities, m/s.
    pub seam_m_s: f64,
    /// The seam of wood alone, m.
    pub wood_seam_m: f64,
    /// Largest distance of any end from its place at the beginning, within the period: how large the motion is, m.
    pub amplitude_m: f64,
    /// Largest speed of any end, m/s.
    pub speed_m_s: f64,
    /// The seam over the amplitude.
    pub seam_of_amplitude: f64,
    /// The seam of velocities over the largest speed.
    pub seam_of_speed: f64,
    /// How far closing the seam moves the end of any body, at most, m.
    pub correction_m: f64,
    /// The same of wood alone, m.
    pub wood_correction_m: f64,
}

/// Why there is no loop.
#[derive(Debug, Error)]
pub enum LoopError {
    /// A length that is none.
    #[error("a loop of {0} s: it must last from 0.1 to 600 s")]
    Seconds(f64),
    /// The wind can't repeat.
    #[error("the wind can't repeat every {seconds} s: {reason}")]
    Wind {
        /// The period, s.
        seconds: f64,
        /// Why not.
        reason: String,
    },
    /// The wind is none.
    #[error("the wind: {0}")]
    Air(String),
    /// Parameters that are not allowed.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// A step that could not be taken.
    #[error("after {time:.3} s: {error}")]
    Step {
        /// When, s.
        time: f64,
        /// Why.
        error: StepError,
    },
    /// The frames could not be kept.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// The joints could not be kept.
    #[error("{folder}: {reason}", folder = folder.display())]
    Joints {
        /// Where.
        folder: std::path::PathBuf,
        /// Why.
        reason: std::io::Error,
    },
}

/// Simulates a tree in a wind with this period until it repeats itself, and gives the period after that. Its frames lie in a temporary file beside
/// `near` until they are dropped. `seen` is called after each frame with the number of frames so far and those that it takes at most.
pub fn simulate_loop(
    plant: &Arc<Plant>,
    params: Params,
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
    ends.begin(&run.world.pose());
    let (mut periods, mut guided_periods, mut repeats) = (0, 0, false);
    while periods < options.most_periods && !repeats {
        if periods + 1 == options.free_periods {
            guide = Some(Guide::new(plant, frames, rate, folder).map_err(kept)?);
        }
        if let Some(guide) = &mut guide {
            guide.begin_period();
        }
        for frame in 1..=frames {
            run.advance()?;
            match &mut guide {
                Some(guide) if periods >= options.free_periods => guide.pull(frame, &mut run.world).map_err(kept)?,
                Some(guide) => guide.remember(frame, &run.world).map_err(kept)?,
                None => {}
            }
        }
        guided_periods += u32::from(periods >= options.free_periods);
        periods += 1;
        let pose = run.world.pose();
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
    // One that was not pulled yet needs it no more, or there was no time for it.
    let mut guide = guide.filter(|_| guided_periods > 0);
    if let Some(guide) = &mut guide {
        guide.begin_period();
    }
    let mut writer = MotionWriter::create(&near.with_extension("wfm"), plant, rate)?;
    let mut pose = run.world.pose();
    for frame in 0..frames + 2 {
        if frame > 0 {
            run.advance()?;
            if let Some(guide) = &mut guide {
                guide.pull(frame, &mut run.world).map_err(kept)?;
            }
            run.world.write_pose(&mut pose);
        }
        writer.frame(frame as f64 / rate, &pose)?;
    }
    let mut looped = Looped::new(plant, writer.read_back(plant)?, frames)?;
    let [guided_m, wood_guided_m] = guide.map_or([0.0; 2], |guide| guide.moved());
    let measured = report::measure(plant, &mut looped, frames, rate, options.tolerance)?;
    let report = LoopReport { periods, guided_periods, guided_m, wood_guided_m, ..measured };
    Ok((looped, report))
}

/// A simulation, frame by frame.
struct Run<'a> {
    world: World<f32>,
    step: f64,
    options: &'a LoopOptions,
    most: usize,
    done: usize,
    seen: &'a mut dyn FnMut(usize, usize),
}

impl<'a> Run<'a> {
    /// A tree at rest in a wind; `most` frames at most.
    fn new(
        plant: &Arc<Plant>,
        params: Params,
        air: Air,
        options: &'a LoopOptions,
        most: usize,
        seen: &'a mut dyn FnMut(usize, usize),
    ) -> Result<Self, LoopError> {
        let mut world = World::<f32>::new(plant.clone(), params, Method::Implicit)?;
        world.set_wind(Some(Arc::new(air)));
        if !options.foliage {
            // Leaves and fruit ride on their wood.
            world.select(Selection::Orders { highest: u16::MAX, foliage: false });
        }
        let step = 1.0 / (options.rate() * f64::from(options.substeps));
        Ok(Self { world, step, options, most, done: 0, seen })
    }

    fn advance(&mut self) -> Result<(), LoopError> {
        for _ in 0..self.options.substeps {
            let time = self.world.time();
            self.world.step(self.step, &Actions::default()).map_err(|error| LoopError::Step { time, error })?;
        }
        self.done += 1;
        (self.seen)(self.done, self.most);
        Ok(())
    }
}
