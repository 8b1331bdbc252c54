//! Seeded growth: the same species, size and seed give the same tree on every machine and any number of
//! threads.
//!
//! ```
//! use windfall_grow::{GrowOptions, Species, grow};
//!
//! let maple = Species::named("maple").unwrap();
//! let plant = grow(&maple, &GrowOptions { bodies: Some(2000), seed: 7 })?;
//! assert_eq!(plant.body_count(), 2000);
//! # Ok::<(), windfall_grow::GrowError>(())
//! ```
//!
//! Two growers make a skeleton: [`grow`] after Weber & Penn ([`weber_penn`]) and [`colonise`] by space
//! colonisation inside a crown that the user gives ([`colonisation`]). The rest is common: radii by the
//! pipe model, then leaves, petals and fruit, then the bodies.

mod assemble;
pub mod colonisation;

mod foliage;
mod hang;
mod math;
mod pipe;
mod plan;
mod presets;
mod size;
mod skeleton;
pub mod species;
mod species_check;
pub mod weber_penn;

pub use colonisation::{ColoniseOptions, CrownProfile, colonise};
pub use plan::{GrowOptions, LEAST_BODIES, MOST_BODIES, grow};
pub use presets::{PRESETS, Preset};
pub use size::natural_height;
pub use species::Species;

/// Why a tree could not be grown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GrowError {
    /// The species file is not TOML or has unknown or missing fields.
    #[error("species file: {0}")]
    Toml(String),
    /// A value of a species breaks a rule.
    #[error("species {0}")]
    Species(String),
    /// The number of bodies is out of range.
    #[error("{asked} bodies: must be between {LEAST_BODIES} and {MOST_BODIES}")]
    Bodies {
        /// The number of bodies asked for.
        asked: usize,
    },
    /// No density of branches gives the number of bodies.
    #[error(
        "{species} did not come out at {asked} bodies ({}): ask for another number or seed, or change the branches and \
         leaf spacing of the species",
        nearest_try(*nearest)
    )]
    OutOfReach {
        /// Name of the species.
        species: String,
        /// The number of bodies asked for.
        asked: usize,
        /// The nearest number of all attempts; none if all of them would have had far too many.
        nearest: Option<usize>,
    },
    /// The crown has no volume or lies below the ground.
    #[error("crown: {0}")]
    CrownProfile(String),
    /// The grown plant breaks a rule; the species' values are out of any sensible range.
    #[error(transparent)]
    Invalid(#[from] windfall_core::InvalidPlant),
}

fn nearest_try(nearest: Option<usize>) -> String {
    nearest.map_or_else(|| "every try had far too many".to_owned(), |n| format!("the nearest try has {n}"))
}
