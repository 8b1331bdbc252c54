//! The sweep up, eight bodies at a time: `up_one` of `analytic/sweep.rs`.

use fearless_simd::Simd;

use super::air;
use super::composite::{Forces, Handed, Heavy, Numbers};
use super::drag_share::DragShares;
use super::fictitious::{self, Frames};
use super::leaf;
use crate::analytic::Step;
use crate::block::batch::{Batch, Way};
use crate::block::composite_accumulator::{CompositeAccumulator, DRAG_SHARE, WITHOUT_FORCES};
use crate::block::exchange::RowLoad;
use crate::block::rows::Row;
use crate::block::{Block, Link};
use crate::wide::math::{LANES, Mask, Q, Sym, V, Wide, all, number};
use crate::wide::parent_kinematics::{Parents, parents};
use crate::wide::prefetch;
use crate::wide::up::Lumped;

static NOTHING: CompositeAccumulator<f32> = CompositeAccumulator([[0.0; 8]; DRAG_SHARE + 1]);

/// Sweeps one row.
#[inline(always)]
pub fn row<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    row: usize,
    batch: Batch,
    above: super::Parents<'_>,
    step: &Step<f32>,
) {
    let given = collected(simd, block, (row, batch), step);
    let said = carry(simd, block, (row, batch.way), given, above, step);
    said.send(simd, block, &parents(block, row), (row, !batch.apart), step);
}

/// Accumulated parts of eight bodies: from children, and from actions.
#[inline(always)]
fn collected<S: Simd>(simd: S, block: &mut Block<f32>, (row, batch): (usize, Batch), step: &Step<f32>) -> ForParent<S> {
    if batch.way != Way::Wood {
        // Leaves have no children.
        if block.scratch.composites.leaves_are_free() {
            return ForParent::nothing(simd);
        }
        let composites = std::array::from_fn(|l| block.scratch.composites.of_leaf(row * LANES + l).unwrap_or(&NOTHING));
        return ForParent::given(simd, &composites, step);
    }
    let mut given = ForParent::nothing(simd);
    if batch.has_other_children || block.scratch.composites.is_filled() {
        let composites = block.scratch.composites.row(row);
        given = ForParent::given(simd, &composites.each_ref(), step);
        let used = if step.is_forced { DRAG_SHARE + 1 } else { WITHOUT_FORCES };
        for (l, composites) in composites.iter_mut().enumerate() {
            if batch.apart >> l & 1 == 0 {
                composites.0[..used].fill([0.0; 8]);
            }
        }
    }
    if batch.carries_bunch {
        given.add(ForParent::borne(simd, &block.scratch.wood_kinematics.row_loads[row], step), step.is_forced);
    }
    given
}

/// Sweeps the rows of a bunch of leaves, as many as `wide` takes at a time; `first` is the first row of
/// leaves. Their parts are stored in `row_loads` of the row that they sit on, or sent one by one by way
/// of `aside`.
#[inline(always)]
pub fn bunch<S: Simd, W: Wide<Machine = S>>(
    (simd, wide): (S, W),
    block: &mut Block<f32>,
    (row, rows, first): (usize, usize, usize),
    (row_loads, aside): (&mut [RowLoad<f32>], &mut RowLoad<f32>),
    step: &Step<f32>,
) {
    let parents = Parents::of_bunch(block, row, rows);
    let parent = parents.find_parent_kinematics(simd, block, &block.scratch.wood_kinematics.parent_kinematics);
    let carrier = [parent.velocity.row(), parent.omega.row()];
    // Read where it is needed: kept in registers, it would be spilled to the stack.
    let carrier = std::hint::black_box(&carrier);
    let sum = match parents {
        Parents::Row(on) => &mut row_loads[on],
        Parents::Each(_) => &mut *aside,
    };
    let used = if step.is_forced { DRAG_SHARE + 1 } else { WITHOUT_FORCES };
    sum[..used].fill([Row([0.0; LANES]); 8]);
    let mut next = row;
    if W::ROWS > 1 {
        while next + W::ROWS <= row + rows {
            leaf::up(wide, block, (next, first), (carrier, sum), step);
            next += W::ROWS;
        }
    }
    for row in next..row + rows {
        leaf::up(simd, block, (row, first), (carrier, sum), step);
    }
    if let Parents::Each(links) = parents {
        ForParent::borne(simd, sum, step).send(simd, block, &links, (row, u8::MAX), step);
    }
}

/// The parts of eight bodies for their parents, about their own joints.
#[derive(Clone, Copy)]
pub struct ForParent<S: Wide> {
    pub heavy: Heavy<S>,
    pub forces: Forces<S>,
}

impl<S: Wide> ForParent<S> {
    /// Adds it to the load of a row of wood, for the lanes of the mask.
    #[inline(always)]
    pub fn add_to(self, row_load: &mut RowLoad<f32>, mask: Option<Mask<S>>, step: &Step<f32>) {
        let Self { mut heavy, mut forces } = self;
        if let Some(mask) = mask {
            (heavy, forces) = (heavy.only(mask), forces.only(mask));
        }
        Numbers::of(&heavy, &forces, step.is_forced).add_to(row_load);
    }
}

impl<S: Simd> ForParent<S> {
    #[inline(always)]
    fn nothing(simd: S) -> Self {
        Self { heavy: Heavy::zero(simd), forces: Forces::zero(simd) }
    }

