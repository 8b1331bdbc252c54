//! Construction of the blocks.

use rayon::prelude::*;
use windfall_core::glam::{DMat3, DVec3};
use windfall_core::{BodyId, Plant};

use crate::block::composite_accumulator::CompositeAccumulator;
use crate::block::exchange::{Accumulators, ArticulatedAccumulator, ParentKinematics};
use crate::block::place::{ON_BASE, Place};
use crate::block::rows::{LANES, Rows};
use crate::block::{
    Block, BlockModel, BlockScratch, BlockState, Free, Joint, JointState, Link, Motion, PADDING, SweepPlan, Wrench,
};
use crate::block::{articulated, composite_work};
use crate::math::{Quat, Real, Vec3};
use crate::world::Method;
use crate::world::World;
use crate::world::layout::Layout;
use crate::world::order::Order;
use crate::world::place::RiderFrame;

/// A joint with its state, outside the solver's order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyJoint<T> {
    pub joint: Joint<T>,
    pub state: JointState<T>,
}

/// A joint of a plant at rest.
pub(crate) fn rest_joint<T: Real>(plant: &Plant, id: BodyId) -> BodyJoint<T> {
    let origin = plant.trees()[plant.tree_index(id)].origin;
    let (position, orientation) = (plant.rest_position(id) - origin, plant.rest_orientation(id));
    let (offset, turn) = match plant.parent(id) {
        None => (position, orientation),
        Some(parent) => {
            let back = plant.rest_orientation(parent).inverse();
            (back * (position - (plant.rest_position(parent) - origin)), back * orientation)
        }
    };
    let shape = Quat::of(turn);
    BodyJoint { joint: Joint { offset: Vec3::of(offset), shape, neutral: shape }, state: JointState::at_rest() }
}

/// All of these joints, in the order of ids.
fn table<T: Real>(plant: &Plant, joint: impl Fn(BodyId) -> BodyJoint<T> + Sync) -> Vec<BodyJoint<T>> {
    (0..plant.body_count() as u32).into_par_iter().map(|id| joint(BodyId(id))).collect()
}

impl<T: Real> World<T> {
    /// All joints in the order of ids.
    pub(crate) fn joint_table(&self) -> Vec<BodyJoint<T>> {
        let mut table = if self.resting.is_empty() {
            table(&self.plant, |id| rest_joint(&self.plant, id))
        } else {
            self.resting.clone()
        };
        for block in self.all_blocks() {
            for (i, &id) in block.model.ids.iter().enumerate().filter(|(_, id)| **id != PADDING) {
                let entry = &mut table[id as usize];
                entry.state = block.state.joints.get(i);
                if self.resting.is_empty() {
                    entry.joint = block.joint(i);
                }
            }
        }
        table
    }

    /// Makes the blocks for the present selection, with these joints.
    pub(crate) fn lay_out(&mut self, joints: &[BodyJoint<T>]) {
        self.lay_out_with(|id| joints[id.0 as usize]);
    }

    /// The same with joints that are computed on demand: most worlds never hold a list of them, which
    /// would take much memory for a short time.
    pub(crate) fn lay_out_with(&mut self, joint: impl Fn(BodyId) -> BodyJoint<T> + Sync) {
        let accelerations = (!self.places.is_empty()).then(|| self.accelerations());
        let frees: Vec<(BodyId, Free<T>)> = self.pieces.iter().map(|&id| (id, self.free_of(id))).collect();
        let mut is_free = vec![false; self.plant.body_count()];
        for id in self.pieces.iter().chain(&self.removed) {
            is_free[id.0 as usize] = true;
        }
        let layout = Layout::new(&self.plant, &self.selection, |id| is_free[id.0 as usize]);
        self.strengths_version = None;
        (self.rider_frames, self.resting) = (Vec::new(), Vec::new());
        if layout.carriers.iter().enumerate().all(|(i, &c)| c == i as u32) {
            self.fill_blocks(&layout, joint);
        } else {
            let mut joints = table(&self.plant, joint);
            self.rider_frames = rider_frames(&self.plant, &layout, &joints);
            let on_carriers = on_carriers(&self.plant, &layout, &joints, &self.rider_frames);
            self.fill_blocks(&layout, |id| on_carriers[id.0 as usize]);
            for id in (0..joints.len()).filter(|&id| layout.carriers[id] != id as u32) {
                // A joint that is not simulated does not turn.
                (joints[id].state.w, joints[id].state.rate) = (Vec3::zero(), Vec3::zero());
            }
            self.resting = joints;
        }
        self.places = layout.places;
        for (id, mut free) in frees {
            let place = self.places[id.0 as usize];
            let block = self.block_mut(place.block);
            free.index = place.index;
            block.state.links[place.index as usize] = Link::Free(block.state.frees.len() as u32);
            block.state.frees.push(free);
        }
        for i in 0..self.removed.len() {
            let place = self.places[self.removed[i].0 as usize];
            self.block_mut(place.block).state.links[place.index as usize] = Link::Removed;
        }
        self.set_scratch();
        self.load_params();
        self.place_new();
        if let Some(accelerations) = accelerations {
            // The motions of derived leaves contain no stored accelerations.
            for block in std::iter::once(&mut self.top).chain(self.blocks.change_model()) {
                let Block { model: BlockModel { ids, .. }, state: BlockState { motions, .. }, plan, .. } = block;
                let stored = |&(i, &id): &(usize, &u32)| id != PADDING && !plan.batches[i / LANES].is_derived;
                for (i, &id) in ids.iter().enumerate().filter(stored) {
                    motions.edit(i, |motion| (motion.alpha, motion.proper_acceleration) = accelerations[id as usize]);
                }
            }
        }
        self.classify_rows();
    }

