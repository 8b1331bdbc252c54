//! What pushes and hands do in one step.

use windfall::core::glam::DVec3;
use windfall::core::{BodyId, Grab, Load, Plant, Solver};

use crate::bodies::Push;

impl Push {
    /// The force of this push in the step from `time`, if it acts in its middle.
    pub fn load(&self, plant: &Plant, body: BodyId, time: f64, dt: f64) -> Option<Load> {
        let middle = time + 0.5 * dt;
        let acts = (self.from..self.to).contains(&middle);
        acts.then(|| Load::force(body, plant.mass_properties(body).center_of_mass, self.vector))
    }
}

/// A hand on the centre of a body.
pub struct Hand {
    pull: Push,
    body: BodyId,
    point: DVec3,
    /// Where it took hold, world metres.
    start: Option<DVec3>,
}

/// How firmly a hand holds, N/m and N s/m: a kilogram more or less moves it by a tenth of a millimetre.
const GRIP: (f64, f64) = (1e5, 1e3);

impl Hand {
    pub fn new(pull: Push, plant: &Plant) -> anyhow::Result<Self> {
        let body = pull.body.find(plant)?;
        Ok(Self { pull, body, point: plant.mass_properties(body).center_of_mass, start: None })
    }

    /// What it does in the step from the present time, if it holds in its middle.
    pub fn grab(&mut self, world: &impl Solver, dt: f64) -> Option<Grab> {
        let Push { vector, from, to, .. } = self.pull;
        let time = world.time();
        if !(from..to).contains(&(time + 0.5 * dt)) {
            return None;
        }
        let start = *self.start.get_or_insert_with(|| world.motion(self.body).center);
        Some(Grab {
            body: self.body,
            point: self.point,
            target: start + vector * ((time - from) / (to - from)).clamp(0.0, 1.0),
            target_velocity: vector / (to - from),
            stiffness: GRIP.0,
            damping: GRIP.1,
        })
    }
}
