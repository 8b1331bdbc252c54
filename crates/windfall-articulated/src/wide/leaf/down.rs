//! The sweep down of leaves in their own axes, eight or sixteen at a time: see the head of [`super`].

use fearless_simd::Simd;

use super::leaf_reaction;
use crate::block::Block;
use crate::block::exchange::ParentKinematics;
use crate::implicit::Step;
use crate::wide::Before;
use crate::wide::down::turn;
use crate::wide::math::{F, LANES, Q, V, Wide, all, eight};
use crate::wide::parent_kinematics::{Own, Parents};
use crate::wide::{guard, prefetch};

/// Sweeps the rows of a bunch; returns the largest squares of the angular velocities of the joints.
/// `first` is the first row of leaves.
#[inline(always)]
pub fn bunch<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    (row, rows, first): (usize, usize, usize),
    own: &[ParentKinematics<f32>],
    step: &Step<f32>,
) -> F<S> {
    let parent = Parents::of_bunch(block, row, rows).find_own_parent_kinematics(simd, block, own, false);
    let mut fastest = all(simd, 0.0);
    for row in row..row + rows {
        fastest = fastest.max(keeping_removed(
            simd,
            block,
            row,
            #[inline(always)]
            |block| self::rows(simd, block, (row, first), &parent, step),
        ));
        block.derive_leaves_of(row);
    }
    fastest
}

/// Sweeps a row without the removed leaves, and returns the result of `sweep`, or zero.
#[inline(always)]
pub fn keeping_removed<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    row: usize,
    sweep: impl FnOnce(&mut Block<f32>) -> F<S>,
) -> F<S> {
    let removed = block.plan.batches[row].removed;
    if removed == 0 {
        return sweep(block);
    }
    let before = Before::of(block, row);
    let mut speed: [f32; LANES] = sweep(block).into();
    for l in (0..LANES).filter(|l| removed >> l & 1 == 1) {
        before.restore(block, row, l);
        speed[l] = 0.0;
    }
    eight(simd, speed)
}

/// Sweeps the rows processed at a time, from this one on; returns the squares of the angular velocities
/// of the joints. `first` is the first row of leaves. The accelerations of the parents are in the
/// parents' axes of the beginning of the step.
#[inline(always)]
fn rows<S: Wide>(
    simd: S,
    block: &mut Block<f32>,
    (row, first): (usize, usize),
    parent: &Own<S>,
    step: &Step<f32>,
) -> F<S> {
    prefetch::leaves_down(block, row, first, step.is_far);
    let joints = &block.model.seats.rows()[row..][..S::ROWS];
    let states = &block.state.joints.rows()[row..][..S::ROWS];
    let works = &block.scratch.leaf_works.rows()[row - first..][..S::ROWS];
    let sails = &block.model.sails.own.leaves()[row - first..][..S::ROWS];
    // From the parent.
    let rotation = (Q::at(simd, |j| &joints[j].neutral) * Q::at(simd, |j| &states[j].q)).matrix();
    let alpha = rotation.transpose_mul(parent.alpha);
    let proper_acceleration =
        rotation.transpose_mul(parent.alpha.cross_plus(V::at(simd, |j| &joints[j].offset), parent.proper_acceleration));

    let c = F::at(simd, |j| &sails[j].center);
    let body = (V::at(simd, |j| &works[j].inertia), V::at(simd, |j| &works[j].mass), c);
    let (held, _) = leaf_reaction(body, alpha, proper_acceleration);
    let push = V::at(simd, |j| &works[j].push) - held;
    let rate = guard::rate(V::at(simd, |j| &works[j].joint).scale(push), step.largest_rate);
    let (torque, force) = leaf_reaction(body, alpha + rate, proper_acceleration);
    let (torque, force) = (torque + V::at(simd, |j| &works[j].torque), force + V::at(simd, |j| &works[j].force));
    prefetch::leaves_down_on(block, row, first, step.is_far);
    let reactions = &mut block.state.reactions.rows_mut()[row..][..S::ROWS];
    torque.put_in(reactions, |reaction| &mut reaction.torque);
    force.put_in(reactions, |reaction| &mut reaction.force);
    turn(&mut block.state.joints.rows_mut()[row..][..S::ROWS], rate, step).w.length_squared()
}
