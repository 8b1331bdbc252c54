//! Format-independent content of a USD file: prims with properties, and streams of samples produced frame
//! by frame.

use std::borrow::Cow;

use glam::{DMat4, Vec2, Vec3};

use crate::text::Names;

/// A whole file.
pub(super) struct Layer<'a> {
    /// The only prim at the top.
    pub root: Prim<'a>,
    /// Frames; `None` for static files.
    pub timing: Option<Timing>,
    /// Streams of sampled properties.
    pub streams: Vec<Stream>,
}

/// Time codes are frame indices or, for unevenly spaced frames, times in units of the mean time between
/// them.
#[derive(Clone)]
pub(super) struct Timing {
    pub frames: usize,
    pub frames_per_second: f64,
    /// Time codes of all frames, if they are not 0, 1, 2 and so on.
    pub uneven: Option<Vec<f64>>,
}

impl Timing {
    /// The time code of a frame.
    pub fn code(&self, frame: usize) -> f64 {
        self.uneven.as_ref().map_or(frame as f64, |codes| codes[frame])
    }

    /// The time code of the last frame.
    pub fn end(&self) -> f64 {
        self.code(self.frames.saturating_sub(1))
    }
}

/// A list with the same number of items in each frame.
#[derive(Clone, Copy)]
pub(super) struct Stream {
    pub kind: Kind,
    pub count: usize,
}

/// Items of a stream, all of f32.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Vec3,
    /// x, y, z, w.
    Quat,
}

impl Stream {
    /// Bytes of a frame.
    pub fn bytes(&self) -> usize {
        4 * self.count * self.kind.numbers()
    }
}

impl Kind {
    /// f32 per item.
    pub fn numbers(self) -> usize {
        match self {
            Self::Vec3 => 3,
            Self::Quat => 4,
        }
    }
}

/// A prim with properties and child prims.
#[derive(Default)]
pub(super) struct Prim<'a> {
    pub name: String,
    pub type_name: &'static str,
    pub kind: Option<&'static str>,
    pub api_schemas: Vec<&'static str>,
    pub properties: Vec<Property<'a>>,
    pub children: Vec<Prim<'a>>,
}

impl<'a> Prim<'a> {
    pub fn new(type_name: &'static str, name: impl Into<String>) -> Self {
        Self { name: name.into(), type_name, ..Self::default() }
    }

    /// Adds an attribute with a value.
    pub fn set(&mut self, type_name: &'static str, name: &str, value: Value<'a>) {
        self.properties.push(Property::new(type_name, name, Content::Value(value)));
    }

    /// Adds a uniform attribute, which cannot vary in time.
    pub fn set_uniform(&mut self, type_name: &'static str, name: &str, value: Value<'a>) {
        self.properties.push(Property { uniform: true, ..Property::new(type_name, name, Content::Value(value)) });
    }

    /// Adds an attribute with one value per vertex (or according to `interpolation`).
    pub fn set_primvar(
        &mut self,
        type_name: &'static str,
        name: &str,
        interpolation: &'static str,
        content: Content<'a>,
    ) {
        let interpolation = Some(interpolation);
        self.properties.push(Property { interpolation, ..Property::new(type_name, name, content) });
    }

    /// Adds an attribute without a value, for others to connect to.
    pub fn output(&mut self, type_name: &'static str, name: &str) {
        self.properties.push(Property::new(type_name, name, Content::Nothing));
    }

    /// Adds an attribute that has the value of another.
    pub fn connect(&mut self, type_name: &'static str, name: &str, to: String) {
        self.properties.push(Property::new(type_name, name, Content::Connection(to)));
    }

    /// Adds a relationship.
    pub fn relate(&mut self, name: &str, to: String) {
        self.properties.push(Property::new("", name, Content::Target(to)));
    }
}

/// An attribute or a relationship.
pub(super) struct Property<'a> {
    pub name: String,
    /// Empty for relationships.
    pub type_name: &'static str,
    pub uniform: bool,
    pub content: Content<'a>,
    pub interpolation: Option<&'static str>,
    /// Number of values per vertex, if there are several.
    pub element_size: Option<i32>,
}

impl<'a> Property<'a> {
    pub fn new(type_name: &'static str, name: &str, content: Content<'a>) -> Self {
        Self { name: name.into(), type_name, uniform: false, content, interpolation: None, element_size: None }
    }
}

/// Content of a property.
pub(super) enum Content<'a> {
    Nothing,
    Value(Value<'a>),
    /// A value in each frame: index into [`Layer::streams`].
    Samples(usize),
    /// The path of an attribute.
    Connection(String),
    /// The path of a prim, for relationships.
    Target(String),
}

/// A value. Lists that may be long are borrowed from the skin.
pub(super) enum Value<'a> {
    Bool(bool),
    Int(i32),
    Float(f32),
    Text(String),
    Token(String),
    Asset(String),
    Float3([f32; 3]),
    Float4([f32; 4]),
    Double3([f64; 3]),
    Matrix(DMat4),
    Tokens(Vec<String>),
    Ints(Vec<i32>),
    Floats(Vec<f32>),
    Vec2s(Vec<Vec2>),
    Vec3s(Cow<'a, [Vec3]>),
    /// Corners of triangles.
    Corners(&'a [[u32; 3]]),
    /// This many threes (face vertex counts).
    Threes(usize),
    /// This many half3 (1, 1, 1).
    HalfOnes(usize),
    Matrices(Vec<DMat4>),
}

/// Unique identifiers of USD (ASCII letters, digits and `_`, no leading digit).
pub(super) fn identifiers<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut given = Names::new(str::to_owned);
    let identifier = |name: &str| {
        let mut word: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            word.insert(0, '_');
        }
        word
    };
    names.map(|name| given.take(identifier(name))).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_identifiers_and_differ() {
        let found = super::identifiers(["bark", "bark", "Ölbaum 7", "7", "", "bark_2", "a-b"].into_iter());
        assert_eq!(found, ["bark", "bark_2", "_lbaum_7", "_7", "_", "bark_2_2", "a_b"]);
    }
}
