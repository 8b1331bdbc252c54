//! From skeletons to the bodies of a plant.

use glam::{DQuat, DVec3};
use windfall_core::build::{frame_along, transported};
use windfall_core::parts::{Branch, PlantParts, Segment, Tree};

use crate::foliage::Foliage;
use crate::hang::Hanger;
use crate::pipe::Pipes;
use crate::skeleton::{Skeleton, Stem};

/// Materials of the bodies of a tree, as indices into the plant's lists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Made {
    pub(crate) wood: u16,
    pub(crate) limb: u16,
    pub(crate) pedicel: u16,
    pub(crate) leaf: u16,
    pub(crate) leaf_fill: f64,
    pub(crate) petal: u16,
    pub(crate) petal_fill: f64,
    pub(crate) fruit: u16,
}

/// Nodes of the foot of a trunk, as fractions of its first segment: they give its flare a shape.
const FOOT: [f64; 3] = [0.0, 0.2, 0.5];
/// Distance of a lateral's base from the axis of its parent, as a fraction of the parent's radius:
/// slightly below the surface.
const SUNK: f64 = 0.75;
/// Least radius of wood, m.
const LEAST_RADIUS: f64 = 2.5e-4;

/// Adds a tree: its wood, then leaves, petals and fruit. `wanted` is the number of leaves and petals to
/// keep of those that would grow.
pub(crate) fn add_tree(
    parts: &mut PlantParts,
    tree: Tree,
    skeleton: &Skeleton,
    foliage: &Foliage<'_>,
    pipes: &Pipes,
    made: Made,
    wanted: usize,
) {
    let tree_index = parts.trees.len() as u32;
    parts.trees.push(tree);
    let offsets = offsets(skeleton);
    let first_segment = parts.segments.len() as u32;
    let mut firsts = Vec::with_capacity(skeleton.stems.len());
    let mut next = first_segment;
    for (i, stem) in skeleton.stems.iter().enumerate() {
        firsts.push(next);
        let count = segment_count(i, stem);
        next += count;
        let parent = stem.parent.map(|(p, segment)| firsts[p as usize] + body_segment(p as usize, segment as usize));
        let material = if stem.order == 1 { made.limb } else { made.wood };
        parts.branches.push(Branch { parent, tree: tree_index, segment_count: count, material, order: stem.order });
    }
    wood(parts, skeleton, &offsets, pipes);
    let hanger = Hanger { skeleton, offsets: &offsets, firsts: &firsts, foliage, made, tree: tree_index };
    hanger.hang(parts, wanted);
}

fn segment_count(index: usize, stem: &Stem) -> u32 {
    stem.nodes - 1 + if index == 0 { FOOT.len() as u32 - 1 } else { 0 }
}

/// Index of the body, counted from the first of its stem, for a segment of the skeleton.
pub(crate) fn body_segment(stem: usize, segment: usize) -> u32 {
    (if stem == 0 { segment + FOOT.len() - 1 } else { segment }) as u32
}

/// Displacement of each stem: its ancestors begin at the surfaces of their parents, not on their axes.
fn offsets(skeleton: &Skeleton) -> Vec<DVec3> {
    let mut offsets: Vec<DVec3> = Vec::with_capacity(skeleton.stems.len());
    for stem in &skeleton.stems {
        let Some((parent, segment)) = stem.parent else {
            offsets.push(DVec3::ZERO);
            continue;
        };
        let mut offset = offsets[parent as usize];
        let parent = &skeleton.stems[parent as usize];
        // The arm of a fork continues its parent; a stem of a higher order leaves the side.
        if stem.order > parent.order {
            let on = (parent.first + segment) as usize;
            let along = skeleton.nodes[on + 1] - skeleton.nodes[on];
            let own = &skeleton.nodes[stem.node_range()];
            let u = (own[0] - skeleton.nodes[on]).dot(along) / along.length_squared();
            let radius = skeleton.base_radii[on] + (skeleton.tip_radii[on + 1] - skeleton.base_radii[on]) * u;
            let out = own[1] - own[0];
            let side = (out - along * (out.dot(along) / along.length_squared())).normalize_or_zero();
            offset += side * SUNK * radius;
        }
        offsets.push(offset);
    }
    offsets
}

fn wood(parts: &mut PlantParts, skeleton: &Skeleton, offsets: &[DVec3], pipes: &Pipes) {
    parts.segments.reserve(skeleton.segments() + FOOT.len());
    // Frame of every segment: a child's frame is transported from its parent segment.
    let mut frames: Vec<DQuat> = vec![DQuat::IDENTITY; skeleton.nodes.len()];
    for (i, stem) in skeleton.stems.iter().enumerate() {
        let nodes = stem.node_range();
        let mut before = stem.parent.map(|(p, segment)| frames[(skeleton.stems[p as usize].first + segment) as usize]);
        for (k, own_frame) in frames.iter_mut().enumerate().take(nodes.end - 1).skip(nodes.start) {
            let (a, b) = (skeleton.nodes[k] + offsets[i], skeleton.nodes[k + 1] + offsets[i]);
            let length = a.distance(b);
            let direction = (b - a) / length;
            let frame = before.map_or_else(|| frame_along(direction, DVec3::X), |f| transported(f, direction));
            *own_frame = frame;
            before = Some(frame);
            let (ra, rb) = (skeleton.base_radii[k].max(LEAST_RADIUS), skeleton.tip_radii[k + 1].max(LEAST_RADIUS));
            let cuts: &[f64] = if i == 0 && k == nodes.start { &FOOT } else { &FOOT[..1] };
            for (c, &from) in cuts.iter().enumerate() {
                let to = cuts.get(c + 1).copied().unwrap_or(1.0);
                let place = |u: f64| (a.lerp(b, u), ra + (rb - ra) * u);
                let ((pa, r0), (pb, r1)) = (place(from), place(to));
                let flared = |r: f64, p: DVec3| if i == 0 { r * pipes.flare_at(p.y) } else { r };
                parts.segments.push(Segment {
                    position: pa.as_vec3(),
                    orientation: frame.as_quat(),
                    length: (length * (to - from)) as f32,
                    base_radius: flared(r0, pa) as f32,
                    tip_radius: flared(r1, pb) as f32,
                });
            }
        }
    }
}

/// Number of extra segments of a trunk's foot, beyond those of its skeleton.
pub(crate) fn foot_segments() -> usize {
    FOOT.len() - 1
}
