//! Single parameters by name, to be changed while a simulation runs.
//!
//! A [`ParamField`] is one parameter of [`Params`], such as `leaves.stiffness`; a [`ParamValue`] is its
//! value. Both are resolved once, when a scene or a command is read. After that a change cannot fail and
//! costs as much as an assignment.

use std::fmt;
use std::str::FromStr;

use windfall_core::glam::DVec3;

use super::{CurveKind, CurveScale, Override, Params};

/// Value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum ParamValue {
    /// A number, infinite where the parameter allows it.
    Number(f64),
    /// A limit in degrees, or none.
    Limit(Option<f64>),
    /// A vector.
    Vector(DVec3),
    /// Three numbers, one for each axis.
    Axes([f64; 3]),
    /// Yes or no.
    Flag(bool),
    /// A seed.
    Seed(i64),
    /// Meaning of the values of a curve.
    Kind(CurveKind),
    /// Coordinates in which a curve is interpolated.
    Scale(CurveScale),
    /// The points of a curve.
    Points(Vec<[f64; 2]>),
    /// The overrides of branches.
    Overrides(Vec<Override>),
}

impl ParamValue {
    /// Interpolates from this value to another, by a share from 0 to 1. Values that are discrete or not
    /// finite change at once.
    pub fn towards(&self, to: &Self, share: f64) -> Self {
        let number =
            |a: f64, b: f64| if share < 1.0 && a.is_finite() && b.is_finite() { a + (b - a) * share } else { b };
        match (self, to) {
            (Self::Number(a), Self::Number(b)) => Self::Number(number(*a, *b)),
            (Self::Limit(Some(a)), Self::Limit(Some(b))) => Self::Limit(Some(number(*a, *b))),
            (Self::Vector(a), Self::Vector(b)) => {
                Self::Vector(DVec3::new(number(a.x, b.x), number(a.y, b.y), number(a.z, b.z)))
            }
            (Self::Axes(a), Self::Axes(b)) => Self::Axes([0, 1, 2].map(|i| number(a[i], b[i]))),
            (Self::Points(a), Self::Points(b)) if a.len() == b.len() => {
                Self::Points(a.iter().zip(b).map(|(a, b)| [0, 1].map(|i| number(a[i], b[i]))).collect())
            }
            _ => to.clone(),
        }
    }
}

/// A parameter of [`Params`], by its name in files.
#[derive(Clone, Copy)]
pub struct ParamField {
    name: &'static str,
    get: fn(&Params) -> ParamValue,
    set: fn(&mut Params, &ParamValue),
}

impl ParamField {
    /// Name of the parameter.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Reads the parameter.
    pub fn get(&self, params: &Params) -> ParamValue {
        (self.get)(params)
    }

    /// Sets the parameter. A value of another kind changes nothing.
    pub fn set(&self, params: &mut Params, value: &ParamValue) {
        (self.set)(params, value);
    }

    /// All parameters.
    pub fn all() -> &'static [Self] {
        FIELDS
    }
}

impl PartialEq for ParamField {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ParamField {}

impl fmt::Debug for ParamField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// There is no such parameter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no parameter `{0}`; docs/params.toml lists all")]
pub struct NoSuchParam(pub String);

impl FromStr for ParamField {
    type Err = NoSuchParam;

