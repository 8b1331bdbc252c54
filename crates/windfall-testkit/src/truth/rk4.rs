//! Integration in time: the classical Runge-Kutta method of fourth order.
//!
//! Rotations follow q' = 1/2 w q. The equations normalise q wherever they use it, so they are smooth
//! around the unit sphere, the method keeps its order, and one normalisation per step suffices.

use windfall_core::glam::{DQuat, DVec3};

use super::linear::modes_at_rest;
use super::tree::{Reference, State};

/// The time derivative of a state.
struct Rate {
    q: Vec<DQuat>,
    w: Vec<DVec3>,
    root_position: Vec<DVec3>,
    root_velocity: Vec<DVec3>,
}

fn rate(reference: &Reference, state: &State) -> Rate {
    let (accelerations, _) = reference.solve(state);
    let spin = |(q, w): (&DQuat, &DVec3)| DQuat::from_xyzw(w.x, w.y, w.z, 0.0) * *q * 0.5;
    Rate {
        q: state.q.iter().zip(&state.w).map(spin).collect(),
        w: accelerations.w,
        root_position: state.root_velocity.clone(),
        root_velocity: accelerations.root,
    }
}

fn moved(state: &State, rates: &[(f64, &Rate)], dt: f64) -> State {
    let mut new = State { time: state.time + dt, ..state.clone() };
    for (weight, rate) in rates {
        for i in 0..new.q.len() {
            new.q[i] += rate.q[i] * *weight;
            new.w[i] += rate.w[i] * *weight;
        }
        for t in 0..new.root_position.len() {
            new.root_position[t] += rate.root_position[t] * *weight;
            new.root_velocity[t] += rate.root_velocity[t] * *weight;
        }
    }
    new
}

impl Reference {
    /// One step of `h` seconds.
    pub fn step(&self, state: &mut State, h: f64) {
        let a = rate(self, state);
        let b = rate(self, &moved(state, &[(0.5 * h, &a)], 0.5 * h));
        let c = rate(self, &moved(state, &[(0.5 * h, &b)], 0.5 * h));
        let d = rate(self, &moved(state, &[(h, &c)], h));
        *state = moved(state, &[(h / 6.0, &a), (h / 3.0, &b), (h / 3.0, &c), (h / 6.0, &d)], h);
        state.q.iter_mut().for_each(|q| *q = q.normalize());
    }

    /// Steps of at most `h` seconds until exactly `duration` has passed.
    pub fn run(&self, state: &mut State, duration: f64, h: f64) {
        let steps = (duration / h).ceil().max(1.0);
        let begin = state.time;
        for i in 0..steps as usize {
            self.step(state, duration / steps);
            state.time = begin + duration * (i + 1) as f64 / steps;
        }
    }

    /// A step that resolves even the fastest mode of the tree at rest (`h omega = 0.1`: the relative
    /// error of the period is 1e-6) and for which the strongest damper is stable.
    pub fn small_step(&self) -> f64 {
        let fastest = modes_at_rest(self).omega_squared.iter().fold(0.0_f64, |a, &b| a.max(b));
        let beta = |l: &super::tree::Link| {
            [0, 1, 2]
                .into_iter()
                .filter(|&a| l.stiffness[a] > 0.0)
                .map(|a| l.damping[a] / l.stiffness[a])
                .fold(0.0, f64::max)
        };
        let beta = self.links.iter().map(beta).fold(0.0, f64::max);
        // RK4 is stable up to h times rate = 2.78; the rate of the fastest damped mode is at most beta
        // omega^2.
        (0.1 / fastest.sqrt()).min(if beta > 0.0 { 0.5 / (beta * fastest) } else { f64::INFINITY })
    }
}
