//! The size of a tree: height, number of levels and size of leaves for a number of bodies.
//!
//! Leaves of a species have the same size at every age of the tree, and fill a crown to about the same
//! density. So the number of bodies is proportional to the area of the crown, and height grows with
//! somewhat less than its square root: 500 bodies are a sapling, 140,000 a grown maple. Above the
//! greatest height of a species, the crown becomes denser, and beyond that its leaves smaller.

use crate::math::{ln, pow};
use crate::species::Species;

/// A species at a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stature {
    /// Height, m.
    pub(crate) height: f64,
    /// Diameter of the trunk at breast height, m.
    pub(crate) dbh: f64,
    /// Number of levels of branching.
    pub(crate) levels: usize,
    /// Scale factor of leaves.
    pub(crate) leaf_scale: f64,
}

impl Stature {
    /// The size of a tree of this species with this many bodies.
    pub(crate) fn of(species: &Species, bodies: usize) -> Self {
        let size = &species.size;
        let more = bodies as f64 / size.bodies as f64;
        let height = natural_height(species, bodies);
        let taller = height / size.height;
        let leafier = more / (taller * taller);
        let leaf_scale = if leafier > size.most_leafy { (size.most_leafy / leafier).sqrt() } else { 1.0 };
        let dbh = trunk_diameter(species, height);
        Self { height, dbh, levels: levels(species, height), leaf_scale }
    }
}

/// Smallest height of a seedling, m.
const LEAST_HEIGHT: f64 = 0.05;
/// Largest diameter over height of a trunk.
const STOUTEST: f64 = 0.5;

/// Height of a tree of this species with this many bodies, m.
pub fn natural_height(species: &Species, bodies: usize) -> f64 {
    let size = &species.size;
    (size.height * pow(bodies as f64 / size.bodies as f64, size.growth))
        .clamp(LEAST_HEIGHT, size.max_height.max(LEAST_HEIGHT))
}

/// The number of levels for which the length of the last shoots is nearest to the natural one.
fn levels(species: &Species, height: f64) -> usize {
    let mut length = height;
    let mut best = (f64::INFINITY, 2);
    for (i, level) in species.levels.iter().enumerate() {
        length *= level.length;
        let off = ln(length / species.size.shoot).abs();
        if i > 0 && off < best.0 {
            best = (off, i + 1);
        }
    }
    best.1
}

/// Diameter at breast height of a tree of this species and height, m.
pub(crate) fn trunk_diameter(species: &Species, height: f64) -> f64 {
    let ratio = species.trunk.dbh_ratio * pow(height / species.size.height, species.trunk.stoutness);
    height * ratio.min(STOUTEST)
}
