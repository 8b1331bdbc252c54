//! Numbers of accessors: any component type, normalised or not, interleaved, sparse. Every byte range is
//! checked against its buffer first, and numbers are decoded one item at a time: an accessor needs memory
//! only for its sparse items, regardless of its declared count.

use std::collections::BTreeMap;

use super::Document;
use crate::error::RigError;

/// Maximum number of items of an accessor without a buffer view (sparse): the file size does not bound
/// them.
const MOST_UNBACKED: u64 = 1_000_000;

/// The items of an accessor.
#[derive(Debug)]
pub(crate) struct Numbers<'a> {
    count: usize,
    /// `None`: all zeros.
    data: Option<Strided<'a>>,
    /// Sparse replacements of items.
    sparse: BTreeMap<u32, Vec<f64>>,
}

impl Numbers<'_> {
    pub fn len(&self) -> usize {
        self.count
    }

    /// The first N numbers of an item.
    pub fn item<const N: usize>(&self, i: usize) -> [f64; N] {
        if !self.sparse.is_empty()
            && let Some(item) = self.sparse.get(&(i as u32))
        {
            return std::array::from_fn(|k| item[k]);
        }
        self.data.as_ref().map_or([0.0; N], |data| data.item(i))
    }
}

/// Required component types of an accessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Any numbers.
    Numbers,
    /// Indices: unsigned, not normalised.
    Indices,
}

/// Strided items in a byte slice, bounds checked.
#[derive(Debug)]
struct Strided<'a> {
    /// Begins at the first item.
    bytes: &'a [u8],
    stride: usize,
    of: Component,
    normalized: bool,
}

impl Strided<'_> {
    fn item<const N: usize>(&self, i: usize) -> [f64; N] {
        let size = self.of.bytes();
        let begin = i * self.stride;
        std::array::from_fn(|k| self.of.number(&self.bytes[begin + k * size..], self.normalized))
    }

    fn items(&self, i: usize, width: usize) -> Vec<f64> {
        let numbers = self.bytes[i * self.stride..].chunks(self.of.bytes());
        numbers.take(width).map(|b| self.of.number(b, self.normalized)).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    /// Whether it is an unsigned integer type.
    fn counts(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32)
    }

    fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// Normalised according to glTF: `max(c / 127, -1)` and similar.
    fn number(self, b: &[u8], normalized: bool) -> f64 {
        let (value, most) = match self {
            Self::I8 => (f64::from(b[0] as i8), 127.0),
            Self::U8 => (f64::from(b[0]), 255.0),
            Self::I16 => (f64::from(i16::from_le_bytes([b[0], b[1]])), 32767.0),
            Self::U16 => (f64::from(u16::from_le_bytes([b[0], b[1]])), 65535.0),
            Self::U32 => (f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])), 4_294_967_295.0),
            Self::F32 => return f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        };
        if normalized { (value / most).max(-1.0) } else { value }
    }
}

impl Document {
    /// All numbers of an accessor of this type (`VEC3` and so on).
    pub(crate) fn numbers(&self, accessor: usize, kind: &str, wanted: Wanted) -> Result<Numbers<'_>, RigError> {
        let broken = |reason: String| RigError::broken(format!("accessors[{accessor}]"), reason);
        let accessors = &self.schema.accessors;
        let a = accessors.get(accessor).ok_or_else(|| broken(format!("the file has only {}", accessors.len())))?;
        if a.kind != kind {
            return Err(broken(format!("type = {}, and {kind} is needed here", a.kind)));
        }
        let width = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let component =
            |code: u32| Component::of(code).ok_or_else(|| broken(format!("componentType = {code} is none of glTF")));
        let of = component(a.component_type)?;
        if wanted == Wanted::Indices && (!of.counts() || a.normalized) {
            let reason = format!("componentType = {} can't count: 5121, 5123 or 5125 is needed here", a.component_type);
            return Err(broken(reason));
        }
        let data = match a.buffer_view {
            Some(view) => Some(self.strided(view, a.byte_offset, a.count, width, of, a.normalized).map_err(broken)?),
            None if a.count > MOST_UNBACKED => {
                return Err(broken(format!("count = {} items without data: {MOST_UNBACKED} at most", a.count)));
            }
            None => None,
        };
        let mut sparse = BTreeMap::new();
        if let Some(said) = &a.sparse {
            let code = said.indices.component_type.unwrap_or(0);
            let places = component(code)?;
            if !places.counts() {
                return Err(broken(format!("sparse indices of componentType = {code}: it must be 5121, 5123 or 5125")));
            }
            let (at, by) = (&said.indices, &said.values);
            let places = self.strided(at.buffer_view, at.byte_offset, said.count, 1, places, false).map_err(broken)?;
            let news =
                self.strided(by.buffer_view, by.byte_offset, said.count, width, of, a.normalized).map_err(broken)?;
            for i in 0..said.count as usize {
                let [place] = places.item(i);
                if place >= a.count as f64 {
                    return Err(broken(format!("a sparse value for item {place} of {}", a.count)));
                }
                sparse.insert(place as u32, news.items(i, width));
            }
        }
        Ok(Numbers { count: a.count as usize, data, sparse })
    }

    fn strided(
        &self,
        view: usize,
        offset: u64,
        count: u64,
        width: usize,
        of: Component,
        normalized: bool,
    ) -> Result<Strided<'_>, String> {
        let bytes = self.view(view)?;
        let size = width * of.bytes();
        let stride = self.schema.buffer_views[view].byte_stride.unwrap_or(size as u64);
        if stride < size as u64 {
            return Err(format!(
                "byteStride = {stride} of bufferViews[{view}] is less than the {size} bytes of an item"
            ));
        }
        let needed = match count {
            0 => Some(0),
            n => {
                (n - 1).checked_mul(stride).and_then(|b| b.checked_add(size as u64)).and_then(|b| b.checked_add(offset))
            }
        };
        if needed.is_none_or(|needed| needed > bytes.len() as u64) {
            return Err(format!("{count} items don't fit into the {} bytes of bufferViews[{view}]", bytes.len()));
        }
        let bytes = if count == 0 { &[] } else { &bytes[offset as usize..] };
        Ok(Strided { bytes, stride: stride as usize, of, normalized })
    }

    fn view(&self, view: usize) -> Result<&[u8], String> {
        let v = self.schema.buffer_views.get(view).ok_or_else(|| format!("there is no bufferViews[{view}]"))?;
        if v.extensions.contains_key("EXT_meshopt_compression") || v.extensions.contains_key("KHR_meshopt_compression")
        {
            return Err(format!("bufferViews[{view}] is compressed by meshopt: export the tree without compression"));
        }
        let buffer = self.buffers.get(v.buffer).ok_or_else(|| format!("there is no buffers[{}]", v.buffer))?.as_slice();
        let end = v.byte_offset.checked_add(v.byte_length).filter(|&end| end <= buffer.len() as u64);
        let end =
            end.ok_or_else(|| format!("bufferViews[{view}] goes beyond the {} bytes of its buffer", buffer.len()))?;
        Ok(&buffer[v.byte_offset as usize..end as usize])
    }
}
