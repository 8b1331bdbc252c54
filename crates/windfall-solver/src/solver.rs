//! The interface of every solver, with its optional capabilities.
//!
//! A solver is the model and the state of the trees of one plant. The external input of a step (gravity,
//! air, moving ground, forces) belongs to the caller and comes with the step ([`StepInput`]): a solver
//! keeps none of it.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyMotion, BodyRef, Plant, Pose};

use crate::base::Base;
use crate::capabilities::{Breakable, ContactResponse, JointAccess, JointLoads, RestShape};
use crate::error::{StepError, Unsupported};
use crate::input::StepInput;
use crate::params::{Params, ParamsError};
use crate::pose::PoseRequest;
use crate::selection::Selection;
use crate::snapshot::{Snapshot, SnapshotError};

/// Moves the trees of one plant, which may stand at several places.
///
/// # Panics
/// Methods that take a [`BodyRef`] panic if there is no such instance or body. Steps don't: they check what
/// they are given.
pub trait Solver: Any + Send + Sync {
    /// The name of the method in scene files and on the command line.
    fn name(&self) -> &'static str;

    /// The plant of the solver.
    fn plant(&self) -> &Arc<Plant>;

    /// Placements of the instances of the plant; one at the place where it was grown for most solvers.
    fn placements(&self) -> &[Placement] {
        &[Placement::GROWN]
    }

    /// Seconds since the start.
    fn time(&self) -> f64;

    /// Advances everything by `dt` seconds. After an error nothing has changed.
    fn step(&mut self, dt: f64, input: &mut StepInput<'_>) -> Result<(), StepError>;

    /// Whether such a step would be accepted: the checks of [`Solver::step`] before anything changes.
    fn check(&self, dt: f64, input: &StepInput<'_>) -> Result<(), StepError>;

    /// Writes the placements of the requested bodies, in the frame of their instance; the others stay
    /// unchanged in `pose`. A pose of another size is filled with the rest pose first.
    fn write_pose(&self, request: PoseRequest<'_>, pose: &mut Pose);

    /// The full state of one body.
    fn motion(&self, body: BodyRef) -> BodyMotion;

    /// The time range, s, over which the input of the next step of `dt` seconds acts on a body. In a
    /// leapfrog, forces act from the middle of the last step to the middle of this one.
    fn force_window(&self, body: BodyRef, dt: f64) -> Range<f64> {
        let _ = body;
        self.time()..self.time() + dt
    }

    /// Where the ground under a tree of an instance was at the end of the last step.
    fn base(&self, instance: u32, tree: usize) -> Base {
        let _ = (instance, tree);
        Base::default()
    }

    /// The parameters in force.
    fn params(&self) -> &Params;

    /// Replaces the parameters and keeps the motion. After an error nothing has changed.
    fn set_params(&mut self, params: &Params) -> Result<(), ParamsError>;

    /// The selection of simulated bodies.
    fn selection(&self) -> &Selection;

    /// Selects the simulated bodies from now on; the others move rigidly with them.
    fn select(&mut self, selection: &Selection) -> Result<(), Unsupported>;

    /// Number of simulated bodies over all instances.
    fn simulated_bodies(&self) -> usize;

    /// Memory of its model, state and scratch, bytes; without the plant.
    fn bytes(&self) -> usize;

    /// Mechanical energy of all simulated bodies, J, if the method can compute it.
    fn energy(&self) -> Option<f64> {
        None
    }

    /// Saves the present state, with parameters, selection and rest shape.
    fn snapshot(&self) -> Snapshot;

    /// Restores a saved state. An error if the snapshot belongs to another method, precision or plant;
    /// nothing has changed then.
    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError>;

    /// Takes over the motion of another solver of the same plant: its time, positions, velocities, selection
    /// and pieces, and its rest shape if both methods can say it. The parameters stay.
    fn take_over(&mut self, other: &dyn Solver) -> Result<(), Unsupported> {
        let _ = other;
        Err(Unsupported { solver: self.name(), what: "going on with the motion of another solver" })
    }

    /// Loads of joints.
    fn loads(&self) -> Option<&dyn JointLoads> {
        None
    }

    /// Response of bodies to contacts.
    fn contact(&self) -> Option<&dyn ContactResponse> {
        None
    }

    /// Mutable access to the contact response.
    fn contact_mut(&mut self) -> Option<&mut dyn ContactResponse> {
        None
    }

    /// Breaking of joints.
    fn breakable(&self) -> Option<&dyn Breakable> {
        None
    }

    /// Mutable access to breaking.
    fn breakable_mut(&mut self) -> Option<&mut dyn Breakable> {
        None
    }

    /// Joint coordinates.
    fn joints(&self) -> Option<&dyn JointAccess> {
        None
    }

    /// Mutable access to joint coordinates.
    fn joints_mut(&mut self) -> Option<&mut dyn JointAccess> {
        None
    }

    /// Mutable access to the rest shape.
    fn rest_shape(&mut self) -> Option<&mut dyn RestShape> {
        None
    }

    /// The pose of all bodies of the first instance.
    fn pose(&self) -> Pose {
        let mut pose = Pose::default();
        self.write_pose(PoseRequest::default(), &mut pose);
        pose
    }

    /// A copy with the same state, for undo and trials.
    fn duplicate(&self) -> Box<dyn Solver>;
}

/// Placement of an instance: its displacement from where the plant was grown, and its rotation about the
/// origin of the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// World metres.
    pub position: DVec3,
    /// World from plant.
    pub orientation: DQuat,
}

impl Placement {
    /// The place where the plant was grown.
    pub const GROWN: Self = Self { position: DVec3::ZERO, orientation: DQuat::IDENTITY };

    /// Transforms a point of the grown plant to the world.
    pub fn point(&self, grown: DVec3) -> DVec3 {
        self.position + self.orientation * grown
    }
}
