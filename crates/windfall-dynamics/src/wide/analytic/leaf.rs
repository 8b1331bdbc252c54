//! Leaves on which nothing acts but wind and weight, in their own axes: three of four bodies of most trees.
//!
//! A leaf carries nothing, and its inertia, its springs and its centre (0, c, 0) lie along its axes. So D I~ D is diagonal, its modes are turns about the three axes, and of what resists only the
//! diagonals count: no eigenproblem, and no turning into other axes but for what the parent carries. In theta instead of y (which are multiples of each other here) a mode is
//!
//! ```text
//! mu theta'' + (alpha mu + beta + g) theta' + (1 + k) theta = tau / K + g theta'_n + k theta_n        mu = I / K
//! ```
//!
//! Leaves that something else acts on, and all while joints drive each other or the ground moves, go the common path.

use fearless_simd::Simd;

use super::composite::{Forces, Heavy};
use super::crowd::Crowds;
use super::down::place;
use super::joint::{Mode, Moved, bounded};
use super::up::Said;
use crate::analytic::Step;
use crate::wide::air;
use crate::wide::heard::Parent;
use crate::wide::leaf::{Blade, law, plus_levered};
use crate::wide::math::{F, Q, Sym, V, Wide, all, number};
use crate::wide::prefetch;
use crate::wide::rotation::{RotationVector, log};
use crate::world::block::Block;

/// Sweeps one row up, and gives what the parents carry of it; `first` is the first row of leaves.
#[inline(always)]
pub fn up<S: Simd>(simd: S, block: &mut Block<f32>, (row, first): (usize, usize), step: &Step<f32>) -> Said<S> {
    prefetch::analytic_leaves_up(block, row, first, step.is_far);
    let motion = &block.motions.rows()[row];
    let rotation = Q::of(simd, &motion.orientation).matrix();
    let blade = Blade::of(simd, &block.masses, row - first);
    let Blade { mass: weight, moment, inertia } = blade;
    let arm = V::of(simd, &motion.arm);
    let along = rotation.column(1);
    let heavy = Heavy { mass: weight, moment: along * moment, inertia: Sym::diagonal_turned(inertia, rotation) };

    let o = all(simd, 0.0);
    let gravity = rotation.transpose_mul(V::all(simd, step.gravity));
    let mut torque = V::new(moment * gravity.z, o, -(moment * gravity.x));
    let pull = moment * gravity.y;
    let mut hanging = V::new(pull, o, pull);
    let mut drag_inertia = V::splat(o);
    let mut forces = Forces::zero(simd);
    if step.is_windy {
        let c = number(simd, &block.sails.own.leaves()[row - first].center);
        let omega = rotation.transpose_mul(V::of(simd, &motion.omega));
        let v = air::velocity(simd, &block.sails, row) - V::of(simd, &motion.velocity);
        let v = plus_levered(rotation.transpose_mul(v), c, omega);
        let gust = law::blow(simd, (&block.sails, row), blade, v);
        let spin_drag = super::air::spin_drag(&gust, inertia.sum(), step.h);
        let turn = gust.torque - spin_drag.scale(omega);
        torque = plus_levered(torque + turn, c, gust.force);
        let pull = c * gust.force.y;
        hanging += V::new(pull + gust.stiffness.x, gust.stiffness.y, pull + gust.stiffness.z);
        let square = c * c;
        drag_inertia = spin_drag + V::new(square * gust.drag.z, o, square * gust.drag.x);
        // About the joint of the parent.
        forces.add(along.times_plus(c, arm), rotation * gust.force, Sym::diagonal_turned(gust.drag, rotation));
        forces.torque = forces.torque.plus(rotation, turn);
        forces.drag_inertia = forces.drag_inertia + Sym::diagonal_turned(spin_drag, rotation);
        let springs = &block.springs.rows()[row];
        let springs = (V::of(simd, &springs.stiffness), number(simd, &springs.beta));
        forces.outward = Crowds::of_joints(inertia, drag_inertia, springs, step);
    }
    let work = &mut block.analytic_leaves.rows_mut()[row - first];
    hanging.put(&mut work.hanging);
    torque.put(&mut work.torque);
    drag_inertia.put(&mut work.drag_inertia);
    forces.force.put(&mut work.force);
    forces.drag.put(&mut work.drag);
    (work.crowd.sum.0, work.crowd.squares.0) = (forces.outward.sum.into(), forces.outward.squares.into());
    Said { heavy: heavy.moved(arm), forces }
}

