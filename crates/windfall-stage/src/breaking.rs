//! Overloaded joints: wood breaks, leaves and fruit detach.
//!
//! After every step the load of each joint is compared with its strength
//! ([`windfall_core::JointStrength::used_by`]). Of the wood that is overloaded in one step only the most
//! overloaded joint between the tip and the root breaks: in reality the load grows gradually, and the
//! weakest joint breaks first and relieves the others. The others are excused, at up to their present load,
//! until they have been relieved.

use std::collections::{HashMap, HashSet};

use windfall_core::{BodyRef, Plant};
use windfall_solver::{Overload, Params, Strengths};

/// An excused joint breaks when its load exceeds the excused load by this factor.
const PATIENCE: f64 = 1.1;

/// Strengths of all joints, and the excused joints.
#[derive(Debug, Clone, Default)]
pub(super) struct Breaking {
    strengths: Strengths,
    excused: HashMap<BodyRef, f64>,
}

impl Breaking {
    pub fn new(params: &Params, plant: &Plant) -> Self {
        Self { strengths: Strengths::new(params, plant), excused: HashMap::new() }
    }

    /// Updates the strengths to changed parameters; only those that differ are recomputed.
    pub fn renew(&mut self, before: &Params, params: &Params, plant: &Plant) {
        self.strengths.renew(before, params, plant);
    }

    pub fn strengths(&self) -> &Strengths {
        &self.strengths
    }

    /// Whether no joint is excused.
    pub fn excuses_none(&self) -> bool {
        self.excused.is_empty()
    }

    /// Selects the joints that break from the overloaded wood; the rest are excused.
    pub fn choose(&mut self, plant: &Plant, is_loose: impl Fn(BodyRef) -> bool, wood: &[Overload]) -> Vec<Overload> {
        if wood.is_empty() {
            self.excused.clear();
            return Vec::new();
        }
        let still: HashSet<BodyRef> = wood.iter().map(|overload| overload.body).collect();
        self.excused.retain(|body, _| still.contains(body));
        let excused = &self.excused;
        let mut worst: Vec<Overload> = wood
            .iter()
            .copied()
            .filter(|o| excused.get(&o.body).is_none_or(|&excused| o.used > PATIENCE * excused))
            .collect();
        worst.sort_by(|a, b| b.used.total_cmp(&a.used).then(a.body.cmp(&b.body)));
        let (mut chosen, mut below): (HashSet<BodyRef>, HashSet<BodyRef>) = Default::default();
        let (mut breaks, mut passed_over) = (Vec::new(), Vec::new());
        for overload in worst {
            let body = overload.body;
            // Towards the root of its tree or piece.
            let inward =
                || std::iter::successors(Some(body), |&b| plant.parent_ref(b).filter(|_| !is_loose(b))).skip(1);
            if below.contains(&body) || inward().any(|b| chosen.contains(&b)) {
                passed_over.push(overload);
                continue;
            }
            below.extend(inward());
            chosen.insert(body);
            breaks.push(overload);
        }
        // A joint of strength 0 is not excused: it breaks in a later step.
        passed_over.retain(|overload: &Overload| overload.used.is_finite());
        self.excused.extend(passed_over.into_iter().map(|overload| (overload.body, overload.used)));
        breaks
    }
}
