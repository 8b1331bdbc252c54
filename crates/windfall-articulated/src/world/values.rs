//! Masses and springs of the simulated bodies, from the plant and the parameters.

use std::sync::Arc;

use rayon::prelude::*;
use windfall_core::BodyId;

use crate::block::batch::Way;
use crate::block::masses::Masses;
use crate::block::place::{ON_BASE, TOP};
use crate::block::rows::{Row, Rows};
use crate::block::sail::{LeafAir, OwnSails, RiderDrag, RiderDragSum, Sail};
use crate::block::{Block, Elastic, Limit, Lumped, PADDING, Spring};
use crate::math::{Mat3, Real, Vec3};
use crate::world::World;
use crate::world::build::Lump;
use crate::world::place::RiderFrame;
use windfall_solver::params::{BodyValues, Values};

impl<T: Real> World<T> {
    /// Computes masses, springs and sails of all bodies, from the parameters.
    pub(crate) fn load_params(&mut self) {
        self.reload_params([true; 3], true);
    }

    /// The same for the classes of bodies whose parameters changed; `air` tells whether those of the air
    /// changed.
    pub(crate) fn reload_params(&mut self, classes: [bool; 3], air: bool) {
        let (params, plant) = (self.params().clone(), Arc::clone(&self.plant));
        let values = Values::new(&params, &plant);
        if !classes.contains(&true) {
            return self.load_sails(&values);
        }
        // Riders add to the mass of their carrier, of whatever class they are; the sails of all bodies
        // depend on the air.
        let classes = if self.rider_frames.is_empty() && !air { classes } else { [true; 3] };
        self.load_values(&values, classes);
    }

    /// The sails of all bodies alone, after the parameters of the air changed.
    fn load_sails(&mut self, values: &Values<'_>) {
        let rider_drags_of = self.rider_drags_of(values);
        let air = self.params().air;
        let Self { top, blocks, plant, .. } = self;
        let load = |block: &mut Block<T>| {
            let bodies = (block.len() - block.leaf_places(), block.len());
            let ids = &block.model.ids;
            let sail = |i: usize| match ids[i] {
                PADDING => Sail::none(),
                id => Sail::new(plant, BodyId(id), &air, values.mass_scale(BodyId(id))),
            };
            block.model.sails.own = OwnSails::of(bodies, sail);
            block.model.sails.leaf = LeafAir::of(&air);
        };
        load(top);
        let blocks = blocks.change_model();
        blocks.par_iter_mut().for_each(load);
        for (block, rider_drags) in blocks.iter_mut().chain(std::iter::once(top)).zip(rider_drags_of) {
            block.model.sails.rider_drags = rider_drags;
        }
        self.forget_pushes();
    }

