//! MATLAB files of level 5 (`save -v6`, `-v7`), limited to the types in tree models: numbers, structures
//! and cells.
//!
//! After "MAT-File Format" (`MathWorks` 2018). A file is a header of 128 bytes and data elements: a
//! type, a length and that many bytes. Every length is checked against the remaining bytes, nothing is
//! copied before its use, and decompression stops at a limit. The `matrw` crate reads these files, too,
//! but panics on damaged ones.

use std::borrow::Cow;
use std::io::Read;

/// Largest decompressed size of a file, bytes.
const MOST_UNPACKED: u64 = 256 << 20;
/// Largest number of fields and cells of all structures together: an empty one takes eight bytes, which
/// compress to almost none, and many more in memory.
const MOST_MEMBERS: usize = 2_000_000;
/// Greatest depth of nested structures.
const DEEPEST: usize = 12;

/// A variable, field or cell. Numbers stay in the encoding of the file until their use.
#[derive(Debug, Clone)]
pub(super) enum Value<'a> {
    Numbers {
        dims: Vec<usize>,
        kind: u32,
        bytes: &'a [u8],
        big_endian: bool,
    },
    /// All elements of a structure array, beginning with the fields of the first element.
    Struct {
        fields: Vec<&'a [u8]>,
        values: Vec<Value<'a>>,
    },
    Cell(Vec<Value<'a>>),
    /// Text, sparse matrices, objects.
    Other,
}

/// Whether bytes begin as a MATLAB file, including versions that cannot be read.
pub(super) fn is_mat(bytes: &[u8]) -> bool {
    // Version 1.0 precedes the endian mark: letters alone may be those of a text.
    bytes.starts_with(b"MATLAB ") || matches!(bytes.get(124..128), Some(b"\x00\x01IM" | b"\x01\x00MI"))
}

/// The decompressed parts of a file, from which [`variables`] can borrow.
pub(super) struct Unpacked<'a> {
    elements: Vec<(u32, Cow<'a, [u8]>)>,
    big_endian: bool,
}

type Result<T> = std::result::Result<T, String>;

const CUT_OFF: &str = "the file is cut off or damaged";

/// Splits the file into its elements and decompresses them.
pub(super) fn unpack(bytes: &[u8]) -> Result<Unpacked<'_>> {
    if bytes.starts_with(b"MATLAB 7.3") || bytes.starts_with(b"\x89HDF") {
        return Err("saved with -v7.3, which is another format: in MATLAB, load it and save it again with \
                    save('tree.mat', 'QSM', '-v7')"
            .to_owned());
    }
    let big_endian = match bytes.get(126..128) {
        Some(b"IM") => false,
        Some(b"MI") => true,
        _ => return Err(format!("{CUT_OFF}: it has no header of a MATLAB 5 file")),
    };
    let mut cursor = Cursor { bytes: &bytes[128..], big_endian };
    let mut elements = Vec::new();
    let mut left = MOST_UNPACKED;
    while !cursor.bytes.is_empty() {
        // Some writers pad the end with zeros.
        if cursor.bytes.iter().take(8).all(|&b| b == 0) {
            break;
        }
        let (kind, data) = cursor.element()?;
        if kind != MI_COMPRESSED {
            elements.push((kind, Cow::Borrowed(data)));
            continue;
        }
        let (kind, unpacked) = inflate(data, big_endian, left)?;
        left -= unpacked.len() as u64;
        elements.push((kind, Cow::Owned(unpacked)));
    }
    Ok(Unpacked { elements, big_endian })
}

