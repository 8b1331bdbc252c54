//! Volume of wood enclosed by the bark of each joint.
//!
//! The triangles of every loose part of bark are assigned to the joint of their largest weight. The
//! resulting pieces are closed: all edges where pieces meet, or where the bark is open, are connected by
//! triangles to one apex per connected run of such edges. The same triangles close the pieces on both
//! sides, so that each piece is a closed surface and their volumes sum exactly to the volume of the whole.
//!
//! A part is accepted as a closed shell with open ends if no edge has several triangles on one side, its
//! openings are small relative to its surface, and its volume is at most that of a sphere with the same
//! surface. Leaf cards, half shells and loose polygons are rejected, and their bones keep the volume
//! derived from their thickness (`radii.rs`).

mod round;
mod solid;

use std::collections::HashMap;

use glam::{DMat3, DVec3, Vec3};

use self::round::Round;
pub(crate) use self::solid::Solid;
use crate::eigen::outer;

/// Maximum fraction of non-manifold edges of a part.
const TORN: f64 = 0.01;
/// Maximum ratio of the openings to the surface of a part: a tube open at both ends and five radii long
/// has 0.4.
const OPEN: f64 = 0.45;

/// Minimum roundness of fruit: a sphere has 1, a log as long as thick 0.67.
const BALL: f64 = 0.7;

/// Marks triangles without a joint.
pub(crate) const NOBODY: u32 = u32::MAX;

/// Bark of one joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bark {
    /// Moments of closed shells about the origin.
    pub solid: Solid,
    /// Surface area of closed shells.
    pub closed: f64,
    /// Surface area of all other parts.
    pub open: f64,
}

impl Bark {
    pub const NONE: Self = Self { solid: Solid::NONE, closed: 0.0, open: 0.0 };

    pub fn add(&mut self, other: &Self) {
        self.solid.add(&other.solid, 1.0);
        self.closed += other.closed;
        self.open += other.open;
    }

    /// Converted to another origin and to units scaled by `scale`.
    pub fn seen_from(&self, origin: DVec3, scale: f64) -> Self {
        let solid = self.solid.moved(-origin);
        let (square, cube) = (scale.powi(2), scale.powi(3));
        Self {
            solid: Solid {
                volume: solid.volume * cube,
                moment: solid.moment * (cube * scale),
                second: solid.second * (cube * square),
                sheets: solid.sheets * square,
            },
            closed: self.closed * square,
            open: self.open * square,
        }
    }
}

/// A triangle of bark: welded vertices, part, joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facet {
    pub corners: [u32; 3],
    pub part: u32,
    pub joint: u32,
}

/// A directed edge, from the lower vertex index to the higher or the reverse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    edge: (u32, u32),
    facet: u32,
    up: bool,
}

/// An edge to be closed: from, to in the order of the closing triangle; part, joint; whether the other
/// side is open.
struct Cut {
    from: u32,
    to: u32,
    part: u32,
    joint: u32,
    times: f64,
    open: bool,
}

/// Accumulated properties of a part.
#[derive(Clone, Copy, Default)]
struct Shell {
    volume: f64,
    surface: f64,
    openings: f64,
    edges: usize,
    torn: usize,
    /// Reference point of its volumes.
    origin: Option<DVec3>,
}

impl Shell {
    /// Squared volume relative to a sphere with the same surface.
    fn roundness(&self) -> f64 {
        36.0 * std::f64::consts::PI * self.volume * self.volume / (self.surface + self.openings).powi(3)
    }

    fn is_closed(&self) -> bool {
        self.torn as f64 <= TORN * self.edges as f64
            && self.openings <= OPEN * self.surface
            // The margin accounts for the faceted surface.
            && self.roundness() <= 1.5
    }

    fn is_ball(&self) -> bool {
        self.is_closed() && self.roundness() > BALL
    }
}

