//! Free bodies that meet trees (quigley2017, section 6).
//!
//! **Who.** For every free body that is awake (those that sleep wake up where wood comes near) the trees are searched from the roots outwards, leaving out subtrees whose reachable workspace it can't touch within the
//! step ([`super::reach`]). Then the two shapes are moved along their velocities until they meet.
//!
//! **Coupled.** The tree takes its step with the effective mass of the free body at the point of contact, along the normal n,
//!
//! ```text
//! 1 / m = 1 / M + (r x n) . I^-1 (r x n),      J = m (u - v')
//! ```
//!
//! where u is the velocity with which the free body would go on by itself and v' that of the point of the tree at the end of the step. Solved together with all joints: this is the response of the
//! whole tree, its impulse factor. The free body gets -J. Then both have the same velocity along n, or part with e times the speed at which they met, if u has that added.
//! Across n the mass is that of the direction in which they slip, or smaller, as far as Coulomb's cone demands with m (u - v).n for the normal impulse. A body that touches a tree at several points has its mass divided among them,
//! by the masses of the bodies that it touches.
//!
//! Where the tree leaves faster than the free body follows J would pull: such a contact is left out.
//!
//! **Penalty.** As the paper has it: the force `zeta (v_rel . n) n` on the tree, with its derivative; then the free body takes over the velocity of the tree along n if that
//! pushes it away.
//!
//! Both end with a push-out: a part of the overlap is taken out by moving the free body.

use parry3d_f64::query::{ShapeCastOptions, cast_shapes};
use windfall_core::glam::{DMat3, DVec3};
use windfall_core::solver::SHORTEST_STEP;
use windfall_core::{Body, BodyId, Load, Touch};

use super::reach::collision_shape;
use super::{CollisionMode, Stage};
use crate::free::contact::{MARGIN, SLOP};
use crate::free::narrow::{self, Space};
use crate::free::shape::{pose, vector};
use crate::free::sleep::{WAKING_SPEED, WATCH};
use crate::free::{FreeBody, Name};
use crate::math::Real;

/// Part of an overlap that a step takes out.
const PUSH_OUT: f64 = 0.3;
/// Slowest impact that bounces, m/s, and in units of what gravity adds in a step.
const SLOWEST_BOUNCE: f64 = 0.05;
const SLOWEST_BOUNCE_IN_KICKS: f64 = 2.0;
/// Gap that still is a touch, m, and speed from which on bodies part, m/s.
const TOUCHING: f64 = 0.5 * MARGIN;
const PARTING: f64 = 0.05;
/// Speed of approach or parting up to which a body rests, m/s, besides what gravity adds in a step.
const RESTING: f64 = 0.02;
/// A free body moves at most by so many radii in a sub-step while it is near a tree.
const CLOSER: f64 = 1.0;

/// What is remembered from step to step.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    stack: Vec<u32>,
    steps: u64,
}

/// One point of contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Met {
    name: Name,
    body: BodyId,
    /// Where on the tree, world metres and in the axes of the body.
    point: DVec3,
    local: DVec3,
    /// From the free body into the tree.
    normal: DVec3,
    /// Negative where they overlap, m.
    gap: f64,
    /// Effective mass of the free body along the normal, kg, of which this contact has its part.
    mass: f64,
    /// Part of the free body that this contact has, from 0 to 1.
    part: f64,
    /// Where its impulse is found: among the touches.
    touch: Option<usize>,
    /// Whether it lies there: then it is pushed throughout the step, as its weight is. By an impulse at its beginning it would hop by g h^2 / 2 in every step.
    rests: bool,
}

impl<T: Real> Stage<T> {
    /// How many sub-steps are needed to follow what is about to hit a tree.
    pub(super) fn substeps(&mut self, dt: f64) -> u32 {
        if self.settings.collisions.mode == CollisionMode::Off {
            return 1;
        }
        let mut count = 1.0_f64;
        let mut stack = std::mem::take(&mut self.collide.stack);
        for (index, body) in self.bodies.iter().enumerate() {
            let speed = body.velocity.length() + self.world.gravity.length() * dt;
            let wanted = (speed * dt / (CLOSER * body.shape.half_thickness())).ceil();
            if wanted > count && !body.shape.is_blade() && !self.bodies.sleeps(index) {
                let mut near = false;
                self.near(body, dt, &mut stack, |_| near = true);
                if near {
                    count = wanted;
                }
            }
        }
        self.collide.stack = stack;
        // No sub-step is shorter than a solver takes.
        let most = f64::from(self.settings.collisions.most_substeps).min((dt / SHORTEST_STEP).floor());
        count.min(most).max(1.0) as u32
    }

    /// Gives all bodies of trees and pieces that a free body may touch within `h` seconds.
    fn near(&self, free: &FreeBody, h: f64, stack: &mut Vec<u32>, mut found: impl FnMut(BodyId)) {
        let way = free.velocity * h;
        let center = free.position + way * 0.5;
        // What the wood and gravity add within a step.
        let slack = MARGIN + 0.5 * way.length() + self.world.gravity.length() * h * h;
        let radius = free.reach() + slack;
        let own_parent = match free.name {
            Name::Plant(id) => self.world.plant.parent(id),
            Name::Thrown(_) => None,
        };
        let foliage = self.settings.collisions.foliage;
        let pieces = self.world.pieces().iter();
        for &root in self.reach.roots().iter().chain(pieces) {
            self.reach.visit(root, stack, |body, reach| {
                if body != root && self.world.is_loose(body) {
                    return false;
                }
                let placed = self.placed(body);
                let drift = self.velocity_at(body, DVec3::ZERO).length() * h;
                let far = reach + radius + drift;
                if placed.joint.distance_squared(center) > far * far {
                    return false;
                }
                let is_wood = matches!(self.world.plant.body(body), Some(Body::Wood(_)));
                if (is_wood || foliage) && Some(body) != own_parent {
                    found(body);
                }
                true
            });
        }
    }

