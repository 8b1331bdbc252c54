//! Contact of broken-off pieces with standing trees, wood on wood.
//!
//! **Broad phase.** The boxes of all segments of a piece, swept along their velocities, form a tree of
//! boxes. The trees of the plant are searched from their roots outwards, skipping subtrees whose reachable
//! workspace is outside the box of the whole piece ([`super::reach`]); the remaining bodies query the tree
//! of boxes. Then the time of impact of the two segments is found along the velocities of their ends:
//! nothing passes through a twig within a step.
//!
//! **Response.** A [`PieceContact`]: an impulse on both, equal and opposite, solved with all joints of tree
//! and piece. First it closes a remaining gap; then the segments separate with e times their approach
//! speed, or stay together.
//!
//! **Stumps.** A piece that has just broken off overlaps with its stump. Such pairs are ignored until they
//! are apart.

use std::collections::{HashMap, HashSet};

use windfall_core::glam::DVec3;
use windfall_core::{Body, BodyRef};
use windfall_solver::{BodyPlace, PieceContact};

use super::{CollisionMode, Stage};
use windfall_free::broad::{Bounds, Shelf};
use windfall_free::contact::{MARGIN, SLOP};

/// Part of an overlap that a step removes, and the largest speed of removal, m/s.
const PUSH_OUT: f64 = 0.2;
const PUSH_OUT_SPEED: f64 = 0.5;
/// Slowest impact that bounces, m/s, and as a multiple of the velocity that gravity adds in a step.
const SLOWEST_BOUNCE: f64 = 0.2;
const SLOWEST_BOUNCE_IN_KICKS: f64 = 2.0;
/// Segments whose axes have a smaller sine between them touch at two points.
const PARALLEL: f64 = 0.1;
/// Most iterations of the search for the time of impact, and its tolerance over the sum of the radii.
const LOOKS: usize = 12;
const NEAR: f64 = 0.01;

/// A piece body and a tree body.
type Pair = (BodyRef, BodyRef);

/// The separation that a pair still has to reach after an impact.
#[derive(Debug, Clone, Copy, Default)]
struct Owed {
    /// m/s; zero for nothing.
    speed: f64,
    /// [`PieceContact::stood`].
    stood: f64,
}

/// State kept from step to step.
#[derive(Clone, Default)]
pub(super) struct Memory {
    /// The known pieces.
    known: HashSet<BodyRef>,
    /// Pairs that overlapped when the piece broke off and still do.
    ignored: HashSet<Pair>,
    /// Pairs in contact in the last step.
    met: HashMap<Pair, Owed>,
    stack: Vec<u32>,
    own: Vec<Limb>,
    shelf: Shelf,
}

impl Memory {
    fn forget(&mut self) {
        (self.known, self.ignored, self.met) = Default::default();
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory").field("ignored", &self.ignored).finish_non_exhaustive()
    }
}

/// A segment with its placement.
#[derive(Debug, Clone, Copy)]
struct Limb {
    body: BodyRef,
    placed: BodyPlace,
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

    /// Velocity at a share of its length.
    fn velocity_at(&self, s: f64) -> DVec3 {
        self.velocities[0].lerp(self.velocities[1], s)
    }
}

/// The nearest points of two segments: shares of their lengths, and the vector from the second to the
/// first, m.
#[derive(Debug, Clone, Copy)]
struct Nearest {
    parts: [f64; 2],
    apart: DVec3,
}

