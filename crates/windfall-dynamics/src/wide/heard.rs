//! What eight bodies hear of their parents and say to their children in the sweep down.

use fearless_simd::Simd;

use super::exchange::{gathered, scattered};
use super::math::{F, LANES, M, Q, V, Wide, all};
use crate::world::block::{Block, Link};
use crate::world::exchange::{Bough, Heard};
use crate::world::order::Batch;

static NOBODY: Heard<f32> = Heard([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0; 8], [0.0; 8], [0.0; 8]]);

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
fn parents_of_bunch(block: &Block<f32>, row: usize, rows: usize) -> [Link; LANES] {
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

/// Who the parents of a bunch of leaves are.
pub enum Parents {
    /// The bodies of a row of wood, lane by lane.
    Row(usize),
    Each([Link; LANES]),
}

impl Parents {
    #[inline(always)]
    pub fn of_bunch(block: &Block<f32>, row: usize, rows: usize) -> Self {
        match block.batches[row].boughs() {
            Some(on) if block.batches[on].is_laden => Self::Row(on),
            _ => Self::Each(parents_of_bunch(block, row, rows)),
        }
    }

    /// Hears how they move. Those of a row have stored it.
    #[inline(always)]
    pub fn hear<S: Simd>(&self, simd: S, block: &Block<f32>, own: &[Heard<f32>]) -> Parent<S> {
        match self {
            Self::Row(on) => Parent::of_row(simd, block, *on),
            Self::Each(links) => hear(simd, links, own, (&[], &[])),
        }
    }

    /// The same in their own axes: accelerations, and if it was said the angular velocity.
    #[inline(always)]
    pub fn hear_own<S: Simd>(&self, simd: S, block: &Block<f32>, own: &[Heard<f32>], with_omega: bool) -> Own<S> {
        match self {
            Self::Row(on) => {
                let Bough { alpha, felt, omega } = &block.told.boughs[*on];
                Own { alpha: V::of(simd, alpha), felt: V::of(simd, felt), omega: V::of(simd, omega) }
            }
            Self::Each(links) => {
                let parents = said(links, own, (&[], &[]));
                let [ax, ay, az, fx, fy, fz, ..] = octet(simd, &parents, 3);
                let mut omega = V::splat(all(simd, 0.0));
                if with_omega {
                    let [_, _, _, _, x, y, z, _] = octet(simd, &parents, 2);
                    omega = V::new(x, y, z);
                }
                Own { alpha: V::new(ax, ay, az), felt: V::new(fx, fy, fz), omega }
            }
        }
    }
}

impl<S: Simd> Parent<S> {
    /// The bodies of a row.
    #[inline(always)]
    fn of_row(simd: S, block: &Block<f32>, row: usize) -> Self {
        let motion = &block.motions.rows()[row];
        let orientation = Q::of(simd, &motion.orientation);
        Self {
            orientation,
            rotation: orientation.matrix(),
            position: V::of(simd, &motion.position),
            velocity: V::of(simd, &motion.velocity),
            omega: V::of(simd, &motion.omega),
            alpha: V::of(simd, &motion.alpha),
            felt: V::of(simd, &motion.felt),
        }
    }
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
    let [qx, qy, qz, w, px, py, pz, _] = octet(simd, &parents, 0);
    let [vx, vy, vz, ox, oy, oz, ax, ay] = octet(simd, &parents, 1);
    let [az, fx, fy, fz, ..] = octet(simd, &parents, 2);
    let orientation = Q { v: V::new(qx, qy, qz), w };
    Parent {
        orientation,
        rotation: orientation.matrix(),
        position: V::new(px, py, pz),
        velocity: V::new(vx, vy, vz),
        omega: V::new(ox, oy, oz),
        alpha: V::new(ax, ay, az),
        felt: V::new(fx, fy, fz),
    }
}

/// How eight or sixteen bodies move, in their own axes: angular acceleration, acceleration of their joints less gravity, angular velocity.
#[derive(Clone, Copy)]
pub struct Own<S: Wide> {
    pub alpha: V<S>,
    pub felt: V<S>,
    /// Only where leaves need it: zero in `Implicit`.
    pub omega: V<S>,
}

/// Eight numbers of each: see [`Heard`] for their order.
#[inline(always)]
fn octet<S: Simd>(simd: S, [a, b, c, d, e, f, g, h]: &[&Heard<f32>; LANES], k: usize) -> [F<S>; 8] {
    gathered(simd, [&a.0[k], &b.0[k], &c.0[k], &d.0[k], &e.0[k], &f.0[k], &g.0[k], &h.0[k]])
}

/// Says it to the children, with what leaves need to hear in the bodies' own axes.
#[inline(always)]
pub fn say<S: Simd>(
    own: &mut [Heard<f32>],
    row: usize,
    (orientation, position): (Q<S>, V<S>),
    (v, omega): (V<S>, V<S>),
    (alpha, felt): (V<S>, V<S>),
    turned: Option<Own<S>>,
) {
    let own: &mut [Heard<f32>; LANES] = (&mut own[row * LANES..][..LANES]).try_into().expect("eight");
    let (q, p, o) = (orientation.v, position, all(v.x.simd, 0.0));
    put(own, 0, [q.x, q.y, q.z, orientation.w, p.x, p.y, p.z, o]);
    put(own, 1, [v.x, v.y, v.z, omega.x, omega.y, omega.z, alpha.x, alpha.y]);
    let mut turning = V::splat(o);
    if let Some(Own { alpha: a, felt: f, omega }) = turned {
        put(own, 3, [a.x, a.y, a.z, f.x, f.y, f.z, o, o]);
        turning = omega;
    }
    put(own, 2, [alpha.z, felt.x, felt.y, felt.z, turning.x, turning.y, turning.z, o]);
}

#[inline(always)]
fn put<S: Simd>(own: &mut [Heard<f32>; LANES], k: usize, numbers: [F<S>; 8]) {
    let said = scattered(numbers);
    for l in 0..LANES {
        own[l].0[k] = said[l].into();
    }
}

/// Says it to all children of a row of wood: to those that hear it one by one, and to the bunch that sits on the row.
#[inline(always)]
pub fn say_to_all<S: Simd>(
    (block, row, batch): (&mut Block<f32>, usize, Batch),
    own: &mut [Heard<f32>],
    place: (Q<S>, V<S>),
    velocities: (V<S>, V<S>),
    accelerations: (V<S>, V<S>),
    turned: Own<S>,
) {
    if batch.talks {
        say(own, row, place, velocities, accelerations, Some(turned));
    }
    if batch.is_laden {
        let bough = &mut block.told.boughs[row];
        turned.alpha.put(&mut bough.alpha);
        turned.felt.put(&mut bough.felt);
        turned.omega.put(&mut bough.omega);
    }
}
