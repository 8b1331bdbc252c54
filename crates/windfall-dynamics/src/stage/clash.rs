//! Pieces that broke off meet standing trees, wood on wood.
//!
//! **Who.** The boxes of all segments of a piece, swept along their velocities, are put into a tree of boxes. The trees of the plant are searched from their roots outwards, leaving out subtrees whose
//! reachable workspace is out of the box of the whole piece ([`super::reach`]); what is left asks the tree of boxes. Then the two segments are moved along the velocities of their ends until they meet:
//! nothing passes through a twig within a step.
//!
//! **What.** A [`Clash`]: an impulse on both, equal and opposite, solved with all joints of tree and piece. They close a gap that there still is; then they part with e times the speed at which they met, or stay together.
//!
//! **Stumps.** A piece that has just broken off overlaps with what it broke from. Such pairs are left alone until they are apart.

use std::collections::{HashMap, HashSet};

use windfall_core::glam::DVec3;
use windfall_core::{Body, BodyId};

use super::reach::Placed;
use super::{CollisionMode, Stage};
use crate::Method;
use crate::free::broad::{Bounds, Shelf};
use crate::free::contact::{MARGIN, SLOP};
use crate::math::Real;
use crate::world::clash::Clash;

/// Part of an overlap that a step takes out, and how fast at most, m/s.
const PUSH_OUT: f64 = 0.2;
const PUSH_OUT_SPEED: f64 = 0.5;
/// Slowest impact that bounces, m/s, and in units of what gravity adds in a step.
const SLOWEST_BOUNCE: f64 = 0.2;
const SLOWEST_BOUNCE_IN_KICKS: f64 = 2.0;
/// Segments whose axes have a smaller sine between them touch at two points.
const PARALLEL: f64 = 0.1;
/// Most looks at where two segments are until they meet, and what is near enough, over the sum of the radii.
const LOOKS: usize = 12;
const NEAR: f64 = 0.01;

/// A piece body and a tree body.
type Pair = (BodyId, BodyId);

/// How a pair that has met still has to part.
#[derive(Debug, Clone, Copy, Default)]
struct Owed {
    /// m/s; zero for nothing.
    speed: f64,
    /// [`Clash::stood`].
    stood: f64,
}

/// What is remembered from step to step.
#[derive(Clone, Default)]
pub(super) struct Memory {
    /// How many pieces there were.
    pieces: usize,
    /// Pairs that overlapped when the piece broke off and still do.
    ignored: HashSet<Pair>,
    /// Pairs that met in the last step.
    met: HashMap<Pair, Owed>,
    stack: Vec<u32>,
    own: Vec<Limb>,
    shelf: Shelf,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory").field("ignored", &self.ignored).finish_non_exhaustive()
    }
}

/// A segment in its place.
#[derive(Debug, Clone, Copy)]
struct Limb {
    body: BodyId,
    placed: Placed,
    /// Its ends, world metres, and their velocities, m/s.
    ends: [DVec3; 2],
    velocities: [DVec3; 2],
    radius: f64,
    bounds: Bounds,
}

impl Limb {
    fn ends_at(&self, t: f64) -> [DVec3; 2] {
        [self.ends[0] + self.velocities[0] * t, self.ends[1] + self.velocities[1] * t]
    }

    /// At a part of its length.
    fn velocity_at(&self, s: f64) -> DVec3 {
        self.velocities[0].lerp(self.velocities[1], s)
    }
}

/// A place where two segments are nearest: parts of their lengths, from the second to the first, m.
#[derive(Debug, Clone, Copy)]
struct Nearest {
    parts: [f64; 2],
    apart: DVec3,
}

