//! Contact of free bodies with trees (quigley2017, section 6).
//!
//! **Broad phase.** For every free body that is awake (sleeping bodies wake up where wood comes near) the
//! trees are searched from the roots outwards, skipping subtrees whose reachable workspace it can't touch
//! within the step ([`super::reach`]). Then the time of impact of the two shapes is found along their
//! velocities.
//!
//! **Coupled.** The tree takes its step with the effective mass of the free body at the point of contact,
//! along the normal n,
//!
//! ```text
//! 1 / m = 1 / M + (r x n) . I^-1 (r x n),      J = m (u - v')
//! ```
//!
//! where u is the velocity of the free body without the contact and v' that of the point of the tree at the
//! end of the step. It is solved together with all joints: this is the response of the whole tree, its
//! impulse factor. The free body gets -J. Then both have the same velocity along n, or separate with e
//! times their approach speed, if u has that added. Across n the mass is that of the direction of slip, or
//! smaller, as far as Coulomb's cone demands with m (u - v).n for the normal impulse. A body that touches a
//! tree at several points has its mass divided among them, by the masses of the bodies that it touches.
//!
//! Where the tree recedes faster than the free body J would pull: such a contact is left out.
//!
//! **Penalty.** As in the paper: the force `zeta (v_rel . n) n` on the tree, with its derivative; then the
//! free body takes over the velocity of the tree along n if that pushes it away.
//!
//! Both end with a push-out: a part of the overlap is removed by moving the free body.

use parry3d_f64::query::{ShapeCastOptions, cast_shapes};
use windfall_core::glam::{DMat3, DVec3};
use windfall_core::{Body, BodyRef};
use windfall_solver::SHORTEST_STEP;
use windfall_solver::{Load, Touch};

use super::reach::collision_shape;
use super::{CollisionMode, Stage};
use windfall_free::contact::{MARGIN, SLOP};
use windfall_free::narrow::{self, Space};
use windfall_free::shape::{pose, vector};
use windfall_free::sleep::{WAKING_SPEED, WATCH};
use windfall_free::{FreeBody, Name};

/// Part of an overlap that a step removes.
const PUSH_OUT: f64 = 0.3;
/// Slowest impact that bounces, m/s, and as a multiple of the velocity that gravity adds in a step.
const SLOWEST_BOUNCE: f64 = 0.05;
const SLOWEST_BOUNCE_IN_KICKS: f64 = 2.0;
/// Largest gap of a touch, m, and the separation speed that ends it, m/s.
const TOUCHING: f64 = 0.5 * MARGIN;
const PARTING: f64 = 0.05;
/// Largest speed of approach or separation of a resting body, m/s, besides the velocity that gravity adds
/// in a step.
const RESTING: f64 = 0.02;
/// Largest motion of a free body near a tree in a sub-step, in radii.
const CLOSER: f64 = 1.0;

/// State kept from step to step.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    stack: Vec<u32>,
    steps: u64,
}

/// One point of contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Met {
    name: Name,
    body: BodyRef,
    /// Contact point on the tree, world metres and in the axes of the body.
    point: DVec3,
    local: DVec3,
    /// From the free body into the tree.
    normal: DVec3,
    /// Negative where they overlap, m.
    gap: f64,
    /// This contact's share of the effective mass of the free body along the normal, kg.
    mass: f64,
    /// This contact's share of the free body's mass, from 0 to 1.
    part: f64,
    /// Index of its touch, which has the impulse.
    touch: Option<usize>,
    /// Whether the body rests: then the force acts throughout the step, as its weight does. An impulse at
    /// the beginning would make it hop by g h^2 / 2 in every step.
    rests: bool,
}

impl Stage {
    /// Number of sub-steps needed to follow fast bodies that are about to hit a tree.
    pub(super) fn substeps(&mut self, dt: f64) -> u32 {
        if self.settings.collisions.mode == CollisionMode::Off || self.solver.contact().is_none() {
            return 1;
        }
        let mut count = 1.0_f64;
        let mut stack = std::mem::take(&mut self.free_contact.stack);
        for (index, body) in self.bodies.iter().enumerate() {
            let speed = body.velocity.length() + self.gravity.length() * dt;
            let wanted = (speed * dt / (CLOSER * body.shape.half_thickness())).ceil();
            if wanted > count && !body.shape.is_blade() && !self.bodies.sleeps(index) {
                let mut near = false;
                self.near(body, dt, &mut stack, |_| near = true);
                if near {
                    count = wanted;
                }
            }
        }
        self.free_contact.stack = stack;
        // No sub-step is shorter than the shortest step of a solver.
        let most = f64::from(self.settings.collisions.most_substeps).min((dt / SHORTEST_STEP).floor());
        count.min(most).max(1.0) as u32
    }

