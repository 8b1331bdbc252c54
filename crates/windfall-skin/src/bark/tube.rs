//! One stem as an unrolled grid of rings and columns: positions of its vertices and their weights.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};

use super::curve::{Axes, Curve, Place};
use super::holes::{Foot, Grid};
use super::junction::Junction;
use super::sides::zones;
use super::stem::Stem;
use super::vertex::{Vertex, Weights};

/// A stem with the rings and holes of its tube.
#[derive(Debug)]
pub(super) struct Tube {
    pub stem: Stem,
    pub curve: Curve,
    pub grids: Vec<Grid>,
    /// Number of repetitions of the texture around the tube.
    pub repeats: f32,
    /// Texture coordinate along, at each point of the curve.
    along: Vec<f32>,
    /// Weights from the parent, once the tube has a foot.
    standing: Option<Standing>,
}

/// Weights of the parent's bodies at the beginning of a branch. They fall from one at the foot to zero
/// at `reach` from it, measured along each column. Where the branch lies close to its parent its surface
/// moves with the parent, so the bend at its joint strains no triangle much.
#[derive(Debug)]
struct Standing {
    below: Weights,
    /// Distance from the foot to the first ring, for each of its columns, m.
    gaps: Vec<f32>,
    reach: f32,
}

impl Standing {
    /// The parent's weight at a length beyond the first ring, on the column at this fraction of a turn.
    fn share(&self, beyond: f32, around: f32) -> f32 {
        let column = around.rem_euclid(1.0) * self.gaps.len() as f32;
        let (left, t) = (column as usize % self.gaps.len(), column.fract());
        let gap = self.gaps[left] * (1.0 - t) + self.gaps[(left + 1) % self.gaps.len()] * t;
        (1.0 - (gap + beyond) / self.reach).clamp(0.0, 1.0)
    }
}

/// Largest turn of a curve within a piece without additional rings, radians.
const TURN_PER_RING: f32 = 0.14;

impl Tube {
    /// A tube without holes. `tile` is the width of the texture in metres.
    pub fn new(stem: Stem, curve: Curve, tolerance: f32, tile: f32, fewest: u32) -> Self {
        let grids = zones(&curve, tolerance, fewest).into_iter();
        let grids = grids.map(|zone| Grid::new(zone, rings(&curve, zone.from, zone.to, zone.columns))).collect();
        let repeats = (TAU * mean_radius(&curve) / tile).round().clamp(1.0, 64.0);
        let along = unrolled_lengths(&curve, repeats);
        Self { stem, curve, grids, repeats, along, standing: None }
    }

    /// Number of columns of its first ring.
    pub fn first_columns(&self) -> u32 {
        self.grids[0].zone.columns
    }

    /// Places the feet of side branches, the thickest first; returns those without room.
    pub fn make_room(&mut self, children: &mut [(u32, Junction)]) -> Vec<u32> {
        children.sort_by(|a, b| b.1.half_width.total_cmp(&a.1.half_width).then(a.0.cmp(&b.0)));
        let mut left_over = Vec::new();
        for &(child, junction) in &*children {
            let place = self.curve.at(junction.s.max(self.curve.start()));
            let angle = self.curve.axes(&place).angle(junction.outward);
            let last = self.grids.len() - 1;
            let zone = self.grids.partition_point(|g| g.zone.to < junction.s).min(last);
            // Where its own zone is full, the next ones below and above.
            let mut zones =
                [Some(zone), zone.checked_sub(1), Some(zone + 1).filter(|&z| z <= last)].into_iter().flatten();
            let found = zones.any(|zone| {
                let grid = &mut self.grids[zone];
                let per_radian = grid.zone.columns as f32 / TAU;
                grid.place(Foot {
                    child,
                    column: angle * per_radian,
                    s: junction.s,
                    half_columns: (junction.half_width / place.radius.max(1e-9)).min(0.98).asin() * per_radian,
                    half_height: junction.half_height,
                })
            });
            if !found {
                left_over.push(child);
            }
        }
        left_over
    }

