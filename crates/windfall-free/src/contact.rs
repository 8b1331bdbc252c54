//! The contact solver: sequential impulses.
//!
//! Each point of contact has an impulse along its normal that only pushes, and one across it within
//! Coulomb's cone. They are found by Gauss-Seidel sweeps in a fixed order (Catto 2005, "Iterative dynamics
//! with temporal coherence"); in heaps of many bodies they begin with the impulses of the sub-step before.
//! Restitution is Newton's: the normal velocity after an impact is -e times that before. Overlap is removed
//! by displacements that change no velocity (a split impulse), so that it adds no kinetic energy.
//!
//! **Impacts within a sub-step.** A body at depth d that approaches at the speed v, with gravity g into the
//! surface, hit it at the speed `w = sqrt(v^2 - 2 g d)`, `t = 2 d / (v + w)` ago. So it should be
//! `e w t - g t^2 / 2` above it by now, at the speed `e w - g t`, and is placed there: bounces keep their
//! height whatever the length of the step. In the middle of a sub-step the velocities are already those of
//! its end, `g h / 2` later, and the position is `g h^2 / 8` above the parabola, which is accounted for.
//! Where both bodies are curved or small the present normal is not that of the impact: `island`
//! finds it at the positions of that time.

use windfall_core::glam::DVec3;

use super::body::{FreeBody, Surface};
use super::narrow::ContactPoint;
use super::rotation::exp;

/// Index that stands for a static obstacle.
pub const STATIC: u32 = u32::MAX;
/// Overlap that is tolerated, m.
pub const SLOP: f64 = 1e-4;
/// Gap within which a body at rest counts as touching, m.
pub const MARGIN: f64 = 1e-3;
/// Part of an old overlap that a sub-step removes.
const PUSH_OUT: f64 = 0.3;
/// Largest speed at which an old overlap is removed, m/s.
const PUSH_OUT_SPEED: f64 = 2.0;
/// Slowest impact that bounces, m/s, and as a multiple of the velocity that gravity adds in a sub-step.
const SLOWEST_BOUNCE: f64 = 0.02;
const SLOWEST_BOUNCE_IN_KICKS: f64 = 2.0;
/// Most sweeps of the solver, and most evaluations of contacts.
const MOST_SWEEPS: usize = 200;
const LEAST_SWEEPS: usize = 4;
const LOOKS: usize = 40_000;
/// Sweeps end when no velocity changes by more than this, m/s.
const SETTLED: f64 = 1e-6;
/// Most sweeps for leaves and petals: they are many, and slow creep is invisible.
const MOST_LEAF_SWEEPS: usize = 16;
const LEAF_SETTLED: f64 = 1e-4;

/// An impulse along or about one direction, on two bodies.
#[derive(Debug, Clone, Copy)]
struct Row {
    direction: DVec3,
    /// Arm x direction for both bodies.
    arms: [DVec3; 2],
    /// Change of the angular velocity of both by an impulse of 1.
    spins: [DVec3; 2],
    /// Impulse over change of relative velocity, kg.
    mass: f64,
    impulse: f64,
}

/// Key of a contact: two bodies or a body and an obstacle by their numbers, and the index of the point.
pub type Key = (u32, u64, u32);

/// The impulses of a contact over the length of its sub-step, N and N m: a warm start for the next ones.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// Key of the contact.
    pub key: Key,
    normal: f64,
    across: DVec3,
    rolling: DVec3,
}

/// One point of contact between two bodies.
#[derive(Debug, Clone, Copy)]
pub struct Contact {
    key: Key,
    /// Whether it bounces: then earlier impulses are no warm start.
    bounces: bool,
    bodies: [u32; 2],
    inverse_masses: [f64; 2],
    normal: Row,
    across: [Row; 2],
    gap: f64,
    /// Least normal velocity after the solve, m/s.
    target: f64,
    /// Target gap of the push-out, m.
    wanted_gap: f64,
    pushed: f64,
    friction: f64,
    /// Largest rolling impulse over the normal impulse, m, the effective inertia of rolling, kg m², and the
    /// impulse so far.
    rolling: f64,
    rolling_inertia: f64,
    rolling_impulse: DVec3,
}

