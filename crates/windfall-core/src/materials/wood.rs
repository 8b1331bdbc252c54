//! Green wood by species.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::validate::{BrokenRule, DAMPING, DENSITY, MODULUS, STRENGTH, first_out_of_range};

/// Green (living, wet) wood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WoodMaterial {
    /// Name, unique within the library.
    pub name: Cow<'static, str>,
    /// Where the figures come from.
    pub source: Cow<'static, str>,
    /// Mass over volume with its water, kg/m³.
    pub density: f64,
    /// Young's modulus along the grain, Pa.
    pub youngs_modulus: f64,
    /// Poisson ratio for G = E / (2 (1 + nu)), dimensionless.
    pub poisson_ratio: f64,
    /// Stiffness-proportional Rayleigh coefficient beta, s: joint damping = beta times joint stiffness. A mode of
    /// frequency f has the damping ratio pi f beta.
    pub damping: f64,
    /// Modulus of rupture: bending stress at which it breaks, Pa.
    pub modulus_of_rupture: f64,
    /// Shear strength parallel to the grain, at which it splits in twist, Pa.
    pub shear_strength: f64,
}

impl WoodMaterial {
    /// Shear modulus G = E / (2 (1 + nu)), Pa.
    pub fn shear_modulus(&self) -> f64 {
        self.youngs_modulus / (2.0 * (1.0 + self.poisson_ratio))
    }

    /// The first field that breaks a rule, with its value, and the rule.
    pub fn broken_rule(&self) -> Option<BrokenRule> {
        first_out_of_range(&[
            ("density", self.density, DENSITY.0, DENSITY.1),
            ("youngs_modulus", self.youngs_modulus, MODULUS.0, MODULUS.1),
            ("poisson_ratio", self.poisson_ratio, -0.99, 0.5),
            ("damping", self.damping, DAMPING.0, DAMPING.1),
            ("modulus_of_rupture", self.modulus_of_rupture, STRENGTH.0, STRENGTH.1),
            ("shear_strength", self.shear_strength, STRENGTH.0, STRENGTH.1),
        ])
    }
}

/// One row of the table: density kg/m³, E in GPa, nu, modulus of rupture and shear strength in MPa, beta in s.
const fn green(name: &'static str, figures: [f64; 6], source: &'static str) -> WoodMaterial {
    let [density, youngs_gpa, poisson_ratio, rupture_mpa, shear_mpa, damping] = figures;
    WoodMaterial {
        name: Cow::Borrowed(name),
        source: Cow::Borrowed(source),
        density,
        youngs_modulus: youngs_gpa * 1e9,
        poisson_ratio,
        damping,
        modulus_of_rupture: rupture_mpa * 1e6,
        shear_strength: shear_mpa * 1e6,
    }
}

/// Green wood by species, small clear specimens of stem wood.
///
/// Density is basic specific gravity times (1 + green moisture content). Poisson ratios are `nu_LR` of the Wood Handbook,
/// table 5-2, of the species or its nearest relative there. Damping: green wood has a ratio of 0.01 to 0.02 and leafless
/// branches 0.02 to 0.06 (Moore and Maguire 2004; Theckes et al. 2011); beta = 0.012 s gives 0.04 at 1 Hz. The drag of the
/// leaves, which makes up most of the damping of a tree in leaf, is not in it.
///
/// Honest limits: twigs are up to 70 % softer than the stem (Dahle and Grabosky 2010), and G = E / (2 (1 + nu)) of an
/// isotropic solid makes wood about five times too stiff in twist (Wood Handbook table 5-1: G/E is 0.05 to 0.11).
pub const WOOD_MATERIALS: &[WoodMaterial] = &[
    green(
        "apple",
        [1080.0, 7.2, 0.42, 51.0, 9.6, 0.012],
        "Malus: Alden 1995 (FPL-GTR-83); moisture Wood Handbook FPL-GTR-282 t.4-1; shear by its regression on density",
    ),
    green(
        "cherry",
        [743.0, 9.0, 0.39, 55.0, 7.8, 0.012],
        "Prunus serotina green: Wood Handbook FPL-GTR-282 t.5-3a, t.4-1",
    ),
    green(
        "sugar maple",
        [940.0, 10.7, 0.42, 65.0, 10.1, 0.012],
        "Acer saccharum green: Wood Handbook FPL-GTR-282 t.5-3a, t.4-1",
    ),
    green(
        "willow",
        [830.0, 5.4, 0.34, 33.0, 4.7, 0.012],
        "Salix nigra green (none published for S. babylonica): Wood Handbook FPL-GTR-282 t.5-3a; Markwardt and Wilson 1935",
    ),
    green(
        "white oak",
        [1010.0, 8.6, 0.37, 57.0, 8.6, 0.012],
        "Quercus alba green: Wood Handbook FPL-GTR-282 t.5-3a, t.4-1",
    ),
    green(
        "aspen",
        [715.0, 5.9, 0.49, 35.0, 4.6, 0.012],
        "Populus tremuloides green: Wood Handbook FPL-GTR-282 t.5-3a, t.4-1",
    ),
    green(
        "norway spruce",
        [820.0, 6.3, 0.37, 36.0, 5.1, 0.012],
        "Picea abies green: Lavers 1983 (BRE); stem density Peltola et al. 1999; shear by the Wood Handbook's regression",
    ),
    green(
        "scots pine",
        [850.0, 7.3, 0.33, 46.0, 5.9, 0.012],
        "Pinus sylvestris green: Lavers 1983 (BRE); stem density Peltola et al. 1999",
    ),
    green(
        "coconut palm",
        [1050.0, 7.2, 0.40, 45.0, 5.0, 0.014],
        "Cocos nucifera green stem mean: Kerala Agricultural University, Timbers of Kerala; Killmann 1983",
    ),
    green(
        "flower stalk",
        [950.0, 0.3, 0.35, 6.0, 1.5, 0.012],
        "green pedicels: order of magnitude of herbaceous stems, 0.1 to 1 GPa (Niklas 1992); strength estimated",
    ),
    green(
        "coconut frond",
        [800.0, 6.0, 0.40, 60.0, 6.0, 0.030],
        "rachis of Cocos nucifera: estimate from Gibson 2012 (palm tissue); no published section found",
    ),
];
