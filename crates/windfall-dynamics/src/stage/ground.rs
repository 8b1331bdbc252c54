//! Pieces that broke off, and trees if asked for, meet the ground and obstacles.
//!
//! Every point that would get into an obstacle within the step is a touch with something that does not give way: its velocity along the normal n becomes
//!
//! ```text
//! e (v.n)             where it hits it, with the restitution e
//! - gap / h           where it is above it: it just gets there
//! push-out            where it is below
//! ```
//!
//! and across n it is held as far as Coulomb's cone allows, by the normal impulse of the step before (or, where it has just hit, that of its own mass). All of this is solved
//! together with the joints in one step, so that a crown that lies on a thousand twigs comes to rest. A touch that would pull is left out.

use std::collections::HashMap;

use windfall_core::glam::{DMat3, DVec3};
use windfall_core::{Body, BodyId, Touch};

use super::Stage;
use super::reach::collision_shape;
use crate::free::Contact;
use crate::free::contact::{MARGIN, SLOP};
use crate::math::Real;

/// Part of an overlap that a step takes out, and how fast at most, m/s.
const PUSH_OUT: f64 = 0.2;
const PUSH_OUT_SPEED: f64 = 1.0;
/// Slowest impact that bounces, m/s.
const SLOWEST_BOUNCE: f64 = 0.5;
/// Mass of what does not give way, over that of the body that meets it: no more than the solvers can carry in f32.
const IMMOVABLE: f64 = 2000.0;

/// What is remembered from step to step.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    /// Normal impulse of each contact in the last step, N s.
    impulses: HashMap<Which, f64>,
    stack: Vec<u32>,
}

/// A body, and the number of its contact.
type Which = (BodyId, usize);

/// A touch of an obstacle: its place in the list of touches, which contact, and the normal.
pub(super) struct Standing {
    touch: usize,
    which: Which,
    normal: DVec3,
}

impl<T: Real> Stage<T> {
    /// Finds what meets obstacles within `h` seconds.
    pub(super) fn meet_obstacles(&mut self, h: f64, touches: &mut Vec<Touch>) -> Vec<Standing> {
        let trees = self.settings.collisions.trees_touch_obstacles;
        if self.world.pieces().is_empty() && !trees {
            return Vec::new();
        }
        let mut stack = std::mem::take(&mut self.ground.stack);
        let mut near = Vec::new();
        let roots = if trees { self.reach.roots() } else { &[] };
        for &root in roots.iter().chain(self.world.pieces()) {
            self.reach.visit(root, &mut stack, |body, reach| {
                if body != root && self.world.is_loose(body) {
                    return false;
                }
                let motion_reach = reach + MARGIN;
                let placed = self.placed(body);
                let way = self.velocity_at(body, DVec3::ZERO) * h;
                // Within the step its outermost point gets farther by what the subtree turns, too: twice the way of the joint is generous.
                if !self.obstacles.may_touch(placed.joint, motion_reach + 2.0 * way.length()) {
                    return false;
                }
                near.push(body);
                true
            });
        }
        self.ground.stack = stack;
        let mut standing = Vec::new();
        let mut contacts = Vec::new();
        for body in near {
            contacts.clear();
            self.obstacle_contacts(body, h, &mut contacts);
            for (i, contact) in contacts.iter().enumerate() {
                self.stand((body, i), contact, h, touches, &mut standing);
            }
        }
        standing
    }

    fn obstacle_contacts(&self, body: BodyId, h: f64, contacts: &mut Vec<Contact>) {
        let (shape, center) = collision_shape(&self.world.plant, body);
        let placed = self.placed(body);
        let speed = self.velocity_at(body, center).length() + self.world.gravity.length() * h;
        self.obstacles.contacts(&shape, placed.point(center), placed.orientation, MARGIN + speed * h, contacts);
    }

    fn stand(&self, which: Which, contact: &Contact, h: f64, touches: &mut Vec<Touch>, standing: &mut Vec<Standing>) {
        let (n, body) = (contact.normal, which.0);
        let placed = self.placed(body);
        let local = placed.local(contact.point);
        let velocity = self.velocity_at(body, local);
        let gravity = self.world.gravity;
        let speed = velocity.dot(n);
        let gap = -contact.depth;
        if gap + (speed + gravity.dot(n) * h) * h > 0.0 {
            return;
        }
        let last = self.ground.impulses.get(&which).copied();
        let surface = contact.surface.meets(&self.settings.collisions.surface());
        let wanted = if gap > 0.0 && speed * h < -gap && -speed < SLOWEST_BOUNCE {
            -gap / h
        } else if -speed > SLOWEST_BOUNCE {
            -surface.restitution * speed
        } else {
            (PUSH_OUT * (contact.depth - SLOP).max(0.0) / h).min(PUSH_OUT_SPEED)
        };
        let mass = self.own_mass(body);
        let outer = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        let across = velocity - n * speed;
        let slip = across.length();
        let normal_impulse = last.unwrap_or(0.0).max(mass * (wanted - speed).max(0.0));
        let held = if slip > 0.0 { surface.friction * normal_impulse / slip } else { f64::INFINITY };
        let immovable = IMMOVABLE * mass;
        let matrix = outer * immovable + (DMat3::IDENTITY - outer) * held.min(immovable);
        standing.push(Standing { touch: touches.len(), which, normal: n });
        touches.push(Touch { body, point: local, velocity: n * wanted, mass: matrix, pushes_along: Some(n) });
    }

    /// Mass of one body of a plant, kg.
    fn own_mass(&self, body: BodyId) -> f64 {
        self.world.plant.mass_properties(body).mass * self.world.mass_scale(body)
    }

    /// Remembers what obstacles did.
    pub(super) fn note_obstacles(&mut self, standing: Vec<Standing>) {
        self.ground.impulses.clear();
        for Standing { touch, which, normal } in standing {
            self.ground.impulses.insert(which, self.world.impulses[touch].dot(normal));
        }
    }
}

impl<T: Real> crate::World<T> {
    /// By what the parameters multiply the mass of a body.
    pub(crate) fn mass_scale(&self, body: BodyId) -> f64 {
        let params = self.params();
        let class = match self.plant.body(body) {
            Some(Body::Leaf(_)) => &params.leaves,
            Some(Body::Fruit(_)) => &params.fruit,
            _ => &params.branches,
        };
        class.density.max(crate::params::LIGHTEST_MASS_SCALE)
    }
}