/// Compressed data is one element with its own header.
fn inflate(packed: &[u8], big_endian: bool, most: u64) -> Result<(u32, Vec<u8>)> {
    let damaged = |e: std::io::Error| format!("{CUT_OFF}: {e}");
    let mut decoder = flate2::read::ZlibDecoder::new(packed);
    let mut head = [0; 8];
    decoder.read_exact(&mut head).map_err(damaged)?;
    let mut cursor = Cursor { bytes: &head, big_endian };
    let (kind, length) = (cursor.word()?, cursor.word()?);
    if u64::from(length) > most {
        return Err(format!("it unpacks to more than {} MiB", MOST_UNPACKED >> 20));
    }
    let length = length as usize;
    // No stream expands to more than 1032 times its size, independent of the length in its header.
    let mut unpacked = Vec::with_capacity(length.min(packed.len().saturating_mul(1032)));
    decoder.take(length as u64).read_to_end(&mut unpacked).map_err(damaged)?;
    if unpacked.len() < length {
        return Err(CUT_OFF.to_owned());
    }
    Ok((kind, unpacked))
}

/// The variables by name.
pub(super) fn variables<'a>(unpacked: &'a Unpacked<'_>) -> Result<Vec<(String, Value<'a>)>> {
    let matrices = unpacked.elements.iter().filter(|(kind, _)| *kind == MI_MATRIX);
    let mut left = MOST_MEMBERS;
    matrices.map(|(_, bytes)| matrix(Cursor { bytes, big_endian: unpacked.big_endian }, 0, &mut left)).collect()
}

impl Value<'_> {
    /// A field of an element of a structure, or of the structure in a cell.
    pub(super) fn field_of(&self, element: usize, name: &str) -> Option<&Value<'_>> {
        match self {
            Self::Struct { fields, values } => {
                let place = fields.iter().position(|field| *field == name.as_bytes())?;
                values.get(element.checked_mul(fields.len())? + place)
            }
            Self::Cell(cells) => cells.get(element)?.field(name),
            _ => None,
        }
    }

    /// A field of the first element.
    pub(super) fn field(&self, name: &str) -> Option<&Value<'_>> {
        self.field_of(0, name)
    }

    /// Number of elements of a structure or cell array.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Struct { fields, values } => values.len() / fields.len().max(1),
            Self::Cell(cells) => cells.len(),
            _ => 1,
        }
    }

    /// Rows and columns of numbers.
    pub(super) fn shape(&self) -> Option<(usize, usize)> {
        match self {
            // With one dimension zero the others can have any value.
            Self::Numbers { dims, .. } => Some((dims[0], dims[1..].iter().fold(1, |n, &d| n.saturating_mul(d)))),
            _ => None,
        }
    }

    /// The number at this index, in column-major order. For any class, MATLAB stores it in the narrowest
    /// type that holds all values.
    pub(super) fn number(&self, place: usize) -> f64 {
        let Self::Numbers { kind, bytes, big_endian, .. } = self else { return f64::NAN };
        let width = width(*kind).unwrap_or(1);
        let Some(raw) = bytes.get(place * width..(place + 1) * width) else { return f64::NAN };
        let mut little = [0; 8];
        little[..width].copy_from_slice(raw);
        if *big_endian {
            little[..width].reverse();
        }
        let bits = u64::from_le_bytes(little);
        match *kind {
            1 => f64::from(bits as i8),
            3 => f64::from(bits as i16),
            5 => f64::from(bits as i32),
            7 => f64::from(f32::from_bits(bits as u32)),
            9 => f64::from_bits(bits),
            12 => bits as i64 as f64,
            _ => bits as f64,
        }
    }
}

const MI_MATRIX: u32 = 14;
const MI_COMPRESSED: u32 = 15;

/// Size of one number of a type, bytes.
fn width(kind: u32) -> Option<usize> {
    match kind {
        1 | 2 => Some(1),
        3 | 4 => Some(2),
        5..=7 => Some(4),
        9 | 12 | 13 => Some(8),
        _ => None,
    }
}

