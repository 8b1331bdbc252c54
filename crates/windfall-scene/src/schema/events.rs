//! What happens when: events, and trees whose ground moves.

use serde::Deserialize;
use windfall_core::glam::DVec3;

use super::SolverName;
use super::either::WindEntry;
use super::pick::{BodyKind, Pick};
use super::plants::Select;

/// Something that happens at a time, or over a time. One event may do several things.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// When it begins, s.
    pub at: f64,
    /// How long it takes, s; 0 by default. Wind fades, numbers of parameters go evenly from old to new, forces and hands act so long, leaves let go one by one.
    #[serde(default)]
    pub over: f64,
    /// Cuts bodies off.
    #[serde(default)]
    pub cut: Vec<Pick>,
    /// Lets leaves or fruit go.
    #[serde(default)]
    pub let_go: Option<LetGo>,
    /// New parameters, as in `params`; what is not written stays.
    #[serde(default)]
    pub set: Option<toml::Table>,
    /// What may happen from now on, as in `stage`; what is not written stays.
    #[serde(default)]
    pub stage: Option<toml::Table>,
    /// Another wind.
    #[serde(default)]
    pub wind: Option<WindEntry>,
    /// Where a named wind comes from, compass degrees.
    #[serde(default)]
    pub wind_from_degrees: Option<f64>,
    /// A force; needs `over`.
    #[serde(default)]
    pub push: Option<Push>,
    /// A hand that takes a body, moves it and lets go; needs `over`.
    #[serde(default)]
    pub hand: Option<HandMove>,
    /// Another solver.
    #[serde(default)]
    pub solver: Option<SolverName>,
    /// Other bodies are simulated.
    #[serde(default)]
    pub select: Option<Select>,
}

/// Leaves or fruit that let go, chosen at random.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LetGo {
    /// Leaf (also petals) or fruit.
    pub kind: BodyKind,
    /// Which part of them, 0 to 1; all by default.
    #[serde(default = "all")]
    pub share: f64,
    /// Of which plant, from 0; of all by default.
    #[serde(default)]
    pub plant: Option<usize>,
}

fn all() -> f64 {
    1.0
}

/// A force at the centre of a body.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Push {
    /// On which body.
    pub body: Pick,
    /// N.
    pub force: DVec3,
}

/// A hand at the centre of a body: it goes `by` so much, or along a `path`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandMove {
    /// Which body it takes.
    pub body: Pick,
    /// How far it goes, m; evenly.
    #[serde(default)]
    pub by: Option<DVec3>,
    /// Places that it goes through, m from where it took hold. All ways between them take the same time: a place that is written twice is a pause.
    #[serde(default)]
    pub path: Vec<DVec3>,
}

impl HandMove {
    /// The places that it goes through, however they are written.
    pub(crate) fn places(&self) -> Vec<DVec3> {
        self.by.into_iter().chain(self.path.iter().copied()).collect()
    }
}

/// How the ground under a plant moves: `sway` or `keys`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BaseMotion {
    /// Under which plant, from 0.
    pub plant: usize,
    /// Back and forth.
    pub sway: Option<Sway>,
    /// From place to place, each reached at rest.
    pub keys: Vec<BaseKey>,
}

/// Back and forth as a sine, which grows over its first period and dies away over its last.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sway {
    /// Farthest place, m.
    pub by: DVec3,
    /// Periods in a second.
    pub frequency: f64,
    /// When it begins, s; 0 by default.
    #[serde(default)]
    pub from: f64,
    /// How many periods; it goes on by default.
    #[serde(default)]
    pub periods: Option<f64>,
}

/// A place of the ground at a time.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseKey {
    /// s.
    pub time: f64,
    /// How far it has moved, m.
    #[serde(default)]
    pub by: DVec3,
    /// How far it has turned: the axis times the angle, degrees.
    #[serde(default)]
    pub rotation_degrees: DVec3,
}
