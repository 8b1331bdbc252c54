//! Leaves on a bare scan: so much area, at such angles, on the thin wood.
//!
//! A scan of a tree in winter has no leaves, and one in summer has them as noise. What is known is their area (measured, or a leaf area index
//! times the area of the crown) and how they are inclined. Leaves have the size, petiole and material of a species; their normals are drawn from
//! an [`AngleDistribution`] and turned to all compass directions alike; their midribs point away from the shoot as far as the
//! normal allows. The area comes out exactly: all leaves (by an index: those
//! of each tree) are scaled by the same factor near one.

mod angles;
mod hang;

pub use angles::AngleDistribution;
pub use hang::add_leaves;

use windfall_core::LeafMaterial;
use windfall_grow::species::LeafHabit;

use crate::error::ScanError;

/// Most leaves of one plant.
pub const MOST_LEAVES: usize = 20_000_000;

/// How much leaf there is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LeafArea {
    /// One-sided area of all leaves of the plant, m².
    Total(f64),
    /// One-sided area over the area of each crown from above (the convex hull of its wood).
    Index(f64),
}

/// Which leaves to add, and where.
#[derive(Debug, Clone)]
pub struct Foliage {
    /// How much.
    pub area: LeafArea,
    /// How they are inclined.
    pub angles: AngleDistribution,
    /// Their size and petiole.
    pub habit: LeafHabit,
    /// What they are made of.
    pub material: LeafMaterial,
    /// Leaves grow on wood up to this radius, m; none for the thinner half of the wood by length, but not above 2 cm.
    pub most_radius: Option<f64>,
    /// Another seed is another arrangement.
    pub seed: u64,
}

impl Foliage {
    /// Leaves of a species, spherically distributed.
    pub fn of(species: &windfall_grow::Species, area: LeafArea, seed: u64) -> Result<Self, ScanError> {
        let none = || ScanError::Leaves(format!("{} has no leaves: choose another species", species.name));
        let habit = species.leaf.clone().ok_or_else(none)?;
        let material = windfall_core::materials::leaf(&habit.material).ok_or_else(none)?.clone();
        Ok(Self { area, angles: AngleDistribution::Spherical, habit, material, most_radius: None, seed })
    }
}
