//! Multiscale tree graphs (Godin and Caraglio 1998) of `OpenAlea` and `AMAPmod`, with coordinates.
//!
//! After a header, each line has the code of one or several entities, in the column that determines
//! their parent, and the features of the last of them:
//!
//! ```text
//! ENTITY-CODE                 XX   YY    ZZ   TopDia
//! /P1/A1                       0    0     0      375
//! ^/E1<<E35                  -19  -20   825      330
//!         +A2/E1             -23  -27   844      138
//! ^<E36                        0    1   860      300
//! ```
//!
//! `/` is "is made of", `<` "is followed by", `+` "bears". `^` stands for the last entity of the same
//! column; without it a line continues from the nearest previous column that has an entity. `E1<<E35` is
//! a row of entities. `XX YY ZZ` is the end point of an entity, so each entity with coordinates is a
//! cylinder that begins at the nearest one below it. Diameters: `TopDia`, `BotDia`, `diameter`, or
//! `radius`, which many growers write. The file has no units.

use glam::DVec3;

use super::table::number;
use super::{Dialect, MOST_CYLINDERS, lines};
use crate::cylinder::{Cylinder, Scan};
use crate::error::ScanError;

const DIALECT: Dialect = Dialect::Mtg;

/// Largest number of branches listed in one column before the wood that bears them continues.
const MOST_SKIPPED: usize = 1000;

/// Whether a line opens such a file: `CODE : FORM-A`.
pub(super) fn is_code(line: &str) -> bool {
    line.starts_with("CODE") && line.contains(':') && line.contains("FORM-")
}

/// Columns of the features; none where one is missing.
struct Features {
    first: usize,
    place: [usize; 3],
    /// Column, and the factor from its value to a radius.
    top: Option<(usize, f64)>,
    bottom: Option<(usize, f64)>,
}

impl Features {
    fn new(line: &str) -> Result<Self, ScanError> {
        let names: Vec<String> = line.split('\t').map(|name| name.trim().to_ascii_lowercase()).collect();
        let find = |name: &str| names.iter().skip(1).position(|n| n == name).map(|place| place + 1);
        let sets = [["xx", "yy", "zz"], ["x", "y", "z"]];
        let place = sets.iter().find_map(|set| Some([find(set[0])?, find(set[1])?, find(set[2])?]));
        let place = place.ok_or_else(|| {
            DIALECT.error("the features XX, YY and ZZ are missing: trees without coordinates can't be read")
        })?;
        let any = |wanted: &[(&str, f64)]| wanted.iter().find_map(|&(name, factor)| Some((find(name)?, factor)));
        Ok(Self {
            first: names.iter().skip(1).position(|name| !name.is_empty()).map_or(names.len(), |place| place + 1),
            place,
            top: any(&[("topdia", 0.5), ("diameter", 0.5), ("diam", 0.5), ("dia", 0.5), ("radius", 1.0), ("rad", 1.0)]),
            bottom: any(&[("botdia", 0.5), ("basdia", 0.5), ("basedia", 0.5)]),
        })
    }
}

/// An entity that a later line can refer to.
#[derive(Clone, Copy)]
struct Entity {
    scale: u32,
    /// The entity that it follows, grows on or is a part of.
    on: Option<usize>,
    /// The nearest node at or below it, and whether a `+` lies between.
    node: Option<usize>,
    borne: bool,
    plant: u32,
}

/// An entity with coordinates.
struct Node {
    place: DVec3,
    top_radius: f64,
    bottom_radius: f64,
    on: Option<usize>,
    borne: bool,
    plant: u32,
}

#[derive(Default)]
struct Builder {
    entities: Vec<Entity>,
    nodes: Vec<Node>,
    plants: Vec<String>,
}

