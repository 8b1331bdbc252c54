//! Species: everything a grower needs to know, read from TOML.

use serde::{Deserialize, Serialize};
use windfall_core::materials;

use crate::GrowError;
use crate::weber_penn::{Level, Prune, Shape};

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
    /// Wood, by its name in [`windfall_core::materials`].
    pub wood: String,
    /// Wood of first-order stems if it differs (fronds of a palm).
    #[serde(default)]
    pub limb_wood: Option<String>,
    /// How large it is.
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
    /// What has been measured on real trees.
    pub published: Published,
}

/// How large a species is, and how its size follows from the number of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Height of the standard tree, m.
    pub height: f64,
    /// Bodies of the standard tree.
    pub bodies: usize,
    /// Tallest, m.
    pub max_height: f64,
    /// Height grows with bodies to this power. Leaves fill a crown at about the same density at any age, so half or less.
    pub growth: f64,
    /// Leaf area over that of the standard tree at which leaves begin to be smaller instead.
    pub most_leafy: f64,
    /// More bodies than this make a grove.
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
    /// The ratio grows with height to this power: saplings are slender.
    pub stoutness: f64,
    /// Widening of the foot.
    pub flare: f64,
    /// Forks at the foot.
    #[serde(default)]
    pub base_splits: f64,
    /// Radius of the thinnest twigs, m.
    pub twig_radius: f64,
    /// Taper of bare wood: pipes that fall out of use per pipe over the tree's height.
    pub disused: f64,
}

/// The crown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crown {
    /// Lengths of first-order branches over the height.
    pub shape: Shape,
    /// Fraction of the trunk without branches.
    pub clear: f64,
    /// Stems end this far above the ground, as a fraction of the height.
    pub clearance: f64,
    /// Pruning envelope.
    #[serde(default)]
    pub prune: Option<Prune>,
}

/// Leaves: measures in metres, angles in degrees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeafHabit {
    /// By its name in [`windfall_core::materials`].
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
    /// How far the petiole hangs down: 0 not at all, 1 straight down.
    pub droop: f64,
    /// How far the blade turns to the light: 0 as it grows, 1 flat to the sky.
    pub to_light: f64,
    /// Fraction of a shoot's length at its base without leaves.
    #[serde(default = "default_bare")]
    pub bare: f64,
    /// Whether the first node stands level instead of at a random angle: flat sprays and fronds.
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
    /// Petal material, by its name in [`windfall_core::materials`].
    pub material: String,
    /// Petal length, m.
    pub length: f64,
    /// Petal width, m.
    pub width: f64,
    /// Petals of a flower.
    pub petals: usize,
    /// Flowers of a cluster.
    pub flowers: usize,
    /// Distance between clusters along a shoot, m.
    pub spacing: f64,
    /// Pedicel length, m.
    pub pedicel_length: f64,
    /// Pedicel radius, m.
    pub pedicel_radius: f64,
    /// How wide a flower is open: angle between pedicel and petal, degrees.
    pub opening: f64,
}

/// Fruit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FruitHabit {
    /// By its name in [`windfall_core::materials`].
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
    /// Between which fractions of the shoot's length they hang.
    #[serde(default = "default_along")]
    pub along: [f64; 2],
}

fn default_along() -> [f64; 2] {
    [0.15, 0.9]
}

/// A published range.
pub type Range = [f64; 2];

