//! Events, and motion of the ground under trees.

use serde::Deserialize;
use windfall_core::glam::DVec3;

use super::either::WindEntry;
use super::pick::{BodyKind, Pick};
use super::plants::Select;
use crate::solver_spec::SolverSpec;

/// An event at a time, or over a time. One event may have several effects.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventEntry {
    /// Time of its beginning, s.
    pub at: f64,
    /// Its duration, s; 0 by default. Wind fades, numbers of parameters change linearly from old to new,
    /// forces and hands act for this time, leaves detach one by one.
    #[serde(default)]
    pub over: f64,
    /// Cuts bodies off.
    #[serde(default)]
    pub cut: Vec<Pick>,
    /// Detaches leaves or fruit.
    #[serde(default)]
    pub let_go: Option<LetGo>,
    /// New parameters, as in `params`; missing keys stay unchanged.
    #[serde(default)]
    pub set: Option<toml::Table>,
    /// New settings, as in `stage`; missing keys stay unchanged.
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
    /// A hand that grabs a body, moves it and releases it; needs `over`.
    #[serde(default)]
    pub hand: Option<HandMove>,
    /// Another solver, a name or a table; it takes over the motion.
    #[serde(default)]
    pub solver: Option<SolverSpec>,
    /// Another selection of simulated bodies.
    #[serde(default)]
    pub select: Option<Select>,
}

/// Leaves or fruit to detach, chosen at random.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LetGo {
    /// Kind: leaf (also petals) or fruit.
    pub kind: BodyKind,
    /// Share of them, 0 to 1; all by default.
    #[serde(default = "all")]
    pub share: f64,
    /// Index of the plant, from 0; all plants by default.
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
    /// The body.
    pub body: Pick,
    /// The force, N.
    pub force: DVec3,
}

/// A hand at the centre of a body: it moves `by` a distance, or along a `path`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandMove {
    /// The grabbed body.
    pub body: Pick,
    /// Displacement, m; at constant velocity.
    #[serde(default)]
    pub by: Option<DVec3>,
    /// Waypoints, m from the start, at equal time intervals: a place that is written twice is a pause.
    #[serde(default)]
    pub path: Vec<DVec3>,
}

impl HandMove {
    /// The waypoints, from either form.
    pub(crate) fn places(&self) -> Vec<DVec3> {
        self.by.into_iter().chain(self.path.iter().copied()).collect()
    }
}

/// Motion of the ground under a plant: `sway` or `keys`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BaseMotionEntry {
    /// Index of the plant, from 0.
    pub plant: usize,
    /// Oscillation.
    pub sway: Option<SwayEntry>,
    /// Key places, each reached at rest.
    pub keys: Vec<BaseKey>,
}

/// A sinusoidal oscillation that grows over its first period and decays over its last.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwayEntry {
    /// Amplitude, m.
    pub by: DVec3,
    /// Frequency, 1/s.
    pub frequency: f64,
    /// Time of its beginning, s; 0 by default.
    #[serde(default)]
    pub from: f64,
    /// Number of periods; unlimited by default.
    #[serde(default)]
    pub periods: Option<f64>,
}

/// A place of the ground at a time.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseKey {
    /// Time, s.
    pub time: f64,
    /// Displacement, m.
    #[serde(default)]
    pub by: DVec3,
    /// Rotation: the axis times the angle, degrees.
    #[serde(default)]
    pub rotation_degrees: DVec3,
}
