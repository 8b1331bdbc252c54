//! Contact of broken-off pieces, and trees on request, with the ground and obstacles.
//!
//! Every point that would penetrate an obstacle within the step is a touch with an immovable mass: its
//! velocity along the normal n becomes
//!
//! ```text
//! e (v.n)             at an impact, with the restitution e
//! - gap / h           above the obstacle: it just gets there
//! push-out            below its surface
//! ```
//!
//! and across n friction holds it as far as Coulomb's cone allows, with the normal impulse of the step
//! before (or, at a new impact, that of its own mass). All of this is solved together with the joints in
//! one step, so that a crown that lies on a thousand twigs comes to rest. A touch that would pull is left
//! out.

use std::collections::HashMap;

use windfall_core::BodyRef;
use windfall_core::glam::{DMat3, DVec3};
use windfall_solver::{ContactResponse, Touch};

use super::Stage;
use super::reach::collision_shape;
use windfall_free::ObstacleContact;
use windfall_free::contact::{MARGIN, SLOP};

/// Part of an overlap that a step removes, and the largest speed of removal, m/s.
const PUSH_OUT: f64 = 0.2;
const PUSH_OUT_SPEED: f64 = 1.0;
/// Slowest impact that bounces, m/s.
const SLOWEST_BOUNCE: f64 = 0.5;
/// Mass of an immovable obstacle, over that of the body in contact: no more than the solvers can carry in
/// f32.
const IMMOVABLE: f64 = 2000.0;

/// State kept from step to step.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    /// Normal impulse of each contact in the last step, N s.
    impulses: HashMap<Which, f64>,
    stack: Vec<u32>,
}

/// A body, and the index of its contact.
type Which = (BodyRef, usize);

/// A touch of an obstacle: its index in the list of touches, its contact, and the normal.
pub(super) struct Standing {
    touch: usize,
    which: Which,
    normal: DVec3,
}

impl Stage {
    /// Finds contacts with obstacles within `h` seconds.
    pub(super) fn meet_obstacles(&mut self, h: f64, touches: &mut Vec<Touch>) -> Vec<Standing> {
        let trees = self.settings.collisions.trees_touch_obstacles;
        if self.pieces().is_empty() && !trees || self.solver.contact().is_none() {
            return Vec::new();
        }
        let mut stack = std::mem::take(&mut self.ground_contact.stack);
        let mut near = Vec::new();
        let standing_trees = trees.then(|| self.roots()).into_iter().flatten();
        for root in standing_trees.chain(self.pieces().iter().copied()) {
            self.visit(root, &mut stack, |body, reach| {
                if body != root && self.is_loose(body) {
                    return false;
                }
                let motion_reach = reach + MARGIN;
                let placed = self.placed(body);
                let way = self.velocity_at(body, DVec3::ZERO) * h;
                // The rotation of the subtree moves its outermost point too: twice the joint's motion is a
                // generous bound.
                if !self.obstacles.may_touch(placed.joint, motion_reach + 2.0 * way.length()) {
                    return false;
                }
                near.push(body);
                true
            });
        }
        self.ground_contact.stack = stack;
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

    fn obstacle_contacts(&self, body: BodyRef, h: f64, contacts: &mut Vec<ObstacleContact>) {
        let (shape, center) = collision_shape(self.plant(), body.id);
        let placed = self.placed(body);
        let speed = self.velocity_at(body, center).length() + self.gravity.length() * h;
        self.obstacles.contacts(&shape, placed.point(center), placed.orientation, MARGIN + speed * h, contacts);
    }

    fn stand(
        &self,
        which: Which,
        contact: &ObstacleContact,
        h: f64,
        touches: &mut Vec<Touch>,
        standing: &mut Vec<Standing>,
    ) {
        let (n, body) = (contact.normal, which.0);
        let placed = self.placed(body);
        let local = placed.local(contact.point);
        let velocity = self.velocity_at(body, local);
        let gravity = self.gravity;
        let speed = velocity.dot(n);
        let gap = -contact.depth;
        if gap + (speed + gravity.dot(n) * h) * h > 0.0 {
            return;
        }
        let last = self.ground_contact.impulses.get(&which).copied();
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
    fn own_mass(&self, body: BodyRef) -> f64 {
        self.plant().mass_properties(body.id).mass * self.solver.params().mass_scale(self.plant(), body.id)
    }

    /// Stores the impulses of obstacles.
    pub(super) fn note_obstacles(&mut self, standing: Vec<Standing>) {
        self.ground_contact.impulses.clear();
        let impulses = self.solver.contact().map_or(&[][..], ContactResponse::touch_impulses);
        for Standing { touch, which, normal } in standing {
            self.ground_contact.impulses.insert(which, impulses[touch].dot(normal));
        }
    }
}
