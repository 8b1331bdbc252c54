//! The sweep up, eight bodies at a time: `up_one` of `analytic/sweep.rs`.

use fearless_simd::Simd;

use super::air;
use super::composite::{Forces, Handed, Heavy, Numbers};
use super::crowd::Crowds;
use super::fictitious::{self, Frames};
use super::leaf;
use crate::analytic::{CROWD, Carried, Step, WITHOUT_FORCES};
use crate::wide::heard::{Parents, parents};
use crate::wide::math::{LANES, Mask, Q, Sym, V, Wide, all, number};
use crate::wide::prefetch;
use crate::wide::up::Lumped;
use crate::world::block::{Block, Link};
use crate::world::exchange::Burden;
use crate::world::order::{Batch, Way};
use crate::world::rows::Row;

static NOTHING: Carried<f32> = Carried([[0.0; 8]; CROWD + 1]);

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

/// What eight bodies carry: children, and what actions give them.
#[inline(always)]
fn collected<S: Simd>(simd: S, block: &mut Block<f32>, (row, batch): (usize, Batch), step: &Step<f32>) -> Said<S> {
    if batch.way != Way::Wood {
        // Leaves carry nothing.
        if block.carried.leaves_are_free() {
            return Said::nothing(simd);
        }
        let carried = std::array::from_fn(|l| block.carried.of_leaf(row * LANES + l).unwrap_or(&NOTHING));
        return Said::given(simd, &carried, step);
    }
    let mut given = Said::nothing(simd);
    if batch.talks || block.carried.is_filled() {
        let carried = block.carried.row(row);
        given = Said::given(simd, &carried.each_ref(), step);
        let used = if step.is_forced { CROWD + 1 } else { WITHOUT_FORCES };
        for (l, carried) in carried.iter_mut().enumerate() {
            if batch.apart >> l & 1 == 0 {
                carried.0[..used].fill([0.0; 8]);
            }
        }
    }
    if batch.is_laden {
        given.add(Said::borne(simd, &block.told.burdens[row], step), step.is_forced);
    }
    given
}

/// Sweeps the rows of a bunch of leaves, as many as `wide` takes at a time; `first` is the first row of leaves. What they give is laid into `burdens` of the row that they sit on, or sent, by way of `aside`.
#[inline(always)]
pub fn bunch<S: Simd, W: Wide<Machine = S>>(
    (simd, wide): (S, W),
    block: &mut Block<f32>,
    (row, rows, first): (usize, usize, usize),
    (burdens, aside): (&mut [Burden<f32>], &mut Burden<f32>),
    step: &Step<f32>,
) {
    let parents = Parents::of_bunch(block, row, rows);
    let parent = parents.hear(simd, block, &block.told.heard);
    let bough = [parent.velocity.row(), parent.omega.row()];
    // Read where it is needed, instead of being kept in registers, or rather written to the stack again.
    let bough = std::hint::black_box(&bough);
    let sum = match parents {
        Parents::Row(on) => &mut burdens[on],
        Parents::Each(_) => &mut *aside,
    };
    let used = if step.is_forced { CROWD + 1 } else { WITHOUT_FORCES };
    sum[..used].fill([Row([0.0; LANES]); 8]);
    let mut next = row;
    if W::ROWS > 1 {
        while next + W::ROWS <= row + rows {
            leaf::up(wide, block, (next, first), (bough, sum), step);
            next += W::ROWS;
        }
    }
    for row in next..row + rows {
        leaf::up(simd, block, (row, first), (bough, sum), step);
    }
    if let Parents::Each(links) = parents {
        Said::borne(simd, sum, step).send(simd, block, &links, (row, u8::MAX), step);
    }
}

/// What parents carry of eight bodies, about their own joints.
#[derive(Clone, Copy)]
pub struct Said<S: Wide> {
    pub heavy: Heavy<S>,
    pub forces: Forces<S>,
}

