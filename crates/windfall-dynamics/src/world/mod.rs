//! A plant made ready to move, and its state.
//!
//! A [`World`] holds the trees of one plant. Its layout (the solver's order) is fixed until the selection changes; its
//! [`Params`] may be edited between steps. Outside, bodies are named by their [`BodyId`]; the solver's order is private.

mod awake;
pub(crate) mod block;
pub(crate) mod blocks;
mod build;
pub(crate) mod bytes;
mod calm;
pub(crate) mod clash;
pub(crate) mod exchange;
mod following;
pub(crate) mod foresight;
pub(crate) mod glance;
pub(crate) mod guard;
mod interface;
mod joints;
pub(crate) mod layout;
pub(crate) mod limits;
pub(crate) mod masses;
pub(crate) mod measure;
pub(crate) mod order;
pub(crate) mod parted;
mod pieces;
pub(crate) mod place;
mod portions;
pub(crate) mod room;
pub(crate) mod rows;
mod selection;
mod shape;
mod sheet;
mod values;

use std::any::TypeId;
use std::ops::Range;
use std::sync::Arc;

pub use joints::JOINT_NUMBERS;
pub use measure::{Energy, Momentum};
pub use selection::Selection;
pub use sheet::bytes_in_large_pages;
use windfall_core::glam::DVec3;
use windfall_core::{Actions, Base, BodyId, Plant, StepError, Wind};

use self::block::{Block, Link, Motion};
use self::blocks::Blocks;
use self::exchange::Heard;
use self::foresight::Foresight;
use self::layout::{ON_BASE, Place, TOP};
use self::place::Ride;
use crate::math::{Real, Vec3};
use crate::params::{Params, ParamsError};
use crate::wide::Vectors;
use crate::{analytic, implicit};

/// How a world moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The default: see [`crate::implicit`].
    #[default]
    Implicit,
    /// quigley2017: see [`crate::analytic`].
    Analytic,
    /// The articulated-body algorithm with forward Euler, for comparison (quigley2017, Fig. 14). Stable only for steps well
    /// below the period of the stiffest joint.
    Explicit,
}

/// The trees of one plant in motion. `T` is the precision, `f32` or `f64`.
#[derive(Debug, Clone)]
pub struct World<T> {
    pub(crate) plant: Arc<Plant>,
    params: Params,
    method: Method,
    selection: Selection,
    pub(crate) top: Block<T>,
    pub(crate) blocks: Blocks<T>,
    pub(crate) foresight: Foresight<T>,
    /// What blocks hear of the bases of all trees and of the top in the sweep down.
    pub(crate) above: Vec<Heard<T>>,
    /// Whose strengths its blocks know (`stage/breaking.rs`).
    pub(crate) told: Option<u64>,
    /// For every body.
    pub(crate) places: Vec<Place>,
    /// For every body, if some are not simulated; otherwise empty.
    pub(crate) rides: Vec<Ride<T>>,
    /// Joints of the bodies that are not simulated, as they were when they stopped; empty if all are.
    resting: Vec<build::BodyJoint<T>>,
    /// For every tree.
    pub(crate) bases: Vec<MovingBase>,
    pub(crate) base_motions: Vec<Motion<T>>,
    /// The bodies that broke off, in order of time; the root of piece `trees + i` is the i-th.
    pub(crate) pieces: Vec<BodyId>,
    /// Leaves and fruit that fell off and are simulated elsewhere.
    pub(crate) gone: Vec<BodyId>,
    pub(crate) gravity: DVec3,
    /// What the touches of the last step did, N s.
    pub(crate) impulses: Vec<DVec3>,
    /// Bodies that meet in the next step, and what that came to.
    pub(crate) clashes: Vec<clash::Clash>,
    /// The air, if there is any.
    pub(crate) wind: Option<Arc<dyn Wind>>,
    time: f64,
    /// Length of the last step, s: velocities are half of it old in the implicit solver. Zero at the start.
    pub(crate) last_dt: f64,
    calm: calm::Calm,
    vectors: Vectors,
    /// Room for where the positions of trees and pieces are counted from.
    pub(crate) anchors: Vec<DVec3>,
    /// Room of the analytic solver.
    pub(crate) room: analytic::Room<T>,
}

/// The base of a tree at the beginning and at the end of a step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MovingBase {
    pub now: Base,
    pub next: Base,
}

/// About what a body takes of arrays in large pages.
const BYTES_PER_BODY: usize = 290;

