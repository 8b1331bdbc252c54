//! The rules of parameters, and the error that names the field, the value and the rule.

use std::collections::HashSet;
use std::fmt;

use windfall_core::{Plant, Violations};

use super::{AirParams, ClassParams, Curve, CurveScale, Limit, Params};

/// Largest multiplier, stiffness or time that is not infinite: products of them stay in the range of f64.
const LARGEST_VALUE: f64 = 1e30;
/// Largest multiplier of mass, mass damping, gravity and fictitious forces.
const LARGEST_MULTIPLIER: f64 = 1e6;
/// Largest radius of a curve, m.
const LARGEST_RADIUS: f64 = 1e4;
/// Least distance between the points of a curve, m: wood is never thinner than a micrometre.
const SMALLEST_STEP: f64 = 1e-9;
/// Largest spread of strengths: beyond it most joints have almost no strength.
const LARGEST_SPREAD: f64 = 3.0;
/// Longest reach of fork stiffening, in radii.
const FARTHEST_REACH: f64 = 100.0;

/// Why parameters were refused.
#[derive(Debug, thiserror::Error)]
pub enum ParamsError {
    /// Not TOML, an unknown field, or a value of the wrong type.
    #[error("not parameters in TOML: {0}")]
    Toml(Box<toml::de::Error>),
    /// Values that break rules.
    #[error("{}", .0.text("valid parameters"))]
    Invalid(Violations),
}

impl AirParams {
    /// Checks every number.
    pub fn check(&self) -> Result<(), ParamsError> {
        let mut check = Check::default();
        check.air(self);
        check.result()
    }
}

/// Checks every rule; those about branches only if the plant is known.
pub(super) fn check(params: &Params, plant: Option<&Plant>) -> Result<(), ParamsError> {
    let mut check = Check::default();
    check.all(params);
    if let Some(plant) = plant {
        check.branches_exist(params, plant.branches().len());
    }
    check.result()
}

#[derive(Default)]
struct Check(Violations);

/// Whether infinity is allowed.
#[derive(Clone, Copy, PartialEq)]
enum Infinity {
    Allowed,
    Refused,
}

impl Check {
    fn result(self) -> Result<(), ParamsError> {
        self.0.or_fail(ParamsError::Invalid)
    }

    #[cold]
    fn broken(&mut self, item: impl fmt::Display, value: impl fmt::Display, rule: impl fmt::Display) {
        self.0.note(item, value, rule);
    }

    /// A number from 0 to `largest`.
    fn number(&mut self, item: &str, field: &str, value: f64, largest: f64, infinity: Infinity) {
        let or_infinite = infinity == Infinity::Allowed;
        if !((0.0..=largest).contains(&value) || or_infinite && value == f64::INFINITY) {
            let rule = format!("must be between 0 and {largest:e}{}", if or_infinite { ", or inf" } else { "" });
            self.broken(item, format_args!("{field} = {value}"), rule);
        }
    }

    fn all(&mut self, params: &Params) {
        let gravity = params.gravity;
        if !gravity.is_finite() || gravity.length() > LARGEST_MULTIPLIER {
            let rule = format!("must be finite and at most {LARGEST_MULTIPLIER:e} m/s²");
            self.broken("params", format_args!("gravity = {gravity}"), rule);
        }
        self.number("params", "mass_damping", params.mass_damping, LARGEST_MULTIPLIER, Infinity::Refused);
        for (item, class) in [("branches", &params.branches), ("leaves", &params.leaves), ("fruit", &params.fruit)] {
            self.class(item, class);
        }
        let fork = &params.fork_stiffening;
        self.number("fork_stiffening", "factor", fork.factor, LARGEST_VALUE, Infinity::Allowed);
        self.number("fork_stiffening", "reach", fork.reach, FARTHEST_REACH, Infinity::Refused);
        self.curve("stiffness", &params.stiffness, Infinity::Allowed);
        self.curve("damping", &params.damping, Infinity::Refused);
        let limits = &params.limits;
        for (item, limit) in
            [("limits.branches", &limits.branches), ("limits.leaves", &limits.leaves), ("limits.fruit", &limits.fruit)]
        {
            self.limit(item, limit);
        }
        self.air(&params.air);
        let fictitious = &params.fictitious;
        for (field, value) in [
            ("root", fictitious.root),
            ("linear", fictitious.linear),
            ("angular", fictitious.angular),
            ("coriolis", fictitious.coriolis),
            ("gyroscopic", fictitious.gyroscopic),
        ] {
            self.number("fictitious", field, value, LARGEST_MULTIPLIER, Infinity::Refused);
        }
        let mut branches = HashSet::new();
        for (i, change) in params.overrides.iter().enumerate() {
            let item = format!("overrides[{i}]");
            if !branches.insert(change.branch) {
                let rule = "an earlier override has this branch: give it both curves";
                self.broken(&item, format_args!("branch = {}", change.branch), rule);
            }
            if let Some(curve) = &change.stiffness {
                self.curve(&format!("{item}.stiffness"), curve, Infinity::Allowed);
            }
            if let Some(curve) = &change.damping {
                self.curve(&format!("{item}.damping"), curve, Infinity::Refused);
            }
        }
    }