/// The time of contact detection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detection {
    /// In the middle of a sub-step, with the velocities of its end.
    Middle,
    /// At the end of a step: only impacts count, so that no body is shown inside of another.
    End,
}

/// Input of a contact.
pub struct Meeting<'a> {
    /// The two bodies as indices; the normal of the touch points from the first to the second.
    pub bodies: [u32; 2],
    /// The point of contact.
    pub touch: &'a ContactPoint,
    /// Contact properties of the pair.
    pub surface: Surface,
    /// Radius of rolling, m; zero for a body that does not roll.
    pub radius: f64,
    /// Acceleration of free fall, m/s².
    pub gravity: DVec3,
    /// Length of the sub-step, s.
    pub h: f64,
    /// Whether the positions are those of its middle or of its end.
    pub moment: Detection,
    /// Largest gap of a touch, m.
    pub nearly: f64,
    /// Whether all of the body is under a half-space: it came there faster than sub-steps can follow, and
    /// is put back at once.
    pub buried: bool,
    /// Time since the positions of this touch, s.
    pub ago: f64,
    /// Key of the contact.
    pub key: Key,
}

fn pair(all: &[FreeBody], bodies: [u32; 2]) -> [Option<&FreeBody>; 2] {
    bodies.map(|i| all.get(i as usize))
}

impl Row {
    fn new(direction: DVec3, arms: [DVec3; 2], bodies: [Option<&FreeBody>; 2]) -> Self {
        let arms = arms.map(|arm| arm.cross(direction));
        let mut spins = [DVec3::ZERO; 2];
        let mut inverse = 0.0;
        for i in 0..2 {
            if let Some(body) = bodies[i] {
                spins[i] = body.inverse_inertia_times(arms[i]);
                inverse += 1.0 / body.mass + arms[i].dot(spins[i]);
            }
        }
        Self { direction, arms, spins, mass: 1.0 / inverse, impulse: 0.0 }
    }

    /// Relative velocity along the direction.
    fn speed(&self, motions: [(DVec3, DVec3); 2]) -> f64 {
        let [(va, wa), (vb, wb)] = motions;
        self.direction.dot(vb - va) + self.arms[1].dot(wb) - self.arms[0].dot(wa)
    }
}

impl Contact {
    /// A contact with the present velocities; none if the bodies are still apart and too fast to rest on
    /// each other.
    pub fn new(all: &[FreeBody], meeting: &Meeting<'_>) -> Option<Self> {
        let &Meeting { bodies, touch, surface, radius, gravity, h, moment, nearly, buried, ago, key } = meeting;
        let [first, second] = pair(all, bodies);
        // Between both surfaces.
        let point = touch.point + touch.normal * (0.5 * touch.gap);
        let arms = [first, second].map(|b| b.map_or(DVec3::ZERO, |b| point - (b.position - b.velocity * ago)));
        let normal = Row::new(touch.normal, arms, [first, second]);
        let motions =
            [first, second].map(|b| b.map_or((DVec3::ZERO, DVec3::ZERO), |b| (b.velocity, b.angular_velocity)));
        let approach = -normal.speed(motions);

        let gap = touch.gap - approach * ago;
        let depth = -gap;
        let fresh = approach > 0.0 && depth > -nearly && depth <= 1.5 * approach * h + SLOP;
        let slowest = SLOWEST_BOUNCE.max(SLOWEST_BOUNCE_IN_KICKS * gravity.length() * h);
        if moment == Detection::End && !(fresh && approach > slowest || buried) {
            return None;
        }
        let bounces = approach > slowest && surface.restitution > 0.0;
        let e = surface.restitution;
        let lifted = if buried { 0.0 } else { -SLOP };
        let (target, wanted_gap) = if bounces {
            if depth <= -nearly {
                return None;
            }
            let depth = depth.max(0.0);
            // Gravity accelerates both bodies alike, unless one of them is static.
            let pull = match (first, second) {
                (Some(_), Some(_)) => 0.0,
                (None, _) => -gravity.dot(touch.normal),
                _ => gravity.dot(touch.normal),
            };
            let (later, sag) = match moment {
                Detection::Middle => (0.5 * h, pull * h * h / 8.0),
                Detection::End => (0.0, 0.0),
            };
            let speed = approach - pull * later;
            let impact = (speed * speed - 2.0 * pull * (depth + sag)).max(0.0).sqrt();
            let since = 2.0 * (depth + sag) / (speed + impact);
            if fresh {
                let way = e * impact * since - 0.5 * pull * since * since;
                ((e * impact - pull * (since + later)).max(0.0), (way + sag).max(0.0))
            } else {
                ((e * speed - pull * later).max(0.0), lifted)
            }
        } else {
            (-gap.max(0.0) / h, if fresh && approach > slowest { 0.0 } else { lifted })
        };
        let u = touch.normal.any_orthonormal_vector();
        let mut across = [u, touch.normal.cross(u)].map(|d| Row::new(d, arms, [first, second]));
        // One mass for both, or friction would not point against the motion.
        let mass = across[0].mass.min(across[1].mass);
        for row in &mut across {
            row.mass = mass;
        }
        let mean = |b: Option<&FreeBody>| b.map_or(0.0, |b| 3.0 / b.inertia.element_sum());
        let inverse_inertia = mean(first) + mean(second);
        Some(Self {
            key,
            bounces,
            bodies,
            inverse_masses: [first, second].map(|b| b.map_or(0.0, |b| 1.0 / b.mass)),
            normal,
            across,
            gap,
            target,
            wanted_gap,
            pushed: 0.0,
            friction: surface.friction,
            rolling: surface.rolling * radius,
            rolling_inertia: 1.0 / inverse_inertia,
            rolling_impulse: DVec3::ZERO,
        })
    }

