//! One step of a world: the verbs of each method over all blocks, and the exchange with the air.

mod air;
mod analytic;
mod flow;
mod implicit;
mod release;

use windfall_solver::Actions;

use crate::math::Real;
use crate::world::{Method, World};

impl<T: Real> World<T> {
    /// A step after its input was taken over.
    pub(crate) fn step_on_threads(&mut self, dt: f64, actions: &Actions<'_>) {
        if self.blocks.len() > 1 {
            // One entry into the thread pool for the whole step, instead of one for every sweep.
            let others = rayon::current_num_threads().min(self.blocks.len()) - 1;
            self.blocks.next_work().awaited(others, || self.take_step(dt, actions));
        } else {
            self.take_step(dt, actions);
        }
    }

    fn take_step(&mut self, dt: f64, actions: &Actions<'_>) {
        let watch = self.watch(dt, actions);
        match self.method {
            Method::Implicit => implicit::step(self, dt, actions, false),
            Method::Explicit => implicit::step(self, dt, actions, true),
            Method::Analytic => analytic::step(self, dt, actions),
        }
        if watch {
            self.limit_energy();
        }
    }
}
