//! Names of bodies in a scene.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use windfall_core::glam::DVec3;

/// A body: a number, `"root"`, `"top"`, or a table of search criteria.
#[derive(Debug, Clone, PartialEq)]
pub enum Pick {
    /// A body of the whole scene: its number, or the foot or top of the first plant.
    Body(BodyPick),
    /// A body by search criteria.
    By(PickBy),
}

/// A body of a plant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyPick {
    /// By number.
    Number(u32),
    /// The first segment of wood.
    Root,
    /// The highest segment of wood.
    Top,
}

/// Search criteria of a body: exactly one of `body`, `near` and `branch`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PickBy {
    /// Index of the plant of the scene, from 0; the first by default, and all for `near`.
    pub plant: Option<usize>,
    /// A body of that plant.
    pub body: Option<BodyPick>,
    /// The one nearest to this point at rest, world metres.
    pub near: Option<DVec3>,
    /// With `near`: kind of body; wood by default.
    pub kind: Option<BodyKind>,
    /// A branch of that plant.
    pub branch: Option<usize>,
    /// With `branch`: position along it, 0 to 1; 0 by default.
    pub along: Option<f64>,
}

/// A kind of body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyKind {
    /// Segments of branches.
    Wood,
    /// Leaves, needles, petals.
    Leaf,
    /// Fruit.
    Fruit,
}

impl<'de> Deserialize<'de> for BodyPick {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Pick::deserialize(deserializer)? {
            Pick::Body(body) => Ok(body),
            Pick::By(_) => Err(D::Error::custom(EXPECTED)),
        }
    }
}

const EXPECTED: &str = "a body is a number, \"root\" or \"top\"";

impl<'de> Deserialize<'de> for Pick {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PickVisitor;

        impl<'de> Visitor<'de> for PickVisitor {
            type Value = Pick;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a body: its number, \"root\", \"top\", or a table such as { near = [0, 2, 0] }")
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
                let number = u32::try_from(number).map_err(|_| E::custom(format_args!("{number}: {EXPECTED}")))?;
                Ok(Pick::Body(BodyPick::Number(number)))
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
                match name {
                    "root" => Ok(Pick::Body(BodyPick::Root)),
                    "top" => Ok(Pick::Body(BodyPick::Top)),
                    _ => Err(E::custom(format_args!("\"{name}\": {EXPECTED}"))),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                PickBy::deserialize(MapAccessDeserializer::new(map)).map(Pick::By)
            }
        }

        deserializer.deserialize_any(PickVisitor)
    }
}
