//! Optional capabilities of solvers. A solver without one returns `None`, and the caller reports that to
//! the user.

use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyRef, InvalidPlant, JointLoad, Plant};

use crate::strengths::{Overload, Strengths};

/// Loads of all joints over the last step.
pub trait JointLoads {
    /// Load of one joint.
    fn joint_load(&self, body: BodyRef) -> JointLoad;

    /// Loads of all joints of an instance, in the order of ids.
    fn write_joint_loads(&self, instance: u32, loads: &mut Vec<JointLoad>);
}

/// Position and orientation of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyPlace {
    /// Position of its joint, world metres.
    pub joint: DVec3,
    /// World from body.
    pub orientation: DQuat,
}

impl BodyPlace {
    /// Transforms a point from body axes to the world.
    pub fn point(&self, body_point: DVec3) -> DVec3 {
        self.joint + self.orientation * body_point
    }

    /// Transforms a point from the world to body axes, from the joint.
    pub fn local(&self, point: DVec3) -> DVec3 {
        self.orientation.conjugate() * (point - self.joint)
    }
}

/// Response of trees to contacts: [`crate::Touch`] and [`crate::PieceContact`] with the response of the
/// whole tree.
pub trait ContactResponse {
    /// Placement of a body; cheaper than its whole motion.
    fn place(&self, body: BodyRef) -> BodyPlace;

    /// Velocity of a point of a body (body axes, m), m/s.
    fn velocity_at(&self, body: BodyRef, point: DVec3) -> DVec3;

    /// Velocity of a point at the time of the velocities that a step begins with, which touches change. In
    /// a leapfrog these are half a step old.
    fn velocity_before_step(&self, body: BodyRef, point: DVec3) -> DVec3;

    /// Impulse of each of the last step's touches on its body, world axes, N s.
    fn touch_impulses(&self) -> &[DVec3];

    /// Whether positions advance with the velocities of the end of a step. If not, bodies in contact may
    /// overlap at the end.
    fn moves_with_new_velocity(&self, body: BodyRef) -> bool;

    /// Translates a broken-off piece, world axes, m, to remove an overlap.
    fn shift_piece(&mut self, piece: BodyRef, way: DVec3);
}

/// Breaking and removal of bodies.
pub trait Breakable {
    /// The bodies that broke off, in order of time. Each is the root of its piece.
    fn pieces(&self) -> &[BodyRef];

    /// Whether a body was cut off its parent, or was removed.
    fn is_loose(&self, body: BodyRef) -> bool;

    /// Whether any body was removed.
    fn any_removed(&self) -> bool;

    /// Finds all simulated joints whose load is above their strength, in the order of instances and ids.
    /// Solvers may cache derived data until the strengths change.
    fn overloads(&mut self, strengths: &Strengths, found: &mut Vec<Overload>);

    /// Cuts bodies off their parents; their subtrees go with them. Bodies that were cut off before stay as
    /// they are.
    fn release(&mut self, bodies: &[BodyRef]);

    /// Removes leaves and fruit from the simulation: they have no weight and no drag any more. In poses
    /// they stay where they were.
    fn remove(&mut self, bodies: &[BodyRef]);
}

/// Joint coordinates as plain numbers: recorded by a loop, which then pulls joints towards them.
pub trait JointAccess {
    /// Number of coordinates of each joint.
    fn numbers_per_joint(&self) -> usize;

    /// Writes the coordinates of all joints in the order of ids, instance by instance.
    fn write_joints(&self, numbers: &mut Vec<f32>);

    /// Moves every joint towards these coordinates, by this share of the difference, from 0 to 1.
    fn pull_joints(&mut self, numbers: &[f32], share: f64);

    /// The rotation of a joint from its relaxed frame to the frame of the body, child's axes.
    fn joint_rotation(&self, body: BodyRef) -> DQuat;

    /// Sets a joint's rotation from its relaxed frame and its angular velocity relative to the parent,
    /// child's axes, rad/s.
    fn set_joint(&mut self, body: BodyRef, rotation: DQuat, velocity: DVec3);
}

/// The rest shape, in which springs are relaxed.
pub trait RestShape {
    /// Makes the present shape the rest shape, with zero velocity.
    fn adopt_shape(&mut self);

    /// A plant with the same bodies whose rest shape is the present shape.
    fn plant_in_present_shape(&self) -> Result<Plant, InvalidPlant>;
}