pub(super) fn read(text: &str) -> Result<Scan, ScanError> {
    let mut lines = lines(text);
    let mut scales: Vec<(String, u32)> = Vec::new();
    let mut in_classes = false;
    // The header: only the scales of the symbols are used.
    loop {
        let (_, line) = lines.next().ok_or_else(|| DIALECT.error("the section MTG is missing"))?;
        let line = line.trim();
        if line.starts_with("MTG") {
            break;
        }
        if line.contains(':') {
            in_classes = line.starts_with("CLASSES");
        } else if in_classes {
            let mut words = line.split_whitespace();
            if let (Some(symbol), Some(scale)) = (words.next(), words.next().and_then(|s| s.parse().ok())) {
                scales.push((symbol.to_owned(), scale));
            }
        }
    }
    let (_, head) = lines.next().ok_or_else(|| DIALECT.error("the section MTG is empty"))?;
    let features = Features::new(head)?;
    let mut builder = Builder::default();
    // The last entity of each column.
    let mut columns: Vec<Option<usize>> = vec![None; features.first.max(1)];
    let mut fields: Vec<&str> = Vec::new();
    for (line_number, line) in lines {
        fields.clear();
        fields.extend(line.split('\t'));
        let wrong = |reason: &str| DIALECT.error(format!("line {line_number}: {reason}"));
        let column = fields.iter().position(|field| !field.trim().is_empty()).unwrap_or(0);
        if column >= columns.len() {
            return Err(wrong("no entity stands before the features"));
        }
        let code = fields[column].split_whitespace().next().unwrap_or_default();
        let (code, from) = match code.strip_prefix('^') {
            Some(code) => (code, columns[column]),
            // No entity has two successors: the second follows the first.
            None if code.starts_with('<') && columns[column].is_some() => (code, columns[column]),
            None => (code, columns[..column].iter().rev().find_map(|&last| last)),
        };
        if from.is_none() && (column > 0 || !code.starts_with('/')) {
            return Err(wrong("there is nothing that this entity could grow on"));
        }
        let last = builder.entities_of(code, from, &scales).map_err(wrong)?;
        columns[column] = Some(last);
        for later in &mut columns[column + 1..] {
            *later = None;
        }
        let value = |at: usize| fields.get(at).map_or(f64::NAN, |field| number(field));
        let place = DVec3::from_array(features.place.map(value));
        if !place.is_nan() {
            let radius = |of: Option<(usize, f64)>| of.map_or(f64::NAN, |(at, factor)| factor * value(at));
            builder.node(last, place, radius(features.top), radius(features.bottom));
        }
        if builder.entities.len() > MOST_CYLINDERS {
            return Err(ScanError::TooMany);
        }
    }
    Ok(builder.finish())
}

impl Builder {
    /// Adds the entities of a code such as `+A2/E1<E2<<E5`; returns the last.
    fn entities_of(
        &mut self,
        code: &str,
        mut from: Option<usize>,
        scales: &[(String, u32)],
    ) -> Result<usize, &'static str> {
        let mut rest = code;
        while let Some(relation) = rest.chars().next() {
            if !matches!(relation, '/' | '<' | '+') {
                return Err("an entity must begin with /, < or +");
            }
            // A doubled sign stands for a row of entities, of which only the last can be referred to.
            rest = rest[1..].strip_prefix(relation).unwrap_or(&rest[1..]);
            let end = rest.find(['/', '<', '+']).unwrap_or(rest.len());
            let name = &rest[..end];
            rest = &rest[end..];
            let symbol = name.trim_end_matches(|c: char| c.is_ascii_digit());
            if symbol.is_empty() {
                return Err("an entity has no symbol");
            }
            let scale = scales.iter().find(|(s, _)| s == symbol).map(|&(_, scale)| scale);
            let scale = scale.ok_or("an entity has a symbol that CLASSES does not list")?;
            from = Some(self.entity(relation, name, scale, from));
        }
        from.ok_or("an entity must begin with /, < or +")
    }

    fn entity(&mut self, relation: char, name: &str, scale: u32, from: Option<usize>) -> usize {
        // `^<S3` after branches in the same column continues from the last S, not from those branches.
        let mut on = from;
        if relation == '<' {
            let mut below = from;
            for _ in 0..MOST_SKIPPED {
                match below.map(|b| self.entities[b]) {
                    Some(entity) if entity.scale < scale => below = entity.on,
                    Some(entity) if entity.scale == scale => {
                        on = below;
                        break;
                    }
                    _ => break,
                }
            }
        }
        let entity = if let Some(below) = on.map(|below| self.entities[below]) {
            Entity { scale, on, borne: below.borne || relation == '+', ..below }
        } else {
            self.plants.push(name.to_owned());
            Entity { scale, on, node: None, borne: false, plant: self.plants.len() as u32 - 1 }
        };
        self.entities.push(entity);
        self.entities.len() - 1
    }

    /// Records the end point of an entity.
    fn node(&mut self, entity: usize, place: DVec3, top_radius: f64, bottom_radius: f64) {
        let Entity { node: on, borne, plant, .. } = self.entities[entity];
        self.nodes.push(Node { place, top_radius, bottom_radius, on, borne, plant });
        self.entities[entity].node = Some(self.nodes.len() - 1);
        self.entities[entity].borne = false;
    }

    fn finish(self) -> Scan {
        // The first node of a plant is a point, not a cylinder.
        let mut next = 0;
        let cylinder_of: Vec<Option<usize>> = self
            .nodes
            .iter()
            .map(|node| {
                node.on.map(|_| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        let cylinders = self
            .nodes
            .iter()
            .filter_map(|node| {
                let on = node.on?;
                Some(Cylinder {
                    start: self.nodes[on].place,
                    end: node.place,
                    // Growers measure the top diameter; the base of a branch is not as thick as its
                    // parent.
                    base_radius: if node.bottom_radius.is_nan() { node.top_radius } else { node.bottom_radius },
                    tip_radius: node.top_radius,
                    parent: cylinder_of[on],
                    continues: Some(!node.borne),
                    tree: node.plant,
                })
            })
            .collect();
        Scan { cylinders, trees: self.plants, notes: Vec::new() }
    }
}
