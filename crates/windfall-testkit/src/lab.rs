//! The laboratory: transfer of states between reference and engine, measurement of vibrations, and the
//! response of the implicit scheme to a vibration.

use std::f64::consts::TAU;

use crate::World;
use nalgebra::{Complex, DMatrix, DVector};
use windfall_articulated::Method;
use windfall_articulated::implicit::{EPSILON, GAMMA, LOADED};
use windfall_articulated::math::Real;
use windfall_core::glam::{DMat3, DVec3};
use windfall_core::{BodyId, Plant};
use windfall_solver::Params;
use windfall_solver::{Actions, Load};

use crate::truth::eigen::Modes;
use crate::truth::{Reference, State, local_tip, so3};

/// Parameters without damping in any joint, independent of the materials.
pub fn undamped() -> Params {
    let mut params = Params::default();
    for class in [&mut params.branches, &mut params.leaves, &mut params.fruit] {
        class.damping = 0.0;
    }
    params
}

/// The same without gravity.
pub fn weightless(params: Params) -> Params {
    Params { gravity: DVec3::ZERO, ..params }
}

/// A world in this state. The reference has joint velocities in the parent's axes, the engine in the child's.
pub fn world_in<T: Real>(plant: &Plant, params: &Params, method: Method, state: &State) -> World<T> {
    let mut world = World::new(plant.clone(), params.clone(), method).expect("good parameters");
    for (i, id) in plant.body_ids().enumerate() {
        world.set_joint(id, state.q[i], state.q[i].inverse() * state.w[i]);
    }
    world
}

/// The state of a world in the coordinates of the reference.
pub fn state_of<T: Real>(reference: &Reference, world: &World<T>) -> State {
    let motion: Vec<_> = reference.links.iter().map(|l| world.motion(l.id)).collect();
    reference.state_of(world.time(), &motion)
}

/// The largest difference of the joints' rotations, rad.
pub fn apart(a: &State, b: &State) -> f64 {
    a.q.iter().zip(&b.q).map(|(a, b)| so3::log(*a * b.inverse()).length()).fold(0.0, f64::max)
}

/// Position of a body's tip, world metres.
pub fn tip<T: Real>(world: &World<T>, body: BodyId) -> DVec3 {
    let motion = world.motion(body);
    motion.joint + motion.orientation * local_tip(world.plant(), body)
}

/// The largest angular velocity of any body, rad/s.
pub fn unrest<T: Real>(world: &World<T>) -> f64 {
    world.plant().body_ids().map(|id| world.motion(id).angular_velocity.length()).fold(0.0, f64::max)
}

/// Steps under constant loads for at least `least` seconds, and until no body turns faster than `still`,
/// rad/s, for a whole second.
///
/// # Panics
/// If that takes more than ten minutes.
pub fn settle<T: Real>(world: &mut World<T>, dt: f64, loads: &[Load], still: f64, least: f64) {
    let mut calm = 0.0;
    while calm < 1.0 || world.time() < least {
        world.step(dt, &Actions { loads, grabs: &[], touches: &[], ..Actions::default() }).expect("a good step");
        calm = if unrest(world) < still { calm + dt } else { 0.0 };
        assert!(world.time() < 600.0, "still turning with {:e} rad/s", unrest(world));
    }
}

/// Displacement of a world along a mode about this state, by K-weighted projection, which leaves out all
/// other modes.
pub fn modal_coordinate(modes: &Modes, mode: usize, weights: &DMatrix<f64>, from: &State, now: &State) -> f64 {
    let n = from.q.len();
    let turns: Vec<DVec3> = (0..n).map(|i| so3::log(now.q[i] * from.q[i].inverse())).collect();
    let turns = DVector::from_iterator(3 * n, turns.iter().flat_map(DVec3::to_array));
    (modes.shapes.column(mode).transpose() * weights * turns)[(0, 0)] / modes.omega_squared[mode]
}

/// The stiffness matrices of the springs alone in a bent tree, J^-T K J^-1, parent-side joint axes: the
/// exact one, and the one in the implicit scheme, with a fraction of the torque that they carry.
pub fn springs_about(reference: &Reference, state: &State) -> [DMatrix<f64>; 2] {
    let n = reference.links.len();
    [0.0, LOADED].map(|share| {
        let mut matrix = DMatrix::zeros(3 * n, 3 * n);
        for (i, link) in reference.links.iter().enumerate() {
            let theta = state.angle(i);
            let j = so3::inverse_left_jacobian(theta);
            let carried = share * (link.stiffness * theta).length();
            let k = j.transpose() * DMat3::from_diagonal(link.stiffness + carried) * j;
            for row in 0..3 {
                for column in 0..3 {
                    matrix[(3 * i + row, 3 * i + column)] = k.col(column)[row];
                }
            }
        }
        matrix
    })
}

/// One vibration, exp(-decay t) cos(omega t).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Swing {
    /// Circular frequency, rad/s.
    pub omega: f64,
    /// Decay rate, 1/s.
    pub decay: f64,
}

