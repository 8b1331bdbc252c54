//! From cylinders to the segments of a plant.
//!
//! A branch becomes a line through the midpoints of its gaps (`line`), which begins at the bark of its
//! parent (`begin`). Very short pieces are merged and very long ones cut (`cut`).

mod begin;
mod cut;
mod line;

use glam::{DQuat, DVec3};
use windfall_core::build::{frame_along, transported};
use windfall_core::parts::{Branch, PlantParts, Segment, Tree};
use windfall_core::validate::LARGEST_MEASURE;

use crate::error::ScanError;
use crate::repair::{Chain, Repaired};
use begin::begin_at_bark;
use cut::Node;
use line::Line;

/// Parameters of the division of wood into segments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cut {
    /// Largest length of a piece, m.
    pub(crate) longest: f64,
}

impl Cut {
    pub(crate) fn check(self) -> Result<(), ScanError> {
        let rule = "must be between 0.01 and 1000 m";
        let fits = (0.01..=1000.0).contains(&self.longest);
        fits.then_some(()).ok_or(ScanError::Option { option: "longest", value: self.longest, rule })
    }
}

/// A finished branch.
struct Built {
    line: Line,
    /// Arc length of each node, m.
    arcs: Vec<f64>,
    first_segment: usize,
    order: u16,
}

impl Built {
    /// The segment at this arc length.
    fn segment_at(&self, arc: f64) -> usize {
        let inner = &self.arcs[1..self.arcs.len() - 1];
        self.first_segment + inner.partition_point(|&a| a <= arc)
    }
}

/// The wood of a plant, and the position of each tree's foot in the scan, m.
pub(crate) fn build(repaired: &mut Repaired, cut: Cut) -> (PlantParts, Vec<DVec3>) {
    let mut parts = PlantParts::default();
    let mut feet = vec![DVec3::ZERO; repaired.trees.len()];
    let mut frames: Vec<DQuat> = Vec::new();
    let mut built: Vec<Built> = Vec::with_capacity(repaired.chains.list.len());
    for i in 0..repaired.chains.list.len() {
        let chain = repaired.chains.list[i];
        let (line, parent) = line_of(repaired, &chain, &built);
        let first = repaired.chains.members[chain.first];
        let tree = repaired.work.cylinders[first].tree;
        let foot = &mut feet[tree as usize];
        if chain.on.is_none() {
            *foot = line.points[0];
        }
        let source = repaired.work.source[first];
        let nodes = cut::nodes(&line, cut.longest, source, &mut repaired.work.ledger);
        let first_segment = parts.segments.len();
        let before = parent.map(|(segment, _)| frames[segment]);
        segments(&nodes, *foot, before, &mut parts.segments, &mut frames);
        let order = parent.map_or(0, |(_, order)| order.saturating_add(1));
        parts.branches.push(Branch {
            parent: parent.map(|(segment, _)| segment as u32),
            tree,
            segment_count: (parts.segments.len() - first_segment) as u32,
            material: 0,
            order,
        });
        built.push(Built { line, arcs: nodes.iter().map(|n| n.arc).collect(), first_segment, order });
    }
    parts.trees = repaired.trees.iter().map(|name| Tree { name: name.clone(), origin: DVec3::ZERO }).collect();
    (parts, feet)
}

/// The line of a branch, and its parent segment with the order of the branch.
fn line_of(repaired: &mut Repaired, chain: &Chain, built: &[Built]) -> (Line, Option<(usize, u16)>) {
    let mut line = Line::new(&mut repaired.work, repaired.chains.members(chain));
    let parent = chain.on.map(|on| {
        let (branch, place) = repaired.chains.place_of[on];
        let parent = &built[branch];
        let piece = parent.line.piece_of[place];
        let source = repaired.work.source[repaired.chains.members[chain.first]];
        let arc = begin_at_bark(&mut line, &parent.line, piece, source, &mut repaired.work.ledger);
        (parent.segment_at(arc), parent.order)
    });
    line.finish();
    (line, parent)
}

/// Adds the segments between nodes.
fn segments(
    nodes: &[Node],
    origin: DVec3,
    mut before: Option<DQuat>,
    segments: &mut Vec<Segment>,
    frames: &mut Vec<DQuat>,
) {
    for pair in nodes.windows(2) {
        let along = pair[1].position - pair[0].position;
        let length = along.length();
        let direction = along / length;
        let frame = before.map_or_else(|| frame_along(direction, DVec3::X), |f| transported(f, direction));
        before = Some(frame);
        frames.push(frame);
        segments.push(Segment {
            position: (pair[0].position - origin).as_vec3(),
            orientation: frame.as_quat(),
            length: (length as f32).min(LARGEST_MEASURE),
            base_radius: pair[0].radius as f32,
            tip_radius: pair[1].radius as f32,
        });
    }
}
