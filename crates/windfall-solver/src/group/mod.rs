//! A solver made of several: every instance of a plant is moved by one of its members.
//!
//! Each member simulates its plant where it was grown. The group places it: inputs (gravity, air, ground,
//! actions) are transformed into the frame of the member, and outputs back. So near trees can use one
//! method and far trees another, and a forest of one plant needs no copy of it. A group has no rest shape
//! that could be edited, because its members share the plant; a member changes by [`Group::replace`].

mod frame;
mod parts;

use std::ops::Range;
use std::sync::Arc;

use windfall_core::glam::DVec3;
use windfall_core::{BodyMotion, BodyRef, Plant, Pose};

use self::frame::{PlacedBases, PlacedFlow, PlacedWind, local_actions, world_motion};
use crate::base::Base;
use crate::capabilities::{Breakable, ContactResponse, JointAccess, JointLoads};
use crate::error::{StepError, Unsupported};
use crate::flow::{Shared, StillFlow};
use crate::input::{Air, StepInput};
use crate::params::{Params, ParamsError};
use crate::pose::PoseRequest;
use crate::selection::Selection;
use crate::snapshot::{Snapshot, SnapshotError};
use crate::solver::{Placement, Solver};
use crate::wind::Wind;

/// Name of the group as a solver.
const NAME: &str = "group";

/// A solver made of several; see the head of the module.
pub struct Group {
    members: Vec<Member>,
    placements: Vec<Placement>,
    impulses: Vec<DVec3>,
    pieces: Vec<BodyRef>,
}

/// One instance and the solver that moves it.
struct Member {
    solver: Box<dyn Solver>,
    placement: Placement,
    /// The wind of the last step, and the same in the frame of the member: solvers identify winds by their
    /// pointers.
    wind: Option<(Arc<dyn Wind>, Arc<dyn Wind>)>,
}

/// Why solvers can't form a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GroupError {
    /// There are no solvers.
    #[error("a group needs at least one solver")]
    Empty,
    /// A solver moves another plant, or several instances.
    #[error("member {member} must move one instance of the plant of the first member")]
    OtherPlant {
        /// Its index, from 0.
        member: usize,
    },
    /// The solvers are at different times.
    #[error("member {member} is at another time than the first; make all from the start, or restore them at one time")]
    OtherTime {
        /// Index of the first that differs, from 0.
        member: usize,
    },
}

impl Group {
    /// Places solvers of one plant.
    pub fn new(members: Vec<(Box<dyn Solver>, Placement)>) -> Result<Self, GroupError> {
        let Some((first, _)) = members.first() else { return Err(GroupError::Empty) };
        let (plant, time) = (first.plant().clone(), first.time());
        for (i, (solver, _)) in members.iter().enumerate() {
            if !Arc::ptr_eq(solver.plant(), &plant) && **solver.plant() != *plant || solver.placements().len() != 1 {
                return Err(GroupError::OtherPlant { member: i });
            }
            if solver.time() != time {
                return Err(GroupError::OtherTime { member: i });
            }
        }
        let placements = members.iter().map(|(_, placement)| *placement).collect();
        let members = members.into_iter().map(|(solver, placement)| Member { solver, placement, wind: None });
        let mut group = Self { members: members.collect(), placements, impulses: Vec::new(), pieces: Vec::new() };
        group.list_pieces();
        Ok(group)
    }

    /// The solver that moves an instance.
    ///
    /// # Panics
    /// If there is no such instance.
    pub fn member(&self, instance: u32) -> &dyn Solver {
        &*self.members[instance as usize].solver
    }

    /// Replaces the solver of an instance, for a tree that comes near or goes away. The new solver takes
    /// over the motion of the old one.
    ///
    /// # Panics
    /// If there is no such instance.
    pub fn replace(&mut self, instance: u32, mut solver: Box<dyn Solver>) -> Result<(), Unsupported> {
        let member = &mut self.members[instance as usize];
        solver.take_over(&*member.solver)?;
        member.solver = solver;
        self.list_pieces();
        Ok(())
    }

    fn at(&self, body: BodyRef) -> (&Member, BodyRef) {
        (&self.members[body.instance as usize], body.id.into())
    }

    fn at_mut(&mut self, body: BodyRef) -> (&mut Member, BodyRef) {
        (&mut self.members[body.instance as usize], body.id.into())
    }

    fn list_pieces(&mut self) {
        self.pieces.clear();
        for (instance, member) in (0..).zip(&self.members) {
            let own = member.solver.breakable().map_or(&[][..], Breakable::pieces);
            self.pieces.extend(own.iter().map(|piece| BodyRef { instance, id: piece.id }));
        }
    }
}

