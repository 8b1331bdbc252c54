//! `.usdc`: crate files, the binary form of USD, version 0.8.0.
//!
//! ```text
//! boot      88 bytes: PXR-USDC, version, where the table of contents is
//! samples   frame by frame, each with an array for every stream; all frames have the same size
//! values    arrays and other values that don't fit into 48 bits
//! sections  TOKENS STRINGS FIELDS FIELDSETS PATHS SPECS, most of them compressed
//! contents  name, start and size of each section
//! ```
//!
//! A spec (a prim or property) has a path and a set of fields, a field a name and a value: its type, and
//! the value itself or its offset. Since all frames have the same size, the offset of a sample follows
//! from its index, and no data in memory grow with the number of frames.
//!
//! The format is that of `OpenUSD`'s `crateFile.cpp`; there is no other specification of it.

mod ints;
mod sections;
mod sink;
mod values;

use std::io::{Seek, SeekFrom, Write};

use super::Sample;
use super::layer::{Content, Layer, Prim, Property, Stream, Value};
use crate::skeletal::AnimationError;
use sections::{Paths, SpecType, Tables};
use sink::Sink;
use values::{Samples, Type, double, inlined, list_op, token_vector};

/// Bytes of the boot structure.
const BOOT: usize = 88;
const VERSION: [u8; 8] = [0, 8, 0, 0, 0, 0, 0, 0];

/// Writes a layer and returns its size; `sample` is called once for each frame, in order.
pub(super) fn write(
    layer: &Layer<'_>,
    sample: &mut Sample<'_>,
    out: &mut (impl Write + Seek),
) -> Result<u64, AnimationError> {
    let mut sink = Sink::new(out);
    sink.write(&[0; BOOT])?;
    let samples = match &layer.timing {
        None => None,
        Some(timing) => Some(Samples::record(&layer.streams, timing, sample, &mut sink)?),
    };
    let paths = Paths::of(&layer.root);
    let mut writer = Writer { sink, samples, tables: Tables::default(), paths };
    writer.root(layer)?;
    let Writer { mut sink, mut tables, paths, .. } = writer;
    let contents = sections::write(&mut tables, &paths, &mut sink)?;
    let bytes = sink.place();
    let out = sink.finish();
    out.seek(SeekFrom::Start(0))?;
    out.write_all(b"PXR-USDC")?;
    out.write_all(&VERSION)?;
    out.write_all(&contents.to_le_bytes())?;
    out.seek(SeekFrom::End(0))?;
    Ok(bytes)
}

/// The size of a layer: it is written to a null sink, with zero samples, whose size equals that of the
/// real ones.
pub(super) fn bytes(layer: &Layer<'_>) -> Result<u64, AnimationError> {
    let mut zeros = |_: usize, lists: &mut [Vec<u8>]| {
        lists.iter_mut().zip(&layer.streams).for_each(|(list, stream)| list.resize(stream.bytes(), 0));
        Ok(())
    };
    write(layer, &mut zeros, &mut std::io::empty())
}

/// Minimum size of a file with these streams: in each frame a time, and for each stream a sample and its
/// offset.
pub(super) fn least_bytes(streams: &[Stream], frames: usize) -> u64 {
    (frames as u64).saturating_mul(8 + streams.iter().map(|stream| values::sample_bytes(stream) + 8).sum::<u64>())
}

struct Writer<'o, W: Write> {
    sink: Sink<'o, W>,
    samples: Option<Samples>,
    tables: Tables,
    paths: Paths,
}

