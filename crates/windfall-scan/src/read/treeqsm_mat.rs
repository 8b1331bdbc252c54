//! `TreeQSM` (Raumonen et al. 2013) as a MATLAB file.
//!
//! From 2.3 on a structure, often an array of several models of the same tree, with the field
//! `cylinder`: a structure of `radius`, `length`, `start` (n x 3), `axis` (n x 3), `parent`, `branch`.
//! Version 2.0 has the variables `Rad`, `Len`, `Sta`, `Axe`, `CPar`, `BoC`. Parents count rows from 1, 0
//! is none; their integer type is the narrowest that holds them.

use glam::DVec3;

use super::mat5::{self, Value};
use super::treeqsm_text::{cylinder, parent};
use super::{Dialect, MOST_CYLINDERS};
use crate::cylinder::Scan;
use crate::error::ScanError;
use crate::read::table::whole;

const DIALECT: Dialect = Dialect::TreeQsmMat;

pub(super) fn read(bytes: &[u8], model: usize) -> Result<Scan, ScanError> {
    let wrong = |reason: String| DIALECT.error(reason);
    let unpacked = mat5::unpack(bytes).map_err(wrong)?;
    let variables = mat5::variables(&unpacked).map_err(wrong)?;
    let variable = |name: &str| variables.iter().find(|(n, _)| n == name).map(|(_, value)| value);
    for (name, value) in &variables {
        let inner = value.field_of(model, "cylinder");
        if inner.is_none() && value.field("cylinder").is_some() {
            return Err(DIALECT.error(format!(
                "{name} holds {} models: there is no model {}",
                value.count(),
                model + 1
            )));
        }
        // A failed model is present but empty.
        let has_wood = |model: &usize| {
            let radius = value.field_of(*model, "cylinder").and_then(|table| table.field("radius"));
            radius.and_then(Value::shape).is_some_and(|(rows, columns)| rows * columns > 0)
        };
        if inner.is_some()
            && !has_wood(&model)
            && let Some(other) = (0..value.count()).find(has_wood)
        {
            return Err(DIALECT.error(format!(
                "model {} of {name} is empty: the first that is not is model {}",
                model + 1,
                other + 1
            )));
        }
        let Some(table) = inner.or(Some(value)).filter(|table| table.field("radius").is_some()) else { continue };
        let mut scan = cylinders(|field| {
            let names = ["radius", "length", "start", "axis", "parent", "branch"];
            table.field(names[field as usize])
        })?;
        if inner.is_some() && value.count() > 1 {
            scan.notes.push(format!("{name} holds {} models; number {} was read", value.count(), model + 1));
        }
        return Ok(scan);
    }
    if variable("Rad").is_some() {
        return cylinders(|field| variable(["Rad", "Len", "Sta", "Axe", "CPar", "BoC"][field as usize]));
    }
    let found: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).take(10).collect();
    Err(DIALECT.error(format!(
        "no variable has a structure `cylinder` with `radius`, `length`, `start`, `axis` and `parent` (found: {})",
        if found.is_empty() { "none".to_owned() } else { found.join(", ") }
    )))
}

#[derive(Clone, Copy)]
enum Field {
    Radius,
    Length,
    Start,
    Axis,
    Parent,
    Branch,
}

const FIELDS: [(Field, &str, usize); 5] = [
    (Field::Radius, "radius", 1),
    (Field::Length, "length", 1),
    (Field::Start, "start", 3),
    (Field::Axis, "axis", 3),
    (Field::Parent, "parent", 1),
];

fn cylinders<'a>(get: impl Fn(Field) -> Option<&'a Value<'a>>) -> Result<Scan, ScanError> {
    let radius = get(Field::Radius).and_then(Value::shape);
    let (rows, columns) = radius.ok_or_else(|| DIALECT.error("the radii are no numbers"))?;
    // Both row and column vectors occur.
    let count = rows * columns;
    if count > MOST_CYLINDERS {
        return Err(ScanError::TooMany);
    }
    for (field, name, columns) in FIELDS {
        let shape = get(field).and_then(Value::shape);
        let fits = shape.is_some_and(|(r, c)| r * c == count * columns && (columns == 1 || r == count));
        if !fits {
            return Err(DIALECT.error(format!("`{name}` must hold {count} x {columns} numbers, as many as `radius`")));
        }
    }
    let at = |field: Field, place: usize| get(field).map_or(f64::NAN, |value| value.number(place));
    let three = |f, i| DVec3::new(at(f, i), at(f, i + count), at(f, i + 2 * count));
    // In version 2.0 the branch is the first of three columns.
    let has_branches = get(Field::Branch).and_then(Value::shape).is_some_and(|(r, c)| r == count || r * c == count);
    let cylinders = (0..count)
        .map(|i| {
            let parent = whole(at(Field::Parent, i)).map_or(Some(usize::MAX), parent);
            let continues =
                parent.filter(|&p| has_branches && p < count).map(|p| at(Field::Branch, i) == at(Field::Branch, p));
            let (length, radius) = (at(Field::Length, i), at(Field::Radius, i));
            cylinder(three(Field::Start, i), three(Field::Axis, i), length, radius, parent, continues)
        })
        .collect();
    Ok(Scan::of_one_tree(cylinders))
}
