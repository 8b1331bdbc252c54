//! The stage as a [`Solver`]: exporters, pictures and players need no separate code for stages.

use std::ops::Range;
use std::sync::Arc;

use windfall_core::glam::DVec3;
use windfall_core::{BodyMotion, BodyRef, Plant, Pose};
use windfall_free::Name;
use windfall_solver::{
    Base, Breakable, ContactResponse, JointAccess, JointLoads, Params, ParamsError, Placement, PoseRequest, RestShape,
    Selection, Snapshot, SnapshotError, Solver, StepError, StepInput, Unsupported,
};

use super::{Settings, Stage};

impl Solver for Stage {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn plant(&self) -> &Arc<Plant> {
        self.solver.plant()
    }

    fn placements(&self) -> &[Placement] {
        self.solver.placements()
    }

    fn time(&self) -> f64 {
        self.solver.time()
    }

    fn step(&mut self, dt: f64, input: &mut StepInput<'_>) -> Result<(), StepError> {
        self.take_step(dt, input)
    }

    fn check(&self, dt: f64, input: &StepInput<'_>) -> Result<(), StepError> {
        self.check_input(dt, input)
    }

    fn write_pose(&self, request: PoseRequest<'_>, pose: &mut Pose) {
        self.solver.write_pose(request, pose);
        let (plant, placement) = (self.plant(), self.placements()[request.instance as usize]);
        let back = placement.orientation.inverse();
        for body in self.bodies.iter() {
            let Name::Plant(name) = body.name else { continue };
            if name.instance == request.instance && request.asks_for(plant, name.id) {
                let origin = plant.trees()[plant.tree_index(name.id)].origin;
                let (mut position, mut orientation) = (body.origin(), body.orientation);
                if placement != Placement::GROWN {
                    (position, orientation) = (back * (position - placement.position), back * orientation);
                }
                pose.positions[name.id.0 as usize] = (position - origin).as_vec3();
                pose.orientations[name.id.0 as usize] = orientation.as_quat();
            }
        }
    }

    fn motion(&self, body: BodyRef) -> BodyMotion {
        let Some(free) = self.bodies.get(Name::Plant(body)) else { return self.solver.motion(body) };
        BodyMotion {
            joint: free.origin(),
            center: free.position,
            velocity: free.velocity,
            acceleration: DVec3::ZERO,
            orientation: free.orientation,
            angular_velocity: free.angular_velocity,
            angular_acceleration: DVec3::ZERO,
        }
    }

    fn force_window(&self, body: BodyRef, dt: f64) -> Range<f64> {
        self.solver.force_window(body, dt)
    }

    fn base(&self, instance: u32, tree: usize) -> Base {
        self.solver.base(instance, tree)
    }

    fn params(&self) -> &Params {
        self.solver.params()
    }

    fn set_params(&mut self, params: &Params) -> Result<(), ParamsError> {
        self.set_params(params)
    }

    fn selection(&self) -> &Selection {
        self.solver.selection()
    }

    fn select(&mut self, selection: &Selection) -> Result<(), Unsupported> {
        self.solver.select(selection)
    }

    fn simulated_bodies(&self) -> usize {
        self.solver.simulated_bodies()
    }

    fn bytes(&self) -> usize {
        self.solver.bytes()
    }

    fn energy(&self) -> Option<f64> {
        self.solver.energy()
    }

    fn snapshot(&self) -> Snapshot {
        // The solver saves itself; everything else of a stage is small.
        Snapshot::new("stage", self.time(), (self.without_solver(), self.solver.snapshot()))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let (around, solver): &(Around, Snapshot) = snapshot.state()?;
        self.solver.restore(solver)?;
        self.put_around(around);
        Ok(())
    }

    fn take_over(&mut self, other: &dyn Solver) -> Result<(), Unsupported> {
        self.solver.take_over(other)
    }

    fn loads(&self) -> Option<&dyn JointLoads> {
        self.solver.loads()
    }

    /// Touches of bodies, obstacles and creatures come after those of the caller.
    fn contact(&self) -> Option<&dyn ContactResponse> {
        self.solver.contact()
    }

    fn contact_mut(&mut self) -> Option<&mut dyn ContactResponse> {
        self.solver.contact_mut()
    }

    fn breakable(&self) -> Option<&dyn Breakable> {
        self.solver.breakable()
    }

    fn breakable_mut(&mut self) -> Option<&mut dyn Breakable> {
        self.solver.breakable_mut()
    }

    fn joints(&self) -> Option<&dyn JointAccess> {
        self.solver.joints()
    }

    fn joints_mut(&mut self) -> Option<&mut dyn JointAccess> {
        self.solver.joints_mut()
    }

    fn rest_shape(&mut self) -> Option<&mut dyn RestShape> {
        self.solver.rest_shape()
    }

    fn duplicate(&self) -> Box<dyn Solver> {
        Box::new(self.clone())
    }
}

/// The state of a stage besides its solver.
struct Around {
    bodies: windfall_free::FreeBodies,
    obstacles: windfall_free::Obstacles,
    settings: Settings,
    breaking: super::breaking::Breaking,
    creatures: Vec<super::Creature>,
    events: Vec<super::Event>,
    free_contact: super::free_contact::Memory,
    piece_contact: super::piece_contact::Memory,
    ground_contact: super::ground_contact::Memory,
}

impl Stage {
    fn without_solver(&self) -> Around {
        Around {
            bodies: self.bodies.clone(),
            obstacles: self.obstacles.clone(),
            settings: self.settings,
            breaking: self.breaking.clone(),
            creatures: self.creatures.clone(),
            events: self.events.clone(),
            free_contact: self.free_contact.clone(),
            piece_contact: self.piece_contact.clone(),
            ground_contact: self.ground_contact.clone(),
        }
    }

    fn put_around(&mut self, around: &Around) {
        self.bodies = around.bodies.clone();
        self.obstacles = around.obstacles.clone();
        self.settings = around.settings;
        self.breaking = around.breaking.clone();
        self.creatures.clone_from(&around.creatures);
        self.events.clone_from(&around.events);
        self.free_contact = around.free_contact.clone();
        self.piece_contact = around.piece_contact.clone();
        self.ground_contact = around.ground_contact.clone();
    }
}
