//! The sweep down, eight bodies at a time: `analytic/springs.rs` and `analytic/update.rs`.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, u32x8};

use super::Above;
use super::crowd::Crowds;
use super::joint::{Joint, Moved};
use super::leaf;
use crate::analytic::{LARGEST_ANGLE, Step, Works};
use crate::wide::heard::{Parent, hear, parents, parents_of_bunch, say};
use crate::wide::leaf::down::keeping_gone;
use crate::wide::math::{F, LANES, M, Q, Sym, V, Wide, all, eight, number};
use crate::wide::rotation::{RotationVector, far_exp, log};
use crate::wide::{guard, prefetch};
use crate::world::block::{Block, Link};
use crate::world::exchange::Heard;
use crate::world::order::{Batch, Way};

/// Sweeps one row; gives the squares of the angular velocities.
#[inline(always)]
pub fn row<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    row: usize,
    batch: Batch,
    (own, (bases, tops, top_works)): (&mut [Heard<f32>], Above<'_>),
    step: &Step<f32>,
) -> F<S> {
    let links = parents(block, row);
    let below = crowds_below(simd, block, &links, top_works);
    let parent = hear(simd, &links, own, (bases, tops));
    let placed = go_on(simd, block, (row, batch), (&parent, below), step);
    if batch.way == Way::Wood {
        say(
            own,
            row,
            (placed.orientation, placed.position),
            (placed.velocity, placed.omega),
            (placed.alpha, placed.felt),
        );
    }
    placed.speed
}

/// Sweeps the rows of a bunch of leaves, of which `first` is the first row, as many as `wide` takes at a time; gives the largest squares of the angular velocities.
#[inline(always)]
pub fn bunch<S: Simd, W: Wide<Machine = S>>(
    (simd, wide): (S, W),
    block: &mut Block<f32>,
    (row, rows, first): (usize, usize, usize),
    (own, (bases, tops, top_works)): (&[Heard<f32>], Above<'_>),
    step: &Step<f32>,
) -> F<S> {
    let links = parents_of_bunch(block, row, rows);
    let below = crowds_below(simd, block, &links, top_works);
    let parent = hear(simd, &links, own, (bases, tops));
    let mut fastest = all(simd, 0.0);
    let mut next = row;
    if W::ROWS > 1 {
        while next + W::ROWS <= row + rows && none_gone::<W>(block, next) {
            fastest = fastest.max(leaf::down(wide, block, (next, first), (&parent, below), step));
            next += W::ROWS;
        }
    }
    for row in next..row + rows {
        fastest = fastest.max(keeping_gone(
            simd,
            block,
            row,
            #[inline(always)]
            |block| leaf::down(simd, block, (row, first), (&parent, below), step),
        ));
    }
    fastest
}

/// Whether none of the leaves of rows that go at a time is gone.
#[inline(always)]
fn none_gone<W: Wide>(block: &Block<f32>, row: usize) -> bool {
    block.batches[row..][..W::ROWS].iter().all(|batch| batch.gone == 0)
}

/// Where eight bodies have come, and the larger of the squares of the angular velocities of body and joint.
pub struct Placed<S: Simd> {
    orientation: Q<S>,
    position: V<S>,
    velocity: V<S>,
    omega: V<S>,
    alpha: V<S>,
    felt: V<S>,
    pub speed: F<S>,
}

/// Moves eight joints; `below` is how crowded the joints between each and the root are.
#[inline(always)]
fn go_on<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    (row, batch): (usize, Batch),
    (parent, below): (&Parent<S>, Crowds<S>),
    step: &Step<f32>,
) -> Placed<S> {
    prefetch::analytic_down(block, row, step.is_far);
    let state = &block.states.rows()[row];
    let work = &block.analytic.rows()[row];
    let springs = &block.springs.rows()[row];
    let is_forced = block.is_forced;

    // The joint.
    let heights: [u32; LANES] = block.heights[row * LANES..][..LANES].try_into().expect("eight");
    let mut drag = None;
    if is_forced {
        let outward =
            Crowds { sum: number(simd, &work.pushed.outward.sum), squares: number(simd, &work.pushed.outward.squares) };
        drag = Some((Sym::of(simd, &work.pushed.drag_inertia), outward.and(below).kappa()));
    }
    let joint = Joint {
        inertia: Sym::of(simd, &work.inertia),
        hanging: Sym::of(simd, &work.hanging),
        stiffness: V::of(simd, &springs.stiffness),
        beta: number(simd, &springs.beta),
        height: F::of_raw(u32x8::simd_from(simd, heights).to_float()),
        drag,
    };
    let vector = log(Q::of(simd, &state.q));
    let push = vector.force_of(V::of(simd, &work.torque));
    let moved = joint.advance(vector.theta, V::of(simd, &state.w), push, step);

    let (mass, moment) = (number(simd, &work.mass), V::of(simd, &work.moment));
    let pushed = &work.pushed;
    let (drag, moments) = (Sym::of(simd, &pushed.drag), M::of(simd, &pushed.drag_moment));
    let external = V::of(simd, &pushed.force);
    let own = Crowds { sum: number(simd, &pushed.inward.sum), squares: number(simd, &pushed.inward.squares) };
    let placed = place(
        simd,
        (block, row),
        parent,
        (&vector, moved),
        (mass, moment),
        #[inline(always)]
        |force, felt, alpha| {
            if !is_forced {
                return force;
            }
            let acceleration = felt + V::all(simd, step.gravity);
            let less = drag * acceleration + moments.transpose_mul(alpha);
            force - external + less * all(simd, step.h)
        },
        step,
    );
    if is_forced {
        let inward = own.and(below);
        let crowd = &mut block.analytic.rows_mut()[row].pushed.inward;
        for l in (0..LANES).filter(|l| batch.apart >> l & 1 == 0) {
            (crowd.sum.0[l], crowd.squares.0[l]) = (inward.sum[l], inward.squares[l]);
        }
    }
    placed
}

