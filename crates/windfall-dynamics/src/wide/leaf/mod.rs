//! Leaves on which nothing acts but wind and weight, in their own axes: three of four bodies of most trees.
//!
//! A leaf carries nothing, and its centre (0, c, 0) and its inertia lie along its axes. With the drag H (times sigma h) and the mass m
//!
//! ```text
//! A = diag(I) + [c]x (m + H) [c]xᵀ      only xx, yy, zz and xz
//! B = [c]x (m + H)                      the row of y is zero
//! M = m + H
//! ```
//!
//! and what the joint loads and resists with needs no turning. Only what the parent feels is turned into world axes. What else may act on leaves (hands, touches, limits, pieces that fly)
//! is left to the common path of `wide/up.rs` and `wide/down.rs`.

pub mod down;
pub mod law;
pub mod up;

use fearless_simd::Simd;
use fearless_simd::prelude::*;

use super::math::{F, LANES, M, Mask, Sym, V, all, less, number};
use crate::world::block::{Block, Link};
use crate::world::masses::Masses;
use crate::world::order::Batch;

/// Finds the bunches on which nothing acts but wind and weight (`is_free` says of rows whether anything else does) and that hang on bodies of the block. Gives whether there are others.
pub fn sort_out(block: &mut Block<f32>, is_free: impl Fn(&Block<f32>, usize) -> bool) -> bool {
    let mut is_any_whole = false;
    let mut row = super::first_of_leaves(block);
    while row < block.batches.len() {
        let rows = row..row + usize::from(block.batches[row].bunch);
        let all_free = rows.clone().all(|row| block.batches[row].are_free_leaves() && is_free(block, row));
        let is_whole = !all_free || super::heard::parents(block, row).into_iter().any(is_outside);
        for batch in &mut block.batches[rows.clone()] {
            batch.is_whole = is_whole;
        }
        is_any_whole |= is_whole;
        row = rows.end;
    }
    is_any_whole
}

/// The lanes of leaves that are there; none if all are.
#[inline(always)]
pub fn silent_aside<S: Simd>(simd: S, batch: Batch) -> Option<Mask<S>> {
    let silent = batch.apart | batch.empty;
    if silent == 0 {
        return None;
    }
    let lane: [f32; LANES] = std::array::from_fn(|l| f32::from(!silent >> l & 1));
    let lane: F<S> = lane.simd_into(simd);
    Some(lane.simd_gt(all(simd, 0.0)))
}

fn is_outside(link: Link) -> bool {
    matches!(link, Link::Top(_) | Link::Base(_) | Link::Free(_))
}

/// The masses of eight leaves, about their joints.
#[derive(Clone, Copy)]
pub struct Blade<S: Simd> {
    pub mass: F<S>,
    /// Mass times centre, along y.
    pub moment: F<S>,
    pub inertia: V<S>,
}

impl<S: Simd> Blade<S> {
    /// Of a row of leaves, counted from the first of them.
    #[inline(always)]
    pub fn of(simd: S, masses: &Masses<f32>, row: usize) -> Self {
        let blade = &masses.leaves()[row];
        Self {
            mass: number(simd, &blade.mass),
            moment: number(simd, &blade.moment),
            inertia: V::of(simd, &blade.inertia),
        }
    }
}

/// A of leaves.
#[derive(Clone, Copy)]
struct Inertia<S: Simd> {
    xx: F<S>,
    yy: F<S>,
    zz: F<S>,
    xz: F<S>,
}

impl<S: Simd> Inertia<S> {
    #[inline(always)]
    fn trace(self) -> F<S> {
        self.xx + self.yy + self.zz
    }

    /// `self v + s`.
    #[inline(always)]
    fn times_plus(self, v: V<S>, s: V<S>) -> V<S> {
        V::new(
            self.xx.mul_add(v.x, self.xz.mul_add(v.z, s.x)),
            self.yy.mul_add(v.y, s.y),
            self.xz.mul_add(v.x, self.zz.mul_add(v.z, s.z)),
        )
    }
}

impl<S: Simd> Inertia<S> {
    /// In world axes.
    #[inline(always)]
    fn turned(self, r: M<S>) -> Sym<S> {
        let [a, b, c] = r.rows;
        Sym::products(M::new(self.row(a), self.row(b), self.row(c)), r)
    }

    /// `self r`.
    #[inline(always)]
    fn row(self, r: V<S>) -> V<S> {
        V::new(r.x.mul_add(self.xx, r.z * self.xz), r.y * self.yy, r.x.mul_add(self.xz, r.z * self.zz))
    }
}

/// B of leaves: the rows of x and z.
#[derive(Clone, Copy)]
struct Coupling<S: Simd> {
    x: V<S>,
    z: V<S>,
}

impl<S: Simd> Coupling<S> {
    /// From the drag, the place of the centre and the mass times that place.
    #[inline(always)]
    fn new(drag: Sym<S>, c: F<S>, moment: F<S>) -> Self {
        let minus = -c;
        let (x, z) = (drag.xz * c, drag.xz * minus);
        Self {
            x: V::new(x, drag.yz * c, drag.zz.mul_add(c, moment)),
            z: V::new(drag.xx.mul_add(minus, -moment), drag.xy * minus, z),
        }
    }

    /// `self v + s`.
    #[inline(always)]
    fn times_plus(self, v: V<S>, s: V<S>) -> V<S> {
        V::new(s.x + self.x.dot(v), s.y, s.z + self.z.dot(v))
    }

    /// In world axes.
    #[inline(always)]
    fn turned(self, r: M<S>) -> M<S> {
        let [a, b, c] = r.rows;
        let none = V::splat(all(a.x.simd, 0.0));
        let row = M::new(self.transposed_plus(a, none), self.transposed_plus(b, none), self.transposed_plus(c, none));
        row.times_transposed(r)
    }

    /// `selfᵀ v + s`.
    #[inline(always)]
    fn transposed_plus(self, v: V<S>, s: V<S>) -> V<S> {
        self.x.times_plus(v.x, self.z.times_plus(v.z, s))
    }
}

/// `s + (0, c, 0) x v`.
#[inline(always)]
pub fn plus_levered<S: Simd>(s: V<S>, c: F<S>, v: V<S>) -> V<S> {
    V::new(c.mul_add(v.z, s.x), s.y, less(s.z, c, v.x))
}