    /// Calls `found` for all bodies of trees and pieces that a free body may touch within `h` seconds.
    fn near(&self, free: &FreeBody, h: f64, stack: &mut Vec<u32>, mut found: impl FnMut(BodyRef)) {
        let way = free.velocity * h;
        let center = free.position + way * 0.5;
        // Motion of the wood and by gravity within a step.
        let slack = MARGIN + 0.5 * way.length() + self.gravity.length() * h * h;
        let radius = free.reach() + slack;
        let own_parent = match free.name {
            Name::Plant(fallen) => self.plant().parent_ref(fallen),
            Name::Thrown(_) => None,
        };
        let foliage = self.settings.collisions.foliage;
        for root in self.roots().chain(self.pieces().iter().copied()) {
            self.visit(root, stack, |body, reach| {
                if body != root && self.is_loose(body) {
                    return false;
                }
                let placed = self.placed(body);
                let drift = self.velocity_at(body, DVec3::ZERO).length() * h;
                let far = reach + radius + drift;
                if placed.joint.distance_squared(center) > far * far {
                    return false;
                }
                let is_wood = matches!(self.plant().body(body.id), Some(Body::Wood(_)));
                if (is_wood || foliage) && Some(body) != own_parent {
                    found(body);
                }
                true
            });
        }
    }

    /// Finds contacts within `h` seconds, and adds them to the touches or loads of the trees.
    pub(super) fn meet_free_bodies(&mut self, h: f64, touches: &mut Vec<Touch>, loads: &mut Vec<Load>) -> Vec<Met> {
        let collisions = self.settings.collisions;
        if collisions.mode == CollisionMode::Off || self.bodies.is_empty() || self.solver.contact().is_none() {
            return Vec::new();
        }
        self.wake_where_wood_moves(h);
        let mut memory = std::mem::take(&mut self.free_contact);
        let mut all = Vec::new();
        let (mut near, mut space) = (Vec::new(), Space::default());
        for index in 0..self.bodies.len() {
            let free = *self.bodies.at(index);
            if self.bodies.sleeps(index) || (free.shape.is_blade() && !collisions.falling_leaves) {
                continue;
            }
            near.clear();
            self.near(&free, h, &mut memory.stack, |body| near.push(body));
            let first = all.len();
            for &body in &near {
                self.contacts(&free, body, h, &mut space, &mut all);
            }
            self.share(&free, &mut all[first..]);
        }
        self.free_contact = memory;
        for met in &mut all {
            self.put(met, h, touches, loads);
        }
        all
    }

    /// Wakes sleeping bodies where a branch or a piece comes near. Each is tested every [`WATCH`] steps,
    /// and looks as far ahead.
    fn wake_where_wood_moves(&mut self, h: f64) {
        let mut stack = std::mem::take(&mut self.free_contact.stack);
        self.free_contact.steps += 1;
        for index in 0..self.bodies.len() {
            let body = self.bodies.at(index);
            let is_asked = (index as u64 + self.free_contact.steps).is_multiple_of(WATCH)
                && self.bodies.sleeps(index)
                && (self.settings.collisions.falling_leaves || !body.shape.is_blade());
            if !is_asked {
                continue;
            }
            let mut moves = false;
            self.near(body, h * (WATCH + 1) as f64, &mut stack, |wood| {
                let (_, center) = collision_shape(self.plant(), wood.id);
                moves |= self.velocity_at(wood, center * 2.0).length() > WAKING_SPEED;
            });
            if moves {
                let name = body.name;
                self.bodies.wake_named(name);
            }
        }
        self.free_contact.stack = stack;
    }

    /// Contacts of a free body with one body of a tree within `h` seconds.
    fn contacts(&self, free: &FreeBody, body: BodyRef, h: f64, space: &mut Space, all: &mut Vec<Met>) {
        let plant = self.plant();
        let placed = self.placed(body);
        let (shape, center) = collision_shape(plant, body.id);
        let (own, its) = (free.shape.proxy(), shape.proxy());
        let velocity = self.kept_velocity_at(body, center);
        let gravity = self.gravity;
        let relative = free.velocity + gravity * (0.5 * h) - velocity;
        let mut free_place = pose(free.shape_position(), free.orientation);
        let its_place = pose(placed.point(center), placed.orientation);
        let options =
            ShapeCastOptions { max_time_of_impact: h, stop_at_penetration: true, ..ShapeCastOptions::default() };
        let hit = cast_shapes(
            &free_place,
            vector(relative),
            own.shape(),
            &its_place,
            vector(DVec3::ZERO),
            its.shape(),
            options,
        );
        let ago = match hit {
            Ok(Some(hit)) => hit.time_of_impact.max(0.0),
            // They may rest on each other without approaching.
            Ok(None) => 0.0,
            Err(_) => return,
        };
        free_place.translation += vector(relative * ago);
        narrow::between((&its_place, &free_place), (its.shape(), own.shape()), MARGIN, space, |touch| {
            let normal = -touch.normal;
            let point = touch.point;
            let approach = relative.dot(normal);
            let gap = touch.gap + approach * ago;
            // Only contacts that would overlap at the end of the step.
            let ahead =
                (free.velocity_at(point) + gravity * h - self.kept_velocity_at(body, placed.local(point))).dot(normal);
            // Touching bodies stay in contact; separating bodies need no push, and would gain energy from
            // one.
            if gap - ahead * h > TOUCHING || ahead < -PARTING {
                return;
            }
            let (name, local) = (free.name, placed.local(point));
            let mass = effective_mass(free, point, normal);
            all.push(Met { name, body, point, local, normal, gap, mass, part: 1.0, touch: None, rests: false });
        });
    }

