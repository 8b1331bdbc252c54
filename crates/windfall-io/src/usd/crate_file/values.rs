//! Encoding of values: 64-bit representations and out-of-line data.
//!
//! From the highest bit: one bit each for arrays, inlined values and compressed ones; the type in eight
//! bits (48 to 55); the value or its offset.

use std::io::{self, Write};

use glam::DMat4;

use super::ints::{MOST_BYTES, compressed_ints};
use super::sections::Tables;
use super::sink::Sink;
use crate::skeletal::AnimationError;
use crate::usd::Sample;
use crate::usd::layer::{Kind, Stream, Timing, Value};

/// Types of written values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Bool = 1,
    Int = 3,
    Float = 8,
    Double = 9,
    String = 10,
    Token = 11,
    Asset = 12,
    Matrix4d = 15,
    Quatf = 17,
    Vec2f = 20,
    Vec3d = 23,
    Vec3f = 24,
    Vec3h = 25,
    Vec4f = 28,
    TokenListOp = 32,
    PathListOp = 34,
    TokenVector = 41,
    Specifier = 42,
    Variability = 44,
    TimeSamples = 46,
    DoubleVector = 48,
}

const ARRAY: u64 = 1 << 63;
const INLINED: u64 = 1 << 62;
const COMPRESSED: u64 = 1 << 61;
/// Minimum length of compressed arrays.
const LEAST_COMPRESSED: usize = 16;
/// 1.0 as a half float.
const HALF_ONE: [u8; 2] = 0x3C00_u16.to_le_bytes();

/// An inlined value of at most 32 bits.
pub(super) fn inlined(kind: Type, bits: u32) -> u64 {
    INLINED | (kind as u64) << 48 | u64::from(bits)
}

/// A value stored at an offset.
fn at(kind: Type, place: u64) -> u64 {
    (kind as u64) << 48 | place
}

/// A double; inlined if representable as a float.
pub(super) fn double(sink: &mut Sink<'_, impl Write>, number: f64) -> io::Result<u64> {
    if f64::from(number as f32) == number {
        return Ok(inlined(Type::Double, (number as f32).to_bits()));
    }
    let place = sink.align()?;
    sink.write(&number.to_le_bytes())?;
    Ok(at(Type::Double, place))
}

/// A list of names.
pub(super) fn token_vector<'n>(
    sink: &mut Sink<'_, impl Write>,
    tables: &mut Tables,
    names: impl Iterator<Item = &'n str>,
) -> io::Result<u64> {
    let tokens: Vec<u32> = names.map(|name| tables.token(name)).collect();
    let place = sink.align()?;
    sink.number(tokens.len() as u64)?;
    sink.items(&tokens, |token| token.to_le_bytes())?;
    Ok(at(Type::TokenVector, place))
}

/// Names prepended to those of weaker layers, or paths that replace those of weaker layers.
pub(super) fn list_op(sink: &mut Sink<'_, impl Write>, kind: Type, items: &[u32]) -> io::Result<u64> {
    let place = sink.align()?;
    // Bit 0: explicit, bit 1: has explicit items; bit 5: has prepended items.
    let header = if kind == Type::PathListOp { 0b11 } else { 0b10_0000 };
    sink.write(&[header])?;
    sink.number(items.len() as u64)?;
    sink.items(items, |item| item.to_le_bytes())?;
    Ok(at(kind, place))
}

/// Any value of an attribute.
pub(super) fn write(value: &Value<'_>, sink: &mut Sink<'_, impl Write>, tables: &mut Tables) -> io::Result<u64> {
    let single = |sink: &mut Sink<'_, _>, kind: Type, bytes: &[u8]| {
        let place = sink.align()?;
        sink.write(bytes)?;
        Ok(at(kind, place))
    };
    match value {
        Value::Bool(yes) => Ok(inlined(Type::Bool, u32::from(*yes))),
        Value::Int(number) => Ok(inlined(Type::Int, *number as u32)),
        Value::Float(number) => Ok(inlined(Type::Float, number.to_bits())),
        Value::Text(text) => Ok(inlined(Type::String, tables.string(text))),
        Value::Token(name) => Ok(inlined(Type::Token, tables.token(name))),
        Value::Asset(path) => Ok(inlined(Type::Asset, tables.token(path))),
        Value::Float3(numbers) => single(sink, Type::Vec3f, numbers.map(f32::to_le_bytes).as_flattened()),
        Value::Float4(numbers) => single(sink, Type::Vec4f, numbers.map(f32::to_le_bytes).as_flattened()),
        Value::Double3(numbers) => single(sink, Type::Vec3d, numbers.map(f64::to_le_bytes).as_flattened()),
        Value::Matrix(matrix) => single(sink, Type::Matrix4d, &matrix_bytes(matrix)),
        Value::Tokens(names) => {
            let tokens: Vec<u32> = names.iter().map(|name| tables.token(name)).collect();
            array(sink, Type::Token, &tokens, |token| token.to_le_bytes())
        }
        Value::Ints(numbers) => ints(sink, numbers.iter().copied()),
        Value::Corners(triangles) => ints(sink, triangles.as_flattened().iter().map(|&corner| corner as i32)),
        Value::Threes(count) => ints(sink, std::iter::repeat_n(3, *count)),
        Value::Floats(numbers) => array(sink, Type::Float, numbers, |number| number.to_le_bytes()),
        Value::Vec2s(list) => array(sink, Type::Vec2f, list, |v| flat::<2, 8>(v.to_array())),
        Value::Vec3s(list) => array(sink, Type::Vec3f, list, |v| flat::<3, 12>(v.to_array())),
        Value::HalfOnes(count) => {
            let ones = vec![(); *count];
            array(sink, Type::Vec3h, &ones, |()| {
                let [a, b] = HALF_ONE;
                [a, b, a, b, a, b]
            })
        }
        Value::Matrices(matrices) => array(sink, Type::Matrix4d, matrices, matrix_bytes),
    }
}

