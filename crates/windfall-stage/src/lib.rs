//! A solver with the surroundings of its trees: free bodies, the ground and obstacles, breaking wood,
//! detaching leaves and fruit, creatures.
//!
//! ```
//! use windfall_core::glam::DVec3;
//! use windfall_free::{FreeBody, Shape};
//! use windfall_solver::{Solver, StepInput};
//! use windfall_stage::{Settings, Stage};
//! # fn of(solver: Box<dyn Solver>) -> Result<(), Box<dyn std::error::Error>> {
//! let mut stage = Stage::new(solver, Settings::default())?;
//! let ball = Shape::Sphere { radius: 0.1 };
//! stage.throw(FreeBody::thrown(1, ball, 500.0, DVec3::new(0.3, 4.0, 0.0), DVec3::ZERO)?)?;
//! for _ in 0..90 {
//!     stage.step(1.0 / 30.0, &mut StepInput::new())?;
//!     for event in stage.events() {
//!         println!("{event:?}");
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A step is: find contacts, move the trees, move the free bodies, break overloaded joints. It is one
//! step of the trees unless a fast body is about to hit one. The stage uses its solver only through
//! [`windfall_solver::Solver`], and keeps its own state: strengths, free bodies, contacts, creatures.
//! Gravity and air come with each step.
//!
//! | module | contents |
//! |---|---|
//! | [`settings`] | breaking and collisions: which are simulated, and how |
//! | [`reach`] | reachable workspaces: bounds of all subtrees in any pose |
//! | `step` | one step: sub-steps, and the order of their parts |
//! | `free_contact` | contact of free bodies with trees |
//! | `piece_contact` | contact of broken-off pieces with trees |
//! | `ground_contact` | contact of pieces (and trees) with the ground and obstacles |
//! | `breaking` | fracture and detachment |
//! | [`creature`] | a mass that runs and leaps |

mod breaking;
pub mod creature;
mod error;
mod free_contact;
mod ground_contact;
mod piece_contact;
pub mod reach;
mod seam;
pub mod settings;
mod step;

use std::sync::Arc;

pub use creature::{Creature, CreatureError, Stop};
pub use error::StageError;
pub use settings::{CollisionMode, Collisions, Settings};
use windfall_core::glam::DVec3;
use windfall_core::{BodyRef, Plant};
use windfall_free::{FreeBodies, FreeBody, FreeError, Name, Obstacles};
use windfall_solver::{Breakable, Params, ParamsError, Solver, StepError, Unsupported};

use self::breaking::Breaking;
use self::reach::Reach;

/// An event of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// Wood broke: this body and its subtree are a separate piece now.
    Broke {
        /// Its innermost body.
        body: BodyRef,
        /// Load over strength; infinite if it was cut by the caller.
        used: f64,
        /// Time, s.
        time: f64,
    },
    /// A leaf or fruit detached and is a free body now.
    LetGo {
        /// The leaf or fruit.
        body: BodyRef,
        /// Load over strength; infinite if it was cut by the caller.
        used: f64,
        /// Time, s.
        time: f64,
    },
}

/// A solver with the surroundings of its trees; see the head of the module.
pub struct Stage {
    solver: Box<dyn Solver>,
    bodies: FreeBodies,
    obstacles: Obstacles,
    settings: Settings,
    breaking: Breaking,
    reach: Arc<Reach>,
    creatures: Vec<Creature>,
    events: Vec<Event>,
    /// Gravity of the present step, m/s².
    gravity: DVec3,
    free_contact: free_contact::Memory,
    piece_contact: piece_contact::Memory,
    ground_contact: ground_contact::Memory,
}

impl Stage {
    /// A stage for the trees of a solver, on level ground at the height 0.
    pub fn new(solver: Box<dyn Solver>, settings: Settings) -> Result<Self, StageError> {
        settings.check()?;
        settings.needs(&*solver)?;
        Ok(Self {
            breaking: Breaking::new(solver.params(), solver.plant()),
            reach: Arc::new(Reach::new(solver.plant())),
            solver,
            bodies: FreeBodies::new(),
            obstacles: Obstacles::ground(),
            settings,
            creatures: Vec::new(),
            events: Vec::new(),
            gravity: DVec3::ZERO,
            free_contact: free_contact::Memory::default(),
            piece_contact: piece_contact::Memory::default(),
            ground_contact: ground_contact::Memory::default(),
        })
    }

    /// The solver of the trees and of the pieces that broke off.
    pub fn solver(&self) -> &dyn Solver {
        &*self.solver
    }

    /// Mutable access to the solver. [`Stage::set_params`] sets parameters, [`Stage::cut`] cuts bodies off.
    pub fn solver_mut(&mut self) -> &mut dyn Solver {
        &mut *self.solver
    }

    /// Replaces the solver, which takes over the motion.
    pub fn replace_solver(&mut self, mut solver: Box<dyn Solver>) -> Result<(), StageError> {
        self.settings.needs(&*solver)?;
        solver.take_over(&*self.solver)?;
        self.breaking.renew(self.solver.params(), solver.params(), solver.plant());
        self.solver = solver;
        Ok(())
    }