    fn fill_blocks(&mut self, layout: &Layout, joint: impl Fn(BodyId) -> BodyJoint<T> + Sync) {
        let all_are_there = self.pieces.is_empty() && self.removed.is_empty();
        let filled = |order: &Order| filled(order, layout, (&self.plant, self.gravity, all_are_there), &joint);
        let blocks: Vec<Block<T>> = layout.blocks.par_iter().map(filled).collect();
        (self.top, self.blocks) = (filled(&layout.top), blocks.into());
    }

    /// Angular acceleration and proper acceleration (less gravity) of every joint, in the order of ids.
    fn accelerations(&self) -> Vec<(Vec3<T>, Vec3<T>)> {
        let rest = (Vec3::zero(), Vec3::of(-self.gravity));
        let of_body = |(i, place): (usize, &Place)| {
            if place.block == ON_BASE {
                return rest;
            }
            let carrier = self.motion_at(*place);
            let Some(rider_frame) = self.rider_frames.get(i) else {
                return (carrier.alpha, carrier.proper_acceleration);
            };
            let arm = carrier.rotation() * rider_frame.position;
            let (alpha, omega) = (carrier.alpha, carrier.omega);
            (alpha, carrier.proper_acceleration + alpha.cross(arm) + omega.cross(omega.cross(arm)))
        };
        self.places.par_iter().enumerate().map(of_body).collect()
    }

    /// For every simulated body the number of joints from it to the farthest tip of its subtree, its own
    /// included.
    fn heights(&self) -> Vec<u32> {
        let mut heights = vec![1u32; self.plant.body_count()];
        let carrier = |id: BodyId| {
            let place = self.places[id.0 as usize];
            (place.block != ON_BASE).then(|| self.block(place.block).model.ids[place.index as usize] as usize)
        };
        for id in (0..heights.len()).rev() {
            let body = BodyId(id as u32);
            let is_own = carrier(body) == Some(id) && !self.is_loose(body);
            if let Some(parent) = self.plant.parent(body).filter(|_| is_own).and_then(carrier) {
                heights[parent] = heights[parent].max(heights[id] + 1);
            }
        }
        heights
    }

    /// Allocates the scratch of the present method, and frees that of the other. Pieces need that of
    /// `Implicit` in any case.
    pub(crate) fn set_scratch(&mut self) {
        let analytic = self.method() == Method::Analytic;
        let sweeps = !analytic || !self.pieces.is_empty();
        self.above = vec![ParentKinematics::nothing(); self.bases.len() + self.top.len()];
        let heights = if analytic { self.heights() } else { Vec::new() };
        let scratch = |block: &mut Block<T>| {
            let count = block.len();
            let height = |&id: &u32| if id == PADDING { 1 } else { heights[id as usize] };
            block.model.heights = if analytic { block.model.ids.iter().map(height).collect() } else { Vec::new() };
            block.scratch.accumulators =
                if sweeps { Accumulators::new(count, block.leaf_places()) } else { Accumulators::default() };
            let leaves = block.leaf_places();
            block.scratch.implicit = Rows::filled(articulated::Work::zero(), if sweeps { count - leaves } else { 0 });
            block.scratch.leaf_works = Rows::filled(articulated::LeafWork::zero(), if analytic { 0 } else { leaves });
            block.scratch.analytic =
                Rows::filled(composite_work::Work::zero(), if analytic { count - leaves } else { 0 });
            block.scratch.analytic_leaves = Rows::default();
            block.scratch.composites =
                if analytic { Accumulators::new(count, block.leaf_places()) } else { Accumulators::default() };
            block.scratch.composites_to_top =
                vec![CompositeAccumulator::default(); if analytic { block.model.entries.len() } else { 0 }];
            block.scratch.is_forced = false;
            block.scratch.to_top =
                vec![ArticulatedAccumulator::default(); if sweeps { block.model.entries.len() } else { 0 }];
        };
        scratch(&mut self.top);
        self.blocks.change_model().par_iter_mut().for_each(scratch);
    }
}