    fn motions(&self, all: &[FreeBody]) -> [(DVec3, DVec3); 2] {
        pair(all, self.bodies).map(|b| b.map_or((DVec3::ZERO, DVec3::ZERO), |b| (b.velocity, b.angular_velocity)))
    }

    fn apply(bodies: [u32; 2], inverse_masses: [f64; 2], row: &Row, impulse: f64, all: &mut [FreeBody]) {
        for (i, sign) in [(0, -1.0), (1, 1.0)] {
            if let Some(body) = all.get_mut(bodies[i] as usize) {
                body.velocity += row.direction * (sign * impulse * inverse_masses[i]);
                body.angular_velocity += row.spins[i] * (sign * impulse);
            }
        }
    }

    /// One sweep over this contact; returns the largest change of a velocity, m/s.
    fn solve(&mut self, all: &mut [FreeBody]) -> f64 {
        let (bodies, masses) = (self.bodies, self.inverse_masses);
        let wanted = self.normal.impulse + (self.target - self.normal.speed(self.motions(all))) * self.normal.mass;
        let wanted = wanted.max(0.0);
        let change = wanted - self.normal.impulse;
        self.normal.impulse = wanted;
        Self::apply(bodies, masses, &self.normal, change, all);
        let mut largest = (change / self.normal.mass).abs();

        let most = self.friction * self.normal.impulse;
        if most > 0.0 || self.across[0].impulse != 0.0 || self.across[1].impulse != 0.0 {
            let motions = self.motions(all);
            let mut next = [0.0; 2];
            for (next, row) in next.iter_mut().zip(&self.across) {
                *next = row.impulse - row.speed(motions) * row.mass;
            }
            let length = (next[0] * next[0] + next[1] * next[1]).sqrt();
            let kept = if length > most { most / length } else { 1.0 };
            for (next, row) in next.into_iter().zip(&mut self.across) {
                let change = next * kept - row.impulse;
                row.impulse = next * kept;
                Self::apply(bodies, masses, row, change, all);
                largest = largest.max((change / row.mass).abs());
            }
        }
        if self.rolling > 0.0 {
            let [(_, wa), (_, wb)] = self.motions(all);
            let wanted = self.rolling_impulse - (wb - wa) * self.rolling_inertia;
            let wanted = wanted.clamp_length_max(self.rolling * self.normal.impulse);
            let change = wanted - self.rolling_impulse;
            self.rolling_impulse = wanted;
            self.turn(change, all);
        }
        largest
    }

    /// Applies an angular impulse (N m s) to the second body, and its opposite to the first.
    fn turn(&self, impulse: DVec3, all: &mut [FreeBody]) {
        for (i, sign) in [(0, -1.0), (1, 1.0)] {
            if let Some(body) = all.get_mut(self.bodies[i] as usize) {
                body.angular_velocity += body.inverse_inertia_times(impulse * sign);
            }
        }
    }
}

