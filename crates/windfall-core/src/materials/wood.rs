//! Materials of green wood by species.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::validate::{BrokenRule, DAMPING, DENSITY, MODULUS, STRENGTH, first_out_of_range};

/// Green (living, wet) wood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WoodMaterial {
    /// Name, unique within the library.
    pub name: Cow<'static, str>,
    /// Source of the values.
    pub source: Cow<'static, str>,
    /// Density with its water, kg/m³.
    pub density: f64,
    /// Young's modulus along the grain, in bending, Pa.
    pub youngs_modulus: f64,
    /// Shear modulus G of a round stem in torsion, Pa. Wood is orthotropic: this is the mean of `G_LR`
    /// and `G_LT` and much less than E / (2 (1 + nu)) of an isotropic solid.
    pub shear_modulus: f64,
    /// Stiffness-proportional Rayleigh coefficient beta, s: joint damping = beta times joint stiffness.
    /// A mode of frequency f has the damping ratio pi f beta.
    pub damping: f64,
    /// Modulus of rupture: bending stress at fracture, Pa.
    pub modulus_of_rupture: f64,
    /// Shear strength parallel to the grain, at which torsion splits the wood, Pa.
    pub shear_strength: f64,
}

impl WoodMaterial {
    /// The first field that breaks a rule, with its value, and the rule.
    pub fn broken_rule(&self) -> Option<BrokenRule> {
        first_out_of_range(&[
            ("density", self.density, DENSITY.0, DENSITY.1),
            ("youngs_modulus", self.youngs_modulus, MODULUS.0, MODULUS.1),
            ("shear_modulus", self.shear_modulus, MODULUS.0, MODULUS.1),
            ("damping", self.damping, DAMPING.0, DAMPING.1),
            ("modulus_of_rupture", self.modulus_of_rupture, STRENGTH.0, STRENGTH.1),
            ("shear_strength", self.shear_strength, STRENGTH.0, STRENGTH.1),
        ])
    }
}

/// One row of the table: density kg/m³, E in GPa, G / E, modulus of rupture and shear strength in MPa,
/// beta in s.
const fn green(name: &'static str, figures: [f64; 6], source: &'static str) -> WoodMaterial {
    let [density, youngs_gpa, shear_ratio, rupture_mpa, shear_mpa, damping] = figures;
    WoodMaterial {
        name: Cow::Borrowed(name),
        source: Cow::Borrowed(source),
        density,
        youngs_modulus: youngs_gpa * 1e9,
        shear_modulus: shear_ratio * youngs_gpa * 1e9,
        damping,
        modulus_of_rupture: rupture_mpa * 1e6,
        shear_strength: shear_mpa * 1e6,
    }
}

/// Green wood by species, small clear specimens of stem wood.
///
/// Density is basic specific gravity times (1 + green moisture content). Damping: green wood has a ratio
/// of 0.01 to 0.02 and leafless branches 0.02 to 0.06 (Moore and Maguire 2004; Theckes et al. 2011);
/// beta = 0.012 s gives 0.04 at 1 Hz. The drag of the leaves, which makes up most of the damping of a
/// tree in leaf, is not included.
///
/// Shear: the section of a round stem in torsion lies in the LR plane on two sides and in the LT plane
/// on the others, so G is the mean of `G_LR` and `G_LT`. Their ratios to `E_L` are those of the Wood
/// Handbook (FPL-GTR-282), table 5-1, at 12 % moisture, of the species or its nearest relative there;
/// `E_L` is 1.1 times the E in bending that the tables of strength give, because those are not corrected
/// for the deflection by shear. Palms and stalks are estimates: G = E / 16, the rule of EN 338 for
/// timber, and for green stalks the twist-to-bend ratio E I / (G J) = 4.3 of petioles (Vogel 1992).
///
/// Limits: twigs are up to 70 % softer than the stem (Dahle and Grabosky 2010); the ratios of relatives
/// scatter (the pines of table 5-1: 0.05 to 0.13), and those of green wood may differ from those of dry
/// wood.
pub const WOOD_MATERIALS: &[WoodMaterial] = &[
    green(
        "apple",
        [1080.0, 7.2, 1.1 * 0.122, 51.0, 9.6, 0.012],
        "Malus: Alden 1995 (FPL-GTR-83); Wood Handbook FPL-GTR-282: moisture t.4-1, shear strength by regression on density, twist of Prunus serotina t.5-1",
    ),
    green(
        "cherry",
        [743.0, 9.0, 1.1 * 0.122, 55.0, 7.8, 0.012],
        "Prunus serotina green: Wood Handbook FPL-GTR-282 t.5-3a, t.4-1, t.5-1",
    ),
    green(
        "sugar maple",
        [940.0, 10.7, 1.1 * 0.087, 65.0, 10.1, 0.012],
        "Acer saccharum green: Wood Handbook FPL-GTR-282 t.5-3a, t.4-1, t.5-1",
    ),
    green(
        "willow",
        [830.0, 5.4, 1.1 * 0.064, 33.0, 4.7, 0.012],
        "Salix nigra green (none published for S. babylonica): Wood Handbook FPL-GTR-282 t.5-3a, twist of Populus deltoides t.5-1; Markwardt and Wilson 1935",
    ),
    green(
        "white oak",
        [1010.0, 8.6, 1.1 * 0.086, 57.0, 8.6, 0.012],
        "Quercus alba green: Wood Handbook FPL-GTR-282 t.5-3a, t.4-1; twist t.5-1, where it has G_LR only",
    ),
    green(
        "aspen",
        [715.0, 5.9, 1.1 * 0.064, 35.0, 4.6, 0.012],
        "Populus tremuloides green: Wood Handbook FPL-GTR-282 t.5-3a, t.4-1, twist of P. deltoides t.5-1",
    ),
    green(
        "norway spruce",
        [820.0, 6.3, 1.1 * 0.0625, 36.0, 5.1, 0.012],
        "Picea abies green: Lavers 1983 (BRE); stem density Peltola et al. 1999; Wood Handbook: shear strength by regression, twist of P. sitchensis t.5-1",
    ),
    green(
        "scots pine",
        [850.0, 7.3, 1.1 * 0.0885, 46.0, 5.9, 0.012],
        "Pinus sylvestris green: Lavers 1983 (BRE); stem density Peltola et al. 1999; twist of P. resinosa, Wood Handbook t.5-1",
    ),
    green(
        "coconut palm",
        [1050.0, 7.2, 1.0 / 16.0, 45.0, 5.0, 0.014],
        "Cocos nucifera green stem mean: Kerala Agricultural University, Timbers of Kerala; Killmann 1983; twist estimated",
    ),
    green(
        "flower stalk",
        [950.0, 0.3, 0.5 / 4.3, 6.0, 1.5, 0.012],
        "green pedicels: order of magnitude of herbaceous stems, 0.1 to 1 GPa (Niklas 1992); strength estimated; twist Vogel 1992",
    ),
    green(
        "coconut frond",
        [800.0, 6.0, 1.0 / 16.0, 60.0, 6.0, 0.030],
        "rachis of Cocos nucifera: estimate from Gibson 2012 (palm tissue); no published section found",
    ),
];
