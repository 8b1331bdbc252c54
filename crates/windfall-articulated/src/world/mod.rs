//! A plant made ready to move, and its state.
//!
//! A [`World`] holds the trees of one plant. Its layout (the solver's order) is fixed until the selection
//! changes; its [`Params`] may be edited between steps. In the public interface bodies are named by their
//! [`BodyId`]; the solver's order is private.

pub(crate) mod blocks;
mod build;
pub(crate) mod bytes;
mod energy_limiter;
mod inspect;
mod joints;
pub(crate) mod layout;
pub(crate) mod lookahead;
pub(crate) mod measure;
mod motion;
pub(crate) mod order;
mod overloads;
pub(crate) mod piece_contact;
mod pieces;
pub(crate) mod place;
mod shape;
mod thread_affinity;
mod thread_wakeup;
mod values;

use std::ops::Range;
use std::sync::Arc;

pub(crate) use build::BodyJoint;
pub use inspect::{BlockInfo, RowInfo};
pub use joints::JOINT_NUMBERS;
pub use measure::{Energy, Momentum};
use windfall_core::glam::DVec3;
use windfall_core::{BodyId, BodyRef, Plant};
use windfall_solver::{Base, Wind};

use crate::analytic;
use crate::block::exchange::ParentKinematics;
use crate::block::place::{Ahead, ON_BASE, Place, TOP, base_motion};
use crate::block::vectors::Vectors;
use crate::block::{Block, Link, Motion};
use crate::math::{Family, Real};
use crate::world::blocks::Blocks;
use crate::world::lookahead::Lookahead;
use crate::world::place::RiderFrame;
use windfall_solver::Selection;
use windfall_solver::params::{Difference, Params, ParamsError};

/// The solution method of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The default: see [`crate::implicit`].
    #[default]
    Implicit,
    /// quigley2017: see [`crate::analytic`].
    Analytic,
    /// The articulated-body algorithm with forward Euler, for comparison (quigley2017, Fig. 14). Stable
    /// only for steps well below the period of the stiffest joint.
    Explicit,
}

/// The trees of one plant in motion. `T` is the precision, `f32` or `f64`.
#[derive(Debug, Clone)]
pub struct World<T> {
    // The model: what the plant, its parameters and the selection determine.
    pub(crate) plant: Arc<Plant>,
    pub(crate) params: Params,
    pub(crate) method: Method,
    pub(crate) selection: Selection,
    /// Place of every body.
    pub(crate) places: Vec<Place>,
    /// Rider frame of every body, if some are not simulated; otherwise empty.
    pub(crate) rider_frames: Vec<RiderFrame<T>>,
    /// Joints of the bodies that are not simulated, in the state in which they stopped; empty if all are
    /// simulated.
    pub(crate) resting: Vec<build::BodyJoint<T>>,
    pub(crate) vectors: Vectors,
    /// The version of the strengths from which the bounds in the blocks were made.
    pub(crate) strengths_version: Option<u64>,

    // Model, state and scratch of the bodies, block by block.
    pub(crate) top: Block<T>,
    pub(crate) blocks: Blocks<T>,

    // The state between the steps.
    pub(crate) time: f64,
    /// Length of the last step, s: velocities are half of it old in the implicit solver. Zero at the start.
    pub(crate) last_dt: f64,
    /// Base of every tree.
    pub(crate) bases: Vec<MovingBase>,
    pub(crate) base_motions: Vec<Motion<T>>,
    /// The bodies that broke off, in order of time; the root of piece `trees + i` is the i-th.
    pub(crate) pieces: Vec<BodyId>,
    /// The same bodies in the types of the solver interface.
    pub(crate) piece_refs: Vec<BodyRef>,
    /// Leaves and fruit that fell off and are simulated elsewhere.
    pub(crate) removed: Vec<BodyId>,
    pub(crate) energy_limiter: energy_limiter::EnergyLimiter,
    pub(crate) lookahead: Lookahead<T>,

    // The input of the running step.
    pub(crate) gravity: DVec3,
    /// The air, if there is any.
    pub(crate) wind: Option<Arc<dyn Wind>>,
    /// Contacts between bodies in the next step, and their impulses.
    pub(crate) piece_contacts: Vec<piece_contact::PairContact>,
    /// The loads whose impulses are noted.
    pub(crate) noted_loads: Range<usize>,

    // Its results.
    /// Impulses of the touches, N s.
    pub(crate) impulses: Vec<DVec3>,
    /// Those of the noted loads, N s.
    pub(crate) load_impulses: Vec<DVec3>,

    // Data that any step may overwrite.
    /// Parent kinematics of the bases of all trees and of the top in the sweep down, for the blocks.
    pub(crate) above: Vec<ParentKinematics<T>>,
    /// Scratch for the anchors of trees and pieces.
    pub(crate) anchors: Vec<DVec3>,
    /// Scratch of the analytic solver.
    pub(crate) scratch: analytic::Scratch<T>,
}

/// Worlds of either precision.
pub(crate) struct AnyWorld;

impl Family for AnyWorld {
    type Of<T: Real> = World<T>;
}

/// The base of a tree at the beginning and at the end of a step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MovingBase {
    pub now: Base,
    pub next: Base,
}

/// Approximate memory of a body in arrays in huge pages, bytes.
const BYTES_PER_BODY: usize = 290;

