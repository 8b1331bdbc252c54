//! What pushes and hands do in one step.

use std::ops::Range;

use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Grab, Load, Plant, Solver};
use windfall_dynamics::World;
use windfall_dynamics::math::Real;

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
    pub fn load<T: Real>(&self, world: &World<T>, dt: f64) -> Option<Load> {
        let window = world.force_window(self.body, dt);
        let overlap = self.time.end.min(window.end) - self.time.start.max(window.start);
        let share = overlap / (window.end - window.start);
        let center = || world.plant().mass_properties(self.body).center_of_mass;
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
    /// Where it goes, one place after the other, m from where it took hold.
    path: Vec<DVec3>,
    /// Where it took hold, world metres.
    start: Option<DVec3>,
}

/// How firmly a hand holds, N/m and N s/m: a kilogram more or less moves it by a tenth of a millimetre.
const GRIP: (f64, f64) = (1e5, 1e3);

impl Hand {
    /// It holds for whole steps of `dt`, at least one, and goes through all places of `path` (m from where it took hold) in them, each after the same time.
    pub fn new(body: BodyId, path: Vec<DVec3>, time: Range<f64>, plant: &Plant, dt: f64) -> Self {
        let from = (time.start / dt).round();
        let to = (time.end / dt).round().max(from + 1.0);
        let point = plant.mass_properties(body).center_of_mass;
        Self { body, point, steps: from..to, path, start: None }
    }

    /// What it does in the step from the present time.
    pub fn grab(&mut self, solver: &impl Solver, dt: f64) -> Option<Grab> {
        let step = (solver.time() / dt).round();
        if !self.steps.contains(&step) {
            return None;
        }
        let start = *self.start.get_or_insert_with(|| solver.motion(self.body).center);
        let (way, velocity) = self.way(step - self.steps.start, dt);
        Some(Grab {
            body: self.body,
            point: self.point,
            target: start + way,
            target_velocity: velocity,
            stiffness: GRIP.0,
            damping: GRIP.1,
        })
    }

    /// How far from its start it is after so many steps, m, and how fast it goes on, m/s.
    fn way(&self, steps: f64, dt: f64) -> (DVec3, DVec3) {
        if self.path.is_empty() {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        // Steps from one place to the next; not whole ones if there are few.
        let each = (self.steps.end - self.steps.start) / self.path.len() as f64;
        let next = ((steps / each) as usize).min(self.path.len() - 1);
        let from = if next == 0 { DVec3::ZERO } else { self.path[next - 1] };
        let velocity = (self.path[next] - from) / (each * dt);
        (from + velocity * ((steps - next as f64 * each) * dt), velocity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_is_at_every_place_of_its_path_in_time() {
        let [right, down] = [DVec3::X * 0.3, DVec3::new(0.3, -0.2, 0.0)];
        // A pause after the first place, and back to where it began.
        let path = vec![right, right, down, DVec3::ZERO];
        let hand = Hand { body: BodyId(0), point: DVec3::ZERO, steps: 10.0..26.0, path, start: None };
        let dt = 0.25;
        let at = |steps: f64| hand.way(steps, dt);
        for (steps, place, velocity) in [
            (0.0, DVec3::ZERO, right),
            (2.0, 0.5 * right, right),
            (4.0, right, DVec3::ZERO),
            (7.0, right, DVec3::ZERO),
            (8.0, right, down - right),
            (10.0, 0.5 * (right + down), down - right),
            (12.0, down, -down),
            (15.0, 0.25 * down, -down),
        ] {
            // Four steps of a quarter of a second from place to place: metres are metres a second.
            assert!((at(steps).0 - place).length() < 1e-12, "{steps}: {}", at(steps).0);
            assert!((at(steps).1 - velocity).length() < 1e-12, "{steps}: {}", at(steps).1);
        }
    }
}
