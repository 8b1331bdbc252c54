//! What meets bodies: touches and clashes, solved together.
//!
//! An impulse J at a point moves every joint between it and the root, each on its own, and a piece that flies as a whole:
//!
//! ```text
//! omega_j += U_j (p - x_j) x J / h            U_j: what the closed form of the joint gives per torque
//! P, L of the joints' motions: sum of omega_j x h_j and of I_j omega_j + (x_j - c) x (omega_j x h_j)
//! v_c += (J - P) / m,    omega += I_c^-1 ((p - c) x J - L)          (a piece only)
//! ```
//!
//! The velocities at the end of the step are not the momentary ones, but `2 (x - x_0) / h - v_0`: then the work of a constant force on the tree is what it takes from
//! a body with the same velocity at the end, and no energy is gained as long as they approach each other at the beginning. (The momentary velocity of stiff wood swings to and fro within a step, and may even answer with the other sign:
//! 30 kg on a branch were blown off with 2000 m/s.) What lies on wood sees `(x - x_0) / h` of what a step can't resolve, or both would ring from step to step. `U_j` is accordingly `2 / h` or `1 / h` times how far the joint gets; `h_j` and `I_j` are moment and inertia of the composite. What the joints take up the piece as a whole does not (`flight.rs`). The velocity of the point is linear in J, so the
//! J of all touches, `J = M (u - v)`, and clashes are found by Gauss-Seidel sweeps. Only then do they act.

use std::collections::{HashMap, HashSet};

use windfall_core::Touch;
use windfall_core::glam::{DMat3, DVec3};

use super::Step;
use super::flight::{ballasted, inertia_at_center};
use super::hand::{apply, path};
use super::joint::{Seen, modes_of};
use crate::math::{Real, Sym3, log};
use crate::world::World;
use crate::world::block::Link;
use crate::world::clash::{self, Answers};
use crate::world::layout::Place;
use crate::world::place::Contact;

/// What a touch weighs over the mass of the body when it holds it. A piece that the ground holds is not turned, as in `Implicit` its angular momentum is left alone: hundreds of touches would have to agree on how it turns.
const FIRM: f64 = 100.0;
/// Speed from which on bodies part, m/s, besides what gravity adds in a step.
const PARTING: f64 = 0.05;
/// Sweeps over the touches end when no velocity changes by more than this, m/s, and after so many.
const SETTLED: f64 = 1e-5;
const MOST_SWEEPS: usize = 60;
const LEAST_SWEEPS: usize = 1;
const LOOKS: usize = 3000;

/// A joint between something that is touched and its root.
struct Mover {
    /// Its place relative to the anchor, m.
    position: DVec3,
    /// Angular velocity relative to the parent at the end of the step, rad/s, and how it changes with an impulse, 1/(kg m²).
    /// Both as a hit sees them, and as what lies on it does.
    omega: [DVec3; 2],
    gives: [DMat3; 2],
    /// Moment and inertia of the composite about the joint.
    moment: DVec3,
    inertia: DMat3,
}

/// A piece that flies.
struct Flier {
    center: DVec3,
    mass: f64,
    inverse_inertia: DMat3,
    /// Of the centre at the end of the step, m/s, and of the whole, rad/s.
    velocity: DVec3,
    omega: DVec3,
    is_held: bool,
}

/// What carries a body that is touched.
enum Root {
    /// A base with this velocity and angular velocity of the anchor.
    Base(DVec3, DVec3),
    /// The index of a piece.
    Flier(usize),
}

/// All that touches move in a step.
struct Crew<'a, T> {
    step: &'a Step<T>,
    movers: Vec<Mover>,
    fliers: Vec<Flier>,
    /// Pieces that something holds.
    held: HashSet<u32>,
    known: HashMap<Place, usize>,
    known_fliers: HashMap<u32, usize>,
    /// The way from each touched body to its root: indices of movers, and what is at its end.
    ways: HashMap<Place, (Vec<usize>, Root)>,
}

fn matrix<T: Real>(s: Sym3<T>) -> DMat3 {
    let [a, b, c] = s.full().rows.map(crate::math::Vec3::f64);
    DMat3::from_cols(a, b, c)
}

