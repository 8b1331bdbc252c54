//! Pieces that fly keep the momentum that Newton demands.
//!
//! The sweeps move a piece in its joints' coordinates, in which the momentum of a swaying piece is right to second order only:
//! at frame rate it would fly metres beside its parabola. External forces alone change it,
//!
//! ```text
//! P(t + h/2) = P(t - h/2) + h F        x_c(t + h) = x_c(t) + h P(t + h/2) / m        L(t + h/2) = L(t - h/2) + h T
//! ```
//!
//! so after the sweeps the root of the piece is moved and turned until centre, P and L are these. What that changes is of third order in h.
//!
//! L is left alone while a hand or the ground holds the piece: its torque changes L as it likes, and the small errors of a torque that is large
//! would spin a thin branch about its own axis, faster and faster.

use windfall_core::glam::DVec3;

use super::{Articulated, Step};
use crate::math::{Real, Sym3, Vec3};
use crate::world::World;
use crate::world::block::Motion;
use crate::world::layout::Place;
use crate::world::measure::Momentum;

/// A load, a hand or a touch, as the sweeps took it: the force is `force - resistance a`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pull<T> {
    pub place: Place,
    /// From the joint of the body, world axes, m.
    pub arm: Vec3<T>,
    pub force: Vec3<T>,
    pub resistance: Sym3<T>,
    /// The part of the point's acceleration that does not come from the body's alpha and felt.
    pub centripetal: Vec3<T>,
    pub torque: Vec3<T>,
    pub spin_resistance: Sym3<T>,
    /// Whether it holds the body fast: a hand, or the ground.
    pub holds: bool,
}

impl<T: Real> Pull<T> {
    /// Acceleration of its point, when that of its body is known.
    pub fn acceleration(&self, motion: &Motion<T>) -> Vec3<T> {
        motion.felt + motion.alpha.cross(self.arm) + self.centripetal
    }

    /// Puts it onto the body that carries it.
    pub fn add_to(&self, body: &mut Articulated<T>) {
        body.add_at(self.arm, self.resistance, self.force, self.centripetal);
        body.torque -= self.torque;
        body.inertia += self.spin_resistance;
    }
}

/// The pieces at the beginning of a step.
pub(super) struct Flights<T> {
    before: Vec<Momentum>,
    /// Of every pull: the joint of its body, from the centre of its piece, m; and which piece.
    arms: Vec<(usize, DVec3)>,
    pulls: Vec<Pull<T>>,
}

/// Force and torque about the centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Push {
    pub force: DVec3,
    pub torque: DVec3,
}

/// Remembers the momentum of all pieces, and what pulls at them.
pub(super) fn take_off<T: Real>(world: &World<T>, pulls: Vec<Pull<T>>) -> Flights<T> {
    let mut flights = Flights { before: world.piece_momenta(), arms: Vec::new(), pulls: Vec::new() };
    for pull in pulls {
        flights.add(world, pull);
    }
    flights
}

impl<T: Real> Flights<T> {
    /// What the wind does, too.
    pub fn add_blown(&mut self, world: &mut World<T>) {
        if world.pieces.is_empty() {
            return;
        }
        let mut pulls = Vec::new();
        world.all_blocks_mut().for_each(|block| pulls.append(&mut block.blown));
        pulls.into_iter().for_each(|pull| self.add(world, pull));
    }

    /// What pulls, too.
    pub fn add(&mut self, world: &World<T>, pull: Pull<T>) {
        let motion = world.motion_at(pull.place);
        let piece = motion.anchor as usize - world.bases.len();
        let joint = world.anchor_position(motion.anchor) + motion.position.f64();
        self.arms.push((piece, joint - self.before[piece].center));
        self.pulls.push(pull);
    }
}

/// Gives every piece its centre and momentum, after the sweeps and the end of the step. `last` is the length of the step before, s.
pub(super) fn land<T: Real>(world: &mut World<T>, step: &Step<T>, flights: &Flights<T>, last: f64) {
    if flights.before.is_empty() {
        return;
    }
    let pushes = pushes(world, flights);
    let (h, kick) = (step.h.f64(), step.kick.f64());
    let after = world.piece_momenta();
    let mut held = vec![false; after.len()];
    for (pull, (piece, _)) in flights.pulls.iter().zip(&flights.arms) {
        held[*piece] |= pull.holds;
    }
    let mut wanted = Vec::with_capacity(pushes.len());
    for (i, (before, after)) in flights.before.iter().zip(&after).enumerate() {
        let push = pushes[i];
        let old = world.edit_free(world.pieces[i], |_, free| free.push.replace(push).unwrap_or(push));
        let middle = |now: DVec3, old: DVec3, push: DVec3| now - old * (0.5 * last) + push * kick;
        let linear = middle(before.linear, old.force, push.force);
        let angular = middle(before.angular, old.torque, push.torque);
        let center = before.center + linear * (h / before.mass);
        // As `motion` gives them at the time of the pose: half a step on.
        let newton = Momentum {
            center,
            linear: linear + push.force * (0.5 * h),
            angular: angular + push.torque * (0.5 * h),
            ..*before
        };
        // A hand or the ground turns a piece by much more in a step than the sweeps are off: its turning is left to them.
        wanted.push(if held[i] { Momentum { angular: after.angular, ..newton } } else { newton });
    }
    world.restore_momenta(&after, &wanted);
}

/// What the external forces of the step were, for every piece.
fn pushes<T: Real>(world: &World<T>, flights: &Flights<T>) -> Vec<Push> {
    let weight = |m: &Momentum| Push { force: m.mass * world.gravity, torque: DVec3::ZERO };
    let mut pushes: Vec<Push> = flights.before.iter().map(weight).collect();
    for (pull, &(piece, joint)) in flights.pulls.iter().zip(&flights.arms) {
        let motion = world.motion_at(pull.place);
        let force = (pull.force - pull.resistance * pull.acceleration(&motion)).f64();
        let torque = (pull.torque - pull.spin_resistance * motion.alpha).f64();
        pushes[piece].force += force;
        pushes[piece].torque += torque + (joint + pull.arm.f64()).cross(force);
    }
    pushes
}