    fn class(&mut self, item: &str, class: &ClassParams) {
        self.number(item, "density", class.density, LARGEST_MULTIPLIER, Infinity::Refused);
        self.number(item, "stiffness", class.stiffness, LARGEST_VALUE, Infinity::Allowed);
        self.number(item, "damping", class.damping, LARGEST_VALUE, Infinity::Refused);
        self.number(item, "strength", class.strength, LARGEST_VALUE, Infinity::Allowed);
        self.number(item, "strength_spread", class.strength_spread, LARGEST_SPREAD, Infinity::Refused);
        for (i, axis) in class.axes.into_iter().enumerate() {
            self.number(item, &format!("axes[{i}]"), axis, LARGEST_VALUE, Infinity::Allowed);
        }
    }

    fn air(&mut self, air: &AirParams) {
        for (field, value) in [("density", air.density), ("branches", air.branches), ("fruit", air.fruit)] {
            self.number("air", field, value, LARGEST_MULTIPLIER, Infinity::Refused);
        }
        let leaves = &air.leaves;
        for (field, value) in [
            ("drag", leaves.drag),
            ("torque", leaves.torque),
            ("friction", leaves.friction),
            ("spin_drag", leaves.spin_drag),
        ] {
            self.number("air.leaves", field, value, LARGEST_MULTIPLIER, Infinity::Refused);
        }
        let ratio = leaves.friction_ratio;
        if !(ratio > 0.0 && ratio <= LARGEST_MULTIPLIER) {
            let rule = format!("must be above 0 and at most {LARGEST_MULTIPLIER:e}");
            self.broken("air.leaves", format_args!("friction_ratio = {ratio}"), rule);
        }
        let spiral = leaves.spiral_degrees;
        if !(-180.0..=180.0).contains(&spiral) {
            self.broken("air.leaves", format_args!("spiral_degrees = {spiral}"), "must be between -180 and 180");
        }
        let curl = leaves.curl_degrees;
        if !(0.0..=60.0).contains(&curl) {
            self.broken("air.leaves", format_args!("curl_degrees = {curl}"), "must be between 0 and 60");
        }
    }

    fn limit(&mut self, item: &str, limit: &Limit) {
        for (field, degrees) in [("bend_degrees", limit.bend_degrees), ("twist_degrees", limit.twist_degrees)] {
            if let Some(degrees) = degrees.filter(|degrees| !(0.0..=180.0).contains(degrees)) {
                let rule = "must be between 0 and 180; leave it out for no limit";
                self.broken(item, format_args!("{field} = {degrees}"), rule);
            }
        }
    }

    fn curve(&mut self, item: &str, curve: &Curve, infinity: Infinity) {
        let mut before = None;
        for (i, &[radius, value]) in curve.points.iter().enumerate() {
            let item = format!("{item}.points[{i}]");
            self.number(&item, "radius", radius, LARGEST_RADIUS, Infinity::Refused);
            self.number(&item, "value", value, LARGEST_VALUE, infinity);
            if curve.scale == CurveScale::Log {
                for (field, number) in [("radius", radius), ("value", value)] {
                    if number == 0.0 {
                        self.broken(&item, format_args!("{field} = 0"), "must be above 0 on a log scale");
                    }
                }
            }
            if let Some(before) = before
                && radius < before + SMALLEST_STEP
            {
                let rule = format!("must be larger than the radius of the point before, {before}");
                self.broken(&item, format_args!("radius = {radius}"), rule);
            }
            before = Some(radius);
        }
    }

    fn branches_exist(&mut self, params: &Params, count: usize) {
        for (i, change) in params.overrides.iter().enumerate() {
            if change.branch >= count {
                let rule = format!("must be the index of one of the {count} branches");
                self.broken(format_args!("overrides[{i}]"), format_args!("branch = {}", change.branch), rule);
            }
        }
    }
}