    /// Replaces the parameters and keeps the motion.
    pub fn set_params(&mut self, params: &Params) -> Result<(), ParamsError> {
        let before = self.solver.params().clone();
        self.solver.set_params(params)?;
        self.breaking.renew(&before, params, self.solver.plant());
        Ok(())
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes the settings from now on.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), StageError> {
        settings.check()?;
        settings.needs(&*self.solver)?;
        self.settings = settings;
        Ok(())
    }

    /// The free bodies.
    pub fn bodies(&self) -> &FreeBodies {
        &self.bodies
    }

    /// The ground and other static obstacles.
    pub fn obstacles(&self) -> &Obstacles {
        &self.obstacles
    }

    /// Replaces the ground and obstacles.
    pub fn set_obstacles(&mut self, obstacles: Obstacles) {
        self.obstacles = obstacles;
        self.bodies.wake_all();
    }

    /// Adds a thrown body. An error if its name exists, or is that of a body of the plant.
    pub fn throw(&mut self, body: FreeBody) -> Result<(), StageError> {
        match body.name {
            Name::Thrown(_) => self.needs_contact("bodies that hit trees (or set collisions.mode to off)")?,
            Name::Plant(body) => return Err(FreeError::WrongKind { body: body.id.0, kind: "thrown body" }.into()),
        }
        Ok(self.bodies.add(body)?)
    }

    /// Removes a thrown body.
    pub fn take_away(&mut self, name: u32) -> Option<FreeBody> {
        self.bodies.remove(Name::Thrown(name))
    }

    /// Adds a creature.
    pub fn add_creature(&mut self, creature: Creature) -> Result<(), StageError> {
        if self.solver.contact().is_none() {
            return Err(Unsupported { solver: self.solver.name(), what: "creatures on branches" }.into());
        }
        creature.check(self.plant(), self.solver.placements().len())?;
        self.creatures.push(creature);
        Ok(())
    }

    fn needs_contact(&self, what: &'static str) -> Result<(), Unsupported> {
        let collides = self.settings.collisions.mode != CollisionMode::Off;
        if collides && self.solver.contact().is_none() {
            return Err(Unsupported { solver: self.solver.name(), what });
        }
        Ok(())
    }

    /// The creatures in the order in which they were added.
    pub fn creatures(&self) -> &[Creature] {
        &self.creatures
    }

    /// The events of the last step, and cuts since then.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Whether a leaf or fruit has detached.
    pub fn has_let_go(&self, body: impl Into<BodyRef>) -> bool {
        self.bodies.get(Name::Plant(body.into())).is_some()
    }

    /// Cuts bodies off: wood becomes a separate piece with its subtree, leaves and fruit become free
    /// bodies. Bodies that are off already stay as they are.
    pub fn cut(&mut self, bodies: &[BodyRef]) -> Result<(), StepError> {
        let body_count = self.plant().body_count();
        let instances = self.solver.placements().len();
        for body in bodies {
            if body.id.0 as usize >= body_count {
                return Err(StepError::NoSuchBody { body: body.id, body_count });
            }
            if body.instance as usize >= instances {
                return Err(StepError::NoSuchInstance { instance: body.instance, instances });
            }
        }
        if self.solver.breakable().is_none() {
            return Err(Unsupported { solver: self.solver.name(), what: "cutting branches" }.into());
        }
        let time = self.solver.time();
        let off: Vec<(BodyRef, f64)> = bodies.iter().map(|&body| (body, f64::INFINITY)).collect();
        self.take_off(&off, time);
        Ok(())
    }

    fn plant(&self) -> &Plant {
        self.solver.plant()
    }

    fn pieces(&self) -> &[BodyRef] {
        self.solver.breakable().map_or(&[], Breakable::pieces)
    }

    fn is_loose(&self, body: BodyRef) -> bool {
        self.solver.breakable().is_some_and(|breakable| breakable.is_loose(body))
    }

    /// The roots of all trees of one instance.
    fn roots_of(&self, instance: u32) -> impl Iterator<Item = BodyRef> {
        self.reach.roots().iter().map(move |&id| BodyRef { instance, id })
    }

    /// The roots of all trees.
    fn roots(&self) -> impl Iterator<Item = BodyRef> {
        (0..self.solver.placements().len() as u32).flat_map(|instance| self.roots_of(instance))
    }

    /// Visits a body and its subtree: [`Reach::visit`].
    fn visit(&self, from: BodyRef, stack: &mut Vec<u32>, mut enter: impl FnMut(BodyRef, f64) -> bool) {
        self.reach.visit(from.id, stack, |id, reach| enter(BodyRef { id, ..from }, reach));
    }
}

impl Clone for Stage {
    fn clone(&self) -> Self {
        Self {
            solver: self.solver.duplicate(),
            bodies: self.bodies.clone(),
            obstacles: self.obstacles.clone(),
            settings: self.settings,
            breaking: self.breaking.clone(),
            reach: Arc::clone(&self.reach),
            creatures: self.creatures.clone(),
            events: self.events.clone(),
            gravity: self.gravity,
            free_contact: self.free_contact.clone(),
            piece_contact: self.piece_contact.clone(),
            ground_contact: self.ground_contact.clone(),
        }
    }
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (solver, time) = (self.solver.name(), self.solver.time());
        f.debug_struct("Stage").field("solver", &solver).field("time", &time).finish_non_exhaustive()
    }
}
