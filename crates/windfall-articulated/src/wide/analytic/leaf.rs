//! Leaves with no loads but air and weight, in their own axes: three of four bodies of most trees.
//!
//! A leaf has no children, and its inertia, its springs and its centre (0, c, 0) lie along its axes. So D
//! I~ D is diagonal, its modes are rotations about the three axes, and of the resistance only the
//! diagonals count: no eigenproblem, and no change of axes except for the part of the parent. In theta
//! instead of y (which are multiples of each other here) a mode is
//!
//! ```text
//! mu theta'' + (alpha mu + beta + g) theta' + (1 + k) theta = tau / K + g theta'_n + k theta_n,   mu = I / K
//! ```
//!
//! Leaves with other loads, and all leaves while joints drive each other or the ground moves, take the
//! common path.

use fearless_simd::Simd;

use super::composite::{Forces, Heavy};
use super::down::{Settled, settled};
use super::drag_share::DragShares;
use super::joint::{Modes, Moved, bounded};
use super::up::ForParent;
use crate::analytic::Step;
use crate::block::Block;
use crate::block::drag_share::DragShare;
use crate::block::exchange::{self, ParentKinematics, RowLoad};
use crate::block::rows::Row;
use crate::math::Vec3;
use crate::wide::air;
use crate::wide::leaf::{Blade, law, plus_levered, present_lanes};
use crate::wide::math::{F, Q, Sym, V, Wide, all};
use crate::wide::parent_kinematics::{Own, Parents};
use crate::wide::prefetch;
use crate::wide::rotation::{RotationVector, log};

/// Sweeps up the rows processed at a time, from this one on, and adds the parts of the parents to `sum`;
/// `first` is the first row of leaves. `carrier` holds velocity and angular velocity of the parents, world
/// axes.
#[inline(always)]
pub fn up<S: Wide>(
    simd: S,
    block: &mut Block<f32>,
    (row, first): (usize, usize),
    (carrier, sum): (&[Vec3<Row<f32>>; 2], &mut RowLoad<f32>),
    step: &Step<f32>,
) {
    let poses = &block.scratch.wood_kinematics.poses[row - first..][..S::ROWS];
    let rotation = Q::at(simd, |j| &poses[j].orientation).matrix();
    let blade = Blade::of(simd, &block.model.masses, row - first);
    let Blade { mass: weight, moment, inertia } = blade;
    let arm = V::at(simd, |j| &poses[j].arm);
    let along = rotation.column(1);
    let heavy = Heavy { mass: weight, moment: along * moment, inertia: Sym::along_axes(inertia, rotation) };

    let o = all(simd, 0.0);
    let gravity = rotation.transpose_mul_upright(step.gravity);
    let mut torque = V::new(moment * gravity.z, o, -(moment * gravity.x));
    let pull = moment * gravity.y;
    let mut hanging = V::new(pull, o, pull);
    let mut drag_inertia = V::splat(o);
    let mut forces = Forces::zero(simd);
    let (mut pushed, mut held) = (V::splat(o), V::splat(o));
    if step.is_windy {
        let (velocity, turning) = (V::repeated_of(simd, &carrier[0]), V::repeated_of(simd, &carrier[1]));
        let sails = &block.model.sails.own.leaves()[row - first..][..S::ROWS];
        let c = F::at(simd, |j| &sails[j].center);
        let states = &block.state.joints.rows()[row..][..S::ROWS];
        let omega = V::at(simd, |j| &states[j].w) + rotation.transpose_mul(turning);
        let v = air::velocity(simd, &block.scratch.air, row) - turning.cross_plus(arm, velocity);
        let v = plus_levered(rotation.transpose_mul(v), c, omega);
        let air_load = law::aero_load(simd, (&block.model.sails, row), blade, v);
        let spin_drag = super::air::spin_drag(&air_load, inertia.sum(), step.h);
        let turn = air_load.torque - spin_drag.scale(omega);
        torque = plus_levered(torque + turn, c, air_load.force);
        let pull = c * air_load.force.y;
        hanging += V::new(pull + air_load.stiffness.x, air_load.stiffness.y, pull + air_load.stiffness.z);
        let square = c * c;
        drag_inertia = spin_drag + V::new(square * air_load.drag.z, o, square * air_load.drag.x);
        (pushed, held) = (air_load.force, air_load.drag);
        // About the joint of the parent.
        forces =
            Forces::at(along.times_plus(c, arm), rotation * air_load.force, Sym::along_axes(air_load.drag, rotation));
        forces.torque = forces.torque.plus(rotation, turn);
        forces.drag_inertia = forces.drag_inertia + Sym::along_axes(spin_drag, rotation);
        let springs = &block.model.springs.rows()[row..][..S::ROWS];
        let springs = (V::at(simd, |j| &springs[j].stiffness), F::at(simd, |j| &springs[j].beta));
        forces.outward = DragShares::of_joints(inertia, drag_inertia, springs, step);
    }
    let works = &mut block.scratch.analytic_leaves.rows_mut()[row - first..][..S::ROWS];
    hanging.put_in(works, |work| &mut work.hanging);
    torque.put_in(works, |work| &mut work.torque);
    drag_inertia.put_in(works, |work| &mut work.drag_inertia);
    pushed.put_in(works, |work| &mut work.force);
    held.put_in(works, |work| &mut work.drag);
    forces.outward.sum.put_in(works, |work| &mut work.drag_share.sum);
    forces.outward.squares.put_in(works, |work| &mut work.drag_share.squares);
    let are_there = present_lanes(simd, &block.plan.batches[row..]);
    ForParent { heavy: heavy.moved(arm), forces }.add_to(sum, are_there, step);
}

