//! A writer of MATLAB 5 files, as MATLAB writes them: integers in the narrowest type, small elements in
//! their header, variables compressed.

use std::io::Write as _;

use super::{axis, tree};

/// Options of the writer.
#[derive(Clone, Copy)]
pub struct Style {
    pub big_endian: bool,
    pub compressed: bool,
    /// Type of the parents: 1 int8, 2 uint8, 3 int16, 4 uint16, 5 int32, 6 uint32, 7 single, 9 double,
    /// 12 int64, 13 uint64.
    pub parents: u32,
    /// Type of lengths and radii: 7 or 9.
    pub reals: u32,
    /// Number of elements of the structure array; each is a metre thicker than the previous one.
    pub models: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self { big_endian: false, compressed: true, parents: 2, reals: 9, models: 1 }
    }
}

struct Writer {
    bytes: Vec<u8>,
    big_endian: bool,
}

impl Writer {
    fn word(&mut self, value: u32) {
        self.bytes.extend(if self.big_endian { value.to_be_bytes() } else { value.to_le_bytes() });
    }

    fn element(&mut self, kind: u32, data: &[u8]) {
        if data.len() <= 4 && !data.is_empty() {
            self.word((data.len() as u32) << 16 | kind);
            self.bytes.extend(data);
            self.bytes.resize(self.bytes.len() + 4 - data.len(), 0);
            return;
        }
        self.word(kind);
        self.word(data.len() as u32);
        self.bytes.extend(data);
        let end = self.bytes.len().next_multiple_of(8);
        self.bytes.resize(end, 0);
    }

    fn words(&mut self, kind: u32, values: &[u32]) {
        let mut inner = Self { bytes: Vec::new(), big_endian: self.big_endian };
        for &value in values {
            inner.word(value);
        }
        self.element(kind, &inner.bytes);
    }
}

fn number(kind: u32, value: f64, big_endian: bool) -> Vec<u8> {
    let mut bytes = match kind {
        1 => (value as i8).to_le_bytes().to_vec(),
        2 => (value as u8).to_le_bytes().to_vec(),
        3 => (value as i16).to_le_bytes().to_vec(),
        4 => (value as u16).to_le_bytes().to_vec(),
        5 => (value as i32).to_le_bytes().to_vec(),
        6 => (value as u32).to_le_bytes().to_vec(),
        7 => (value as f32).to_le_bytes().to_vec(),
        12 => (value as i64).to_le_bytes().to_vec(),
        13 => (value as u64).to_le_bytes().to_vec(),
        _ => value.to_le_bytes().to_vec(),
    };
    if big_endian {
        bytes.reverse();
    }
    bytes
}

/// Content of a matrix of class `class` (2 structure, 6 double, 13 uint32, 4 text).
fn matrix(style: &Style, class: u32, dims: [usize; 2], name: &str, inside: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer { bytes: Vec::new(), big_endian: style.big_endian };
    writer.words(6, &[class, 0]);
    writer.words(5, &dims.map(|d| d as u32));
    writer.element(1, name.as_bytes());
    inside(&mut writer);
    writer.bytes
}

fn numbers(style: &Style, kind: u32, columns: usize, name: &str, values: &[f64]) -> Vec<u8> {
    let class = if kind == 7 || kind == 9 { 6 } else { 13 };
    matrix(style, class, [values.len() / columns, columns], name, |writer| {
        let bytes: Vec<u8> = values.iter().flat_map(|&v| number(kind, v, style.big_endian)).collect();
        writer.element(kind, &bytes);
    })
}

fn structure(style: &Style, dims: [usize; 2], name: &str, fields: &[&str], values: &[Vec<u8>]) -> Vec<u8> {
    matrix(style, 2, dims, name, |writer| {
        writer.words(5, &[32]);
        let mut names = Vec::new();
        for field in fields {
            names.extend(field.bytes());
            names.resize(names.len().next_multiple_of(32), 0);
        }
        writer.element(1, &names);
        for value in values {
            writer.element(14, value);
        }
    })
}

/// Columns one after the other.
fn columns(rows: &[[f64; 3]]) -> Vec<f64> {
    (0..3).flat_map(|c| rows.iter().map(move |row| row[c])).collect()
}

fn file(style: &Style, variables: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = Writer { bytes: Vec::new(), big_endian: style.big_endian };
    writer.bytes.extend(format!("{:<124}", "MATLAB 5.0 MAT-file, written by a test").bytes());
    writer.bytes.extend(if style.big_endian { *b"\x01\x00MI" } else { *b"\x00\x01IM" });
    for variable in variables {
        if style.compressed {
            let mut inner = Writer { bytes: Vec::new(), big_endian: style.big_endian };
            inner.element(14, variable);
            let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            packed.write_all(&inner.bytes).unwrap();
            let packed = packed.finish().unwrap();
            writer.word(15);
            writer.word(packed.len() as u32);
            writer.bytes.extend(packed);
        } else {
            writer.element(14, variable);
        }
    }
    writer.bytes
}

