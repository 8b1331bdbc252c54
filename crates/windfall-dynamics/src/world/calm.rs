//! Violent motion must not feed itself: where nothing acts on a tree its energy can't grow.
//!
//! Joint velocities are held while a step turns the bodies. If they turn by a radian the mass matrix of a chain changes by as much as
//! itself, and so does `w^T M(q) w / 2`: a limp tree that was whipped would whip itself for ever, at some joules per step.
//! Springs and weights that a step can't resolve do the same.
//!
//! So, when a body turns by more than [`VIOLENT`] in a step, and for [`STEPS`] steps after that, the energy of every tree on which nothing but
//! gravity acts is held below what it was before (T kinetic, V springs and height; E the least so far): what is more is
//! taken off all joint velocities of that tree alike,
//!
//! ```text
//! w <- c w,    c^2 = 1 - (T + V - E) / T,    0 <= c <= 1
//! ```
//!
//! T is quadratic in w, so that c takes off just that much. A piece that flies keeps its momentum. Calmer motion is not
//! touched at all. While something acts on a tree its energy may grow, and only the local guards (`guard.rs`) hold it.

use rayon::prelude::*;
use windfall_core::Actions;

use super::block::{Block, Link};
use super::layout::ON_BASE;
use super::{Method, World};
use crate::math::{Real, exp};

/// Angle per step from which on trees are watched, rad.
const VIOLENT: f64 = 0.5;
/// For how many steps more.
const STEPS: u32 = 30;

/// The part of T that is lost in a step.
const LOSS: f64 = 0.02;
/// The least c^2 of a step.
const LEAST: f64 = 0.01;

/// What is known of the energy of the trees and pieces.
#[derive(Debug, Clone, Default)]
pub(crate) struct Calm {
    /// For how many steps they are still watched.
    left: u32,
    /// Of every tree and piece.
    watched: Vec<Watched>,
}

#[derive(Debug, Clone, Copy)]
struct Watched {
    /// E of the head of the module, J; NaN where something acts.
    least: f64,
    /// T + V at the end of the last step, J. If it is another now somebody has changed the tree, and E begins anew.
    last: f64,
}

impl<T: Real> World<T> {
    /// Before a step: looks for violent motion, and for what acts on the trees. Whether [`World::calm_down`] must follow.
    pub(super) fn watch(&mut self, dt: f64, actions: &Actions<'_>) -> bool {
        if self.wind.is_some() {
            // Something acts on all trees.
            self.calm = Calm::default();
            return false;
        }
        let most = T::of(VIOLENT / dt);
        if self.all_blocks().any(|block| block.fastest >= most * most) {
            self.calm.left = STEPS;
        }
        if self.calm.left == 0 {
            self.calm.watched.clear();
            return false;
        }
        self.calm.left -= 1;
        let mut watched = std::mem::take(&mut self.calm.watched);
        let energies = self.energies();
        watched.resize(energies.len(), Watched { least: f64::NAN, last: f64::NAN });
        for (watched, (kinetic, potential)) in watched.iter_mut().zip(energies) {
            let energy = kinetic + potential;
            if watched.last != energy || watched.least.is_nan() {
                watched.least = energy;
            }
        }
        for (watched, base) in watched.iter_mut().zip(&self.bases) {
            let moves = base.now.velocity.length() + base.now.angular_velocity.length() > 0.0;
            if base.now != base.next || moves {
                watched.least = f64::NAN;
            }
        }
        let bodies = actions.loads.iter().map(|l| l.body).chain(actions.grabs.iter().map(|g| g.body));
        let bodies = bodies.chain(actions.touches.iter().map(|t| t.body));
        let bodies = bodies.chain(self.clashes.iter().flat_map(|clash| clash.sides.map(|(body, _)| body)));
        for body in bodies {
            let place = self.places[body.0 as usize];
            if place.block != ON_BASE {
                let anchor = self.anchor_at(place);
                watched[anchor as usize].least = f64::NAN;
            }
        }
        self.calm.watched = watched;
        true
    }

