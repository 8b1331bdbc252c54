//! What every solver can do, whatever its method: one interface, so that one can replace another.
//!
//! A solver takes [`Actions`] (forces, hands) and [`Base`] motions for a step, and gives a [`Pose`], the full
//! [`BodyMotion`] of any body, and the [`JointLoad`] that every joint carried.

mod actions;
mod base;
mod error;

use std::sync::Arc;

use glam::{DQuat, DVec3};

pub use actions::{Actions, Grab, Load, Touch};
pub use base::Base;
pub use error::{LONGEST_STEP, SHORTEST_STEP, StepError, check_step};

use crate::plant::{BodyId, Plant};
use crate::pose::Pose;
use crate::wind::Wind;

/// Moves the trees of one plant.
pub trait Solver {
    /// The plant that it moves.
    fn plant(&self) -> &Plant;

    /// Moves everything by `dt` seconds under gravity, springs and these actions.
    fn step(&mut self, dt: f64, actions: &Actions<'_>) -> Result<(), StepError>;

    /// Seconds since the start.
    fn time(&self) -> f64;

    /// Acceleration of free fall, m/s².
    fn set_gravity(&mut self, gravity: DVec3);

    /// The air that the bodies move in from now on; none is a vacuum. Drag, lift and their loads on the wood follow from it.
    fn set_wind(&mut self, wind: Option<Arc<dyn Wind>>);

    /// Where the foot of this tree will be at the end of the next step, and how it moves there. Stays until it is set
    /// again.
    ///
    /// # Panics
    /// If the plant has no such tree.
    fn set_base(&mut self, tree: usize, base: Base);

    /// Writes where every body is now.
    fn write_pose(&self, pose: &mut Pose);

    /// The full state of one body.
    ///
    /// # Panics
    /// If the plant has no such body.
    fn motion(&self, body: BodyId) -> BodyMotion;

    /// What the joint of this body carried over the last step.
    ///
    /// # Panics
    /// If the plant has no such body.
    fn joint_load(&self, body: BodyId) -> JointLoad;

    /// The impulse that every one of the last step's touches gave to its body, world axes, N s.
    fn touch_impulses(&self) -> &[DVec3];

    /// Where every body is now.
    fn pose(&self) -> Pose {
        let mut pose = Pose::default();
        self.write_pose(&mut pose);
        pose
    }
}

/// The state of one rigid body in world axes: (x, v, a, R, omega, alpha) of quigley2017, section 3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyMotion {
    /// Its joint, world metres.
    pub joint: DVec3,
    /// Its centre of mass, world metres (x).
    pub center: DVec3,
    /// Velocity of the centre of mass, m/s (v).
    pub velocity: DVec3,
    /// Acceleration of the centre of mass, m/s² (a).
    pub acceleration: DVec3,
    /// Rotates body axes to world axes (R).
    pub orientation: DQuat,
    /// Angular velocity, rad/s (omega).
    pub angular_velocity: DVec3,
    /// Angular acceleration, rad/s² (alpha).
    pub angular_acceleration: DVec3,
}

/// What the parent exerts on a body through their joint: the mean over the last step, in the body's own axes.
///
/// For wood x and z of the torque bend and y twists, to be held against [`crate::JointStrength`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointLoad {
    /// Torque about the joint, N m.
    pub torque: DVec3,
    /// Force at the joint, N.
    pub force: DVec3,
}