/// The sample as `TreeQSM` 2.3 and later save it.
pub fn treeqsm(style: &Style) -> Vec<u8> {
    treeqsm_after(style, 0)
}

/// The same; the first models are empty.
pub fn treeqsm_after(style: &Style, empty: usize) -> Vec<u8> {
    let rows = tree();
    let column = |name: &str, kind: u32, f: &dyn Fn(&super::Row) -> f64| {
        numbers(style, kind, 1, name, &rows.iter().map(f).collect::<Vec<_>>())
    };
    let starts: Vec<[f64; 3]> = rows.iter().map(|row| row.start).collect();
    let axes: Vec<[f64; 3]> = rows.iter().map(|row| axis(row).1).collect();
    let cylinder = |model: usize| {
        structure(
            style,
            [1, 1],
            "",
            &["radius", "length", "start", "axis", "parent", "extension", "added", "branch", "BranchOrder"],
            &[
                column("", style.reals, &|row| row.radius + model as f64),
                column("", style.reals, &|row| axis(row).0),
                numbers(style, style.reals, 3, "", &columns(&starts)),
                numbers(style, style.reals, 3, "", &columns(&axes)),
                column("", style.parents, &|row| row.parent.map_or(0.0, |p| p as f64 + 1.0)),
                column("", 4, &|_| 0.0),
                column("", 2, &|_| 0.0),
                column("", 4, &|row| row.branch as f64),
                column("", 2, &|row| row.order as f64),
            ],
        )
    };
    let text = matrix(style, 4, [1, 5], "", |writer| writer.element(16, b"2.4.1"));
    let rundata = structure(style, [1, 1], "", &["version"], &[text]);
    let model = |model| if model < empty { numbers(style, 9, 1, "", &[]) } else { cylinder(model) };
    let models: Vec<Vec<u8>> = (0..style.models).flat_map(|m| [model(m), rundata.clone()]).collect();
    let qsm = structure(style, [1, style.models], "QSM", &["cylinder", "rundata"], &models);
    let other = numbers(style, 9, 1, "inputs", &[1.0, 2.0]);
    file(style, &[other, qsm])
}

/// The sample as `TreeQSM` 2.0 saved it: plain variables.
pub fn treeqsm_20(style: &Style) -> Vec<u8> {
    let rows = tree();
    let list = |f: &dyn Fn(&super::Row) -> f64| rows.iter().map(f).collect::<Vec<_>>();
    let starts: Vec<[f64; 3]> = rows.iter().map(|row| row.start).collect();
    let axes: Vec<[f64; 3]> = rows.iter().map(|row| axis(row).1).collect();
    let branches: Vec<[f64; 3]> = rows.iter().map(|row| [row.branch as f64, row.order as f64, 1.0]).collect();
    file(
        style,
        &[
            numbers(style, 9, 1, "Rad", &list(&|row| row.radius)),
            numbers(style, 9, 1, "Len", &list(&|row| axis(row).0)),
            numbers(style, 9, 3, "Sta", &columns(&starts)),
            numbers(style, 9, 3, "Axe", &columns(&axes)),
            numbers(style, style.parents, 1, "CPar", &list(&|row| row.parent.map_or(0.0, |p| p as f64 + 1.0))),
            numbers(style, 4, 3, "BoC", &columns(&branches)),
        ],
    )
}

/// Nested structures of this depth.
pub fn nested(depth: usize) -> Vec<u8> {
    let style = Style { compressed: false, ..Style::default() };
    let mut inner = numbers(&style, 9, 1, "", &[1.0]);
    for _ in 0..depth {
        inner = structure(&style, [1, 1], "QSM", &["cylinder"], &[inner]);
    }
    file(&style, &[inner])
}

/// A file that claims to decompress to this many zeros.
pub fn bomb(size: usize) -> Vec<u8> {
    let style = Style::default();
    let mut bytes = file(&style, &[]);
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&[14, 0, 0, 0]).unwrap();
    packed.write_all(&(size as u32).to_le_bytes()).unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..size >> 20 {
        packed.write_all(&zeros).unwrap();
    }
    let packed = packed.finish().unwrap();
    bytes.extend(15_u32.to_le_bytes());
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend(packed);
    bytes
}

/// A structure with this many empty cells, which compress to almost nothing.
pub fn many_cells(count: usize) -> Vec<u8> {
    let style = Style::default();
    let cells = matrix(&style, 1, [count, 1], "cells", |writer| {
        for _ in 0..count {
            writer.word(14);
            writer.word(0);
        }
    });
    file(&style, &[cells])
}

/// A tree without cylinders, whose radii have this shape.
pub fn shaped(dims: &[u32]) -> Vec<u8> {
    let style = Style { compressed: false, ..Style::default() };
    let mut writer = Writer { bytes: Vec::new(), big_endian: false };
    writer.words(6, &[6, 0]);
    writer.words(5, dims);
    writer.element(1, b"");
    writer.element(9, &[]);
    let table = structure(&style, [1, 1], "", &["radius"], &[writer.bytes]);
    file(&style, &[structure(&style, [1, 1], "QSM", &["cylinder"], &[table])])
}
