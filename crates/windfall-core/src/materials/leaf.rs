//! Materials of leaves, needles, petals, blossoms and palm leaflets.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::default_breaking_strain;
use crate::validate::{BREAKING_STRAIN, BrokenRule, DAMPING, DENSITY, MODULUS, STRENGTH, first_out_of_range};

/// The organ that a leaf body represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeafKind {
    /// One leaf.
    Leaf,
    /// One petal of a flower.
    Petal,
    /// A whole flower.
    Blossom,
    /// The needles of a short piece of shoot.
    Needles,
    /// One leaflet of a palm frond.
    Leaflet,
}

impl LeafKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Leaf, Self::Petal, Self::Blossom, Self::Needles, Self::Leaflet];

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Leaf => "leaf",
            Self::Petal => "petal",
            Self::Blossom => "blossom",
            Self::Needles => "needles",
            Self::Leaflet => "leaflet",
        }
    }
}

/// A fresh leaf and its petiole.
///
/// The joint has the stiffness of the petiole, modulus times second moment over length (see
/// [`crate::mechanics::leaf_joint`]). A petiole bends more easily across its groove than along it and
/// twists far more easily than a round rod, so flap, twist and sway each have their own effective
/// modulus for the full circle of the petiole's radius.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeafMaterial {
    /// Name, unique within the library.
    pub name: Cow<'static, str>,
    /// Source of the values.
    pub source: Cow<'static, str>,
    /// The organ that the body represents.
    pub kind: LeafKind,
    /// Fresh mass over one-sided blade area, kg/m².
    pub areal_density: f64,
    /// Thickness of the blade, m.
    pub thickness: f64,
    /// Blade area over length times width: the fraction of the bounding rectangle that the blade fills,
    /// 0 to 1.
    pub fill: f64,
    /// Density of the petiole, kg/m³.
    pub petiole_density: f64,
    /// Effective Young's modulus for flapping (about x), Pa.
    pub flap_modulus: f64,
    /// Effective shear modulus for twisting (about y), Pa.
    pub twist_modulus: f64,
    /// Effective Young's modulus for swaying (about z), Pa.
    pub sway_modulus: f64,
    /// Stiffness-proportional Rayleigh coefficient beta, s.
    pub damping: f64,
    /// Tensile stress at which the base of the petiole detaches, Pa.
    pub abscission_strength: f64,
    /// Strain of the outermost fibres at which a bent petiole breaks. Soft tissue bends much further
    /// than stress over modulus predicts.
    #[serde(default = "default_breaking_strain")]
    pub breaking_strain: f64,
}

impl LeafMaterial {
    /// The first field that breaks a rule, with its value, and the rule.
    pub fn broken_rule(&self) -> Option<BrokenRule> {
        first_out_of_range(&[
            ("areal_density", self.areal_density, 1e-4, 1e4),
            ("thickness", self.thickness, 1e-7, 1.0),
            ("fill", self.fill, 0.01, 1.0),
            ("petiole_density", self.petiole_density, DENSITY.0, DENSITY.1),
            ("flap_modulus", self.flap_modulus, MODULUS.0, MODULUS.1),
            ("twist_modulus", self.twist_modulus, MODULUS.0, MODULUS.1),
            ("sway_modulus", self.sway_modulus, MODULUS.0, MODULUS.1),
            ("damping", self.damping, DAMPING.0, DAMPING.1),
            ("abscission_strength", self.abscission_strength, STRENGTH.0, STRENGTH.1),
            ("breaking_strain", self.breaking_strain, BREAKING_STRAIN.0, BREAKING_STRAIN.1),
        ])
    }
}

/// One row of the table: areal density kg/m², thickness mm, fill, flap, twist and sway modulus in MPa,
/// abscission strength in MPa, breaking strain.
const fn fresh(name: &'static str, kind: LeafKind, figures: [f64; 8], source: &'static str) -> LeafMaterial {
    let [areal_density, thickness_mm, fill, flap_mpa, twist_mpa, sway_mpa, abscission_mpa, breaking_strain] = figures;
    LeafMaterial {
        name: Cow::Borrowed(name),
        source: Cow::Borrowed(source),
        kind,
        areal_density,
        thickness: thickness_mm * 1e-3,
        fill,
        petiole_density: 950.0,
        flap_modulus: flap_mpa * 1e6,
        twist_modulus: twist_mpa * 1e6,
        sway_modulus: sway_mpa * 1e6,
        damping: 0.01,
        abscission_strength: abscission_mpa * 1e6,
        breaking_strain,
    }
}

