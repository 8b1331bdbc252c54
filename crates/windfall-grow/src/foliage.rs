//! Leaves, petals and fruit on the shoots of a skeleton.

use glam::{DMat3, DQuat, DVec3};

use crate::math::radians;
use crate::size::Stature;
use crate::skeleton::{Skeleton, Stem};
use crate::species::{BlossomHabit, FruitHabit, LeafHabit, Species};
use windfall_core::random::Stream;

/// Numbers of bodies on a stem.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Load {
    pub(crate) leaves: usize,
    pub(crate) petals: usize,
    /// Number of pedicels, one wood segment each.
    pub(crate) pedicels: usize,
    pub(crate) fruit: usize,
}

impl Load {
    pub(crate) fn bodies(self) -> usize {
        self.leaves.saturating_add(self.petals).saturating_add(self.pedicels).saturating_add(self.fruit)
    }
}

/// A site on a stem for an organ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site {
    /// Index of the stem's segment.
    pub(crate) segment: usize,
    /// Point on the axis, m.
    pub(crate) axis: DVec3,
    /// Direction of the stem there (unit).
    pub(crate) direction: DVec3,
    /// Radius of the stem there, m.
    pub(crate) radius: f64,
}

/// Height of the smallest tree that bears fruit, as a fraction of the standard tree's height.
const BEARING_HEIGHT: f64 = 0.35;

/// The leaves, blossoms and fruit of a species, scaled to a tree.
#[derive(Debug, Clone)]
pub(crate) struct Foliage<'a> {
    pub(crate) leaf: Option<&'a LeafHabit>,
    pub(crate) blossom: Option<&'a BlossomHabit>,
    pub(crate) fruit: Option<&'a FruitHabit>,
    /// Scale factor of leaves and petals.
    pub(crate) scale: f64,
    /// Scale factor of the distances between leaves.
    pub(crate) crowding: f64,
}

impl<'a> Foliage<'a> {
    pub(crate) fn of(species: &'a Species, stature: &Stature) -> Self {
        let bears = stature.height >= BEARING_HEIGHT * species.size.height;
        Self {
            leaf: species.leaf.as_ref(),
            blossom: species.blossom.as_ref(),
            fruit: species.fruit.as_ref().filter(|_| bears),
            scale: stature.leaf_scale,
            crowding: 1.0,
        }
    }

    /// The same with this scale factor of the distances between leaves.
    pub(crate) fn crowded(&self, crowding: f64) -> Self {
        Self { crowding, ..self.clone() }
    }

    /// Leaves or petals per metre of shoot, for the pipe model.
    pub(crate) fn per_metre(&self) -> f64 {
        let leaves = self.leaf.map_or(0.0, |l| l.per_node as f64 / l.spacing);
        // The few flowers of a cluster need no more water than a leaf.
        let clusters = self.blossom.map_or(0.0, |b| 1.0 / b.spacing);
        (leaves + clusters) / (self.scale * self.crowding)
    }

    fn nodes(&self, leafy: f64, spacing: f64) -> usize {
        ((leafy / (spacing * self.scale * self.crowding)) as usize).saturating_add(1)
    }

    /// Numbers of organs on a stem; they depend on its length alone, not on its geometry.
    pub(crate) fn load(&self, stem: &Stem, length: f64) -> Load {
        let leafy = length - stem.leafy_from;
        if leafy <= 0.0 {
            return Load::default();
        }
        let flowers = self.blossom.map_or(0, |b| self.nodes(leafy, b.spacing).saturating_mul(b.flowers));
        let mut stream = Stream::new(stem.key).fork(2);
        Load {
            leaves: self.leaf.map_or(0, |l| self.nodes(leafy, l.spacing).saturating_mul(l.per_node)),
            petals: self.blossom.map_or(0, |b| flowers.saturating_mul(b.petals)),
            pedicels: flowers,
            // Fruit keeps its size, and its number is proportional to leaf area: a shoot has 1 / scale
            // times the leaves, each with scale^2 of the area.
            fruit: self.fruit.map_or(0, |f| stream.round(f.per_shoot * self.scale)),
        }
    }

