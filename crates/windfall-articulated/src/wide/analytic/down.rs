//! The sweep down, eight bodies at a time: `analytic/springs.rs` and `analytic/update.rs`.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, u32x8};

use super::drag_share::DragShares;
use super::joint::{Joint, Moved};
use super::leaf::{self, RowKinematics};
use crate::analytic::{LARGEST_ANGLE, Step};
use crate::block::batch::{Batch, Way};
use crate::block::composite_work::Works;
use crate::block::exchange::ParentKinematics;
use crate::block::{Block, Link};
use crate::wide::leaf::down::keeping_removed;
use crate::wide::math::{F, LANES, M, Q, Sym, V, Wide, all, eight, number};
use crate::wide::parent_kinematics::{
    Above, Own, Parent, Parents, find_parent_kinematics, parents, write_for_children,
};
use crate::wide::rotation::{RotationVector, far_exp, log};
use crate::wide::{guard, prefetch};

/// Sweeps one row, whose joints have moved; returns the squares of the angular velocities.
#[inline(always)]
pub fn row<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    row: usize,
    batch: Batch,
    (own, above): (&mut [ParentKinematics<f32>], Above<'_>),
    step: &Step<f32>,
) -> F<S> {
    prefetch::analytic_places(block, row, step.is_far);
    let parent = find_parent_kinematics(simd, &parents(block, row), own, above);
    let placed = place(simd, (block, row, batch.way == Way::Leaves), &parent, step);
    if batch.way == Way::Wood {
        let Placed { orientation, position, velocity, omega, alpha, proper_acceleration, .. } = placed;
        let rotation = orientation.matrix();
        let turned = Own {
            alpha: rotation.transpose_mul(alpha),
            proper_acceleration: rotation.transpose_mul(proper_acceleration),
            omega: rotation.transpose_mul(omega),
        };
        let about = (block, row, batch);
        write_for_children(
            about,
            own,
            (orientation, position),
            (velocity, omega),
            (alpha, proper_acceleration),
            turned,
        );
    }
    placed.speed
}

/// Sweeps the rows of a bunch of leaves, as many as `wide` takes at a time; `first` is the first row of
/// leaves. Returns the largest squares of the angular velocities of the joints.
#[inline(always)]
pub fn bunch<S: Simd, W: Wide<Machine = S>>(
    (simd, wide): (S, W),
    block: &mut Block<f32>,
    (row, rows, first): (usize, usize, usize),
    (own, top_works): (&[ParentKinematics<f32>], &Works<f32>),
    step: &Step<f32>,
) -> F<S> {
    let parents = Parents::of_bunch(block, row, rows);
    let below = match &parents {
        Parents::Row(on) if block.scratch.is_forced => {
            DragShares::of_row(simd, &block.scratch.analytic.rows()[*on].pushed.inward)
        }
        Parents::Row(_) => DragShares::no_drag(simd),
        Parents::Each(links) => drag_shares_below(simd, block, links, top_works),
    };
    let carrier = RowKinematics::of(simd, block, (&parents, below), own, step);
    // Read where it is needed: kept in registers, it would be spilled to the stack.
    let carrier = std::hint::black_box(&carrier);
    let mut fastest = all(simd, 0.0);
    let mut next = row;
    if W::ROWS > 1 {
        let mut of_many = all(wide, 0.0);
        while next + W::ROWS <= row + rows && none_removed::<W>(block, next) {
            of_many = of_many.max(leaf::down(wide, block, (next, first), carrier, step));
            next += W::ROWS;
        }
        for j in 0..W::ROWS {
            fastest = fastest.max(of_many.part(j));
        }
    }
    for row in next..row + rows {
        fastest = fastest.max(keeping_removed(
            simd,
            block,
            row,
            #[inline(always)]
            |block| leaf::down(simd, block, (row, first), carrier, step),
        ));
    }
    for row in row..row + rows {
        block.derive_leaves_of(row);
    }
    fastest
}

/// Whether none of the leaves of the rows processed at a time is removed.
#[inline(always)]
fn none_removed<W: Wide>(block: &Block<f32>, row: usize) -> bool {
    block.plan.batches[row..][..W::ROWS].iter().all(|batch| batch.removed == 0)
}

/// The new positions of eight bodies, and the larger of the squares of the angular velocities of body and
/// joint.
pub struct Placed<S: Simd> {
    orientation: Q<S>,
    position: V<S>,
    velocity: V<S>,
    omega: V<S>,
    alpha: V<S>,
    proper_acceleration: V<S>,
    pub speed: F<S>,
}

