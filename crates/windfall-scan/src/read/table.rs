//! Tables as text: CSV with commas, semicolons, tabs or spaces, with or without quotes, as spreadsheets
//! and R write them.

use std::cmp::Ordering;
use std::collections::HashMap;

use glam::DVec3;

use super::{Dialect, MOST_CYLINDERS, lines};
use crate::cylinder::{Cylinder, Scan};
use crate::error::ScanError;

/// The names of the columns, in lower case, without quotes and surrounding spaces.
pub(super) struct Header {
    delimiter: char,
    names: Vec<String>,
    /// Number of fields of its line: more than names where it ends with delimiters.
    width: usize,
}

impl Header {
    pub(super) fn new(line: &str) -> Self {
        let delimiter = ['\t', ';', ','].into_iter().find(|&d| line.contains(d)).unwrap_or(' ');
        let mut names: Vec<String> = split(line, delimiter).map(|name| unquoted(name).to_ascii_lowercase()).collect();
        let width = names.len();
        // A header may end with a delimiter where its rows do not.
        while names.len() > 1 && names.last().is_some_and(String::is_empty) {
            names.pop();
        }
        Self { delimiter, names, width }
    }

    /// The column with this name; none for the empty name, which R writes above row names.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name && !name.is_empty())
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.find(name).is_some())
    }

    /// The relevant fields of a row: as many as the header has, and two more.
    fn fields<'a>(&self, row: &'a str) -> impl Iterator<Item = &'a str> {
        split(row, self.delimiter).take(self.width + 2)
    }

    fn must(&self, dialect: Dialect, name: &str) -> Result<usize, ScanError> {
        self.find(name).ok_or_else(|| dialect.error(format!("the column {name} is missing")))
    }
}

/// The fields of a line; a delimiter between quotes is ignored, and a run of spaces counts as one.
fn split(line: &str, delimiter: char) -> impl Iterator<Item = &str> {
    // An unpaired quote is not a quotation mark.
    let in_pairs = line.matches('"').count().is_multiple_of(2);
    let mut inside = false;
    let fields = line.split(move |c| {
        inside ^= in_pairs && c == '"';
        c == delimiter && !inside
    });
    fields.filter(move |field| delimiter != ' ' || !field.is_empty())
}

/// Number of fields without the empty ones at the end.
fn filled<'a>(fields: impl Iterator<Item = &'a str>) -> usize {
    fields.enumerate().filter(|(_, field)| !field.trim().is_empty()).last().map_or(0, |(place, _)| place + 1)
}

fn unquoted(field: &str) -> &str {
    field.trim().trim_matches('"').trim()
}

/// A field as a number; NaN if it is none. Spreadsheets of some countries write a decimal comma.
pub(super) fn number(field: &str) -> f64 {
    let field = unquoted(field);
    field.parse().unwrap_or_else(|_| field.replace(',', ".").parse().unwrap_or(f64::NAN))
}

/// The id of a parent. A field that is not a number becomes an id that does not exist, unless it means
/// "no parent".
fn parent_id(field: &str) -> Option<i64> {
    let says_none = || ["", "na", "nan", "null", "none"].iter().any(|none| unquoted(field).eq_ignore_ascii_case(none));
    whole(number(field)).or_else(|| (!says_none()).then_some(i64::MAX))
}