impl Swing {
    /// Frequency, Hz.
    pub fn hertz(&self) -> f64 {
        self.omega / TAU
    }

    /// Damping ratio.
    pub fn zeta(&self) -> f64 {
        self.decay / self.decay.hypot(self.omega)
    }
}

/// Fits `y[n+1] = a y[n] + b y[n-1]` to samples of a single vibration (Prony's method, 1795) by least
/// squares.
pub fn fit(samples: &[f64], dt: f64) -> Swing {
    let (mut xx, mut xy, mut yy, mut xr, mut yr) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for s in samples.windows(3) {
        let (y, x, r) = (s[0], s[1], s[2]);
        (xx, xy, yy, xr, yr) = (xx + x * x, xy + x * y, yy + y * y, xr + x * r, yr + y * r);
    }
    let det = xx * yy - xy * xy;
    let (a, b) = ((xr * yy - yr * xy) / det, (yr * xx - xr * xy) / det);
    // z^2 = a z + b
    let z = (Complex::new(a * a / 4.0 + b, 0.0).sqrt() + a / 2.0).ln() / dt;
    Swing { omega: z.im.abs(), decay: -z.re }
}

/// A vibration in continuous time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// Circular frequency of all restoring forces, rad/s.
    pub omega: f64,
    /// That of the springs alone, rad/s: those are implicit, weight is not.
    pub spring_omega: f64,
    /// That of the springs as the scheme treats them implicitly, rad/s.
    pub implicit_omega: f64,
    /// Stiffness-proportional damping, C / K, s.
    pub beta: f64,
    /// Mass-proportional damping, 1/s.
    pub alpha: f64,
}

impl Law {
    /// A vibration of springs alone, undamped.
    pub fn spring(omega: f64) -> Self {
        Self { omega, spring_omega: omega, implicit_omega: omega, beta: 0.0, alpha: 0.0 }
    }

    /// The undamped vibration in this shape, by Rayleigh's quotients with the total stiffness, those of
    /// the springs alone ([`springs_about`]), and the mass matrix.
    pub fn of_shape(
        shape: &DVector<f64>,
        stiffness: &DMatrix<f64>,
        springs: &[DMatrix<f64>; 2],
        mass: &DMatrix<f64>,
    ) -> Self {
        let omega = |k: &DMatrix<f64>| (shape.dot(&(k * shape)) / shape.dot(&(mass * shape))).sqrt();
        let [spring_omega, implicit_omega] = [omega(&springs[0]), omega(&springs[1])];
        Self { spring_omega, implicit_omega, ..Self::spring(omega(stiffness)) }
    }

    /// The vibration in steps of `h` of the implicit scheme. With x'' the acceleration of the scheme:
    ///
    /// ```text
    /// m = (h omega)^2      s = (h spring_omega)^2      i = (h implicit_omega)^2
    /// d = h beta spring_omega^2      k = exp(-alpha h / 2)
    ///
    /// (1 + (gamma - epsilon) i + sigma d) h^2 x''[n] + epsilon s h^2 x''[n-1]
    ///     = -m x[n] - d k (x[n] - x[n-1])
    /// x[n+1] - x[n] = k^2 (x[n] - x[n-1]) + k h^2 x''[n]
    /// ```
    ///
    /// of which this is the root `x_n = z^n` next to exp(i omega h). `sigma` is 1/2 for weak damping.
    pub fn in_steps(&self, h: f64, sigma: f64) -> Swing {
        let [m, s, i] = [self.omega, self.spring_omega, self.implicit_omega].map(|omega| (h * omega).powi(2));
        let (d, k) = (h * self.beta * self.spring_omega.powi(2), (-0.5 * self.alpha * h).exp());
        let polynomial = |z: Complex<f64>| {
            let resistance = z * (1.0 + (GAMMA - EPSILON) * i + sigma * d) + EPSILON * s;
            resistance * (z - 1.0) * (z - k * k) / k + z * z * m + z * (z - 1.0) * (d * k)
        };
        let angle = 2.0 * (0.5 * (m / (1.0 + GAMMA * s)).sqrt()).min(1.0).asin();
        let mut z = Complex::new(-0.5 * h * (self.alpha + self.beta * self.spring_omega.powi(2)), angle).exp();
        for _ in 0..100 {
            let step = 1e-7;
            let slope = (polynomial(z + step) - polynomial(z - step)) / (2.0 * step);
            z -= polynomial(z) / slope;
        }
        assert!(polynomial(z).norm() < 1e-12, "no root");
        let s = z.ln() / h;
        Swing { omega: s.im.abs(), decay: -s.re }
    }
}

/// Prints one line of the tables in docs/validation.
pub fn row(what: &str, theory: f64, ours: f64) {
    println!("| {what} | {theory:.6} | {ours:.6} | {:+.4} % |", 100.0 * (ours / theory - 1.0));
}
