//! From parameters to the values of every body.

use rayon::prelude::*;
use windfall_core::glam::DVec3;
use windfall_core::random::mix;
use windfall_core::{Body, BodyId, JointProperties, JointStrength, Plant};

use super::curve::{Curve, Spline};
use super::{ClassParams, Limit, Params, fork};

/// The least multiplier of mass: the motion of a body without mass is not defined.
pub const LIGHTEST_MASS_SCALE: f64 = 1e-6;

/// Least number of bodies for one task.
const BODIES_PER_TASK: usize = 4096;

/// Parameters of one body and its joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyValues {
    /// Multiplier of mass and inertia, at least [`LIGHTEST_MASS_SCALE`].
    pub mass_scale: f64,
    /// Stiffness of its joint about its own x, y and z, N m/rad; 0 is free, infinity is rigid.
    pub stiffness: DVec3,
    /// Damping of its joint about the same axes, beta times stiffness, N m s/rad. Infinite where the
    /// stiffness is, unless beta is 0.
    pub damping: DVec3,
    /// beta, s.
    pub damping_time: f64,
    /// Limit of bending, rad; infinity is no limit.
    pub bend_limit: f64,
    /// Limit of twist, rad; infinity is no limit.
    pub twist_limit: f64,
    /// The moment at which its joint breaks; infinity is never.
    pub strength: JointStrength,
}

/// A product in which 0 wins over infinity: a free joint is free, however rigid the wood.
fn times(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// The multipliers and limits of one kind of body.
struct Class<'a> {
    params: &'a ClassParams,
    mass_scale: f64,
    bend_limit: f64,
    twist_limit: f64,
    seed: i64,
}

impl<'a> Class<'a> {
    fn new(params: &'a ClassParams, limit: &Limit, seed: i64) -> Self {
        let radians = |degrees: Option<f64>| degrees.map_or(f64::INFINITY, f64::to_radians);
        Self {
            params,
            mass_scale: params.density.max(LIGHTEST_MASS_SCALE),
            bend_limit: radians(limit.bend_degrees),
            twist_limit: radians(limit.twist_degrees),
            seed,
        }
    }

    /// A log-normal number with the mean 1, by Box and Muller.
    fn spread(&self, own: u64) -> f64 {
        let spread = self.params.strength_spread;
        if spread == 0.0 {
            return 1.0;
        }
        let bits = mix(mix(self.seed as u64).wrapping_add(own));
        let [a, b] = [bits >> 32, bits & 0xffff_ffff].map(|half| (half as f64 + 0.5) / 4_294_967_296.0);
        let normal = (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos();
        let variance = (spread * spread).ln_1p();
        (variance.sqrt() * normal - 0.5 * variance).exp()
    }

    /// `stiffness` and `beta` are those before the multipliers of this kind; the strength is that of the
    /// physical joint. `own` identifies the part that has a strength of its own.
    fn values(&self, stiffness: DVec3, beta: f64, joint: &JointProperties, own: u64) -> BodyValues {
        let ClassParams { stiffness: all, damping, strength, axes, .. } = *self.params;
        // An axis with a limit of 0 is rigid.
        let still = [self.bend_limit == 0.0, self.twist_limit == 0.0, self.bend_limit == 0.0];
        let tuned = |i: usize| if still[i] { f64::INFINITY } else { times(times(axes[i], all), stiffness[i]) };
        let stiffness = DVec3::from_array([0, 1, 2].map(tuned));
        let limit = |angle: f64| if angle == 0.0 { f64::INFINITY } else { angle };
        let beta = times(beta, damping);
        BodyValues {
            mass_scale: self.mass_scale,
            stiffness,
            damping: stiffness.map(|k| times(beta, k)),
            damping_time: beta,
            bend_limit: limit(self.bend_limit),
            twist_limit: limit(self.twist_limit),
            strength: joint.strength.scaled(times(strength, self.spread(own))),
        }
    }
}

/// The curves of each branch.
struct Curves {
    /// That of the parameters, then those of the overrides; each with whether it is absolute.
    splines: Vec<(Spline, bool)>,
    /// Index of the curve of each branch.
    of_branch: Vec<u32>,
}

impl Curves {
    /// `pick` selects the curve of an override.
    fn new(all: &Curve, params: &Params, plant: &Plant, pick: impl Fn(&super::Override) -> Option<&Curve>) -> Self {
        let ready = |curve: &Curve| (curve.spline(), curve.is_absolute());
        let mut splines = vec![ready(all)];
        let mut of_branch = vec![0; plant.branches().len()];
        for change in &params.overrides {
            if let (Some(curve), Some(of)) = (pick(change), of_branch.get_mut(change.branch)) {
                *of = splines.len() as u32;
                splines.push(ready(curve));
            }
        }
        // A parent comes before its children.
        if splines.len() > 1 {
            for (i, branch) in plant.branches().iter().enumerate() {
                if let (0, Some(parent)) = (of_branch[i], branch.parent) {
                    of_branch[i] = of_branch[plant.branch_index(BodyId(parent))];
                }
            }
        }
        Self { splines, of_branch }
    }