#[derive(Clone, Copy)]
struct Cursor<'a> {
    bytes: &'a [u8],
    big_endian: bool,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (data, rest) = self.bytes.split_at_checked(count).ok_or(CUT_OFF)?;
        self.bytes = rest;
        Ok(data)
    }

    fn word(&mut self) -> Result<u32> {
        let raw = self.take(4)?.try_into().map_err(|_| CUT_OFF)?;
        Ok(if self.big_endian { u32::from_be_bytes(raw) } else { u32::from_le_bytes(raw) })
    }

    /// The next element: its type and its bytes.
    fn element(&mut self) -> Result<(u32, &'a [u8])> {
        let first = self.word()?;
        if first >> 16 != 0 {
            // Data of up to four bytes is in the header itself.
            let data = self.take(4)?;
            return Ok((first & 0xffff, data.get(..(first >> 16) as usize).ok_or(CUT_OFF)?));
        }
        let length = self.word()? as usize;
        let data = self.take(length)?;
        if first != MI_COMPRESSED {
            let padding = (8 - length % 8) % 8;
            self.take(padding.min(self.bytes.len()))?;
        }
        Ok((first, data))
    }

    fn words(&mut self) -> Result<Vec<u32>> {
        let mut inner = Cursor { bytes: self.element()?.1, big_endian: self.big_endian };
        (0..inner.bytes.len() / 4).map(|_| inner.word()).collect()
    }
}

/// Content of a matrix element.
fn matrix<'a>(mut cursor: Cursor<'a>, depth: usize, left: &mut usize) -> Result<(String, Value<'a>)> {
    // An empty element stands for an empty array.
    if cursor.bytes.is_empty() {
        return Ok((String::new(), Value::Other));
    }
    if depth > DEEPEST {
        return Err(format!("structures are nested more than {DEEPEST} deep"));
    }
    let class = cursor.words()?.first().ok_or(CUT_OFF)? & 0xff;
    if !matches!(class, 1 | 2 | 6..=15) {
        return Ok((String::new(), Value::Other));
    }
    let dims: Vec<usize> = cursor.words()?.into_iter().map(|d| d as usize).collect();
    let count = dims.iter().try_fold(1_usize, |n, &d| n.checked_mul(d)).ok_or(CUT_OFF)?;
    if dims.len() < 2 {
        return Err(CUT_OFF.to_owned());
    }
    let name = String::from_utf8_lossy(cursor.element()?.1).into_owned();
    let value = match class {
        1 => Value::Cell(members(&mut cursor, count, depth, left)?),
        2 => {
            let longest = *cursor.words()?.first().ok_or(CUT_OFF)? as usize;
            let names = cursor.element()?.1;
            if longest == 0 && !names.is_empty() {
                return Err(CUT_OFF.to_owned());
            }
            let fields: Vec<&[u8]> = names.chunks(longest.max(1)).map(until_zero).collect();
            let values = members(&mut cursor, count.checked_mul(fields.len()).ok_or(CUT_OFF)?, depth, left)?;
            Value::Struct { fields, values }
        }
        _ => {
            let (kind, bytes) = cursor.element()?;
            let fits = width(kind).and_then(|w| w.checked_mul(count)).is_some_and(|needed| needed <= bytes.len());
            if !fits {
                return Err(CUT_OFF.to_owned());
            }
            Value::Numbers { dims, kind, bytes, big_endian: cursor.big_endian }
        }
    };
    Ok((name, value))
}

fn members<'a>(cursor: &mut Cursor<'a>, count: usize, depth: usize, left: &mut usize) -> Result<Vec<Value<'a>>> {
    // Each has a header of eight bytes at least.
    if count > cursor.bytes.len() / 8 {
        return Err(CUT_OFF.to_owned());
    }
    *left = left
        .checked_sub(count)
        .ok_or_else(|| format!("its structures have more than {MOST_MEMBERS} fields and cells: save the tree alone"))?;
    (0..count)
        .map(|_| {
            let (kind, bytes) = cursor.element()?;
            if kind != MI_MATRIX {
                return Err(CUT_OFF.to_owned());
            }
            Ok(matrix(Cursor { bytes, ..*cursor }, depth + 1, left)?.1)
        })
        .collect()
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len())]
}
