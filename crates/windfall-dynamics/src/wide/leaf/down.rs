//! The sweep down of eight leaves in their own axes: see the head of [`super`].

use fearless_simd::Simd;

use super::carried;
use crate::implicit::Step;
use crate::wide::Before;
use crate::wide::down::go_on;
use crate::wide::heard::{Above, Parent, hear, parents_of_bunch};
use crate::wide::math::{F, LANES, Q, V, all, eight, number};
use crate::wide::{guard, prefetch};
use crate::world::block::Block;
use crate::world::exchange::Heard;
use crate::world::place::Ahead;

/// Sweeps the rows of a bunch; gives the largest squares of the angular velocities. `first` is the first row of leaves.
#[inline(always)]
pub fn bunch<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    (row, rows, first): (usize, usize, usize),
    (own, above): (&[Heard<f32>], Above<'_>),
    step: (&Step<f32>, &Ahead<f32>),
) -> F<S> {
    let parent = hear(simd, &parents_of_bunch(block, row, rows), own, above);
    let by = guard::limited(parent.omega, step.0.fastest_in_products);
    let mut fastest = all(simd, 0.0);
    for row in row..row + rows {
        fastest = fastest.max(keeping_gone(
            simd,
            block,
            row,
            #[inline(always)]
            |block| self::row(simd, block, (row, first), (&parent, by), step),
        ));
    }
    fastest
}

/// Sweeps a row but for the leaves that are gone, and gives what `sweep` gives, or zero.
#[inline(always)]
pub fn keeping_gone<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    row: usize,
    sweep: impl FnOnce(&mut Block<f32>) -> F<S>,
) -> F<S> {
    let gone = block.batches[row].gone;
    if gone == 0 {
        return sweep(block);
    }
    let before = Before::of(block, row);
    let mut speed: [f32; LANES] = sweep(block).into();
    for l in (0..LANES).filter(|l| gone >> l & 1 == 1) {
        before.restore(block, row, l);
        speed[l] = 0.0;
    }
    eight(simd, speed)
}

/// Sweeps one row; gives the squares of the angular velocities. `first` is the first row of leaves.
#[inline(always)]
pub fn row<S: Simd>(
    simd: S,
    block: &mut Block<f32>,
    (row, first): (usize, usize),
    (parent, by): (&Parent<S>, V<S>),
    step: (&Step<f32>, &Ahead<f32>),
) -> F<S> {
    prefetch::leaves_down(block, row, first, step.0.is_far);
    let motion = &block.motions.rows()[row];
    let rotation = Q::of(simd, &motion.orientation).matrix();
    let alpha_bar = parent.alpha + V::of(simd, &motion.coriolis);
    let felt = parent.alpha.cross_plus(V::of(simd, &motion.arm), parent.felt + V::of(simd, &motion.centripetal));
    let (own_alpha_bar, own_felt) = (rotation.transpose_mul(alpha_bar), rotation.transpose_mul(felt));

    let work = &block.leaf_works.rows()[row - first];
    let c = number(simd, &block.sails.own.leaves()[row - first].center);
    let body = (V::of(simd, &work.inertia), V::of(simd, &work.mass), c);
    let (held, _) = carried(body, own_alpha_bar, own_felt);
    let rate = guard::rate(V::of(simd, &work.joint).scale(V::of(simd, &work.push) - held), step.0.largest_rate);
    let (torque, force) = carried(body, own_alpha_bar + rate, own_felt);
    let (torque, force) = (torque + V::of(simd, &work.torque), force + V::of(simd, &work.force));
    let reaction = &mut block.reactions.rows_mut()[row];
    torque.put(&mut reaction.torque);
    force.put(&mut reaction.force);
    let alpha = alpha_bar.plus(rotation, rate);
    go_on(simd, block, row, (parent, by), (alpha, felt, rate), step).speed
}
