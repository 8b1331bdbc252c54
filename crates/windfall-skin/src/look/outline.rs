//! The outline of a leaf from the points of its look: smoothed, toothed, widened to its fill, with
//! random variation.

use glam::Vec2;

use super::data::LeafLook;
use super::noise::{random, smoothstep};

/// A closed outline and the ends of its veins, in leaf units: base (0, 0), tip at y = 1, half-width
/// `aspect / 2`.
pub(super) struct Outline {
    pub(super) points: Vec<Vec2>,
    /// Ends of palmate main veins, right half then left half.
    pub(super) tips: Vec<Vec2>,
}

/// Bounding box of the look's outline points: half-width, lowest and highest y.
fn extent(look: &LeafLook) -> (f32, f32, f32) {
    look.outline.iter().fold((0.0, f32::MAX, f32::MIN), |(w, l, h), p| (w.max(p[0]), l.min(p[1]), h.max(p[1])))
}

/// Width over length of a look's outline.
pub(super) fn aspect(look: &LeafLook) -> f32 {
    let (half, low, high) = extent(look);
    2.0 * half / (high - low)
}

impl Outline {
    /// The outline of a variant that covers the fraction `fill` of its box.
    pub(super) fn new(look: &LeafLook, fill: f32, variant: u32, seed: u32) -> Self {
        let (mut slim, mut fat) = (-4.0, 4.0);
        let mut outline = Self::widened(look, 0.0, variant, seed);
        for _ in 0..16 {
            let widening: f32 = 0.5 * (slim + fat);
            outline = Self::widened(look, widening, variant, seed);
            if outline.covered(aspect(look)) < fill {
                slim = widening;
            } else {
                fat = widening;
            }
        }
        outline
    }

    fn covered(&self, aspect: f32) -> f32 {
        let next = self.points.iter().cycle().skip(1);
        let twice: f32 = self.points.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum();
        0.5 * twice.abs() / aspect
    }

    fn widened(look: &LeafLook, widening: f32, variant: u32, seed: u32) -> Self {
        let (half, low, high) = extent(look);
        let to_unit = |p: [f32; 2]| {
            let x = (p[0] / half).clamp(0.0, 1.0);
            Vec2::new(widen(x, widening), (p[1] - low) / (high - low))
        };
        let side = |side: u32| {
            let last = look.outline.len() - 1;
            let points: Vec<Vec2> = look
                .outline
                .iter()
                .enumerate()
                .map(|(i, &p)| {
                    let jitter = |channel| random(i as u32, channel + 10 * side, seed ^ (variant * 977)) - 0.5;
                    let free = if i == 0 || i == last { 0.0 } else { 1.0 };
                    to_unit(p) * Vec2::new(1.0 + 0.12 * jitter(1), 1.0) + free * Vec2::new(0.0, 0.03 * jitter(2))
                })
                .collect();
            let curve = if look.rounded { smooth(&points) } else { pointed(&points) };
            match &look.teeth {
                Some(teeth) if teeth.count > 0 => toothed(&curve, teeth.count, teeth.size, half / (high - low)),
                _ => curve,
            }
        };
        let (right, left) = (side(0), side(1));
        let mut points = right;
        points.extend(left.iter().rev().map(|p| Vec2::new(-p.x, p.y)));
        // The varied outline is scaled back to the box of the blade; its midrib stays in the middle.
        let (mut width, mut bottom, mut top) = (1e-6_f32, f32::MAX, f32::MIN);
        for p in &points {
            (width, bottom, top) = (width.max(p.x.abs()), bottom.min(p.y), top.max(p.y));
        }
        let half_width = 0.5 * aspect(look);
        let place = |p: Vec2| Vec2::new(p.x / width * half_width, (p.y - bottom) / (top - bottom));
        let ends = look.veins.iter().flat_map(|v| &v.tips).map(|&tip| to_unit(tip).clamp(Vec2::ZERO, Vec2::ONE));
        let right_tips: Vec<Vec2> = ends.map(place).collect();
        let left_tips = right_tips.iter().map(|p| Vec2::new(-p.x, p.y));
        let tips = right_tips.iter().copied().chain(left_tips).collect();
        Self { points: points.into_iter().map(place).collect(), tips }
    }
}