    /// The same from the values of the bodies.
    fn load_values(&mut self, values: &Values<'_>, classes: [bool; 3]) {
        let riders = self.riders(values);
        let rider_drags_of = self.rider_drags_of(values);
        let air = self.params().air;
        let Self { top, blocks, plant, .. } = self;
        let ends = plant.classes().map(|(_, range)| range.end as u32);
        let is_new = |id: u32| classes[ends.iter().position(|end| id < *end).expect("ids of the plant")];
        let load = |block: &mut Block<T>, riders: &[Lump]| {
            if block.model.ids.iter().all(|&id| id == PADDING || !is_new(id)) {
                return;
            }
            let bodies = (block.len() - block.leaf_places(), block.len());
            let of_body = |&id: &u32| (id != PADDING && is_new(id)).then(|| values.of(BodyId(id)));
            let values: Vec<Option<BodyValues>> = block.model.ids.iter().map(of_body).collect();
            let ids = &block.model.ids;
            let is_kept = |i: usize| values[i].is_none() && ids[i] != PADDING;
            let old = Old::take(&mut block.model.springs, &mut block.model.limits);
            let masses = std::mem::take(&mut block.model.masses);
            let (sails, leaf) = (std::mem::take(&mut block.model.sails.own), block.model.sails.leaf);
            let sail = |i: usize| match &values[i] {
                None if is_kept(i) => sails.get(i, &masses.get(i), &leaf),
                None => Sail::none(),
                Some(values) => Sail::new(plant, BodyId(ids[i]), &air, values.mass_scale),
            };
            let own = OwnSails::of(bodies, sail);
            let mass = |i: usize| {
                let Some(values) = &values[i] else {
                    return if is_kept(i) { masses.get(i) } else { Lumped::one() };
                };
                let mut lump = riders.get(i).copied().unwrap_or(Lump::ZERO);
                let own = RiderFrame { position: Vec3::<T>::zero(), orientation: crate::math::Quat::identity() };
                lump.add(&plant.mass_properties(BodyId(ids[i])), values.mass_scale, &own);
                mass(&lump)
            };
            let masses = Masses::of(bodies, mass);
            let spring = |i: usize| match &values[i] {
                None if is_kept(i) => old.spring(i),
                None => Spring::soft(),
                Some(values) => spring(values),
            };
            let springs: Vec<Spring<T>> = (0..values.len()).map(spring).collect();
            block.model.sails.own = own;
            block.model.sails.leaf = LeafAir::of(&air);
            block.model.masses = masses;
            block.set_springs(springs.iter().copied());
            debug_assert_eq!(
                block.model.masses.wood().len(),
                block.plan.batches.partition_point(|row| row.way != Way::Leaves)
            );
        };
        let (mut riders, blocks) = (riders, blocks.change_model());
        load(top, &riders.pop().unwrap_or_default());
        if riders.is_empty() {
            blocks.par_iter_mut().for_each(|block| load(block, &[]));
        } else {
            blocks.par_iter_mut().zip(&riders).for_each(|(block, riders)| load(block, riders));
        }
        for (block, rider_drags) in blocks.iter_mut().chain(std::iter::once(top)).zip(rider_drags_of) {
            block.model.sails.rider_drags = rider_drags;
        }
        self.classify_rows();
        self.forget_pushes();
    }

    /// Mass of the riders of each simulated body, block by block, the top last; empty if all bodies are
    /// simulated.
    fn riders(&self, values: &Values<'_>) -> Vec<Vec<Lump>> {
        if self.rider_frames.is_empty() {
            return Vec::new();
        }
        let mut lumps: Vec<Vec<Lump>> =
            self.blocks.iter().map(|b| b.model.ids.iter().map(|_| Lump::ZERO).collect()).collect();
        lumps.push(self.top.model.ids.iter().map(|_| Lump::ZERO).collect());
        let last = lumps.len() - 1;
        for id in self.plant.body_ids() {
            let place = self.places[id.0 as usize];
            if place.block == ON_BASE || self.is_simulated(id) {
                continue;
            }
            let block = if place.block == TOP { last } else { place.block as usize };
            let scale = values.mass_scale(id);
            lumps[block][place.index as usize].add(
                &self.plant.mass_properties(id),
                scale,
                &self.rider_frames[id.0 as usize],
            );
        }
        lumps
    }

    /// Drag of the riders of each simulated body, block by block, the top last.
    fn rider_drags_of(&self, values: &Values<'_>) -> Vec<Vec<(u32, RiderDrag<T>)>> {
        if self.rider_frames.is_empty() {
            return vec![Vec::new(); self.blocks.len() + 1];
        }
        let blocks = self.blocks.iter().chain(std::iter::once(&self.top));
        let mut sums: Vec<Vec<RiderDragSum<T>>> = blocks.map(|b| vec![RiderDragSum::none(); b.len()]).collect();
        let mut rider_drags: Vec<Vec<bool>> = sums.iter().map(|block| vec![false; block.len()]).collect();
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
            let RiderFrame { position, orientation } = self.rider_frames[i];
            sums[block][place.index as usize].add((&sail, &leaf), mass, position, orientation);
            rider_drags[block][place.index as usize] = true;
        }
        let chosen = |(sums, rider_drags): (Vec<RiderDragSum<T>>, Vec<bool>)| {
            let with_riders = sums.iter().enumerate().zip(rider_drags).filter(|(_, rider_drags)| *rider_drags);
            with_riders.map(|((i, sum), _)| (i as u32, sum.sum())).collect()
        };
        sums.into_iter().zip(rider_drags).map(chosen).collect()
    }
}

