//! A tree at rest in a steady wind.
//!
//! The world itself finds the equilibrium: it takes steps with much damping until nothing that is asked for changes any more. At rest neither damping nor
//! the length of the steps matters, and joint loads are the static ones. With omega the slowest mode, wood gets alpha = omega and beta = 1 / omega: then that mode is
//! critically damped, all faster ones creep, and the error falls as exp(-omega t).
//!
//! Leaves in wind have no rest: eq. (24) lets them flutter, and a fluttering leaf is dragged more than one that lies in the stream. They keep their own damping, no alpha slows them down, and
//! what is given are means over time with their spread. (Held still by damping they hid in the stream: between 15 and 40 m/s the load of an oak did not grow at all, where the free simulation
//! and measured trees show one that grows with about the speed, and branches then snapped over one by one.)

use std::sync::Arc;

use serde::Serialize;
use windfall_core::glam::DVec3;
use windfall_core::solver::LONGEST_STEP;
use windfall_core::{Actions, Body, JointLoad, Solver, Wind};

use super::AssessError;
use super::parts::Parts;
use crate::params::{BodyValues, Curve, CurveKind, Params};
use crate::world::World;

/// A tree at rest in a steady wind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sway {
    /// Wind speed as it was asked for: at the reference height, before the gust factor, m/s.
    pub wind_m_s: f64,
    /// How far the top (the tip of the highest wood that is no twig) is from where it stands without wind, m.
    pub top_displacement_m: f64,
    /// Bending moment at the foot of the trunk, N m.
    pub base_moment_n_m: f64,
    /// How much of its strength the trunk uses where it uses most; above 1 it breaks.
    pub trunk_used: f64,
    /// The same of the branches.
    pub branches_used: f64,
    /// Whether it came to rest; otherwise leaves flutter all the same, and these are means over time.
    pub at_rest: bool,
    /// How far the moment at the foot strays from its mean, N m: root mean square over times of a period / 2 pi of the slowest mode; 0 at rest.
    pub base_moment_spread_n_m: f64,
    /// The same of the use of the trunk.
    pub trunk_used_spread: f64,
    /// The same of the use of the branches.
    pub branches_used_spread: f64,
}

/// A tree at rest, and where it is strained most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    pub sway: Sway,
    /// Segments that use most of their strength: of the trunk, and of the branches.
    pub worst: [usize; 2],
}

/// Changes from one time of 1 / omega to the next that count as rest. Of a change of this size about half is left to come.
const STILL: f64 = 2e-3;
/// Times of 1 / omega: at least, and at most.
const PATIENCE: (usize, usize) = (8, 16);
/// Steps in a time of 1 / omega, at least.
const STEPS: f64 = 4.0;
/// A world in which winds of different speed are tried.
pub(super) struct Tunnel<'a> {
    pub world: World<f64>,
    pub params: &'a Params,
    pub parts: &'a Parts,
    pub values: &'a [BodyValues],
    /// Slowest mode, rad/s.
    pub omega: f64,
    /// Where the top stands without wind.
    pub top: DVec3,
}

/// What is watched: displacement of the top, moment at the foot, use of trunk and branches.
type Watched = [f64; 4];

/// Means over some time: of loads, not of what they use of the strength, because the trembling of leaves has no direction.
struct Mean {
    top: DVec3,
    foot: JointLoad,
    /// Of the trunk, then of the branches.
    loads: Vec<JointLoad>,
}

