//! `Analytic`: the method of quigley2017, sections 3 to 5. Each joint moves its composite body, taken as
//! rigid, for one step in closed form.
//!
//! Stable at any stiffness with one step per frame, and made for tuned, art-directed motion: its static
//! shapes are right, its frequencies are not (see below).
//!
//! # The step
//!
//! 1. External forces: gravity, loads, drag.
//! 2. Composite bodies from the tips to the roots, (1) to (4).
//! 3. Springs: of every joint `I theta'' + (alpha I + beta K) theta' + K theta = tau + tau_fict` (5),
//!    exactly.
//! 4. Places, velocities and accelerations from the roots to the tips, (7) to (12).
//!
//! # The eigenproblem
//!
//! K is diagonal and I~, the composite's inertia about the joint, is not. With D = K^(-1/2) and the
//! eigenvectors `D I~ D = Q diag(mu) Q^T`, y = Q^T D^-1 theta obeys three independent equations,
//!
//! ```text
//! mu y'' + (alpha mu + beta + g) y' + (1 + k) y = Q^T D tau + g y'_n + k y_n
//! ```
//!
//! where g and k are the diagonals of the derivatives of drag and of external forces in these
//! coordinates. Nothing overflows for stiff joints: K to infinity is mu to 0. The paper factors
//! `I~ = L L^T` and takes the eigenvectors of `L^-1 K L^-T` instead; the solution is the same.
//!
//! # Fictitious forces
//!
//! (20) of the paper, with a multiplier for each term ([`windfall_solver::params::Fictitious`]):
//!
//! ```text
//! tau_fict = - m p x a_j - I~ (alpha_p + omega_p x omega_c) - omega_c x I~ omega_c
//! ```
//!
//! The accelerations of the parent are split into the part that comes from the motion of the base
//! (multiplier `root`, default 1) and the rest (`linear` and `angular`, default 0).
//!
//! # Properties of the method
//!
//! On a chain of n joints the tip swings faster than the true chain, the more so the larger n: every
//! joint moves its own frozen composite, independently of the others. With all fictitious forces on,
//! neighbouring joints drive each other and the motion grows. Both are properties of the method. Hence
//! the default above.
//!
//! # Departures from the paper
//!
//! - All terms of a composite are taken about the joint of its body, not about its own centre of mass:
//!   fewer operations and no cancellation in f32.
//! - Inertia and torque are turned to the child's axes, in which K is diagonal, not to the parent's: the
//!   rotation vector is the same in both, and with unequal stiffnesses the parent's axes add energy at
//!   large angles.
//! - The torque in (5) is the one that works on the rotation vector, `J_r^T tau`, so that large static
//!   angles are right too.
//! - alpha is a parameter; the paper sets it to 0.
//! - Forces also enter with their derivative where they restore (a fruit that hangs, a twig that is
//!   pushed along itself): held constant over a step they would add `(h omega)^2 / 4` of its energy to a
//!   pendulum, and a fruit on a short stalk would soon turn over.
//! - Drag has its derivative (g above), without which a light leaf in the wind is unstable; a larger one
//!   where drag acts through many joints in a row (`drag_share.rs`).
//! - A grab is solved together with the joints that it moves (`step/analytic/hand.rs`), so that it is
//!   stable at any strength.
//! - Free pieces, which the paper does not treat, move by the sweeps of [`crate::implicit`]: single
//!   joints can't describe how the ground or a grab turns a piece as a whole.
//! - As in the paper the joint's velocity is theta', which is exact for rotation about one axis only.
//! - Beyond half a turn a spring pulls the short way round.

pub(crate) mod drag_share;
mod eigen;
mod fictitious;
pub(crate) mod frame;
pub(crate) mod joint;
pub mod oscillator;
mod springs;
pub(crate) mod sweep;
mod update;

pub use eigen::eigen;
pub(crate) use frame::Frame;
pub(crate) use springs::LARGEST_ANGLE;
use windfall_solver::params::Fictitious;

use crate::block::bytes::held;
use crate::block::drag_share::DragShare;
use crate::block::place::Place;
use crate::block::vectors::Vectors;
use crate::math::{Family, Real, Vec3};

/// Memory that every step uses again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch<T> {
    pub frames: Vec<Frame<T>>,
    /// The joints between a grab and the root, each with the drag share of those below it.
    pub path: Vec<(Place, DragShare<T>)>,
}

impl<T> Scratch<T> {
    /// Memory of its arrays.
    pub fn bytes(&self) -> usize {
        held(&self.frames) + held(&self.path)
    }
}

/// Values that all bodies share in one step.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Step<T> {
    /// Length, s.
    pub h: T,
    /// Rayleigh alpha, 1/s.
    pub alpha: T,
    /// The largest angular acceleration of a joint, rad/s².
    pub largest_rate: T,
    pub gravity: Vec3<T>,
    pub fictitious: Fictitious,
    /// For every tree.
    pub frames: Vec<Frame<T>>,
    /// Whether one of them moves.
    pub is_moved: bool,
    pub is_windy: bool,
    /// Whether loads other than weight act before the sweep up.
    pub is_forced: bool,
    /// Whether eight bodies are processed at a time.
    pub vectors: Vectors,
    /// Whether the world is larger than the caches.
    pub is_far: bool,
}

/// Steps in either precision.
pub(crate) struct AnyStep;

impl Family for AnyStep {
    type Of<T: Real> = Step<T>;
}

impl<T: Real> Step<T> {
    /// Without the frames.
    pub fn key(&self) -> Self {
        Self { frames: Vec::new(), ..*self }
    }

    /// Whether the next step can be the same as this one, for all that is known now: nothing but wind and
    /// weight acts, the ground stands still, and joints don't drive each other.
    pub fn may_go_on(&self) -> bool {
        self.is_forced == self.is_windy && !self.is_moved && !self.fictitious.drives()
    }

    /// Whether this is a tree. Pieces move by the implicit sweeps.
    pub fn moves(&self, anchor: u32) -> bool {
        (anchor as usize) < self.frames.len()
    }
}
