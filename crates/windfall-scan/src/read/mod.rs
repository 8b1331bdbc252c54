//! Readers, one file per dialect; all return the same list.
//!
//! | dialect | parents | position of a cylinder | continues its parent |
//! |---|---|---|---|
//! | [`Dialect::TreeQsmMat`] | rows from 1, 0 is none | start, axis, length | same branch |
//! | [`Dialect::TreeQsmText`] | rows from 1, 0 is none | start, axis, length | same branch |
//! | [`Dialect::SimpleForest`] | by `ID`, -1 is none | start, end | same branch and order |
//! | [`Dialect::Archi`] | by `cyl_ID`, 0 is none | start, end | same axis |
//! | [`Dialect::Raycloud`] | segments from 0, -1 is none | tip, and the parent's tip | by shape |
//! | [`Dialect::AdTree`] | edges, from the foot up | two vertices | by shape |
//! | [`Dialect::Mtg`] | `<`, `+`, `/` | `XX YY ZZ` of the tip, and the parent's | `<` |
//! | [`Dialect::Plain`] | by `id` or row | start, end | `branch`, or by shape |

mod adtree;
mod archi;
mod mat5;
mod mtg;
mod plain;
mod ply;
mod raycloud;
mod simpleforest;
mod table;
mod treeqsm_mat;
mod treeqsm_text;

use std::borrow::Cow;
use std::fmt;

use crate::cylinder::Scan;
use crate::error::ScanError;
use crate::place::UpAxis;

/// Largest number of cylinders of one file.
pub const MOST_CYLINDERS: usize = 10_000_000;

/// Format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `TreeQSM`, MATLAB file of version 5 to 7.
    TreeQsmMat,
    /// `TreeQSM`, `cylinder_*.txt` of 2.4 or `cyl_data_*.txt` of 2.3.
    TreeQsmText,
    /// `SimpleForest` (`CompuTree`), CSV.
    SimpleForest,
    /// aRchi (R), CSV.
    Archi,
    /// raycloudtools, treefile.
    Raycloud,
    /// `AdTree`, skeleton as PLY.
    AdTree,
    /// `OpenAlea`, multiscale tree graph.
    Mtg,
    /// Windfall's own table.
    Plain,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 8] = [
        Self::TreeQsmMat,
        Self::TreeQsmText,
        Self::SimpleForest,
        Self::Archi,
        Self::Raycloud,
        Self::AdTree,
        Self::Mtg,
        Self::Plain,
    ];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::TreeQsmMat => "treeqsm-mat",
            Self::TreeQsmText => "treeqsm-text",
            Self::SimpleForest => "simpleforest",
            Self::Archi => "archi",
            Self::Raycloud => "raycloud",
            Self::AdTree => "adtree",
            Self::Mtg => "mtg",
            Self::Plain => "csv",
        }
    }

    /// The dialect with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    pub(crate) fn list() -> String {
        Self::ALL.map(|dialect| dialect.to_string()).join(", ")
    }

    pub(crate) fn error(self, reason: impl Into<String>) -> ScanError {
        ScanError::Content { dialect: self, reason: reason.into() }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TreeQsmMat => "TreeQSM (.mat)",
            Self::TreeQsmText => "TreeQSM (text)",
            Self::SimpleForest => "SimpleForest",
            Self::Archi => "aRchi",
            Self::Raycloud => "raycloudtools",
            Self::AdTree => "AdTree skeleton (PLY)",
            Self::Mtg => "MTG",
            Self::Plain => "plain CSV",
        })
    }
}

/// The dialect of a file, by its content; none if it is unknown.
pub fn detect(bytes: &[u8]) -> Option<Dialect> {
    let bytes = without_mark(bytes);
    if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
        return Some(Dialect::AdTree);
    }
    if mat5::is_mat(bytes) {
        return Some(Dialect::TreeQsmMat);
    }
    let head = &bytes[..bytes.len().min(64 << 10)];
    if head.contains(&0) {
        return None;
    }
    let head = text(head);
    let first = lines(&head).next()?.1.trim();
    if mtg::is_code(first) {
        return Some(Dialect::Mtg);
    }
    if raycloud::is_field_line(first) {
        return Some(Dialect::Raycloud);
    }
    // Before the tables: its header has spaces inside names and fewer names than columns.
    if treeqsm_text::is_header(first) || treeqsm_text::is_row(first) {
        return Some(Dialect::TreeQsmText);
    }
    let header = table::Header::new(first);
    if simpleforest::is_header(&header) {
        Some(Dialect::SimpleForest)
    } else if archi::is_header(&header) {
        Some(Dialect::Archi)
    } else {
        plain::is_header(&header).then_some(Dialect::Plain)
    }
}

/// Options of the readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// The axis of the file that points up; used where a file does not specify which end of a tree is
    /// its foot.
    pub up: UpAxis,
    /// Index of the model of a tree, from 0, in a file with several (`TreeQSM`'s MATLAB files).
    pub model: usize,
}

/// Reads a file of this dialect.
pub fn read(bytes: &[u8], dialect: Dialect, options: ReadOptions) -> Result<Scan, ScanError> {
    let bytes = without_mark(bytes);
    if bytes.is_empty() {
        return Err(ScanError::Empty);
    }
    let text = || text(bytes);
    let scan = match dialect {
        Dialect::TreeQsmMat => treeqsm_mat::read(bytes, options.model),
        Dialect::TreeQsmText => treeqsm_text::read(&text()),
        Dialect::SimpleForest => simpleforest::read(&text()),
        Dialect::Archi => archi::read(&text()),
        Dialect::Raycloud => raycloud::read(&text()),
        Dialect::AdTree => adtree::read(bytes, options.up),
        Dialect::Mtg => mtg::read(&text()),
        Dialect::Plain => plain::read(&text()),
    }?;
    if scan.cylinders.is_empty() {
        return Err(dialect.error("there are no cylinders in it"));
    }
    Ok(scan)
}

/// The bytes without a byte order mark, with which some editors begin text files.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Bytes as text with normalised line ends: lines of old Macs, and of spreadsheets on new ones, end with
/// `\r` alone.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes);
    if text.contains('\n') { text } else { Cow::Owned(text.replace('\r', "\n")) }
}

/// The non-empty lines with their numbers, from 1, without comments.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    (1..).zip(text.lines()).filter(|(_, line)| !matches!(line.trim_start().chars().next(), None | Some('#')))
}
