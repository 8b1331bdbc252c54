//! The schema of scene files. All units are SI: metres, kilograms, seconds, newtons, radians per second;
//! angles with `degrees` in their name are degrees.
//!
//! `docs/scenes.md` explains it with examples.

mod around;
mod either;
mod events;
mod outputs;
mod pick;
mod plants;

pub use around::{CreatureEntry, Ground, Obstacle, Rgb, Solid, Throw, WayEntry};
pub use either::{FileOr, WindEntry};
pub use events::{BaseKey, BaseMotionEntry, EventEntry, HandMove, LetGo, Push, SwayEntry};
pub use outputs::{Output, Preview};
pub use pick::{BodyKind, BodyPick, Pick, PickBy};
pub use plants::{PlantEntry, Rod, Select};
use serde::Deserialize;
use windfall_solver::Params;
use windfall_stage::Settings;

use crate::player::Clock;
use crate::solver_spec::{Precision, SolverSpec};

/// A scene as in its file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scene {
    /// Name of the outputs; by default that of the file.
    pub name: String,
    /// A description for readers.
    pub about: String,
    /// Duration, s; 5 by default. Whole frames are run.
    pub seconds: f64,
    /// Frames per second; 30 by default.
    pub fps: f64,
    /// Steps per frame; 1 by default.
    pub substeps: u32,
    /// The solver: a name, or a table with its parameters; implicit by default.
    pub solver: SolverSpec,
    /// Precision of the solver's numbers; f32 by default. The same as `precision` in the table of the solver.
    pub precision: Option<Precision>,
    /// Seed of random choices in the scene (starts of thrown bodies, leaves to detach); 0 by default.
    pub seed: u64,
    /// The trees; at least one.
    pub plants: Vec<PlantEntry>,
    /// Stiffness, damping, strengths, air: the keys of `docs/params.toml`, or the name of such a file. By
    /// default trees keep their shape under gravity (`keep_shape`).
    pub params: FileOr<Params>,
    /// A name of the Beaufort scale, a speed such as `"7.5m/s"`, the name of a file, or a description as in
    /// `docs/wind.md`; by default the air is still.
    pub wind: Option<WindEntry>,
    /// Where a named wind comes from, compass degrees.
    pub wind_from_degrees: Option<f64>,
    /// Time over which the wind rises at the beginning, when the trees stand still, s; 1 by default. An
    /// immediate rise (0) is a shock that tears leaves off.
    pub wind_rise: f64,
    /// Whether there is air at all; true by default.
    pub air: bool,
    /// Settings of breaking and collisions.
    pub stage: Settings,
    /// The level ground.
    pub ground: Ground,
    /// Static obstacles.
    pub obstacles: Vec<Obstacle>,
    /// Thrown bodies.
    pub throws: Vec<Throw>,
    /// Creatures that run along branches and leap.
    pub creatures: Vec<CreatureEntry>,
    /// Motion of the ground under trees.
    pub bases: Vec<BaseMotionEntry>,
    /// Events.
    pub events: Vec<EventEntry>,
    /// Selection of simulated bodies; all by default, the others move rigidly with them.
    pub select: Option<Select>,
    /// Output files.
    pub output: Output,
    /// Pictures.
    pub preview: Preview,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            name: String::new(),
            about: String::new(),
            seconds: 5.0,
            fps: 30.0,
            substeps: 1,
            solver: SolverSpec::default(),
            precision: None,
            seed: 0,
            plants: Vec::new(),
            params: FileOr::default(),
            wind: None,
            wind_from_degrees: None,
            wind_rise: 1.0,
            air: true,
            stage: Settings::default(),
            ground: Ground::default(),
            obstacles: Vec::new(),
            throws: Vec::new(),
            creatures: Vec::new(),
            bases: Vec::new(),
            events: Vec::new(),
            select: None,
            output: Output::default(),
            preview: Preview::default(),
        }
    }
}

impl Scene {
    /// Frame rate and steps.
    pub fn clock(&self) -> Clock {
        Clock { fps: self.fps, substeps: self.substeps }
    }

    /// Length of a step, s.
    pub fn step(&self) -> f64 {
        self.clock().step()
    }

    /// Number of frames; any duration has at least one.
    pub fn frames(&self) -> usize {
        self.clock().frames(self.seconds)
    }

    /// A solver with the precision of the scene.
    pub fn solver_of(&self, spec: SolverSpec) -> SolverSpec {
        self.precision.map_or(spec, |precision| spec.with_precision(precision))
    }
}