/// Leaves by species.
///
/// Areal density is dry mass per area over dry matter content; thickness follows from it at 850 kg/m³.
/// Petiole moduli are of the order 0.1 to 1 GPa (Niklas 1991, 1992); the twist modulus follows from the
/// twist-to-bend ratio EI/GJ, which is 4.3 for sugar maple and red oak (Vogel 1992, in Louf et al.
/// 2018), with J = 2 I.
///
/// Abscission strengths of green leaves are estimates (6 to 15 MPa: a maple leaf is pulled off with 20
/// N); an autumn leaf detaches at a hundredth of that. Breaking strains are estimates too: with 0.15 a
/// green petiole of ten times its radius can be bent double before it breaks, as a trial on any tree
/// shows. Leaves stay attached in winds of 20 m/s, in which those that Vogel (1989) observed tore or
/// streamed, but did not come off.
pub const LEAF_MATERIALS: &[LeafMaterial] = &[
    fresh(
        "apple",
        LeafKind::Leaf,
        [0.24, 0.28, 0.70, 450.0, 56.0, 450.0, 10.0, 0.15],
        "Malus domestica: floras; Niinemets and Kull 1994; Niklas 1991; twist-to-bend 4 estimated",
    ),
    fresh(
        "cherry petal",
        LeafKind::Petal,
        [0.08, 0.10, 0.72, 60.0, 10.0, 60.0, 0.4, 0.1],
        "Prunus x yedoensis: Flora of North America vol. 9; areal density from a fall speed of 0.8 to 1.4 m/s; stiffness estimated",
    ),
    fresh(
        "sugar maple",
        LeafKind::Leaf,
        [0.17, 0.20, 0.60, 450.0, 52.0, 450.0, 10.0, 0.15],
        "Acer saccharum, A. platanoides: floras; Niinemets and Kull 1994; twist-to-bend 4.3 Vogel 1992",
    ),
    fresh(
        "willow",
        LeafKind::Leaf,
        [0.20, 0.24, 0.67, 400.0, 50.0, 400.0, 8.0, 0.15],
        "Salix babylonica: Gleason and Cronquist 1991, Argus 1995; twist-to-bend 4 estimated",
    ),
    fresh(
        "oak",
        LeafKind::Leaf,
        [0.21, 0.25, 0.59, 500.0, 58.0, 500.0, 12.0, 0.15],
        "Quercus robur, Q. alba: floras; Niinemets and Kull 1994; twist-to-bend 4.3 (red oak) Vogel 1992",
    ),
    fresh(
        "aspen",
        LeafKind::Leaf,
        [0.21, 0.25, 0.76, 900.0, 28.0, 140.0, 8.0, 0.15],
        "Populus tremuloides: petiole flattened across the blade, so it flaps 6 times stiffer than it sways and twists easily; Niklas 1991",
    ),
    fresh(
        "spruce needles",
        LeafKind::Needles,
        [0.50, 1.00, 0.60, 900.0, 300.0, 900.0, 20.0, 0.15],
        "Picea abies, needles of one piece of shoot as one card: silhouette 1.3 cm2 per cm of shoot, Riederer et al. 1988; stiffness estimated",
    ),
    fresh(
        "pine needles",
        LeafKind::Needles,
        [0.65, 1.30, 0.60, 900.0, 300.0, 900.0, 15.0, 0.15],
        "Pinus sylvestris, needles of one piece of shoot as one card: 3.4 cm2 per cm, Oker-Blom and Smolander 1988; stiffness estimated",
    ),
    fresh(
        "coconut leaflet",
        LeafKind::Leaflet,
        [0.32, 0.32, 0.68, 2000.0, 250.0, 3000.0, 40.0, 0.15],
        "Cocos nucifera: Mathes et al. (leaflet area factor 0.63 to 0.72); areal density with midrib and stiffness estimated",
    ),
];