/// The motion of the parents of leaves, and gravity, in their own axes of the end of the step; and the
/// drag share of the joints between the leaves and the root.
pub struct RowKinematics {
    own: exchange::RowKinematics<Row<f32>>,
    gravity: Vec3<Row<f32>>,
    below: DragShare<Row<f32>>,
}

impl RowKinematics {
    #[inline(always)]
    pub fn of<S: Simd>(
        simd: S,
        block: &Block<f32>,
        (parents, below): (&Parents, DragShares<S>),
        own: &[ParentKinematics<f32>],
        step: &Step<f32>,
    ) -> Self {
        let rotation = parents.find_parent_kinematics(simd, block, own).rotation;
        let gravity = rotation.transpose_mul(V::all(simd, step.gravity)).row();
        let Own { alpha, proper_acceleration, omega } = parents.find_own_parent_kinematics(simd, block, own, true);
        let own = exchange::RowKinematics {
            alpha: alpha.row(),
            proper_acceleration: proper_acceleration.row(),
            omega: omega.row(),
        };
        Self { own, gravity, below: DragShare { sum: Row(below.sum.into()), squares: Row(below.squares.into()) } }
    }
}

/// Moves the rows processed at a time, from this one on, and returns the squares of the angular
/// velocities of the joints.
#[inline(always)]
pub fn down<S: Wide>(
    simd: S,
    block: &mut Block<f32>,
    (row, first): (usize, usize),
    carrier: &RowKinematics,
    step: &Step<f32>,
) -> F<S> {
    prefetch::analytic_leaves_down(block, row, first, step.is_far);
    let below = DragShares {
        sum: F::repeated_of(simd, &carrier.below.sum),
        squares: F::repeated_of(simd, &carrier.below.squares),
    };
    let (vector, moved) = turned(simd, block, (row, first), below, step);
    // Not prefetched together with the first part: so many requests at a time would stall.
    if S::ROWS > 1 {
        prefetch::analytic_leaves_down(block, row + 1, first, step.is_far);
    }
    let settled = settled(&vector, &moved, step);
    settled.put(block, row);
    let Settled { q, w, rate, .. } = settled;

    // As `Motion::place` and `follow`, in the axes of the leaves.
    let joints = &block.model.seats.rows()[row..][..S::ROWS];
    let exchange::RowKinematics { alpha, proper_acceleration, omega } = &carrier.own;
    let (alpha, proper_acceleration) = (V::repeated_of(simd, alpha), V::repeated_of(simd, proper_acceleration));
    let (omega, gravity) = (V::repeated_of(simd, omega), V::repeated_of(simd, &carrier.gravity));
    let rotation = (Q::at(simd, |j| &joints[j].neutral) * q).matrix();
    let offset = V::at(simd, |j| &joints[j].offset);
    let proper_acceleration = omega.cross_plus(omega.cross(offset), alpha.cross_plus(offset, proper_acceleration));
    let acceleration = rotation.transpose_mul(proper_acceleration + gravity);
    let proper_acceleration = rotation.transpose_mul(proper_acceleration);
    let carrier_omega = rotation.transpose_mul(omega);
    let alpha = carrier_omega.cross_plus(w, rotation.transpose_mul(alpha) + rate);
    let V { x, y, z } = carrier_omega + w;
    // [quigley2017] eq. 13 and 15: the force that the joint carries; the intermediate results of a leaf
    // turn with it.
    let Blade { mass, moment, .. } = Blade::of(simd, &block.model.masses, row - first);
    let swing = V::new(x * y, -(x.mul_add(x, z * z)), y * z);
    let force = plus_levered(proper_acceleration * mass, -moment, alpha) + swing * moment;
    let works = &block.scratch.analytic_leaves.rows()[row - first..][..S::ROWS];
    let sails = &block.model.sails.own.leaves()[row - first..][..S::ROWS];
    // Drag resists at the centre.
    let c = F::at(simd, |j| &sails[j].center);
    let held = V::at(simd, |j| &works[j].drag).scale(plus_levered(acceleration, -c, alpha));
    let force = held.times_plus(all(simd, step.h), force - V::at(simd, |j| &works[j].force));
    force.put_in(&mut block.state.reactions.rows_mut()[row..][..S::ROWS], |reaction| &mut reaction.force);
    w.length_squared()
}