/// The names of the columns of a dialect.
pub(super) struct Columns {
    pub(super) dialect: Dialect,
    pub(super) id: &'static str,
    pub(super) parent: &'static str,
    /// Six coordinates.
    pub(super) ends: [&'static str; 6],
    pub(super) radius: &'static str,
    /// This and the following are empty where the dialect has none.
    pub(super) tip_radius: &'static str,
    pub(super) branch: &'static str,
    /// Column of the order: two cylinders of a branch belong together only if it is the same, too.
    pub(super) order: &'static str,
    pub(super) tree: &'static str,
    /// Whether rows may begin with a name without a column name, as R's `write.table` writes them.
    pub(super) row_names: bool,
    /// Values for "no parent", in addition to an empty field.
    pub(super) no_parent: fn(i64) -> bool,
}

/// Number of rows that decide whether rows begin with a name.
const SAMPLE: usize = 100;

/// One cylinder of a table, with the ids of the file.
struct Row {
    cylinder: Cylinder,
    id: i64,
    parent: Option<i64>,
    branch: Option<(i64, i64)>,
}

/// Reads a table with one cylinder per row.
pub(super) fn read(text: &str, columns: &Columns) -> Result<Scan, ScanError> {
    let dialect = columns.dialect;
    let mut lines = lines(text);
    let (_, first) = lines.next().ok_or(ScanError::Empty)?;
    let header = Header::new(first);
    let mut places = [0; 6];
    for (place, name) in places.iter_mut().zip(columns.ends) {
        *place = header.must(dialect, name)?;
    }
    let radius = header.must(dialect, columns.radius)?;
    let (id, parent) = (header.find(columns.id), header.find(columns.parent));
    let (branch, order) = (header.find(columns.branch), header.find(columns.order));
    let (tip_radius, tree) = (header.find(columns.tip_radius), header.find(columns.tree));
    let skip = usize::from(has_row_names(lines.clone().map(|(_, line)| line), &header, columns));
    let mut names = Names::default();
    let mut rows: Vec<Row> = Vec::new();
    let mut fields: Vec<&str> = Vec::with_capacity(header.width + 2);
    for (line_number, line) in lines {
        fields.clear();
        fields.extend(header.fields(line));
        let filled = filled(fields.iter().copied());
        if fields.len() < header.names.len() + skip {
            return Err(dialect.error(format!(
                "line {line_number} has {} fields, the header {}{}: is the file cut off?",
                fields.len(),
                header.names.len(),
                if skip > 0 { ", and rows begin with a name" } else { "" }
            )));
        }
        if filled > header.width + 1 {
            return Err(dialect.error(format!(
                "line {line_number} has more fields than the header, which has {}: numbers with decimal commas need another delimiter \
                 between them, and text with a delimiter in it needs quotes",
                header.names.len()
            )));
        }
        let field = |column: usize| fields[column + skip];
        let whole = |column: Option<usize>| column.and_then(|c| whole(number(field(c))));
        let [sx, sy, sz, ex, ey, ez] = places.map(|c| number(field(c)));
        let base_radius = number(field(radius));
        rows.push(Row {
            cylinder: Cylinder {
                start: DVec3::new(sx, sy, sz),
                end: DVec3::new(ex, ey, ez),
                base_radius,
                tip_radius: tip_radius.map_or(base_radius, |c| number(field(c))),
                parent: None,
                continues: None,
                tree: tree.map_or(0, |c| names.number(unquoted(field(c)))),
            },
            id: whole(id).unwrap_or(rows.len() as i64),
            parent: parent.and_then(|c| parent_id(field(c))),
            // With an extra value in the row, the last columns do not match their names.
            branch: whole(branch).filter(|_| filled <= header.width + skip).map(|b| (b, whole(order).unwrap_or(0))),
        });
        if rows.len() > MOST_CYLINDERS {
            return Err(ScanError::TooMany);
        }
    }
    // No row is its own parent: where the first one would be, rows count from 1, and 0 means none.
    let from_one = id.is_none() && rows.first().is_some_and(|row| row.parent == Some(0));
    for row in rows.iter_mut().filter(|_| from_one) {
        row.id += 1;
    }
    let (cylinders, again) = linked(&rows, columns.no_parent);
    let mut scan = Scan::of_one_tree(cylinders);
    if from_one {
        scan.notes.push("there are no ids, and the first row has the parent 0: parents count rows from 1".to_owned());
    }
    if tree.is_some() {
        scan.trees = names.list;
    }
    if again > 0 {
        scan.notes.push(format!(
            "{again} rows have an id that a row above them has: parents are the nearest rows above with their id. Are these several trees? \
             A column `tree` would tell them apart"
        ));
    }
    Ok(scan)
}

/// Whether the rows begin with a name without a column name. Longer rows may also end with a delimiter,
/// or with a value without a name: the interpretation that makes more rows valid is taken, and row names
/// in a tie.
fn has_row_names<'a>(mut rows: impl Iterator<Item = &'a str> + Clone, header: &Header, columns: &Columns) -> bool {
    let Some(first) = rows.clone().next().filter(|_| columns.row_names) else { return false };
    if header.fields(first).count() <= header.width {
        return false;
    }
    // R writes names in quotes, and numbers without.
    let number =
        |name: &str| [columns.id, columns.parent, columns.radius].contains(&name) || columns.ends.contains(&name);
    let mut quoted = header.fields(first).map(|field| field.trim_start().starts_with('"'));
    if quoted.next() == Some(true) && quoted.next() == Some(false) && number(&header.names[0]) {
        return true;
    }
    let sound = |skip: usize| rows.clone().take(SAMPLE).filter(|row| is_sound(row, skip, header, columns)).count();
    match sound(1).cmp(&sound(0)) {
        Ordering::Greater => true,
        Ordering::Less => false,
        Ordering::Equal => rows.any(|row| filled(header.fields(row)) > header.width),
    }
}