impl Member {
    /// A wind in the frame of the member. The pointer is that of the last step if the wind is the same.
    fn local_wind(&mut self, wind: &Arc<dyn Wind>) -> Arc<dyn Wind> {
        match &self.wind {
            Some((known, local)) if Arc::ptr_eq(known, wind) => local.clone(),
            _ if self.placement == Placement::GROWN => wind.clone(),
            _ => {
                let local: Arc<dyn Wind> = Arc::new(PlacedWind { wind: wind.clone(), placement: self.placement });
                self.wind = Some((wind.clone(), local.clone()));
                local
            }
        }
    }

    /// Whether this member would take such a step.
    fn check(&self, instance: u32, dt: f64, input: &StepInput<'_>) -> Result<(), StepError> {
        let placement = self.placement;
        let bases = input.bases.map(|all| PlacedBases { all, instance, placement });
        let bases = bases.as_ref().map(|bases| bases as &dyn crate::base::Bases);
        let own = local_actions(&input.actions, instance, &placement);
        let gravity = placement.orientation.inverse() * input.gravity;
        // A member that takes no flow must say so before the others move.
        let mut still = StillFlow;
        let air = if matches!(input.air, Air::Coupled(_)) { Air::Coupled(&mut still) } else { Air::Vacuum };
        self.solver.check(dt, &StepInput { gravity, air, bases, actions: own.actions() })
    }

    /// Calls `then` with the part of the input for this member, in its frame.
    fn with_input<A>(
        &mut self,
        instance: u32,
        input: &mut StepInput<'_>,
        then: impl FnOnce(&mut dyn Solver, &mut StepInput<'_>) -> A,
    ) -> A {
        let placement = self.placement;
        let bases = input.bases.map(|all| PlacedBases { all, instance, placement });
        let bases = bases.as_ref().map(|bases| bases as &dyn crate::base::Bases);
        let own = local_actions(&input.actions, instance, &placement);
        let wind = input.air.wind().cloned().map(|wind| self.local_wind(&wind));
        let gravity = placement.orientation.inverse() * input.gravity;
        let mut flow;
        let mut shared;
        let air = match (&mut input.air, &wind) {
            (Air::Coupled(all), _) => {
                shared = Shared(&mut **all);
                flow = PlacedFlow { flow: &mut shared, placement };
                Air::Coupled(&mut flow)
            }
            (_, Some(wind)) => Air::Prescribed(wind),
            _ => Air::Vacuum,
        };
        then(&mut *self.solver, &mut StepInput { gravity, air, bases, actions: own.actions() })
    }
}

impl Solver for Group {
    fn name(&self) -> &'static str {
        NAME
    }

    fn plant(&self) -> &Arc<Plant> {
        self.members[0].solver.plant()
    }

    fn placements(&self) -> &[Placement] {
        &self.placements
    }

    fn time(&self) -> f64 {
        self.members[0].solver.time()
    }

    fn step(&mut self, dt: f64, input: &mut StepInput<'_>) -> Result<(), StepError> {
        self.check(dt, input)?;
        self.impulses.clear();
        self.impulses.resize(input.actions.touches.len(), DVec3::ZERO);
        for (instance, member) in (0..).zip(&mut self.members) {
            member.with_input(instance, input, |solver, input| solver.step(dt, input))?;
            let own = input.actions.touches.iter().zip(&mut self.impulses).filter(|(t, _)| t.body.instance == instance);
            let given = member.solver.contact().map_or(&[][..], ContactResponse::touch_impulses);
            for ((_, impulse), given) in own.zip(given) {
                *impulse = member.placement.orientation * *given;
            }
        }
        if let Air::Coupled(flow) = &mut input.air {
            flow.advance(dt);
        }
        Ok(())
    }

    fn check(&self, dt: f64, input: &StepInput<'_>) -> Result<(), StepError> {
        crate::error::check_step(dt)?;
        input.actions.check(self.members.len(), self.plant().body_count())?;
        let apart = |contact: &&crate::PieceContact| contact.sides[0].0.instance != contact.sides[1].0.instance;
        if input.actions.piece_contacts.iter().any(|contact| apart(&contact)) {
            return Err(Unsupported { solver: NAME, what: "pieces of one instance that hit another" }.into());
        }
        (0..).zip(&self.members).try_for_each(|(instance, member)| member.check(instance, dt, input))
    }

