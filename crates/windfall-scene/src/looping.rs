//! Clips that loop: a tree in a wind that repeats is simulated until it repeats itself.
//!
//! A damped tree forgets how it began, and then does in each period of its wind what it did in the one before. How far it is from that is
//! measured at the ends of all bodies: the distance between the beginnings of two periods (m) and of their velocities (m/s). What is left when it is
//! small enough, or when leaves flutter as they like in strong wind and nothing ever repeats, is closed by [`Looped`]; the report says how much that moves.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use thiserror::Error;
use windfall_core::glam::Vec3;
use windfall_core::{Actions, Plant, Pose, Solver, StepError};
use windfall_dynamics::params::ParamsError;
use windfall_dynamics::{Method, Params, Selection, World};
use windfall_io::{Frames, Looped, MotionError, MotionReader, MotionWriter};
use windfall_wind::WindSpec;

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
    /// Whether leaves and fruit move by themselves; otherwise they load the wood that they hang on.
    pub foliage: bool,
}

impl LoopOptions {
    /// At 30 frames per second, right to 0.1 mm, within a minute and at least twelve periods; leaves move.
    pub fn new(seconds: f64) -> Self {
        let most_periods = (60.0 / seconds).ceil().clamp(12.0, 600.0) as u32;
        Self { seconds, frames_per_second: 30.0, substeps: 1, tolerance: 1e-4, most_periods, foliage: true }
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
    let seconds = options.seconds;
    options.check()?;
    let air = WindSpec { period: Some(seconds), ..wind.clone() }
        .build()
        .map_err(|error| LoopError::Wind { seconds, reason: error.to_string() })?;
    let frames = options.frames();
    let rate = frames as f64 / seconds;
    let mut world = World::<f32>::new(plant.clone(), params, Method::Implicit)?;
    world.set_wind(Some(Arc::new(air)));
    if !options.foliage {
        world.select(WOOD_ALONE);
    }
    let step = 1.0 / (rate * f64::from(options.substeps));
    let most = (options.most_periods as usize + 1) * frames + 1;
    let mut done = 0;
    let mut advance = |world: &mut World<f32>| {
        for _ in 0..options.substeps {
            let time = world.time();
            world.step(step, &Actions::default()).map_err(|error| LoopError::Step { time, error })?;
        }
        done += 1;
        seen(done, most);
        Ok::<(), LoopError>(())
    };
    let mut ends = Ends::new(plant);
    ends.begin(&world.pose());
    let (mut periods, mut repeats) = (0, false);
    while periods < options.most_periods && !repeats {
        for _ in 0..frames {
            advance(&mut world)?;
        }
        periods += 1;
        let pose = world.pose();
        repeats = ends.seam(&pose) <= options.tolerance;
        ends.begin(&pose);
    }
    let mut writer = MotionWriter::create(&near.with_extension("wfm"), plant, rate)?;
    let mut pose = world.pose();
    for frame in 0..frames + 2 {
        if frame > 0 {
            advance(&mut world)?;
            world.write_pose(&mut pose);
        }
        writer.frame(frame as f64 / rate, &pose)?;
    }
    let mut looped = Looped::new(plant, writer.read_back(plant)?, frames)?;
    let report = report(plant, &mut looped, frames, rate, periods, options.tolerance)?;
    Ok((looped, report))
}

/// Leaves and fruit ride on their wood.
const WOOD_ALONE: Selection = Selection::Orders { highest: u16::MAX, foliage: false };

/// Simulates a tree in a wind from rest, without a loop: `seconds` of it. The frames lie in a temporary file beside `near` until they are dropped.
pub fn simulate_stretch(
    plant: &Arc<Plant>,
    params: Params,
    wind: &WindSpec,
    options: &LoopOptions,
    near: &Path,
    seen: &mut dyn FnMut(usize, usize),
) -> Result<MotionReader, LoopError> {
    let seconds = options.seconds;
    options.check()?;
    let air = wind.build().map_err(|error| LoopError::Wind { seconds, reason: error.to_string() })?;
    let frames = options.frames();
    let rate = frames as f64 / seconds;
    let mut world = World::<f32>::new(plant.clone(), params, Method::Implicit)?;
    world.set_wind(Some(Arc::new(air)));
    if !options.foliage {
        world.select(WOOD_ALONE);
    }
    let step = 1.0 / (rate * f64::from(options.substeps));
    let mut writer = MotionWriter::create(&near.with_extension("wfm"), plant, rate)?;
    let mut pose = world.pose();
    for frame in 0..=frames {
        if frame > 0 {
            for _ in 0..options.substeps {
                let time = world.time();
                world.step(step, &Actions::default()).map_err(|error| LoopError::Step { time, error })?;
            }
            world.write_pose(&mut pose);
            seen(frame, frames);
        }
        writer.frame(frame as f64 / rate, &pose)?;
    }
    Ok(writer.read_back(plant)?)
}

/// Goes through a period once more and measures it.
fn report(
    plant: &Plant,
    looped: &mut Looped,
    frames: usize,
    rate: f64,
    periods: u32,
    tolerance: f64,
) -> Result<LoopReport, LoopError> {
    let ends = Ends::new(plant);
    let wood = plant.segments().len();
    let (mut open, mut closed) = (Pose::default(), Pose::default());
    let [mut first, mut second, mut before]: [Vec<Vec3>; 3] = Default::default();
    let (mut amplitude, mut speed) = (0.0_f64, 0.0_f64);
    let (mut correction, mut wood_correction) = (0.0_f64, 0.0_f64);
    let [mut seam, mut wood_seam, mut velocity] = [0.0; 3];
    for frame in 0..frames + 2 {
        looped.read_open(frame, &mut open)?;
        let now = ends.of(&open);
        match frame {
            0 => first.clone_from(&now),
            1 => second.clone_from(&now),
            _ => {}
        }
        if frame == frames {
            seam = largest(&now, &first);
            wood_seam = largest(&now[..wood], &first[..wood]);
        }
        if frame == frames + 1 {
            let jumps = (0..now.len()).map(|i| ((now[i] - before[i]) - (second[i] - first[i])).length());
            velocity = rate * f64::from(jumps.fold(0.0, f32::max));
        }
        if frame <= frames {
            amplitude = amplitude.max(largest(&now, &first));
            looped.read(frame, &mut closed)?;
            let moved = ends.of(&closed);
            correction = correction.max(largest(&now, &moved));
            wood_correction = wood_correction.max(largest(&now[..wood], &moved[..wood]));
        }
        if frame > 0 {
            speed = speed.max(rate * largest(&now, &before));
        }
        before = now;
    }
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    Ok(LoopReport {
        seconds: frames as f64 / rate,
        frames_per_second: rate,
        periods,
        repeats: seam <= tolerance,
        seam_m: seam,
        seam_m_s: velocity,
        wood_seam_m: wood_seam,
        amplitude_m: amplitude,
        speed_m_s: speed,
        seam_of_amplitude: share(seam, amplitude),
        seam_of_speed: share(velocity, speed),
        correction_m: correction,
        wood_correction_m: wood_correction,
    })
}

/// The outer ends of all bodies.
struct Ends {
    lengths: Vec<f32>,
    begin: Vec<Vec3>,
}

impl Ends {
    fn new(plant: &Plant) -> Self {
        let wood = plant.segments().iter().map(|s| s.length);
        let leaves = plant.leaves().iter().map(|l| l.petiole_length + l.length);
        let fruit = plant.fruit().iter().map(|f| f.stalk_length + 2.0 * f.radius);
        Self { lengths: wood.chain(leaves).chain(fruit).collect(), begin: Vec::new() }
    }

    fn of(&self, pose: &Pose) -> Vec<Vec3> {
        let places = pose.positions.iter().zip(&pose.orientations).zip(&self.lengths);
        places.map(|((&p, &q), &length)| p + q * (Vec3::Y * length)).collect()
    }

    /// A period begins with this pose.
    fn begin(&mut self, pose: &Pose) {
        self.begin = self.of(pose);
    }

    /// How far this pose is from the one that the period began with, m.
    fn seam(&self, pose: &Pose) -> f64 {
        largest(&self.of(pose), &self.begin)
    }
}

fn largest(a: &[Vec3], b: &[Vec3]) -> f64 {
    f64::from(a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max))
}
