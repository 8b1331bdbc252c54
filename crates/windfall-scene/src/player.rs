//! The loop that moves trees from frame to frame, shared by scenes, `simulate`, loops, and windows.
//!
//! A [`Director`] prepares each step and supplies its input; a solver takes the steps; a [`Clock`] sets
//! their length. [`play`] goes from frame to frame, [`advance`] takes the steps of one: a window calls that
//! by itself.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use windfall_solver::{Solver, StepError, StepInput};

/// Frame rate and steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// Frames per second.
    pub fps: f64,
    /// Steps per frame.
    pub substeps: u32,
}

impl Clock {
    /// Length of a step, s.
    pub fn step(&self) -> f64 {
        1.0 / (self.fps * f64::from(self.substeps))
    }

    /// Number of frames of a duration; any duration above zero has at least one.
    pub fn frames(&self, seconds: f64) -> usize {
        let frames = (seconds * self.fps).round() as usize;
        if seconds > 0.0 { frames.max(1) } else { 0 }
    }
}

/// Events and input of a simulation.
pub trait Director<S: Solver + ?Sized> {
    /// Errors of the director.
    type Error;

    /// Handles the events due before the step of `dt` seconds.
    fn before_step(&mut self, solver: &mut S, dt: f64) -> Result<(), Self::Error>;

    /// Input of the step.
    fn input<'a>(&'a mut self, solver: &S, dt: f64) -> StepInput<'a>;

    /// Handles the results of the step.
    fn after_step(&mut self, solver: &S) -> Result<(), Self::Error> {
        let _ = solver;
        Ok(())
    }

    /// Converts the error of a step that began at `time`.
    fn step_error(&self, time: f64, error: StepError) -> Self::Error;
}

/// Takes the steps of one frame, and returns the elapsed time.
pub fn advance<S: Solver + ?Sized, D: Director<S>>(
    solver: &mut S,
    director: &mut D,
    clock: &Clock,
) -> Result<Duration, D::Error> {
    let (begin, dt) = (Instant::now(), clock.step());
    for _ in 0..clock.substeps {
        director.before_step(solver, dt)?;
        let time = solver.time();
        let taken = {
            let mut input = director.input(solver, dt);
            solver.step(dt, &mut input)
        };
        taken.map_err(|error| director.step_error(time, error))?;
        director.after_step(solver)?;
    }
    Ok(begin.elapsed())
}

/// Plays this many frames. `seen` is called for each, also for the first, before any step; it may end the
/// loop. Returns the elapsed time of the steps.
pub fn play<S: Solver + ?Sized, D: Director<S>>(
    solver: &mut S,
    director: &mut D,
    clock: &Clock,
    frames: usize,
    mut seen: impl FnMut(usize, &mut S, &mut D) -> Result<ControlFlow<()>, D::Error>,
) -> Result<Duration, D::Error> {
    let mut stepping = Duration::ZERO;
    for frame in 0..=frames {
        if frame > 0 {
            stepping += advance(solver, director, clock)?;
        }
        if seen(frame, solver, director)?.is_break() {
            break;
        }
    }
    Ok(stepping)
}