    fn from_str(name: &str) -> Result<Self, NoSuchParam> {
        FIELDS.iter().copied().find(|field| field.name == name).ok_or_else(|| NoSuchParam(name.to_owned()))
    }
}

macro_rules! fields {
    ($($kind:ident: $($($part:ident).+),+;)+) => {
        &[$($(ParamField {
            name: fields!(@name $($part).+),
            get: |params| ParamValue::$kind(params.$($part).+.clone()),
            set: |params, value| {
                if let ParamValue::$kind(value) = value {
                    params.$($part).+.clone_from(value);
                }
            },
        },)+)+]
    };
    (@name $first:ident $(. $rest:ident)*) => { concat!(stringify!($first) $(, ".", stringify!($rest))*) };
}

static FIELDS: &[ParamField] = fields! {
    Vector: gravity;
    Flag: keep_shape;
    Seed: seed;
    Number:
        mass_damping,
        branches.density, branches.stiffness, branches.damping, branches.strength, branches.strength_spread,
        leaves.density, leaves.stiffness, leaves.damping, leaves.strength, leaves.strength_spread,
        fruit.density, fruit.stiffness, fruit.damping, fruit.strength, fruit.strength_spread,
        fork_stiffening.factor, fork_stiffening.reach,
        air.density, air.branches, air.fruit,
        air.leaves.drag, air.leaves.torque, air.leaves.friction, air.leaves.friction_ratio, air.leaves.spiral_degrees,
        air.leaves.spin_drag, air.leaves.curl_degrees,
        fictitious.root, fictitious.linear, fictitious.angular, fictitious.coriolis, fictitious.gyroscopic;
    Axes: branches.axes, leaves.axes, fruit.axes;
    Kind: stiffness.kind, damping.kind;
    Scale: stiffness.scale, damping.scale;
    Points: stiffness.points, damping.points;
    Limit:
        limits.branches.bend_degrees, limits.branches.twist_degrees,
        limits.leaves.bend_degrees, limits.leaves.twist_degrees,
        limits.fruit.bend_degrees, limits.fruit.twist_degrees;
    Overrides: overrides;
};

#[cfg(test)]
/// A value of the same kind that is not this one.
pub(super) fn another(value: &ParamValue) -> ParamValue {
    match value {
        ParamValue::Number(n) => ParamValue::Number(n + 0.25),
        ParamValue::Limit(_) => ParamValue::Limit(Some(30.0)),
        ParamValue::Vector(v) => ParamValue::Vector(*v * 0.5),
        ParamValue::Axes([x, y, z]) => ParamValue::Axes([*x, y * 2.0, z * 3.0]),
        ParamValue::Flag(flag) => ParamValue::Flag(!flag),
        ParamValue::Seed(seed) => ParamValue::Seed(seed + 1),
        ParamValue::Kind(_) => ParamValue::Kind(CurveKind::Absolute),
        ParamValue::Scale(_) => ParamValue::Scale(CurveScale::Log),
        ParamValue::Points(_) => ParamValue::Points(vec![[0.1, 2.0]]),
        ParamValue::Overrides(_) => ParamValue::Overrides(vec![Override { branch: 1, stiffness: None, damping: None }]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every key that a parameter file may hold is a field, and no field is missing from the file.
    #[test]
    fn fields_are_the_keys_of_files() {
        let params = Params {
            limits: super::super::Limits {
                branches: super::super::Limit { bend_degrees: Some(1.0), twist_degrees: Some(2.0) },
                leaves: super::super::Limit { bend_degrees: Some(1.0), twist_degrees: Some(2.0) },
                fruit: super::super::Limit { bend_degrees: Some(1.0), twist_degrees: Some(2.0) },
            },
            ..Params::default()
        };
        let table: toml::Table = params.to_toml().parse().expect("TOML");
        let mut keys = Vec::new();
        leaves("", &table, &mut keys);
        let mut names: Vec<String> = ParamField::all().iter().map(|field| field.name().to_owned()).collect();
        keys.sort();
        names.sort();
        assert_eq!(keys, names);
    }

    fn leaves(path: &str, table: &toml::Table, keys: &mut Vec<String>) {
        for (key, value) in table {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            match value {
                toml::Value::Table(inner) => leaves(&path, inner, keys),
                _ => keys.push(path),
            }
        }
    }

    #[test]
    fn what_is_set_is_what_is_read() {
        for field in ParamField::all() {
            let mut params = Params::default();
            let value = another(&field.get(&params));
            field.set(&mut params, &value);
            assert_eq!(field.get(&params), value, "{field:?}");
            assert_ne!(params, Params::default(), "{field:?}");
            let changed = ParamField::all().iter().filter(|f| f.get(&params) != f.get(&Params::default())).count();
            assert_eq!(changed, 1, "{field:?} changes others");
            assert_eq!(field.name().parse(), Ok(*field));
        }
    }

    #[test]
    fn numbers_go_evenly_and_the_rest_at_once() {
        let half = |a: ParamValue, b: ParamValue| a.towards(&b, 0.5);
        assert_eq!(half(ParamValue::Number(1.0), ParamValue::Number(3.0)), ParamValue::Number(2.0));
        let infinite = ParamValue::Number(f64::INFINITY);
        assert_eq!(half(ParamValue::Number(1.0), infinite.clone()), infinite);
        assert_eq!(half(ParamValue::Limit(None), ParamValue::Limit(Some(9.0))), ParamValue::Limit(Some(9.0)));
        assert_eq!(half(ParamValue::Flag(false), ParamValue::Flag(true)), ParamValue::Flag(true));
        let points = |y| ParamValue::Points(vec![[0.1, y]]);
        assert_eq!(half(points(1.0), points(2.0)), points(1.5));
        let to = ParamValue::Number(0.1 + 0.2);
        assert_eq!(ParamValue::Number(7.0).towards(&to, 1.0), to, "the end exactly");
    }
}
