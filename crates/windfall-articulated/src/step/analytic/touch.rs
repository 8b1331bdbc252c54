//! Touches and piece contacts of trees, solved together.
//!
//! An impulse J at a point moves every joint between it and the root, each independently:
//!
//! ```text
//! omega_j += U_j (p - x_j) x J / h            U_j: response of the closed form of the joint per torque
//! ```
//!
//! The velocities at the end of the step are not the momentary ones, but `2 (x - x_0) / h - v_0`: then
//! the work of a constant force on the tree is that which it takes from a body with the same velocity at the
//! end, and no energy is gained as long as they approach each other at the beginning. (The momentary
//! velocity of stiff wood oscillates within a step, and its response may even have the other sign: 30 kg
//! on a branch were thrown off at 2000 m/s.) Resting contacts use `(x - x_0) / h` for modes that a step
//! can't resolve, or both would oscillate from step to step. `U_j` is accordingly `2 / h` or `1 / h`
//! times the displacement of the joint. The velocity of the point is linear in J, so the J of all
//! touches, `J = M (u - v)`, and piece contacts are found by Gauss-Seidel iterations. Only then are they
//! applied. The response of a piece to a contact comes from its own sweeps.

use std::collections::HashMap;

use windfall_core::glam::{DMat3, DVec3};
use windfall_solver::Touch;

use crate::analytic::Step;
use crate::analytic::joint::{EndVelocity, modes_of};
use crate::block::drag_share::DragShare;
use crate::block::place::Place;
use crate::math::{Real, Sym3, Vec3, log};
use crate::step::analytic::hand::{apply, find_path};
use crate::step::implicit::SweepResponse;
use crate::world::World;
use crate::world::piece_contact::{self, ContactSolver};
use crate::world::place::Contact;

/// Mass of a touch that holds its body, over the mass of the body.
const FIRM: f64 = 100.0;
/// Separating speed above which contacts are ignored, m/s, besides the speed that gravity adds in a step.
const PARTING: f64 = 0.05;
/// The iterations over the touches end when no velocity changes by more than this, m/s, or after so many.
const SETTLED: f64 = 1e-5;
const MOST_SWEEPS: usize = 60;
const LEAST_SWEEPS: usize = 1;
const LOOKS: usize = 3000;

/// A joint between a touched body and its root.
struct Mover {
    /// Its place relative to the anchor, m.
    position: DVec3,
    /// Angular velocity relative to the parent at the end of the step, rad/s, and its change with an
    /// impulse, 1/(kg m²). Both as impacts see them, and as resting contacts do.
    omega: [DVec3; 2],
    gives: [DMat3; 2],
}

/// All joints that touches move in a step.
struct Crew<'a, 'b, T> {
    step: &'a Step<T>,
    /// The response of pieces, if there are any.
    pieces: Option<&'a mut SweepResponse<'b, T>>,
    movers: Vec<Mover>,
    known: HashMap<Place, usize>,
    /// The path from each touched body to its root: indices of movers.
    ways: HashMap<Place, Vec<usize>>,
}

/// Results of the touches of trees: the touched points, and impulses, N s. None, and zero, for touches of
/// pieces.
pub(super) struct SolvedTouches<T> {
    contacts: Vec<Option<Contact<T>>>,
    impulses: Vec<DVec3>,
}

fn matrix<T: Real>(s: Sym3<T>) -> DMat3 {
    let [a, b, c] = s.full().rows.map(Vec3::f64);
    DMat3::from_cols(a, b, c)
}