    /// Divides the mass of a free body among its contacts, by the masses of the bodies that it touches.
    fn share(&self, free: &FreeBody, own: &mut [Met]) {
        if own.len() < 2 {
            return;
        }
        let mass = |met: &Met| self.plant().mass_properties(met.body.id).mass.min(free.mass);
        let whole: f64 = own.iter().map(mass).sum();
        for met in own {
            met.part = mass(met) / whole;
            met.mass *= met.part;
        }
    }

    /// Adds one contact to the tree.
    fn put(&self, met: &mut Met, h: f64, touches: &mut Vec<Touch>, loads: &mut Vec<Load>) {
        let Some(free) = self.bodies.get(met.name) else { return };
        let collisions = self.settings.collisions;
        let (n, gravity) = (met.normal, self.gravity);
        let outer = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        let tree = self.kept_velocity_at(met.body, met.local);
        let relative = free.velocity_at(met.point) - tree;
        if collisions.mode == CollisionMode::Penalty {
            let closing = relative.dot(n).max(0.0);
            let force = n * (collisions.zeta * closing);
            let drag = if closing > 0.0 { outer * collisions.zeta } else { DMat3::ZERO };
            loads.push(Load { drag, ..Load::force(met.body, met.local, force) });
            return;
        }
        let surface = collisions.surface().meets(&free.surface);
        let closing = relative.dot(n);
        met.rests = closing.abs() < RESTING + gravity.length() * h;
        let slowest = SLOWEST_BOUNCE.max(SLOWEST_BOUNCE_IN_KICKS * gravity.length() * h);
        let bounce = if closing > slowest { surface.restitution * closing } else { 0.0 };
        // A gap may close within the step.
        let room = if bounce > 0.0 { 0.0 } else { met.gap.max(0.0) / h };
        let by_itself = free.velocity_at(met.point) + gravity * h;
        let across = by_itself - tree - n * (by_itself - tree).dot(n);
        let normal_impulse = met.mass * (by_itself - tree).dot(n).max(0.0);
        let slip = across.length();
        // A ball that slips has a smaller effective mass across n than along it, because it turns: with its
        // whole mass friction would drive it.
        let direction = if slip > 0.0 { across / slip } else { n.any_orthonormal_vector() };
        let lateral = effective_mass(free, met.point, direction) * met.part;
        let most = if slip > 0.0 { surface.friction * normal_impulse / slip } else { lateral };
        let mass = outer * met.mass + (DMat3::IDENTITY - outer) * most.min(lateral);
        met.touch = Some(touches.len());
        let velocity = by_itself + n * (bounce - room);
        touches.push(Touch { body: met.body, point: met.local, velocity, mass, pushes_along: Some(n) });
    }

    /// Applies the response of the trees to the free bodies.
    pub(super) fn answer_free_bodies(&mut self, h: f64, all: Vec<Met>) {
        let gravity = self.gravity;
        for met in all {
            let impulse = if let Some(touch) = met.touch {
                self.touch_impulse(touch)
            } else {
                let Some(free) = self.bodies.get(met.name) else { continue };
                let by_itself = free.velocity_at(met.point) + gravity * h;
                let closing = (by_itself - self.velocity_at(met.body, met.local)).dot(met.normal);
                met.normal * (met.mass * closing.max(0.0))
            };
            // An impulse that would take a free body out of the valid range is ignored.
            let _ = if met.rests {
                self.bodies.add_force(met.name, met.point, -impulse / h)
            } else {
                self.bodies.add_impulse(met.name, met.point, -impulse)
            };
            if met.gap < -SLOP {
                self.bodies.shift(met.name, met.normal * (PUSH_OUT * (met.gap + SLOP)));
            }
        }
    }
}

/// Effective mass of a free body at a point (world metres) in a direction, kg.
fn effective_mass(free: &FreeBody, point: DVec3, direction: DVec3) -> f64 {
    let turn = (point - free.position).cross(direction);
    (1.0 / free.mass + turn.dot(free.inverse_inertia_times(turn))).recip()
}
