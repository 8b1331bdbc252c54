//! Leaves with no loads but air and weight, in their own axes: three of four bodies of most trees.
//!
//! A leaf has no children; its centre (0, c, 0) and its inertia lie along its axes, and so does all
//! resistance: drag and springs are bounded by their diagonals (`air/law.rs`, `implicit/sweep.rs`). With
//! the drag h (times sigma h), the mass m = mass + h along each axis, and the inertia J about the centre
//!
//! ```text
//! A = J + c² (mz, 0, mx)      D = A + k                         k of springs and dampers
//! B = c mz at xz, -c mx at zx
//! ```
//!
//! and the part for the parent has, with the rigidities g = k / D,
//!
//! ```text
//! masses  mx (Jz + kz) / Dz, my, mz (Jx + kx) / Dx        inertias  g A        c mz gx at xz, -c mx gz at zx
//! ```
//!
//! in which nothing cancels. (A freely turning leaf acts at the joint, a rigidly held one at the centre.)
//!
//! Only this is turned into world axes. All other loads and constraints of leaves (grabs, touches,
//! limits, free pieces) are left to the common path of `wide/up.rs` and `wide/down.rs`.

pub mod down;
pub mod law;
pub mod place;
pub mod up;

use super::math::{F, LANES, Mask, V, Wide, less};
use crate::block::batch::Batch;
use crate::block::masses::Masses;
use crate::block::{Block, Link};

/// Finds the bunches with no loads but air and weight whose parents are bodies of the block, and those of
/// them that sit on rows of wood whose bodies are processed together. Returns whether there are others
/// than the first, the whole ones. If not all leaves are free of other loads, `is_free` tells which rows
/// are.
pub fn classify_rows(block: &mut Block<f32>, all_free: bool, is_free: impl Fn(&Block<f32>, usize) -> bool) -> bool {
    if let Some(any_whole) = block.plan.any_whole.filter(|_| all_free) {
        return any_whole;
    }
    let mut any_whole = false;
    let mut row = super::first_of_leaves(block);
    while row < block.plan.batches.len() {
        let rows = row..row + usize::from(block.plan.batches[row].bunch);
        let are_free = |row: usize| block.plan.batches[row].are_free_leaves() && (all_free || is_free(block, row));
        let is_whole =
            !rows.clone().all(are_free) || super::parent_kinematics::parents(block, row).into_iter().any(is_outside);
        for row in rows.clone() {
            block.plan.batches[row].is_whole = is_whole;
            if is_whole {
                block.store_row(row);
            }
        }
        if let Some(on) = block.plan.batches[row].wood_row() {
            // Bodies that are swept alone read only their own accumulators.
            let carries_bunch = !is_whole && block.plan.batches[on].apart == 0;
            if block.plan.batches[on].set_bunch(carries_bunch) {
                block.scratch.wood_kinematics.has_kinematics = false;
            }
        }
        any_whole |= is_whole;
        row = rows.end;
    }
    block.plan.any_whole = all_free.then_some(any_whole);
    any_whole
}

/// The lanes of leaves that are present, in the rows processed at a time; none if all are.
#[inline(always)]
pub fn present_lanes<S: Wide>(simd: S, batches: &[Batch]) -> Option<Mask<S>> {
    let mut absent = 0;
    for (j, batch) in batches[..S::ROWS].iter().enumerate() {
        absent |= u64::from(batch.apart | batch.empty) << (j * LANES);
    }
    if absent == 0 { None } else { Some(Mask::of_bits(simd, !absent)) }
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

/// Torque about the joints and force that accelerate leaves with this inertia about the centre, mass and
/// centre: from angular acceleration and proper acceleration of the joint.
#[inline(always)]
fn leaf_reaction<S: Wide>(
    (inertia, mass, c): (V<S>, V<S>, F<S>),
    alpha: V<S>,
    proper_acceleration: V<S>,
) -> (V<S>, V<S>) {
    let force = mass.scale(plus_levered(proper_acceleration, -c, alpha));
    (plus_levered(inertia.scale(alpha), c, force), force)
}
