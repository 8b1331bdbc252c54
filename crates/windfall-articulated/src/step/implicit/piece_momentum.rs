//! Momentum of free pieces: linear and angular momentum follow Newton's laws.
//!
//! The sweeps move a piece in joint coordinates, in which the momentum of a swaying piece is right to
//! second order only: at frame rate the piece would end up metres beside its parabola. External forces
//! alone change it,
//!
//! ```text
//! P(t + h/2) = P(t - h/2) + h F     x_c(t + h) = x_c(t) + h P(t + h/2) / m     L(t + h/2) = L(t - h/2) + h T
//! ```
//!
//! so after the sweeps the root of the piece is moved and turned until centre, P and L have these values.
//! This correction is of third order in h.
//!
//! L is not corrected while a grab or the ground holds the piece: their torque changes L freely, and the
//! small errors of a large torque would spin a thin branch about its own axis, faster and faster.
//!
//! **Thin pieces.** A stick of 1 m and 4 mm has a forty thousandth of its transverse inertia about its
//! own axis. If its axis a is off by a thousandth of a radian, as it is after some steps, the L of Newton
//! has a part along a that belongs across it, and as a spin this part would be 40 times as fast as the
//! tumbling of the stick, with the energy of that. So the stick is turned first, until `a . L` has the
//! value that the sweeps found. The difference that remains after a large turn is left as the sweeps
//! found it if its spin would have more energy than the tumbling. All of `a . L` is left to them while
//! the piece meets a tree or the ground, whose torques are large, and so are their errors.

use windfall_core::glam::{DQuat, DVec3};

use crate::analytic::eigen;
use crate::block::pull::{Pull, Push};
use crate::implicit::Step;
use crate::math::{Real, Sym3};
use crate::world::World;
use crate::world::measure::Momentum;

/// Ratio of an inertia to the largest one below which a piece is thin.
const THIN: f64 = 0.03;
/// Largest turn of a thin piece in a step, rad, and as a multiple of its tumbling in that step: where L
/// consists of rounding errors it has no direction.
const FARTHEST_TURN: f64 = 0.3;
const TURN_OVER_TUMBLE: f64 = 10.0;

/// The pieces at the beginning of a step.
pub(super) struct PieceMomenta<T> {
    before: Vec<Momentum>,
    /// For every force: the joint of its body from the centre of its piece, m, and the number of the
    /// piece.
    arms: Vec<(usize, DVec3)>,
    pulls: Vec<Pull<T>>,
    /// Pieces in contact with trees.
    meeting: Vec<usize>,
}

/// Notes the momentum of all pieces, and the forces on them.
pub(super) fn record<T: Real>(world: &World<T>, pulls: Vec<Pull<T>>) -> PieceMomenta<T> {
    let mut momenta =
        PieceMomenta { before: world.piece_momenta(), arms: Vec::new(), pulls: Vec::new(), meeting: Vec::new() };
    for pull in pulls {
        momenta.add(world, pull);
    }
    momenta
}

impl<T: Real> PieceMomenta<T> {
    /// Adds the air loads.
    pub fn add_air(&mut self, world: &mut World<T>) {
        if world.pieces.is_empty() {
            return;
        }
        let mut pulls = Vec::new();
        world.all_blocks_of_pieces_mut().for_each(|block| pulls.append(&mut block.scratch.air_on_pieces));
        for pull in pulls {
            self.add(world, pull);
        }
    }

    /// Adds the force of a tree on a piece.
    pub fn add_contact(&mut self, world: &World<T>, push: Pull<T>) {
        self.add(world, push);
        self.meeting.extend(self.arms.last().map(|(piece, _)| *piece));
    }

    /// Adds the other forces.
    pub fn add(&mut self, world: &World<T>, pull: Pull<T>) {
        let motion = world.motion_at(pull.place);
        let piece = motion.anchor as usize - world.bases.len();
        let joint = world.anchor_position(motion.anchor) + motion.position.f64();
        self.arms.push((piece, joint - self.before[piece].center));
        self.pulls.push(pull);
    }
}

/// Corrects centre and momentum of every piece, after the sweeps and the end of the step. `last` is the
/// length of the previous step, s.
pub(super) fn correct<T: Real>(world: &mut World<T>, step: &Step<T>, momenta: &PieceMomenta<T>, last: f64) {
    if momenta.before.is_empty() {
        return;
    }
    let pushes = pushes(world, momenta);
    let (h, kick) = (step.h.f64(), step.kick.f64());
    let mut after = world.piece_momenta();
    let mut held = vec![false; after.len()];
    for (pull, (piece, _)) in momenta.pulls.iter().zip(&momenta.arms) {
        held[*piece] |= pull.holds;
    }
    let mut wanted = Vec::with_capacity(pushes.len());
    let (mut has_turned, mut left_alone) = (false, Vec::new());
    for (i, (before, after)) in momenta.before.iter().zip(&after).enumerate() {
        let push = pushes[i];
        let old = world.edit_free(world.pieces[i], |_, free| free.push.replace(push).unwrap_or(push));
        let middle = |now: DVec3, old: DVec3, push: DVec3| now - old * (0.5 * last) + push * kick;
        let linear = middle(before.linear, old.force, push.force);
        let angular = middle(before.angular, old.torque, push.torque);
        let center = before.center + linear * (h / before.mass);
        // As `motion` gives them at the time of the pose: half a step later.
        let newton = Momentum {
            center,
            linear: linear + push.force * (0.5 * h),
            angular: angular + push.torque * (0.5 * h),
            ..*before
        };
        // A grab or the ground turns a piece in one step by far more than the error of the sweeps: its
        // rotation is left to the sweeps.
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
        // As a spin it may have at most the energy of the tumbling.
        if missing * missing > thinness * wanted[i].angular.length_squared() {
            wanted[i].angular -= axis * missing;
        }
    }
    world.restore_momenta(&after, &wanted);
}

/// A piece with hardly any inertia about one axis, kg m².
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

/// The rotation of a thin piece after which the angular momentum `wanted` has the component along its
/// axis that `now` has.
fn turn_of_thin(axis: DVec3, now: DVec3, wanted: DVec3) -> DVec3 {
    let across = wanted.cross(axis);
    let angle = libm::atan2(across.length(), wanted.dot(axis));
    let right = libm::acos((now.dot(axis) / wanted.length()).clamp(-1.0, 1.0));
    let turn = across.normalize_or_zero() * (right - angle);
    if turn.is_finite() { turn } else { DVec3::ZERO }
}

/// The external forces of the step, for every piece.
fn pushes<T: Real>(world: &World<T>, momenta: &PieceMomenta<T>) -> Vec<Push> {
    let weight = |m: &Momentum| Push { force: m.mass * world.gravity, torque: DVec3::ZERO, meets: false };
    let mut pushes: Vec<Push> = momenta.before.iter().map(weight).collect();
    for &piece in &momenta.meeting {
        pushes[piece].meets = true;
    }
    for (pull, &(piece, joint)) in momenta.pulls.iter().zip(&momenta.arms) {
        let motion = world.motion_at(pull.place);
        let force = (pull.force - pull.resistance * pull.acceleration(motion.alpha, motion.proper_acceleration)).f64();
        let torque = (pull.torque - pull.spin_resistance * motion.alpha).f64();
        pushes[piece].meets |= pull.holds;
        pushes[piece].force += force;
        pushes[piece].torque += torque + (joint + pull.arm.f64()).cross(force);
    }
    pushes
}