/// The rotations of joints of the rows processed at a time before the step, and their change.
#[inline(always)]
fn turned<S: Wide>(
    wide: S,
    block: &Block<f32>,
    (row, first): (usize, usize),
    below: DragShares<S>,
    step: &Step<f32>,
) -> (RotationVector<S>, Moved<S>) {
    let (states, springs) =
        (&block.state.joints.rows()[row..][..S::ROWS], &block.model.springs.rows()[row..][..S::ROWS]);
    let works = &block.scratch.analytic_leaves.rows()[row - first..][..S::ROWS];
    let inertia = Blade::of(wide, &block.model.masses, row - first).inertia;
    let (stiffness, beta) = (V::at(wide, |j| &springs[j].stiffness), F::at(wide, |j| &springs[j].beta));
    let k = bounded(stiffness, inertia.sum(), step.h);
    let per_k = V::splat(all(wide, 1.0)).over(k);
    let mu = inertia.scale(per_k);
    let hanging = V::at(wide, |j| &works[j].hanging).scale(per_k);
    let drag = V::at(wide, |j| &works[j].drag_inertia).scale(per_k);
    let drag_share = DragShares {
        sum: F::at(wide, |j| &works[j].drag_share.sum),
        squares: F::at(wide, |j| &works[j].drag_share.squares),
    };
    let kappa = drag_share.and(below).kappa();
    let vector = log(Q::at(wide, |j| &states[j].q));
    let push = vector.force_of(V::at(wide, |j| &works[j].torque)).scale(per_k);
    let (y, v) = (vector.theta, V::at(wide, |j| &states[j].w));
    let is_dragged = step.is_windy;
    let modes = Modes { mu, beta, drag, kappa, hanging };
    let [theta, rate, acceleration, held] = modes.advance((y, v, push), is_dragged, step);
    let moved = Moved { theta, rate, acceleration, spring: held.scale(k) };
    (vector, moved)
}