impl Stage {
    /// Finds contacts of pieces with trees within `h` seconds, for the next step of the world. Returns them
    /// and the roots of overlapping pieces with their overlaps.
    pub(super) fn meet_trees(&mut self, h: f64) -> (Vec<PieceContact>, Vec<(BodyRef, DVec3)>) {
        let collisions = self.settings.collisions;
        if collisions.mode == CollisionMode::Off || !collisions.pieces || self.pieces().is_empty() {
            // Overlaps that exist when this is switched on are ignored.
            self.piece_contact.forget();
            return (Vec::new(), Vec::new());
        }
        let mut memory = std::mem::take(&mut self.piece_contact);
        let ignored = std::mem::take(&mut memory.ignored);
        let met = std::mem::take(&mut memory.met);
        let (mut contacts, mut all_overlaps, mut overlaps) = (Vec::new(), Vec::new(), Vec::new());
        for &piece in self.pieces() {
            let is_new = !memory.known.contains(&piece);
            let Some(bounds) = self.limbs_of(piece, h, &mut memory) else { continue };
            for root in self.roots_of(piece.instance) {
                if self.is_loose(root) {
                    continue;
                }
                let Memory { stack, own, shelf, ignored: still_ignored, met: now_met, .. } = &mut memory;
                let mut pairs = Vec::new();
                self.visit(root, stack, |body, reach| {
                    if self.is_loose(body) {
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
                    if let Some(later) = self.contact_of(&limb, own, (h, owed), &mut contacts, &mut overlaps) {
                        now_met.insert(pair, later);
                    }
                }
            }
            all_overlaps.extend(overlaps.drain(..).map(|way| (piece, way)));
        }
        memory.known = self.pieces().iter().copied().collect();
        self.piece_contact = memory;
        (contacts, all_overlaps)
    }

    /// Lists the segments of a piece and puts their boxes into the tree. Returns their common box.
    fn limbs_of(&self, piece: BodyRef, h: f64, memory: &mut Memory) -> Option<Bounds> {
        let Memory { stack, own, shelf, .. } = memory;
        own.clear();
        shelf.clear();
        self.visit(piece, stack, |body, _| {
            if body != piece && self.is_loose(body) {
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

    /// A segment with its placement and its swept box within `h` seconds; none for leaves and fruit.
    fn limb(&self, body: BodyRef, h: f64) -> Option<Limb> {
        let Some(Body::Wood(segment)) = self.plant().body(body.id) else { return None };
        let placed = self.placed(body);
        let radius = f64::from(segment.base_radius.max(segment.tip_radius));
        let tip = DVec3::new(0.0, f64::from(segment.length), 0.0);
        let ends = [placed.joint, placed.point(tip)];
        let velocities = [self.kept_velocity_at(body, DVec3::ZERO), self.kept_velocity_at(body, tip)];
        let slack = radius + MARGIN + self.gravity.length() * h * h;
        let [a, b] = [0, 1].map(|i| Bounds::swept(ends[i], velocities[i] * h, slack));
        let bounds = Bounds { low: a.low.min(b.low), high: a.high.max(b.high) };
        let is_finite = bounds.low.is_finite() && bounds.high.is_finite();
        is_finite.then_some(Limb { body, placed, ends, velocities, radius, bounds })
    }

    /// Contact of a segment of a tree and one of a piece within `h` seconds, given the separation they
    /// still have to reach. Returns the separation that remains; none without contact.
    fn contact_of(
        &self,
        tree: &Limb,
        piece: &Limb,
        (h, owed): (f64, Owed),
        contacts: &mut Vec<PieceContact>,
        overlaps: &mut Vec<DVec3>,
    ) -> Option<Owed> {
        let radii = tree.radius + piece.radius;
        let time = meeting_time(tree, piece, h, self.gravity.length() * h)?;
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
            let kick = self.gravity.length() * h;
            // Separating segments need no push, and would gain energy from one.
            if gap - (closing + kick) * h > MARGIN || closing + kick < 0.0 {
                continue;
            }
            let surface = self.settings.collisions.surface();
            let slowest = SLOWEST_BOUNCE.max(SLOWEST_BOUNCE_IN_KICKS * kick);
            let arrives = closing > slowest && closing * h > gap;
            let fresh =
                Owed { speed: if arrives { surface.restitution * closing } else { 0.0 }, stood: va.dot(normal) };
            let bounce = if owed.speed > fresh.speed { owed } else { fresh };
            // They close the gap in this step and separate in the next: if they separated at once they
            // would do so in mid-air, as far apart as they fly in a step.
            let hits = (arrives || owed.speed > 0.0) && gap <= MARGIN;
            let left = if hits { Owed::default() } else { bounce };
            later = Some(later.filter(|other| other.speed > left.speed).unwrap_or(left));
            let parting = if hits {
                bounce.speed
            } else if gap > 0.0 {
                -gap / h
            } else if self.moves_with_new_velocity(piece.body) {
                (PUSH_OUT * (-gap - SLOP).max(0.0) / h).min(PUSH_OUT_SPEED)
            } else {
                0.0
            };
            // The contact points, each on its own wood. An impulse centimetres off a thin twig would spin
            // it about its own axis, and return as a large separation velocity.
            let half = 0.5 * (apart.dot(normal) - radii);
            let on_tree = tree.ends[0].lerp(tree.ends[1], parts[0]) - normal * (tree.radius + half);
            let on_piece = piece.ends[0].lerp(piece.ends[1], parts[1]) + normal * (piece.radius + half);
            contacts.push(PieceContact {
                sides: [(tree.body, tree.placed.local(on_tree)), (piece.body, piece.placed.local(on_piece))],
                normal,
                parting,
                stood: bounce.stood,
                hits,
                friction: surface.friction,
            });
            overlaps.push(normal * (gap + SLOP).min(0.0));
        }
        later
    }

    /// If not, bodies in contact overlap at the end, and a velocity that removes the overlap would add
    /// energy: the piece is shifted instead.
    fn moves_with_new_velocity(&self, body: BodyRef) -> bool {
        self.solver.contact().is_none_or(|contact| contact.moves_with_new_velocity(body))
    }

    /// Removes overlaps after the step.
    pub(super) fn push_out(&mut self, overlaps: Vec<(BodyRef, DVec3)>) {
        // The deepest overlap of every piece.
        let mut deepest: Vec<(BodyRef, DVec3)> = Vec::new();
        for (piece, way) in overlaps {
            if self.moves_with_new_velocity(piece) {
                continue;
            }
            match deepest.iter_mut().find(|known| known.0 == piece) {
                Some(known) if known.1.length_squared() >= way.length_squared() => {}
                Some(known) => known.1 = way,
                None => deepest.push((piece, way)),
            }
        }
        let Some(contact) = self.solver.contact_mut() else { return };
        for (piece, way) in deepest {
            contact.shift_piece(piece, way * PUSH_OUT);
        }
    }
}

fn gap_now(first: &Limb, second: &Limb) -> f64 {
    closest(first.ends, second.ends).apart.length() - first.radius - second.radius
}

/// The normal from the second into the first, also where their axes cross.
fn normal_of(apart: DVec3, a: [DVec3; 2], b: [DVec3; 2]) -> DVec3 {
    let across = || {
        let normal = (a[1] - a[0]).cross(b[1] - b[0]).normalize_or(DVec3::Y);
        let middles = (a[0] + a[1]) - (b[0] + b[1]);
        if middles.dot(normal) < 0.0 { -normal } else { normal }
    };
    if apart.length() > 1e-9 { apart.normalize() } else { across() }
}

/// Time of impact of two segments within `h` seconds, by conservative advancement: they advance by their
/// distance over the largest approach speed of any two of their points, until they touch. `faster` is the
/// velocity that gravity may add, m/s.
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
            // They rest on each other, or nearly so.
            return Some(0.0);
        }
        time += gap / speed;
        if time >= h {
            // Gravity alone brings them together, or they just touch at the end.
            return Some(0.0).filter(|_| gap <= MARGIN + faster * h);
        }
    }
    Some(time)
}

/// Nearest points of two segments (Ericson 2005, "Real-Time Collision Detection", 5.1.9).
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

/// The overlapping stretch of two nearly parallel segments: its two ends. None if they are not parallel, or
/// hardly overlap.
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