impl<S: Wide> Said<S> {
    /// Adds it to what a row of wood bears, as far as it is in the mask.
    #[inline(always)]
    pub fn add_to(self, burden: &mut Burden<f32>, mask: Option<Mask<S>>, step: &Step<f32>) {
        let Self { mut heavy, mut forces } = self;
        if let Some(mask) = mask {
            (heavy, forces) = (heavy.only(mask), forces.only(mask));
        }
        Numbers::of(&heavy, &forces, step.is_forced).add_to(burden);
    }
}

impl<S: Simd> Said<S> {
    #[inline(always)]
    fn nothing(simd: S) -> Self {
        Self { heavy: Heavy::zero(simd), forces: Forces::zero(simd) }
    }

    /// What eight bodies are given one by one.
    #[inline(always)]
    fn given(simd: S, carried: &[&Carried<f32>; LANES], step: &Step<f32>) -> Self {
        Self::read(simd, Numbers::carried(simd, carried, step.is_forced))
    }

    /// What a row bears.
    #[inline(always)]
    fn borne(simd: S, burden: &Burden<f32>, step: &Step<f32>) -> Self {
        Self::read(simd, Numbers::borne(simd, burden, step.is_forced))
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

    /// Adds what others say.
    #[inline(always)]
    fn add(&mut self, o: Self, is_forced: bool) {
        self.heavy.add_other(o.heavy);
        if is_forced {
            self.forces.add_other(o.forces);
        }
    }

    /// Gives it to the parents in the block; and to the top, of which a row has one for each body.
    #[inline(always)]
    fn send(
        &self,
        simd: S,
        block: &mut Block<f32>,
        links: &[Link; LANES],
        (row, lanes): (usize, u8),
        step: &Step<f32>,
    ) {
        let handed = Handed::of(self.numbers(step));
        for l in (0..LANES).filter(|l| lanes >> l & 1 == 1) {
            match links[l] {
                Link::Body(parent) => handed.give(simd, block.carried.of_wood(parent as usize), l),
                Link::Top(_) => {
                    let entry = block.entry_of(row * LANES + l);
                    block.lifted[entry] = Carried::default();
                    handed.give(simd, &mut block.lifted[entry], l);
                }
                Link::Base(_) | Link::Free(_) | Link::Gone => {}
            }
        }
    }
}

/// Eight bodies with what they carry; gives what their parents carry of them.
#[inline(always)]
fn carry<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    (row, way): (usize, Way),
    Said { heavy: mut body, mut forces }: Said<S>,
    above: super::Parents<'_>,
    step: &Step<f32>,
) -> Said<S> {
    let is_far = step.is_far && way == Way::Wood;
    prefetch::analytic_up(block, row, is_far);
    let motion = &block.motions.rows()[row];
    let lumped = Lumped::of(simd, block, row);
    let rotation = Q::of(simd, &motion.orientation).matrix();
    let back = rotation.transpose();
    let arm = V::of(simd, &motion.arm);
    let own = lumped.inertia;

    let mut aerial = V::splat(all(simd, 0.0));
    if step.is_windy {
        let omega = V::of(simd, &motion.omega);
        let place = (motion, row, way == Way::Leaves);
        aerial =
            air::add(simd, &mut forces, &block.sails, place, (rotation, omega), (lumped.blade(), own.trace()), step.h);
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
        let springs = &block.springs.rows()[row];
        let springs = (V::of(simd, &springs.stiffness), number(simd, &springs.beta));
        let inward = Crowds::of_joints(inertia.on_diagonal(), drag_inertia.on_diagonal(), springs, step);
        forces.outward = forces.outward.and(inward);
        forces.put(drag_inertia, inward, &mut block.analytic.rows_mut()[row].pushed);
    } else if block.is_forced || way == Way::Leaves {
        // Of the step before; of leaves perhaps of the last one in which they were whole.
        forces.put(forces.drag_inertia, forces.outward, &mut block.analytic.rows_mut()[row].pushed);
    }
    let work = &mut block.analytic.rows_mut()[row];
    work.mass.0 = body.mass.into();
    body.moment.put(&mut work.moment);
    inertia.put(&mut work.inertia);
    hanging.put(&mut work.hanging);
    torque.put(&mut work.torque);

    let forces = if step.is_forced { forces.moved(arm) } else { forces };
    Said { heavy: body.moved(arm), forces }
}
