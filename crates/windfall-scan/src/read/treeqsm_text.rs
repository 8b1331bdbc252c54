//! `TreeQSM` (Raumonen et al. 2013) as text: one cylinder per line, separated by tabs.
//!
//! | version | columns |
//! |---|---|
//! | 2.4, with a header of 13 names | radius, length, start (3), axis (3), parent, extension, branch, order, position, mad, `SurfCov`, added, `UnmodRadius` |
//! | 2.3, no header | radius, length, start (3), axis (3), parent, extension, added, `UnmodRadius`, branch, order, position |
//! | 2.3 of other writers, no header | radius, length, start (3), axis (3), parent, extension, branch, order, position, added, `UnmodRadius` |
//! | 2.0, no header | radius, length, start (3), axis (3), parent, extension, branch, order, position, added |
//!
//! The position of the column with integers only distinguishes the two orders of 15 columns. Parents
//! count lines from 1, 0 is none. `TreeQSM` writes six digits: with coordinates of a map grid, whole
//! metres.

use glam::DVec3;

use super::table::{number, whole};
use super::{Dialect, MOST_CYLINDERS, lines};
use crate::cylinder::{Cylinder, Scan};
use crate::error::ScanError;

const DIALECT: Dialect = Dialect::TreeQsmText;

pub(super) fn is_header(line: &str) -> bool {
    line.starts_with("radius") && line.contains("start_point") && line.contains("axis_direction")
}

/// Whether a line without a header can be a row of this dialect.
pub(super) fn is_row(line: &str) -> bool {
    let is_number = |field: &str| !number(field).is_nan() || field.eq_ignore_ascii_case("nan");
    matches!(fields(line).count(), 14 | 15 | 17) && fields(line).all(is_number)
}

/// The fields of a line. Between tabs and semicolons a comma is a decimal one.
fn fields(line: &str) -> impl Iterator<Item = &str> {
    let commas_divide = !line.contains(['\t', ';']);
    line.split(move |c| matches!(c, ' ' | '\t' | ';' | '\r') || (c == ',' && commas_divide))
        .filter(|field| !field.is_empty())
}

pub(super) fn read(text: &str) -> Result<Scan, ScanError> {
    let lines = lines(text).filter(|(_, line)| !is_header(line.trim_start()));
    let mut width = 0;
    let mut values: Vec<f64> = Vec::new();
    for (line_number, line) in lines {
        let before = values.len();
        values.extend(fields(line).map(number));
        let count = values.len() - before;
        if width == 0 {
            width = count;
        }
        if count != width || !matches!(width, 14 | 15 | 17) {
            return Err(DIALECT.error(format!(
                "line {line_number} has {count} numbers, not {}: is the file cut off?",
                if before == 0 { "14, 15 or 17".to_owned() } else { width.to_string() }
            )));
        }
        if values.len() / width > MOST_CYLINDERS {
            return Err(ScanError::TooMany);
        }
    }
    if width == 0 {
        return Ok(Scan::default());
    }
    let rows: Vec<&[f64]> = values.chunks_exact(width).collect();
    let branch = branch_column(&rows, width);
    let parent_of = |row: &[f64]| whole(row[8]).map_or(Some(usize::MAX), parent);
    let cylinders = rows
        .iter()
        .map(|row| {
            let start = DVec3::new(row[2], row[3], row[4]);
            let axis = DVec3::new(row[5], row[6], row[7]);
            let parent = parent_of(row);
            cylinder(
                start,
                axis,
                row[1],
                row[0],
                parent,
                parent.and_then(|p| rows.get(p)).map(|p| row[branch] == p[branch]),
            )
        })
        .collect();
    Ok(Scan::of_one_tree(cylinders))
}

/// Index of the column with the branch of a cylinder.
fn branch_column(rows: &[&[f64]], width: usize) -> usize {
    let all_whole = |column: usize| rows.iter().all(|row| row[column].fract() == 0.0);
    if width == 15 && all_whole(14) && !all_whole(11) { 12 } else { 10 }
}

/// A parent in one-based rows, 0 for none.
pub(super) fn parent(one_based: i64) -> Option<usize> {
    match one_based {
        0 => None,
        1.. => Some(one_based as usize - 1),
        _ => Some(usize::MAX),
    }
}

/// A cylinder from start, direction and length.
pub(super) fn cylinder(
    start: DVec3,
    axis: DVec3,
    length: f64,
    radius: f64,
    parent: Option<usize>,
    continues: Option<bool>,
) -> Cylinder {
    // The axis is a unit vector, except for rounding.
    let end = start + axis / axis.length() * length;
    Cylinder { start, end, base_radius: radius, tip_radius: radius, parent, continues, tree: 0 }
}
