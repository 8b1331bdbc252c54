//! Violent motion must not feed itself: the energy of a tree on which no load acts cannot grow.
//!
//! Joint velocities are held while a step turns the bodies. If they turn by a radian the mass matrix of a
//! chain changes by as much as itself, and so does `w^T M(q) w / 2`: a limp tree that was whipped would
//! gain some joules per step for ever. Springs and weights that a step cannot resolve have the same
//! effect.
//!
//! So, when a body turns by more than [`VIOLENT`] in a step, and for [`STEPS`] steps after that, the
//! energy of every tree on which only gravity acts is held below its former value (T kinetic, V springs
//! and height; E the least so far). The surplus is removed by scaling all joint velocities of that tree
//! alike,
//!
//! ```text
//! w <- c w,    c^2 = 1 - (T + V - E) / T,    0 <= c <= 1
//! ```
//!
//! T is quadratic in w, so that c removes just the surplus. A free piece keeps its momentum. Less violent
//! motion is not changed at all. While a load acts on a tree its energy may grow, and only the local
//! guards (`block/guard.rs`) bound it.

use rayon::prelude::*;
use windfall_solver::Actions;

use crate::block::place::ON_BASE;
use crate::block::{Block, Link};
use crate::math::{Real, exp};
use crate::world::{Method, World};

/// Angle per step from which trees are watched, rad.
const VIOLENT: f64 = 0.5;
/// Number of further steps for which they are watched.
const STEPS: u32 = 30;

/// The fraction of T that is lost in a step.
const LOSS: f64 = 0.02;
/// The least c^2 of a step.
const LEAST: f64 = 0.01;

/// Energy bookkeeping of the trees and pieces.
#[derive(Debug, Clone, Default)]
pub(crate) struct EnergyLimiter {
    /// Number of steps for which they are still watched.
    left: u32,
    /// One record for every tree and piece.
    watched: Vec<Watched>,
}

#[derive(Debug, Clone, Copy)]
struct Watched {
    /// E of the head of the module, J; NaN while a load acts.
    least: f64,
    /// T + V at the end of the last step, J. If the energy differs now the caller has changed the tree,
    /// and E begins anew.
    last: f64,
}

impl EnergyLimiter {
    /// Whether trees are watched.
    pub fn is_on(&self) -> bool {
        self.left > 0
    }
}

impl<T: Real> World<T> {
    /// Before a step: detects violent motion, and the trees on which loads act. Returns whether
    /// [`World::limit_energy`] must be called after the step.
    pub(crate) fn watch(&mut self, dt: f64, actions: &Actions<'_>) -> bool {
        if self.wind.is_some() {
            // Wind acts on all trees.
            self.energy_limiter = EnergyLimiter::default();
            return false;
        }
        let most = T::of(VIOLENT / dt);
        if self.all_blocks().any(|block| block.state.fastest >= most * most) {
            self.energy_limiter.left = STEPS;
        }
        if self.energy_limiter.left == 0 {
            self.energy_limiter.watched.clear();
            return false;
        }
        self.energy_limiter.left -= 1;
        let mut watched = std::mem::take(&mut self.energy_limiter.watched);
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
        let bodies = actions.loads.iter().map(|l| l.body.id).chain(actions.grabs.iter().map(|g| g.body.id));
        let bodies = bodies.chain(actions.touches.iter().map(|t| t.body.id));
        let bodies = bodies.chain(self.piece_contacts.iter().flat_map(|pair| pair.sides.map(|(body, _)| body)));
        for body in bodies {
            let place = self.places[body.0 as usize];
            if place.block != ON_BASE {
                let anchor = self.anchor_at(place);
                watched[anchor as usize].least = f64::NAN;
            }
        }
        self.energy_limiter.watched = watched;
        true
    }

    /// After the step: removes the surplus.
    pub(crate) fn limit_energy(&mut self) {
        let keep: Vec<f64> = self
            .energies()
            .iter()
            .zip(&self.energy_limiter.watched)
            .map(|(&(kinetic, potential), watched)| {
                let gained = kinetic + potential - watched.least + LOSS * kinetic;
                // NaN fails this comparison.
                if gained > 0.0 { (1.0 - gained / kinetic).max(LEAST).sqrt() } else { 1.0 }
            })
            .collect();
        if keep.iter().any(|&c| c < 1.0) {
            self.slow_down(&keep);
        }
        let energies = self.energies();
        for (watched, (kinetic, potential)) in self.energy_limiter.watched.iter_mut().zip(energies) {
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
                if c < 1.0 && !matches!(block.state.links[i], Link::Free(_) | Link::Removed) {
                    block.state.joints.edit(i, |state| {
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
        // One sum per run of neighbouring bodies of the same tree or piece, for each block.
        let of_block = |block: &Block<T>| {
            let mut sums: Vec<(usize, f64, f64)> = Vec::new();
            for i in (0..block.len()).filter(|&i| block.state.links[i] != Link::Removed) {
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
        self.blocks.wake_threads();
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