/// Ranges of real, open-grown adult trees, which the tests hold the standard tree against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
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
    /// Where the ranges come from.
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

    /// Reads a species from TOML and checks it.
    pub fn from_toml(text: &str) -> Result<Self, GrowError> {
        let species: Self = toml::from_str(text).map_err(|e| GrowError::Toml(e.to_string()))?;
        species.check()?;
        Ok(species)
    }

    /// Whether every value is in its range and every material exists.
    pub fn check(&self) -> Result<(), GrowError> {
        let bad = |what: &str, value: f64, rule: &str| {
            Err(GrowError::Species(format!("{}: {what} = {value}: {rule}", self.name)))
        };
        let positive = [
            ("size.height", self.size.height),
            ("size.max_height", self.size.max_height),
            ("size.bodies", self.size.bodies as f64),
            ("size.growth", self.size.growth),
            ("size.most_leafy", self.size.most_leafy),
            ("size.shoot", self.size.shoot),
            ("trunk.dbh_ratio", self.trunk.dbh_ratio),
            ("trunk.twig_radius", self.trunk.twig_radius),
        ];
        for (what, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return bad(what, value, "must be a finite number above zero");
            }
        }
        if self.size.height > 200.0 || self.size.max_height > 200.0 || self.size.max_height < self.size.height {
            return bad("size.max_height", self.size.max_height, "must be at least size.height and at most 200 m");
        }
        for (what, value) in [("crown.clear", self.crown.clear), ("crown.clearance", self.crown.clearance)] {
            if !(0.0..1.0).contains(&value) {
                return bad(what, value, "must be at least 0 and below 1");
            }
        }
        if !(2..=8).contains(&self.levels.len()) {
            return bad("number of levels", self.levels.len() as f64, "must be 2 to 8");
        }
        for (i, level) in self.levels.iter().enumerate() {
            self.check_level(i, level)?;
        }
        if self.leaf.is_none() && self.blossom.is_none() {
            return Err(GrowError::Species(format!("{}: needs a [leaf] or a [blossom] table", self.name)));
        }
        self.check_organs()?;
        let known = |kind: &str, name: &str, found: bool| {
            if found { Ok(()) } else { Err(GrowError::Species(format!("{}: unknown {kind} `{name}`", self.name))) }
        };
        for name in [Some(&self.wood), self.limb_wood.as_ref()].into_iter().flatten() {
            known("wood", name, materials::wood(name).is_some())?;
        }
        let leaves = [self.leaf.as_ref().map(|l| &l.material), self.blossom.as_ref().map(|b| &b.material)];
        for name in leaves.into_iter().flatten() {
            known("leaf material", name, materials::leaf(name).is_some())?;
        }
        if let Some(fruit) = &self.fruit {
            known("fruit", &fruit.material, materials::fruit(&fruit.material).is_some())?;
        }
        Ok(())
    }

    fn check_level(&self, i: usize, level: &Level) -> Result<(), GrowError> {
        let bad = |what: &str, value: f64, rule: &str| {
            Err(GrowError::Species(format!("{}: levels[{i}].{what} = {value}: {rule}", self.name)))
        };
        if !(1..=1000).contains(&level.segments) || level.least_segments == 0 || level.least_segments > level.segments {
            return bad("segments", level.segments as f64, "must be 1 to 1000 and not below least_segments");
        }
        if !(1..=64).contains(&level.whorl) {
            return bad("whorl", level.whorl as f64, "must be 1 to 64");
        }
        if !(level.length - level.length_v.abs() > 0.0 && level.length + level.length_v.abs() < 10.0) {
            return bad("length", level.length, "length - length_v must be above 0, length + length_v below 10");
        }
        if !(0.0..=10_000.0).contains(&level.branches) || (i > 0 && level.branches == 0.0) {
            return bad("branches", level.branches, "must be above 0 and at most 10000");
        }
        if !(0.0..=3.0).contains(&level.seg_splits) {
            return bad("seg_splits", level.seg_splits, "must be 0 to 3");
        }
        if !(0.0..1.0).contains(&level.bare) {
            return bad("bare", level.bare, "must be at least 0 and below 1");
        }
        let finite = [
            ("down_angle", level.down_angle),
            ("down_angle_v", level.down_angle_v),
            ("rotate", level.rotate),
            ("rotate_v", level.rotate_v),
            ("curve", level.curve),
            ("curve_back", level.curve_back),
            ("curve_v", level.curve_v),
            ("attraction", level.attraction),
            ("split_angle", level.split_angle),
            ("split_angle_v", level.split_angle_v),
        ];
        for (what, value) in finite {
            if !(-3600.0..=3600.0).contains(&value) {
                return bad(what, value, "must be between -3600 and 3600");
            }
        }
        Ok(())
    }

    fn check_organs(&self) -> Result<(), GrowError> {
        let mut measures: Vec<(&str, f64)> = Vec::new();
        if let Some(leaf) = &self.leaf {
            measures.extend([
                ("leaf.length", leaf.length),
                ("leaf.width", leaf.width),
                ("leaf.petiole_radius", leaf.petiole_radius),
                ("leaf.spacing", leaf.spacing),
                ("leaf.per_node", leaf.per_node as f64),
            ]);
        }
        if let Some(blossom) = &self.blossom {
            measures.extend([
                ("blossom.length", blossom.length),
                ("blossom.width", blossom.width),
                ("blossom.petals", blossom.petals as f64),
                ("blossom.flowers", blossom.flowers as f64),
                ("blossom.spacing", blossom.spacing),
                ("blossom.pedicel_length", blossom.pedicel_length),
                ("blossom.pedicel_radius", blossom.pedicel_radius),
            ]);
        }
        if let Some(fruit) = &self.fruit {
            measures.extend([("fruit.radius", fruit.radius), ("fruit.stalk_radius", fruit.stalk_radius)]);
        }
        for (what, value) in measures {
            if !(1e-5..=100.0).contains(&value) {
                let rule = "must be between 1e-5 and 100";
                return Err(GrowError::Species(format!("{}: {what} = {value}: {rule}", self.name)));
            }
        }
        Ok(())
    }
}