impl<W: Write> Writer<'_, W> {
    fn root(&mut self, layer: &Layer<'_>) -> std::io::Result<()> {
        let name = self.tables.token(&layer.root.name);
        let axis = self.tables.token("Y");
        let doc = self.tables.string(concat!("windfall ", env!("CARGO_PKG_VERSION")));
        let mut fields = vec![
            ("defaultPrim", inlined(Type::Token, name)),
            ("documentation", inlined(Type::String, doc)),
            ("metersPerUnit", double(&mut self.sink, 1.0)?),
            ("upAxis", inlined(Type::Token, axis)),
        ];
        if let Some(timing) = &layer.timing {
            let rate = double(&mut self.sink, timing.frames_per_second)?;
            fields.extend([
                ("startTimeCode", double(&mut self.sink, 0.0)?),
                ("endTimeCode", double(&mut self.sink, timing.end())?),
                ("timeCodesPerSecond", rate),
                ("framesPerSecond", rate),
            ]);
        }
        let children = [&*layer.root.name];
        fields.push(("primChildren", token_vector(&mut self.sink, &mut self.tables, children.into_iter())?));
        let path = self.paths.place("/");
        self.tables.spec(path, SpecType::PseudoRoot, &fields);
        self.prim(&layer.root, "")
    }

    fn prim(&mut self, prim: &Prim<'_>, parent: &str) -> std::io::Result<()> {
        let path = format!("{parent}/{}", prim.name);
        let type_name = self.tables.token(prim.type_name);
        // Specifier 0: def.
        let mut fields =
            vec![("specifier", inlined(Type::Specifier, 0)), ("typeName", inlined(Type::Token, type_name))];
        if let Some(kind) = prim.kind {
            fields.push(("kind", inlined(Type::Token, self.tables.token(kind))));
        }
        if !prim.api_schemas.is_empty() {
            let apis: Vec<u32> = prim.api_schemas.iter().map(|api| self.tables.token(api)).collect();
            fields.push(("apiSchemas", list_op(&mut self.sink, Type::TokenListOp, &apis)?));
        }
        if !prim.properties.is_empty() {
            let names = prim.properties.iter().map(|property| &*property.name);
            fields.push(("properties", token_vector(&mut self.sink, &mut self.tables, names)?));
        }
        if !prim.children.is_empty() {
            let names = prim.children.iter().map(|child| &*child.name);
            fields.push(("primChildren", token_vector(&mut self.sink, &mut self.tables, names)?));
        }
        let place = self.paths.place(&path);
        self.tables.spec(place, SpecType::Prim, &fields);
        prim.properties.iter().try_for_each(|property| self.property(property, &path))?;
        prim.children.iter().try_for_each(|child| self.prim(child, &path))
    }

    fn property(&mut self, property: &Property<'_>, prim: &str) -> std::io::Result<()> {
        let place = self.paths.place(&format!("{prim}.{}", property.name));
        if let Content::Target(target) = &property.content {
            let target = self.paths.place(target);
            let fields = [
                ("variability", inlined(Type::Variability, 1)),
                ("targetPaths", list_op(&mut self.sink, Type::PathListOp, &[target])?),
            ];
            self.tables.spec(place, SpecType::Relationship, &fields);
            return Ok(());
        }
        let mut fields = vec![("typeName", inlined(Type::Token, self.tables.token(property.type_name)))];
        if property.uniform {
            fields.push(("variability", inlined(Type::Variability, 1)));
        }
        if let Some(interpolation) = property.interpolation {
            fields.push(("interpolation", inlined(Type::Token, self.tables.token(interpolation))));
        }
        if let Some(size) = property.element_size {
            fields.push(("elementSize", inlined(Type::Int, size as u32)));
        }
        match &property.content {
            Content::Value(value) => fields.push(("default", self.value(value)?)),
            Content::Samples(stream) => {
                if let Some(samples) = &self.samples {
                    fields.push(("timeSamples", samples.table(*stream, &mut self.sink)?));
                }
            }
            Content::Connection(path) => {
                let source = self.paths.place(path);
                fields.push(("connectionPaths", list_op(&mut self.sink, Type::PathListOp, &[source])?));
            }
            Content::Nothing | Content::Target(_) => (),
        }
        self.tables.spec(place, SpecType::Attribute, &fields);
        Ok(())
    }

    fn value(&mut self, value: &Value<'_>) -> std::io::Result<u64> {
        values::write(value, &mut self.sink, &mut self.tables)
    }
}
