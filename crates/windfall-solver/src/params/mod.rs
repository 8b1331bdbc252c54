//! All parameters that can be tuned while a simulation runs (quigley2017, section 9): gravity, curves of
//! stiffness and damping over the radius of the wood, overrides of whole subtrees, multipliers for
//! branches, leaves and fruit, joint limits, drag.
//!
//! The physical values of the wood come from [`Plant::joint_properties`]; default parameters leave them
//! unchanged. With K the stiffness of a joint about one of its axes, beta its damping time and r the radius
//! of the wood at the joint:
//!
//! ```text
//! K    = physical K * stiffness curve(r) * multiplier of its kind * multiplier of the axis * fork stiffening
//! K    = absolute stiffness curve(r) * ...                           the same without the physical K
//! beta = physical beta * damping curve(r) * multiplier of its kind   (or the absolute curve for the two)
//! C    = beta * K                                                    damping of the joint, N m s/rad
//! ```
//!
//! Curves and fork stiffening are for wood; leaves and fruit have their multipliers. Parameters are edited
//! between steps: [`Params::check`] them once, then [`Params::values`] computes those of every body.

mod air;
mod check;
mod curve;
mod difference;
mod field;
mod fork;
mod values;

use serde::{Deserialize, Serialize};
use windfall_core::glam::DVec3;
use windfall_core::{Body, BodyClass, BodyId, Plant};

pub use air::{AirParams, LeafAirParams};
pub use check::ParamsError;
pub use curve::{Curve, CurveKind, CurveScale, Spline};
pub use difference::Difference;
pub use field::{NoSuchParam, ParamField, ParamValue};
pub use values::Values;
pub use values::{BodyValues, LIGHTEST_MASS_SCALE};

/// All parameters that can be tuned while a simulation runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Acceleration of free fall, m/s²; (0, -9.81, 0) by default.
    pub gravity: DVec3,
    /// Mass-proportional Rayleigh damping alpha, 1/s; 0 by default, because the physical source of it is
    /// air, not wood.
    pub mass_damping: f64,
    /// The plant was modelled under gravity and keeps its shape: gravity bends it no further. False by
    /// default.
    pub keep_shape: bool,
    /// Another seed gives other random strengths; 0 by default.
    pub seed: i64,
    /// Multipliers for wood.
    pub branches: ClassParams,
    /// Multipliers for leaves, needles, petals, blossoms and leaflets.
    pub leaves: ClassParams,
    /// Multipliers for fruit.
    pub fruit: ClassParams,
    /// Stiffer wood near forks.
    pub fork_stiffening: ForkStiffening,
    /// Stiffness of wood over the radius at the joint; 0 makes a joint free, infinity makes it rigid.
    pub stiffness: Curve,
    /// Damping of wood over the radius at the joint; `absolute` values are beta in seconds.
    pub damping: Curve,
    /// Limits of joint angles.
    pub limits: Limits,
    /// Aerodynamic parameters.
    pub air: AirParams,
    /// Multipliers of the fictitious forces, for the analytic solver.
    pub fictitious: Fictitious,
    /// Other curves for branches with their subtrees.
    pub overrides: Vec<Override>,
}

/// Multipliers of one kind of body. All are 1 by default, apart from the spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClassParams {
    /// Mass and inertia. 0 is taken as [`LIGHTEST_MASS_SCALE`]: the motion of a body without mass is not
    /// defined.
    pub density: f64,
    /// Stiffness about all axes: 0 is free, infinity is rigid, and 0 times infinity is free.
    pub stiffness: f64,
    /// Damping time beta.
    pub damping: f64,
    /// Torque at which a joint breaks or detaches: 0 detaches at once, infinity never.
    pub strength: f64,
    /// Standard deviation of the strength over its mean, 0 by default: every leaf and fruit has its own
    /// strength, and wood one for each branch (so that a branch in many segments is no weaker than one in
    /// few). Log-normal; the same for the same [`Params::seed`].
    pub strength_spread: f64,
    /// Stiffness about x, y and z of the body: bend, twist, bend of wood and fruit; flap, twist, sway of
    /// leaves.
    pub axes: [f64; 3],
}

/// Wood near forks is stiffer than its radius suggests: branches widen into their collars, and fibres of
/// both run through them.
///
/// The stiffness of a joint at the distance d from a fork, along its branch, is multiplied by
/// `1 + (factor - 1) (1 - t)² (1 + 2 t)`, where t = d / (reach r) < 1 and r is the radius of the lateral at
/// its base. This holds for the joints of the lateral (its first one has d = 0) and for those of its
/// parent on either side, up to 32 segments away. Where several forks are near, the one that stiffens most
/// counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ForkStiffening {
    /// Multiplier of the stiffness at the fork itself; 1 (the default) is off.
    pub factor: f64,
    /// Range, in radii of the lateral at its base.
    pub reach: f64,
}