fn mass<T: Real>(lump: &Lump) -> Lumped<T> {
    Lumped { mass: T::of(lump.mass), moment: Vec3::of(lump.moment), inertia: Mat3::of(lump.inertia).symmetric_part() }
}

/// Longest damping time, s: f32 can represent its products, and at this damping no joint moves.
const LONGEST: f64 = 1e12;

fn spring<T: Real>(values: &BodyValues) -> Spring<T> {
    Spring {
        stiffness: Vec3::of(values.stiffness),
        beta: T::of(values.damping_time.min(LONGEST)),
        bend_limit: T::of(values.bend_limit),
        twist_limit: T::of(values.twist_limit),
    }
}

/// The springs of a block before new values are loaded.
struct Old<T> {
    springs: Rows<Elastic<Row<T>>>,
    limits: Rows<Limit<Row<T>>>,
}

impl<T: Real> Old<T> {
    fn take(springs: &mut Rows<Elastic<Row<T>>>, limits: &mut Rows<Limit<Row<T>>>) -> Self {
        Self { springs: std::mem::take(springs), limits: std::mem::take(limits) }
    }

    fn spring(&self, i: usize) -> Spring<T> {
        Spring::new(self.springs.get(i), self.limits.lane_or(i, Limit::none()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windfall_core::BodyId;
    use windfall_solver::Params;
    use windfall_solver::params::{ParamField, ParamValue};

    use crate::block::PADDING;
    use crate::{Method, World};

    /// Parameters that are changed one after the other, each with recomputation of the affected values
    /// only, give the same model as all at once.
    #[test]
    fn what_is_changed_in_part_is_as_if_made_anew() {
        let species = windfall_grow::Species::named("apple").expect("a species");
        let options = windfall_grow::GrowOptions { bodies: Some(2500), seed: 4 };
        let plant = Arc::new(windfall_grow::grow(&species, &options).expect("it grows"));
        let make = |params: &Params| World::<f32>::new(plant.clone(), params.clone(), Method::Implicit).expect("fine");
        let mut params = Params::default();
        let mut world = make(&params);
        for (name, number) in [
            ("leaves.stiffness", 2.0),
            ("fruit.density", 1.5),
            ("branches.damping", 0.5),
            ("air.density", 1.0),
            ("fruit.strength", 0.1),
            ("limits.leaves.bend_degrees", 60.0),
            ("mass_damping", 0.3),
            ("branches.density", 0.9),
            ("leaves.density", 1.2),
            ("fork_stiffening.factor", 3.0),
            ("limits.leaves.bend_degrees", 50.0),
            ("fruit.stiffness", 0.7),
        ] {
            let field: ParamField = name.parse().expect("a parameter");
            let is_limit = matches!(field.get(&params), ParamValue::Limit(_));
            let value = if is_limit { ParamValue::Limit(Some(number)) } else { ParamValue::Number(number) };
            field.set(&mut params, &value);
            world.set_params(params.clone()).expect("fine");
            let fresh = make(&params);
            for (block, other) in world.all_blocks().zip(fresh.all_blocks()) {
                assert_eq!(block.model.ids, other.model.ids);
                for i in (0..block.len()).filter(|&i| block.model.ids[i] != PADDING) {
                    let body = BodyId(block.model.ids[i]);
                    let of = |block: &crate::block::Block<f32>| {
                        let mass = block.model.masses.get(i);
                        let sail = block.model.sails.own.get(i, &mass, &block.model.sails.leaf);
                        format!("{:?} {mass:?} {sail:?}", block.spring(i))
                    };
                    assert_eq!(of(block), of(other), "{name}, body {}", body.0);
                }
            }
        }
    }
}
