//! `Implicit`: Featherstone's articulated-body algorithm for ball joints with springs, damping and drag,
//! which enter linearly implicitly, in leapfrog form. The default solver.
//!
//! One step per frame at any stiffness; hardly any numerical damping of motion that a frame resolves (see
//! below); the cost is two sweeps.
//!
//! # State
//!
//! Between steps there is the pose q at the time t and the joint velocity w at t - h/2. A step of length h is
//!
//! ```text
//! w += h q''(q, w)          (half as much in the first step, when w is still at t)
//! q  = q exp(h w)
//! ```
//!
//! # Up sweep
//!
//! For every body with all its descendants, about its joint, in world axes:
//! `[N; F] = [A B; B^T M] [alpha; a] + [n; f]`. N and F are torque and force that the parent must exert
//! through the joint, alpha is the angular acceleration of the body, and a the acceleration of its joint
//! less gravity. From the tips to the root:
//!
//! ```text
//! theta = log q,   J = J_r(theta)          (math::rotation)
//! t     = -J^-T (K theta + C J^-1 w)       K and C on the child's axes
//! Kh    = J^-T (gamma h^2 K + sigma h C) J^-1
//! D     = A + Kh
//! u     = t - n
//! q''   = D^-1 (u - A alpha_bar - B a)     alpha_bar = alpha_parent + omega_parent x w
//! the part for the parent, in forms without cancellation:
//! A1 = Kh D^-1 A        B1 = Kh D^-1 B        M1 = M - B^T D^-1 B
//! n1 = n + A D^-1 u + A1 (omega_parent x w) + B1 c2        c2 = omega_parent x (omega_parent x r)
//! f1 = f + B^T D^-1 u + B1^T (omega_parent x w) + M1 c2
//! ```
//!
//! and these are shifted by r, from the parent's joint to this one. A drag force with the derivative
//! `G = -dF/dv` at the point p adds `sigma h G` to the mass at p, and `h/2 G` times the last acceleration
//! of p to the force, which is given for the velocity at the time of the pose. A grab with the stiffness
//! k and the damping c adds `gamma h^2 k + sigma h c`. A grab stronger than a step can resolve would
//! oscillate from step to step, so it also has the damping `s h k`, s = z / (1 + z), z = h^2 k / m:
//! negligible for a weak grab, critical for a strong one.
//!
//! # Leaves
//!
//! Three of four bodies are leaves, and in their own axes everything but springs and drag is diagonal. So
//! of both only a diagonal bound is taken implicitly, the row sums of `J^-T (...) J^-1` and of G
//! (Gershgorin): D is diagonal, and the parent's part needs no linear solve (`wide/leaf`). The implicit
//! share of K is of second order in h, and drag acts on the velocity change of an acceleration, so a
//! bound costs no order. For damping it would, see below. The last accelerations of a leaf, by which
//! velocities are taken back to the time of w, are `alpha = alpha_parent + omega_parent x w + R q''` and
//! `a = a_parent + alpha_parent x r + c2` at the new pose with the alpha and a of the last step. w is
//! kept in the axes of the leaf, which may turn by a radian in a step, so this is exact. (At the old pose
//! they are the same to first order, which is sufficient.)
//!
//! Damping: with `S = J^-T sigma h C J^-1` and its share s of the bound b, a leaf has
//! `b q'' + (S - s b) q''_last` instead of `S q''`.
//!
//! # Why it is stable
//!
//! For a linear mode of frequency omega the step is
//! `2 sin(Omega h / 2) = h omega / sqrt(1 + gamma h^2 omega^2)`: a real Omega for any omega as long as
//! gamma > 1/4, hence neither growth nor decay. A share epsilon of gamma acts on the q'' of the previous
//! step, `Kh = (gamma - epsilon) h^2 (K + |K theta| / 2)` and `-epsilon h^2 K q''_last` in t: modes that
//! a step can't resolve decay, and the others lose `epsilon (h omega)^4 / 2` per step.
//!
//! Weight is explicit. Towards the eigenvalue -1, where stiff modes lie, the step is stable as long as
//! `4 M + (4 (gamma - 2 epsilon) - 1) h^2 K - h^2 G` is positive definite, G the stiffness of the weight.
//! Hanging parts in tension need gamma - 2 epsilon well above 1/4 (0.3: gamma = 0.34, epsilon = 0.02). In
//! parts that sag far, G is as large as K, and larger than the stiffness in twist; it is of the size of
//! the torques K theta that carry it, so half of that (`LOADED`) is added to K in Kh, about all axes.
//! Without both, a horizontal rod of 1 m, 1 cm and 1 GPa and leafy trees of 100 MPa grew without bound.
//!
//! `sigma = 1/2 + z/12 / (1 + z/6)` with z = h C / (A + gamma h^2 K): 1/2 (the midpoint rule, second
//! order) for weak damping and 1 (no oscillation from step to step) for strong. The fit agrees with
//! `1/(1 - exp(-z)) - 1/z`, for which pure damping is exact, to 0.02.
//!
//! # Steps of different length
//!
//! The kick is the mean of this step h and the last one h', and `gamma h^2` is `gamma h h'` everywhere. A
//! stiff mode is then kicked by `(1/h + 1/h') / (2 gamma)`, which is half a step of length h' and half a
//! step of length h, each of them stable. The energy that it gains from the change between two stable
//! maps is removed by a damping `eta max(h, h') K`, eta = 2 x^2 / (0.3 + x), x = |log(h / h')|: zero in
//! equal steps, and enough for any sequence between the limits.
//!
//! # Velocity products
//!
//! Gyroscopic and centrifugal terms are explicit. They are taken at the time of the pose, `w + h/2 q''`
//! with the last q'', which makes the scheme second order. Above |omega| h = 1/2 they would add energy,
//! so the guard limits them there (`block/guard.rs`); it has no effect below.
//!
//! # Mass-proportional damping
//!
//! A Rayleigh alpha is `q'' = -alpha q'` exactly, in any coordinates:
//! `w = exp(-alpha h) w + (1 - exp(-alpha h)) / alpha q''`, with h / 2 in the first step, which kicks
//! half as much. It acts on the motion relative to the base of the tree, or in a free piece relative to
//! its mean motion, so that falling is not slowed down.
//!
//! # Free pieces
//!
//! The total momentum of a free piece follows Newton's laws exactly (`step/implicit/piece_momentum.rs`).
//!
//! # Departures from the textbook
//!
//! - K is limited to the value beyond which the precision can't distinguish it from a rigid joint:
//!   `gamma h^2 K <= cap tr(A)` with cap = 0.1 / epsilon. An infinite K is a rigid joint. The added
//!   deflection is below 1e-6 rad under a thousand times gravity.
//! - Within one joint no axis is more than `epsilon^-0.3` (120 in f32) times as stiff as another, as far
//!   as a step can resolve: `gamma h^2 K + h C <= epsilon^-0.3 (tr(A) + the least of the three)`. A rigid
//!   axis beside a free one yields by 1e-5 rad under its weight.
//! - A body lighter than `sqrt(epsilon)` of the resistance that air or a load gives it (a leaf without
//!   mass in a breeze) has that much mass, without weight: a smaller one would be lost in f32
//!   (`step/implicit/actions.rs`).
//! - Where rounding makes an articulated inertia negative or larger than that of the body (f32, masses of
//!   1e-20 kg beside kilograms), the joint is rigid for that step.
//! - Beyond half a turn a spring pulls the short way round (theta = log q). From 2.5 rad on its torque
//!   falls to zero at half a turn (`math/rotation.rs`), so that its energy has no edge there.

