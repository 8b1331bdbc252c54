//! A solver without any optional capability, for tests of what asks for them.

use std::sync::Arc;

use windfall_core::{BodyMotion, BodyRef, Plant, Pose};
use windfall_solver::{
    Air, Base, Params, ParamsError, Placement, PoseRequest, Selection, Snapshot, SnapshotError, Solver, StepError,
    StepInput, Unsupported,
};

/// Moves as another solver, but says nothing of joints, takes no touches, breaks nothing, moves all bodies,
/// and gives nothing back to the air.
pub struct Bare(pub Box<dyn Solver>);

impl Solver for Bare {
    fn name(&self) -> &'static str {
        "bare"
    }

    fn plant(&self) -> &Arc<Plant> {
        self.0.plant()
    }

    fn placements(&self) -> &[Placement] {
        self.0.placements()
    }

    fn time(&self) -> f64 {
        self.0.time()
    }

    fn step(&mut self, dt: f64, input: &mut StepInput<'_>) -> Result<(), StepError> {
        self.check(dt, input)?;
        self.0.step(dt, input)
    }

    fn check(&self, dt: f64, input: &StepInput<'_>) -> Result<(), StepError> {
        if matches!(input.air, Air::Coupled(_)) {
            return Err(Unsupported { solver: self.name(), what: "coupled air" }.into());
        }
        self.0.check(dt, input)
    }

    fn write_pose(&self, request: PoseRequest<'_>, pose: &mut Pose) {
        self.0.write_pose(request, pose);
    }

    fn motion(&self, body: BodyRef) -> BodyMotion {
        self.0.motion(body)
    }

    fn base(&self, instance: u32, tree: usize) -> Base {
        self.0.base(instance, tree)
    }

    fn params(&self) -> &Params {
        self.0.params()
    }

    fn set_params(&mut self, params: &Params) -> Result<(), ParamsError> {
        self.0.set_params(params)
    }

    fn selection(&self) -> &Selection {
        self.0.selection()
    }

    fn select(&mut self, _: &Selection) -> Result<(), Unsupported> {
        Err(Unsupported { solver: self.name(), what: "selections" })
    }

    fn simulated_bodies(&self) -> usize {
        self.0.simulated_bodies()
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    fn snapshot(&self) -> Snapshot {
        self.0.snapshot()
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        self.0.restore(snapshot)
    }

    fn duplicate(&self) -> Box<dyn Solver> {
        Box::new(Self(self.0.duplicate()))
    }
}