    /// The ring at a length along the curve.
    pub fn ring(&self, s: f32) -> Ring<'_> {
        let place = self.curve.at(s);
        let (s0, r0) = (self.curve.lengths()[place.piece], self.curve.radii()[place.piece]);
        Ring {
            place,
            axes: self.curve.axes(&place),
            taper: self.curve.taper(place.piece),
            repeats: self.repeats,
            // v runs down the image, so it falls from base to tip.
            v: -(self.along[place.piece] + unrolled(s - s0, r0, place.radius, self.repeats)),
            weights: self.own_weights(&place),
            beyond: s - self.curve.start(),
            standing: self.standing.as_ref().filter(|standing| s - self.curve.start() < standing.reach),
        }
    }

    /// Weights of this tube's bodies at this foot.
    pub fn weights_below(&self, foot: &Foot) -> Weights {
        self.own_weights(&self.curve.at(foot.s))
    }

    /// Sets the weights and the position of its foot.
    pub fn stand_on(&mut self, below: Weights, foot: &[Vertex]) {
        let ring = self.ring(self.curve.start());
        let gap = |(c, low): (usize, &Vertex)| low.position.distance(ring.vertex(c as f32, foot.len() as u32).position);
        let gaps: Vec<f32> = foot.iter().enumerate().map(gap).collect();
        let reach = gaps.iter().copied().fold(0.0, f32::max) + 2.0 * ring.place.radius;
        self.standing = Some(Standing { below, gaps, reach });
    }

    /// Each body has weight 1 at the middle of its segment and 1/2 at its joints.
    fn own_weights(&self, place: &Place) -> Weights {
        let own = self.stem.segments[place.piece];
        let neighbour = if place.share < 0.5 { place.piece.checked_sub(1) } else { Some(place.piece + 1) };
        let share = (place.share - 0.5).abs();
        match neighbour.and_then(|i| self.stem.segments.get(i)) {
            Some(&other) => Weights::pair(own, 1.0 - share, other, share),
            None => Weights::one(own),
        }
    }

    /// Points of a foot on this tube, from the side that faces the base, counter-clockwise as seen from
    /// outside. Normals lean towards the child's own.
    pub fn foot(&self, foot: &Foot, columns: u32, corners: u32, child_outward: impl Fn(f32) -> Vec3) -> Vec<Vertex> {
        let corner = |k: u32| {
            let angle = TAU * k as f32 / corners as f32;
            let column = foot.column + foot.half_columns * angle.sin();
            let mut vertex = self.ring(foot.s - foot.half_height * angle.cos()).vertex(column, columns);
            let blended = vertex.normal * 0.8 + child_outward(angle) * 0.4;
            vertex.normal = blended.try_normalize().unwrap_or(vertex.normal);
            vertex
        };
        (0..corners).map(corner).collect()
    }
}

/// A circle around the curve.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ring<'a> {
    pub place: Place,
    axes: Axes,
    taper: f32,
    repeats: f32,
    v: f32,
    weights: Weights,
    /// Length beyond the first ring, and the weights of the parent if the foot is near.
    beyond: f32,
    standing: Option<&'a Standing>,
}

impl Ring<'_> {
    /// The vertex at a column, which may lie between two corners of the ring (then on its flat face).
    pub fn vertex(&self, column: f32, columns: u32) -> Vertex {
        let step = TAU / columns as f32;
        let (left, share) = (column.floor(), column - column.floor());
        // The vertices on both sides of the seam are the same to the bit.
        let corner = |c: f32| self.axes.outward(c.rem_euclid(columns as f32) * step);
        let side = if share == 0.0 { corner(left) } else { corner(left).lerp(corner(left + 1.0), share) };
        let outward = if share == 0.0 { side } else { side.try_normalize().unwrap_or(self.axes.x) };
        Vertex {
            position: self.place.centre + side * self.place.radius,
            normal: (outward + self.place.tangent * self.taper).normalize(),
            uv: Vec2::new(column / columns as f32 * self.repeats, self.v),
            weights: self.weights(column / columns as f32),
        }
    }

    fn weights(&self, around: f32) -> Weights {
        let Some(standing) = self.standing else { return self.weights };
        self.weights.mix(standing.below, standing.share(self.beyond, around))
    }
}

/// Positions of the rings without any hole: both ends, all joints, and more where the curve turns.
fn rings(curve: &Curve, from: f32, to: f32, columns: u32) -> Vec<f32> {
    let lengths = curve.lengths();
    let mut out = vec![from];
    for i in 0..lengths.len() - 1 {
        let (low, high) = (lengths[i].max(from), lengths[i + 1].min(to));
        if high <= low {
            continue;
        }
        if low > from {
            out.push(low);
        }
        // Thin wood needs no more rings; and rings must not be so close that they intersect inside a
        // bend.
        let most = ((high - low) / (0.8 * curve.at(low).radius).max(1e-9)).clamp(1.0, 8.0);
        let count = if columns < 6 { 1 } else { (curve.turn(i) / TURN_PER_RING).ceil().min(most) as u32 };
        out.extend((1..count).map(|k| low + (high - low) * k as f32 / count as f32));
    }
    out.push(to);
    out.dedup();
    out
}

/// Mean radius, weighted by the surface area.
fn mean_radius(curve: &Curve) -> f32 {
    let (lengths, radii) = (curve.lengths(), curve.radii());
    let mut sums = [0.0, 0.0];
    for i in 1..lengths.len() {
        let (step, r) = (lengths[i] - lengths[i - 1], 0.5 * (radii[i] + radii[i - 1]));
        sums = [sums[0] + step * r * r, sums[1] + step * r];
    }
    if sums[1] > 0.0 { sums[0] / sums[1] } else { radii[0] }
}

/// Length of a cone's side in texture units: the integral of repeats / (2 pi r) ds, which keeps the
/// texture's proportions while the radius changes.
fn unrolled(length: f32, r0: f32, r1: f32, repeats: f32) -> f32 {
    let (r0, r1) = (r0.max(1e-6), r1.max(1e-6));
    let x = r1 / r0 - 1.0;
    // ln(r1 / r0) / x, by its series where it cancels; as a difference, because 1 + x may round to zero.
    let mean = if x.abs() < 1e-3 { 1.0 - 0.5 * x + x * x / 3.0 } else { (r1.ln() - r0.ln()) / x };
    length * mean / r0 * repeats / TAU
}

fn unrolled_lengths(curve: &Curve, repeats: f32) -> Vec<f32> {
    let (lengths, radii) = (curve.lengths(), curve.radii());
    let mut out = vec![0.0];
    for i in 1..lengths.len() {
        out.push(out[i - 1] + unrolled(lengths[i] - lengths[i - 1], radii[i - 1], radii[i], repeats));
    }
    out
}
