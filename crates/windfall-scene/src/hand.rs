//! What pushes and hands do in one step.

use std::ops::Range;

use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Grab, Load, Plant, Solver};
use windfall_dynamics::Method;

/// The time, s, over which the forces of the step from `time` act.
///
/// `Implicit` is a leapfrog: they change velocities from the middle of the last step to the middle of this one, and there is
/// no step before the first.
pub fn window(method: Method, time: f64, dt: f64) -> Range<f64> {
    match method {
        Method::Implicit => (time - 0.5 * dt).max(0.0)..time + 0.5 * dt,
        Method::Analytic | Method::Explicit => time..time + dt,
    }
}

/// A force at the centre of a body for some time.
#[derive(Debug, Clone, PartialEq)]
pub struct Force {
    /// On which body.
    pub body: BodyId,
    /// N.
    pub force: DVec3,
    /// When, s.
    pub time: Range<f64>,
}

impl Force {
    /// What it does in a step. Forces are constant over the window of a step: one that acts in a share of it has that share of its strength, so that
    /// its impulse is right however short it is.
    pub fn load(&self, plant: &Plant, window: &Range<f64>) -> Option<Load> {
        let overlap = self.time.end.min(window.end) - self.time.start.max(window.start);
        let share = overlap / (window.end - window.start);
        let center = || plant.mass_properties(self.body).center_of_mass;
        (share > 0.0).then(|| Load::force(self.body, center(), self.force * share))
    }
}

/// A hand on the centre of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Hand {
    body: BodyId,
    point: DVec3,
    /// When it takes hold and when it lets go, steps.
    steps: Range<f64>,
    /// How it moves, m/s.
    velocity: DVec3,
    /// Where it took hold, world metres.
    start: Option<DVec3>,
}

/// How firmly a hand holds, N/m and N s/m: a kilogram more or less moves it by a tenth of a millimetre.
const GRIP: (f64, f64) = (1e5, 1e3);

impl Hand {
    /// It holds for whole steps of `dt`, at least one, and goes its whole way `by` (m) in them.
    pub fn new(body: BodyId, by: DVec3, time: Range<f64>, plant: &Plant, dt: f64) -> Self {
        let from = (time.start / dt).round();
        let to = (time.end / dt).round().max(from + 1.0);
        let velocity = by / ((to - from) * dt);
        let point = plant.mass_properties(body).center_of_mass;
        Self { body, point, steps: from..to, velocity, start: None }
    }

    /// What it does in the step from the present time.
    pub fn grab(&mut self, solver: &impl Solver, dt: f64) -> Option<Grab> {
        let step = (solver.time() / dt).round();
        if !self.steps.contains(&step) {
            return None;
        }
        let start = *self.start.get_or_insert_with(|| solver.motion(self.body).center);
        Some(Grab {
            body: self.body,
            point: self.point,
            target: start + self.velocity * ((step - self.steps.start) * dt),
            target_velocity: self.velocity,
            stiffness: GRIP.0,
            damping: GRIP.1,
        })
    }
}