pub(crate) mod sweep;
pub(crate) mod tension;

use crate::block::place::Ahead;
use crate::block::vectors::Vectors;
use crate::math::{Family, Real, Vec3};

/// See the head of the module.
pub const GAMMA: f64 = 0.34;
/// See the head of the module.
pub const EPSILON: f64 = 0.02;
/// See the head of the module.
pub const LOADED: f64 = 0.5;

/// Values that all bodies share in one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step<T> {
    /// Length, s.
    pub h: T,
    /// Change of velocity per acceleration, s: `h`, or half of it in the first step.
    pub kick: T,
    /// One over it, 1/s.
    pub per_kick: T,
    /// Age of the joint velocities relative to the pose, s.
    pub age: T,
    /// h times the length of the step before, s².
    pub square: T,
    /// (gamma - epsilon) times that; zero makes the scheme explicit.
    pub spring: T,
    /// epsilon times that, s².
    pub lag: T,
    /// Damping over stiffness that a change of the step length needs, s.
    pub settle: T,
    /// Whether all terms are explicit, and positions move with the velocity of the beginning of the step
    /// (forward Euler).
    pub forward_euler: bool,
    /// Factors of mass-proportional damping: of a velocity over half a kick, and of a force over a whole
    /// one.
    pub keep: T,
    pub let_through: T,
    /// The largest stiffness and damping over the inertia they act on, 1/s² and 1/s: see the head of the
    /// module.
    pub stiffest: T,
    pub most_damped: T,
    /// Largest ratio of the stiffnesses of two axes of a joint.
    pub mixed: T,
    /// The largest angular velocity in velocity products, rad/s, and the largest angular acceleration of
    /// a joint, rad/s² (`block/guard.rs`).
    pub fastest_in_products: T,
    pub largest_rate: T,
    /// As `keep` and `let_through`, from the time of the new velocity to that of the new pose.
    pub keep_ahead: T,
    pub let_through_ahead: T,
    /// Whether eight bodies are processed at a time.
    pub vectors: Vectors,
    /// Whether the world is larger than the caches.
    pub is_far: bool,
    /// Number of trees; free pieces are numbered from here on.
    pub trees: usize,
    /// Trees and pieces from this number on move in this step: 0, or only pieces (`step/implicit/pieces.rs`).
    pub from: usize,
    /// Whether the step only finds accelerations, and nothing moves.
    pub is_trial: bool,
    /// Gravity, m/s².
    pub gravity: Vec3<T>,
}

/// Steps in either precision.
pub(crate) struct AnyStep;

impl Family for AnyStep {
    type Of<T: Real> = Step<T>;
}

impl<T: Real> Step<T> {
    /// Whether the bodies of a tree or piece move in this step.
    pub fn moves(&self, anchor: u32) -> bool {
        anchor as usize >= self.from
    }

    /// The weight sigma h of a damping h C beside an inertia: z is their ratio.
    pub fn damping_weight(&self, damping: T, inertia: T) -> T {
        if self.forward_euler {
            return T::zero();
        }
        let excess = damping / (damping + inertia * T::of(6.0)) * T::of(0.5);
        // An infinite damping has the full weight; zero damping of zero inertia has none.
        self.kick * (T::of(0.5) + if excess.is_finite() { excess } else { T::of(0.5) })
    }
}

impl<T: Real> Step<T> {
    /// From the time of w to the time of the pose.
    pub fn ahead(&self) -> Ahead<T> {
        if self.forward_euler {
            Ahead::none()
        } else if self.is_trial {
            Ahead { step: self.h, ..Ahead::none() }
        } else {
            let seconds = self.h * T::of(0.5);
            Ahead { seconds, keep: self.keep_ahead, gain: seconds * self.let_through_ahead, step: self.h }
        }
    }
}
