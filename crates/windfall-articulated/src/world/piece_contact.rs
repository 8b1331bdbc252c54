//! Contacts between two bodies of one world: a branch that broke off, and a tree.
//!
//! The impulse J at their common point acts on both bodies with opposite signs, so that momentum is
//! conserved, and obeys
//!
//! ```text
//! v . n >= parting,    J . n >= 0,    one of them an equality
//! |J - n (J . n)| <= mu J . n,    against the slip
//! ```
//!
//! with v the velocity of the first less that of the second at the end of the step.
//!
//! Both methods give the velocity of a point at the end of the step and its change with an impulse (Y,
//! the response of the whole tree and the whole piece). With these the impulses are found by Gauss-Seidel
//! sweeps in the order of the contacts (Catto 2005, "Iterative dynamics with temporal coherence").

use windfall_core::BodyId;
use windfall_core::glam::{DMat3, DVec3};

use windfall_solver::PieceContact;

use crate::math::Real;
use crate::world::World;
use crate::world::place::Contact;

/// Sweeps end when no velocity changes by more than this, m/s.
const SETTLED: f64 = 1e-5;
/// Largest and least number of sweeps, and number of contact updates in all of them.
const MOST_SWEEPS: usize = 60;
const LEAST_SWEEPS: usize = 4;
const LOOKS: usize = 3000;
/// Least mobility of a contact, over that of 1 kg: a contact that cannot move needs no impulse.
const LEAST: f64 = 1e-12;

/// Contact of two points of bodies, and its impulse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairContact {
    /// Body, and point from its joint in its axes, m: the same place when they meet.
    pub sides: [(BodyId, DVec3); 2],
    /// Contact normal, from the second into the first.
    pub normal: DVec3,
    /// Least speed of separation at the end of the step, m/s; negative while there is a gap to close.
    pub parting: f64,
    /// Velocity of the first along the normal before the contact, m/s. Its rebound from that velocity
    /// counts towards the separation: wood that throws a log back has restitution of its own.
    pub stood: f64,
    /// Whether the contact is a hit, or resting.
    pub hits: bool,
    /// mu of the head of the module.
    pub friction: f64,
    /// Impulse on the first, N s.
    pub impulse: DVec3,
}

/// Response of the relative velocity of two points to an impulse.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mobility {
    /// Y of both together, 1/kg.
    all: DMat3,
    /// n . Y n, and no less than the largest across n.
    along: f64,
    across: f64,
}

impl Mobility {
    /// The mobility of a contact; none if neither side can move.
    pub fn new(all: DMat3, normal: DVec3) -> Option<Self> {
        let along = normal.dot(all * normal);
        let across = all.x_axis.x + all.y_axis.y + all.z_axis.z - along;
        let moves = along > LEAST && across.is_finite() && all.is_finite();
        moves.then_some(Self { all, along, across: across.max(along * 1e-3) })
    }
}

impl PairContact {
    /// The contact from the caller, with no impulse yet.
    pub fn of(contact: &PieceContact) -> Self {
        let PieceContact { sides, normal, parting, stood, hits, friction } = *contact;
        let sides = sides.map(|(body, point)| (body.id, point));
        Self { sides, normal, parting, stood, hits, friction, impulse: DVec3::ZERO }
    }

    /// Updates the impulse for these velocities of both at the end of the step. Returns the change of the
    /// impulse on the first, and the resulting change of the velocity, m/s.
    pub fn relax(&mut self, first: DVec3, second: DVec3, mobility: &Mobility) -> (DVec3, f64) {
        let n = self.normal;
        let velocity = first - second;
        let pushed = self.impulse.dot(n);
        let sprung_back = (self.stood - first.dot(n)).max(0.0);
        let parting = if self.parting > 0.0 { (self.parting - sprung_back).max(0.0) } else { self.parting };
        let pushes = (pushed + (parting - velocity.dot(n)) / mobility.along).max(0.0);
        let velocity = velocity + mobility.all * (n * (pushes - pushed));
        let slip = velocity - n * velocity.dot(n);
        let held = (self.impulse - n * pushed - slip / mobility.across).clamp_length_max(self.friction * pushes);
        let impulse = n * pushes + held;
        let change = impulse - self.impulse;
        if !change.is_finite() {
            return (DVec3::ZERO, 0.0);
        }
        self.impulse = impulse;
        (change, (mobility.all * change).length())
    }
}

/// The response of a method to impulses within its step.
pub(crate) trait ContactSolver<T: Real> {
    /// Velocity of a point at the end of the step with all impulses so far, m/s. `hits` tells hits from
    /// resting contacts.
    fn velocity(&mut self, world: &World<T>, contact: &Contact<T>, hits: bool) -> DVec3;
    /// Change of that velocity with an impulse, 1/kg.
    fn mobility(&mut self, world: &World<T>, contact: &Contact<T>, hits: bool) -> DMat3;
    /// Applies an impulse, N s.
    fn push(&mut self, world: &mut World<T>, contact: &Contact<T>, impulse: DVec3);
}

/// Both points of a contact; `None` for a body that stands rigidly on the ground, and the velocity of the
/// ground.
type Sides<T> = [(Option<Contact<T>>, DVec3); 2];

/// Finds the impulses of all piece contacts of a world.
pub(crate) fn solve<T: Real>(world: &mut World<T>, method: &mut impl ContactSolver<T>) {
    let mut piece_contacts = std::mem::take(&mut world.piece_contacts);
    let mut moving: Vec<(usize, Sides<T>, Mobility)> = Vec::with_capacity(piece_contacts.len());
    for (i, pair) in piece_contacts.iter_mut().enumerate() {
        pair.impulse = DVec3::ZERO;
        let sides = pair.sides.map(|(body, point)| (world.contact(body, point), world.base_velocity_at(body, point)));
        let hits = pair.hits;
        let each = |side: &(Option<Contact<T>>, DVec3)| {
            side.0.as_ref().map_or(DMat3::ZERO, |contact| method.mobility(world, contact, hits))
        };
        let all = sides.iter().map(each).fold(DMat3::ZERO, |sum, y| sum + y);
        if let Some(mobility) = Mobility::new(all, pair.normal) {
            moving.push((i, sides, mobility));
        }
    }
    let sweeps = (LOOKS / moving.len().max(1)).clamp(LEAST_SWEEPS, MOST_SWEEPS);
    for _ in 0..sweeps {
        let mut largest = 0.0_f64;
        for (i, sides, mobility) in &moving {
            let hits = piece_contacts[*i].hits;
            let mut velocity = |side: &(Option<Contact<T>>, DVec3)| {
                side.0.as_ref().map_or(side.1, |contact| method.velocity(world, contact, hits))
            };
            let (first, second) = (velocity(&sides[0]), velocity(&sides[1]));
            let (change, faster) = piece_contacts[*i].relax(first, second, mobility);
            for (side, impulse) in sides.iter().zip([change, -change]) {
                if let (Some(contact), true) = (&side.0, change != DVec3::ZERO) {
                    method.push(world, contact, impulse);
                }
            }
            largest = largest.max(faster);
        }
        if largest < SETTLED {
            break;
        }
    }
    world.piece_contacts = piece_contacts;
}
