//! Masses and springs of the simulated bodies, from the plant and the parameters.

use std::sync::Arc;

use rayon::prelude::*;
use windfall_core::BodyId;

use super::World;
use super::block::{Block, Lumped, NOBODY, Spring};
use super::build::Lump;
use super::layout::{ON_BASE, TOP};
use super::masses::Masses;
use super::order::Way;
use super::place::Ride;
use crate::air::{LeafAir, OwnSails, Rigging, Riggings, Sail};
use crate::math::{Mat3, Real, Vec3};
use crate::params::{BodyValues, Values};

impl<T: Real> World<T> {
    /// Computes masses and springs anew, from the parameters.
    pub(crate) fn load_params(&mut self) {
        let (params, plant) = (self.params().clone(), Arc::clone(&self.plant));
        self.load_values(&Values::new(&params, &plant));
    }

    /// The same from what they make of the bodies.
    fn load_values(&mut self, values: &Values<'_>) {
        let riders = self.riders(values);
        let rigs = self.rigs(values);
        let air = self.params().air;
        let Self { top, blocks, plant, .. } = self;
        let load = |block: &mut Block<T>, riders: &[Lump]| {
            let bodies = (block.len() - block.leaf_places(), block.len());
            let known = |&id: &u32| (id != NOBODY).then(|| values.of(BodyId(id)));
            let values: Vec<Option<BodyValues>> = block.ids.iter().map(known).collect();
            let sail = |i: usize| match &values[i] {
                None => Sail::none(),
                Some(values) => Sail::new(plant, BodyId(block.ids[i]), &air, values.mass_scale),
            };
            block.sails.own = OwnSails::of(bodies, sail);
            block.sails.leaf = LeafAir::of(&air);
            block.set_springs(values.iter().map(|values| values.as_ref().map_or_else(Spring::soft, spring)));
            let mass = |i: usize| {
                let (id, Some(values)) = (block.ids[i], &values[i]) else { return Lumped::one() };
                let mut lump = riders.get(i).copied().unwrap_or(Lump::ZERO);
                let own = Ride { position: Vec3::<T>::zero(), orientation: crate::math::Quat::identity() };
                lump.add(&plant.mass_properties(BodyId(id)), values.mass_scale, &own);
                mass(&lump)
            };
            block.masses = Masses::of(bodies, mass);
            debug_assert_eq!(block.masses.wood().len(), block.batches.partition_point(|row| row.way != Way::Leaves));
        };
        let (mut riders, blocks) = (riders, blocks.stirred());
        load(top, &riders.pop().unwrap_or_default());
        if riders.is_empty() {
            blocks.par_iter_mut().for_each(|block| load(block, &[]));
        } else {
            blocks.par_iter_mut().zip(&riders).for_each(|(block, riders)| load(block, riders));
        }
        for (block, rigged) in blocks.iter_mut().chain(std::iter::once(top)).zip(rigs) {
            block.sails.rigged = rigged;
        }
        self.sort_out();
        self.forget_pushes();
    }

    /// What rides on each simulated body, block by block, the top last; empty if all bodies are simulated.
    fn riders(&self, values: &Values<'_>) -> Vec<Vec<Lump>> {
        if self.rides.is_empty() {
            return Vec::new();
        }
        let mut lumps: Vec<Vec<Lump>> =
            self.blocks.iter().map(|b| b.ids.iter().map(|_| Lump::ZERO).collect()).collect();
        lumps.push(self.top.ids.iter().map(|_| Lump::ZERO).collect());
        let last = lumps.len() - 1;
        for id in self.plant.body_ids() {
            let place = self.places[id.0 as usize];
            if place.block == ON_BASE || self.is_simulated(id) {
                continue;
            }
            let block = if place.block == TOP { last } else { place.block as usize };
            let scale = values.mass_scale(id);
            lumps[block][place.index as usize].add(&self.plant.mass_properties(id), scale, &self.rides[id.0 as usize]);
        }
        lumps
    }

    /// What the wind finds of what rides on each simulated body, block by block, the top last.
    fn rigs(&self, values: &Values<'_>) -> Vec<Vec<(u32, Rigging<T>)>> {
        if self.rides.is_empty() {
            return vec![Vec::new(); self.blocks.len() + 1];
        }
        let blocks = self.blocks.iter().chain(std::iter::once(&self.top));
        let mut sums: Vec<Vec<Riggings<T>>> = blocks.map(|b| vec![Riggings::none(); b.len()]).collect();
        let mut rigged: Vec<Vec<bool>> = sums.iter().map(|block| vec![false; block.len()]).collect();
        let last = sums.len() - 1;
        let leaf = LeafAir::of(&self.params().air);
        for id in self.plant.body_ids() {
            let (i, place) = (id.0 as usize, self.places[id.0 as usize]);
            if place.block == ON_BASE || self.is_simulated(id) {
                continue;
            }
            let block = if place.block == TOP { last } else { place.block as usize };
            let scale = values.mass_scale(id);
            let sail = Sail::new(&self.plant, id, &self.params().air, scale);
            let mass = T::of(self.plant.mass_properties(id).mass * scale);
            let Ride { position, orientation } = self.rides[i];
            sums[block][place.index as usize].add((&sail, &leaf), mass, position, orientation);
            rigged[block][place.index as usize] = true;
        }
        let chosen = |(sums, rigged): (Vec<Riggings<T>>, Vec<bool>)| {
            let with_riders = sums.iter().enumerate().zip(rigged).filter(|(_, rigged)| *rigged);
            with_riders.map(|((i, sum), _)| (i as u32, sum.sum())).collect()
        };
        sums.into_iter().zip(rigged).map(chosen).collect()
    }
}

fn mass<T: Real>(lump: &Lump) -> Lumped<T> {
    Lumped { mass: T::of(lump.mass), moment: Vec3::of(lump.moment), inertia: Mat3::of(lump.inertia).symmetric_part() }
}

/// Longest damping time, s: f32 can carry its products, and nothing moves in it.
const LONGEST: f64 = 1e12;

fn spring<T: Real>(values: &BodyValues) -> Spring<T> {
    Spring {
        stiffness: Vec3::of(values.stiffness),
        beta: T::of(values.damping_time.min(LONGEST)),
        bend_limit: T::of(values.bend_limit),
        twist_limit: T::of(values.twist_limit),
    }
}
