//! Integration in time for stiff, damped trees: an L-stable singly diagonally implicit Runge-Kutta
//! method of fourth order.
//!
//! Real wood has joints of thousands of hertz with damping that grows with the square of the frequency;
//! RK4 would need steps of 1e-7 s. This method (Hairer and Wanner, Solving Ordinary Differential
//! Equations II, 1996, table 6.5) is as exact for the motion that its step resolves, and damps faster
//! vibrations out: it is for damped trees, not for conservation of energy.
//!
//! Coordinates within a step are the rotation vectors phi from its start, q = exp(phi) q0, phi' =
//! `J_l^-1(phi)` w. Each stage solves phi - g phi' = p, w - g w' = v (g = h/4) by Newton's method with
//! the springs and dampers alone in the Jacobian: (M + g C + g² K) dw = -M `r_w` + g K `r_phi`. The
//! omitted terms are slow, so it converges in a few iterations.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use windfall_core::glam::{DMat3, DVec3};

use super::so3::inverse_left_jacobian;
use super::tree::{Reference, State};

/// The rows of the method's table below its diagonal (which is 1/4). The last row is also the weights.
pub const ROWS: [&[f64]; 5] = [
    &[],
    &[0.5],
    &[17.0 / 50.0, -1.0 / 25.0],
    &[371.0 / 1360.0, -137.0 / 2720.0, 15.0 / 544.0],
    &[25.0 / 24.0, -49.0 / 48.0, 125.0 / 16.0, -85.0 / 12.0],
];
/// Times of the stages.
pub const NODES: [f64; 5] = [0.25, 0.75, 11.0 / 20.0, 0.5, 1.0];
/// The diagonal.
pub const DIAGONAL: f64 = 0.25;

/// Coordinates from the start of the step, and velocities; three rows per joint, then three per tree if
/// roots are free.
#[derive(Clone)]
struct Pair {
    place: DVector<f64>,
    speed: DVector<f64>,
}

impl Pair {
    fn add(&mut self, factor: f64, other: &Self) {
        self.place.axpy(factor, &other.place, 1.0);
        self.speed.axpy(factor, &other.speed, 1.0);
    }
}

fn at(v: &DVector<f64>, row: usize) -> DVec3 {
    DVec3::new(v[3 * row], v[3 * row + 1], v[3 * row + 2])
}

fn set(v: &mut DVector<f64>, row: usize, value: DVec3) {
    (0..3).for_each(|a| v[3 * row + a] = value[a]);
}

fn state_at(reference: &Reference, start: &State, pair: &Pair, time: f64) -> State {
    let n = start.q.len();
    let mut state = State { time, ..start.clone() };
    for i in 0..n {
        state.turn(i, at(&pair.place, i));
        state.w[i] = at(&pair.speed, i);
    }
    if reference.free {
        for t in 0..state.root_position.len() {
            state.root_position[t] += at(&pair.place, n + t);
            state.root_velocity[t] = at(&pair.speed, n + t);
        }
    }
    state
}

fn rate(reference: &Reference, start: &State, pair: &Pair, time: f64) -> Pair {
    let n = start.q.len();
    let (accelerations, _) = reference.solve(&state_at(reference, start, pair, time));
    let mut rate = Pair { place: pair.speed.clone(), speed: DVector::zeros(reference.unknowns()) };
    for i in 0..n {
        set(&mut rate.place, i, inverse_left_jacobian(at(&pair.place, i)) * at(&pair.speed, i));
        set(&mut rate.speed, i, accelerations.w[i]);
    }
    if reference.free {
        accelerations.root.iter().enumerate().for_each(|(t, &a)| set(&mut rate.speed, n + t, a));
    }
    rate
}

/// Mass matrix, springs and dampers at the start of the step.
struct Stiffness {
    mass: DMatrix<f64>,
    spring: DMatrix<f64>,
    factor: Cholesky<f64, Dyn>,
}

impl Stiffness {
    fn new(reference: &Reference, start: &State, g: f64) -> Self {
        let mass = reference.mass_matrix(start);
        let mut spring = DMatrix::zeros(mass.nrows(), mass.ncols());
        let mut damper = spring.clone();
        for (i, link) in reference.links.iter().enumerate().filter(|(_, l)| l.parent.is_some() || !reference.free) {
            let j = inverse_left_jacobian(start.angle(i));
            let k = j.transpose() * DMat3::from_diagonal(link.stiffness) * j;
            let c = j.transpose() * DMat3::from_diagonal(link.damping) * j;
            for row in 0..3 {
                for column in 0..3 {
                    spring[(3 * i + row, 3 * i + column)] = k.col(column)[row];
                    damper[(3 * i + row, 3 * i + column)] = c.col(column)[row];
                }
            }
        }
        let matrix = &mass + &damper * g + &spring * (g * g);
        Self { mass, spring, factor: matrix.cholesky().expect("a positive definite matrix") }
    }
}

impl Reference {
    /// One implicit step of `h` seconds; see the head of this file.
    pub fn stiff_step(&self, state: &mut State, h: f64) {
        let g = DIAGONAL * h;
        let start = state.clone();
        let stiffness = Stiffness::new(self, &start, g);
        let mut speed = DVector::zeros(self.unknowns());
        start.w.iter().enumerate().for_each(|(i, &w)| set(&mut speed, i, w));
        if self.free {
            start.root_velocity.iter().enumerate().for_each(|(t, &v)| set(&mut speed, start.w.len() + t, v));
        }
        let origin = Pair { place: DVector::zeros(self.unknowns()), speed };
        let mut rates: Vec<Pair> = Vec::new();
        let mut stage = origin.clone();
        for (row, node) in ROWS.iter().zip(NODES) {
            let mut known = origin.clone();
            row.iter().zip(&rates).for_each(|(a, rate)| known.add(h * a, rate));
            stage = self.stage(&start, &known, &stiffness, g, start.time + node * h, stage);
            // The rate at the solved stage, without another evaluation.
            let mut rate = stage.clone();
            rate.add(-1.0, &known);
            rate.place /= g;
            rate.speed /= g;
            rates.push(rate);
        }
        *state = state_at(self, &start, &stage, start.time + h);
    }

    fn stage(&self, start: &State, known: &Pair, stiffness: &Stiffness, g: f64, time: f64, guess: Pair) -> Pair {
        let mut pair = guess;
        for _ in 0..60 {
            // Residual: pair - known - g rate.
            let mut residual = pair.clone();
            residual.add(-1.0, known);
            residual.add(-g, &rate(self, start, &pair, time));
            let right = &stiffness.spring * &residual.place * g - &stiffness.mass * &residual.speed;
            let speed = stiffness.factor.solve(&right);
            let place = &speed * g - &residual.place;
            let change = speed.amax() * g + place.amax();
            pair.add(1.0, &Pair { place, speed });
            if change < 1e-13 * (1.0 + pair.place.amax() + g * pair.speed.amax()) {
                return pair;
            }
        }
        panic!("a stage does not converge: shorten the step");
    }

    /// Implicit steps of at most `h` seconds until exactly `duration` has passed.
    pub fn run_stiff(&self, state: &mut State, duration: f64, h: f64) {
        let steps = (duration / h).ceil().max(1.0);
        let begin = state.time;
        for i in 0..steps as usize {
            self.stiff_step(state, duration / steps);
            state.time = begin + duration * (i + 1) as f64 / steps;
        }
    }
}
