//! Treefiles of raycloudtools (Lowe and Stepanas 2021): one tree per line.
//!
//! `#` begins a comment. Then a line names the fields, `x,y,z,radius,parent_id,...`, perhaps after
//! attributes of the whole tree. Then each line has those attributes and the segments of a tree,
//! separated by a comma and a space. The coordinates are the tip of a segment; a root has the parent -1
//! and no length. In older files the trunk has its own list of fields,
//! `x,y,z,radius,... x,y,z,radius,parent_id,...`.

use glam::DVec3;

use super::table::{number, whole};
use super::{Dialect, MOST_CYLINDERS, lines};
use crate::cylinder::{Cylinder, Scan};
use crate::error::ScanError;

const DIALECT: Dialect = Dialect::Raycloud;
const MUST: &str = "x,y,z,radius";

pub(super) fn is_field_line(line: &str) -> bool {
    line.contains(MUST)
}

/// Numbers of values before the segments, in the first segment and in the others, and the position of
/// the parent in each.
struct Layout {
    before: usize,
    first: usize,
    first_parent: Option<usize>,
    width: usize,
    parent: Option<usize>,
}

impl Layout {
    fn new(line: &str) -> Option<Self> {
        let begin = line.find(MUST)?;
        let names = |text: &str| text.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>();
        let before = line[..begin].split(',').filter(|name| !name.trim().is_empty()).count();
        let parent = |names: &[String]| names.iter().position(|name| name == "parent_id");
        let rest = &line[begin..];
        let (trunk, branches) = match rest[MUST.len()..].find(MUST) {
            Some(second) => rest.split_at(MUST.len() + second),
            None => (rest, rest),
        };
        let (trunk, branches) = (names(trunk.trim().trim_end_matches(',')), names(branches));
        Some(Self {
            before,
            first: trunk.len(),
            first_parent: parent(&trunk),
            width: branches.len(),
            parent: parent(&branches),
        })
    }
}

struct Segment {
    tip: DVec3,
    radius: f64,
    parent: i64,
}

pub(super) fn read(text: &str) -> Result<Scan, ScanError> {
    let mut lines = lines(text);
    let fields = lines.next().map(|(_, line)| line).unwrap_or_default();
    let layout = Layout::new(fields).ok_or_else(|| DIALECT.error(format!("the first line must name {MUST}")))?;
    if layout.parent.is_none() {
        return Err(
            DIALECT.error("there is no parent_id: this file has trunks only, extract trees with rayextract trees")
        );
    }
    let mut scan = Scan::default();
    let mut segments: Vec<Segment> = Vec::new();
    for (line_number, line) in lines {
        segments.clear();
        let count = line.split(',').filter(|value| !value.trim().is_empty()).count();
        let least = layout.before + layout.first;
        // A tree of a single point has no parents and no wood.
        if layout.first_parent.is_some() && count + 1 == least {
            add_tree(&[], &mut scan)?;
            continue;
        }
        if count < least || (count - least) % layout.width != 0 {
            return Err(DIALECT.error(format!(
                "line {line_number} has {count} values, not {least} and a multiple of {}: is the file cut off?",
                layout.width
            )));
        }
        let mut values = line.split(',').filter(|value| !value.trim().is_empty()).map(number).skip(layout.before);
        for i in 0..=(count - least) / layout.width {
            let (width, parent) =
                if i == 0 { (layout.first, layout.first_parent) } else { (layout.width, layout.parent) };
            let mut segment = Segment { tip: DVec3::NAN, radius: f64::NAN, parent: -1 };
            for (place, value) in values.by_ref().take(width).enumerate() {
                match place {
                    0..3 => segment.tip[place] = value,
                    3 => segment.radius = value,
                    _ if Some(place) == parent => segment.parent = whole(value).unwrap_or(i64::MAX),
                    _ => {}
                }
            }
            segments.push(segment);
        }
        add_tree(&segments, &mut scan)?;
    }
    Ok(scan)
}

fn add_tree(segments: &[Segment], scan: &mut Scan) -> Result<(), ScanError> {
    let tree = scan.trees.len() as u32;
    scan.trees.push(format!("tree {}", tree + 1));
    // Roots are points, not cylinders: indices of the cylinders of all segments.
    let mut next = scan.cylinders.len();
    let places: Vec<Option<usize>> = segments
        .iter()
        .map(|segment| {
            (segment.parent != -1).then(|| {
                next += 1;
                next - 1
            })
        })
        .collect();
    if next > MOST_CYLINDERS {
        return Err(ScanError::TooMany);
    }
    for segment in segments.iter().filter(|segment| segment.parent != -1) {
        let on = usize::try_from(segment.parent).ok().filter(|&p| p < segments.len());
        scan.cylinders.push(Cylinder {
            start: on.map_or(segment.tip, |p| segments[p].tip),
            end: segment.tip,
            base_radius: segment.radius,
            tip_radius: segment.radius,
            parent: on.map_or(Some(usize::MAX), |p| places[p]),
            continues: None,
            tree,
        });
    }
    Ok(())
}
