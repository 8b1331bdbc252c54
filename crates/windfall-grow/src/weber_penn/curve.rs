//! The line of one stem: its turns from segment to segment, and its forks.

use glam::{DQuat, DVec3};

use super::Level;
use super::stem::{Bud, Form};
use crate::math::{acos, radians, sin};
use windfall_core::random::Stream;

/// The line of a stem: its nodes, the frame of each segment, and the arms of its forks.
pub(super) struct Curve {
    pub(super) nodes: Vec<DVec3>,
    pub(super) frames: Vec<DQuat>,
    pub(super) forks: Vec<Fork>,
    /// Length, m.
    pub(super) length: f64,
}

/// An arm that leaves a stem at the end of one of its segments.
pub(super) struct Fork {
    pub(super) segment: u32,
    pub(super) bud: Bud,
}

fn declination(frame: DQuat) -> f64 {
    acos((frame * DVec3::Y).y.clamp(-1.0, 1.0))
}

/// Grows the line of a stem of this length.
pub(super) fn trace(form: &Form<'_>, level: &Level, bud: &Bud, length: f64) -> Curve {
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

/// Turns the stem aside and lists the arms of its fork; each arm turns to its own side by the same
/// angle.
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
        // Each arm bends back by half the angle over its remaining segments (section 4.2).
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

/// Least length of a segment, m; it bounds the number of segments of a stem.
const SHORTEST_SEGMENT: f64 = 1e-3;
const MOST_SEGMENTS: usize = 400;

/// Number of segments of a stem. It increases less than in proportion to the length, both within a tree
/// and between small and large trees.
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

/// Number of segments in one turn of a helix.
const HELIX: f64 = 8.0;

/// The frame of a segment of a helix about the +y of `axis`, at this angle to it, degrees.
fn helix(axis: DQuat, at: usize, angle: f64) -> DQuat {
    let turn = std::f64::consts::TAU * at as f64 / HELIX;
    axis * DQuat::from_rotation_y(turn) * DQuat::from_rotation_x(radians(angle))
}

/// The frame, turned towards the sky (positive pull) or the ground.
fn attracted(frame: DQuat, pull: f64) -> DQuat {
    let direction = frame * DVec3::Y;
    let axis = direction.cross(DVec3::Y);
    if pull == 0.0 || axis.length_squared() < 1e-12 {
        return frame;
    }
    let angle = declination(frame);
    // Never beyond the pole of the attraction.
    let turn = (pull * sin(angle)).clamp(angle - std::f64::consts::PI, angle);
    (DQuat::from_axis_angle(axis.normalize(), turn) * frame).normalize()
}