fn filled<T: Real>(
    order: &Order,
    layout: &Layout,
    (plant, gravity, all_are_there): (&Plant, DVec3, bool),
    joint: &impl Fn(BodyId) -> BodyJoint<T>,
) -> Block<T> {
    let count = order.ids.len();
    let links: Vec<Link> = order.ids.iter().map(|&id| layout.link(plant, id)).collect();
    let entries = (0..count as u32).filter(|&i| matches!(links[i as usize], Link::Top(_))).collect();
    let nowhere = Joint { offset: Vec3::zero(), shape: Quat::identity(), neutral: Quat::identity() };
    let padding = BodyJoint { joint: nowhere, state: JointState::at_rest() };
    let known = |&id: &u32| if id == PADDING { padding } else { joint(BodyId(id)) };
    let joints: Vec<BodyJoint<T>> = order.ids.iter().map(known).collect();
    let mut block = Block {
        model: BlockModel {
            ids: order.ids.clone(),
            seats: joints.iter().map(|it| it.joint.seat()).collect(),
            shapes: joints.iter().map(|it| it.joint.shape).collect(),
            entries,
            ..BlockModel::default()
        },
        state: BlockState {
            links,
            joints: joints.iter().map(|it| it.state).collect(),
            reactions: Rows::filled(Wrench::zero(), count),
            ..BlockState::default()
        },
        plan: SweepPlan { batches: order.batches.clone(), ..SweepPlan::default() },
        scratch: BlockScratch::default(),
    };
    block.begin_at(Motion { proper_acceleration: Vec3::of(-gravity), ..Motion::at_rest() }, all_are_there);
    block
}

/// The joints as the solver sees them: of a body whose parent is not simulated, relative to the carrier
/// of the parent.
fn on_carriers<T: Real>(
    plant: &Plant,
    layout: &Layout,
    joints: &[BodyJoint<T>],
    rider_frames: &[RiderFrame<T>],
) -> Vec<BodyJoint<T>> {
    let mut on_carriers = joints.to_vec();
    for id in plant.body_ids() {
        let Some(parent) = plant.parent(id).map(|p| p.0 as usize) else { continue };
        if layout.carriers[parent] == parent as u32 {
            continue;
        }
        let (rider_frame, joint) = (&rider_frames[parent], &mut on_carriers[id.0 as usize].joint);
        joint.offset = rider_frame.position + rider_frame.orientation.rotate(joint.offset);
        joint.shape = (rider_frame.orientation * joint.shape).normalized();
        joint.neutral = (rider_frame.orientation * joint.neutral).normalized();
    }
    on_carriers
}

/// The frame of every body relative to its carrier.
fn rider_frames<T: Real>(plant: &Plant, layout: &Layout, joints: &[BodyJoint<T>]) -> Vec<RiderFrame<T>> {
    let mut rider_frames: Vec<RiderFrame<T>> = Vec::with_capacity(joints.len());
    let on_itself = RiderFrame { position: Vec3::zero(), orientation: Quat::identity() };
    for id in plant.body_ids() {
        let i = id.0 as usize;
        let rider_frame = if layout.carriers[i] == id.0 {
            on_itself
        } else {
            let parent = plant.parent(id).map_or(on_itself, |p| {
                let rides_on_base = layout.carriers[p.0 as usize] == ON_BASE;
                debug_assert!(!rides_on_base || layout.carriers[i] == ON_BASE);
                rider_frames[p.0 as usize]
            });
            let BodyJoint { joint, state } = &joints[i];
            RiderFrame {
                position: parent.position + parent.orientation.rotate(joint.offset),
                orientation: (parent.orientation * joint.neutral * state.q).normalized(),
            }
        };
        rider_frames.push(rider_frame);
    }
    rider_frames
}

/// Inertia about the joint, mass and moment of a body in another's axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lump {
    pub mass: f64,
    pub moment: DVec3,
    pub inertia: DMat3,
}

impl Lump {
    pub const ZERO: Self = Self { mass: 0.0, moment: DVec3::ZERO, inertia: DMat3::ZERO };

    /// Adds a body with the rider frame `rider_frame`.
    pub fn add<T: Real>(
        &mut self,
        properties: &windfall_core::MassProperties,
        scale: f64,
        rider_frame: &RiderFrame<T>,
    ) {
        let turn = rider_frame.orientation.f64();
        let center = rider_frame.position.f64() + turn * properties.center_of_mass;
        let mass = properties.mass * scale;
        let cross = DMat3::from_cols(
            DVec3::new(0.0, center.z, -center.y),
            DVec3::new(-center.z, 0.0, center.x),
            DVec3::new(center.y, -center.x, 0.0),
        );
        self.mass += mass;
        self.moment += mass * center;
        self.inertia += properties.world_inertia(turn) * scale - cross * cross * mass;
    }
}
