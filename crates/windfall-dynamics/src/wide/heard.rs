//! What eight bodies hear of their parents and say to their children in the sweep down.

use fearless_simd::Simd;

use super::exchange::{Quads, gathered, with_last};
use super::math::{F, LANES, M, Q, V, Wide, all};
use crate::world::block::{Block, Link};
use crate::world::exchange::Heard;

static NOBODY: Heard<f32> =
    Heard([[0.0, 0.0, 0.0, 1.0], [0.0; 4], [0.0; 4], [0.0; 4], [0.0; 4], [0.0; 4], [0.0; 4], [0.0; 4]]);

/// What the bases of trees and the bodies of the top say.
pub type Above<'a> = (&'a [Heard<f32>], &'a [Heard<f32>]);

/// What eight bodies hear of the motion of their parents.
pub struct Parent<S: Simd> {
    pub orientation: Q<S>,
    pub rotation: M<S>,
    pub position: V<S>,
    pub velocity: V<S>,
    pub omega: V<S>,
    pub alpha: V<S>,
    pub felt: V<S>,
}

/// What the bodies of a row hang on.
#[inline(always)]
pub fn parents(block: &Block<f32>, row: usize) -> [Link; LANES] {
    block.links[row * LANES..][..LANES].try_into().expect("eight")
}

/// What the parents of a bunch of leaves are, lane by lane. Leaves that are gone don't say it.
#[inline(always)]
pub fn parents_of_bunch(block: &Block<f32>, row: usize, rows: usize) -> [Link; LANES] {
    let mut links = parents(block, row);
    for more in row + 1..row + rows {
        if !links.contains(&Link::Gone) {
            break;
        }
        for (link, other) in links.iter_mut().zip(parents(block, more)) {
            if *link == Link::Gone {
                *link = other;
            }
        }
    }
    links
}

/// What parents say, in the block, on the ground or in the top.
#[inline(always)]
fn said<'a>(links: &[Link; LANES], own: &'a [Heard<f32>], (bases, tops): Above<'a>) -> [&'a Heard<f32>; LANES] {
    let mut parents = [&NOBODY; LANES];
    for (parent, link) in parents.iter_mut().zip(links) {
        *parent = match *link {
            Link::Body(p) => &own[p as usize],
            Link::Top(p) => &tops[p as usize],
            Link::Base(tree) => &bases[tree as usize],
            Link::Free(_) | Link::Gone => &NOBODY,
        };
    }
    parents
}

/// Hears all of it.
#[inline(always)]
pub fn hear<S: Simd>(simd: S, links: &[Link; LANES], own: &[Heard<f32>], above: Above<'_>) -> Parent<S> {
    let parents = said(links, own, above);
    let [x, y, z, w] = fours(simd, &parents, 0);
    let orientation = Q { v: V::new(x, y, z), w };
    let [x, y, z, omega_x] = fours(simd, &parents, 1);
    let position = V::new(x, y, z);
    let [x, y, z, omega_y] = fours(simd, &parents, 2);
    let velocity = V::new(x, y, z);
    let [x, y, z, omega_z] = fours(simd, &parents, 3);
    let alpha = V::new(x, y, z);
    let [x, y, z, _] = fours(simd, &parents, 4);
    let felt = V::new(x, y, z);
    Parent {
        orientation,
        rotation: orientation.matrix(),
        position,
        velocity,
        omega: V::new(omega_x, omega_y, omega_z),
        alpha,
        felt,
    }
}

/// Accelerations of eight or sixteen parents in their own axes: angular, and of their joints less gravity.
pub struct Accelerations<S: Wide> {
    pub alpha: V<S>,
    pub felt: V<S>,
}

impl<S: Simd> Accelerations<S> {
    /// Of parents in the block.
    #[inline(always)]
    pub fn heard(simd: S, links: &[Link; LANES], own: &[Heard<f32>]) -> Self {
        let parents = said(links, own, (&[], &[]));
        let [x, y, z, _] = fours(simd, &parents, 5);
        let alpha = V::new(x, y, z);
        let [x, y, z, _] = fours(simd, &parents, 6);
        Self { alpha, felt: V::new(x, y, z) }
    }
}

/// Angular velocities of parents in the block, in their own axes.
#[inline(always)]
pub fn turning<S: Simd>(simd: S, links: &[Link; LANES], own: &[Heard<f32>]) -> V<S> {
    let [x, y, z, _] = fours(simd, &said(links, own, (&[], &[])), 7);
    V::new(x, y, z)
}

/// Four numbers of each: see [`Heard`] for their order.
#[inline(always)]
fn fours<S: Simd>(simd: S, [a, b, c, d, e, f, g, h]: &[&Heard<f32>; LANES], k: usize) -> [F<S>; 4] {
    gathered(simd, [a.0[k], b.0[k], c.0[k], d.0[k], e.0[k], f.0[k], g.0[k], h.0[k]])
}

/// Says it to the children.
#[inline(always)]
pub fn say<S: Simd>(
    own: &mut [Heard<f32>],
    row: usize,
    (orientation, position): (Q<S>, V<S>),
    (velocity, omega): (V<S>, V<S>),
    (alpha, felt): (V<S>, V<S>),
) {
    let own: &mut [Heard<f32>; LANES] = (&mut own[row * LANES..][..LANES]).try_into().expect("eight");
    let said = [
        with_last(orientation.v, orientation.w),
        with_last(position, omega.x),
        with_last(velocity, omega.y),
        with_last(alpha, omega.z),
        with_last(felt, all(omega.x.simd, 0.0)),
    ];
    put(own, 0, said);
}

/// Says these vectors in the bodies' own axes, which are turned like this: accelerations, and if children need it the angular velocity.
#[inline(always)]
pub fn say_own<S: Simd, const N: usize>(own: &mut [Heard<f32>], row: usize, rotation: M<S>, vectors: [V<S>; N]) {
    let own: &mut [Heard<f32>; LANES] = (&mut own[row * LANES..][..LANES]).try_into().expect("eight");
    for k in 0..N {
        let v = rotation.transpose_mul(vectors[k]);
        put(own, 5 + k, [with_last(v, all(v.x.simd, 0.0))]);
    }
}

#[inline(always)]
fn put<S: Simd, const N: usize>(own: &mut [Heard<f32>; LANES], first: usize, said: [Quads<S>; N]) {
    for k in 0..N {
        for l in 0..LANES {
            own[l].0[first + k] = said[k][l].into();
        }
    }
}