    fn write_pose(&self, request: PoseRequest<'_>, pose: &mut Pose) {
        let own = PoseRequest { instance: 0, ..request };
        self.members[request.instance as usize].solver.write_pose(own, pose);
    }

    fn motion(&self, body: BodyRef) -> BodyMotion {
        let (member, own) = self.at(body);
        world_motion(&member.placement, &member.solver.motion(own))
    }

    fn force_window(&self, body: BodyRef, dt: f64) -> Range<f64> {
        let (member, own) = self.at(body);
        member.solver.force_window(own, dt)
    }

    fn base(&self, instance: u32, tree: usize) -> Base {
        let member = &self.members[instance as usize];
        let turn = member.placement.orientation;
        frame::turned_base(&member.solver.base(0, tree), turn)
    }

    fn params(&self) -> &Params {
        self.members[0].solver.params()
    }

    fn set_params(&mut self, params: &Params) -> Result<(), ParamsError> {
        // Parameters are the same for all: if the first accepts them, so do the others.
        self.members.iter_mut().try_for_each(|member| member.solver.set_params(params))
    }

    fn selection(&self) -> &Selection {
        self.members[0].solver.selection()
    }

    fn select(&mut self, selection: &Selection) -> Result<(), Unsupported> {
        let before: Vec<Selection> = self.members.iter().map(|member| member.solver.selection().clone()).collect();
        for i in 0..self.members.len() {
            if let Err(error) = self.members[i].solver.select(selection) {
                for (member, before) in self.members[..i].iter_mut().zip(&before) {
                    member.solver.select(before)?;
                }
                return Err(error);
            }
        }
        Ok(())
    }

    fn simulated_bodies(&self) -> usize {
        self.members.iter().map(|member| member.solver.simulated_bodies()).sum()
    }

    fn bytes(&self) -> usize {
        self.members.iter().map(|member| member.solver.bytes()).sum()
    }

    fn energy(&self) -> Option<f64> {
        self.members.iter().map(|member| member.solver.energy()).sum()
    }

    fn snapshot(&self) -> Snapshot {
        let all: Vec<Snapshot> = self.members.iter().map(|member| member.solver.snapshot()).collect();
        Snapshot::new(NAME, self.time(), all)
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let all: &Vec<Snapshot> = snapshot.state()?;
        if all.len() != self.members.len() {
            return Err(SnapshotError::OtherPlant);
        }
        let before: Vec<Snapshot> = self.members.iter().map(|member| member.solver.snapshot()).collect();
        for (i, snapshot) in all.iter().enumerate() {
            if let Err(error) = self.members[i].solver.restore(snapshot) {
                for (member, before) in self.members[..i].iter_mut().zip(&before) {
                    member.solver.restore(before)?;
                }
                return Err(error);
            }
        }
        self.list_pieces();
        Ok(())
    }

    fn loads(&self) -> Option<&dyn JointLoads> {
        self.members.iter().all(|member| member.solver.loads().is_some()).then_some(self)
    }

    fn contact(&self) -> Option<&dyn ContactResponse> {
        self.members.iter().all(|member| member.solver.contact().is_some()).then_some(self)
    }

    fn contact_mut(&mut self) -> Option<&mut dyn ContactResponse> {
        if self.contact().is_some() { Some(self) } else { None }
    }

    fn breakable(&self) -> Option<&dyn Breakable> {
        self.members.iter().all(|member| member.solver.breakable().is_some()).then_some(self)
    }

    fn breakable_mut(&mut self) -> Option<&mut dyn Breakable> {
        if self.breakable().is_some() { Some(self) } else { None }
    }

    fn joints(&self) -> Option<&dyn JointAccess> {
        // Members of different kinds may have different coordinates.
        let numbers = |member: &Member| member.solver.joints().map(JointAccess::numbers_per_joint);
        let first = numbers(&self.members[0])?;
        self.members.iter().all(|member| numbers(member) == Some(first)).then_some(self)
    }

    fn joints_mut(&mut self) -> Option<&mut dyn JointAccess> {
        if self.joints().is_some() { Some(self) } else { None }
    }

    fn duplicate(&self) -> Box<dyn Solver> {
        let copy = |member: &Member| Member {
            solver: member.solver.duplicate(),
            placement: member.placement,
            wind: member.wind.clone(),
        };
        Box::new(Self {
            members: self.members.iter().map(copy).collect(),
            placements: self.placements.clone(),
            impulses: self.impulses.clone(),
            pieces: self.pieces.clone(),
        })
    }
}