impl Tunnel<'_> {
    /// Lets the tree come to rest in a wind of `real` m/s; `speed` is what it is called.
    pub fn blow(&mut self, speed: f64, real: f64, wind: Option<Arc<dyn Wind>>) -> Result<Rest, AssessError> {
        self.world.set_params(self.damped(real))?;
        self.world.set_wind(wind);
        let window = STEPS.max((1.0 / (self.omega * LONGEST_STEP)).ceil());
        let dt = (1.0 / (self.omega * window)).max(windfall_core::solver::SHORTEST_STEP);
        let mut means: Vec<Mean> = Vec::new();
        let mut at_rest = false;
        while means.len() < PATIENCE.1 && !at_rest {
            let mut sum = Mean::zero(self.parts);
            for _ in 0..window as usize {
                self.world.step(dt, &Actions::default())?;
                self.see(&mut sum, window.recip());
            }
            let last = means.last().filter(|_| means.len() >= PATIENCE.0);
            at_rest = last.is_some_and(|last| self.is_still(&self.strain(last).0, &self.strain(&sum).0));
            means.push(sum);
        }
        let counted = if at_rest { &means[means.len() - 1..] } else { &means[means.len() / 2..] };
        let mut mean = Mean::zero(self.parts);
        for one in counted {
            mean.add(one, (counted.len() as f64).recip());
        }
        let (of_mean, worst) = self.strain(&mean);
        let mut spread: Watched = [0.0; 4];
        for one in counted.iter().filter(|_| !at_rest) {
            let now = self.strain(one).0;
            (0..4).for_each(|i| spread[i] += (now[i] - of_mean[i]).powi(2) / counted.len() as f64);
        }
        let [top, foot, trunk, branches] = of_mean;
        let sway = Sway {
            wind_m_s: speed,
            top_displacement_m: top,
            base_moment_n_m: foot,
            trunk_used: trunk,
            branches_used: branches,
            at_rest,
            base_moment_spread_n_m: spread[1].sqrt(),
            trunk_used_spread: spread[2].sqrt(),
            branches_used_spread: spread[3].sqrt(),
        };
        Ok(Rest { sway, worst })
    }

    /// The parameters of a tree that creeps to its rest; its leaves are free to flutter in wind.
    fn damped(&self, speed: f64) -> Params {
        let beta = self.omega.recip();
        let mut params = self.params.clone();
        params.damping = Curve { kind: CurveKind::Absolute, points: vec![[1.0, beta]], ..Curve::default() };
        params.branches.damping = 1.0;
        params.overrides.iter_mut().for_each(|change| change.damping = None);
        let plant = self.world.plant();
        let parts = plant.parts();
        let least = |betas: &mut dyn Iterator<Item = f64>| betas.filter(|&b| b > 0.0).fold(f64::INFINITY, f64::min);
        params.fruit.damping = beta / least(&mut parts.fruit_materials.iter().map(|m| m.damping));
        let has_leaves = self.parts.bodies.iter().any(|&id| matches!(plant.body(id), Some(Body::Leaf(_))));
        let flutters = speed > 0.0 && has_leaves;
        if !flutters {
            params.mass_damping = self.omega.min(1e6);
            params.leaves.damping = beta / least(&mut parts.leaf_materials.iter().map(|m| m.damping));
        }
        params
    }

    fn is_still(&self, last: &Watched, now: &Watched) -> bool {
        // Below these nobody cares: a thousandth of the height, a fiftieth of the strength. The moment goes with the use of the trunk.
        let least = [1e-3 * self.parts.height, f64::INFINITY, 0.02, 0.02];
        (0..4).all(|i| (now[i] - last[i]).abs() <= STILL * now[i].abs().max(least[i]))
    }

    /// Adds what there is now.
    fn see(&self, sum: &mut Mean, times: f64) {
        let load = |segment: usize| self.world.joint_load(self.world.plant().segment_id(segment));
        sum.top += (self.parts.top_now(&self.world) - self.top) * times;
        add_load(&mut sum.foot, &self.world.joint_load(self.parts.foot), times);
        for (sum, &segment) in sum.loads.iter_mut().zip(self.parts.joints.iter().flatten()) {
            add_load(sum, &load(segment), times);
        }
    }

    /// What these loads mean, and which segments of trunk and branches use most of their strength.
    fn strain(&self, mean: &Mean) -> (Watched, [usize; 2]) {
        let (mut used, mut worst) = ([0.0; 2], [self.parts.top; 2]);
        let kinds = self.parts.joints.iter().enumerate().flat_map(|(kind, list)| list.iter().map(move |&s| (kind, s)));
        for ((kind, segment), load) in kinds.zip(&mean.loads) {
            let share = self.values[segment].strength.used_by(load);
            if share > used[kind] {
                (used[kind], worst[kind]) = (share, segment);
            }
        }
        let foot = mean.foot.torque;
        ([mean.top.length(), foot.x.hypot(foot.z), used[0], used[1]], worst)
    }
}

impl Mean {
    fn zero(parts: &Parts) -> Self {
        let joints = parts.joints.iter().map(Vec::len).sum();
        Self { top: DVec3::ZERO, foot: JointLoad::default(), loads: vec![JointLoad::default(); joints] }
    }

    fn add(&mut self, other: &Self, times: f64) {
        self.top += other.top * times;
        add_load(&mut self.foot, &other.foot, times);
        self.loads.iter_mut().zip(&other.loads).for_each(|(to, what)| add_load(to, what, times));
    }
}

fn add_load(to: &mut JointLoad, what: &JointLoad, times: f64) {
    to.torque += what.torque * times;
    to.force += what.force * times;
}
