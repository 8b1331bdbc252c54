//! A tree at rest in a steady wind.
//!
//! The world itself finds the equilibrium: it takes steps with strong damping until the observed quantities
//! converge. At rest neither damping nor the length of the steps matters, and joint loads are the static
//! ones. With omega the slowest mode, wood gets alpha = omega and beta = 1 / omega: then that mode is
//! critically damped, all faster ones are overdamped, and the error falls as exp(-omega t).
//!
//! Leaves in wind have no equilibrium: eq. (24) makes them flutter, and a fluttering leaf has more drag
//! than one aligned with the flow. They keep their own damping without alpha, and the results are means
//! over time with their spread. (Held still by damping they aligned with the flow: between 15 and 40 m/s
//! the load of an oak did not grow at all, where the free simulation and measured trees show a growth with
//! about the speed, and branches then broke one by one.)

use std::sync::Arc;

use serde::Serialize;
use windfall_core::Body;
use windfall_core::glam::DVec3;
use windfall_solver::LONGEST_STEP;
use windfall_solver::{JointLoad, Solver, StepInput, Wind};

use super::AssessError;
use super::parts::Parts;
use windfall_solver::params::{BodyValues, Curve, CurveKind, Params};

/// A tree at rest in a steady wind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sway {
    /// Nominal wind speed: at the reference height, before the gust factor, m/s.
    pub wind_m_s: f64,
    /// Displacement of the top (the tip of the highest wood without twigs) from its position without wind, m.
    pub top_displacement_m: f64,
    /// Bending moment at the foot of the trunk, N m.
    pub base_moment_n_m: f64,
    /// Largest load over strength in the trunk; above 1 it breaks.
    pub trunk_used: f64,
    /// Largest load over strength in the branches.
    pub branches_used: f64,
    /// Whether it came to rest; otherwise leaves keep fluttering, and the values are means over time.
    pub at_rest: bool,
    /// Spread of the moment at the foot about its mean, N m: root mean square over times of a period / 2 pi
    /// of the slowest mode; 0 at rest.
    pub base_moment_spread_n_m: f64,
    /// Spread of the trunk's load over strength.
    pub trunk_used_spread: f64,
    /// Spread of the branches' load over strength.
    pub branches_used_spread: f64,
}

/// A tree at rest, and its most loaded segments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    pub sway: Sway,
    /// Segments with the largest load over strength: of the trunk, and of the branches.
    pub worst: [usize; 2],
}

/// Changes from one time of 1 / omega to the next that count as rest. After a change of this size about
/// half of it remains.
const STILL: f64 = 2e-3;
/// Least and most times of 1 / omega.
const PATIENCE: (usize, usize) = (8, 16);
/// Least number of steps in a time of 1 / omega.
const STEPS: f64 = 4.0;
/// A solver for tests in winds of different speed.
pub(super) struct Tunnel<'a> {
    pub solver: Box<dyn Solver>,
    pub params: &'a Params,
    pub parts: &'a Parts,
    pub values: &'a [BodyValues],
    /// Slowest mode, rad/s.
    pub omega: f64,
    /// Position of the top without wind.
    pub top: DVec3,
}

/// Observed quantities: displacement of the top, moment at the foot, load over strength of trunk and
/// branches.
type Watched = [f64; 4];

/// Means over some time: of loads, not of loads over strength, because the fluttering of leaves has no
/// direction.
struct Mean {
    top: DVec3,
    foot: JointLoad,
    /// Loads of the trunk, then of the branches.
    loads: Vec<JointLoad>,
}

impl Tunnel<'_> {
    /// Simulates the tree to rest in a wind of `real` m/s; `speed` is its nominal speed. Without wind it must
    /// come to rest.
    pub fn blow(&mut self, speed: f64, real: f64, wind: Option<&Arc<dyn Wind>>) -> Result<Rest, AssessError> {
        self.solver.set_params(&self.damped(real))?;
        let window = STEPS.max((1.0 / (self.omega * LONGEST_STEP)).ceil());
        let dt = (1.0 / (self.omega * window)).max(windfall_solver::SHORTEST_STEP);
        let mut means: Vec<Mean> = Vec::new();
        let mut at_rest = false;
        while means.len() < PATIENCE.1 && !at_rest {
            let mut sum = Mean::zero(self.parts);
            for _ in 0..window as usize {
                let input = StepInput::new().gravity(self.params.gravity).wind(wind);
                self.solver.step(dt, &mut { input })?;
                self.see(&mut sum, window.recip());
            }
            let last = means.last().filter(|_| means.len() >= PATIENCE.0);
            at_rest = last.is_some_and(|last| self.is_still(&self.strain(last).0, &self.strain(&sum).0));
            means.push(sum);
        }
        if real == 0.0 && !at_rest {
            // Overdamped and without wind a tree settles, unless the steps are too long for the solver.
            return Err(AssessError::Restless { solver: self.solver.name(), step_ms: dt * 1e3 });
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

    /// The parameters of an overdamped tree; its leaves are free to flutter in wind.
    fn damped(&self, speed: f64) -> Params {
        let beta = self.omega.recip();
        let mut params = self.params.clone();
        params.damping = Curve { kind: CurveKind::Absolute, points: vec![[1.0, beta]], ..Curve::default() };
        params.branches.damping = 1.0;
        params.overrides.iter_mut().for_each(|change| change.damping = None);
        let plant = self.solver.plant();
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
        // Smaller changes are irrelevant: a thousandth of the height, a fiftieth of the strength. The
        // moment changes with the load of the trunk.
        let least = [1e-3 * self.parts.height, f64::INFINITY, 0.02, 0.02];
        (0..4).all(|i| (now[i] - last[i]).abs() <= STILL * now[i].abs().max(least[i]))
    }

    /// Adds the present values.
    fn see(&self, sum: &mut Mean, times: f64) {
        let loads = self.solver.loads().expect("was looked at before");
        let load = |segment: usize| loads.joint_load(self.solver.plant().segment_id(segment).into());
        sum.top += (self.parts.top_now(&*self.solver) - self.top) * times;
        add_load(&mut sum.foot, &loads.joint_load(self.parts.foot.into()), times);
        for (sum, &segment) in sum.loads.iter_mut().zip(self.parts.joints.iter().flatten()) {
            add_load(sum, &load(segment), times);
        }
    }

    /// The observed quantities of these loads, and the segments of trunk and branches with the largest load
    /// over strength.
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
