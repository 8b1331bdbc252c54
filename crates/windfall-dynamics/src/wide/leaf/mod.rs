//! Leaves on which nothing acts but wind and weight, in their own axes: three of four bodies of most trees.
//!
//! A leaf carries nothing, its centre (0, c, 0) and its inertia lie along its axes, and so does all that resists: drag and springs are bounded by their diagonals (`air/law.rs`, `implicit/sweep.rs`). With the drag h (times
//! sigma h), the mass m = mass + h along each axis, and the inertia J about the centre
//!
//! ```text
//! A = J + c² (mz, 0, mx)      D = A + k                         k of springs and dampers
//! B = c mz at xz, -c mx at zx
//! ```
//!
//! and the parent feels a mass and an inertia in which nothing cancels: what turns freely is felt at the joint, what is held rigidly at the centre, and the rest between them,
//!
//! ```text
//! mx (Jz + kz) / Dz  at  c kz / (Jz + kz)         Jx kx / (Jx + kx)
//! my                 at  the joint                Jy ky / Dy
//! mz (Jx + kx) / Dx  at  c kx / (Jx + kx)         Jz kz / (Jz + kz)
//! ```
//!
//! Only this is turned into world axes. What else may act on leaves (hands, touches, limits, pieces that fly)
//! is left to the common path of `wide/up.rs` and `wide/down.rs`.

pub mod down;
pub mod law;
pub mod place;
pub mod up;

use super::math::{F, LANES, Mask, V, Wide, less};
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
        for row in rows.clone() {
            block.batches[row].is_whole = is_whole;
            if is_whole {
                block.store_row(row);
            }
        }
        is_any_whole |= is_whole;
        row = rows.end;
    }
    is_any_whole
}

/// The lanes of leaves that are there, in rows that go at a time; none if all are.
#[inline(always)]
pub fn silent_aside<S: Wide>(simd: S, batches: &[Batch]) -> Option<Mask<S>> {
    let mut silent = 0;
    for (j, batch) in batches[..S::ROWS].iter().enumerate() {
        silent |= u64::from(batch.apart | batch.empty) << (j * LANES);
    }
    if silent == 0 { None } else { Some(Mask::of_bits(simd, !silent)) }
}

fn is_outside(link: Link) -> bool {
    matches!(link, Link::Top(_) | Link::Base(_) | Link::Free(_))
}

/// The masses of eight leaves, about their joints.
#[derive(Clone, Copy)]
pub struct Blade<S: Wide> {
    pub mass: F<S>,
    /// Mass times centre, along y.
    pub moment: F<S>,
    pub inertia: V<S>,
}

impl<S: Wide> Blade<S> {
    /// Of rows of leaves, from this one on, counted from the first of them.
    #[inline(always)]
    pub fn of(simd: S, masses: &Masses<f32>, row: usize) -> Self {
        let blades = &masses.leaves()[row..][..S::ROWS];
        Self {
            mass: F::at(simd, |j| &blades[j].mass),
            moment: F::at(simd, |j| &blades[j].moment),
            inertia: V::at(simd, |j| &blades[j].inertia),
        }
    }

    /// The inertia about the centre, which lies at (0, c, 0).
    #[inline(always)]
    pub fn about_center(&self, c: F<S>) -> V<S> {
        let lever = self.moment * c;
        V::new(self.inertia.x - lever, self.inertia.y, self.inertia.z - lever)
    }
}

/// `s + (0, c, 0) x v`.
#[inline(always)]
pub fn plus_levered<S: Wide>(s: V<S>, c: F<S>, v: V<S>) -> V<S> {
    V::new(c.mul_add(v.z, s.x), s.y, less(s.z, c, v.x))
}

/// Torque about the joints and force that accelerate leaves with this inertia about the centre, mass and place of it: angular acceleration, and acceleration of the joint less gravity.
#[inline(always)]
fn carried<S: Wide>((inertia, mass, c): (V<S>, V<S>, F<S>), alpha: V<S>, felt: V<S>) -> (V<S>, V<S>) {
    let force = mass.scale(plus_levered(felt, -c, alpha));
    (plus_levered(inertia.scale(alpha), c, force), force)
}