impl<T: Real> Stage<T> {
    /// Finds which pieces meet trees within `h` seconds, for the next step of the world. Gives the roots of these pieces and what they overlap by.
    pub(super) fn meet_trees(&mut self, h: f64) -> Vec<(BodyId, DVec3)> {
        self.world.clashes.clear();
        let collisions = self.settings.collisions;
        if collisions.mode == CollisionMode::Off || !collisions.pieces || self.world.pieces().is_empty() {
            // Whatever overlaps when this is switched on is left alone.
            (self.clash.pieces, self.clash.ignored, self.clash.met) = (0, HashSet::new(), HashMap::new());
            return Vec::new();
        }
        let mut memory = std::mem::take(&mut self.clash);
        let ignored = std::mem::take(&mut memory.ignored);
        let met = std::mem::take(&mut memory.met);
        let (mut clashes, mut all_overlaps, mut overlaps) = (Vec::new(), Vec::new(), Vec::new());
        for (i, &piece) in self.world.pieces().iter().enumerate() {
            let is_new = i >= memory.pieces;
            let Some(bounds) = self.limbs_of(piece, h, &mut memory) else { continue };
            for &root in self.reach.roots() {
                if self.world.is_loose(root) {
                    continue;
                }
                let Memory { stack, own, shelf, ignored: still_ignored, met: now_met, .. } = &mut memory;
                let mut pairs = Vec::new();
                self.reach.visit(root, stack, |body, reach| {
                    if self.world.is_loose(body) {
                        return false;
                    }
                    let placed = self.placed(body);
                    let drift = 2.0 * self.velocity_at(body, DVec3::ZERO).length() * h;
                    if !bounds.touch(&Bounds::swept(placed.joint, DVec3::ZERO, reach + drift + MARGIN)) {
                        return false;
                    }
                    if let Some(limb) = self.limb(body, h)
                        && bounds.touch(&limb.bounds)
                    {
                        shelf.touching(&limb.bounds, |k| pairs.push((limb, k)));
                    }
                    true
                });
                pairs.sort_unstable_by_key(|(limb, k)| (*k, limb.body));
                for (limb, k) in pairs {
                    let own = &own[k as usize];
                    let pair = (own.body, limb.body);
                    let may_be_ignored = is_new && !met.contains_key(&pair) || ignored.contains(&pair);
                    if may_be_ignored && gap_now(&limb, own) < MARGIN {
                        still_ignored.insert(pair);
                        continue;
                    }
                    let owed = met.get(&pair).copied().unwrap_or_default();
                    if let Some(later) = self.clash_of(&limb, own, (h, owed), &mut clashes, &mut overlaps) {
                        now_met.insert(pair, later);
                    }
                }
            }
            all_overlaps.extend(overlaps.drain(..).map(|way| (piece, way)));
        }
        memory.pieces = self.world.pieces().len();
        self.clash = memory;
        self.world.clashes = clashes;
        all_overlaps
    }

    /// Lists the segments of a piece and puts their boxes into the tree. Gives the box of all of them.
    fn limbs_of(&self, piece: BodyId, h: f64, memory: &mut Memory) -> Option<Bounds> {
        let Memory { stack, own, shelf, .. } = memory;
        own.clear();
        shelf.clear();
        self.reach.visit(piece, stack, |body, _| {
            if body != piece && self.world.is_loose(body) {
                return false;
            }
            own.extend(self.limb(body, h));
            true
        });
        let mut bounds = own.first()?.bounds;
        for (k, limb) in own.iter().enumerate() {
            shelf.push(k as u32, &limb.bounds);
            bounds.low = bounds.low.min(limb.bounds.low);
            bounds.high = bounds.high.max(limb.bounds.high);
        }
        shelf.build();
        Some(bounds)
    }

    /// A segment in its place, with the box that it stays in within `h` seconds; none for leaves and fruit.
    fn limb(&self, body: BodyId, h: f64) -> Option<Limb> {
        let Some(Body::Wood(segment)) = self.world.plant.body(body) else { return None };
        let placed = self.placed(body);
        let radius = f64::from(segment.base_radius.max(segment.tip_radius));
        let tip = DVec3::new(0.0, f64::from(segment.length), 0.0);
        let ends = [placed.joint, placed.point(tip)];
        let velocities = [self.kept_velocity_at(body, DVec3::ZERO), self.kept_velocity_at(body, tip)];
        let slack = radius + MARGIN + self.world.gravity.length() * h * h;
        let [a, b] = [0, 1].map(|i| Bounds::swept(ends[i], velocities[i] * h, slack));
        let bounds = Bounds { low: a.low.min(b.low), high: a.high.max(b.high) };
        let is_finite = bounds.low.is_finite() && bounds.high.is_finite();
        is_finite.then_some(Limb { body, placed, ends, velocities, radius, bounds })
    }