/// Moves the joints of the rows processed at a time, from this one on: of the parents, the closed form
/// needs only the drag share of the joints between each and the root.
#[inline(always)]
pub fn advance<S: Wide>(simd: S, block: &mut Block<f32>, row: usize, top_works: &Works<f32>, step: &Step<f32>) {
    let mut below = [DragShares::no_drag(simd.machine()); 2];
    for j in 0..S::ROWS {
        prefetch::analytic_joints(block, row + j, step.is_far);
        // Parents come before their children, those of the second row perhaps in the first.
        below[j] = drag_shares_below(simd.machine(), block, &parents(block, row + j), top_works);
        add_inward(simd.machine(), block, row + j, below[j]);
    }
    let below = DragShares { sum: F::joined(simd, |j| below[j].sum), squares: F::joined(simd, |j| below[j].squares) };
    let states = &block.state.joints.rows()[row..][..S::ROWS];
    let works = &block.scratch.analytic.rows()[row..][..S::ROWS];
    let springs = &block.model.springs.rows()[row..][..S::ROWS];
    let height = F::joined(
        simd,
        #[inline(always)]
        |j| {
            let heights: [u32; LANES] = block.model.heights[(row + j) * LANES..][..LANES].try_into().expect("eight");
            F::of_raw(u32x8::simd_from(simd.machine(), heights).to_float())
        },
    );
    let mut drag = None;
    if block.scratch.is_forced {
        let outward = DragShares {
            sum: F::at(simd, |j| &works[j].pushed.outward.sum),
            squares: F::at(simd, |j| &works[j].pushed.outward.squares),
        };
        drag = Some((Sym::at(simd, |j| &works[j].pushed.drag_inertia), outward.and(below).kappa()));
    }
    let joint = Joint {
        inertia: Sym::at(simd, |j| &works[j].inertia),
        hanging: Sym::at(simd, |j| &works[j].hanging),
        stiffness: V::at(simd, |j| &springs[j].stiffness),
        beta: F::at(simd, |j| &springs[j].beta),
        height,
        drag,
    };
    let vector = log(Q::at(simd, |j| &states[j].q));
    let push = vector.force_of(V::at(simd, |j| &works[j].torque));
    let moved = joint.advance(vector.theta, V::at(simd, |j| &states[j].w), push, step);
    settled(&vector, &moved, step).put(block, row);
}

/// Joints that drag moves, from here to the root, for the children.
#[inline(always)]
fn add_inward<S: Simd>(simd: S, block: &mut Block<f32>, row: usize, below: DragShares<S>) {
    if !block.scratch.is_forced {
        return;
    }
    let drag_share = &mut block.scratch.analytic.rows_mut()[row].pushed.inward;
    let own = DragShares::of_row(simd, drag_share);
    let (inward, apart) = (own.and(below), block.plan.batches[row].apart);
    if apart == 0 {
        (drag_share.sum.0, drag_share.squares.0) = (inward.sum.into(), inward.squares.into());
        return;
    }
    for l in (0..LANES).filter(|l| apart >> l & 1 == 0) {
        (drag_share.sum.0[l], drag_share.squares.0[l]) = (inward.sum[l], inward.squares[l]);
    }
}

/// The new state of joints, and the torque that they carry.
pub struct Settled<S: Wide> {
    pub q: Q<S>,
    pub w: V<S>,
    pub rate: V<S>,
    pub reaction: V<S>,
}

impl<S: Wide> Settled<S> {
    /// Stores it, in the rows processed at a time from this one on.
    #[inline(always)]
    pub fn put(&self, block: &mut Block<f32>, row: usize) {
        let states = &mut block.state.joints.rows_mut()[row..][..S::ROWS];
        self.q.put_in(states, |state| &mut state.q);
        self.w.put_in(states, |state| &mut state.w);
        self.rate.put_in(states, |state| &mut state.rate);
        let reactions = &mut block.state.reactions.rows_mut()[row..][..S::ROWS];
        self.reaction.put_in(reactions, |reaction| &mut reaction.torque);
    }
}

/// The new joints within the limits of all joints; `vector` is their rotation vector before the step.
#[inline(always)]
pub fn settled<S: Wide>(vector: &RotationVector<S>, moved: &Moved<S>, step: &Step<f32>) -> Settled<S> {
    let Moved { theta, rate, acceleration, spring } = *moved;
    // From a force on theta to a torque in the child's axes.
    let reaction = -vector.torque_of(spring);
    let w = guard::joint_velocity(rate, step.h);
    let rate = guard::rate(acceleration, step.largest_rate);
    let theta = guard::limited(theta, LARGEST_ANGLE as f32);
    // Only forces near the largest number exceed it; the joint stays where it is.
    let (o, sum) = (V::splat(all(theta.x.simd, 0.0)), (theta + w + rate).sum());
    let is_number = sum.is_finite();
    let (theta, w, rate) =
        (V::select(is_number, theta, vector.theta), V::select(is_number, w, o), V::select(is_number, rate, o));
    let sum = reaction.sum();
    Settled { q: far_exp(theta), w, rate, reaction: V::select(sum.is_finite(), reaction, o) }
}