    /// After the step: takes off what was gained.
    pub(super) fn calm_down(&mut self) {
        let keep: Vec<f64> = self
            .energies()
            .iter()
            .zip(&self.calm.watched)
            .map(|(&(kinetic, potential), watched)| {
                let gained = kinetic + potential - watched.least + LOSS * kinetic;
                // NaN is not above zero.
                if gained > 0.0 { (1.0 - gained / kinetic).max(LEAST).sqrt() } else { 1.0 }
            })
            .collect();
        if keep.iter().any(|&c| c < 1.0) {
            self.slow_down(&keep);
        }
        let energies = self.energies();
        for (watched, (kinetic, potential)) in self.calm.watched.iter_mut().zip(energies) {
            watched.last = kinetic + potential;
            if !watched.least.is_nan() {
                watched.least = watched.least.min(watched.last);
            }
        }
    }

    /// Multiplies the velocities of all joints of each tree and piece.
    fn slow_down(&mut self, keep: &[f64]) {
        let trees = self.bases.len();
        let drift = T::of(if self.method() == Method::Implicit { self.last_dt } else { 0.0 });
        let pieces = keep[trees..].iter().any(|&c| c < 1.0).then(|| self.piece_momenta());
        for block in self.all_blocks_mut() {
            for i in 0..block.len() {
                let c = keep[block.anchor(i) as usize];
                if c < 1.0 && !matches!(block.links[i], Link::Free(_) | Link::Gone) {
                    block.states.edit(i, |state| {
                        state.q = (state.q * exp(state.w * (drift * T::of(c - 1.0)))).normalized();
                        state.w = state.w * T::of(c);
                        state.rate = state.rate * T::of(c);
                    });
                }
            }
        }
        self.replace_all();
        if let Some(pieces) = pieces {
            self.restore_momenta(&self.piece_momenta(), &pieces);
        }
    }

    /// Kinetic and potential energy of every tree and piece, J.
    fn energies(&self) -> Vec<(f64, f64)> {
        // Of each block, one sum for neighbours of the same tree or piece.
        let of_block = |block: &Block<T>| {
            let mut sums: Vec<(usize, f64, f64)> = Vec::new();
            for i in (0..block.len()).filter(|&i| block.links[i] != Link::Gone) {
                let (energy, anchor) = (self.body_energy(block, i), block.anchor(i) as usize);
                if sums.last().is_none_or(|last| last.0 != anchor) {
                    sums.push((anchor, 0.0, 0.0));
                }
                if let Some(last) = sums.last_mut() {
                    last.1 += energy.kinetic;
                    last.2 += energy.spring + energy.gravity;
                }
            }
            sums
        };
        self.blocks.call_threads();
        let mut sums = of_block(&self.top);
        let blocks: Vec<_> = self.blocks.par_iter().map(of_block).collect();
        sums.extend(blocks.into_iter().flatten());
        let mut energies = vec![(0.0, 0.0); self.bases.len() + self.pieces.len()];
        for (anchor, kinetic, potential) in sums {
            energies[anchor].0 += kinetic;
            energies[anchor].1 += potential;
        }
        energies
    }
}

#[cfg(test)]
mod tests {
    use windfall_core::glam::{DQuat, DVec3};
    use windfall_core::{BodyId, Load, Solver};

    use super::*;
    use crate::Params;

    /// A tree that sways is not watched; one that is whipped is, and is left alone again when it has calmed down.
    #[test]
    fn only_violent_trees_are_watched() {
        let plant = windfall_core::conformance::symmetric_tree();
        let mut world = World::<f32>::new(plant, Params::default(), Method::Implicit).unwrap();
        let dt = 1.0 / 60.0;
        let tip = BodyId(4);
        let push = [Load::force(tip, DVec3::Y * 0.3, DVec3::Z * 5.0)];
        for _ in 0..60 {
            world.step(dt, &Actions { loads: &push, grabs: &[], touches: &[] }).unwrap();
            assert!(!world.watch(dt, &Actions::default()));
        }
        world.set_joint(tip, DQuat::IDENTITY, DVec3::X * (0.9 / dt));
        assert!(world.watch(dt, &Actions::default()));
        for _ in 0..600 {
            world.step(dt, &Actions::default()).unwrap();
        }
        assert!(!world.watch(dt, &Actions::default()));
    }
}