    /// How a segment of a tree and one of a piece that still owe each other a parting meet within `h` seconds. Gives what they owe after that; none if they don't meet.
    fn clash_of(
        &self,
        tree: &Limb,
        piece: &Limb,
        (h, owed): (f64, Owed),
        clashes: &mut Vec<Clash>,
        overlaps: &mut Vec<DVec3>,
    ) -> Option<Owed> {
        let radii = tree.radius + piece.radius;
        let time = meeting_time(tree, piece, h, self.world.gravity.length() * h)?;
        let (a, b) = (tree.ends_at(time), piece.ends_at(time));
        let nearest = closest(a, b);
        let parallel = two_of_parallel(a, b).filter(|_| time == 0.0 || nearest.apart.length() > 0.5 * radii);
        let all = parallel.unwrap_or([nearest; 2]);
        let count = if parallel.is_some() { 2 } else { 1 };
        let mut later: Option<Owed> = None;
        for Nearest { parts, apart } in all.into_iter().take(count) {
            let normal = normal_of(apart, a, b);
            let (va, vb) = (tree.velocity_at(parts[0]), piece.velocity_at(parts[1]));
            let closing = -(va - vb).dot(normal);
            let gap = apart.dot(normal) - radii + closing * time;
            let kick = self.world.gravity.length() * h;
            // What parts needs no push, and would gain energy from one.
            if gap - (closing + kick) * h > MARGIN || closing + kick < 0.0 {
                continue;
            }
            let surface = self.settings.collisions.surface();
            let slowest = SLOWEST_BOUNCE.max(SLOWEST_BOUNCE_IN_KICKS * kick);
            let arrives = closing > slowest && closing * h > gap;
            let fresh =
                Owed { speed: if arrives { surface.restitution * closing } else { 0.0 }, stood: va.dot(normal) };
            let bounce = if owed.speed > fresh.speed { owed } else { fresh };
            // First they get to each other, and in the next step they part: if they parted at once they would do so in mid-air, as far apart as they fly in a step.
            let hits = (arrives || owed.speed > 0.0) && gap <= MARGIN;
            let left = if hits { Owed::default() } else { bounce };
            later = Some(later.filter(|other| other.speed > left.speed).unwrap_or(left));
            let parting = if hits {
                bounce.speed
            } else if gap > 0.0 {
                -gap / h
            } else if self.moves_with_new_velocity() {
                (PUSH_OUT * (-gap - SLOP).max(0.0) / h).min(PUSH_OUT_SPEED)
            } else {
                0.0
            };
            // Where they will touch each other, each on its own wood. An impulse that is centimetres off a thin twig would spin it about its own axis, and come out of that again as a shot.
            let half = 0.5 * (apart.dot(normal) - radii);
            let on_tree = tree.ends[0].lerp(tree.ends[1], parts[0]) - normal * (tree.radius + half);
            let on_piece = piece.ends[0].lerp(piece.ends[1], parts[1]) + normal * (piece.radius + half);
            clashes.push(Clash {
                sides: [(tree.body, tree.placed.local(on_tree)), (piece.body, piece.placed.local(on_piece))],
                normal,
                parting,
                stood: bounce.stood,
                hits,
                friction: surface.friction,
                impulse: DVec3::ZERO,
            });
            overlaps.push(normal * (gap + SLOP).min(0.0));
        }
        later
    }

    /// Whether places move on with the velocities of the end of a step. If not, what was hit overlaps at the end, and a velocity that takes that out would be energy from nowhere: the piece is shifted instead.
    fn moves_with_new_velocity(&self) -> bool {
        self.world.method() == Method::Implicit
    }

    /// Takes out what overlaps, after the step.
    pub(super) fn push_out(&mut self, overlaps: Vec<(BodyId, DVec3)>) {
        self.world.clashes.clear();
        if self.moves_with_new_velocity() {
            return;
        }
        // Of every piece the deepest.
        let mut deepest: Vec<(BodyId, DVec3)> = Vec::new();
        for (piece, way) in overlaps {
            match deepest.iter_mut().find(|known| known.0 == piece) {
                Some(known) if known.1.length_squared() >= way.length_squared() => {}
                Some(known) => known.1 = way,
                None => deepest.push((piece, way)),
            }
        }
        for (piece, way) in deepest {
            self.world.edit_free(piece, |_, free| free.position += way * PUSH_OUT);
        }
    }
}