impl<T: Real> World<T> {
    /// Makes a plant ready to move, at rest in its rest shape.
    pub fn new(plant: impl Into<Arc<Plant>>, params: Params, method: Method) -> Result<Self, ParamsError> {
        let plant = plant.into();
        params.check(&plant)?;
        let _provision = crate::block::huge_pages::Reserve::of(plant.body_count() * BYTES_PER_BODY);
        let bases = vec![MovingBase::default(); plant.trees().len()];
        let mut world = Self {
            gravity: params.gravity,
            params,
            method,
            selection: Selection::All,
            top: Block::default(),
            blocks: Blocks::default(),
            lookahead: Lookahead::default(),
            above: Vec::new(),
            strengths_version: None,
            places: Vec::new(),
            rider_frames: Vec::new(),
            resting: Vec::new(),
            base_motions: Vec::new(),
            bases,
            pieces: Vec::new(),
            piece_refs: Vec::new(),
            removed: Vec::new(),
            impulses: Vec::new(),
            noted_loads: 0..0,
            load_impulses: Vec::new(),
            piece_contacts: Vec::new(),
            wind: None,
            time: 0.0,
            last_dt: 0.0,
            energy_limiter: energy_limiter::EnergyLimiter::default(),
            vectors: Vectors::default(),
            anchors: Vec::new(),
            scratch: analytic::Scratch::default(),
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

    /// Replaces the parameters; the motion continues.
    pub fn set_params(&mut self, params: Params) -> Result<(), ParamsError> {
        params.check(&self.plant)?;
        let differs = Difference::between(&self.params, &params);
        // Setting equal parameters again winds the springs up anew, for the ground as it is turned now.
        let is_same = params == self.params;
        self.gravity = params.gravity;
        self.params = params;
        let mechanics = differs.mechanics();
        // Strengths alone change no motion: ripening fruit may change them in every step. Mass damping
        // and fictitious forces are read by each step.
        if mechanics.contains(&true) || differs.air {
            self.reload_params(mechanics, differs.air);
        }
        if differs.keep_shape && !self.params.keep_shape {
            self.relax();
        } else if self.params.keep_shape
            && (is_same || differs.keep_shape || differs.gravity || mechanics.contains(&true))
        {
            self.compensate_gravity();
        }
        Ok(())
    }

    /// The solution method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Changes the solution method; the state is kept.
    pub fn set_method(&mut self, method: Method) {
        if method == self.method {
            return;
        }
        self.bring_velocities_to_pose();
        self.method = method;
        self.set_scratch();
    }

    /// Takes velocities that are older than the pose on to its time, so that the next step can begin as
    /// the first one does.
    pub(crate) fn bring_velocities_to_pose(&mut self) {
        let ahead = self.ahead();
        for block in self.all_blocks_mut() {
            for (i, link) in block.state.links.iter().enumerate() {
                let (keep, gain) =
                    if matches!(link, Link::Free(_)) { (T::one(), ahead.seconds) } else { (ahead.keep, ahead.gain) };
                block.state.joints.edit(i, |state| state.w = state.w * keep + state.rate * gain);
            }
            block.state.ahead = Ahead { step: block.state.ahead.step, ..Ahead::none() };
            for free in &mut block.state.frees {
                free.velocity += free.rate * ahead.seconds;
                free.push = None;
            }
        }
        self.last_dt = 0.0;
    }

    /// Chooses the instruction set for sweeping f32 eight bodies at a time, or that f32 is swept body by
    /// body as f64 is.
    pub fn set_vectors(&mut self, vectors: Vectors) {
        self.vectors = vectors;
    }

    pub(crate) fn vectors(&self) -> Vectors {
        if T::HAS_LANES { self.vectors } else { Vectors::None }
    }

    /// Classifies bodies as swept with their row or alone; called after every change that affects this.
    pub(crate) fn classify_rows(&mut self) {
        let trees = self.bases.len();
        let Self { top, blocks, .. } = self;
        std::iter::once(top).chain(blocks.change_model()).for_each(|block| block.classify_rows(trees));
    }

    /// The time, s, over which a load in the next step of `dt` seconds acts on a body.
    ///
    /// `Implicit` is a leapfrog, and so are pieces that broke off in `Analytic`: forces change velocities
    /// from the middle of the last step, however long that was, to the middle of this one, and there is
    /// no step before the first, nor before the first after [`World::set_method`].
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

    /// Chooses which bodies are simulated from now on. A body that is no longer simulated keeps its
    /// present joint angle, and a free piece its momentum.
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

    /// Takes over the motion of the bases for this step.
    pub(crate) fn move_bases(&mut self) {
        let gravity = self.gravity;
        self.base_motions.clear();
        let motions = self.bases.iter().enumerate().map(|(i, base)| base_motion(i, &base.now, &base.next, gravity));
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

    /// The same, for the loads on its bodies in the next step.
    pub(crate) fn block_for_input(&mut self, block: u32) -> &mut Block<T> {
        if block == TOP { &mut self.top } else { self.blocks.for_input(block as usize) }
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
        std::iter::once(&mut self.top).chain(self.blocks.change_joints())
    }

    /// The same for changes of free pieces.
    pub(crate) fn all_blocks_of_pieces_mut(&mut self) -> impl Iterator<Item = &mut Block<T>> {
        std::iter::once(&mut self.top).chain(self.blocks.keep_swept())
    }
}
