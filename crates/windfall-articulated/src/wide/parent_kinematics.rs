//! The kinematics that eight bodies read from their parents and write for their children in the sweep
//! down.

use fearless_simd::Simd;

use super::exchange::{gathered, scattered};
use super::math::{F, LANES, M, Q, V, Wide, all};
use crate::block::batch::Batch;
use crate::block::exchange::{ParentKinematics, RowKinematics};
use crate::block::{Block, Link};

static PADDING: ParentKinematics<f32> =
    ParentKinematics([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0; 8], [0.0; 8], [0.0; 8]]);

/// The kinematics of the bases of trees and the bodies of the top.
pub type Above<'a> = (&'a [ParentKinematics<f32>], &'a [ParentKinematics<f32>]);

/// The kinematics of the parents of eight bodies.
pub struct Parent<S: Simd> {
    pub orientation: Q<S>,
    pub rotation: M<S>,
    pub position: V<S>,
    pub velocity: V<S>,
    pub omega: V<S>,
    pub alpha: V<S>,
    pub proper_acceleration: V<S>,
}

/// The parents of the bodies of a row.
#[inline(always)]
pub fn parents(block: &Block<f32>, row: usize) -> [Link; LANES] {
    block.state.links[row * LANES..][..LANES].try_into().expect("eight")
}

/// The parents of a bunch of leaves, lane by lane. Removed leaves have none.
#[inline(always)]
fn parents_of_bunch(block: &Block<f32>, row: usize, rows: usize) -> [Link; LANES] {
    let mut links = parents(block, row);
    for more in row + 1..row + rows {
        if !links.contains(&Link::Removed) {
            break;
        }
        for (link, other) in links.iter_mut().zip(parents(block, more)) {
            if *link == Link::Removed {
                *link = other;
            }
        }
    }
    links
}

/// The parents of a bunch of leaves.
pub enum Parents {
    /// The bodies of a row of wood, lane by lane.
    Row(usize),
    Each([Link; LANES]),
}

impl Parents {
    #[inline(always)]
    pub fn of_bunch(block: &Block<f32>, row: usize, rows: usize) -> Self {
        match block.plan.batches[row].wood_row() {
            Some(on) if block.plan.batches[on].carries_bunch => Self::Row(on),
            _ => Self::Each(parents_of_bunch(block, row, rows)),
        }
    }

    /// Reads their motion. Those of a row have stored it.
    #[inline(always)]
    pub fn find_parent_kinematics<S: Simd>(
        &self,
        simd: S,
        block: &Block<f32>,
        own: &[ParentKinematics<f32>],
    ) -> Parent<S> {
        match self {
            Self::Row(on) => Parent::of_row(simd, block, *on),
            Self::Each(links) => find_parent_kinematics(simd, links, own, (&[], &[])),
        }
    }

    /// The same in their own axes: accelerations, and if present the angular velocity.
    #[inline(always)]
    pub fn find_own_parent_kinematics<S: Simd>(
        &self,
        simd: S,
        block: &Block<f32>,
        own: &[ParentKinematics<f32>],
        with_omega: bool,
    ) -> Own<S> {
        match self {
            Self::Row(on) => {
                let RowKinematics { alpha, proper_acceleration, omega } = &block.scratch.wood_kinematics.wood_row[*on];
                Own {
                    alpha: V::of(simd, alpha),
                    proper_acceleration: V::of(simd, proper_acceleration),
                    omega: V::of(simd, omega),
                }
            }
            Self::Each(links) => {
                let parents = said(links, own, (&[], &[]));
                let [ax, ay, az, fx, fy, fz, ..] = octet(simd, &parents, 3);
                let mut omega = V::splat(all(simd, 0.0));
                if with_omega {
                    let [_, _, _, _, x, y, z, _] = octet(simd, &parents, 2);
                    omega = V::new(x, y, z);
                }
                Own { alpha: V::new(ax, ay, az), proper_acceleration: V::new(fx, fy, fz), omega }
            }
        }
    }
}

impl<S: Simd> Parent<S> {
    /// The bodies of a row.
    #[inline(always)]
    fn of_row(simd: S, block: &Block<f32>, row: usize) -> Self {
        let motion = &block.state.motions.rows()[row];
        let orientation = Q::of(simd, &motion.orientation);
        Self {
            orientation,
            rotation: orientation.matrix(),
            position: V::of(simd, &motion.position),
            velocity: V::of(simd, &motion.velocity),
            omega: V::of(simd, &motion.omega),
            alpha: V::of(simd, &motion.alpha),
            proper_acceleration: V::of(simd, &motion.proper_acceleration),
        }
    }
}

