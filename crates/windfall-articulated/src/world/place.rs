//! From joint angles to places and velocities, and from a point of a body to its carrier.

use rayon::prelude::*;
use windfall_core::BodyId;
use windfall_core::glam::DVec3;
use windfall_solver::Touch;

use crate::block::place::{Ahead, ON_BASE, Place, place_block};
use crate::block::{Block, Link, Motions, guard};
use crate::math::{Quat, Real, Vec3};
use crate::world::blocks::Blocks;
use crate::world::{Method, World};

/// Rider frame: the frame of a body that is not simulated, relative to the carrier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RiderFrame<T> {
    /// Position of its joint, from the carrier's joint, carrier's axes, m.
    pub position: Vec3<T>,
    /// Rotation from body to carrier axes.
    pub orientation: Quat<T>,
}

/// A point of a body, with the state of the carrier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contact<T> {
    pub place: Place,
    /// From the carrier's joint, world axes, m.
    pub arm: Vec3<T>,
    /// Position of the point, world metres.
    pub position: DVec3,
    /// Velocity of the point at the time of the pose, m/s.
    pub velocity: Vec3<T>,
    /// Acceleration of the point in the last step, m/s².
    pub acceleration: Vec3<T>,
    /// Angular velocity of the carrier, rad/s.
    pub omega: Vec3<T>,
    /// Angular acceleration of the carrier in the last step, rad/s².
    pub alpha: Vec3<T>,
    /// Mass of the carrier, kg.
    pub mass: T,
    /// A third of the trace of the carrier's inertia about its joint, kg m².
    pub inertia: T,
}

impl<T: Real> World<T> {
    /// The simulated carrier of a point of a body; none if it stands rigidly on the ground, or is
    /// removed.
    pub(crate) fn contact(&self, body: BodyId, point: DVec3) -> Option<Contact<T>> {
        let place = self.places[body.0 as usize];
        if place.block == ON_BASE {
            return None;
        }
        let block = self.block(place.block);
        let i = place.index as usize;
        if block.state.links[i] == Link::Removed {
            return None;
        }
        let (motion, mass) = (block.motion(i), block.model.masses.get(i));
        let mut point = Vec3::of(point);
        if let Some(rider_frame) = self.rider_frames.get(body.0 as usize) {
            point = rider_frame.position + rider_frame.orientation.rotate(point);
        }
        let (arm, omega) = (motion.rotation() * point, motion.omega);
        // A twig that rolls turns many times in a step: its centripetal acceleration is meaningless
        // there.
        let turning = guard::in_products(omega, T::of(self.last_dt));
        Some(Contact {
            place,
            arm,
            position: self.anchor_position(motion.anchor) + (motion.position + arm).f64(),
            velocity: motion.velocity + omega.cross(arm),
            acceleration: motion.proper_acceleration
                + Vec3::of(self.gravity)
                + motion.alpha.cross(arm)
                + turning.cross(turning.cross(arm)),
            omega,
            alpha: motion.alpha,
            mass: mass.mass,
            inertia: mass.inertia.trace() / T::of(3.0),
        })
    }

    /// Velocity of a point of a body that stands rigidly on the ground, m/s; zero for a removed body.
    pub(crate) fn base_velocity_at(&self, body: BodyId, point: DVec3) -> DVec3 {
        if self.places[body.0 as usize].block != ON_BASE {
            return DVec3::ZERO;
        }
        let (tree, joint, orientation) = self.frame(body.0 as usize);
        let base = &self.base_motions[tree as usize];
        (base.velocity + base.omega.cross(joint + orientation.rotate(Vec3::of(point)))).f64()
    }

    /// Impulse of a touch on a body that stands rigidly on the ground; zero for a removed body.
    pub(crate) fn impulse_on_base(&self, touch: &Touch) -> DVec3 {
        if self.places[touch.body.id.0 as usize].block != ON_BASE {
            return DVec3::ZERO;
        }
        let impulse = touch.mass * (touch.velocity - self.base_velocity_at(touch.body.id, touch.point));
        if touch.pulls(impulse) { DVec3::ZERO } else { impulse }
    }

    /// Anchor index, joint relative to the anchor (m) and orientation (body to world axes) of any body.
    pub(crate) fn frame(&self, body: usize) -> (u32, Vec3<T>, Quat<T>) {
        let place = self.places[body];
        let motion =
            if place.block == ON_BASE { self.base_motions[place.index as usize] } else { self.motion_at(place) };
        match self.rider_frames.get(body) {
            None => (motion.anchor, motion.position, motion.orientation),
            Some(rider_frame) => (
                motion.anchor,
                motion.position + motion.rotation() * rider_frame.position,
                motion.orientation * rider_frame.orientation,
            ),
        }
    }

    /// The anchor of a piece at the time of the pose, world metres.
    pub(crate) fn anchor_position(&self, anchor: u32) -> DVec3 {
        let anchor = anchor as usize;
        let trees = self.bases.len();
        if anchor < trees {
            return self.plant.trees()[anchor].origin + self.bases[anchor].now.position;
        }
        let place = self.places[self.pieces[anchor - trees].0 as usize];
        let block = self.block(place.block);
        match block.state.links[place.index as usize] {
            Link::Free(free) => block.state.frees[free as usize].position,
            _ => DVec3::ZERO,
        }
    }

    /// Takes the anchors of all trees and pieces, in the scratch of the world: return it after use.
    pub(crate) fn take_anchors(&mut self) -> Vec<DVec3> {
        let mut anchors = std::mem::take(&mut self.anchors);
        anchors.clear();
        anchors.extend((0..(self.bases.len() + self.pieces.len()) as u32).map(|anchor| self.anchor_position(anchor)));
        anchors
    }

    /// Recomputes all places and velocities from the joints, after the caller changed these.
    pub(crate) fn replace_all(&mut self) {
        self.replace(Blocks::change_joints, |_| true);
    }

    /// The same for the blocks with free pieces.
    pub(crate) fn replace_pieces(&mut self) {
        if self.top.state.frees.is_empty() {
            self.replace(Blocks::keep_swept, |block| !block.state.frees.is_empty());
        } else {
            // Any block may contain children of these pieces.
            self.replace_all();
        }
    }

    /// The same for all bodies after they were laid out anew: leaves with derived motion need no places.
    pub(crate) fn place_new(&mut self) {
        self.replace(Blocks::change_model, |_| true);
    }

    /// The interval from the time of the joint velocities to that of the pose.
    pub(crate) fn ahead(&self) -> Ahead<T> {
        match self.method() {
            Method::Implicit => Ahead::over(0.5 * self.last_dt, self.params().mass_damping, self.last_dt),
            // Pieces need the guard.
            Method::Analytic => Ahead { step: T::of(self.last_dt), ..Ahead::none() },
            Method::Explicit => Ahead::none(),
        }
    }

    fn replace(
        &mut self,
        held: impl FnOnce(&mut Blocks<T>) -> &mut [Block<T>],
        chosen: impl Fn(&Block<T>) -> bool + Sync,
    ) {
        let ahead = self.ahead();
        let Self { top, blocks, base_motions, .. } = self;
        if chosen(top) {
            place_block(top, &Motions::default(), base_motions, &ahead);
        }
        let blocks = held(blocks).par_iter_mut().filter(|block| chosen(block));
        blocks.for_each(|block| place_block(block, &top.state.motions, base_motions, &ahead));
    }
}
