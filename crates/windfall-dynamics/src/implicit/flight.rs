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
//!
//! **Thin pieces.** About its own axis a stick of 1 m and 4 mm has a forty thousandth of the inertia that it has across. If its axis a is off by a thousandth of a radian, as it is after some steps, the L of Newton has a part
//! along a that belongs across it, and as a spin it would be 40 times as fast as the stick tumbles, with the energy of that. So the stick is turned first, until `a . L` is what the sweeps found. What is left after a large turn is left to them if its spin would have more energy than the tumbling, and so is all of `a . L` while it meets a tree or the ground, whose torques are large, and their errors, too.

use windfall_core::glam::{DQuat, DVec3};

use super::{Articulated, Step};
use crate::analytic::eigen;
use crate::math::{Real, Sym3, Vec3};
use crate::world::World;
use crate::world::layout::Place;
use crate::world::measure::Momentum;

/// Inertia about an axis over the largest one below which a piece is thin.
const THIN: f64 = 0.03;
/// Farthest that it is turned in a step, rad, and over what it tumbles by in that step: where L is rounding errors it has no direction.
const FARTHEST_TURN: f64 = 0.3;
const TURN_OVER_TUMBLE: f64 = 10.0;

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
    /// Acceleration of its point, when the angular acceleration of its body and the acceleration of its joint less gravity are known.
    pub fn acceleration(&self, alpha: Vec3<T>, felt: Vec3<T>) -> Vec3<T> {
        felt + alpha.cross(self.arm) + self.centripetal
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
    /// Pieces that meet trees.
    meeting: Vec<usize>,
}

/// Force and torque about the centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Push {
    pub force: DVec3,
    pub torque: DVec3,
    /// Whether a hand, the ground or a tree was part of it.
    pub meets: bool,
}

/// Remembers the momentum of all pieces, and what pulls at them.
pub(super) fn take_off<T: Real>(world: &World<T>, pulls: Vec<Pull<T>>) -> Flights<T> {
    let mut flights =
        Flights { before: world.piece_momenta(), arms: Vec::new(), pulls: Vec::new(), meeting: Vec::new() };
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
        world.all_blocks_of_pieces_mut().for_each(|block| pulls.append(&mut block.blown));
        for pull in pulls {
            self.add(world, pull);
        }
    }

    /// What a tree pushes a piece with.
    pub fn add_clash(&mut self, world: &World<T>, push: Pull<T>) {
        self.add(world, push);
        self.meeting.extend(self.arms.last().map(|(piece, _)| *piece));
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
    let mut after = world.piece_momenta();
    let mut held = vec![false; after.len()];
    for (pull, (piece, _)) in flights.pulls.iter().zip(&flights.arms) {
        held[*piece] |= pull.holds;
    }
    let mut wanted = Vec::with_capacity(pushes.len());
    let (mut has_turned, mut left_alone) = (false, Vec::new());
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
        if let (false, Some(Thin { axis, about, across })) = (held[i], thin_axis(after)) {
            let tumbles = newton.angular.length() * h / across;
            let meets = push.meets || old.meets;
            let farthest = if meets { 0.0 } else { FARTHEST_TURN.min(TURN_OVER_TUMBLE * tumbles) };
            let turn = turn_of_thin(axis, after.angular, newton.angular);
            let turned = turn.clamp_length_max(farthest);
            if turned != DVec3::ZERO {
                world.turn_piece(i, after, turned);
                has_turned = true;
            }
            if turned != turn {
                let thinness = if meets { 0.0 } else { about / across };
                left_alone.push((i, DQuat::from_scaled_axis(turned) * axis, thinness));
            }
        }
    }
    if has_turned {
        world.replace_pieces();
        after = world.piece_momenta();
    }
    for (i, axis, thinness) in left_alone {
        let missing = axis.dot(wanted[i].angular - after[i].angular);
        // As a spin it may have as much energy as the tumbling.
        if missing * missing > thinness * wanted[i].angular.length_squared() {
            wanted[i].angular -= axis * missing;
        }
    }
    world.restore_momenta(&after, &wanted);
}

/// A piece that has hardly any inertia about an axis, kg m².
struct Thin {
    axis: DVec3,
    about: f64,
    across: f64,
}

fn thin_axis(piece: &Momentum) -> Option<Thin> {
    let i = piece.inertia;
    let inertia =
        Sym3 { xx: i.x_axis.x, yy: i.y_axis.y, zz: i.z_axis.z, xy: i.y_axis.x, xz: i.z_axis.x, yz: i.z_axis.y };
    let (values, axes) = eigen(inertia);
    let values = [values.x, values.y, values.z];
    let thin = (0..3).min_by(|&a, &b| values[a].total_cmp(&values[b]))?;
    let most = values.into_iter().fold(0.0, f64::max);
    (values[thin] < THIN * most).then(|| Thin { axis: axes.column(thin).f64(), about: values[thin], across: most })
}

/// By how much a thin piece is to be turned until it has as much of the angular momentum `wanted` along its axis as it has `now`.
fn turn_of_thin(axis: DVec3, now: DVec3, wanted: DVec3) -> DVec3 {
    let across = wanted.cross(axis);
    let angle = libm::atan2(across.length(), wanted.dot(axis));
    let right = libm::acos((now.dot(axis) / wanted.length()).clamp(-1.0, 1.0));
    let turn = across.normalize_or_zero() * (right - angle);
    if turn.is_finite() { turn } else { DVec3::ZERO }
}

/// What the external forces of the step were, for every piece.
fn pushes<T: Real>(world: &World<T>, flights: &Flights<T>) -> Vec<Push> {
    let weight = |m: &Momentum| Push { force: m.mass * world.gravity, torque: DVec3::ZERO, meets: false };
    let mut pushes: Vec<Push> = flights.before.iter().map(weight).collect();
    for &piece in &flights.meeting {
        pushes[piece].meets = true;
    }
    for (pull, &(piece, joint)) in flights.pulls.iter().zip(&flights.arms) {
        let motion = world.motion_at(pull.place);
        let force = (pull.force - pull.resistance * pull.acceleration(motion.alpha, motion.felt)).f64();
        let torque = (pull.torque - pull.spin_resistance * motion.alpha).f64();
        pushes[piece].meets |= pull.holds;
        pushes[piece].force += force;
        pushes[piece].torque += torque + (joint + pull.arm.f64()).cross(force);
    }
    pushes
}