/// Solves all touches and clashes and lets them act. Gives the torque about the centre of every piece, N m.
pub(super) fn meet<T: Real>(world: &mut World<T>, step: &Step<T>, touches: &[Touch]) -> Vec<DVec3> {
    world.impulses.clear();
    let mut torques = vec![DVec3::ZERO; world.pieces.len()];
    if touches.is_empty() && world.clashes.is_empty() {
        return torques;
    }
    let mut crew = Crew {
        step,
        movers: Vec::new(),
        fliers: Vec::new(),
        held: HashSet::new(),
        known: HashMap::new(),
        known_fliers: HashMap::new(),
        ways: HashMap::new(),
    };
    let contacts: Vec<Option<Contact<T>>> = touches.iter().map(|t| world.contact(t.body, t.point)).collect();
    world.impulses = touches.iter().map(|touch| world.impulse_on_base(touch)).collect();
    for (touch, contact) in touches.iter().zip(&contacts) {
        if let Some(contact) = contact.filter(|contact| is_firm(touch, contact)) {
            crew.held.insert(world.block(contact.place.block).motions[contact.place.index as usize].anchor);
        }
    }
    let slowest = PARTING + world.gravity.length() * step.h.f64();
    let closing = |(touch, contact): (&Touch, &Option<Contact<T>>)| {
        let velocity = contact.as_ref().map_or(touch.velocity, |contact| contact.velocity.f64());
        let is_firm = contact.as_ref().is_some_and(|contact| is_firm(touch, contact));
        let speed = touch.pushes_along.map_or(0.0, |n| (touch.velocity - velocity).dot(n));
        // What part already at the beginning of the step would gain energy.
        (speed > slowest, !is_firm && speed < -slowest)
    };
    let (hits, parts): (Vec<bool>, Vec<bool>) = touches.iter().zip(&contacts).map(closing).unzip();
    let mobilities: Vec<DMat3> = (0..touches.len())
        .map(|i| contacts[i].as_ref().map_or(DMat3::ZERO, |c| crew.mobility(world, c, hits[i])))
        .collect();
    let sweeps = (LOOKS / touches.len().max(1)).clamp(LEAST_SWEEPS, MOST_SWEEPS);
    let mut has_clashed = world.clashes.is_empty();
    for _ in 0..sweeps {
        let mut largest = 0.0_f64;
        for (i, touch) in touches.iter().enumerate() {
            let Some(contact) = &contacts[i] else { continue };
            let velocity = crew.velocity(world, contact, hits[i]);
            let known = world.impulses[i];
            let matrix = DMat3::IDENTITY + touch.mass * mobilities[i];
            let lacks = touch.mass * (touch.velocity - velocity) - known;
            let mut impulse = known + matrix.inverse() * lacks;
            if !impulse.is_finite() || touch.pulls(impulse) || parts[i] {
                impulse = DVec3::ZERO;
            }
            world.impulses[i] = impulse;
            crew.push(world, contact, impulse - known);
            largest = largest.max((mobilities[i] * (impulse - known)).length());
        }
        if largest < SETTLED {
            if std::mem::replace(&mut has_clashed, true) {
                break;
            }
            clash::solve(world, &mut crew);
        }
    }
    let clashed = world.clashes.iter().flat_map(|clash| clash.sides.into_iter().zip([clash.impulse, -clash.impulse]));
    let clashed: Vec<_> = clashed.map(|((body, point), impulse)| (world.contact(body, point), impulse)).collect();
    let touched: Vec<_> = contacts.into_iter().zip(world.impulses.iter().copied()).collect();
    for (contact, impulse) in touched.into_iter().chain(clashed) {
        let Some(contact) = contact.filter(|_| impulse != DVec3::ZERO) else { continue };
        let force = impulse / step.h.f64();
        apply(world, contact.place, contact.arm, crate::math::Vec3::of(force));
        if let Some((_, Root::Flier(flier))) = crew.ways.get(&contact.place).filter(|(_, root)| crew.turns(root)) {
            let motion = &world.block(contact.place.block).motions[contact.place.index as usize];
            let arm = point_of(world, &contact) - crew.fliers[*flier].center;
            torques[motion.anchor as usize - world.bases.len()] += arm.cross(force);
        }
    }
    torques
}

fn is_firm<T: Real>(touch: &Touch, contact: &Contact<T>) -> bool {
    touch.mass.x_axis.x + touch.mass.y_axis.y + touch.mass.z_axis.z > FIRM * contact.mass.f64()
}

/// Relative to the anchor.
fn point_of<T: Real>(world: &World<T>, contact: &Contact<T>) -> DVec3 {
    let motion = &world.block(contact.place.block).motions[contact.place.index as usize];
    (motion.position + contact.arm).f64()
}