/// Solves all touches of trees, and all piece contacts.
pub(super) fn meet<T: Real>(
    world: &mut World<T>,
    step: &Step<T>,
    touches: &[Touch],
    pieces: Option<&mut SweepResponse<'_, T>>,
) -> SolvedTouches<T> {
    let contacts: Vec<Option<Contact<T>>> = touches.iter().map(|t| step.contact(world, t.body.id, t.point)).collect();
    let mut impulses: Vec<DVec3> = touches.iter().map(|touch| world.impulse_on_base(touch)).collect();
    if contacts.iter().all(Option::is_none) && world.piece_contacts.is_empty() {
        return SolvedTouches { contacts, impulses };
    }
    let mut crew = Crew { step, pieces, movers: Vec::new(), known: HashMap::new(), ways: HashMap::new() };
    let slowest = PARTING + world.gravity.length() * step.h.f64();
    let closing = |(touch, contact): (&Touch, &Option<Contact<T>>)| {
        let velocity = contact.as_ref().map_or(touch.velocity, |contact| contact.velocity.f64());
        let is_firm = contact.as_ref().is_some_and(|contact| is_firm(touch, contact));
        let speed = touch.pushes_along.map_or(0.0, |n| (touch.velocity - velocity).dot(n));
        // Contacts that separate already at the beginning of the step would gain energy.
        (speed > slowest, !is_firm && speed < -slowest)
    };
    let (hits, parts): (Vec<bool>, Vec<bool>) = touches.iter().zip(&contacts).map(closing).unzip();
    let mobilities: Vec<DMat3> = (0..touches.len())
        .map(|i| contacts[i].as_ref().map_or(DMat3::ZERO, |c| crew.mobility(world, c, hits[i])))
        .collect();
    let sweeps = (LOOKS / touches.len().max(1)).clamp(LEAST_SWEEPS, MOST_SWEEPS);
    let mut are_pieces_solved = world.piece_contacts.is_empty();
    for _ in 0..sweeps {
        let mut largest = 0.0_f64;
        for (i, touch) in touches.iter().enumerate() {
            let Some(contact) = &contacts[i] else { continue };
            let velocity = crew.velocity(world, contact, hits[i]);
            let known = impulses[i];
            let matrix = DMat3::IDENTITY + touch.mass * mobilities[i];
            let lacks = touch.mass * (touch.velocity - velocity) - known;
            let mut impulse = known + matrix.inverse() * lacks;
            if !impulse.is_finite() || touch.pulls(impulse) || parts[i] {
                impulse = DVec3::ZERO;
            }
            impulses[i] = impulse;
            crew.push(world, contact, impulse - known);
            largest = largest.max((mobilities[i] * (impulse - known)).length());
        }
        if largest < SETTLED {
            if std::mem::replace(&mut are_pieces_solved, true) {
                break;
            }
            piece_contact::solve(world, &mut crew);
        }
    }
    if !are_pieces_solved {
        // Touches that don't converge must not let logs pass through.
        piece_contact::solve(world, &mut crew);
    }
    SolvedTouches { contacts, impulses }
}

/// Applies all of them to the trees.
pub(super) fn act<T: Real>(world: &mut World<T>, step: &Step<T>, met: SolvedTouches<T>) {
    let of_pieces =
        world.piece_contacts.iter().flat_map(|pair| pair.sides.into_iter().zip([pair.impulse, -pair.impulse]));
    let of_pieces: Vec<_> =
        of_pieces.map(|((body, point), impulse)| (step.contact(world, body, point), impulse)).collect();
    let touched = met.contacts.into_iter().zip(met.impulses.iter().copied());
    for (contact, impulse) in touched.chain(of_pieces) {
        let Some(contact) = contact.filter(|_| impulse != DVec3::ZERO) else { continue };
        apply(world, contact.place, contact.arm, Vec3::of(impulse / step.h.f64()));
    }
    world.impulses = met.impulses;
}

fn is_firm<T: Real>(touch: &Touch, contact: &Contact<T>) -> bool {
    touch.mass.x_axis.x + touch.mass.y_axis.y + touch.mass.z_axis.z > FIRM * contact.mass.f64()
}

/// Relative to the anchor.
fn point_of<T: Real>(world: &World<T>, contact: &Contact<T>) -> DVec3 {
    (world.motion_at(contact.place).position + contact.arm).f64()
}