fn gap_now(first: &Limb, second: &Limb) -> f64 {
    closest(first.ends, second.ends).apart.length() - first.radius - second.radius
}

/// From the second into the first, also where their axes cross.
fn normal_of(apart: DVec3, a: [DVec3; 2], b: [DVec3; 2]) -> DVec3 {
    let across = || {
        let normal = (a[1] - a[0]).cross(b[1] - b[0]).normalize_or(DVec3::Y);
        let middles = (a[0] + a[1]) - (b[0] + b[1]);
        if middles.dot(normal) < 0.0 { -normal } else { normal }
    };
    if apart.length() > 1e-9 { apart.normalize() } else { across() }
}

/// When two segments meet within `h` seconds: they are moved on by what they are apart over the largest speed at which two of their points may come closer, until they touch. `faster` is what gravity may add, m/s.
fn meeting_time(first: &Limb, second: &Limb, h: f64, faster: f64) -> Option<f64> {
    let radii = first.radius + second.radius;
    let corners = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let speed = corners.map(|(i, j)| (first.velocities[i] - second.velocities[j]).length());
    let speed = speed.into_iter().fold(0.0, f64::max);
    let mut time = 0.0;
    for _ in 0..LOOKS {
        let gap = closest(first.ends_at(time), second.ends_at(time)).apart.length() - radii;
        if gap <= NEAR * radii {
            return Some(time);
        }
        if gap > (speed + faster) * (h - time) + MARGIN {
            return None;
        }
        if speed * h < NEAR * radii {
            // They lie on each other, or nearly so.
            return Some(0.0);
        }
        time += gap / speed;
        if time >= h {
            // What only gravity brings together, or what just gets there.
            return Some(0.0).filter(|_| gap <= MARGIN + faster * h);
        }
    }
    Some(time)
}

/// Where two segments are nearest to each other (Ericson 2005, "Real-Time Collision Detection", 5.1.9).
fn closest([a0, a1]: [DVec3; 2], [b0, b1]: [DVec3; 2]) -> Nearest {
    let (d1, d2, r) = (a1 - a0, b1 - b0, a0 - b0);
    let (a, e, f) = (d1.length_squared(), d2.length_squared(), d2.dot(r));
    let (b, c) = (d1.dot(d2), d1.dot(r));
    let determinant = a * e - b * b;
    let s = if determinant > 1e-12 * a * e { ((b * f - c * e) / determinant).clamp(0.0, 1.0) } else { 0.5 };
    let t = ((b * s + f) / e).clamp(0.0, 1.0);
    let s = ((b * t - c) / a).clamp(0.0, 1.0);
    Nearest { parts: [s, t], apart: r + d1 * s - d2 * t }
}

/// Where two segments that are nearly parallel lie beside each other: both ends of that stretch. None if they are not, or hardly beside each other.
fn two_of_parallel(a: [DVec3; 2], b: [DVec3; 2]) -> Option<[Nearest; 2]> {
    let (d1, d2) = (a[1] - a[0], b[1] - b[0]);
    let (l1, l2) = (d1.length_squared(), d2.length_squared());
    if d1.cross(d2).length_squared() > PARALLEL * PARALLEL * l1 * l2 {
        return None;
    }
    let along = |point: DVec3| ((point - a[0]).dot(d1) / l1).clamp(0.0, 1.0);
    let [s0, s1] = b.map(along);
    if (s1 - s0).abs() * l1.sqrt() < 0.1 * l1.min(l2).sqrt() {
        return None;
    }
    Some([s0, s1].map(|s| {
        let on_first = a[0] + d1 * s;
        let t = ((on_first - b[0]).dot(d2) / l2).clamp(0.0, 1.0);
        Nearest { parts: [s, t], apart: on_first - b[0] - d2 * t }
    }))
}