impl<T: Real> World<T> {
    /// Makes a plant ready to move, at rest in its rest shape.
    pub fn new(plant: impl Into<Arc<Plant>>, params: Params, method: Method) -> Result<Self, ParamsError> {
        let plant = plant.into();
        params.check(&plant)?;
        let _provision = sheet::Provision::of(plant.body_count() * BYTES_PER_BODY);
        let bases = vec![MovingBase::default(); plant.trees().len()];
        let mut world = Self {
            gravity: params.gravity,
            params,
            method,
            selection: Selection::All,
            top: Block::default(),
            blocks: Blocks::default(),
            foresight: Foresight::default(),
            above: Vec::new(),
            told: None,
            places: Vec::new(),
            rides: Vec::new(),
            resting: Vec::new(),
            base_motions: Vec::new(),
            bases,
            pieces: Vec::new(),
            gone: Vec::new(),
            impulses: Vec::new(),
            clashes: Vec::new(),
            wind: None,
            time: 0.0,
            last_dt: 0.0,
            calm: calm::Calm::default(),
            vectors: Vectors::default(),
            anchors: Vec::new(),
            room: analytic::Room::default(),
            plant,
        };
        world.move_bases();
        let plant = Arc::clone(&world.plant);
        let joint = |id| build::rest_joint(&plant, id);
        if world.params.keep_shape {
            let windings = world.windings(joint);
            world.lay_out_with(|id| shape::rewound(joint(id), windings[id.0 as usize], false));
        } else {
            world.lay_out_with(joint);
        }
        Ok(world)
    }

    /// The parameters in force.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Replaces the parameters; the motion goes on.
    pub fn set_params(&mut self, params: Params) -> Result<(), ParamsError> {
        params.check(&self.plant)?;
        if params != self.params && params.with_strengths_of(&self.params) == self.params {
            // Strengths alone change no motion: ripening fruit may change them in every step.
            self.params = params;
            return Ok(());
        }
        let was_kept = self.params.keep_shape;
        self.gravity = params.gravity;
        self.params = params;
        self.load_params();
        if self.params.keep_shape {
            self.compensate_gravity();
        } else if was_kept {
            self.relax();
        }
        Ok(())
    }

    /// How it moves.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Changes how it moves; the state is kept.
    pub fn set_method(&mut self, method: Method) {
        if method == self.method {
            return;
        }
        self.bring_velocities_to_pose();
        self.method = method;
        self.set_scratch();
    }

    /// Velocities that are older than the pose go on to its time, so that the next step can begin as the first one does.
    pub(crate) fn bring_velocities_to_pose(&mut self) {
        let ahead = self.ahead();
        for block in self.all_blocks_mut() {
            for (i, link) in block.links.iter().enumerate() {
                let (keep, gain) =
                    if matches!(link, Link::Free(_)) { (T::one(), ahead.seconds) } else { (ahead.keep, ahead.gain) };
                block.states.edit(i, |state| state.w = state.w * keep + state.rate * gain);
            }
            block.ahead = place::Ahead { step: block.ahead.step, ..place::Ahead::none() };
            for free in &mut block.frees {
                free.velocity += free.rate * ahead.seconds;
                free.push = None;
            }
        }
        self.last_dt = 0.0;
    }

    /// Chooses the instructions with which f32 goes eight bodies at a time, or that it goes body by body as f64 does.
    pub fn set_vectors(&mut self, vectors: Vectors) {
        self.vectors = vectors;
    }

    pub(crate) fn vectors(&self) -> Vectors {
        if TypeId::of::<T>() == TypeId::of::<f32>() { self.vectors } else { Vectors::None }
    }

    /// Finds who is swept with the others and who alone, after that has changed.
    pub(crate) fn sort_out(&mut self) {
        let trees = self.bases.len();
        let Self { top, blocks, .. } = self;
        std::iter::once(top).chain(blocks.stirred()).for_each(|block| block.sort_out(trees));
    }

    /// The time, s, over which what is given to the next step of `dt` seconds acts on a body.
    ///
    /// `Implicit` is a leapfrog, and so are pieces that broke off in `Analytic`: forces change velocities from the middle of the last step, however long that was, to the middle of this one, and there is no
    /// step before the first, nor before the first after [`World::set_method`].
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn force_window(&self, body: BodyId, dt: f64) -> Range<f64> {
        let place = self.places[body.0 as usize];
        let is_piece = || place.block != ON_BASE && self.anchor_at(place) as usize >= self.bases.len();
        match self.method {
            Method::Analytic if is_piece() => {}
            Method::Implicit => {}
            Method::Analytic | Method::Explicit => return self.time..self.time + dt,
        }
        self.time - 0.5 * self.last_dt..self.time + 0.5 * dt
    }

