//! Leaves for a bare scan: a given area, at given angles, on the thin wood.
//!
//! A scan of a tree in winter has no leaves, and one in summer has them as noise. The known quantities
//! are their area (measured, or a leaf area index times the area of the crown) and the distribution of
//! their inclination.
//!
//! Leaves have the size, petiole and material of a species. Their normals are drawn from an
//! [`AngleDistribution`], with uniform azimuth; their midribs point away from the shoot as far as the
//! normal allows. The area is exact: all leaves (with an index: those of each tree) are scaled by the
//! same factor near one.

mod angles;
mod hang;

pub use angles::AngleDistribution;
pub use hang::add_leaves;

use windfall_core::LeafMaterial;
use windfall_grow::species::LeafHabit;

use crate::error::ScanError;

/// Largest number of leaves of one plant.
pub const MOST_LEAVES: usize = 20_000_000;

/// Amount of leaf area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LeafArea {
    /// One-sided area of all leaves of the plant, m².
    Total(f64),
    /// One-sided area over the area of each crown from above (the convex hull of its wood).
    Index(f64),
}

/// Options of the leaves.
#[derive(Debug, Clone)]
pub struct Foliage {
    /// Leaf area.
    pub area: LeafArea,
    /// Distribution of the inclinations.
    pub angles: AngleDistribution,
    /// Their size and petiole.
    pub habit: LeafHabit,
    /// Material of the leaves.
    pub material: LeafMaterial,
    /// Largest radius of leafy wood, m; none for the thinner half of the wood by length, but at most 2
    /// cm.
    pub most_radius: Option<f64>,
    /// Seed of the arrangement.
    pub seed: u64,
}

impl Foliage {
    /// Leaves of a species, with a spherical distribution.
    pub fn of(species: &windfall_grow::Species, area: LeafArea, seed: u64) -> Result<Self, ScanError> {
        let none = || ScanError::Leaves(format!("{} has no leaves: choose another species", species.name));
        let habit = species.leaf.clone().ok_or_else(none)?;
        let material = windfall_core::materials::leaf(&habit.material).ok_or_else(none)?.clone();
        Ok(Self { area, angles: AngleDistribution::Spherical, habit, material, most_radius: None, seed })
    }
}