/// Whether a row can be a cylinder after its first fields are skipped.
fn is_sound(row: &str, skip: usize, header: &Header, columns: &Columns) -> bool {
    let fields: Vec<&str> = header.fields(row).skip(skip).collect();
    let field = |name: &str| header.find(name).and_then(|c| fields.get(c)).copied();
    let [start, end] = [0, 3].map(|first| [0, 1, 2].map(|k| field(columns.ends[first + k]).map_or(f64::NAN, number)));
    let (id, parent) = (field(columns.id).map(|f| whole(number(f))), field(columns.parent).and_then(parent_id));
    [start, end].as_flattened().iter().all(|v| v.is_finite())
        && start != end
        && field(columns.radius).is_some_and(|f| number(f) > 0.0)
        && id.is_none_or(|id| id.is_some() && id != parent)
        && parent != Some(i64::MAX)
}

/// The value as an integer; none if it is not one or far too large.
pub(super) fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i64)
}

/// Names of trees, numbered in order of appearance.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.list.len() as u32;
        self.list.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// Resolves ids to list indices. The second result is the number of rows with an id that an earlier row
/// has.
fn linked(rows: &[Row], no_parent: fn(i64) -> bool) -> (Vec<Cylinder>, usize) {
    // Ids are unique within a tree only.
    let mut firsts: HashMap<(u32, i64), usize> = HashMap::with_capacity(rows.len());
    let mut later: HashMap<(u32, i64), Vec<usize>> = HashMap::new();
    for (place, row) in rows.iter().enumerate() {
        let key = (row.cylinder.tree, row.id);
        if *firsts.entry(key).or_insert(place) != place {
            later.entry(key).or_default().push(place);
        }
    }
    let has_zero = |tree: u32| firsts.contains_key(&(tree, 0));
    // Concatenated tables of several trees reuse their ids: the nearest earlier row counts, else the
    // first.
    let nearest = |key: (u32, i64), row: usize| {
        let above = later.get(&key).map_or(&[][..], Vec::as_slice);
        let above = above[..above.partition_point(|&place| place < row)].last();
        above.or_else(|| firsts.get(&key)).copied()
    };
    let link = |(i, row): (usize, &Row)| {
        let tree = row.cylinder.tree;
        let parent = row.parent.filter(|&id| !no_parent(id) && (id != 0 || has_zero(tree)));
        let parent = parent.map(|id| nearest((tree, id), i).unwrap_or(usize::MAX));
        let branch_of_parent = parent.and_then(|p| rows.get(p)).and_then(|p| p.branch);
        let continues = row.branch.zip(branch_of_parent).map(|(own, parents)| own == parents);
        Cylinder { parent, continues, ..row.cylinder }
    };
    (rows.iter().enumerate().map(link).collect(), rows.len() - firsts.len())
}
