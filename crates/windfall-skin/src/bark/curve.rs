//! The centre line of a stem as a smooth curve with radii.
//!
//! Joints are kept exactly. Between them runs a cubic Hermite curve whose tangent at a joint is the mean
//! of the two directions. The parameter `s` is the length along the straight pieces, in metres from the
//! base.

use glam::{Quat, Vec3};

/// A centre line with radii and a rotation-minimising frame.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    /// Joints and the tip.
    points: Vec<Vec3>,
    /// Unit tangent at each point.
    tangents: Vec<Vec3>,
    /// Radius at each point, m.
    radii: Vec<f32>,
    /// Length from the base to each point, m.
    lengths: Vec<f32>,
    /// Start of the frame, m; the piece and the tangent there.
    start: f32,
    start_piece: usize,
    start_tangent: Vec3,
    /// The frame's side vector at `start` and at each later point.
    sides: Vec<Vec3>,
}

/// A point of the curve.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Piece of the curve (a segment of the plant) and the fraction of it behind the point, 0 to 1.
    pub piece: usize,
    pub share: f32,
    pub centre: Vec3,
    pub tangent: Vec3,
    pub radius: f32,
}

/// Axes of a ring: columns are counted from `x`, turning towards `right` (to the right as seen from
/// outside).
#[derive(Debug, Clone, Copy)]
pub(super) struct Axes {
    pub x: Vec3,
    pub right: Vec3,
}

impl Axes {
    /// Outward direction at an angle.
    pub fn outward(&self, angle: f32) -> Vec3 {
        let (sin, cos) = angle.sin_cos();
        self.x * cos + self.right * sin
    }

    /// The angle of a direction, 0 to 2 pi.
    pub fn angle(&self, direction: Vec3) -> f32 {
        let angle = direction.dot(self.right).atan2(direction.dot(self.x));
        if angle < 0.0 { angle + std::f32::consts::TAU } else { angle }
    }
}

impl Curve {
    /// A curve from the joints and the tip (at least two points), a direction for each piece (used where
    /// points coincide), and radii.
    pub fn new(points: Vec<Vec3>, directions: &[Vec3], radii: Vec<f32>) -> Self {
        let n = points.len();
        let direction = |i: usize| {
            let along = points[i + 1] - points[i];
            along.try_normalize().unwrap_or_else(|| directions[i].try_normalize().unwrap_or(Vec3::Y))
        };
        let mut tangents = Vec::with_capacity(n);
        let mut lengths = Vec::with_capacity(n);
        let mut length = 0.0f32;
        for i in 0..n {
            let after = direction(i.min(n - 2));
            let before = direction(i.max(1) - 1);
            tangents.push((before + after).try_normalize().unwrap_or(after));
            lengths.push(length);
            if i + 1 < n {
                // Strictly increasing, also where f32 cannot represent the sum, so that every point
                // belongs to one piece.
                length = (length + points[i].distance(points[i + 1]).max(1e-6)).max(length.next_up());
            }
        }
        let x = tangents[0].any_orthonormal_vector();
        let start_tangent = tangents[0];
        let mut curve =
            Self { points, tangents, radii, lengths, start: 0.0, start_piece: 0, start_tangent, sides: Vec::new() };
        curve.begin(0.0, x);
        curve
    }

    /// Starts the frame at `start` with this side vector, which need not be exactly perpendicular.
    pub fn begin(&mut self, start: f32, x: Vec3) {
        let first = self.at(start);
        (self.start, self.start_piece, self.start_tangent) = (start, first.piece, first.tangent);
        let side = x.reject_from_normalized(first.tangent).try_normalize();
        let mut side = side.unwrap_or_else(|| first.tangent.any_orthonormal_vector());
        let mut tangent = first.tangent;
        self.sides.clear();
        self.sides.push(side);
        for i in first.piece + 1..self.points.len() {
            side = transport(side, tangent, self.tangents[i]);
            tangent = self.tangents[i];
            self.sides.push(side);
        }
    }

    /// Start of the frame, and with it of the tube.
    pub fn start(&self) -> f32 {
        self.start
    }

    /// Length from base to tip.
    pub fn length(&self) -> f32 {
        self.lengths[self.lengths.len() - 1]
    }

    /// Length from the base to each point.
    pub fn lengths(&self) -> &[f32] {
        &self.lengths
    }

    /// Radius at each point.
    pub fn radii(&self) -> &[f32] {
        &self.radii
    }

    /// Angle by which the curve turns within a piece, radians.
    pub fn turn(&self, piece: usize) -> f32 {
        self.tangents[piece].angle_between(self.tangents[piece + 1])
    }

    /// The point at `s`, clamped to the ends.
    pub fn at(&self, s: f32) -> Place {
        let last = self.points.len() - 2;
        let piece = self.lengths.partition_point(|&l| l <= s).saturating_sub(1).min(last);
        let span = self.lengths[piece + 1] - self.lengths[piece];
        let t = ((s - self.lengths[piece]) / span).clamp(0.0, 1.0);
        let (p0, p1) = (self.points[piece], self.points[piece + 1]);
        let (m0, m1) = (self.tangents[piece] * span, self.tangents[piece + 1] * span);
        let (t2, t3) = (t * t, t * t * t);
        let centre =
            p0 * (2.0 * t3 - 3.0 * t2 + 1.0) + m0 * (t3 - 2.0 * t2 + t) + p1 * (3.0 * t2 - 2.0 * t3) + m1 * (t3 - t2);
        let slope = (p1 - p0) * (6.0 * (t - t2)) + m0 * (3.0 * t2 - 4.0 * t + 1.0) + m1 * (3.0 * t2 - 2.0 * t);
        let tangent = slope.try_normalize().unwrap_or(self.tangents[piece]);
        let radius = self.radii[piece] + (self.radii[piece + 1] - self.radii[piece]) * t;
        Place { piece, share: t, centre, tangent, radius }
    }

    /// Decrease of the radius along the curve: -dr/ds.
    pub fn taper(&self, piece: usize) -> f32 {
        let taper = (self.radii[piece] - self.radii[piece + 1]) / (self.lengths[piece + 1] - self.lengths[piece]);
        taper.clamp(-1e4, 1e4)
    }

    /// The axes of the ring at a point of the curve.
    pub fn axes(&self, place: &Place) -> Axes {
        let (tangent, side) = if place.piece <= self.start_piece {
            (self.start_tangent, self.sides[0])
        } else {
            (self.tangents[place.piece], self.sides[place.piece - self.start_piece])
        };
        let x = transport(side, tangent, place.tangent);
        Axes { x, right: place.tangent.cross(x) }
    }

    /// The point nearest to another one, by a number of steps along the tangent from a first guess.
    pub fn project(&self, point: Vec3, guess: f32, steps: u32) -> (f32, Place) {
        let mut s = guess;
        let mut place = self.at(s);
        for _ in 0..steps {
            let step = (point - place.centre).dot(place.tangent);
            s = (s + step).clamp(0.0, self.length());
            place = self.at(s);
        }
        (s, place)
    }
}

/// Parallel transport of a vector from one tangent to another.
fn transport(side: Vec3, from: Vec3, to: Vec3) -> Vec3 {
    let turned = Quat::from_rotation_arc(from, to) * side;
    turned.reject_from_normalized(to).try_normalize().unwrap_or_else(|| to.any_orthonormal_vector())
}
