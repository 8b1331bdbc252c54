//! Recursive growth of stems: the buds of a stem, and the bound on growth.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{DQuat, DVec3};
use rayon::prelude::*;

use super::curve::{Curve, trace};
use super::{CrownShape, Level, Prune};
use crate::foliage::across;
use crate::math::{atan2, radians};
use crate::skeleton::{Skeleton, Stem};
use windfall_core::random::Stream;

/// Parameters of a tree: a species at a size.
#[derive(Debug, Clone)]
pub(crate) struct Form<'a> {
    /// Levels of branching, the trunk first; the last one bears the leaves.
    pub(crate) levels: &'a [Level],
    pub(crate) shape: CrownShape,
    pub(crate) prune: Option<Prune>,
    /// Height, m.
    pub(crate) height: f64,
    /// Height relative to the standard tree.
    pub(crate) taller: f64,
    /// Fraction of the trunk without branches.
    pub(crate) clear: f64,
    /// Number of forks of the trunk at its foot.
    pub(crate) base_splits: f64,
    /// Factor of all numbers of branches.
    pub(crate) density: f64,
    /// Natural length of a leafy shoot, m: tips of all stems bear leaves over this length.
    pub(crate) shoot: f64,
    /// Fraction of a leafy shoot without leaves at its base.
    pub(crate) bare: f64,
    /// Whether the tips of thicker stems bear leaves too.
    pub(crate) leafy_tips: bool,
    /// Least height of stems above the ground, m.
    pub(crate) clearance: f64,
}

/// A stem before its growth.
#[derive(Debug, Clone)]
pub(super) struct Bud {
    /// Parent stem (index in the skeleton) and segment.
    pub(super) on: Option<(u32, u32)>,
    pub(super) level: usize,
    pub(super) order: u16,
    pub(super) fork: bool,
    pub(super) position: DVec3,
    pub(super) frame: DQuat,
    pub(super) length: f64,
    /// Full length of a stem of this level at this position; it determines the number of segments.
    pub(super) nominal: f64,
    /// Length of the parent stem before the fork, and number of segments left to grow.
    pub(super) forked: Option<(f64, usize)>,
    /// Length of its parent and its distance from the parent's base, m.
    pub(super) parent_length: f64,
    pub(super) offset: f64,
    /// Turn per segment that brings the arm of a fork back to the old direction, degrees.
    pub(super) straighten: f64,
    pub(super) stream: Stream,
}

/// Grows the skeleton of a tree with its foot at the origin; none if segments and buds together exceed
/// `most`.
pub(crate) fn grow(form: &Form<'_>, stream: &Stream, most: usize) -> Option<Skeleton> {
    // The sum over all threads: whether it exceeds the bound does not depend on their order.
    let grown = &AtomicUsize::new(0);
    let trunk = &form.levels[0];
    let mut stream = stream.fork(0);
    let length = form.height * (trunk.length + stream.around(trunk.length_v));
    let frame = DQuat::from_rotation_y(stream.unit() * std::f64::consts::TAU);
    let bud = Bud {
        on: None,
        level: 0,
        order: 0,
        fork: false,
        position: DVec3::ZERO,
        frame,
        length,
        nominal: length,
        forked: None,
        parent_length: length,
        offset: 0.0,
        straighten: 0.0,
        stream,
    };
    let mut skeleton = Skeleton::default();
    let mut limbs = Vec::new();
    let garden = Garden { form, grown, most };
    garden.stem(&bud, &mut skeleton, &mut limbs);
    // Limbs are independent of each other: each grows its own piece, and the pieces are joined in order.
    let pieces: Vec<Skeleton> = limbs.par_iter().map(|limb| garden.piece(limb)).collect();
    if garden.is_full() {
        return None;
    }
    for (limb, piece) in limbs.iter().zip(pieces) {
        skeleton.append(piece, limb.on.expect("a limb grows on the trunk"));
    }
    Some(skeleton)
}

/// A form with the bound on growth.
struct Garden<'a> {
    form: &'a Form<'a>,
    grown: &'a AtomicUsize,
    most: usize,
}

