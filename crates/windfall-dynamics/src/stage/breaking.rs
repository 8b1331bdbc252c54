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
use crate::world::block::{Block, Link, NOBODY, Wrench};
use crate::world::rows::{LANES, Row};

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
    /// For every block of the world, the top last: what tells at a glance that a row of joints bears its load.
    glances: Vec<Vec<Glance>>,
    /// The layout of the world that they are for.
    layout: Option<u64>,
    excused: HashMap<BodyId, f64>,
}

/// Bounds of eight joints: none uses more of its strength than `|torque| per_torque + N per_pull`, N the force that pulls it off.
#[derive(Debug, Clone, Copy)]
struct Glance {
    per_torque: Row<f32>,
    per_pull: Row<f32>,
}

impl Glance {
    fn new(ids: &[u32], strengths: &[JointStrength]) -> Self {
        let (mut per_torque, mut per_pull) = (Row([0.0; LANES]), Row([0.0; LANES]));
        for (l, &id) in ids.iter().enumerate().filter(|(_, id)| **id != NOBODY) {
            let (torque, pull) = match strengths[id as usize] {
                JointStrength::Wood { bending, twist, tension } => (bending.min(twist), tension),
                JointStrength::Detach { torque, tension } => (torque.min_element(), tension),
            };
            // What bears nothing is looked at in any case: 0 / 0 is above nothing, but not below.
            (per_torque.0[l], per_pull.0[l]) = (torque.recip() as f32, pull.recip() as f32);
        }
        Self { per_torque, per_pull }
    }

    /// Whether all eight bear it for sure.
    fn bears<T: Real>(&self, load: &Wrench<Row<T>>) -> bool {
        let (torque, force) = (&load.torque, &load.force);
        (0..LANES).fold(true, |bears, l| {
            let (x, y, z) = (torque.x.0[l], torque.y.0[l], torque.z.0[l]);
            // No less than the length of the torque.
            let (t, n) = (x.abs() + y.abs() + z.abs(), (-force.y.0[l]).max(T::zero()));
            let used = t * T::of(self.per_torque.0[l].into()) + n * T::of(self.per_pull.0[l].into());
            // Also for what is not a number. f32 rounds by less than this.
            bears & (used <= T::of(0.999))
        })
    }
}

impl Breaking {
    pub fn new<T: Real>(world: &World<T>) -> Self {
        let values = world.params().values(&world.plant);
        Self { strengths: values.iter().map(|v| v.strength).collect(), ..Self::default() }
    }

    /// Takes over new strengths.
    pub fn renew<T: Real>(&mut self, world: &World<T>) {
        self.strengths = Self::new(world).strengths;
        self.layout = None;
    }

    /// Puts the strengths in the order of the world.
    fn follow<T: Real>(&mut self, world: &World<T>) {
        if self.layout == Some(world.layout) {
            return;
        }
        self.layout = Some(world.layout);
        let strengths = &self.strengths;
        let glances = |block: &Block<T>| block.ids.chunks(LANES).map(|ids| Glance::new(ids, strengths)).collect();
        self.glances = world.blocks.par_iter().map(glances).collect();
        self.glances.push(glances(&world.top));
    }

    /// All simulated joints that are overloaded, in the order of ids.
    pub fn overloads<T: Real>(&mut self, world: &World<T>) -> Vec<Overload> {
        self.follow(world);
        let of_block = |(block, glances): (&Block<T>, &Vec<Glance>)| {
            let rows = block.reactions.rows().iter().zip(glances).enumerate();
            let rows = rows.filter(|(_, (loads, glance))| !glance.bears(loads));
            rows.flat_map(|(row, _)| (row * LANES..(row + 1) * LANES).filter_map(|i| self.overload(block, i))).collect()
        };
        let blocks = world.blocks.par_iter().zip(&self.glances);
        let found: Vec<Vec<Overload>> = blocks.map(of_block).collect();
        let mut all: Vec<Overload> = found.concat();
        all.extend(self.glances.last().map_or_else(Vec::new, |glances| of_block((&world.top, glances))));
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
