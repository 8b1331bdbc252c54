//! Air that is coupled to the trees in it.

use windfall_core::glam::DVec3;

use crate::wind::{Points, Velocities, Wind};

/// A flow that solvers sample and give momentum back to.
///
/// A step with coupled air samples the flow at its beginning, gives back the impulses that the bodies took,
/// and ends with [`Flow::advance`]. A stage with bodies of its own in the air shares the flow with its
/// solver ([`Shared`]) and advances it once.
pub trait Flow: std::fmt::Debug + Send + Sync {
    /// Samples velocities at these points at the flow's time, m/s.
    fn velocities(&self, points: Points<'_>, out: Velocities<'_>);

    /// Takes the impulse of a body on the air at a point (world metres), N s. It acts until the next advance.
    fn give(&mut self, point: DVec3, impulse: DVec3);

    /// Advances by `dt` seconds, with the impulses given since the last advance.
    fn advance(&mut self, dt: f64);
}

/// A flow whose `advance` does nothing, for one of several users of the same flow.
#[derive(Debug)]
pub struct Shared<'a>(pub &'a mut dyn Flow);

impl Flow for Shared<'_> {
    fn velocities(&self, points: Points<'_>, out: Velocities<'_>) {
        self.0.velocities(points, out);
    }

    fn give(&mut self, point: DVec3, impulse: DVec3) {
        self.0.give(point, impulse);
    }

    fn advance(&mut self, _: f64) {}
}

/// Air at rest that nothing moves: to ask a solver whether it takes a flow at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct StillFlow;

impl Flow for StillFlow {
    fn velocities(&self, _: Points<'_>, mut out: Velocities<'_>) {
        out.slices().into_iter().for_each(|component| component.fill(0.0));
    }

    fn give(&mut self, _: DVec3, _: DVec3) {}

    fn advance(&mut self, _: f64) {}
}

/// A flow as a wind at its own time, for users that give nothing back.
#[derive(Debug, Clone, Copy)]
pub struct FlowWind<'a>(pub &'a dyn Flow);

impl Wind for FlowWind<'_> {
    fn velocity(&self, point: DVec3, _: f64) -> DVec3 {
        let p = point.as_vec3();
        let [mut u, mut v, mut w] = [[0.0f32]; 3];
        self.0.velocities(Points::new(&[p.x], &[p.y], &[p.z]), Velocities::new(&mut u, &mut v, &mut w));
        DVec3::new(u[0].into(), v[0].into(), w[0].into())
    }

    fn velocities(&self, _: f64, points: Points<'_>, out: Velocities<'_>) {
        self.0.velocities(points, out);
    }
}