/// The kinematics of parents in the block, on the ground or in the top.
#[inline(always)]
fn said<'a>(
    links: &[Link; LANES],
    own: &'a [ParentKinematics<f32>],
    (bases, tops): Above<'a>,
) -> [&'a ParentKinematics<f32>; LANES] {
    let mut parents = [&PADDING; LANES];
    for (parent, link) in parents.iter_mut().zip(links) {
        *parent = match *link {
            Link::Body(p) => &own[p as usize],
            Link::Top(p) => &tops[p as usize],
            Link::Base(tree) => &bases[tree as usize],
            Link::Free(_) | Link::Removed => &PADDING,
        };
    }
    parents
}

/// Reads all of it.
#[inline(always)]
pub fn find_parent_kinematics<S: Simd>(
    simd: S,
    links: &[Link; LANES],
    own: &[ParentKinematics<f32>],
    above: Above<'_>,
) -> Parent<S> {
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
        proper_acceleration: V::new(fx, fy, fz),
    }
}

/// The motion of eight or sixteen bodies, in their own axes: angular acceleration, proper acceleration of
/// their joints, angular velocity.
#[derive(Clone, Copy)]
pub struct Own<S: Wide> {
    pub alpha: V<S>,
    pub proper_acceleration: V<S>,
    /// Only where leaves need it: zero in `Implicit`.
    pub omega: V<S>,
}

/// Eight numbers of each: see [`ParentKinematics`] for their order.
#[inline(always)]
fn octet<S: Simd>(simd: S, [a, b, c, d, e, f, g, h]: &[&ParentKinematics<f32>; LANES], k: usize) -> [F<S>; 8] {
    gathered(simd, [&a.0[k], &b.0[k], &c.0[k], &d.0[k], &e.0[k], &f.0[k], &g.0[k], &h.0[k]])
}

/// Writes it for the children, with the values that leaves need in the bodies' own axes.
#[inline(always)]
pub fn write<S: Simd>(
    own: &mut [ParentKinematics<f32>],
    row: usize,
    (orientation, position): (Q<S>, V<S>),
    (v, omega): (V<S>, V<S>),
    (alpha, proper_acceleration): (V<S>, V<S>),
    turned: Option<Own<S>>,
) {
    let own: &mut [ParentKinematics<f32>; LANES] = (&mut own[row * LANES..][..LANES]).try_into().expect("eight");
    let (q, p, o) = (orientation.v, position, all(v.x.simd, 0.0));
    put(own, 0, [q.x, q.y, q.z, orientation.w, p.x, p.y, p.z, o]);
    put(own, 1, [v.x, v.y, v.z, omega.x, omega.y, omega.z, alpha.x, alpha.y]);
    let mut turning = V::splat(o);
    if let Some(Own { alpha: a, proper_acceleration: f, omega }) = turned {
        put(own, 3, [a.x, a.y, a.z, f.x, f.y, f.z, o, o]);
        turning = omega;
    }
    put(
        own,
        2,
        [
            alpha.z,
            proper_acceleration.x,
            proper_acceleration.y,
            proper_acceleration.z,
            turning.x,
            turning.y,
            turning.z,
            o,
        ],
    );
}

#[inline(always)]
fn put<S: Simd>(own: &mut [ParentKinematics<f32>; LANES], k: usize, numbers: [F<S>; 8]) {
    let numbers = scattered(numbers);
    for l in 0..LANES {
        own[l].0[k] = numbers[l].into();
    }
}

/// Writes it for all children of a row of wood: for those that read it one by one, and for the bunch that
/// sits on the row.
#[inline(always)]
pub fn write_for_children<S: Simd>(
    (block, row, batch): (&mut Block<f32>, usize, Batch),
    own: &mut [ParentKinematics<f32>],
    place: (Q<S>, V<S>),
    velocities: (V<S>, V<S>),
    accelerations: (V<S>, V<S>),
    turned: Own<S>,
) {
    if batch.has_other_children {
        write(own, row, place, velocities, accelerations, Some(turned));
    }
    if batch.carries_bunch {
        let carrier = &mut block.scratch.wood_kinematics.wood_row[row];
        turned.alpha.put(&mut carrier.alpha);
        turned.proper_acceleration.put(&mut carrier.proper_acceleration);
        turned.omega.put(&mut carrier.omega);
    }
}