    /// The sites of `count` nodes over the leafy part of a stem. The last is at the very tip: no shoot
    /// ends bare.
    pub(crate) fn nodes_on(skeleton: &Skeleton, stem: &Stem, count: usize) -> impl Iterator<Item = Site> {
        let length = skeleton.length(stem);
        let from = stem.leafy_from;
        let distances = (0..count).map(move |i| from + (length - from) * (i + 1) as f64 / count as f64);
        sites(skeleton, stem, distances)
    }
}

/// The sites at these distances from the base of a stem, m. Distances must not decrease.
pub(crate) fn sites(
    skeleton: &Skeleton,
    stem: &Stem,
    distances: impl Iterator<Item = f64>,
) -> impl Iterator<Item = Site> {
    let nodes = &skeleton.nodes[stem.node_range()];
    let (base, tip) = (&skeleton.base_radii[stem.node_range()], &skeleton.tip_radii[stem.node_range()]);
    let (mut segment, mut start) = (0, 0.0);
    distances.map(move |at| {
        let mut step = nodes[segment].distance(nodes[segment + 1]);
        while start + step < at && segment + 2 < nodes.len() {
            start += step;
            segment += 1;
            step = nodes[segment].distance(nodes[segment + 1]);
        }
        let u = ((at - start) / step).min(1.0);
        Site {
            segment,
            axis: nodes[segment].lerp(nodes[segment + 1], u),
            direction: (nodes[segment + 1] - nodes[segment]) / step,
            radius: base[segment] + (tip[segment + 1] - base[segment]) * u,
        }
    })
}

/// A unit vector across `direction`, rotated about it by `angle` (radians) from a fixed reference.
pub(crate) fn across(direction: DVec3, angle: f64) -> DVec3 {
    // The reference is horizontal where possible, so that angles have the same meaning along a shoot.
    let level = direction.cross(DVec3::Y);
    let reference = if level.length_squared() > 1e-6 { level.normalize() } else { DVec3::X };
    DQuat::from_axis_angle(direction, angle) * reference
}

/// Frame of a leaf with its petiole along `petiole` (unit) and its face as near to `face` as possible.
pub(crate) fn leaf_frame(petiole: DVec3, face: DVec3) -> DQuat {
    let z = face - petiole * face.dot(petiole);
    let z = if z.length_squared() > 1e-9 { z.normalize() } else { petiole.any_orthonormal_vector() };
    DQuat::from_mat3(&DMat3::from_cols(petiole.cross(z), petiole, z)).normalize()
}

/// A unit vector near `direction` with at least this `y` (which is above -1).
fn lifted(direction: DVec3, y: f64) -> DVec3 {
    let level = DVec3::new(direction.x, 0.0, direction.z).normalize_or(DVec3::X);
    level * (1.0 - y * y).sqrt() + DVec3::Y * y
}

/// Direction of a petiole and of the leaf's face at a site.
///
/// `reach` is the distance from the site to the leaf's tip, m: near the ground the leaf is lifted so as
/// not to pierce it.
pub(crate) fn leaf_pose(
    habit: &LeafHabit,
    site: &Site,
    turn: f64,
    last: bool,
    reach: f64,
    stream: &mut Stream,
) -> DQuat {
    let side = across(site.direction, turn);
    let angle = radians(if last { 0.35 * habit.angle } else { habit.angle } + stream.around(12.0));
    let grown = site.direction * crate::math::cos(angle) + side * crate::math::sin(angle);
    let petiole = grown.lerp(DVec3::NEG_Y, habit.droop * (0.7 + 0.6 * stream.unit()).min(1.0));
    let petiole = if petiole.length_squared() > 1e-6 { petiole.normalize() } else { grown };
    let lowest = -0.95 * site.axis.y.max(0.0) / reach;
    let petiole = if petiole.y < lowest { lifted(petiole, lowest) } else { petiole };
    // Without light the upper side of a leaf faces the shoot's tip; light turns it up and out of the crown.
    let outward = DVec3::new(site.axis.x, 0.0, site.axis.z).normalize_or_zero();
    let light = (DVec3::Y + 0.45 * outward).normalize();
    let natural = site.direction;
    let jitter = DVec3::new(stream.around(0.45), stream.around(0.45), stream.around(0.45));
    leaf_frame(petiole, natural.lerp(light, habit.to_light) + jitter)
}
