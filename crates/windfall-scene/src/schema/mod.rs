//! What may stand in a scene file. Everything is SI: metres, kilograms, seconds, newtons, radians per second; angles whose name says so are degrees.
//!
//! `docs/scenes.md` explains it with examples.

mod around;
mod either;
mod events;
mod outputs;
mod pick;
mod plants;

pub use around::{Color, Creature, Ground, Obstacle, Solid, Throw, Way};
pub use either::{FileOr, WindEntry};
pub use events::{BaseKey, BaseMotion, Event, HandMove, LetGo, Push, Sway};
pub use outputs::{Output, Preview};
pub use pick::{BodyKind, BodyRef, Pick, PickBy};
pub use plants::{PlantEntry, Rod, Select};
use serde::Deserialize;
use windfall_dynamics::stage::Settings;
use windfall_dynamics::{Method, Params};

/// A scene as it stands in its file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scene {
    /// What outputs are called; by default the name of the file.
    pub name: String,
    /// For readers.
    pub about: String,
    /// How long it lasts, s; 5 by default. Whole frames are run.
    pub seconds: f64,
    /// Frames in a second; 30 by default.
    pub fps: f64,
    /// Steps for each frame; 1 by default.
    pub substeps: u32,
    /// How the trees move; implicit by default.
    pub solver: SolverName,
    /// Of the numbers of the trees; f32 by default.
    pub precision: Precision,
    /// For what is random in the scene (where thrown bodies start, which leaves are let go); 0 by default.
    pub seed: u64,
    /// The trees; at least one.
    pub plants: Vec<PlantEntry>,
    /// Stiffness, damping, strengths, air: the keys of `docs/params.toml`, or the name of such a file. Trees keep their shape under gravity unless `keep_shape`
    /// says something else.
    pub params: FileOr<Params>,
    /// A name of the Beaufort scale, a speed such as `"7.5m/s"`, the name of a file, or a description as in `docs/wind.md`; by default the air is still.
    pub wind: Option<WindEntry>,
    /// Where a named wind comes from, compass degrees.
    pub wind_from_degrees: Option<f64>,
    /// Over how many seconds the wind rises at the beginning, when the trees stand still; 1 by default. At once (0) it is a blow that tears leaves off.
    pub wind_rise: f64,
    /// Whether there is air at all; true by default.
    pub air: bool,
    /// What may break and collide, and how.
    pub stage: Settings,
    /// The level ground.
    pub ground: Ground,
    /// What is solid and does not move.
    pub obstacles: Vec<Obstacle>,
    /// What is thrown in.
    pub throws: Vec<Throw>,
    /// What runs along branches and leaps.
    pub creatures: Vec<Creature>,
    /// How the ground under trees moves.
    pub bases: Vec<BaseMotion>,
    /// What happens when.
    pub events: Vec<Event>,
    /// Which bodies are simulated; all by default, the others ride along.
    pub select: Option<Select>,
    /// What is written.
    pub output: Output,
    /// How pictures are drawn.
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
            solver: SolverName::default(),
            precision: Precision::default(),
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
    /// Length of a step, s.
    pub fn step(&self) -> f64 {
        1.0 / (self.fps * f64::from(self.substeps))
    }

    /// Whole frames; some time, however short, is at least one.
    pub fn frames(&self) -> usize {
        let frames = (self.seconds * self.fps).round() as usize;
        if self.seconds > 0.0 { frames.max(1) } else { 0 }
    }
}

/// How trees move: see [`Method`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SolverName {
    /// Accurate at one step per frame.
    #[default]
    Implicit,
    /// The method of quigley2017.
    Analytic,
    /// Forward Euler, for comparison.
    Explicit,
}

impl SolverName {
    /// As the solvers call it.
    pub fn method(self) -> Method {
        match self {
            Self::Implicit => Method::Implicit,
            Self::Analytic => Method::Analytic,
            Self::Explicit => Method::Explicit,
        }
    }

    /// As it stands in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Implicit => "implicit",
            Self::Analytic => "analytic",
            Self::Explicit => "explicit",
        }
    }
}

/// Of the numbers of trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Single.
    #[default]
    F32,
    /// Double.
    F64,
}
