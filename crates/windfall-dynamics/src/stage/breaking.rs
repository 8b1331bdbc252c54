//! Joints that give way: wood breaks, leaves and fruit let go.
//!
//! After every step the load of each joint is held against its strength ([`windfall_core::JointStrength::used_by`]). Of wood that is overloaded in one
//! step only the place that is overloaded most breaks, between the tip and the root: in truth the load grows gradually, the weakest place goes first and
//! relieves the others. These are excused, at up to the load that they bore then, until they have been relieved.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use windfall_core::{BodyId, JointLoad, JointStrength, Plant};

use crate::World;
use crate::math::Real;
use crate::params::Values;
use crate::world::block::{Block, Link};
use crate::world::glance::Glance;
use crate::world::rows::LANES;

/// How much more than it was excused for a joint bears, as a factor.
const PATIENCE: f64 = 1.1;

/// An overloaded joint and how much of its strength is used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Overload {
    pub body: BodyId,
    pub used: f64,
}

/// Strengths of all joints, and who is excused.
#[derive(Debug, Clone, Default)]
pub(super) struct Breaking {
    strengths: Vec<JointStrength>,
    /// A number that no other strengths have: worlds remember whose they know ([`Glance`]).
    mark: u64,
    excused: HashMap<BodyId, f64>,
}

fn next_mark() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Breaking {
    pub fn new<T: Real>(world: &World<T>) -> Self {
        let mut strengths = Vec::new();
        Values::new(world.params(), &world.plant).each(&mut strengths, |of| of.strength);
        Self { strengths, mark: next_mark(), ..Self::default() }
    }

    /// Takes over new strengths.
    pub fn renew<T: Real>(&mut self, world: &World<T>) {
        let Self { strengths, mark, .. } = Self::new(world);
        (self.strengths, self.mark) = (strengths, mark);
    }

    /// Lets the world know the strengths, in its order.
    fn tell<T: Real>(&self, world: &mut World<T>) {
        if world.told == Some(self.mark) {
            return;
        }
        world.told = Some(self.mark);
        let strengths = &self.strengths;
        let tell = |block: &mut Block<T>| {
            let glances: Vec<Glance> = block.ids.chunks(LANES).map(|ids| Glance::new(ids, strengths)).collect();
            (block.glances, block.bears) = (glances.into(), false);
        };
        world.blocks.calmly().par_iter_mut().for_each(tell);
        tell(&mut world.top);
    }

    /// All simulated joints that are overloaded, in the order of ids.
    pub fn overloads<T: Real>(&mut self, world: &mut World<T>) -> Vec<Overload> {
        self.tell(world);
        let of_block = |block: &Block<T>| {
            let rows = block.reactions.rows().iter().zip(&*block.glances).enumerate();
            let rows = rows.filter(|(_, (loads, glance))| !glance.bears(loads));
            rows.flat_map(|(row, _)| (row * LANES..(row + 1) * LANES).filter_map(|i| self.overload(block, i))).collect()
        };
        // Threads are woken only if there is something to look at.
        let asked: Vec<&Block<T>> = world.blocks.iter().filter(|block| !block.bears).collect();
        let found: Vec<Vec<Overload>> = asked.into_par_iter().map(of_block).collect();
        let mut all: Vec<Overload> = found.concat();
        all.extend(of_block(&world.top));
        all.sort_unstable_by_key(|overload| overload.body);
        all
    }

    /// A joint, if it is overloaded.
    fn overload<T: Real>(&self, block: &Block<T>, i: usize) -> Option<Overload> {
        if matches!(block.links[i], Link::Free(_) | Link::Gone) {
            return None;
        }
        let (id, reaction) = (block.ids[i], block.reactions.get(i));
        let load = JointLoad { torque: reaction.torque.f64(), force: reaction.force.f64() };
        let used = self.strengths[id as usize].used_by(&load);
        (used > 1.0).then_some(Overload { body: BodyId(id), used })
    }

    /// Of the overloaded wood, what breaks; the rest is excused.
    pub fn choose(&mut self, plant: &Plant, is_loose: impl Fn(BodyId) -> bool, wood: &[Overload]) -> Vec<Overload> {
        if wood.is_empty() {
            self.excused.clear();
            return Vec::new();
        }
        let still: HashSet<BodyId> = wood.iter().map(|overload| overload.body).collect();
        self.excused.retain(|body, _| still.contains(body));
        let excused = &self.excused;
        let mut worst: Vec<Overload> = wood
            .iter()
            .copied()
            .filter(|o| excused.get(&o.body).is_none_or(|&excused| o.used > PATIENCE * excused))
            .collect();
        worst.sort_by(|a, b| b.used.total_cmp(&a.used).then(a.body.cmp(&b.body)));
        let (mut chosen, mut below): (HashSet<BodyId>, HashSet<BodyId>) = Default::default();
        let (mut breaks, mut passed_over) = (Vec::new(), Vec::new());
        for overload in worst {
            let body = overload.body;
            // Towards the root of its tree or piece.
            let inward = || std::iter::successors(Some(body), |&b| plant.parent(b).filter(|_| !is_loose(b))).skip(1);
            if below.contains(&body) || inward().any(|b| chosen.contains(&b)) {
                passed_over.push(overload);
                continue;
            }
            below.extend(inward());
            chosen.insert(body);
            breaks.push(overload);
        }
        // What bears nothing at all is not excused: it breaks in the steps to come.
        passed_over.retain(|overload: &Overload| overload.used.is_finite());
        self.excused.extend(passed_over.into_iter().map(|overload| (overload.body, overload.used)));
        breaks
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windfall_core::{Actions, Solver};

    use super::*;
    use crate::{Method, Params};

    /// What blocks find at a glance while they are swept leaves out nothing, from step to step, whatever the strength.
    #[test]
    fn blocks_that_bear_their_loads_have_no_overloads() {
        let species = windfall_grow::Species::named("maple").expect("a species");
        let options = windfall_grow::GrowOptions { bodies: Some(12_000), seed: 2 };
        let plant = Arc::new(windfall_grow::grow(&species, &options).expect("it grows"));
        let gale = windfall_wind::preset("gale").expect("a wind").build().expect("it builds");
        let gale: Arc<dyn windfall_core::Wind> = Arc::new(gale);
        let (mut bearing, mut overloaded) = (0, 0);
        for method in [Method::Implicit, Method::Analytic] {
            for strength in [0.02, 0.3, 3.0] {
                let mut params = Params::default();
                for class in [&mut params.branches, &mut params.leaves, &mut params.fruit] {
                    class.strength = strength;
                }
                let mut world = World::<f32>::new(Arc::clone(&plant), params, method).expect("fine parameters");
                world.set_wind(Some(Arc::clone(&gale)));
                let mut breaking = Breaking::new(&world);
                for step in 0..12 {
                    world.step(1.0 / 30.0, &Actions::default()).expect("a step");
                    let found = breaking.overloads(&mut world);
                    let used = |body: BodyId| breaking.strengths[body.0 as usize].used_by(&world.joint_load(body));
                    let all = plant.body_ids().filter(|&body| used(body) > 1.0);
                    assert!(all.eq(found.iter().map(|o| o.body)), "{method:?}, {strength}, step {step}");
                    bearing += world.blocks.iter().filter(|block| block.bears).count();
                    overloaded += found.len();
                }
            }
        }
        assert!(bearing > 20 && overloaded > 100, "{bearing} blocks bear, {overloaded} joints do not");
    }
}
