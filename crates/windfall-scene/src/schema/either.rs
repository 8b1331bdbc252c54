//! Values that may be written in two ways: inline, or as a name.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use windfall_wind::WindSpec;

/// A table inline, or the name of a file that holds it.
#[derive(Debug, Clone, PartialEq)]
pub enum FileOr<T> {
    /// The name of a file, relative to the scene.
    File(String),
    /// The inline value.
    Inline(T),
}

impl<T: Default> Default for FileOr<T> {
    fn default() -> Self {
        Self::Inline(T::default())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FileOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FileVisitor(PhantomData))
    }
}

struct FileVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for FileVisitor<T> {
    type Value = FileOr<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table or the name of a file")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(FileOr::File(name.to_owned()))
    }

    /// Deserialises from the map itself, so that errors keep their place in the text.
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(FileOr::Inline)
    }
}

/// A wind: a name, or its description.
#[derive(Debug, Clone, PartialEq)]
pub enum WindEntry {
    /// See [`crate::named_wind`].
    Named(String),
    /// See `docs/wind.md`.
    Described(WindSpec),
}

impl<'de> Deserialize<'de> for WindEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WindVisitor;

        impl<'de> Visitor<'de> for WindVisitor {
            type Value = WindEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a wind, a whole number of Beaufort, a speed such as \"7.5m/s\", or a table that describes one")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
                Ok(WindEntry::Named(name.to_owned()))
            }

            fn visit_i64<E: Error>(self, beaufort: i64) -> Result<Self::Value, E> {
                Ok(WindEntry::Named(beaufort.to_string()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                WindSpec::deserialize(MapAccessDeserializer::new(map)).map(WindEntry::Described)
            }
        }

        deserializer.deserialize_any(WindVisitor)
    }
}