/// USD uses row vectors: its rows are the columns here.
fn matrix_bytes(matrix: &DMat4) -> [u8; 128] {
    let mut bytes = [0; 128];
    for (to, number) in bytes.chunks_exact_mut(8).zip(matrix.to_cols_array()) {
        to.copy_from_slice(&number.to_le_bytes());
    }
    bytes
}

fn flat<const N: usize, const B: usize>(numbers: [f32; N]) -> [u8; B] {
    let mut bytes = [0; B];
    bytes.copy_from_slice(numbers.map(f32::to_le_bytes).as_flattened());
    bytes
}

fn array<T, const N: usize>(
    sink: &mut Sink<'_, impl Write>,
    kind: Type,
    list: &[T],
    bytes: impl Fn(&T) -> [u8; N],
) -> io::Result<u64> {
    if list.is_empty() {
        return Ok(ARRAY | at(kind, 0));
    }
    let place = sink.align()?;
    sink.number(list.len() as u64)?;
    sink.items(list, bytes)?;
    Ok(ARRAY | at(kind, place))
}

/// Integers, compressed if there are enough.
fn ints(sink: &mut Sink<'_, impl Write>, numbers: impl ExactSizeIterator<Item = i32> + Clone) -> io::Result<u64> {
    let count = numbers.len();
    if !(LEAST_COMPRESSED..MOST_BYTES / 5).contains(&count) {
        let list: Vec<i32> = numbers.collect();
        return array(sink, Type::Int, &list, |number| number.to_le_bytes());
    }
    let place = sink.align()?;
    let bytes = compressed_ints(&numbers);
    sink.number(count as u64)?;
    sink.number(bytes.len() as u64)?;
    sink.write(&bytes)?;
    Ok(ARRAY | COMPRESSED | at(Type::Int, place))
}

/// Bytes of a stream in a frame.
pub(super) fn sample_bytes(stream: &Stream) -> u64 {
    8 + (stream.bytes() as u64).next_multiple_of(8)
}

/// Offsets of the samples of all streams.
pub(super) struct Samples {
    frames: u64,
    first: u64,
    frame_bytes: u64,
    /// Offset of each stream in a frame, and the stream.
    streams: Vec<(u64, Stream)>,
    /// Time codes of all samples.
    times: u64,
}

impl Samples {
    /// Writes all samples in order.
    pub fn record(
        streams: &[Stream],
        timing: &Timing,
        sample: &mut Sample<'_>,
        sink: &mut Sink<'_, impl Write>,
    ) -> Result<Self, AnimationError> {
        let first = sink.align()?;
        let frames = timing.frames;
        let mut lists = vec![Vec::new(); streams.len()];
        for frame in 0..frames {
            sample(frame, &mut lists)?;
            for (list, stream) in lists.iter().zip(streams) {
                sink.number(stream.count as u64)?;
                sink.write(list)?;
                sink.align()?;
            }
        }
        let times = at(Type::DoubleVector, sink.place());
        sink.number(frames as u64)?;
        for frame in 0..frames {
            sink.write(&timing.code(frame).to_le_bytes())?;
        }
        let mut frame_bytes = 0;
        let streams = streams.iter().map(|stream| {
            let start = frame_bytes;
            frame_bytes += sample_bytes(stream);
            (start, *stream)
        });
        let streams = streams.collect();
        Ok(Self { frames: frames as u64, first, frame_bytes, streams, times })
    }

    /// Writes the table of samples of one stream.
    pub fn table(&self, stream: usize, sink: &mut Sink<'_, impl Write>) -> io::Result<u64> {
        let (start, stream) = self.streams[stream];
        let kind = match stream.kind {
            Kind::Vec3 => Type::Vec3f,
            Kind::Quat => Type::Quatf,
        };
        let place = sink.align()?;
        // Relative offsets of times and samples: directly behind.
        sink.number(8)?;
        sink.number(self.times)?;
        sink.number(8)?;
        sink.number(self.frames)?;
        for frame in 0..self.frames {
            let place = if stream.count == 0 { 0 } else { self.first + frame * self.frame_bytes + start };
            sink.number(ARRAY | at(kind, place))?;
        }
        Ok(at(Type::TimeSamples, place))
    }
}