/// A position between midrib (0) and greatest width (1), moved outward or (negative) inward. Both ends
/// stay, and a tip stays pointed: the slope at the midrib changes by a finite factor, at most 2 for each
/// unit.
fn widen(x: f32, widening: f32) -> f32 {
    let (mut x, mut left) = (x, widening);
    while left != 0.0 {
        let step = left.clamp(-1.0, 1.0);
        x *= 1.0 + step * (1.0 - x);
        left -= step;
    }
    x
}

/// A smooth curve through points (Catmull and Rom 1974).
fn smooth(points: &[Vec2]) -> Vec<Vec2> {
    const STEPS: usize = 10;
    let at = |i: isize| points[i.clamp(0, points.len() as isize - 1) as usize];
    let mut curve = Vec::with_capacity(points.len() * STEPS);
    for i in 0..points.len() as isize - 1 {
        let (a, b, c, d) = (at(i - 1), at(i), at(i + 1), at(i + 2));
        for step in 0..STEPS {
            let t = step as f32 / STEPS as f32;
            let p = b * 2.0
                + (c - a) * t
                + (a * 2.0 - b * 5.0 + c * 4.0 - d) * (t * t)
                + (b * 3.0 - a - c * 3.0 + d) * (t * t * t);
            curve.push(Vec2::new((0.5 * p.x).max(0.0), 0.5 * p.y));
        }
    }
    curve.push(points[points.len() - 1]);
    curve
}

/// Straight edges, drawn slightly towards the midrib: pointed lobes have concave sides.
fn pointed(points: &[Vec2]) -> Vec<Vec2> {
    const STEPS: usize = 6;
    let mut curve = Vec::with_capacity(points.len() * STEPS);
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        for step in 0..STEPS {
            let t = step as f32 / STEPS as f32;
            let hollow = 1.0 - 0.18 * (b - a).length() * 4.0 * t * (1.0 - t);
            curve.push((a + (b - a) * t) * Vec2::new(hollow, 1.0));
        }
    }
    curve.push(points[points.len() - 1]);
    curve
}

/// Teeth that point forward, smaller towards base and tip. `half_width` converts x to lengths of the
/// blade.
fn toothed(curve: &[Vec2], count: u32, size: f32, half_width: f32) -> Vec<Vec2> {
    const STEPS: u32 = 6;
    let metric = Vec2::new(half_width, 1.0);
    let mut lengths = vec![0.0];
    for pair in curve.windows(2) {
        lengths.push(lengths[lengths.len() - 1] + ((pair[1] - pair[0]) * metric).length());
    }
    let total = lengths[lengths.len() - 1];
    let steps = count * STEPS;
    let mut piece = 0;
    (0..=steps)
        .map(|step| {
            let share = step as f32 / steps as f32;
            let length = share * total;
            while piece + 2 < lengths.len() && lengths[piece + 1] < length {
                piece += 1;
            }
            let (a, b) = (curve[piece], curve[piece + 1]);
            let t = ((length - lengths[piece]) / (lengths[piece + 1] - lengths[piece]).max(1e-9)).clamp(0.0, 1.0);
            let forward = ((b - a) * metric).normalize_or_zero();
            // The curve runs from base to tip on the right side, so outward is to its right.
            let outward = Vec2::new(forward.y, -forward.x);
            let phase = (step % STEPS) as f32 / (STEPS - 1) as f32;
            let height = size * phase * smoothstep(0.02, 0.2, share) * (1.0 - smoothstep(0.9, 1.0, share));
            let p = a + (b - a) * t + (outward + 0.6 * forward) * height / metric;
            Vec2::new(p.x.max(0.0), p.y)
        })
        .collect()
}