impl Garden<'_> {
    fn is_full(&self) -> bool {
        self.grown.load(Ordering::Relaxed) > self.most
    }

    fn piece(&self, limb: &Bud) -> Skeleton {
        let mut skeleton = Skeleton::default();
        self.subtree(&Bud { on: None, ..limb.clone() }, &mut skeleton);
        skeleton
    }

    fn subtree(&self, bud: &Bud, skeleton: &mut Skeleton) {
        let mut buds = Vec::new();
        self.stem(bud, skeleton, &mut buds);
        for bud in &buds {
            self.subtree(bud, skeleton);
        }
    }

    /// Grows one stem with its forks and lists the buds on them.
    fn stem(&self, bud: &Bud, skeleton: &mut Skeleton, buds: &mut Vec<Bud>) {
        let form = self.form;
        if self.is_full() {
            return;
        }
        let level = &form.levels[bud.level];
        let mut length = bud.length;
        let mut curve = trace(form, level, bud, length);
        // Attempts count too: stems that the ground cuts off also take time.
        self.grown.fetch_add(curve.frames.len().max(1), Ordering::Relaxed);
        if let Some(prune) = form.prune.filter(|prune| bud.level > 0 && prune.ratio > 0.0) {
            let full = length;
            for _ in 0..12 {
                let outside = curve
                    .nodes
                    .iter()
                    .any(|p| !prune.contains((p.x * p.x + p.z * p.z).sqrt(), p.y, form.height, form.clear));
                if !outside {
                    break;
                }
                length *= 0.85;
                curve = trace(form, level, bud, length);
            }
            if length < full {
                length = full + (length - full) * prune.ratio;
                curve = trace(form, level, bud, length);
            }
        }
        let last_level = bud.level + 1 == form.levels.len();
        // A limb that the ground cuts short would be a tuft on the trunk, so it is dropped; a hanging
        // strand may end early.
        if curve.nodes.len() < 2 || (!last_level && curve.length < 0.6 * length) {
            return;
        }
        let index = skeleton.stems.len() as u32;
        let behind = bud.forked.map_or(0.0, |(behind, _)| behind);
        let leafy_from = match (last_level, form.leafy_tips) {
            (true, _) => form.bare * curve.length,
            (false, true) => (curve.length - form.shoot).max(0.3 * curve.length),
            (false, false) => f64::INFINITY,
        };
        skeleton.stems.push(Stem {
            parent: bud.on,
            order: bud.order,
            at_node: bud.fork,
            first: skeleton.nodes.len() as u32,
            nodes: curve.nodes.len() as u32,
            leafy_from,
            key: bud.stream.key(),
        });
        skeleton.nodes.extend_from_slice(&curve.nodes);
        if !last_level {
            self.children(bud, &curve, (index, behind), buds);
        }
        for fork in &curve.forks {
            let arm = Bud { on: Some((index, fork.segment)), ..fork.bud.clone() };
            self.stem(&arm, skeleton, buds);
        }
    }

    /// Lists the buds of the next level on a stem.
    fn children(&self, bud: &Bud, curve: &Curve, (index, behind): (u32, f64), buds: &mut Vec<Bud>) {
        let form = self.form;
        let level = &form.levels[bud.level];
        let next = &form.levels[bud.level + 1];
        let mut stream = bud.stream.fork(1);
        let whole = behind + curve.length;
        let bare = if bud.level == 0 { form.clear * whole } else { level.bare * whole };
        let from = bare.max(behind);
        if from >= whole || curve.nodes.len() < 2 {
            return;
        }
        let full = match bud.level {
            0 => next.branches,
            1 => next.branches * (0.2 + 0.8 * (whole / bud.parent_length) / level.length).min(1.2),
            _ => next.branches * (1.0 - 0.5 * bud.offset / bud.parent_length),
        };
        let share = (whole - from) / (whole - bare);
        let count = stream.round(form.density * full * share).min(self.most + 1);
        self.grown.fetch_add(count, Ordering::Relaxed);
        let places = count.div_ceil(next.whorl);
        let step = curve.length / (curve.nodes.len() - 1) as f64;
        let mut rotation = if next.level { 0.0 } else { stream.unit() * 360.0 };
        for place in 0..places {
            let offset = from + (whole - from) * (place as f64 + 0.5 + stream.around(0.35)) / places as f64;
            let along = (offset - behind) / step;
            let segment = (along as usize).min(curve.frames.len() - 1);
            let position = curve.nodes[segment].lerp(curve.nodes[segment + 1], (along - segment as f64).min(1.0));
            rotation += next.rotate + stream.around(next.rotate_v);
            // The last whorl may be incomplete.
            for member in 0..next.whorl.min(count - place * next.whorl) {
                let turn = rotation + 360.0 * member as f64 / next.whorl as f64 + stream.around(0.5 * next.rotate_v);
                let ratio = (whole - offset) / (whole - bare).max(1e-9);
                let down = if next.down_angle_v >= 0.0 {
                    next.down_angle + stream.around(next.down_angle_v)
                } else {
                    let v = next.down_angle_v * (1.0 - 2.0 * CrownShape::Conical.ratio(ratio));
                    next.down_angle + v + stream.around(4.0)
                };
                let fraction = next.length + stream.around(next.length_v);
                let length = if bud.level == 0 {
                    whole * fraction * form.shape.ratio(ratio)
                } else {
                    fraction * (whole - 0.6 * offset)
                };
                let on = curve.frames[segment];
                let turn = if next.level { turn_to(on, across(on * DVec3::Y, radians(turn))) } else { radians(turn) };
                let frame = on * DQuat::from_rotation_y(turn) * DQuat::from_rotation_x(radians(down));
                buds.push(Bud {
                    on: Some((index, segment as u32)),
                    level: bud.level + 1,
                    order: bud.order + 1,
                    fork: false,
                    position,
                    frame,
                    length: length.max(0.12 * form.shoot),
                    nominal: whole * next.length,
                    forked: None,
                    parent_length: whole,
                    offset,
                    straighten: 0.0,
                    stream: bud.stream.fork(100_000 + (place * next.whorl + member) as u64),
                });
            }
        }
    }
}

/// Turn about the +y of a frame that brings its +z to `side`, rad.
fn turn_to(frame: DQuat, side: DVec3) -> f64 {
    atan2(side.dot(frame * DVec3::X), side.dot(frame * DVec3::Z))
}
