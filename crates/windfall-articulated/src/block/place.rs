//! Places of bodies: the address of a body, and from joint angles to places and velocities.

use windfall_core::glam::DVec3;
use windfall_solver::Base;

use super::rows::LANES;
use super::{Block, Free, Joint, JointState, Link, Motion, Motions, guard};
use crate::math::{Quat, Real, Vec3};

/// No body: see [`Place`].
pub(crate) const ON_BASE: u32 = u32::MAX;
/// The block of the top bodies.
pub(crate) const TOP: u32 = u32::MAX - 1;

/// The place of a simulated body, or of the carrier of one that is not simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// Block, [`TOP`], or [`ON_BASE`] for bodies that stand rigidly on the base of the tree `index`.
    pub block: u32,
    pub index: u32,
}

/// Extrapolation of velocities from the time of the joint velocities to the time of the pose.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ahead<T> {
    /// The time between them, s.
    pub seconds: T,
    /// Factor by which mass-proportional damping reduces a joint's velocity over that time.
    pub keep: T,
    /// Change of a joint's velocity per acceleration over that time, s.
    pub gain: T,
    /// Length of a step, s, for the guard; zero for none.
    pub step: T,
}

impl<T: Real> Ahead<T> {
    /// For velocities at the time of the pose.
    pub fn none() -> Self {
        Self { seconds: T::zero(), keep: T::one(), gain: T::zero(), step: T::zero() }
    }

    /// Over `seconds` seconds, with the Rayleigh alpha, in steps of length `step`.
    pub fn over(seconds: f64, alpha: f64, step: f64) -> Self {
        Self {
            seconds: T::of(seconds),
            keep: T::of((-seconds * alpha).exp()),
            gain: T::of(seconds * let_through(seconds * alpha)),
            step: T::of(step),
        }
    }
}

impl<T: Real> Motion<T> {
    /// Places a body on its parent.
    pub fn place(&mut self, parent: &Self, joint: &Joint<T>, state: &JointState<T>, ahead: &Ahead<T>) {
        let arm = parent.rotation() * joint.offset;
        self.arm = arm;
        self.position = parent.position + arm;
        self.orientation = (parent.orientation * joint.neutral * state.q).normalized();
        let w = self.rotation() * (state.w * ahead.keep + state.rate * ahead.gain);
        self.velocity = parent.velocity + parent.omega.cross(arm);
        self.omega = parent.omega + w;
        let (omega, w) = (guard::in_products(parent.omega, ahead.step), guard::in_products(w, ahead.step));
        self.coriolis = omega.cross(w);
        self.centripetal = omega.cross(omega.cross(arm));
        self.anchor = parent.anchor;
    }

    /// Places the root of a free piece.
    pub fn place_free(&mut self, free: &Free<T>, state: &JointState<T>, ahead: &Ahead<T>) {
        self.position = Vec3::zero();
        self.orientation = state.q.normalized();
        self.velocity = free.velocity + free.rate * ahead.seconds;
        self.omega = self.rotation() * (state.w + state.rate * ahead.seconds);
        self.anchor = free.anchor;
        self.coriolis = Vec3::zero();
        self.centripetal = Vec3::zero();
        self.arm = Vec3::zero();
    }
}

/// The velocity change by a constant force under mass-proportional damping, over that without damping:
/// `(1 - exp(-x)) / x`.
pub(crate) fn let_through(x: f64) -> f64 {
    if x > 0.0 { -(-x).exp_m1() / x } else { 1.0 }
}

/// Places all bodies of a block by their joints. `top` and `bases` are the parents outside the block.
pub(crate) fn place_block<T: Real>(block: &mut Block<T>, top: &Motions<T>, bases: &[Motion<T>], ahead: &Ahead<T>) {
    let mut fastest = T::zero();
    for i in 0..block.len() {
        if block.state.links[i] == Link::Removed {
            continue;
        }
        let state = block.state.joints.get(i);
        if block.plan.batches[i / LANES].is_derived {
            fastest = fastest.max(state.w.length_squared());
            continue;
        }
        let mut motion = block.state.motions.get(i);
        match block.parent_motion(i, top, bases) {
            Some(parent) => {
                motion.place(&parent, &block.joint(i), &state, ahead);
                if block.model.masses.is_leaf(i) && (motion.anchor as usize) < bases.len() {
                    motion.follow(&parent, &state);
                }
            }
            None => {
                if let Link::Free(free) = block.state.links[i] {
                    motion.place_free(&block.state.frees[free as usize], &state, ahead);
                }
            }
        }
        block.state.motions.set(i, motion);
        fastest = fastest.max(block.speed(i, &motion, &state));
    }
    block.state.fastest = fastest;
    block.state.ahead = *ahead;
}

/// The motion of a moving base, as a parent: accelerations of the beginning of the step, the rest of its end.
pub(crate) fn base_motion<T: Real>(tree: usize, now: &Base, next: &Base, gravity: DVec3) -> Motion<T> {
    let orientation = Quat::of(next.orientation);
    let (velocity, omega) = (Vec3::of(next.velocity), Vec3::of(next.angular_velocity));
    Motion {
        orientation,
        velocity,
        omega,
        alpha: Vec3::of(now.angular_acceleration),
        proper_acceleration: Vec3::of(now.acceleration - gravity),
        anchor: tree as u32,
        ..Motion::at_rest()
    }
}
