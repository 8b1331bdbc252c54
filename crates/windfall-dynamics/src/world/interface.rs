//! The interface that all solvers have, and the joints for those who want to set them.

use std::sync::Arc;

use rayon::prelude::*;
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{Actions, Base, BodyId, BodyMotion, JointLoad, Plant, Pose, Solver, StepError, Wind};

use super::World;
use super::block::JointState;
use super::layout::ON_BASE;
use crate::math::{Quat, Real, Vec3};

/// Bodies of a pose that one task places at least.
const BODIES_PER_TASK: usize = 4096;

impl<T: Real> Solver for World<T> {
    fn plant(&self) -> &Plant {
        &self.plant
    }

    fn step(&mut self, dt: f64, actions: &Actions<'_>) -> Result<(), StepError> {
        self.checked(dt, actions)?;
        if self.blocks.len() > 1 {
            // Once into the pool of threads for the whole step, instead of once for every sweep.
            let others = rayon::current_num_threads().min(self.blocks.len()) - 1;
            self.blocks.next_work().awaited(others, || self.take_step(dt, actions));
        } else {
            self.take_step(dt, actions);
        }
        Ok(())
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn set_gravity(&mut self, gravity: DVec3) {
        self.gravity = gravity;
        self.params.gravity = gravity;
    }

    fn set_wind(&mut self, wind: Option<Arc<dyn Wind>>) {
        self.wind = wind;
    }

    fn set_base(&mut self, tree: usize, base: Base) {
        self.bases[tree].next = base;
    }

    fn touch_impulses(&self) -> &[DVec3] {
        &self.impulses
    }

    fn write_pose(&self, pose: &mut Pose) {
        let trees = self.bases.len();
        // Positions of a pose are relative to the origin of the tree.
        let place = |id: usize| {
            let (anchor, position, orientation) = self.frame(id);
            let from = if (anchor as usize) < trees {
                self.bases[anchor as usize].now.position
            } else {
                self.anchor_position(anchor) - self.plant.trees()[self.plant.tree_index(BodyId(id as u32))].origin
            };
            ((from + position.f64()).as_vec3(), orientation.f64().as_quat())
        };
        let bodies = (0..self.plant.body_count()).into_par_iter().with_min_len(BODIES_PER_TASK);
        bodies.map(place).unzip_into_vecs(&mut pose.positions, &mut pose.orientations);
    }

    fn motion(&self, body: BodyId) -> BodyMotion {
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
        let felt = carrier.felt + alpha.cross(arm) + omega.cross(omega.cross(arm));
        BodyMotion {
            joint: from + joint.f64(),
            center: from + center.f64(),
            velocity: (carrier.velocity + omega.cross(arm)).f64(),
            acceleration: felt.f64() + self.gravity,
            orientation: orientation.f64(),
            angular_velocity: omega.f64(),
            angular_acceleration: alpha.f64(),
        }
    }

    fn joint_load(&self, body: BodyId) -> JointLoad {
        let place = self.places[body.0 as usize];
        if place.block == ON_BASE {
            return JointLoad::default();
        }
        let block = self.block(place.block);
        let i = place.index as usize;
        if block.ids[i] != body.0 {
            return JointLoad::default();
        }
        let reaction = block.reactions.get(i);
        JointLoad { torque: reaction.torque.f64(), force: reaction.force.f64() }
    }
}

impl<T: Real> World<T> {
    /// The rotation of a joint from its relaxed frame to the body's frame, child's axes.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn joint_rotation(&self, body: BodyId) -> DQuat {
        self.joint_table_entry(body).1.f64()
    }

    /// Turns a joint, and gives it an angular velocity relative to its parent, in the child's axes, rad/s. Nothing happens to
    /// bodies that are not simulated.
    ///
    /// # Panics
    /// If the plant has no such body, a number is not finite, or the rotation is no rotation (a zero quaternion).
    pub fn set_joint(&mut self, body: BodyId, rotation: DQuat, velocity: DVec3) {
        let is_rotation = rotation.is_finite() && rotation.length_squared() > 0.0;
        assert!(is_rotation && Vec3::<T>::of(velocity).is_finite(), "joint {}: {rotation}, {velocity} rad/s", body.0);
        let place = self.places[body.0 as usize];
        if place.block == ON_BASE || self.block(place.block).ids[place.index as usize] != body.0 {
            return;
        }
        let state = JointState { q: Quat::of(rotation), w: Vec3::of(velocity), rate: Vec3::zero() };
        self.block_mut(place.block).states.set(place.index as usize, state);
        self.replace_all();
    }

    fn joint_table_entry(&self, body: BodyId) -> (u32, Quat<T>) {
        let place = self.places[body.0 as usize];
        if place.block != ON_BASE {
            let block = self.block(place.block);
            if block.ids[place.index as usize] == body.0 {
                return (place.index, block.states.get(place.index as usize).q);
            }
        }
        (place.index, self.resting[body.0 as usize].state.q)
    }
}