    /// Which bodies are simulated.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Chooses which bodies are simulated from now on. What stops keeps its present joint angle, and a piece that flies its momentum.
    pub fn select(&mut self, selection: Selection) {
        let joints = self.joint_table();
        let momenta = self.piece_momenta();
        self.selection = selection;
        self.lay_out(&joints);
        self.restore_momenta(&self.piece_momenta(), &momenta);
    }

    /// How many bodies are simulated.
    pub fn active_bodies(&self) -> usize {
        self.all_blocks().map(Block::body_count).sum()
    }

    fn checked(&self, dt: f64, actions: &Actions<'_>) -> Result<(), StepError> {
        windfall_core::solver::check_step(dt)?;
        actions.check(self.plant.body_count())?;
        // Finite in this precision, too.
        let fits = |v: DVec3| Vec3::<T>::of(v).is_finite();
        if !fits(self.gravity) {
            return Err(StepError::BadGravity);
        }
        if let Some(load) = actions.loads.iter().find(|l| !(fits(l.point) && fits(l.force) && fits(l.torque))) {
            return Err(StepError::NotFinite { what: "load", body: load.body });
        }
        if let Some(grab) = actions.grabs.iter().find(|g| !(fits(g.point) && fits(g.target) && fits(g.target_velocity)))
        {
            return Err(StepError::NotFinite { what: "grab", body: grab.body });
        }
        if let Some(touch) = actions.touches.iter().find(|t| !(fits(t.point) && fits(t.velocity))) {
            return Err(StepError::NotFinite { what: "touch", body: touch.body });
        }
        let moves = |base: &Base| {
            let all = [base.velocity, base.angular_velocity, base.acceleration, base.angular_acceleration];
            base.is_valid() && all.into_iter().all(fits)
        };
        match self.bases.iter().position(|base| !moves(&base.next)) {
            Some(tree) => Err(StepError::BadBase { tree }),
            None => Ok(()),
        }
    }

    fn take_step(&mut self, dt: f64, actions: &Actions<'_>) {
        let watch = self.watch(dt, actions);
        match self.method {
            Method::Implicit => implicit::step(self, dt, actions, false),
            Method::Explicit => implicit::step(self, dt, actions, true),
            Method::Analytic => analytic::step(self, dt, actions),
        }
        if watch {
            self.calm_down();
        }
    }

    /// Takes over the motion of the bases for this step.
    pub(crate) fn move_bases(&mut self) {
        let gravity = self.gravity;
        self.base_motions.clear();
        let motions =
            self.bases.iter().enumerate().map(|(i, base)| place::base_motion(i, &base.now, &base.next, gravity));
        self.base_motions.extend(motions);
    }

    pub(crate) fn end_step(&mut self, dt: f64) {
        for base in &mut self.bases {
            base.now = base.next;
        }
        self.time += dt;
        self.last_dt = dt;
    }

    pub(crate) fn block(&self, block: u32) -> &Block<T> {
        if block == TOP { &self.top } else { &self.blocks[block as usize] }
    }

    pub(crate) fn block_mut(&mut self, block: u32) -> &mut Block<T> {
        if block == TOP { &mut self.top } else { self.blocks.one(block as usize) }
    }

    /// The same for what acts on its bodies in the next step.
    pub(crate) fn block_acted_on(&mut self, block: u32) -> &mut Block<T> {
        if block == TOP { &mut self.top } else { self.blocks.acted_on(block as usize) }
    }

    pub(crate) fn motion_at(&self, place: Place) -> Motion<T> {
        self.block(place.block).motion(place.index as usize)
    }

    /// The tree or piece of a simulated body.
    pub(crate) fn anchor_at(&self, place: Place) -> u32 {
        self.block(place.block).anchor(place.index as usize)
    }

    /// All blocks, the top first: a parent before its children.
    pub(crate) fn all_blocks(&self) -> impl Iterator<Item = &Block<T>> {
        std::iter::once(&self.top).chain(&*self.blocks)
    }

    pub(crate) fn all_blocks_mut(&mut self) -> impl Iterator<Item = &mut Block<T>> {
        std::iter::once(&mut self.top).chain(&mut *self.blocks)
    }

    /// The same for changes of pieces that fly.
    pub(crate) fn all_blocks_of_pieces_mut(&mut self) -> impl Iterator<Item = &mut Block<T>> {
        std::iter::once(&mut self.top).chain(self.blocks.calmly())
    }
}