/// Moves the rows that go at a time, from this one on, and gives the largest squares of the angular velocities; `below` is how crowded the joints between the leaves and the root are.
#[inline(always)]
pub fn down<S: Simd, W: Wide<Machine = S>>(
    wide: W,
    block: &mut Block<f32>,
    (row, first): (usize, usize),
    (parent, below): (&Parent<S>, Crowds<S>),
    step: &Step<f32>,
) -> F<S> {
    let (vector, moved) = turned(wide, block, (row, first), below, step);
    let simd = wide.machine();
    let mut fastest = all(simd, 0.0);
    // One row after the other: what is written waits in a queue, which is too short for more.
    for j in 0..W::ROWS {
        prefetch::analytic_leaves_down(block, row + j, first, step.is_far);
        let work = &block.analytic_leaves.rows()[row + j - first];
        let Blade { mass, moment, .. } = Blade::of(simd, &block.masses, row + j - first);
        // At the beginning of the step, as the wind found it.
        let along = Q::of(simd, &block.motions.rows()[row + j].orientation).along_y();
        let arm = along * (moment / mass);
        let (pushed, held) = (V::of(simd, &work.force), Sym::of(simd, &work.drag));
        let (gravity, h) = (V::all(simd, step.gravity), all(simd, step.h));
        let placed = place(
            simd,
            (block, row + j),
            parent,
            (&vector.part(j), moved.part(j)),
            (mass, along * moment),
            // Drag resists at the centre.
            #[inline(always)]
            |force, felt, alpha| (force - pushed).plus(held.full(), alpha.cross_plus(arm, felt + gravity) * h),
            step,
        );
        fastest = fastest.max(placed.speed);
    }
    fastest
}

/// Where the joints of rows that go at a time were, and how they have turned.
#[inline(always)]
fn turned<S: Simd, W: Wide<Machine = S>>(
    wide: W,
    block: &Block<f32>,
    (row, first): (usize, usize),
    below: Crowds<S>,
    step: &Step<f32>,
) -> (RotationVector<W>, Moved<W>) {
    let (states, springs) = (&block.states.rows()[row..][..W::ROWS], &block.springs.rows()[row..][..W::ROWS]);
    let works = &block.analytic_leaves.rows()[row - first..][..W::ROWS];
    let inertia = Blade::of(wide, &block.masses, row - first).inertia;
    let (stiffness, beta) = (V::at(wide, |j| &springs[j].stiffness), F::at(wide, |j| &springs[j].beta));
    let k = bounded(stiffness, inertia.sum(), step.h);
    let per_k = V::splat(all(wide, 1.0)).over(k);
    let mu = inertia.scale(per_k);
    let hanging = V::at(wide, |j| &works[j].hanging).scale(per_k);
    let drag = V::at(wide, |j| &works[j].drag_inertia).scale(per_k);
    let crowd = Crowds { sum: F::at(wide, |j| &works[j].crowd.sum), squares: F::at(wide, |j| &works[j].crowd.squares) };
    let below = Crowds { sum: F::repeated(wide, below.sum), squares: F::repeated(wide, below.squares) };
    let kappa = crowd.and(below).kappa();
    let vector = log(Q::at(wide, |j| &states[j].q));
    let push = vector.force_of(V::at(wide, |j| &works[j].torque)).scale(per_k);
    let (y, v) = (vector.theta, V::at(wide, |j| &states[j].w));
    let is_dragged = step.is_windy;
    let x = Mode { mu: mu.x, beta, drag: drag.x, kappa, hanging: hanging.x };
    let x = x.advance((y.x, v.x, push.x), is_dragged, step);
    let y_ = Mode { mu: mu.y, beta, drag: drag.y, kappa, hanging: hanging.y };
    let y_ = y_.advance((y.y, v.y, push.y), is_dragged, step);
    let z = Mode { mu: mu.z, beta, drag: drag.z, kappa, hanging: hanging.z };
    let z = z.advance((y.z, v.z, push.z), is_dragged, step);
    let moved = Moved {
        theta: V::new(x[0], y_[0], z[0]),
        rate: V::new(x[1], y_[1], z[1]),
        acceleration: V::new(x[2], y_[2], z[2]),
        spring: V::new(x[3], y_[3], z[3]).scale(k),
    };
    (vector, moved)
}
