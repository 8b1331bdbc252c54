//! `.usda`: the text form of USD.
//!
//! Samples are produced frame by frame, but the text has them property by property: meanwhile they are in
//! a temporary file beside the destination. Numbers have the shortest representation that reads back as
//! the same f32.

use std::io::{self, Read, Seek, SeekFrom, Write};

use glam::DMat4;

use super::Sample;
use super::layer::{Content, Kind, Layer, Prim, Property, Stream, Timing, Value};
use crate::atomic::Begun;
use crate::skeletal::AnimationError;
use crate::temporary::Temporary;
use crate::text::{blocks, integer};

/// Writes a layer; `sample` is called once for each frame, in order.
pub(super) fn write(layer: &Layer<'_>, sample: &mut Sample<'_>, file: &mut Begun) -> Result<(), AnimationError> {
    let samples = match &layer.timing {
        None => None,
        Some(timing) => Some(Samples::record(layer, timing, sample, Temporary::new_in(file.folder())?)?),
    };
    let out = &mut file.out;
    writeln!(out, "#usda 1.0\n(\n    defaultPrim = \"{}\"", layer.root.name)?;
    writeln!(out, "    doc = \"windfall {}\"", env!("CARGO_PKG_VERSION"))?;
    if let Some(timing) = &layer.timing {
        let rate = timing.frames_per_second;
        writeln!(out, "    endTimeCode = {}\n    framesPerSecond = {rate}", timing.end())?;
        writeln!(out, "    startTimeCode = 0\n    timeCodesPerSecond = {rate}")?;
    }
    writeln!(out, "    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n")?;
    let mut writer = Writer { out, samples };
    writer.prim(&layer.root, 0)?;
    Ok(())
}

/// All samples in order of arrival: by frame, then by stream.
struct Samples {
    file: Temporary,
    timing: Timing,
    /// Offset of each stream in a frame.
    starts: Vec<u64>,
    streams: Vec<Stream>,
    frame_bytes: u64,
    buffer: Vec<u8>,
}

impl Samples {
    fn record(
        layer: &Layer<'_>,
        timing: &Timing,
        sample: &mut Sample<'_>,
        file: Temporary,
    ) -> Result<Self, AnimationError> {
        let mut out = io::BufWriter::with_capacity(1 << 20, file);
        let mut lists = vec![Vec::new(); layer.streams.len()];
        for frame in 0..timing.frames {
            sample(frame, &mut lists)?;
            lists.iter().try_for_each(|list| out.write_all(list))?;
        }
        let mut frame_bytes = 0;
        let starts = layer.streams.iter().map(|stream| {
            let start = frame_bytes;
            frame_bytes += stream.bytes() as u64;
            start
        });
        let starts = starts.collect();
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Self {
            file,
            timing: timing.clone(),
            starts,
            streams: layer.streams.clone(),
            frame_bytes,
            buffer: Vec::new(),
        })
    }

    /// Bytes of one list in a frame.
    fn read(&mut self, stream: usize, frame: usize) -> io::Result<(&[u8], Kind)> {
        self.buffer.resize(self.streams[stream].bytes(), 0);
        self.file.seek(SeekFrom::Start(frame as u64 * self.frame_bytes + self.starts[stream]))?;
        self.file.read_exact(&mut self.buffer)?;
        Ok((&self.buffer, self.streams[stream].kind))
    }
}

struct Writer<'o> {
    out: &'o mut dyn Write,
    samples: Option<Samples>,
}

impl Writer<'_> {
    fn prim(&mut self, prim: &Prim<'_>, depth: usize) -> io::Result<()> {
        let pad = "    ".repeat(depth);
        write!(self.out, "{pad}def {} \"{}\"", prim.type_name, prim.name)?;
        if !prim.api_schemas.is_empty() || prim.kind.is_some() {
            writeln!(self.out, " (")?;
            if !prim.api_schemas.is_empty() {
                let list: Vec<String> = prim.api_schemas.iter().map(|api| format!("\"{api}\"")).collect();
                writeln!(self.out, "{pad}    prepend apiSchemas = [{}]", list.join(", "))?;
            }
            if let Some(kind) = prim.kind {
                writeln!(self.out, "{pad}    kind = \"{kind}\"")?;
            }
            write!(self.out, "{pad})")?;
        }
        writeln!(self.out, "\n{pad}{{")?;
        prim.properties.iter().try_for_each(|property| self.property(property, depth + 1))?;
        for (i, child) in prim.children.iter().enumerate() {
            if i > 0 || !prim.properties.is_empty() {
                writeln!(self.out)?;
            }
            self.prim(child, depth + 1)?;
        }
        writeln!(self.out, "{pad}}}")
    }

    fn property(&mut self, property: &Property<'_>, depth: usize) -> io::Result<()> {
        let pad = "    ".repeat(depth);
        let uniform = if property.uniform { "uniform " } else { "" };
        let head = format!("{pad}{uniform}{} {}", property.type_name, property.name);
        match &property.content {
            Content::Nothing => writeln!(self.out, "{head}"),
            Content::Target(path) => writeln!(self.out, "{pad}rel {} = <{path}>", property.name),
            Content::Connection(path) => writeln!(self.out, "{head}.connect = <{path}>"),
            Content::Value(value) => {
                write!(self.out, "{head} = ")?;
                write_value(self.out, value)?;
                self.details(property, &pad)?;
                writeln!(self.out)
            }
            Content::Samples(stream) => {
                if property.interpolation.is_some() {
                    write!(self.out, "{head}")?;
                    self.details(property, &pad)?;
                    writeln!(self.out)?;
                }
                writeln!(self.out, "{head}.timeSamples = {{")?;
                let Some(samples) = &mut self.samples else { return Ok(()) };
                for frame in 0..samples.timing.frames {
                    write!(self.out, "{pad}    {}: [", samples.timing.code(frame))?;
                    let (bytes, kind) = samples.read(*stream, frame)?;
                    write_samples(self.out, bytes, kind)?;
                    writeln!(self.out, "],")?;
                }
                writeln!(self.out, "{pad}}}")
            }
        }
    }

    fn details(&mut self, property: &Property<'_>, pad: &str) -> io::Result<()> {
        if property.interpolation.is_none() && property.element_size.is_none() {
            return Ok(());
        }
        writeln!(self.out, " (")?;
        if let Some(size) = property.element_size {
            writeln!(self.out, "{pad}    elementSize = {size}")?;
        }
        if let Some(interpolation) = property.interpolation {
            writeln!(self.out, "{pad}    interpolation = \"{interpolation}\"")?;
        }
        write!(self.out, "{pad})")
    }
}