/// Places eight bodies after the rotation of their joints.
#[inline(always)]
fn place<S: Simd>(
    simd: S,
    (block, row, is_leaf): (&mut Block<f32>, usize, bool),
    parent: &Parent<S>,
    step: &Step<f32>,
) -> Placed<S> {
    let state = &block.state.joints.rows()[row];
    let (q, w, rate) = (Q::of(simd, &state.q), V::of(simd, &state.w), V::of(simd, &state.rate));

    // As `Motion::place`.
    let placed = &block.model.seats.rows()[row];
    let arm = parent.rotation * V::of(simd, &placed.offset);
    let position = parent.position + arm;
    let orientation = (parent.orientation * Q::of(simd, &placed.neutral) * q).normalized();
    let rotation = orientation.matrix();
    let turned = rotation * w;
    let velocity = parent.velocity + parent.omega.cross(arm);
    let omega = parent.omega + turned;
    let centripetal = parent.omega.cross(parent.omega.cross(arm));
    // [quigley2017] eq. 9 and 12, for the joint
    let alpha = parent.alpha + rotation * rate + parent.omega.cross(omega);
    let proper_acceleration = parent.proper_acceleration + parent.alpha.cross(arm) + centripetal;
    let force = if is_leaf {
        // The intermediate results of a leaf turn with it, and its load is in its own axes.
        let before = Q::of(simd, &block.state.motions.rows()[row].orientation).matrix();
        let back = before * rotation.transpose();
        let gravity = back * V::all(simd, step.gravity);
        before.transpose_mul(force_on(
            simd,
            block,
            row,
            (back * proper_acceleration, back * alpha, back * omega, gravity),
            step.h,
        ))
    } else {
        let gravity = V::all(simd, step.gravity);
        rotation.transpose_mul(force_on(simd, block, row, (proper_acceleration, alpha, omega, gravity), step.h))
    };
    force.put(&mut block.state.reactions.rows_mut()[row].force);

    let motion = &mut block.state.motions.rows_mut()[row];
    position.put(&mut motion.position);
    orientation.put(&mut motion.orientation);
    velocity.put(&mut motion.velocity);
    omega.put(&mut motion.omega);
    alpha.put(&mut motion.alpha);
    proper_acceleration.put(&mut motion.proper_acceleration);
    arm.put(&mut motion.arm);
    parent.omega.cross(turned).put(&mut motion.coriolis);
    centripetal.put(&mut motion.centripetal);
    let speed = if is_leaf { w.length_squared() } else { omega.length_squared().max(w.length_squared()) };
    Placed { orientation, position, velocity, omega, alpha, proper_acceleration, speed }
}

/// The force that joints carry, for proper accelerations and angular velocities in the axes of the sweep
/// up. [quigley2017] eq. 13 and 15
#[inline(always)]
fn force_on<S: Simd>(
    simd: S,
    block: &Block<f32>,
    row: usize,
    (proper_acceleration, alpha, omega, gravity): (V<S>, V<S>, V<S>, V<S>),
    h: f32,
) -> V<S> {
    let work = &block.scratch.analytic.rows()[row];
    let (mass, moment) = (number(simd, &work.mass), V::of(simd, &work.moment));
    let force = proper_acceleration.times_plus(mass, alpha.cross(moment) + omega.cross(omega.cross(moment)));
    if !block.scratch.is_forced {
        return force;
    }
    let (drag, moments) = (Sym::of(simd, &work.pushed.drag), M::of(simd, &work.pushed.drag_moment));
    let less = drag * (proper_acceleration + gravity) + moments.transpose_mul(alpha);
    force - V::of(simd, &work.pushed.force) + less * all(simd, h)
}

/// The drag share of the joints between each and the root.
#[inline(always)]
fn drag_shares_below<S: Simd>(simd: S, block: &Block<f32>, links: &[Link; LANES], top: &Works<f32>) -> DragShares<S> {
    if !block.scratch.is_forced {
        return DragShares::no_drag(simd);
    }
    let (mut sum, mut squares) = ([0.0; LANES], [0.0; LANES]);
    for l in 0..LANES {
        let (works, p) = match links[l] {
            Link::Body(p) => (&block.scratch.analytic, p as usize),
            Link::Top(p) => (top, p as usize),
            Link::Base(_) | Link::Free(_) | Link::Removed => continue,
        };
        let inward = &works.rows()[p / LANES].pushed.inward;
        (sum[l], squares[l]) = (inward.sum.0[p % LANES], inward.squares.0[p % LANES]);
    }
    DragShares { sum: eight(simd, sum), squares: eight(simd, squares) }
}