    /// Finds who meets whom within `h` seconds, and puts it onto the trees.
    pub(super) fn meet_free_bodies(&mut self, h: f64, touches: &mut Vec<Touch>, loads: &mut Vec<Load>) -> Vec<Met> {
        let collisions = self.settings.collisions;
        if collisions.mode == CollisionMode::Off || self.bodies.is_empty() {
            return Vec::new();
        }
        self.wake_where_wood_moves(h);
        let mut memory = std::mem::take(&mut self.collide);
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
        self.collide = memory;
        for met in &mut all {
            self.put(met, h, touches, loads);
        }
        all
    }

    /// Wakes bodies that sleep where a branch or a piece comes near. Each is asked every [`WATCH`] steps, and looks as far ahead.
    fn wake_where_wood_moves(&mut self, h: f64) {
        let mut stack = std::mem::take(&mut self.collide.stack);
        self.collide.steps += 1;
        for index in 0..self.bodies.len() {
            let body = self.bodies.at(index);
            let is_asked = (index as u64 + self.collide.steps).is_multiple_of(WATCH)
                && self.bodies.sleeps(index)
                && (self.settings.collisions.falling_leaves || !body.shape.is_blade());
            if !is_asked {
                continue;
            }
            let mut moves = false;
            self.near(body, h * (WATCH + 1) as f64, &mut stack, |wood| {
                let (_, center) = collision_shape(&self.world.plant, wood);
                moves |= self.velocity_at(wood, center * 2.0).length() > WAKING_SPEED;
            });
            if moves {
                let name = body.name;
                self.bodies.wake_named(name);
            }
        }
        self.collide.stack = stack;
    }

    /// Where a free body meets one body of a tree within `h` seconds.
    fn contacts(&self, free: &FreeBody, body: BodyId, h: f64, space: &mut Space, all: &mut Vec<Met>) {
        let plant = &self.world.plant;
        let placed = self.placed(body);
        let (shape, center) = collision_shape(plant, body);
        let (own, its) = (free.shape.proxy(), shape.proxy());
        let velocity = self.kept_velocity_at(body, center);
        let gravity = self.world.gravity;
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
            // They may lie on each other without approaching.
            Ok(None) => 0.0,
            Err(_) => return,
        };
        free_place.translation += vector(relative * ago);
        narrow::between((&its_place, &free_place), (its.shape(), own.shape()), MARGIN, space, |touch| {
            let normal = -touch.normal;
            let point = touch.point;
            let approach = relative.dot(normal);
            let gap = touch.gap + approach * ago;
            // Only what would overlap at the end of the step.
            let ahead =
                (free.velocity_at(point) + gravity * h - self.kept_velocity_at(body, placed.local(point))).dot(normal);
            // What touches goes on touching; what parts needs no push, and would gain energy from one.
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
        let mass = |met: &Met| self.world.plant.mass_properties(met.body).mass.min(free.mass);
        let whole: f64 = own.iter().map(mass).sum();
        for met in own {
            met.part = mass(met) / whole;
            met.mass *= met.part;
        }
    }

    /// Puts one contact onto the tree.
    fn put(&self, met: &mut Met, h: f64, touches: &mut Vec<Touch>, loads: &mut Vec<Load>) {
        let Some(free) = self.bodies.get(met.name) else { return };
        let collisions = self.settings.collisions;
        let (n, gravity) = (met.normal, self.world.gravity);
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
        // What is still apart may close the gap.
        let room = if bounce > 0.0 { 0.0 } else { met.gap.max(0.0) / h };
        let by_itself = free.velocity_at(met.point) + gravity * h;
        let across = by_itself - tree - n * (by_itself - tree).dot(n);
        let normal_impulse = met.mass * (by_itself - tree).dot(n).max(0.0);
        let slip = across.length();
        // A ball that slips is lighter across than along n, because it turns: with its whole mass friction would drive it.
        let direction = if slip > 0.0 { across / slip } else { n.any_orthonormal_vector() };
        let lateral = effective_mass(free, met.point, direction) * met.part;
        let most = if slip > 0.0 { surface.friction * normal_impulse / slip } else { lateral };
        let mass = outer * met.mass + (DMat3::IDENTITY - outer) * most.min(lateral);
        met.touch = Some(touches.len());
        let velocity = by_itself + n * (bounce - room);
        touches.push(Touch { body: met.body, point: met.local, velocity, mass, pushes_along: Some(n) });
    }

    /// Gives the free bodies what the trees answered.
    pub(super) fn answer_free_bodies(&mut self, h: f64, all: Vec<Met>) {
        let gravity = self.world.gravity;
        for met in all {
            let impulse = if let Some(touch) = met.touch {
                self.world.impulses[touch]
            } else {
                let Some(free) = self.bodies.get(met.name) else { continue };
                let by_itself = free.velocity_at(met.point) + gravity * h;
                let closing = (by_itself - self.velocity_at(met.body, met.local)).dot(met.normal);
                met.normal * (met.mass * closing.max(0.0))
            };
            // A free body that would leave the range of numbers stays as it is.
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

/// How heavy a free body is at a point (world metres) for an impulse in a direction, kg.
fn effective_mass(free: &FreeBody, point: DVec3, direction: DVec3) -> f64 {
    let turn = (point - free.position).cross(direction);
    (1.0 / free.mass + turn.dot(free.inverse_inertia_times(turn))).recip()
}