impl<'b, T: Real> Crew<'_, 'b, T> {
    /// The response of a body, if it belongs to a piece.
    fn piece(&mut self, world: &World<T>, contact: &Contact<T>) -> Option<&mut SweepResponse<'b, T>> {
        let stands = self.step.moves(world.anchor_at(contact.place));
        self.pieces.as_deref_mut().filter(|_| !stands)
    }

    /// Finds the joints that move a body.
    fn learn(&mut self, world: &World<T>, from: Place) {
        if self.ways.contains_key(&from) {
            return;
        }
        let mut way = Vec::new();
        let mut path = Vec::new();
        find_path(world, from, &mut path);
        for (place, below) in path {
            let next = self.movers.len();
            let mover = *self.known.entry(place).or_insert(next);
            if mover == next {
                self.movers.push(self.mover(world, place, below));
            }
            way.push(mover);
        }
        self.ways.insert(from, way);
    }

    fn mover(&self, world: &World<T>, place: Place, below: DragShare<T>) -> Mover {
        let (block, i) = (world.block(place.block), place.index as usize);
        let (motion, work, state) = (block.motion(i), block.scratch.analytic.get(i), block.state.joints.get(i));
        let rotation = motion.rotation();
        let modes = modes_of(&work, below, &block.spring(i), self.step, block.model.heights[i]);
        let vector = log(state.q);
        let push = vector.force_of(work.torque);
        let [after, _, _, _] = modes.advance(vector.theta, state.w, push);
        let turn = rotation * vector.turn_matrix();
        Mover {
            position: motion.position.f64(),
            omega: [EndVelocity::OfHits, EndVelocity::OfRest]
                .map(|seen| (turn * modes.end_rate(seen, vector.theta, after, state.w)).f64()),
            gives: [EndVelocity::OfHits, EndVelocity::OfRest]
                .map(|seen| matrix(modes.end_mobility(seen).turned(turn)) * self.step.h.f64().recip()),
        }
    }
}

impl<T: Real> ContactSolver<T> for Crew<'_, '_, T> {
    fn velocity(&mut self, world: &World<T>, contact: &Contact<T>, hits: bool) -> DVec3 {
        if let Some(piece) = self.piece(world, contact) {
            return piece.velocity(world, contact, hits);
        }
        self.learn(world, contact.place);
        let point = point_of(world, contact);
        let base = &world.base_motions[world.anchor_at(contact.place) as usize];
        let joints = self.ways[&contact.place].iter().map(|&j| &self.movers[j]);
        let joints = joints.map(|j| j.omega[usize::from(!hits)].cross(point - j.position));
        joints.fold(base.velocity.f64() + base.omega.f64().cross(point), |sum, v| sum + v)
    }

    fn mobility(&mut self, world: &World<T>, contact: &Contact<T>, hits: bool) -> DMat3 {
        if let Some(piece) = self.piece(world, contact) {
            return piece.mobility(world, contact, hits);
        }
        self.learn(world, contact.place);
        let point = point_of(world, contact);
        let column = |impulse: DVec3| {
            let joints = self.ways[&contact.place].iter().map(|&j| &self.movers[j]);
            joints.fold(DVec3::ZERO, |velocity, mover| {
                let arm = point - mover.position;
                velocity + (mover.gives[usize::from(!hits)] * arm.cross(impulse)).cross(arm)
            })
        };
        DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
    }

    fn push(&mut self, world: &mut World<T>, contact: &Contact<T>, impulse: DVec3) {
        if let Some(piece) = self.piece(world, contact) {
            return piece.push(world, contact, impulse);
        }
        let point = point_of(world, contact);
        let Some(way) = self.ways.get(&contact.place) else { return };
        for &j in way {
            let mover = &mut self.movers[j];
            let torque = (point - mover.position).cross(impulse);
            for (omega, gives) in mover.omega.iter_mut().zip(&mover.gives) {
                *omega += *gives * torque;
            }
        }
    }
}
