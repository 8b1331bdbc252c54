//! Triangles of one tube: its grid, the bands around the feet of its side branches, its own collar, its
//! ends.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};

use super::holes::Hole;
use super::tube::Tube;
use super::vertex::{Patch, Vertex};

/// The lower end of a tube.
pub(super) enum Base<'a> {
    /// Its foot on the parent.
    Foot(&'a [Vertex]),
    /// The ground.
    Ground,
    /// Free: there was no room on the parent, and the tube begins inside it.
    Loose,
}

/// First vertex and number of columns of a ring. The vertex after the last column repeats the first on
/// the other side of the texture's seam.
#[derive(Clone, Copy)]
struct Ring {
    s: f32,
    first: u32,
    columns: u32,
}

/// `feet` gives the foot of each side branch that has a hole in this tube.
pub(super) fn emit<'a>(tube: &Tube, base: &Base<'_>, feet: impl Fn(u32) -> &'a [Vertex], out: &mut Patch) {
    let mut below: Option<Ring> = None;
    for grid in &tube.grids {
        let columns = grid.zone.columns;
        let rings: Vec<Ring> = grid.rings.iter().map(|&s| push_ring(tube, s, columns, out)).collect();
        match (below, base) {
            (Some(wide), _) => halve(wide, rings[0], out),
            (None, Base::Foot(foot)) => collar(tube, rings[0], foot, out),
            (None, Base::Ground) => {
                let place = tube.curve.at(rings[0].s);
                bottom(tube, rings[0], -place.tangent * (0.15 * place.radius), out);
            }
            (None, Base::Loose) => {
                let place = tube.curve.at(rings[0].s);
                bottom(
                    tube,
                    rings[0],
                    tube.curve.at(0.0).centre - place.centre - place.tangent * (0.1 * place.radius),
                    out,
                );
            }
        }
        let mut taken = vec![false; (rings.len() - 1) * columns as usize];
        for hole in &grid.holes {
            let row = |s: f32| grid.rings.partition_point(|&r| r < s);
            let (low, high) = (row(hole.from), row(hole.to));
            for r in low..high {
                for c in 0..hole.columns {
                    taken[r * columns as usize + ((hole.first_column + c) % columns) as usize] = true;
                }
            }
            band(tube, hole, &rings[low..=high], feet(hole.foot.child), out);
        }
        for (r, pair) in rings.windows(2).enumerate() {
            for c in 0..columns {
                if !taken[r * columns as usize + c as usize] {
                    let (a, b) = (pair[0].first + c, pair[1].first + c);
                    out.triangles.extend([[a, a + 1, b], [a + 1, b + 1, b]]);
                }
            }
        }
        below = rings.last().copied();
    }
    if let Some(ring) = below {
        tip(tube, ring, out);
    }
}

fn push_ring(tube: &Tube, s: f32, columns: u32, out: &mut Patch) -> Ring {
    let ring = tube.ring(s);
    let first = out.push(ring.vertex(0.0, columns));
    for c in 1..=columns {
        out.push(ring.vertex(c as f32, columns));
    }
    Ring { s, first, columns }
}

/// Triangles between a ring and one with half its columns.
fn halve(wide: Ring, narrow: Ring, out: &mut Patch) {
    for c in 0..narrow.columns {
        let (a, b) = (wide.first + 2 * c, narrow.first + c);
        out.triangles.extend([[a, a + 1, b], [a + 1, b + 1, b], [a + 1, a + 2, b + 1]]);
    }
}

/// Triangles between the edge of a hole and the foot of the branch inside it: part of the parent's
/// surface.
fn band(tube: &Tube, hole: &Hole, rings: &[Ring], foot: &[Vertex], out: &mut Patch) {
    let Ring { columns, .. } = rings[0];
    let (left, right) = (hole.first_column, hole.first_column + hole.columns);
    let last = rings.len() - 1;
    let bottom = (left..=right).map(|c| (0, c));
    let up = (1..=last).map(|r| (r, right));
    let top = (left..right).rev().map(|c| (last, c));
    let down = (1..last).rev().map(|r| (r, left));
    let mut edge: Vec<(f32, u32)> = bottom
        .chain(up)
        .chain(top)
        .chain(down)
        .map(|(r, c)| {
            // Beyond the seam: the vertex with the continued texture coordinate.
            let index = if c <= columns {
                rings[r].first + c
            } else {
                let mut copy = out.get(rings[r].first + c - columns);
                copy.uv.x += tube.repeats;
                out.push(copy)
            };
            let right = (c as f32 - hole.foot.column) / hole.foot.half_columns;
            let up = (rings[r].s - hole.foot.s) / hole.foot.half_height;
            let angle = right.atan2(-up);
            (if angle < 0.0 { angle + TAU } else { angle }, index)
        })
        .collect();
    let lowest = (0..edge.len()).min_by(|&a, &b| edge[a].0.total_cmp(&edge[b].0)).unwrap_or(0);
    edge.rotate_left(lowest);
    let step = TAU / foot.len() as f32;
    let inner: Vec<(f32, u32)> = foot.iter().enumerate().map(|(k, &v)| (step * k as f32, out.push(v))).collect();
    zip(&edge, &inner, out);
}

