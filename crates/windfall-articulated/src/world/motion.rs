//! The motion of a body and the load of its joint.

use windfall_core::{BodyId, BodyMotion, JointLoad};

use super::World;
use crate::block::place::ON_BASE;
use crate::math::{Real, Vec3};

impl<T: Real> World<T> {
    /// Position and orientation of a body for a pose: relative to the origin of its tree.
    pub(crate) fn placed_in_tree(&self, id: usize) -> (windfall_core::glam::Vec3, windfall_core::glam::Quat) {
        let (anchor, position, orientation) = self.frame(id);
        let from = if (anchor as usize) < self.bases.len() {
            self.bases[anchor as usize].now.position
        } else {
            self.anchor_position(anchor) - self.plant.trees()[self.plant.tree_index(BodyId(id as u32))].origin
        };
        ((from + position.f64()).as_vec3(), orientation.f64().as_quat())
    }

    /// The full state of one body.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn motion(&self, body: BodyId) -> BodyMotion {
        let i = body.0 as usize;
        let (anchor, joint, orientation) = self.frame(i);
        let place = self.places[i];
        let carrier =
            if place.block == ON_BASE { self.base_motions[place.index as usize] } else { self.motion_at(place) };
        let properties = self.plant.mass_properties(body);
        let center = joint + orientation.rotate(Vec3::of(properties.center_of_mass));
        let arm = center - carrier.position;
        let (omega, alpha) = (carrier.omega, carrier.alpha);
        let from = self.anchor_position(anchor);
        let proper_acceleration = carrier.proper_acceleration + alpha.cross(arm) + omega.cross(omega.cross(arm));
        BodyMotion {
            joint: from + joint.f64(),
            center: from + center.f64(),
            velocity: (carrier.velocity + omega.cross(arm)).f64(),
            acceleration: proper_acceleration.f64() + self.gravity,
            orientation: orientation.f64(),
            angular_velocity: omega.f64(),
            angular_acceleration: alpha.f64(),
        }
    }

    /// Load of the joint of this body over the last step.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn joint_load(&self, body: BodyId) -> JointLoad {
        let place = self.places[body.0 as usize];
        if place.block == ON_BASE {
            return JointLoad::default();
        }
        let block = self.block(place.block);
        let i = place.index as usize;
        if block.model.ids[i] != body.0 {
            return JointLoad::default();
        }
        let reaction = block.state.reactions.get(i);
        JointLoad { torque: reaction.torque.f64(), force: reaction.force.f64() }
    }
}
