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
//! and the parent feels, with the rigidities g = k / D,
//!
//! ```text
//! masses  mx (Jz + kz) / Dz, my, mz (Jx + kx) / Dx        inertias  g A        c mz gx at xz, -c mx gz at zx
//! ```
//!
//! in which nothing cancels. (What turns freely is felt at the joint, what is held rigidly at the centre.)
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

/// Finds the bunches on which nothing acts but wind and weight and that hang on bodies of the block, and which of them sit on rows of wood whose bodies go together. Gives whether there are others than the
/// first, the whole ones. If not all leaves are free, `is_free` says of which rows they are.
pub fn sort_out(block: &mut Block<f32>, all_free: bool, is_free: impl Fn(&Block<f32>, usize) -> bool) -> bool {
    if let Some(any_whole) = block.any_whole.filter(|_| all_free) {
        return any_whole;
    }
    let mut any_whole = false;
    let mut row = super::first_of_leaves(block);
    while row < block.batches.len() {
        let rows = row..row + usize::from(block.batches[row].bunch);
        let are_free = |row: usize| block.batches[row].are_free_leaves() && (all_free || is_free(block, row));
        let is_whole = !rows.clone().all(are_free) || super::heard::parents(block, row).into_iter().any(is_outside);
        for row in rows.clone() {
            block.batches[row].is_whole = is_whole;
            if is_whole {
                block.store_row(row);
            }
        }
        if let Some(on) = block.batches[row].boughs() {
            // Bodies that are swept by themselves look only into their own inboxes.
            let is_laden = !is_whole && block.batches[on].apart == 0;
            if block.batches[on].bear(is_laden) {
                block.told.is_heard = false;
            }
        }
        any_whole |= is_whole;
        row = rows.end;
    }
    block.any_whole = all_free.then_some(any_whole);
    any_whole
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windfall_core::glam::DVec3;
    use windfall_core::{Actions, BodyId, Load, Solver};

    use crate::{Method, Params, Vectors, World};

    fn maple(method: Method, vectors: Vectors) -> World<f32> {
        let species = windfall_grow::Species::named("maple").expect("a species");
        let plant = windfall_grow::grow(&species, &windfall_grow::GrowOptions { bodies: Some(3000), seed: 3 });
        let mut world = World::new(plant.expect("it grows"), Params::default(), method).expect("fine parameters");
        let wind = windfall_wind::WindSpec::from_toml("kind = 'grid'\nspeed = 5").expect("a wind");
        world.set_wind(Some(Arc::new(wind.build().expect("it builds"))));
        world.set_vectors(vectors);
        world
    }

    /// How many rows of wood bear a bunch, and how many of these talk to nobody.
    fn laden(world: &World<f32>) -> (usize, usize) {
        let batches = || world.blocks.iter().flat_map(|block| &block.batches).filter(|batch| batch.is_laden);
        (batches().count(), batches().filter(|batch| !batch.talks).count())
    }

    /// Leaves that sit on rows of wood move as they do one by one: when something acts on one of them, when one has fallen, when their wood breaks off, and afterwards.
    #[test]
    fn bunches_on_rows_of_wood_move_as_leaves_one_by_one() {
        let methods = [Method::Implicit, Method::Analytic];
        for (method, vectors) in
            methods.into_iter().flat_map(|m| [Vectors::Best, Vectors::Avx2, Vectors::Least].map(|v| (m, v)))
        {
            let (mut together, mut alone) = (maple(method, vectors), maple(method, Vectors::None));
            // A leaf of the first bunch that sits on a row, another of it, and a body of that row.
            let (leaf, other, wood) = {
                let block = &together.blocks[0];
                let row = super::super::first_of_leaves(block);
                let on = block.batches[row].boughs().expect("the first bunches sit on rows");
                let id = |row: usize, l: usize| BodyId(block.ids[row * super::LANES + l]);
                assert_eq!(together.plant().parent(id(row, 2)), Some(id(on, 2)));
                (id(row, 2), id(row, 5), id(on, 6))
            };
            let mut borne = Vec::new();
            for n in 0..24 {
                for world in [&mut together, &mut alone] {
                    match n {
                        12 => world.remove(&[other]),
                        18 => drop(world.release(wood)),
                        _ => {}
                    }
                    let pull = Load::force(leaf, DVec3::ZERO, DVec3::new(2e-3, 1e-3, 0.0));
                    let loads = if (6..9).contains(&n) { vec![pull] } else { vec![] };
                    world.step(1.0 / 60.0, &Actions { loads: &loads, grabs: &[], touches: &[] }).expect("a step");
                }
                borne.push(laden(&together));
                let (a, b) = (together.pose(), alone.pose());
                let far =
                    a.positions.iter().zip(&b.positions).map(|(a, b)| f64::from(a.distance(*b))).fold(0.0, f64::max);
                assert!(far < 2e-6, "{method:?}, {vectors:?}, step {n}: {far} m apart");
                let force = |world: &World<f32>| world.joint_load(leaf).force;
                let (a, b) = (force(&together), force(&alone));
                assert!((a - b).length() < 1e-3 * b.length(), "{method:?}, step {n}: {a} and {b}");
            }
            let (many, silent) = borne[5];
            assert!(many > 30 && silent > 10, "{borne:?}");
            // Looked at after a step, which has swept up for the next: one bunch less while something acts, none less for a leaf that is gone, one less for good where wood has broken.
            assert!(borne[6..8].iter().all(|(rows, _)| *rows == many - 1), "{borne:?}");
            assert!(borne[10..18].iter().all(|rows| *rows == (many, silent)), "{borne:?}");
            assert!(borne[19..].iter().all(|(rows, _)| *rows < many), "{borne:?}");
        }
    }
}
