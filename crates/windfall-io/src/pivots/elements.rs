//! Decomposition of a tree into a hierarchy of rigid elements.

use glam::Vec3;
use windfall_core::{Body, BodyId, Plant};
use windfall_skin::{Binding, Mesh, Skin};

use super::PivotError;
use crate::glb::drawn_parts;

/// Maximum number of elements: above it the bits of a parent's index are not a finite half float. Epic
/// states the same limit.
pub const MOST_ELEMENTS: usize = 30_000;

/// Levels evaluated by Unreal's `PivotPainter2FoliageShader` from an element to its root, both included.
pub const MOST_LEVELS: usize = 4;

/// One element. Lengths in m, in the axes of the plant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Element {
    /// The parent element; itself for a root.
    pub parent: usize,
    /// 1 for a root.
    pub level: usize,
    /// Pivot point, relative to the origin of its tree.
    pub pivot: Vec3,
    /// Unit vector from the pivot along the element.
    pub axis: Vec3,
    /// Extent along its axis.
    pub extent: f32,
}

/// All elements, a parent before its children.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Elements {
    pub list: Vec<Element>,
    /// Number of leaves and fruit that are elements.
    pub foliage: usize,
    /// Element of each body.
    of_body: Vec<u32>,
}

/// The body with the largest weight of a vertex.
fn strongest(mesh: &Mesh, vertex: usize) -> usize {
    match &mesh.binding {
        Binding::Rigid(bodies) => bodies[vertex] as usize,
        Binding::Blended { bodies, .. } => bodies[vertex][0] as usize,
    }
}

impl Elements {
    /// Uses as many levels as Unreal evaluates, fewer if there would be too many elements. Leaves and
    /// fruit are elements if requested and if all of them fit.
    pub fn new(plant: &Plant, skin: &Skin, foliage: bool) -> Result<Self, PivotError> {
        let drawn = drawn_bodies(plant, skin);
        let with_foliage = foliage.then_some((MOST_LEVELS - 1, true));
        let without = (1..=MOST_LEVELS).rev().map(|levels| (levels, false));
        let tries = with_foliage.into_iter().chain(without);
        let mut found = tries.map(|(levels, foliage)| Self::with(plant, &drawn, levels, foliage));
        let mut elements =
            found.find(|e| e.list.len() <= MOST_ELEMENTS).ok_or(PivotError::Trees { trees: plant.trees().len() })?;
        elements.measure(skin);
        Ok(elements)
    }

    /// Wood on at most `levels` levels.
    fn with(plant: &Plant, drawn: &[bool], levels: usize, foliage: bool) -> Self {
        let mut list: Vec<Element> = Vec::new();
        let mut of_branch: Vec<usize> = Vec::with_capacity(plant.branches().len());
        let mut of_body = Vec::with_capacity(plant.body_count());
        for (b, branch) in plant.branches().iter().enumerate() {
            let segments = plant.branch_segments(b);
            let carrier = branch.parent.map(|segment| plant.branch_index(BodyId(segment)));
            // A fork that continues a branch belongs to its element, and so do invisible bodies.
            let element = match carrier {
                Some(on)
                    if list[of_branch[on]].level == levels
                        || plant.branches()[on].order == branch.order
                        || !drawn[segments.start] =>
                {
                    of_branch[on]
                }
                _ => {
                    let level = carrier.map_or(1, |on| list[of_branch[on]].level + 1);
                    let parent = carrier.map_or(list.len(), |on| of_branch[on]);
                    let pivot = plant.segments()[segments.start].position;
                    let along = plant.segments()[segments.end - 1].tip() - pivot;
                    let first = plant.segments()[segments.start].orientation * Vec3::Y;
                    list.push(Element {
                        parent,
                        level,
                        pivot,
                        axis: along.normalize_or(first),
                        extent: along.length(),
                    });
                    list.len() - 1
                }
            };
            of_branch.push(element);
            of_body.resize(segments.end, element as u32);
        }
        let wood = list.len();
        for id in plant.body_ids().skip(of_body.len()) {
            let on = of_branch[plant.branch_index(id)];
            if !foliage || !drawn[id.0 as usize] {
                of_body.push(on as u32);
                continue;
            }
            let (pivot, turn, extent) = match plant.body(id) {
                Some(Body::Leaf(leaf)) => (leaf.position, leaf.orientation, leaf.petiole_length + leaf.length),
                Some(Body::Fruit(fruit)) => {
                    (fruit.position, fruit.orientation, fruit.stalk_length + 2.0 * fruit.radius)
                }
                _ => continue,
            };
            of_body.push(list.len() as u32);
            let (axis, level) = ((turn * Vec3::Y).normalize_or(Vec3::Y), list[on].level + 1);
            list.push(Element { parent: on, level, pivot, axis, extent });
        }
        Self { foliage: list.len() - wood, list, of_body }
    }

    /// Extents from the vertices of each element; elements without vertices keep the extent of their
    /// bodies.
    fn measure(&mut self, skin: &Skin) {
        let mut reach = vec![0.0_f32; self.list.len()];
        for part in skin.trees.iter().flat_map(|tree| drawn_parts(&tree.parts)) {
            for (vertex, place) in part.mesh.positions.iter().enumerate() {
                let e = self.of_body[strongest(&part.mesh, vertex)] as usize;
                let element = &self.list[e];
                reach[e] = reach[e].max((*place - element.pivot).dot(element.axis));
            }
        }
        for (element, reach) in self.list.iter_mut().zip(reach) {
            if reach > 0.0 {
                element.extent = reach;
            }
        }
    }

    /// The element that moves a vertex.
    pub fn of_vertex(&self, mesh: &Mesh, vertex: usize) -> usize {
        self.of_body[strongest(mesh, vertex)] as usize
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.list.iter().map(|element| element.level).max().unwrap_or(0)
    }
}

/// Bodies with vertices, or with descendants that have vertices. A branch counts as a whole.
fn drawn_bodies(plant: &Plant, skin: &Skin) -> Vec<bool> {
    let mut drawn = vec![false; plant.body_count()];
    for part in skin.trees.iter().flat_map(|tree| drawn_parts(&tree.parts)) {
        for vertex in 0..part.mesh.positions.len() {
            drawn[strongest(&part.mesh, vertex)] = true;
        }
    }
    for id in plant.body_ids().skip(plant.segments().len()).filter(|id| drawn[id.0 as usize]).collect::<Vec<_>>() {
        if let Some(parent) = plant.parent(id) {
            drawn[parent.0 as usize] = true;
        }
    }
    for (b, branch) in plant.branches().iter().enumerate().rev() {
        let segments = plant.branch_segments(b);
        if drawn[segments.clone()].iter().any(|&seen| seen) {
            drawn[segments].fill(true);
            if let Some(parent) = branch.parent {
                drawn[parent as usize] = true;
            }
        }
    }
    drawn
}