    /// The accumulators of eight bodies.
    #[inline(always)]
    fn given(simd: S, composites: &[&CompositeAccumulator<f32>; LANES], step: &Step<f32>) -> Self {
        Self::read(simd, Numbers::composites(simd, composites, step.is_forced))
    }

    /// The load of a row.
    #[inline(always)]
    fn borne(simd: S, row_load: &RowLoad<f32>, step: &Step<f32>) -> Self {
        Self::read(simd, Numbers::borne(simd, row_load, step.is_forced))
    }

    #[inline(always)]
    fn read(simd: S, numbers: Numbers<S>) -> Self {
        let (heavy, forces) = numbers.read(simd);
        Self { heavy, forces }
    }

    #[inline(always)]
    fn numbers(&self, step: &Step<f32>) -> Numbers<S> {
        Numbers::of(&self.heavy, &self.forces, step.is_forced)
    }

    /// Adds the parts of others.
    #[inline(always)]
    fn add(&mut self, o: Self, is_forced: bool) {
        self.heavy.add_other(o.heavy);
        if is_forced {
            self.forces.add_other(o.forces);
        }
    }

    /// Adds it to the accumulators of the parents in the block; and to those of the top, of which a row
    /// has one for each body.
    #[inline(always)]
    fn send(
        &self,
        simd: S,
        block: &mut Block<f32>,
        links: &[Link; LANES],
        (row, lanes): (usize, u8),
        step: &Step<f32>,
    ) {
        let to_top = Handed::of(self.numbers(step));
        for l in (0..LANES).filter(|l| lanes >> l & 1 == 1) {
            match links[l] {
                Link::Body(parent) => to_top.give(simd, block.scratch.composites.of_wood(parent as usize), l),
                Link::Top(_) => {
                    let entry = block.entry_of(row * LANES + l);
                    block.scratch.composites_to_top[entry] = CompositeAccumulator::default();
                    to_top.give(simd, &mut block.scratch.composites_to_top[entry], l);
                }
                Link::Base(_) | Link::Free(_) | Link::Removed => {}
            }
        }
    }
}

/// Solves eight bodies with their accumulated parts; returns the parts for their parents.
#[inline(always)]
fn carry<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    (row, way): (usize, Way),
    ForParent { heavy: mut body, mut forces }: ForParent<S>,
    above: super::Parents<'_>,
    step: &Step<f32>,
) -> ForParent<S> {
    let is_far = step.is_far && way == Way::Wood;
    prefetch::analytic_up(block, row, is_far);
    let motion = &block.state.motions.rows()[row];
    let lumped = Lumped::of(simd, block, row);
    let rotation = Q::of(simd, &motion.orientation).matrix();
    let back = rotation.transpose();
    let arm = V::of(simd, &motion.arm);
    let own = lumped.inertia;

    let mut aerial = V::splat(all(simd, 0.0));
    if step.is_windy {
        let omega = V::of(simd, &motion.omega);
        let place = (motion, row, way == Way::Leaves);
        aerial = air::add(
            simd,
            &mut forces,
            (&block.model.sails, &block.scratch.air),
            place,
            (rotation, omega),
            (lumped.blade(), own.trace()),
            step.h,
        );
    }
    body.mass += lumped.mass;
    body.moment += rotation * lumped.moment;
    body.inertia = body.inertia + own.turned(rotation);

    prefetch::analytic_up_on(block, row, is_far);
    // In the axes of the children: weight, and the frame's acceleration as a force at the centre.
    let inertia = body.inertia.turned(back);
    let moment = back * body.moment;
    let gravity = V::all(simd, step.gravity);
    let mut torque = moment.cross(back * gravity);
    let mut weight = back * gravity;
    if step.is_moved || step.fictitious.drives() {
        let frame = Frames::of(simd, motion, step);
        let fictitious = fictitious::torque(simd, &body, &frame, (block, row), above, step);
        torque += back * fictitious;
        weight = back * (gravity - frame.acceleration);
    }
    let lever = Sym::mixed(moment, weight);
    let trace = lever.trace();
    let mut hanging = Sym::identity(trace) - lever;
    hanging = Sym { xx: hanging.xx + aerial.x, yy: hanging.yy + aerial.y, zz: hanging.zz + aerial.z, ..hanging };
    if step.is_forced {
        torque += back * forces.torque;
        let lever = forces.lever.turned(back);
        hanging = hanging + (Sym::identity(lever.trace()) - lever);
        let drag_inertia = forces.drag_inertia.turned(back);
        let springs = &block.model.springs.rows()[row];
        let springs = (V::of(simd, &springs.stiffness), number(simd, &springs.beta));
        let inward = DragShares::of_joints(inertia.on_diagonal(), drag_inertia.on_diagonal(), springs, step);
        forces.outward = forces.outward.and(inward);
        forces.put(drag_inertia, inward, &mut block.scratch.analytic.rows_mut()[row].pushed);
    } else if block.scratch.is_forced || way == Way::Leaves {
        // From the previous step; for leaves perhaps from the last one in which they were processed
        // whole.
        forces.put(forces.drag_inertia, forces.outward, &mut block.scratch.analytic.rows_mut()[row].pushed);
    }
    let work = &mut block.scratch.analytic.rows_mut()[row];
    work.mass.0 = body.mass.into();
    body.moment.put(&mut work.moment);
    inertia.put(&mut work.inertia);
    hanging.put(&mut work.hanging);
    torque.put(&mut work.torque);

    let forces = if step.is_forced { forces.moved(arm) } else { forces };
    ForParent { heavy: body.moved(arm), forces }
}
