//! Loads at which joints break.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use windfall_core::{BodyId, BodyRef, JointStrength, Plant};

use crate::params::{Difference, Params, Values};

/// The strengths of all joints of a plant, the same for every instance.
#[derive(Debug, Clone, Default)]
pub struct Strengths {
    list: Vec<JointStrength>,
    version: u64,
}

impl Strengths {
    /// The strengths of a plant's joints with these parameters.
    pub fn new(params: &Params, plant: &Plant) -> Self {
        let mut list = Vec::new();
        Values::new(params, plant).each(&mut list, |of| of.strength);
        Self { list, version: next_version() }
    }

    /// Updates them to changed parameters. Only classes whose strengths differ are recomputed.
    pub fn renew(&mut self, before: &Params, params: &Params, plant: &Plant) {
        let differs = Difference::between(before, params).strengths;
        if !differs.contains(&true) {
            return;
        }
        let values = Values::new(params, plant);
        for ((_, range), _) in plant.classes().into_iter().zip(differs).filter(|(_, differs)| *differs) {
            let ids = (range.start..range.end).into_par_iter().with_min_len(1024);
            let strength = |i: usize| values.of(BodyId(i as u32)).strength;
            self.list[range].par_iter_mut().zip(ids).for_each(|(own, i)| *own = strength(i));
        }
        self.version = next_version();
    }

    /// Strengths of all bodies, in the order of ids.
    pub fn list(&self) -> &[JointStrength] {
        &self.list
    }

    /// A number unique to these strengths: a cache derived from them is valid while it is unchanged.
    pub fn version(&self) -> u64 {
        self.version
    }
}

fn next_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A joint that is loaded beyond its strength.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overload {
    /// The body on the outer side of the joint.
    pub body: BodyRef,
    /// Load over strength: above 1.
    pub used: f64,
}