/// Other curves for a branch and its whole subtree.
///
/// Where overrides are nested the innermost that has a curve wins; a curve that is not given is that of the
/// surroundings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// Index of the branch in [`Plant::branches`].
    pub branch: usize,
    /// Replaces [`Params::stiffness`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<Curve>,
    /// Replaces [`Params::damping`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<Curve>,
}

/// Limits of joint angles from the rest pose.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Limit of wood.
    pub branches: Limit,
    /// Limit of leaves.
    pub leaves: Limit,
    /// Limit of fruit.
    pub fruit: Limit,
}

/// Limit of a joint angle from the rest pose, degrees; none is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limit {
    /// Angle between the axis of the body and its direction at rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend_degrees: Option<f64>,
    /// Angle about the axis of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twist_degrees: Option<f64>,
}

/// Multipliers of the fictitious forces on a joint (quigley2017, eq. 20), for the analytic solver:
///
/// ```text
/// tau = - m p x a_j  -  I alpha_p  -  I (omega_p x omega_c)  -  omega_c x I omega_c
///         linear        angular       coriolis                  gyroscopic
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fictitious {
    /// Share of `a_j` and `alpha_p` from the motion of the tree's foot; 1 by default.
    pub root: f64,
    /// Share of `a_j` from the motion of the joints below; 0 by default, because it feeds energy into long
    /// chains.
    pub linear: f64,
    /// Share of `alpha_p` from the motion of the joints below; 0 by default.
    pub angular: f64,
    /// 0 by default.
    pub coriolis: f64,
    /// 0 by default.
    pub gyroscopic: f64,
}

impl Limits {
    /// Of a class of bodies.
    pub fn class(&self, class: BodyClass) -> &Limit {
        match class {
            BodyClass::Wood => &self.branches,
            BodyClass::Leaf => &self.leaves,
            BodyClass::Fruit => &self.fruit,
        }
    }
}

impl Fictitious {
    /// Whether any term couples the motion of joints.
    pub fn drives(&self) -> bool {
        [self.linear, self.angular, self.coriolis, self.gyroscopic].into_iter().any(|multiplier| multiplier != 0.0)
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            mass_damping: 0.0,
            keep_shape: false,
            seed: 0,
            branches: ClassParams::default(),
            leaves: ClassParams::default(),
            fruit: ClassParams::default(),
            fork_stiffening: ForkStiffening::default(),
            stiffness: Curve::default(),
            damping: Curve::default(),
            limits: Limits::default(),
            air: AirParams::default(),
            fictitious: Fictitious::default(),
            overrides: Vec::new(),
        }
    }
}

impl Default for ClassParams {
    fn default() -> Self {
        Self { density: 1.0, stiffness: 1.0, damping: 1.0, strength: 1.0, strength_spread: 0.0, axes: [1.0; 3] }
    }
}

impl Default for ForkStiffening {
    fn default() -> Self {
        Self { factor: 1.0, reach: 4.0 }
    }
}

impl Default for Fictitious {
    fn default() -> Self {
        Self { root: 1.0, linear: 0.0, angular: 0.0, coriolis: 0.0, gyroscopic: 0.0 }
    }
}

impl Params {
    /// Reads and checks parameters. Missing fields have their defaults; unknown fields are refused.
    pub fn from_toml(text: &str) -> Result<Self, ParamsError> {
        let params: Self = toml::from_str(text).map_err(|error| ParamsError::Toml(Box::new(error)))?;
        check::check(&params, None)?;
        Ok(params)
    }

    /// All parameters as TOML.
    ///
    /// # Panics
    /// If an override names a branch beyond the integers of TOML (2⁶³).
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("parameters are numbers, words and lists, which TOML can hold")
    }

    /// Checks every number, and that the branches of the overrides exist.
    pub fn check(&self, plant: &Plant) -> Result<(), ParamsError> {
        check::check(self, Some(plant))
    }

    /// Multipliers of a class of bodies.
    pub fn class(&self, class: BodyClass) -> &ClassParams {
        match class {
            BodyClass::Wood => &self.branches,
            BodyClass::Leaf => &self.leaves,
            BodyClass::Fruit => &self.fruit,
        }
    }

    /// Multiplier of the mass of a body.
    pub fn mass_scale(&self, plant: &Plant, body: BodyId) -> f64 {
        let class = match plant.body(body) {
            Some(Body::Leaf(_)) => BodyClass::Leaf,
            Some(Body::Fruit(_)) => BodyClass::Fruit,
            _ => BodyClass::Wood,
        };
        self.class(class).density.max(LIGHTEST_MASS_SCALE)
    }

    /// Values of every body, in the order of their ids. The parameters must have passed [`Params::check`]
    /// for this plant.
    pub fn values(&self, plant: &Plant) -> Vec<BodyValues> {
        let mut values = Vec::new();
        self.write_values(plant, &mut values);
        values
    }

    /// [`Params::values`] into a reused list, which is two to three times as fast: the list takes 120 bytes
    /// a body.
    pub fn write_values(&self, plant: &Plant, values: &mut Vec<BodyValues>) {
        Values::new(self, plant).each(values, |of| of);
    }
}
