//! Growing stems: the curve of one, and the buds on it.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{DQuat, DVec3};
use rayon::prelude::*;

use super::{Level, Prune, Shape};
use crate::foliage::across;
use crate::math::{acos, atan2, radians, sin};
use crate::random::Stream;
use crate::skeleton::{Skeleton, Stem};

/// What a tree is grown from: a species at a size.
#[derive(Debug, Clone)]
pub(crate) struct Form<'a> {
    /// Levels in use, the trunk first; the last one bears the leaves.
    pub(crate) levels: &'a [Level],
    pub(crate) shape: Shape,
    pub(crate) prune: Option<Prune>,
    /// Height, m.
    pub(crate) height: f64,
    /// Height over that of the standard tree.
    pub(crate) taller: f64,
    /// Fraction of the trunk without branches.
    pub(crate) clear: f64,
    /// Forks of the trunk at its foot.
    pub(crate) base_splits: f64,
    /// Multiplies all numbers of branches.
    pub(crate) density: f64,
    /// Natural length of a leafy shoot, m: tips of all stems bear leaves over this length.
    pub(crate) shoot: f64,
    /// Fraction of a leafy shoot without leaves at its base.
    pub(crate) bare: f64,
    /// Whether the tips of thicker stems bear leaves too.
    pub(crate) leafy_tips: bool,
    /// Stems end this far above the ground, m.
    pub(crate) clearance: f64,
}

/// A stem that is about to grow.
#[derive(Debug, Clone)]
struct Bud {
    /// Stem (index in the skeleton) and segment that it grows on.
    on: Option<(u32, u32)>,
    level: usize,
    order: u16,
    fork: bool,
    position: DVec3,
    frame: DQuat,
    length: f64,
    /// Full length of a stem of this level here, for the number of its segments.
    nominal: f64,
    /// Length already behind it in the stem that it forked from, and segments left to grow.
    forked: Option<(f64, usize)>,
    /// Length of its parent and its distance from the parent's base, m.
    parent_length: f64,
    offset: f64,
    /// Turn per segment that brings the arm of a fork back to the old direction, rad.
    straighten: f64,
    stream: Stream,
}

/// Grows the skeleton of a tree whose foot is at the origin; none if segments and buds together pass `most`.
pub(crate) fn grow(form: &Form<'_>, stream: &Stream, most: usize) -> Option<Skeleton> {
    // Counted over all threads. Whether the sum passes the bound does not depend on their order.
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

/// A form with the bound on what may grow.
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
        // Tries count too: stems that the ground cuts off took their time.
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
        // A limb that the ground cut short would be a tuft on the trunk; a hanging strand that ends early is right.
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
}

/// The line of a stem: its nodes, the frame of each segment, and the arms that leave it.
struct Curve {
    nodes: Vec<DVec3>,
    frames: Vec<DQuat>,
    forks: Vec<Fork>,
    length: f64,
}

struct Fork {
    segment: u32,
    bud: Bud,
}

fn declination(frame: DQuat) -> f64 {
    acos((frame * DVec3::Y).y.clamp(-1.0, 1.0))
}

fn trace(form: &Form<'_>, level: &Level, bud: &Bud, length: f64) -> Curve {
    let mut stream = bud.stream.fork(0);
    let (behind, segments) = bud.forked.unwrap_or_else(|| (0.0, segment_count(form, level, bud, length)));
    let whole = behind + length;
    let step = length / segments as f64;
    let total = (whole / step).round() as usize;
    let started = total - segments.min(total);
    let mut curve = Curve {
        nodes: Vec::with_capacity(segments + 1),
        frames: Vec::with_capacity(segments),
        forks: Vec::new(),
        length: 0.0,
    };
    let (mut position, mut frame) = (bud.position, bud.frame);
    let mut split_error = stream.unit() - 0.5;
    let mut straighten = bud.straighten;
    curve.nodes.push(position);
    for i in 0..segments {
        let at = started + i;
        if i > 0 {
            frame *= DQuat::from_rotation_x(radians(bend(level, at, total) + straighten));
            let wander = level.curve_v.max(0.0) / total as f64;
            frame *= DQuat::from_rotation_x(radians(stream.around(wander)));
            frame *= DQuat::from_rotation_z(radians(stream.around(wander)));
        }
        frame = attracted(frame, level.attraction / total as f64);
        let heading = if level.curve_v < 0.0 { helix(frame, at, -level.curve_v) } else { frame };
        let next = position + heading * DVec3::Y * step;
        if next.y < form.clearance && bud.level > 0 {
            break;
        }
        position = next;
        curve.nodes.push(position);
        curve.frames.push(heading);
        curve.length += step;
        let at_foot = bud.level == 0 && bud.forked.is_none() && i == 0 && form.base_splits > 0.0;
        let wanted = if at_foot { form.base_splits } else { level.seg_splits };
        let splits = (wanted + split_error).round().max(0.0);
        if i + 1 < segments && wanted > 0.0 {
            split_error += wanted - splits;
            if splits > 0.0 {
                let place = (&mut frame, &mut straighten, position);
                split(level, bud, (splits as usize, i, segments), (behind, step), place, &mut stream, &mut curve);
            }
        }
    }
    curve
}