impl<T: Real> Crew<'_, T> {
    /// Finds what moves a body.
    fn learn(&mut self, world: &World<T>, from: Place) {
        if self.ways.contains_key(&from) {
            return;
        }
        let mut way = Vec::new();
        let anchor = world.block(from.block).motions[from.index as usize].anchor;
        let mut root = None;
        for place in path(world, from) {
            let is_free = matches!(world.block(place.block).links[place.index as usize], Link::Free(_));
            if is_free {
                let next = self.fliers.len();
                let flier = *self.known_fliers.entry(anchor).or_insert(next);
                if flier == next {
                    self.fliers.push(self.flier(world, place));
                }
                root = Some(Root::Flier(flier));
                break;
            }
            let next = self.movers.len();
            let mover = *self.known.entry(place).or_insert(next);
            if mover == next {
                self.movers.push(self.mover(world, place));
            }
            way.push(mover);
        }
        let root = root.unwrap_or_else(|| {
            let base = &world.base_motions[anchor as usize];
            Root::Base(base.velocity.f64(), base.omega.f64())
        });
        self.ways.insert(from, (way, root));
    }

    fn mover(&self, world: &World<T>, place: Place) -> Mover {
        let (block, i) = (world.block(place.block), place.index as usize);
        let (motion, work, state) = (&block.motions[i], &block.analytic[i], &block.states[i]);
        let modes = modes_of(work, motion.rotation, &block.springs[i], self.step, (motion.anchor, block.heights[i]));
        let vector = log(state.q);
        let push = vector.force_of(motion.rotation.transpose_mul(work.torque));
        let [after, _, _, _] = modes.advance(vector.theta, state.w, push);
        let turn = motion.rotation * vector.turn_matrix();
        Mover {
            position: motion.position.f64(),
            omega: [Seen::ByHits, Seen::ByRest]
                .map(|seen| (turn * modes.seen_rate(seen, vector.theta, after, state.w)).f64()),
            gives: [Seen::ByHits, Seen::ByRest]
                .map(|seen| matrix(modes.seen_mobility(seen).turned(turn)) * self.step.h.f64().recip()),
            moment: work.composite.moment.f64(),
            inertia: matrix(work.composite.inertia),
        }
    }

    fn flier(&self, world: &World<T>, place: Place) -> Flier {
        let (block, i) = (world.block(place.block), place.index as usize);
        let (motion, composite) = (&block.motions[i], &block.analytic[i].composite);
        let Link::Free(free) = block.links[i] else { unreachable!("only pieces come here") };
        let (mass, inertia) = inertia_at_center(composite);
        let center = composite.moment / mass;
        let frame = &self.step.frames[motion.anchor as usize];
        let h = self.step.h;
        // With the hands.
        let acceleration = composite.force / mass;
        let velocity = block.frees[free as usize].velocity + motion.omega.cross(center) + acceleration * h;
        Flier {
            center: center.f64(),
            mass: mass.f64(),
            inverse_inertia: matrix(ballasted(inertia)).inverse(),
            velocity: velocity.f64(),
            omega: (motion.omega + frame.alpha * h).f64(),
            is_held: self.held.contains(&motion.anchor),
        }
    }

    /// Whether what touches a piece turns it.
    fn turns(&self, root: &Root) -> bool {
        matches!(root, Root::Flier(i) if !self.fliers[*i].is_held)
    }

    fn velocity_of(&self, way: &[usize], root: &Root, point: DVec3, hits: bool) -> DVec3 {
        let joints =
            way.iter().map(|&j| &self.movers[j]).map(|j| j.omega[usize::from(!hits)].cross(point - j.position));
        let whole = match *root {
            Root::Base(velocity, omega) => velocity + omega.cross(point),
            Root::Flier(i) => {
                let flier = &self.fliers[i];
                flier.velocity + flier.omega.cross(point - flier.center)
            }
        };
        joints.fold(whole, |sum, v| sum + v)
    }
}

impl<T: Real> Answers<T> for Crew<'_, T> {
    fn velocity(&mut self, world: &World<T>, contact: &Contact<T>, hits: bool) -> DVec3 {
        self.learn(world, contact.place);
        let (way, root) = &self.ways[&contact.place];
        self.velocity_of(way, root, point_of(world, contact), hits)
    }

    fn mobility(&mut self, world: &World<T>, contact: &Contact<T>, hits: bool) -> DMat3 {
        self.learn(world, contact.place);
        let (way, root) = &self.ways[&contact.place];
        let turns = self.turns(root);
        let point = point_of(world, contact);
        let column = |impulse: DVec3| {
            let (mut velocity, mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
            for mover in way.iter().map(|&j| &self.movers[j]) {
                let arm = point - mover.position;
                let omega = mover.gives[usize::from(!hits)] * arm.cross(impulse);
                velocity += omega.cross(arm);
                if let (Root::Flier(i), true) = (root, turns) {
                    let moved = omega.cross(mover.moment);
                    linear += moved;
                    angular += mover.inertia * omega + (mover.position - self.fliers[*i].center).cross(moved);
                }
            }
            if let Root::Flier(i) = *root {
                let flier = &self.fliers[i];
                let arm = point - flier.center;
                velocity += (impulse - linear) / flier.mass;
                if turns {
                    velocity += (flier.inverse_inertia * (arm.cross(impulse) - angular)).cross(arm);
                }
            }
            velocity
        };
        DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
    }

    fn push(&mut self, world: &mut World<T>, contact: &Contact<T>, impulse: DVec3) {
        let point = point_of(world, contact);
        let Some((way, root)) = self.ways.get(&contact.place) else { return };
        let turns = self.turns(root);
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for &j in way {
            let mover = &mut self.movers[j];
            let torque = (point - mover.position).cross(impulse);
            let turned = mover.gives.map(|gives| gives * torque);
            for (omega, turned) in mover.omega.iter_mut().zip(turned) {
                *omega += turned;
            }
            let omega = turned[0];
            if let (Root::Flier(i), true) = (root, turns) {
                let moved = omega.cross(mover.moment);
                linear += moved;
                angular += mover.inertia * omega + (mover.position - self.fliers[*i].center).cross(moved);
            }
        }
        if let Root::Flier(i) = *root {
            let flier = &mut self.fliers[i];
            flier.velocity += (impulse - linear) / flier.mass;
            if turns {
                flier.omega += flier.inverse_inertia * ((point - flier.center).cross(impulse) - angular);
            }
        }
    }
}