/// Puts eight bodies where their joints have turned. `mass` and `moment` are those of what hangs on each joint, world axes; `external` takes off what other forces carry of the force on it, for the accelerations
/// of the joint (less gravity) and of the body.
#[inline(always)]
pub fn place<S: Simd>(
    simd: S,
    (block, row): (&mut Block<f32>, usize),
    parent: &Parent<S>,
    (vector, moved): (&RotationVector<S>, Moved<S>),
    (mass, moment): (F<S>, V<S>),
    external: impl FnOnce(V<S>, V<S>, V<S>) -> V<S>,
    step: &Step<f32>,
) -> Placed<S> {
    let Moved { theta, rate, acceleration, spring } = moved;
    // From a force on theta to a torque in the child's axes.
    let reaction = -vector.torque_of(spring);
    let w = guard::joint_velocity(rate, step.h);
    let rate = guard::rate(acceleration, step.largest_rate);
    let theta = guard::limited(theta, LARGEST_ANGLE as f32);
    // Only forces near the largest number go beyond; the joint stays where it is.
    let (o, sum) = (V::splat(all(simd, 0.0)), (theta + w + rate).sum());
    let is_number = sum.is_finite();
    let (theta, w, rate) =
        (V::select(is_number, theta, vector.theta), V::select(is_number, w, o), V::select(is_number, rate, o));
    let q = far_exp(theta);
    let carried = reaction.sum();
    let reaction = V::select(carried.is_finite(), reaction, o);

    // As `Motion::place`.
    let placed = &block.joints.rows()[row];
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
    let felt = parent.felt + parent.alpha.cross(arm) + centripetal;
    // [quigley2017] eq. 13 and 15: the force that the joint carries
    let force = felt.times_plus(mass, alpha.cross(moment) + omega.cross(omega.cross(moment)));
    let force = external(force, felt, alpha);

    let state = &mut block.states.rows_mut()[row];
    q.put(&mut state.q);
    w.put(&mut state.w);
    rate.put(&mut state.rate);
    let reactions = &mut block.reactions.rows_mut()[row];
    reaction.put(&mut reactions.torque);
    rotation.transpose_mul(force).put(&mut reactions.force);
    let motion = &mut block.motions.rows_mut()[row];
    position.put(&mut motion.position);
    orientation.put(&mut motion.orientation);
    velocity.put(&mut motion.velocity);
    omega.put(&mut motion.omega);
    alpha.put(&mut motion.alpha);
    felt.put(&mut motion.felt);
    arm.put(&mut motion.arm);
    parent.omega.cross(turned).put(&mut motion.coriolis);
    centripetal.put(&mut motion.centripetal);
    let speed = omega.length_squared().max(w.length_squared());
    Placed { orientation, position, velocity, omega, alpha, felt, speed }
}

/// How crowded the joints between each and the root are.
#[inline(always)]
fn crowds_below<S: Simd>(simd: S, block: &Block<f32>, links: &[Link; LANES], top: &Works<f32>) -> Crowds<S> {
    if !block.is_forced {
        return Crowds::none(simd);
    }
    let (mut sum, mut squares) = ([0.0; LANES], [0.0; LANES]);
    for l in 0..LANES {
        let (works, p) = match links[l] {
            Link::Body(p) => (&block.analytic, p as usize),
            Link::Top(p) => (top, p as usize),
            Link::Base(_) | Link::Free(_) | Link::Gone => continue,
        };
        let inward = &works.rows()[p / LANES].pushed.inward;
        (sum[l], squares[l]) = (inward.sum.0[p % LANES], inward.squares.0[p % LANES]);
    }
    Crowds { sum: eight(simd, sum), squares: eight(simd, squares) }
}
