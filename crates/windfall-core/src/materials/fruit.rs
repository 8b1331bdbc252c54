//! Materials of fruit and their stalks.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::default_breaking_strain;
use crate::validate::{BREAKING_STRAIN, BrokenRule, DAMPING, DENSITY, MODULUS, STRENGTH, first_out_of_range};

/// A fruit and its stalk. The joint has the stiffness of the stalk (see
/// [`crate::mechanics::fruit_joint`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FruitMaterial {
    /// Name, unique within the library.
    pub name: Cow<'static, str>,
    /// Source of the values.
    pub source: Cow<'static, str>,
    /// Density of the flesh, kg/m³.
    pub density: f64,
    /// Density of the stalk, kg/m³.
    pub stalk_density: f64,
    /// Young's modulus of the stalk in bending, Pa.
    pub stalk_modulus: f64,
    /// Shear modulus of the stalk in torsion, Pa.
    pub stalk_twist_modulus: f64,
    /// Stiffness-proportional Rayleigh coefficient beta, s.
    pub damping: f64,
    /// Tensile stress at which the fruit detaches, Pa.
    pub abscission_strength: f64,
    /// Strain of the outermost fibres at which the bent stalk breaks.
    #[serde(default = "default_breaking_strain")]
    pub breaking_strain: f64,
}

impl FruitMaterial {
    /// The first field that breaks a rule, with its value, and the rule.
    pub fn broken_rule(&self) -> Option<BrokenRule> {
        first_out_of_range(&[
            ("density", self.density, DENSITY.0, DENSITY.1),
            ("stalk_density", self.stalk_density, DENSITY.0, DENSITY.1),
            ("stalk_modulus", self.stalk_modulus, MODULUS.0, MODULUS.1),
            ("stalk_twist_modulus", self.stalk_twist_modulus, MODULUS.0, MODULUS.1),
            ("damping", self.damping, DAMPING.0, DAMPING.1),
            ("abscission_strength", self.abscission_strength, STRENGTH.0, STRENGTH.1),
            ("breaking_strain", self.breaking_strain, BREAKING_STRAIN.0, BREAKING_STRAIN.1),
        ])
    }
}

const fn ripe(name: &'static str, figures: [f64; 5], source: &'static str) -> FruitMaterial {
    let [density, stalk_mpa, twist_mpa, abscission_mpa, breaking_strain] = figures;
    FruitMaterial {
        name: Cow::Borrowed(name),
        source: Cow::Borrowed(source),
        density,
        stalk_density: 950.0,
        stalk_modulus: stalk_mpa * 1e6,
        stalk_twist_modulus: twist_mpa * 1e6,
        damping: 0.01,
        abscission_strength: abscission_mpa * 1e6,
        breaking_strain,
    }
}

/// Fruit by species: density kg/m³, bending and shear modulus of the stalk in MPa, abscission strength
/// in MPa, breaking strain.
///
/// Strengths and strains are estimates from the experience of pickers: a ripe apple is pulled off
/// straight with two or three kilograms, and detaches when it is lifted to the horizontal, which strains
/// the outside of a stalk of 22 by 2.6 mm by 0.09.
pub const FRUIT_MATERIALS: &[FruitMaterial] = &[
    ripe(
        "apple",
        [850.0, 500.0, 70.0, 5.0, 0.08],
        "Malus domestica cv. Fuji 850 to 885 kg/m3 (Korean J. Food Preserv. 21(5), 2014); stalk estimated",
    ),
    ripe(
        "coconut",
        [640.0, 800.0, 150.0, 4.0, 0.08],
        "Cocos nucifera with husk: 1.44 kg, 16 cm (J. Plantation Crops 32, 2004); stalk estimated",
    ),
    ripe(
        "acorn",
        [1030.0, 500.0, 70.0, 5.0, 0.1],
        "Quercus robur: 15 to 30 by 12 to 20 mm on a peduncle of 35 to 65 mm (floras); stalk estimated",
    ),
];
