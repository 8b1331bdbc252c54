//! A world and what is around it: bodies that fly free, the ground and obstacles, wood that breaks, leaves and fruit that let go, creatures.
//!
//! ```
//! use windfall_core::glam::DVec3;
//! use windfall_core::{Actions, Solver};
//! use windfall_dynamics::free::{FreeBody, Shape};
//! use windfall_dynamics::stage::{Settings, Stage};
//! use windfall_dynamics::{Method, Params, World};
//! # fn of(plant: windfall_core::Plant) -> Result<(), Box<dyn std::error::Error>> {
//! let world = World::<f32>::new(plant, Params::default(), Method::Implicit)?;
//! let mut stage = Stage::new(world, Settings::default())?;
//! let ball = Shape::Sphere { radius: 0.1 };
//! stage.throw(FreeBody::thrown(1, ball, 500.0, DVec3::new(0.3, 4.0, 0.0), DVec3::ZERO)?)?;
//! for _ in 0..90 {
//!     stage.step(1.0 / 30.0, &Actions::default())?;
//!     for event in stage.events() {
//!         println!("{event:?}");
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A step is: find who meets whom, move the trees, move the free bodies, let joints give way. It is one step of the trees unless something fast is
//! about to hit one.
//!
//! | module | what it holds |
//! |---|---|
//! | [`settings`] | what may happen, and how |
//! | [`reach`] | reachable workspaces: which bodies can be near a place at all |
//! | `collide` | free bodies that meet trees |
//! | `clash` | pieces that meet trees |
//! | `ground` | pieces (and trees) that meet the ground and obstacles |
//! | `breaking` | fracture and detachment |
//! | [`creature`] | a weight that runs and leaps |

mod breaking;
mod clash;
mod collide;
pub mod creature;
mod ground;
mod interface;
pub mod reach;
pub mod settings;

use std::collections::HashSet;

pub use creature::{Creature, CreatureError, Stop};
pub use settings::{CollisionMode, Collisions, Settings};
use windfall_core::glam::DVec3;
use windfall_core::{Actions, Body, BodyId, Grab, Load, Solver, StepError};

use self::breaking::Breaking;
use self::reach::{Placed, Reach};
use crate::free::flight::Hold;
use crate::free::{FreeBodies, FreeBody, FreeError, Name, Obstacles, Surroundings};
use crate::math::Real;
use crate::params::{Params, ParamsError};
use crate::world::World;
use crate::world::block::Link;
use crate::world::layout::ON_BASE;

/// What happened in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// Wood broke: this body and all that grows on it is a piece of its own now.
    Broke {
        /// Its innermost body.
        body: BodyId,
        /// How much of the strength the load was; infinite if it was cut by the caller.
        used: f64,
        /// s.
        time: f64,
    },
    /// A leaf or fruit let go and flies free.
    LetGo {
        /// Which.
        body: BodyId,
        /// How much of the strength the load was; infinite if it was cut by the caller.
        used: f64,
        /// s.
        time: f64,
    },
}

/// See the head of the module.
#[derive(Debug, Clone)]
pub struct Stage<T> {
    world: World<T>,
    bodies: FreeBodies,
    obstacles: Obstacles,
    settings: Settings,
    breaking: Breaking,
    reach: Reach,
    creatures: Vec<Creature>,
    events: Vec<Event>,
    collide: collide::Memory,
    clash: clash::Memory,
    ground: ground::Memory,
}

impl<T: Real> Stage<T> {
    /// A world on level ground at the height 0.
    pub fn new(world: World<T>, settings: Settings) -> Result<Self, FreeError> {
        settings.check()?;
        Ok(Self {
            breaking: Breaking::new(&world),
            reach: Reach::new(&world.plant),
            world,
            bodies: FreeBodies::new(),
            obstacles: Obstacles::ground(),
            settings,
            creatures: Vec::new(),
            events: Vec::new(),
            collide: collide::Memory::default(),
            clash: clash::Memory::default(),
            ground: ground::Memory::default(),
        })
    }

    /// The trees and the pieces that broke off.
    pub fn world(&self) -> &World<T> {
        &self.world
    }

    /// The same to be changed. Parameters are set by [`Stage::set_params`], bodies cut off by [`Stage::cut`]. A world of another plant needs a stage of its own; to go back to an earlier time, keep a clone
    /// of the stage, which also knows what flies free.
    pub fn world_mut(&mut self) -> &mut World<T> {
        &mut self.world
    }

    /// Replaces the parameters; the motion goes on.
    pub fn set_params(&mut self, params: Params) -> Result<(), ParamsError> {
        self.world.set_params(params)?;
        self.breaking.renew(&self.world);
        Ok(())
    }

