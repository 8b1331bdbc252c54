//! Names, fields, paths and specs: collected while values are written, then written themselves.

use std::collections::HashMap;
use std::io::{self, Write};

use super::ints::{compressed, compressed_ints};
use super::sink::Sink;
use crate::usd::layer::Prim;

/// Type of a spec.
#[derive(Clone, Copy)]
pub(super) enum SpecType {
    Attribute = 1,
    Prim = 6,
    PseudoRoot = 7,
    Relationship = 8,
}

/// End marker of a field set.
const END: u32 = u32::MAX;

/// Everything but paths.
pub(super) struct Tables {
    tokens: Vec<String>,
    places: HashMap<String, u32>,
    strings: Vec<u32>,
    /// Name and value.
    fields: Vec<(u32, u64)>,
    /// Fields of each spec, then [`END`].
    sets: Vec<u32>,
    /// Path, first field in `sets`, type.
    specs: Vec<(u32, u32, u32)>,
}

impl Default for Tables {
    fn default() -> Self {
        // Property names are marked by a negative index, which is impossible for 0: the first name is
        // unused.
        let none = "-".to_owned();
        Self {
            places: HashMap::from([(none.clone(), 0)]),
            tokens: vec![none],
            strings: Vec::new(),
            fields: Vec::new(),
            sets: Vec::new(),
            specs: Vec::new(),
        }
    }
}

impl Tables {
    /// Index of a name.
    pub fn token(&mut self, name: &str) -> u32 {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        let place = self.tokens.len() as u32;
        self.tokens.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        place
    }

    /// Index of a text.
    pub fn string(&mut self, text: &str) -> u32 {
        let token = self.token(text);
        self.strings.push(token);
        self.strings.len() as u32 - 1
    }

    /// Adds a spec.
    pub fn spec(&mut self, path: u32, kind: SpecType, fields: &[(&str, u64)]) {
        self.specs.push((path, self.sets.len() as u32, kind as u32));
        for &(name, value) in fields {
            let name = self.token(name);
            self.sets.push(self.fields.len() as u32);
            self.fields.push((name, value));
        }
        self.sets.push(END);
    }
}

/// Paths of all prims and properties, in the order of the tree.
pub(super) struct Paths {
    places: HashMap<String, u32>,
    /// Name, whether it is a property, and the link to following items: see [`Paths::add`].
    items: Vec<(String, bool, i32)>,
}

impl Paths {
    pub fn of(root: &Prim<'_>) -> Self {
        let mut paths = Self { places: HashMap::new(), items: Vec::new() };
        paths.places.insert("/".into(), 0);
        // The name of the root is ignored; it has a child and no sibling.
        paths.items.push((String::new(), false, -1));
        paths.add(root, "", false);
        paths
    }

    /// The link of an item: -2 nothing follows, -1 its first child follows, 0 its next sibling follows;
    /// otherwise its first child follows, and its next sibling is this many items ahead.
    fn add(&mut self, prim: &Prim<'_>, parent: &str, has_sibling: bool) {
        let path = format!("{parent}/{}", prim.name);
        let here = self.items.len();
        self.places.insert(path.clone(), here as u32);
        self.items.push((prim.name.clone(), false, 0));
        let below = prim.properties.len() + prim.children.len();
        for (i, property) in prim.properties.iter().enumerate() {
            self.places.insert(format!("{path}.{}", property.name), self.items.len() as u32);
            self.items.push((property.name.clone(), true, if i + 1 < below { 0 } else { -2 }));
        }
        for (i, child) in prim.children.iter().enumerate() {
            self.add(child, &path, i + 1 < prim.children.len());
        }
        let after = (self.items.len() - here) as i32;
        self.items[here].2 = match (below > 0, has_sibling) {
            (true, true) => after,
            (true, false) => -1,
            (false, true) => 0,
            (false, false) => -2,
        };
    }

    /// Index of a path in the tree.
    ///
    /// # Panics
    /// If the path is not in the tree.
    pub fn place(&self, path: &str) -> u32 {
        self.places[path]
    }
}

/// Writes all sections and the table of contents; returns the offset of the table.
pub(super) fn write(tables: &mut Tables, paths: &Paths, sink: &mut Sink<'_, impl Write>) -> io::Result<u64> {
    let names: Vec<i32> = paths
        .items
        .iter()
        .map(|(name, is_property, _)| {
            let token = if name.is_empty() { 0 } else { tables.token(name) as i32 };
            if *is_property { -token } else { token }
        })
        .collect();
    let mut contents = Vec::new();
    let mut section = |name: &str, sink: &mut Sink<'_, _>, fill: &mut dyn FnMut(&mut Vec<u8>)| {
        let mut bytes = Vec::new();
        fill(&mut bytes);
        let start = sink.align()?;
        sink.write(&bytes)?;
        contents.extend(name.as_bytes().iter().copied().chain(std::iter::repeat(0)).take(16));
        contents.extend([start, bytes.len() as u64].map(u64::to_le_bytes).as_flattened());
        io::Result::Ok(())
    };
    section("TOKENS", sink, &mut |bytes| {
        let text: Vec<u8> = tables.tokens.iter().flat_map(|token| token.bytes().chain([0])).collect();
        number(bytes, tables.tokens.len());
        number(bytes, text.len());
        sized(bytes, &compressed(&text));
    })?;
    section("STRINGS", sink, &mut |bytes| {
        number(bytes, tables.strings.len());
        tables.strings.iter().for_each(|token| bytes.extend(token.to_le_bytes()));
    })?;
    section("FIELDS", sink, &mut |bytes| {
        number(bytes, tables.fields.len());
        sized(bytes, &compressed_ints(&tables.fields.iter().map(|field| field.0 as i32)));
        let values: Vec<u8> = tables.fields.iter().flat_map(|field| field.1.to_le_bytes()).collect();
        sized(bytes, &compressed(&values));
    })?;
    section("FIELDSETS", sink, &mut |bytes| {
        number(bytes, tables.sets.len());
        sized(bytes, &compressed_ints(&tables.sets.iter().map(|&field| field as i32)));
    })?;
    section("PATHS", sink, &mut |bytes| {
        // Number of all paths and of written paths: equal.
        number(bytes, paths.items.len());
        number(bytes, paths.items.len());
        sized(bytes, &compressed_ints(&(0..paths.items.len() as i32)));
        sized(bytes, &compressed_ints(&names.iter().copied()));
        sized(bytes, &compressed_ints(&paths.items.iter().map(|item| item.2)));
    })?;
    section("SPECS", sink, &mut |bytes| {
        number(bytes, tables.specs.len());
        sized(bytes, &compressed_ints(&tables.specs.iter().map(|spec| spec.0 as i32)));
        sized(bytes, &compressed_ints(&tables.specs.iter().map(|spec| spec.1 as i32)));
        sized(bytes, &compressed_ints(&tables.specs.iter().map(|spec| spec.2 as i32)));
    })?;
    let place = sink.align()?;
    sink.number(contents.len() as u64 / 32)?;
    sink.write(&contents)?;
    Ok(place)
}

fn number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend((number as u64).to_le_bytes());
}

/// Bytes preceded by their count.
fn sized(bytes: &mut Vec<u8>, more: &[u8]) {
    number(bytes, more.len());
    bytes.extend_from_slice(more);
}