fn write_samples(out: &mut dyn Write, bytes: &[u8], kind: Kind) -> io::Result<()> {
    let size = 4 * kind.numbers();
    list(out, bytes.len() / size, |text, i| {
        let item = &bytes[i * size..(i + 1) * size];
        let numbers: Vec<f32> = item.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        match kind {
            Kind::Vec3 => tuple(text, &numbers),
            // The text format has the real part first.
            Kind::Quat => tuple(text, &[numbers[3], numbers[0], numbers[1], numbers[2]]),
        }
    })
}

fn write_value(out: &mut dyn Write, value: &Value<'_>) -> io::Result<()> {
    let mut text = Vec::new();
    match value {
        Value::Bool(yes) => write!(out, "{}", u8::from(*yes)),
        Value::Int(number) => write!(out, "{number}"),
        Value::Float(number) => write!(out, "{number}"),
        Value::Text(words) | Value::Token(words) => write!(out, "\"{words}\""),
        Value::Asset(path) => write!(out, "@{path}@"),
        Value::Float3(numbers) => {
            tuple(&mut text, numbers);
            out.write_all(&text)
        }
        Value::Float4(numbers) => {
            tuple(&mut text, numbers);
            out.write_all(&text)
        }
        Value::Double3([x, y, z]) => write!(out, "({x}, {y}, {z})"),
        Value::Matrix(matrix) => write!(out, "{}", rows(matrix)),
        _ => {
            write!(out, "[")?;
            write_list(out, value)?;
            write!(out, "]")
        }
    }
}

fn write_list(out: &mut dyn Write, value: &Value<'_>) -> io::Result<()> {
    match value {
        Value::Tokens(words) => list(out, words.len(), |text, i| {
            text.push(b'"');
            text.extend_from_slice(words[i].as_bytes());
            text.push(b'"');
        }),
        Value::Ints(numbers) => list(out, numbers.len(), |text, i| display(text, numbers[i])),
        Value::Floats(numbers) => list(out, numbers.len(), |text, i| display(text, numbers[i])),
        Value::Vec2s(list_of) => list(out, list_of.len(), |text, i| tuple(text, &list_of[i].to_array())),
        Value::Vec3s(list_of) => list(out, list_of.len(), |text, i| tuple(text, &list_of[i].to_array())),
        Value::Corners(triangles) => {
            let corners = triangles.as_flattened();
            list(out, corners.len(), |text, i| integer(text, corners[i].into()))
        }
        Value::Threes(count) => list(out, *count, |text, _| text.push(b'3')),
        Value::HalfOnes(count) => list(out, *count, |text, _| text.extend_from_slice(b"(1, 1, 1)")),
        Value::Matrices(matrices) => {
            list(out, matrices.len(), |text, i| text.extend_from_slice(rows(&matrices[i]).as_bytes()))
        }
        _ => Ok(()),
    }
}

/// Comma-separated items.
fn list(out: &mut dyn Write, count: usize, item: impl Fn(&mut Vec<u8>, usize) + Sync) -> io::Result<()> {
    blocks(out, count, |text, i| {
        if i > 0 {
            text.extend_from_slice(b", ");
        }
        item(text, i);
    })
}

fn tuple(text: &mut Vec<u8>, numbers: &[f32]) {
    text.push(b'(');
    for (i, number) in numbers.iter().enumerate() {
        if i > 0 {
            text.extend_from_slice(b", ");
        }
        display(text, number);
    }
    text.push(b')');
}

fn display(text: &mut Vec<u8>, number: impl std::fmt::Display) {
    write!(text, "{number}").expect("memory has no limit");
}

/// USD uses row vectors: its rows are the columns here.
fn rows(matrix: &DMat4) -> String {
    let row = |r: usize| {
        let [x, y, z, w] = matrix.col(r).to_array();
        format!("({x}, {y}, {z}, {w})")
    };
    format!("( {}, {}, {}, {} )", row(0), row(1), row(2), row(3))
}