    /// What may happen.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes what may happen from now on.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), FreeError> {
        settings.check()?;
        self.settings = settings;
        Ok(())
    }

    /// What flies or lies free.
    pub fn bodies(&self) -> &FreeBodies {
        &self.bodies
    }

    /// The ground and what else does not move.
    pub fn obstacles(&self) -> &Obstacles {
        &self.obstacles
    }

    /// Replaces the ground and obstacles.
    pub fn set_obstacles(&mut self, obstacles: Obstacles) {
        self.obstacles = obstacles;
        self.bodies.wake_all();
    }

    /// Throws a body in. An error if one with its name is there, or if it is named as a body of the plant.
    pub fn throw(&mut self, body: FreeBody) -> Result<(), FreeError> {
        match body.name {
            Name::Thrown(_) => self.bodies.add(body),
            Name::Plant(id) => Err(FreeError::WrongKind { body: id.0, kind: "thrown body" }),
        }
    }

    /// Takes a thrown body away.
    pub fn take_away(&mut self, name: u32) -> Option<FreeBody> {
        self.bodies.remove(Name::Thrown(name))
    }

    /// Lets a creature in.
    pub fn add_creature(&mut self, creature: Creature) -> Result<(), CreatureError> {
        creature.check(&self.world.plant)?;
        self.creatures.push(creature);
        Ok(())
    }

    /// The creatures in the order in which they came.
    pub fn creatures(&self) -> &[Creature] {
        &self.creatures
    }

    /// What gave way in the last step, or was cut since.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Whether a leaf or fruit has let go.
    pub fn has_let_go(&self, body: BodyId) -> bool {
        self.bodies.get(Name::Plant(body)).is_some()
    }

    /// Cuts bodies off: wood becomes a piece of its own with all that grows on it, leaves and fruit fly free. Those that are off already stay as they are.
    pub fn cut(&mut self, bodies: &[BodyId]) -> Result<(), StepError> {
        let body_count = self.world.plant.body_count();
        if let Some(&body) = bodies.iter().find(|body| body.0 as usize >= body_count) {
            return Err(StepError::NoSuchBody { body, body_count });
        }
        let time = self.world.time();
        let off: Vec<(BodyId, f64)> = bodies.iter().map(|&body| (body, f64::INFINITY)).collect();
        self.take_off(&off, time);
        Ok(())
    }

    /// Moves everything by `dt` seconds.
    ///
    /// Forces and hands on leaves and fruit that have let go act on them where they are; torques on them are ignored.
    pub fn step(&mut self, dt: f64, actions: &Actions<'_>) -> Result<(), StepError> {
        windfall_core::solver::check_step(dt)?;
        let gravity = self.world.gravity;
        if !(gravity.is_finite() && gravity.length() <= 1e6) {
            return Err(StepError::BadGravity);
        }
        actions.check(self.world.plant.body_count())?;
        self.events.clear();
        let count = self.substeps(dt);
        let h = dt / f64::from(count);
        let mut grabs = actions.grabs.to_vec();
        for i in 1..=count {
            // What hits a body does so once, not once per sub-step.
            let touches = if i == count { actions.touches } else { &[] };
            self.substep(h, &Actions { loads: actions.loads, grabs: &grabs, touches })?;
            for grab in &mut grabs {
                grab.target += grab.target_velocity * h;
            }
        }
        Ok(())
    }

    fn substep(&mut self, h: f64, actions: &Actions<'_>) -> Result<(), StepError> {
        let (loads, grabs) = self.act_on_fallen(actions);
        let mut touches = actions.touches.to_vec();
        let mut loads = loads;
        let creatures = self.step_creatures(h, &mut touches, &mut loads);
        let standing = self.meet_obstacles(h, &mut touches);
        let met = self.meet_free_bodies(h, &mut touches, &mut loads);
        let overlaps = self.meet_trees(h);
        self.world.step(h, &Actions { loads: &loads, grabs: &grabs, touches: &touches })?;
        self.push_out(overlaps);
        self.note_obstacles(standing);
        self.settle_creatures(h, creatures);
        self.answer_free_bodies(h, met);
        self.step_free_bodies(h)?;
        self.give_way();
        Ok(())
    }

    /// Moves what flies free.
    fn step_free_bodies(&mut self, h: f64) -> Result<(), StepError> {
        if self.bodies.is_empty() {
            return Ok(());
        }
        let around = Surroundings {
            gravity: self.world.gravity,
            wind: self.world.wind.as_deref(),
            // The world has gone on already.
            time: self.world.time() - h,
            air: &self.world.params().air,
            obstacles: &self.obstacles,
        };
        self.bodies.step(&around, h).map_err(|error| match error {
            FreeError::Step(error) => error,
            error => unreachable!("parameters were checked before: {error}"),
        })
    }

    /// What acts on trees; what acts on leaves and fruit that have let go is given to these.
    fn act_on_fallen(&mut self, actions: &Actions<'_>) -> (Vec<Load>, Vec<Grab>) {
        let (mut loads, mut grabs) = (actions.loads.to_vec(), actions.grabs.to_vec());
        if self.world.gone.is_empty() {
            return (loads, grabs);
        }
        let bodies = &mut self.bodies;
        loads.retain(|load| {
            let name = Name::Plant(load.body);
            let Some(body) = bodies.get(name) else { return true };
            let point = body.origin() + body.orientation * load.point;
            // A force beyond all measure is refused, and does nothing.
            let _ = bodies.add_force(name, point, load.force);
            false
        });
        grabs.retain(|grab| {
            let name = Name::Plant(grab.body);
            let Some(body) = bodies.get(name) else { return true };
            let Grab { target, target_velocity, stiffness, damping, .. } = *grab;
            let hold = Hold { point: grab.point - body.center, target, target_velocity, stiffness, damping };
            bodies.hold(name, hold).is_err()
        });
        (loads, grabs)
    }

    /// Lets overloaded joints give way.
    fn give_way(&mut self) {
        let Settings { fracture, detachment, .. } = self.settings;
        if !(fracture || detachment) {
            return;
        }
        let plant = self.world.plant.clone();
        let (wood, others): (Vec<_>, Vec<_>) = self
            .breaking
            .overloads(&mut self.world)
            .into_iter()
            .partition(|o| matches!(plant.body(o.body), Some(Body::Wood(_))));
        let mut off = Vec::new();
        if fracture {
            let world = &self.world;
            let breaks = self.breaking.choose(&plant, |body| world.is_loose(body), &wood);
            off.extend(breaks.into_iter().map(|o| (o.body, o.used)));
        }
        if detachment {
            off.extend(others.into_iter().map(|o| (o.body, o.used)));
        }
        if !off.is_empty() {
            self.take_off(&off, self.world.time());
        }
    }

    /// Takes bodies off their parents.
    fn take_off(&mut self, off: &[(BodyId, f64)], time: f64) {
        let plant = self.world.plant.clone();
        let (mut pieces, mut gone, mut known) = (Vec::new(), Vec::new(), HashSet::new());
        for &(body, used) in off {
            if self.world.is_loose(body) {
                continue;
            }
            let fallen = match plant.body(body) {
                Some(Body::Wood(_)) => {
                    if known.insert(body) {
                        pieces.push(body);
                        self.events.push(Event::Broke { body, used, time });
                    }
                    continue;
                }
                Some(Body::Leaf(_)) => FreeBody::leaf(&plant, body, &self.world.motion(body)),
                Some(Body::Fruit(_)) => FreeBody::fruit(&plant, body, &self.world.motion(body)),
                None => continue,
            };
            let scale = self.world.mass_scale(body);
            let surface = self.settings.collisions.surface();
            let fallen = fallen.and_then(|f| FreeBody { surface, ..f }.with_mass_scale(scale));
            // What is too small or too fast for a free body (a leaf of a micrometre) stays a body of the tree.
            let Ok(fallen) = fallen else { continue };
            if self.bodies.add(fallen).is_ok() {
                gone.push(body);
                self.events.push(Event::LetGo { body, used, time });
            }
        }
        if !gone.is_empty() {
            self.world.remove(&gone);
        }
        self.world.release_all(&pieces);
    }

    /// Where a body of a tree or piece is.
    fn placed(&self, body: BodyId) -> Placed {
        let (anchor, joint, orientation) = self.world.frame(body.0 as usize);
        Placed { joint: self.world.anchor_position(anchor) + joint.f64(), orientation: orientation.f64() }
    }

    /// Velocity of a point of a tree or piece, m/s, of the age of the joints' velocities: what a touch compares itself with. Taken on to the time of the pose it
    /// overshoots by half of what the last step changed, and after a hit that is much.
    fn kept_velocity_at(&self, body: BodyId, point: DVec3) -> DVec3 {
        self.world.contact(body, point).map_or_else(
            || self.world.base_velocity_at(body, point),
            |contact| (contact.velocity - contact.acceleration * self.world.age_in_step(contact.place)).f64(),
        )
    }

    /// Velocity of a point of a tree or piece, m/s.
    fn velocity_at(&self, body: BodyId, point: DVec3) -> DVec3 {
        self.world
            .contact(body, point)
            .map_or_else(|| self.world.base_velocity_at(body, point), |contact| contact.velocity.f64())
    }
}

impl<T: Real> World<T> {
    /// Whether a body was cut off its parent or has let go.
    pub(crate) fn is_loose(&self, body: BodyId) -> bool {
        let place = self.places[body.0 as usize];
        if place.block == ON_BASE {
            return false;
        }
        let block = self.block(place.block);
        let i = place.index as usize;
        block.ids[i] == body.0 && matches!(block.links[i], Link::Free(_) | Link::Gone)
    }
}