/// Triangles between two closed loops of (angle, vertex), both counter-clockwise from small angles.
fn zip(lower: &[(f32, u32)], upper: &[(f32, u32)], out: &mut Patch) {
    let angle = |ring: &[(f32, u32)], i: usize| if i < ring.len() { ring[i].0 } else { ring[i - ring.len()].0 + TAU };
    let vertex = |ring: &[(f32, u32)], i: usize| ring[i % ring.len()].1;
    let (mut i, mut j) = (0, 0);
    while i < lower.len() || j < upper.len() {
        let lower_next = j == upper.len() || (i < lower.len() && angle(lower, i + 1) <= angle(upper, j + 1));
        let (a, b) = (vertex(lower, i), vertex(upper, j));
        if lower_next {
            i += 1;
            out.triangles.push([a, vertex(lower, i), b]);
        } else {
            j += 1;
            out.triangles.push([a, vertex(upper, j), b]);
        }
    }
}

/// The swelling between the foot on the parent and the first round ring.
fn collar(tube: &Tube, first: Ring, foot: &[Vertex], out: &mut Patch) {
    let columns = first.columns;
    let place = tube.curve.at(first.s);
    let between = match columns {
        0..=4 => 0,
        5..=8 => 1,
        9..=16 => 2,
        _ => 4,
    };
    let length = foot.iter().map(|f| f.position.distance(place.centre)).sum::<f32>() / foot.len() as f32;
    let height = length * tube.repeats / (TAU * place.radius.max(1e-6));
    let mut below: Option<u32> = None;
    for step in 0..=between {
        let t = step as f32 / (between + 1) as f32;
        let start = below;
        for c in 0..=columns {
            let (low, high) = (foot[(c % columns) as usize], out.get(first.first + c));
            let rise = (high.position - low.position).dot(place.tangent);
            // A quadratic curve, tangent to the parent's surface at its start and to the branch at its
            // end.
            let bend = high.position - place.tangent * (0.75 * rise);
            let position = low.position.lerp(bend, t).lerp(bend.lerp(high.position, t), t);
            let normal = low.normal.lerp(high.normal, t).try_normalize().unwrap_or(high.normal);
            let uv = Vec2::new(high.uv.x, high.uv.y + height * (1.0 - t));
            let weights = if step == 0 { low.weights } else { low.weights.mix(high.weights, t) };
            // Thin wood is too coarse for a smooth collar: from the foot on it has the normals of the
            // branch.
            let normal = if between == 0 { high.normal } else { normal };
            let position = if step == 0 { low.position } else { position };
            let vertex = Vertex { position, normal, uv, weights };
            let index = out.push(vertex);
            if c == 0 {
                below = Some(index);
            }
        }
        if let (Some(a), Some(b)) = (start, below) {
            join(a, b, columns, out);
        }
    }
    if let Some(a) = below {
        join(a, first.first, columns, out);
    }
}

/// Two triangles per column between rings of the same number of columns.
fn join(a: u32, b: u32, columns: u32, out: &mut Patch) {
    for c in 0..columns {
        out.triangles.extend([[a + c, a + c + 1, b + c], [a + c + 1, b + c + 1, b + c]]);
    }
}

/// Closes the base with a flat disc, displaced by `sunk` into the ground or into the parent.
fn bottom(tube: &Tube, ring: Ring, sunk: Vec3, out: &mut Patch) {
    let place = tube.curve.at(ring.s);
    let height = sunk.length() * tube.repeats / (TAU * place.radius.max(1e-6));
    let mut rim = 0;
    for c in 0..=ring.columns {
        let mut vertex = out.get(ring.first + c);
        vertex.position += sunk;
        vertex.uv.y += height;
        let index = out.push(vertex);
        rim = if c == 0 { index } else { rim };
    }
    join(rim, ring.first, ring.columns, out);
    fan(tube, rim, ring.columns, place.centre + sunk, -place.tangent, false, out);
}

/// Closes the tip with a blunt point, rounded where it is thick.
fn tip(tube: &Tube, ring: Ring, out: &mut Patch) {
    let place = tube.curve.at(ring.s);
    let mut last = ring.first;
    if ring.columns >= 8 {
        let mut next = 0;
        for c in 0..=ring.columns {
            let mut vertex = out.get(ring.first + c);
            let side = vertex.position - place.centre;
            vertex.position = place.centre + side * 0.8 + place.tangent * (0.6 * place.radius);
            vertex.normal = (vertex.normal + place.tangent * 0.7).normalize();
            vertex.uv.y -= 0.6 * tube.repeats / TAU;
            let index = out.push(vertex);
            next = if c == 0 { index } else { next };
        }
        join(last, next, ring.columns, out);
        last = next;
    }
    fan(tube, last, ring.columns, place.centre + place.tangent * place.radius, place.tangent, true, out);
}

/// Triangles from a ring to one point at the tip or at the base, facing `direction`.
fn fan(tube: &Tube, ring: u32, columns: u32, point: Vec3, direction: Vec3, tip: bool, out: &mut Patch) {
    let rim = out.get(ring);
    let height = 0.5 * tube.repeats / TAU;
    let uv = Vec2::new(0.5 * tube.repeats, if tip { rim.uv.y - height } else { rim.uv.y + height });
    let centre = out.push(Vertex { position: point, normal: direction, uv, weights: rim.weights });
    for c in 0..columns {
        let (a, b) = (ring + c, ring + c + 1);
        out.triangles.push(if tip { [a, b, centre] } else { [b, a, centre] });
    }
}