/// Turns the stem aside and lists its arms; each arm turns to its own side by the same angle.
fn split(
    level: &Level,
    bud: &Bud,
    (arms, i, segments): (usize, usize, usize),
    (behind, step): (f64, f64),
    (frame, straighten, position): (&mut DQuat, &mut f64, DVec3),
    stream: &mut Stream,
    curve: &mut Curve,
) {
    let left = segments - i - 1;
    let first_side = stream.unit() * std::f64::consts::TAU;
    let old = *frame;
    let grown = behind + step * (i + 1) as f64;
    for arm in 0..=arms {
        let side = first_side + std::f64::consts::TAU * arm as f64 / (arms + 1) as f64 + stream.around(0.4);
        let angle = (level.split_angle + stream.around(level.split_angle_v)).max(0.0);
        let turned = old * DQuat::from_rotation_y(side) * DQuat::from_rotation_x(radians(angle));
        // The arms bend back over what is left of them, half of the way (section 4.2).
        let back = -0.5 * angle / left as f64;
        if arm == 0 {
            *frame = turned;
            *straighten = back;
        } else {
            let shorter = 1.0 - 0.15 * stream.unit();
            curve.forks.push(Fork {
                segment: i as u32,
                bud: Bud {
                    fork: true,
                    position,
                    frame: turned,
                    length: step * left as f64 * shorter,
                    forked: Some((grown, left)),
                    straighten: back,
                    stream: bud.stream.fork(1000 + 16 * i as u64 + arm as u64),
                    ..bud.clone()
                },
            });
        }
    }
}

/// No stem has shorter segments, m, or more of them.
const SHORTEST_SEGMENT: f64 = 1e-3;
const MOST_SEGMENTS: usize = 400;

/// Longer stems have more segments, but not in proportion: neither within a tree nor between small and large trees.
fn segment_count(form: &Form<'_>, level: &Level, bud: &Bud, length: f64) -> usize {
    let share = (length / bud.nominal).min(1.0) * form.taller.sqrt();
    let wanted = ((level.segments as f64 * share).round() as usize).max(level.least_segments);
    let most = ((length / SHORTEST_SEGMENT) as usize).min(MOST_SEGMENTS);
    wanted.min(most).max(1)
}

/// Turn from segment `at - 1` to segment `at` of `total`, degrees.
fn bend(level: &Level, at: usize, total: usize) -> f64 {
    if level.curve_back == 0.0 {
        return level.curve / total as f64;
    }
    let half = (total as f64 / 2.0).max(1.0);
    if (at as f64) < half { level.curve / half } else { level.curve_back / half }
}

/// Segments of one turn of a helix.
const HELIX: f64 = 8.0;

/// The frame of a segment that winds about the +y of `axis` at this angle to it, degrees.
fn helix(axis: DQuat, at: usize, angle: f64) -> DQuat {
    let turn = std::f64::consts::TAU * at as f64 / HELIX;
    axis * DQuat::from_rotation_y(turn) * DQuat::from_rotation_x(radians(angle))
}

/// The frame, turned toward the sky (positive pull) or the ground.
fn attracted(frame: DQuat, pull: f64) -> DQuat {
    let direction = frame * DVec3::Y;
    let axis = direction.cross(DVec3::Y);
    if pull == 0.0 || axis.length_squared() < 1e-12 {
        return frame;
    }
    let angle = declination(frame);
    // Never past the pole that it is pulled to.
    let turn = (pull * sin(angle)).clamp(angle - std::f64::consts::PI, angle);
    (DQuat::from_axis_angle(axis.normalize(), turn) * frame).normalize()
}

/// Turn about the +y of a frame that brings its +z to `side`, rad.
fn turn_to(frame: DQuat, side: DVec3) -> f64 {
    atan2(side.dot(frame * DVec3::X), side.dot(frame * DVec3::Z))
}

impl Garden<'_> {
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
                    let v = next.down_angle_v * (1.0 - 2.0 * Shape::Conical.ratio(ratio));
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
