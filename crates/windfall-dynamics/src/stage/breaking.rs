//! Joints that give way: wood breaks, leaves and fruit let go.
//!
//! After every step the load of each joint is held against its strength ([`windfall_core::JointStrength::used_by`]). Of wood that is overloaded in one
//! step only the place that is overloaded most breaks, between the tip and the root: in truth the load grows gradually, the weakest place goes first and
//! relieves the others. These are excused, at up to the load that they bore then, until they have been relieved.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use windfall_core::{BodyId, JointLoad, JointStrength, Plant};

use crate::World;
use crate::math::Real;
use crate::world::block::{Block, Link};

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
    excused: HashMap<BodyId, f64>,
}

impl Breaking {
    pub fn new<T: Real>(world: &World<T>) -> Self {
        let values = world.params().values(&world.plant);
        Self { strengths: values.iter().map(|v| v.strength).collect(), excused: HashMap::new() }
    }

    /// Takes over new strengths.
    pub fn renew<T: Real>(&mut self, world: &World<T>) {
        self.strengths = Self::new(world).strengths;
    }

    /// All simulated joints that are overloaded, in the order of ids.
    pub fn overloads<T: Real>(&self, world: &World<T>) -> Vec<Overload> {
        let of_block = |block: &Block<T>| -> Vec<Overload> {
            let mut found = Vec::new();
            for (i, &id) in block.ids.iter().enumerate() {
                if matches!(block.links[i], Link::Free(_) | Link::Gone) {
                    continue;
                }
                let reaction = block.reactions.get(i);
                let load = JointLoad { torque: reaction.torque.f64(), force: reaction.force.f64() };
                let used = self.strengths[id as usize].used_by(&load);
                if used > 1.0 {
                    found.push(Overload { body: BodyId(id), used });
                }
            }
            found
        };
        let mut all: Vec<Overload> = world.blocks.par_iter().flat_map_iter(of_block).collect();
        all.extend(of_block(&world.top));
        all.sort_unstable_by_key(|overload| overload.body);
        all
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