/// Starts with the earlier impulses of the contacts (Catto's warm start): the weight of a heap need not be
/// found anew in every sub-step. `before` is sorted by key.
pub fn recall(all: &mut [FreeBody], contacts: &mut [Contact], before: &[Memory], h: f64) {
    for contact in contacts.iter_mut().filter(|contact| !contact.bounces) {
        let Ok(place) = before.binary_search_by_key(&contact.key, |memory| memory.key) else { continue };
        let memory = &before[place];
        let (bodies, masses) = (contact.bodies, contact.inverse_masses);
        contact.normal.impulse = memory.normal * h;
        Contact::apply(bodies, masses, &contact.normal, contact.normal.impulse, all);
        for row in &mut contact.across {
            row.impulse = memory.across.dot(row.direction) * h;
            Contact::apply(bodies, masses, row, row.impulse, all);
        }
        contact.rolling_impulse = memory.rolling * h;
        contact.turn(contact.rolling_impulse, all);
    }
}

/// Stores the impulses of these contacts, sorted by key.
pub fn remember(contacts: &[Contact], h: f64, memories: &mut Vec<Memory>) {
    memories.clear();
    memories.extend(contacts.iter().map(|c| Memory {
        key: c.key,
        normal: c.normal.impulse / h,
        across: (c.across[0].direction * c.across[0].impulse + c.across[1].direction * c.across[1].impulse) / h,
        rolling: c.rolling_impulse / h,
    }));
    memories.sort_unstable_by_key(|memory| memory.key);
}

/// Solves the contacts for the velocities of the bodies.
pub fn solve(all: &mut [FreeBody], contacts: &mut [Contact]) {
    let is_leaf = |&i: &u32| all.get(i as usize).is_none_or(|body| body.shape.is_blade());
    let leaves = contacts.iter().all(|contact| contact.bodies.iter().all(is_leaf));
    let (most, settled) = if leaves { (MOST_LEAF_SWEEPS, LEAF_SETTLED) } else { (MOST_SWEEPS, SETTLED) };
    let sweeps = (LOOKS / contacts.len().max(1)).clamp(LEAST_SWEEPS, most);
    for _ in 0..sweeps {
        let mut largest = 0.0_f64;
        for contact in contacts.iter_mut() {
            largest = largest.max(contact.solve(all));
        }
        if largest < settled {
            break;
        }
    }
}

/// Removes overlap by translating the bodies. `moves` has an entry for every body.
pub fn push_out(all: &mut [FreeBody], contacts: &mut [Contact], moves: &mut Vec<(DVec3, DVec3)>, h: f64) {
    if contacts.iter().all(|c| c.gap >= c.wanted_gap) {
        return;
    }
    moves.clear();
    moves.resize(all.len(), (DVec3::ZERO, DVec3::ZERO));
    let sweeps = (LOOKS / contacts.len().max(1)).clamp(2, 8);
    for _ in 0..sweeps {
        for contact in contacts.iter_mut() {
            let missing = contact.wanted_gap - contact.gap;
            // A new impact is corrected at once, an old overlap slowly.
            let step = if contact.wanted_gap < 0.0 { (PUSH_OUT * missing).min(PUSH_OUT_SPEED * h) } else { missing };
            if step <= 0.0 && contact.pushed == 0.0 {
                continue;
            }
            let at = contact.bodies.map(|i| moves.get(i as usize).copied().unwrap_or_default());
            let wanted = contact.pushed + (step - contact.normal.speed(at)) * contact.normal.mass;
            let change = wanted.max(0.0) - contact.pushed;
            contact.pushed += change;
            for (i, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some((way, turn)) = moves.get_mut(contact.bodies[i] as usize) {
                    *way += contact.normal.direction * (sign * change * contact.inverse_masses[i]);
                    *turn += contact.normal.spins[i] * (sign * change);
                }
            }
        }
    }
    for (body, &(way, turn)) in all.iter_mut().zip(moves.iter()) {
        body.position += way;
        if turn != DVec3::ZERO {
            body.orientation = (exp(turn) * body.orientation).normalize();
        }
    }
}
