//! PLY files, limited to the types in skeletons: columns of numbers by element and property, ASCII and
//! binary.

use super::MOST_CYLINDERS;

/// An element: its number of rows, and its properties with one number per row. Of a list only the first
/// two numbers are kept, as `name.0` and `name.1`.
pub(super) struct Element {
    pub(super) name: String,
    pub(super) rows: usize,
    columns: Vec<(String, Vec<f64>)>,
}

impl Element {
    pub(super) fn column(&self, name: &str) -> Option<&[f64]> {
        self.columns.iter().find(|(n, _)| n == name).map(|(_, values)| values.as_slice())
    }
}

#[derive(Clone, Copy)]
enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Number {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    fn width(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

struct Property {
    name: String,
    /// Type of the number of entries, if it is a list.
    list: Option<Number>,
    number: Number,
}

struct Plan {
    name: String,
    rows: usize,
    properties: Vec<Property>,
}

enum Source<'a> {
    Text(std::str::SplitAsciiWhitespace<'a>),
    Binary { bytes: &'a [u8], big_endian: bool },
}

const CUT_OFF: &str = "the file is cut off";

impl Source<'_> {
    fn next(&mut self, number: Number) -> Result<f64, String> {
        match self {
            Self::Text(words) => {
                let word = words.next().ok_or(CUT_OFF)?;
                word.parse().map_err(|_| format!("`{}` is no number", word.chars().take(20).collect::<String>()))
            }
            Self::Binary { bytes, big_endian } => {
                let width = number.width();
                let (raw, rest) = bytes.split_at_checked(width).ok_or(CUT_OFF)?;
                *bytes = rest;
                let mut little = [0; 8];
                little[..width].copy_from_slice(raw);
                if *big_endian {
                    little[..width].reverse();
                }
                let bits = u64::from_le_bytes(little);
                Ok(match number {
                    Number::I8 => f64::from(bits as i8),
                    Number::I16 => f64::from(bits as i16),
                    Number::I32 => f64::from(bits as i32),
                    Number::F32 => f64::from(f32::from_bits(bits as u32)),
                    Number::F64 => f64::from_bits(bits),
                    Number::U8 | Number::U16 | Number::U32 => bits as f64,
                })
            }
        }
    }

    /// Whether the remaining bytes can hold this many numbers: each takes a byte at least.
    fn may_have(&self, count: usize) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Binary { bytes, .. } => count <= bytes.len(),
        }
    }
}

/// Reads all elements up to the last one that is used.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Element>, String> {
    let end = find(bytes, b"end_header").ok_or("the header has no end")?;
    let header = String::from_utf8_lossy(&bytes[..end]);
    let line_end = bytes[end..].iter().position(|&b| b == b'\n').ok_or(CUT_OFF)?;
    let body = &bytes[end + line_end + 1..];
    let (format, plans) = plan(&header)?;
    let text = String::from_utf8_lossy(if format == "ascii" { body } else { b"" });
    let mut source = match format.as_str() {
        "ascii" => Source::Text(text.split_ascii_whitespace()),
        "binary_little_endian" => Source::Binary { bytes: body, big_endian: false },
        "binary_big_endian" => Source::Binary { bytes: body, big_endian: true },
        other => return Err(format!("the format `{other}` is unknown")),
    };
    plans.into_iter().map(|plan| element(plan, &mut source)).collect()
}

fn element(plan: Plan, source: &mut Source<'_>) -> Result<Element, String> {
    if plan.rows > MOST_CYLINDERS || !source.may_have(plan.rows.saturating_mul(plan.properties.len())) {
        return Err(format!("{} {} are more than the file can hold", plan.rows, plan.name));
    }
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    for property in &plan.properties {
        match property.list {
            None => columns.push((property.name.clone(), Vec::new())),
            Some(_) => columns.extend([0, 1].map(|k| (format!("{}.{k}", property.name), Vec::new()))),
        }
    }
    for _ in 0..plan.rows {
        let mut column = 0;
        for property in &plan.properties {
            let Some(counted) = property.list else {
                columns[column].1.push(source.next(property.number)?);
                column += 1;
                continue;
            };
            let count = source.next(counted)?;
            if !(0.0..=1e6).contains(&count) {
                return Err(format!("a list of {count} numbers"));
            }
            let mut pair = [f64::NAN; 2];
            for k in 0..count as usize {
                let value = source.next(property.number)?;
                if let Some(kept) = pair.get_mut(k) {
                    *kept = value;
                }
            }
            for value in pair {
                columns[column].1.push(value);
                column += 1;
            }
        }
    }
    Ok(Element { name: plan.name, rows: plan.rows, columns })
}

/// The format, and the elements of the file.
fn plan(header: &str) -> Result<(String, Vec<Plan>), String> {
    let mut format = String::new();
    let mut plans: Vec<Plan> = Vec::new();
    for line in header.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let wrong = || format!("the header has the line `{}`", line.chars().take(60).collect::<String>());
        match words.as_slice() {
            ["format", name, ..] => (*name).clone_into(&mut format),
            ["element", name, rows] => {
                let rows = rows.parse().map_err(|_| wrong())?;
                plans.push(Plan { name: (*name).to_owned(), rows, properties: Vec::new() });
            }
            ["property", rest @ ..] => {
                let plan = plans.last_mut().ok_or_else(wrong)?;
                let (list, number, name) = match rest {
                    ["list", counted, number, name] => (Some(Number::named(counted).ok_or_else(wrong)?), number, name),
                    [number, name] => (None, number, name),
                    _ => return Err(wrong()),
                };
                if plan.properties.len() >= 64 {
                    return Err("an element has more than 64 properties".to_owned());
                }
                let number = Number::named(number).ok_or_else(wrong)?;
                plan.properties.push(Property { name: (*name).to_owned(), list, number });
            }
            _ => {}
        }
    }
    Ok((format, plans))
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).take(1 << 16).position(|window| window == what)
}
