//! What pushes and hands do in one step.

use std::ops::Range;

use windfall::core::glam::DVec3;
use windfall::core::{BodyId, Grab, Load, Plant, Solver};
use windfall::dynamics::Method;

use crate::bodies::Push;

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

impl Push {
    /// The force of this push in a step. Forces are constant over the window of a step: one that acts in a share of it has
    /// that share of its strength, so that its impulse is right however short it is.
    pub fn load(&self, plant: &Plant, body: BodyId, window: &Range<f64>) -> Option<Load> {
        let overlap = self.to.min(window.end) - self.from.max(window.start);
        let share = overlap / (window.end - window.start);
        (share > 0.0).then(|| Load::force(body, plant.mass_properties(body).center_of_mass, self.vector * share))
    }
}

/// A hand on the centre of a body.
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
    /// It holds for whole steps, at least one, and goes its whole way in them.
    pub fn new(pull: Push, plant: &Plant, dt: f64) -> anyhow::Result<Self> {
        let body = pull.body.find(plant)?;
        let from = (pull.from / dt).round();
        let to = (pull.to / dt).round().max(from + 1.0);
        let velocity = pull.vector / ((to - from) * dt);
        let point = plant.mass_properties(body).center_of_mass;
        Ok(Self { body, point, steps: from..to, velocity, start: None })
    }

    /// What it does in the step from the present time.
    pub fn grab(&mut self, world: &impl Solver, dt: f64) -> Option<Grab> {
        let step = (world.time() / dt).round();
        if !self.steps.contains(&step) {
            return None;
        }
        let start = *self.start.get_or_insert_with(|| world.motion(self.body).center);
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
