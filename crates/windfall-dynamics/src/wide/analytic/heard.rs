//! What eight bodies hear of their parents and say to their children in the sweep down.

use fearless_simd::Simd;

use crate::wide::exchange::{gathered, with_last};
use crate::wide::math::{F, LANES, Q, V, all};
use crate::world::block::{Block, Link};
use crate::world::exchange::Heard;

static NOBODY: Heard<f32> = Heard([[0.0, 0.0, 0.0, 1.0], [0.0; 4], [0.0; 4], [0.0; 4], [0.0; 4]]);

/// What eight bodies hear of the motion of their parents.
pub struct Parent<S: Simd> {
    pub orientation: Q<S>,
    pub position: V<S>,
    pub velocity: V<S>,
    pub omega: V<S>,
    pub alpha: V<S>,
    pub felt: V<S>,
}

/// Hears it from the block, the bases of trees or the top.
#[inline(always)]
pub fn hear<S: Simd>(
    simd: S,
    block: &Block<f32>,
    row: usize,
    own: &[Heard<f32>],
    (bases, tops): (&[Heard<f32>], &[Heard<f32>]),
) -> Parent<S> {
    let links: [Link; LANES] = block.links[row * LANES..][..LANES].try_into().expect("eight");
    let mut parents = [&NOBODY; LANES];
    for (parent, link) in parents.iter_mut().zip(links) {
        *parent = match link {
            Link::Body(p) => &own[p as usize],
            Link::Top(p) => &tops[p as usize],
            Link::Base(tree) => &bases[tree as usize],
            Link::Free(_) | Link::Gone => &NOBODY,
        };
    }
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
    Parent { orientation, position, velocity, omega: V::new(omega_x, omega_y, omega_z), alpha, felt }
}

/// Four numbers of each.
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
    for k in 0..said.len() {
        for l in 0..LANES {
            own[l].0[k] = said[k][l].into();
        }
    }
}
