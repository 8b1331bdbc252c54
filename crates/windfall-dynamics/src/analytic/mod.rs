//! `Analytic`: the method of quigley2017, sections 3 to 5. Each joint swings the body that hangs on it, as if it
//! were rigid, for one step in closed form.
//!
//! Stable at any stiffness with one step per frame, and made for tuned, art-directed motion: its static shapes are right, its
//! frequencies are not (see below).
//!
//! # The step
//!
//! 1. External forces: gravity, loads, drag.
//! 2. Composite bodies from the tips to the roots, (1) to (4).
//! 3. Springs: of every joint `I theta'' + (alpha I + beta K) theta' + K theta = tau + tau_fict` (5), exactly.
//! 4. Places, velocities and accelerations from the roots to the tips, (7) to (12).
//!
//! # The eigenproblem
//!
//! K is diagonal and I~, the composite's inertia about the joint, is not. With D = K^(-1/2) and the eigenvectors
//! `D I~ D = Q diag(mu) Q^T`, y = Q^T D^-1 theta obeys three independent equations,
//!
//! ```text
//! mu y'' + (alpha mu + beta + g) y' + (1 + k) y = Q^T D tau + g y'_n + k y_n
//! ```
//!
//! where g and k are the diagonals of the derivatives of drag and of external forces in these coordinates. Nothing overflows for stiff joints: K to infinity is mu to 0.
//! The paper factors I~ = L L^T and takes the eigenvectors of L^-1 K L^-T instead; the solution is the same.
//!
//! # Fictitious forces
//!
//! (20) of the paper, with a multiplier for each term ([`crate::params::Fictitious`]):
//!
//! ```text
//! tau_fict = - m p x a_j - I~ (alpha_p + omega_p x omega_c) - omega_c x I~ omega_c
//! ```
//!
//! The accelerations of the parent are split into what comes from the motion of the base (multiplier `root`, default 1) and the rest
//! (`linear` and `angular`, default 0).
//!
//! # What to expect
//!
//! On a chain of n joints the tip swings faster than the true chain, the more so the larger n: every joint swings its
//! own frozen composite, whatever the others do. With all fictitious forces on, neighbouring joints drive each other and the
//! motion grows. Both belong to the method. Hence the default above.
//!
//! # Departures from the paper
//!
//! - All terms of a composite are taken about the joint of its body, not about its own centre of mass: fewer
//!   operations and no cancellation in f32.
//! - Inertia and torque are turned to the child's axes, in which K is diagonal, not to the parent's: the rotation vector is the same in
//!   both, and with unequal stiffnesses the parent's axes feed energy in at large angles.
//! - The torque in (5) is the one that works on the rotation vector, `J_r^T tau`, so that large static angles are right too.
//! - alpha is a parameter; the paper sets it to 0.
//! - Forces have their derivative too where they pull back (a fruit that hangs, a twig that is pushed along itself): held constant over a step
//!   they would feed a pendulum with `(h omega)^2 / 4` of its energy, and a fruit on a short stalk would soon turn over.
//! - Drag has its derivative (g above), without which a light leaf in the wind is unstable; more of it where many joints in a row
//!   feel it (`crowd.rs`).
//! - A hand is solved together with the joints that it moves (`hand.rs`), so that it is stable at any strength.
//! - Pieces that fly, of which the paper knows nothing, move by the sweeps of [`crate::implicit`]: how the ground or a hand turns a piece as a whole is not for single joints to say.
//! - As in the paper the joint's velocity is theta', which is exact for turning about one axis only.
//! - Past half a turn a spring pulls the short way round.

mod composite;
mod crowd;
mod eigen;
mod fictitious;
mod forces;
mod hand;
mod joint;
pub mod oscillator;
mod springs;
mod touch;
mod update;

pub use eigen::eigen;
use windfall_core::glam::DVec3;
use windfall_core::{Actions, BodyId};

use self::composite::{Composite, Frame};
use self::crowd::Crowd;
use crate::implicit;
use crate::math::{Real, Vec3};
use crate::params::Fictitious;
use crate::world::World;
use crate::world::block::Motion;
use crate::world::place::Contact;

/// What one joint keeps within a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work<T> {
    /// The composite body; zero between the steps.
    pub composite: Composite<T>,
    /// Torque about the joint over the step, world axes, N m: external and fictitious.
    pub torque: Vec3<T>,
    /// Joints that drag moves, from this one to the root and from this one to the tip, itself included in both.
    pub inward: Crowd<T>,
    pub outward: Crowd<T>,
}

impl<T: Real> Work<T> {
    pub fn zero() -> Self {
        Self { composite: Composite::zero(), torque: Vec3::zero(), inward: Crowd::none(), outward: Crowd::none() }
    }
}

/// What is the same for all bodies in one step.
#[derive(Debug, Clone)]
pub(crate) struct Step<T> {
    /// Length, s.
    pub h: T,
    /// Rayleigh alpha, 1/s.
    pub alpha: T,
    pub gravity: Vec3<T>,
    pub fictitious: Fictitious,
    /// For every tree.
    pub frames: Vec<Frame<T>>,
}

impl<T: Real> Step<T> {
    /// Whether a body stands on a tree. Pieces move by the sweeps.
    pub fn moves(&self, motion: &Motion<T>) -> bool {
        (motion.anchor as usize) < self.frames.len()
    }

    /// The simulated body of a tree that carries a point of a body.
    pub fn contact(&self, world: &World<T>, body: BodyId, point: DVec3) -> Option<Contact<T>> {
        world.contact(body, point).filter(|contact| self.moves(&world.motion_at(contact.place)))
    }
}

/// One step.
pub(crate) fn step<T: Real>(world: &mut World<T>, dt: f64, actions: &Actions<'_>) {
    world.move_bases();
    let step = begin(world, dt);
    forces::add(world, &step, actions.loads);
    forces::blow(world, &step, dt);
    springs::sweep_up(world, &step);
    springs::crowd(world);
    fictitious::add(world, &step);
    hand::pull(world, &step, actions.grabs);
    let mut met = None;
    let flying = (!world.pieces.is_empty()).then(|| {
        implicit::lift_pieces(world, dt, actions, |world, sweeps| {
            met = Some(touch::meet(world, &step, actions.touches, Some(sweeps)));
        })
    });
    let met = met.unwrap_or_else(|| touch::meet(world, &step, actions.touches, None));
    touch::act(world, &step, met);
    springs::advance(world, &step);
    update::place(world, &step);
    world.end_step(dt);
    if let Some(flying) = flying {
        implicit::land_pieces(world, &flying);
    }
}

fn begin<T: Real>(world: &World<T>, dt: f64) -> Step<T> {
    Step {
        h: T::of(dt),
        alpha: T::of(world.params().mass_damping),
        gravity: Vec3::of(world.gravity),
        fictitious: world.params().fictitious,
        frames: world.base_motions.iter().map(|base| Frame::of_base(base, world.gravity)).collect(),
    }
}
