//! Species: the parameters of growth, read from TOML.

use serde::{Deserialize, Serialize};

use crate::GrowError;
use crate::weber_penn::{CrownShape, Level, Prune};

/// The species that come with the crate.
const BUILT_IN: [&str; 9] = [
    include_str!("species/apple.toml"),
    include_str!("species/aspen.toml"),
    include_str!("species/cherry.toml"),
    include_str!("species/maple.toml"),
    include_str!("species/oak.toml"),
    include_str!("species/palm.toml"),
    include_str!("species/pine.toml"),
    include_str!("species/spruce.toml"),
    include_str!("species/willow.toml"),
];

/// A kind of tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Species {
    /// Name on the command line.
    pub name: String,
    /// Botanical name.
    pub latin: String,
    /// One line for lists.
    pub about: String,
    /// Name of the wood in [`windfall_core::materials`].
    pub wood: String,
    /// Wood of first-order stems if it differs (fronds of a palm).
    #[serde(default)]
    pub limb_wood: Option<String>,
    /// Size.
    pub size: Size,
    /// Trunk.
    pub trunk: Trunk,
    /// Crown.
    pub crown: Crown,
    /// Levels of branching, the trunk first.
    pub levels: Vec<Level>,
    /// Leaves or needles.
    #[serde(default)]
    pub leaf: Option<LeafHabit>,
    /// Blossoms.
    #[serde(default)]
    pub blossom: Option<BlossomHabit>,
    /// Fruit.
    #[serde(default)]
    pub fruit: Option<FruitHabit>,
    /// Measures of real trees.
    pub reference: Reference,
}

/// The size of a species, and its dependence on the number of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Height of the standard tree, m.
    pub height: f64,
    /// Bodies of the standard tree.
    pub bodies: usize,
    /// Greatest height, m.
    pub max_height: f64,
    /// Exponent of the height as a power of the number of bodies. Leaves fill a crown at about the same
    /// density at any age, so half or less.
    pub growth: f64,
    /// Leaf area, relative to the standard tree, above which leaves become smaller instead.
    pub most_leafy: f64,
    /// Largest number of bodies of one tree; more make a grove.
    #[serde(default)]
    pub most_bodies: Option<usize>,
    /// Length of a leafy shoot, m.
    pub shoot: f64,
}

/// The trunk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trunk {
    /// Diameter at breast height over height, for the standard tree.
    pub dbh_ratio: f64,
    /// Exponent of that ratio as a power of the height: saplings are slender.
    pub stoutness: f64,
    /// Widening of the foot.
    pub flare: f64,
    /// Number of forks at the foot.
    #[serde(default)]
    pub base_splits: f64,
    /// Radius of the thinnest twigs, m.
    pub twig_radius: f64,
    /// Taper of bare wood: disused pipes added per pipe over the tree's height.
    pub disused: f64,
}

/// The crown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crown {
    /// Lengths of first-order branches over the height.
    pub shape: CrownShape,
    /// Fraction of the trunk without branches.
    pub clear: f64,
    /// Least height of stems above the ground, as a fraction of the tree's height.
    pub clearance: f64,
    /// Pruning envelope.
    #[serde(default)]
    pub prune: Option<Prune>,
}

/// Leaves: lengths in metres, angles in degrees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeafHabit {
    /// Name of the material in [`windfall_core::materials`].
    pub material: String,
    /// Blade length.
    pub length: f64,
    /// Blade width.
    pub width: f64,
    /// Random variation of both, as a fraction.
    pub variation: f64,
    /// Petiole length.
    pub petiole_length: f64,
    /// Petiole radius.
    pub petiole_radius: f64,
    /// Distance between nodes of a shoot.
    pub spacing: f64,
    /// Leaves at a node: 1 alternate, 2 opposite.
    pub per_node: usize,
    /// Rotation about the shoot from node to node.
    pub divergence: f64,
    /// Angle between shoot and petiole.
    pub angle: f64,
    /// Droop of the petiole: 0 none, 1 straight down.
    pub droop: f64,
    /// Rotation of the blade to the light: 0 as it grows, 1 horizontal, facing the sky.
    pub to_light: f64,
    /// Leafless fraction of a shoot's length, at its base.
    #[serde(default = "default_bare")]
    pub bare: f64,
    /// Whether the first node is horizontal instead of at a random angle: flat sprays and fronds.
    #[serde(default)]
    pub level: bool,
    /// Whether the ends of thicker stems bear leaves too, over the length of a shoot.
    #[serde(default = "default_on_tips")]
    pub on_tips: bool,
}

fn default_bare() -> f64 {
    0.06
}

fn default_on_tips() -> bool {
    true
}

/// Blossoms of separate petals on pedicels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlossomHabit {
    /// Name of the petal material in [`windfall_core::materials`].
    pub material: String,
    /// Petal length, m.
    pub length: f64,
    /// Petal width, m.
    pub width: f64,
    /// Number of petals of a flower.
    pub petals: usize,
    /// Number of flowers of a cluster.
    pub flowers: usize,
    /// Distance between clusters along a shoot, m.
    pub spacing: f64,
    /// Pedicel length, m.
    pub pedicel_length: f64,
    /// Pedicel radius, m.
    pub pedicel_radius: f64,
    /// Opening of a flower: angle between pedicel and petal, degrees.
    pub opening: f64,
}

/// Fruit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FruitHabit {
    /// Name of the material in [`windfall_core::materials`].
    pub material: String,
    /// Radius, m.
    pub radius: f64,
    /// Random variation of the radius, as a fraction.
    pub variation: f64,
    /// Stalk length, m.
    pub stalk_length: f64,
    /// Stalk radius, m.
    pub stalk_radius: f64,
    /// Mean number of fruit on a leafy shoot.
    pub per_shoot: f64,
    /// Range of the fruit along the shoot, as fractions of its length.
    #[serde(default = "default_along")]
    pub along: [f64; 2],
}

fn default_along() -> [f64; 2] {
    [0.15, 0.9]
}

/// Smallest and largest value.
pub type Range = [f64; 2];

/// Ranges of real, open-grown adult trees, with which the tests compare the standard tree. They are
/// published measurements where such exist, and estimates elsewhere; `source` distinguishes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Height, m.
    pub height: Range,
    /// Diameter at breast height over height.
    pub dbh_ratio: Range,
    /// Crown width over height.
    pub crown_ratio: Range,
    /// Height of the lowest branch over height.
    pub clear_trunk: Range,
    /// Angle of first-order branches to the trunk, degrees.
    pub insertion_angle: Range,
    /// Number of branch orders, the trunk included.
    pub orders: Range,
    /// Leaf (or petal) area over crown area.
    pub leaf_area_index: Range,
    /// Sources of the ranges, and which of them are estimates.
    pub source: String,
}

impl Species {
    /// All species that come with the crate, by name.
    ///
    /// # Panics
    /// Never: a test reads them all.
    pub fn all() -> Vec<Self> {
        BUILT_IN.iter().map(|text| Self::from_toml(text).expect("built-in species are valid")).collect()
    }

    /// The species with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|species| species.name == name)
    }

    /// Reads a species from TOML and validates it.
    pub fn from_toml(text: &str) -> Result<Self, GrowError> {
        let species: Self = toml::from_str(text).map_err(|e| GrowError::Toml(e.to_string()))?;
        species.check()?;
        Ok(species)
    }
}