    /// The value for wood of this branch and radius: replaces or multiplies the `physical` one.
    fn apply(&self, branch: usize, radius: f64, physical: f64) -> f64 {
        let (spline, absolute) = &self.splines[self.of_branch[branch] as usize];
        let value = spline.at(radius);
        if *absolute { value } else { times(value, physical) }
    }

    /// Stiffness about three axes: an absolute value is that of bending, and twist keeps its ratio to it.
    fn apply_to_axes(&self, branch: usize, radius: f64, physical: DVec3) -> DVec3 {
        let (spline, absolute) = &self.splines[self.of_branch[branch] as usize];
        let value = spline.at(radius);
        let base = if *absolute { physical / physical.x } else { physical };
        base.map(|k| times(value, k))
    }
}

/// Parameters of bodies, computed on demand: a list of them takes more memory than much of a world.
pub struct Values<'a> {
    plant: &'a Plant,
    stiffness: Curves,
    damping: Curves,
    /// Nearness of segments to forks, and the multiplier of stiffness at a fork; none where that is 1.
    forks: Option<(Vec<f64>, f64)>,
    branches: Class<'a>,
    leaves: Class<'a>,
    fruit: Class<'a>,
}

impl<'a> Values<'a> {
    /// The parameters must have passed [`Params::check`] for this plant.
    pub fn new(params: &'a Params, plant: &'a Plant) -> Self {
        let stiffening = params.fork_stiffening;
        let is_stiffened = stiffening.factor != 1.0;
        Self {
            plant,
            stiffness: Curves::new(&params.stiffness, params, plant, |change| change.stiffness.as_ref()),
            damping: Curves::new(&params.damping, params, plant, |change| change.damping.as_ref()),
            forks: is_stiffened.then(|| (fork::nearness(plant, stiffening.reach), stiffening.factor)),
            branches: Class::new(&params.branches, &params.limits.branches, params.seed),
            leaves: Class::new(&params.leaves, &params.limits.leaves, params.seed),
            fruit: Class::new(&params.fruit, &params.limits.fruit, params.seed),
        }
    }

    /// Values of one body.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn of(&self, id: BodyId) -> BodyValues {
        let Self { plant, stiffness, damping, branches, leaves, fruit, .. } = self;
        let (joint, own) = (plant.joint_properties(id), u64::from(id.0));
        match plant.body(id).expect("ids go from 0 to the number of bodies") {
            Body::Wood(segment) => {
                let (branch, radius) = (plant.branch_index(id), f64::from(segment.base_radius));
                let stiffness = stiffness.apply_to_axes(branch, radius, joint.stiffness);
                let stiffness = stiffness.map(|k| times(k, self.fork(id)));
                let beta = damping.apply(branch, radius, plant.wood_material(id.0 as usize).damping);
                branches.values(stiffness, beta, &joint, branch as u64)
            }
            Body::Leaf(leaf) => leaves.values(joint.stiffness, plant.leaf_material(leaf).damping, &joint, own),
            Body::Fruit(one) => fruit.values(joint.stiffness, plant.fruit_material(one).damping, &joint, own),
        }
    }

    /// Multiplier of the mass of one body.
    ///
    /// # Panics
    /// If the plant has no such body.
    pub fn mass_scale(&self, id: BodyId) -> f64 {
        let class = match self.plant.body(id).expect("ids go from 0 to the number of bodies") {
            Body::Wood(_) => &self.branches,
            Body::Leaf(_) => &self.leaves,
            Body::Fruit(_) => &self.fruit,
        };
        class.mass_scale
    }

    fn fork(&self, segment: BodyId) -> f64 {
        let Some((nearness, factor)) = &self.forks else { return 1.0 };
        match nearness[segment.0 as usize] {
            0.0 => 1.0,
            near => 1.0 + (factor - 1.0) * near,
        }
    }

    /// Fills a list with a property of each body, in the order of ids.
    pub fn each<A: Send>(&self, list: &mut Vec<A>, pick: impl Fn(BodyValues) -> A + Sync) {
        let of_body = |i: usize| pick(self.of(BodyId(i as u32)));
        (0..self.plant.body_count()).into_par_iter().with_min_len(BODIES_PER_TASK).map(of_body).collect_into_vec(list);
    }
}