/// Adds the volumes of one mesh's bark to its joints; spherical parts are fruit. Duplicate triangles must
/// have been removed.
pub(crate) fn add_shells(places: &[Vec3], facets: &[Facet], joints: &mut [Bark], fruit: &mut [Bark]) {
    let at = |v: u32| places[v as usize].as_dvec3();
    let parts = facets.iter().map(|facet| facet.part as usize + 1).max().unwrap_or(0);
    let mut shells = vec![Shell::default(); parts];
    let cuts = cuts(facets, &mut shells);
    let triangles: Vec<[u32; 3]> = facets.iter().map(|facet| facet.corners).collect();
    let round = Round::new(places.len(), &triangles, at);
    let mut pieces: HashMap<(u32, u32), Bark> = HashMap::new();
    for facet in facets {
        let shell = &mut shells[facet.part as usize];
        let origin = *shell.origin.get_or_insert(at(facet.corners[0]));
        let corners = facet.corners.map(|v| at(v) - origin);
        let mut solid = Solid::below(corners);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let area = 0.5 * normal.length();
        if !(area > 0.0 && area.is_finite()) {
            continue;
        }
        let [bulge, _] = round.above(facet.corners, corners);
        solid.add(&Solid::at((corners[0] + corners[1] + corners[2]) / 3.0, bulge), 1.0);
        solid.sheets = outer(normal.normalize(), 0.5 * area);
        shell.volume += solid.volume;
        shell.surface += area;
        let piece = pieces.entry((facet.part, facet.joint)).or_insert(Bark::NONE);
        piece.solid.add(&solid, 1.0);
        piece.closed += area;
    }
    // At open ends the rim defines the end of the wood, not the pieces that meet at the rim.
    let rims: Vec<&Cut> = cuts.iter().filter(|cut| cut.open).collect();
    let mut lids = apexes(&rims, at).into_iter();
    for (cut, apex) in cuts.iter().zip(apexes(&cuts.iter().collect::<Vec<_>>(), at)) {
        let lid = if cut.open { lids.next().unwrap_or(apex) } else { apex };
        let shell = &mut shells[cut.part as usize];
        let Some(origin) = shell.origin else { continue };
        let [from, to, apex, lid] = [at(cut.from), at(cut.to), apex, lid].map(|p| p - origin);
        let corners = [from, to, lid];
        let mut solid = Solid::below(corners);
        if cut.open {
            shell.volume += solid.volume * cut.times;
            shell.openings += 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]).length() * cut.times;
            // Walls from the lid to the apex of the piece's edges, so that it is closed even if it has
            // only a part of the rim.
            solid.add(&Solid::below([to, apex, lid]), 1.0);
            solid.add(&Solid::below([apex, from, lid]), 1.0);
        }
        if let Some(piece) = pieces.get_mut(&(cut.part, cut.joint)) {
            piece.solid.add(&solid, cut.times);
        }
    }
    for facet in facets {
        let shell = &shells[facet.part as usize];
        let (true, Some(origin)) = (shell.is_ball(), shell.origin) else { continue };
        let corners = facet.corners.map(|v| at(v) - origin);
        let [bulge, of_ball] = round.above(facet.corners, corners);
        let more = Solid::at((corners[0] + corners[1] + corners[2]) / 3.0, of_ball - bulge);
        if let Some(piece) = pieces.get_mut(&(facet.part, facet.joint)).filter(|_| more.volume.is_finite()) {
            piece.solid.add(&more, 1.0);
        }
    }
    let mut pieces: Vec<_> = pieces.into_iter().collect();
    // Fixed summation order, independent of the map.
    pieces.sort_unstable_by_key(|(key, _)| *key);
    for ((part, joint), piece) in pieces {
        let shell = &shells[part as usize];
        let list = if shell.is_ball() { &mut *fruit } else { &mut *joints };
        let Some(own) = list.get_mut(joint as usize) else { continue };
        if !shell.is_closed() {
            own.open += piece.closed;
            continue;
        }
        // Shells turned inside out have the same volume.
        own.solid.add(&piece.solid.moved(shell.origin.unwrap_or_default()), shell.volume.signum());
        own.closed += piece.closed;
    }
}

/// The edges at which pieces must be closed.
fn cuts(facets: &[Facet], shells: &mut [Shell]) -> Vec<Cut> {
    let mut sides: Vec<Side> = Vec::with_capacity(3 * facets.len());
    for (i, facet) in (0_u32..).zip(facets) {
        for k in 0..3 {
            let (a, b) = (facet.corners[k], facet.corners[(k + 1) % 3]);
            sides.push(Side { edge: (a.min(b), a.max(b)), facet: i, up: a < b });
        }
    }
    sides.sort_unstable();
    let mut cuts = Vec::new();
    for group in sides.chunk_by(|a, b| a.edge == b.edge) {
        let facet = |side: &Side| &facets[side.facet as usize];
        let part = facet(&group[0]).part;
        let shell = &mut shells[part as usize];
        shell.edges += 1;
        let sign = |side: &Side| if side.up { 1 } else { -1 };
        let net: i32 = group.iter().map(sign).sum();
        shell.torn += usize::from(net.abs() > 1 || group.len() > 2);
        let mut own: Vec<(u32, i32)> = Vec::with_capacity(2);
        for side in group {
            let joint = facet(side).joint;
            match own.iter_mut().find(|(known, _)| *known == joint) {
                Some((_, net)) => *net += sign(side),
                None => own.push((joint, sign(side))),
            }
        }
        let (low, high) = group[0].edge;
        for (joint, net) in own.into_iter().filter(|(_, net)| *net != 0) {
            // The closing triangle traverses the edge in reverse.
            let (from, to) = if net > 0 { (high, low) } else { (low, high) };
            cuts.push(Cut { from, to, part, joint, times: f64::from(net.abs()), open: group.len() == 1 });
        }
    }
    cuts
}

/// For each cut edge the centroid of its connected run.
fn apexes(cuts: &[&Cut], at: impl Fn(u32) -> DVec3) -> Vec<DVec3> {
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    let mut leader: Vec<u32> = Vec::new();
    let mut ends: Vec<u32> = Vec::with_capacity(cuts.len());
    for cut in cuts {
        let [a, b] = [cut.from, cut.to].map(|v| {
            let next = leader.len() as u32;
            let number = *numbers.entry(v).or_insert(next);
            if number == next {
                leader.push(next);
            }
            number
        });
        let [a, b] = [a, b].map(|v| crate::kinds::find(&mut leader, v));
        leader[a.max(b) as usize] = a.min(b);
        ends.push(a);
    }
    let mut sums: HashMap<u32, (DVec3, f64)> = HashMap::new();
    for (cut, end) in cuts.iter().zip(&mut ends) {
        *end = crate::kinds::find(&mut leader, *end);
        let (a, b) = (at(cut.from), at(cut.to));
        let sum = sums.entry(*end).or_default();
        // Edges are weighted by length; the offset keeps the centroid defined for edges of zero length.
        let length = a.distance(b) + 1e-30;
        *sum = (sum.0 + (a + b) * (0.5 * length), sum.1 + length);
    }
    ends.iter().map(|end| sums.get(end).map_or(DVec3::ZERO, |(sum, length)| *sum / *length)).collect()
}

/// The positive semidefinite part of a tensor.
pub(crate) fn positive(tensor: DMat3) -> DMat3 {
    let (values, axes) = crate::eigen::eigen(tensor);
    (0..3).map(|k| outer(axes.col(k), values[k].max(0.0))).fold(DMat3::ZERO, |sum, part| sum + part)
}
