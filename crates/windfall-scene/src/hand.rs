//! Pushes and hands as loads and grabs of one step.

use std::ops::Range;

use windfall_core::glam::DVec3;
use windfall_core::{BodyId, Plant};
use windfall_solver::{Grab, Load, Solver};

/// A force at the centre of a body for some time.
#[derive(Debug, Clone, PartialEq)]
pub struct Force {
    /// The body.
    pub body: BodyId,
    /// The force, N.
    pub force: DVec3,
    /// The time range, s.
    pub time: Range<f64>,
}

impl Force {
    /// The load of a step. Forces are constant over the window of a step: one that acts in a share of it
    /// has that share of its strength, so that its impulse is right however short it is.
    pub fn load(&self, solver: &dyn Solver, dt: f64) -> Option<Load> {
        let window = solver.force_window(self.body.into(), dt);
        let overlap = self.time.end.min(window.end) - self.time.start.max(window.start);
        let share = overlap / (window.end - window.start);
        let center = || solver.plant().mass_properties(self.body).center_of_mass;
        (share > 0.0).then(|| Load::force(self.body, center(), self.force * share))
    }
}

/// A hand on the centre of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Hand {
    body: BodyId,
    point: DVec3,
    /// Steps between grab and release.
    steps: Range<f64>,
    /// Waypoints one after the other, m from the start.
    path: Vec<DVec3>,
    /// Position at the grab, world metres.
    start: Option<DVec3>,
}

/// Stiffness and damping of a hand, N/m and N s/m: a kilogram more or less moves it by a tenth of a
/// millimetre.
const GRIP: (f64, f64) = (1e5, 1e3);

impl Hand {
    /// Holds for whole steps of `dt`, at least one, and moves through all waypoints of `path` (m from the
    /// start) in them, at equal time intervals.
    pub fn new(body: BodyId, path: Vec<DVec3>, time: Range<f64>, plant: &Plant, dt: f64) -> Self {
        let from = (time.start / dt).round();
        let to = (time.end / dt).round().max(from + 1.0);
        let point = plant.mass_properties(body).center_of_mass;
        Self { body, point, steps: from..to, path, start: None }
    }

    /// The grab of the step from the present time.
    pub fn grab(&mut self, solver: &dyn Solver, dt: f64) -> Option<Grab> {
        let step = (solver.time() / dt).round();
        if !self.steps.contains(&step) {
            return None;
        }
        let start = *self.start.get_or_insert_with(|| solver.motion(self.body.into()).center);
        let (way, velocity) = self.way(step - self.steps.start, dt);
        Some(Grab {
            body: self.body.into(),
            point: self.point,
            target: start + way,
            target_velocity: velocity,
            stiffness: GRIP.0,
            damping: GRIP.1,
        })
    }

    /// Displacement after this many steps, m, and the velocity from there, m/s.
    fn way(&self, steps: f64, dt: f64) -> (DVec3, DVec3) {
        if self.path.is_empty() {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        // Steps between waypoints; not a whole number if there are few.
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
        // A pause after the first waypoint, and back to the start.
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
