//! Numbers of accessors: any component type, normalised or not, interleaved, sparse. Every place is checked against its buffer before anything
//! is allocated.

use super::Document;
use crate::error::RigError;

/// Items of an accessor without data of its own (sparse), at most: nothing in the file bounds them.
const MOST_UNBACKED: u64 = 10_000_000;

/// A flat list of numbers, `width` for each item.
#[derive(Debug)]
pub(crate) struct Numbers {
    pub values: Vec<f64>,
    pub width: usize,
}

impl Numbers {
    pub fn len(&self) -> usize {
        self.values.len() / self.width
    }

    pub fn item(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..(i + 1) * self.width]
    }
}

#[derive(Clone, Copy)]
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

    fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// Normalised as glTF says: `max(c / 127, -1)` and its like.
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
    pub(crate) fn numbers(&self, accessor: usize, kind: &str) -> Result<Numbers, RigError> {
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
        let mut values = match a.buffer_view {
            Some(view) => self.strided(view, a.byte_offset, a.count, width, of, a.normalized).map_err(broken)?,
            None if a.count > MOST_UNBACKED => return Err(broken(format!("count = {} items without data", a.count))),
            None => vec![0.0; a.count as usize * width],
        };
        if let Some(sparse) = &a.sparse {
            let places = component(sparse.indices.component_type.unwrap_or(0))?;
            let (at, by) = (&sparse.indices, &sparse.values);
            let places =
                self.strided(at.buffer_view, at.byte_offset, sparse.count, 1, places, false).map_err(broken)?;
            let news =
                self.strided(by.buffer_view, by.byte_offset, sparse.count, width, of, a.normalized).map_err(broken)?;
            for (&place, new) in places.iter().zip(news.chunks_exact(width)) {
                let item = (place >= 0.0 && place < a.count as f64).then_some(place as usize);
                let old = item.and_then(|item| values.get_mut(item * width..(item + 1) * width));
                old.ok_or_else(|| broken(format!("a sparse value for item {place} of {}", a.count)))?
                    .copy_from_slice(new);
            }
        }
        Ok(Numbers { values, width })
    }

    fn strided(
        &self,
        view: usize,
        offset: u64,
        count: u64,
        width: usize,
        of: Component,
        normalized: bool,
    ) -> Result<Vec<f64>, String> {
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
        let mut values = Vec::with_capacity(count as usize * width);
        for item in 0..count as usize {
            let begin = offset as usize + item * stride as usize;
            let numbers = bytes[begin..begin + size].chunks_exact(of.bytes());
            values.extend(numbers.map(|b| of.number(b, normalized)));
        }
        Ok(values)
    }

    fn view(&self, view: usize) -> Result<&[u8], String> {
        let v = self.schema.buffer_views.get(view).ok_or_else(|| format!("there is no bufferViews[{view}]"))?;
        if v.extensions.contains_key("EXT_meshopt_compression") || v.extensions.contains_key("KHR_meshopt_compression")
        {
            return Err(format!("bufferViews[{view}] is compressed by meshopt: export the tree without compression"));
        }
        let buffer = self.buffers.get(v.buffer).ok_or_else(|| format!("there is no buffers[{}]", v.buffer))?;
        let end = v.byte_offset.checked_add(v.byte_length).filter(|&end| end <= buffer.len() as u64);
        let end =
            end.ok_or_else(|| format!("bufferViews[{view}] goes beyond the {} bytes of its buffer", buffer.len()))?;
        Ok(&buffer[v.byte_offset as usize..end as usize])
    }
}
