//! The data of a look file. Lengths of bark are in metres, of leaves in lengths of the blade, angles in
//! degrees.

use serde::{Deserialize, Serialize};
use windfall_core::LeafKind;

use super::color::Color;

/// Appearance of the wood, leaves and fruit of a kind of tree at one time of the year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// Name on the command line.
    pub name: String,
    /// One line for lists.
    pub about: String,
    /// Kinds of wood.
    #[serde(default)]
    pub wood: Vec<WoodLook>,
    /// Kinds of leaves, petals and needles.
    #[serde(default)]
    pub leaf: Vec<LeafLook>,
    /// Kinds of fruit.
    #[serde(default)]
    pub fruit: Vec<FruitLook>,
}

/// Thick and thin wood of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WoodLook {
    /// Names of the wood materials with this look.
    pub materials: Vec<String>,
    /// Old bark.
    pub bark: BarkLook,
    /// Young shoots.
    pub twig: BarkLook,
}

/// A bark: a base with any of the features of real bark, layered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BarkLook {
    /// Side of the square of bark that one texture covers, m.
    pub tile: f32,
    /// Height from the deepest crack to the highest ridge, m.
    pub relief: f32,
    /// Colour of cracks and shaded ground.
    pub crack: Color,
    /// Colour at middle height.
    pub body: Color,
    /// Colour of weathered crests.
    pub crest: Color,
    /// Roughness: 0 is a mirror, 1 is chalk.
    pub roughness: f32,
    /// Strength of fine lines along the branch, 0 to 1.
    #[serde(default)]
    pub fibre: f32,
    /// Strength of grain without direction, 0 to 1.
    #[serde(default)]
    pub grain: f32,
    /// Plates, ridges or scales between cracks.
    #[serde(default)]
    pub plates: Option<Plates>,
    /// Leaf-scar rings of palms.
    #[serde(default)]
    pub rings: Option<Rings>,
    /// Corky pores.
    #[serde(default)]
    pub lenticels: Option<Lenticels>,
    /// Scars of shed branches.
    #[serde(default)]
    pub knots: Option<Knots>,
    /// Patches of another colour: lichen, algae, peeled places.
    #[serde(default)]
    pub patches: Option<Patches>,
}

/// Plates between cracks. Long ones are ridges, small ones scales.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plates {
    /// Number in the width of a tile.
    pub across: u32,
    /// Number in the height of a tile.
    pub along: u32,
    /// Irregularity: 0 is a regular lattice, 1 is irregular.
    pub jitter: f32,
    /// Whether every other row is shifted by half a plate (where `along` is even): diamonds.
    #[serde(default)]
    pub stagger: bool,
    /// Waviness of the borders, in plates.
    pub warp: f32,
    /// Width of a crack as a fraction of the plate's half-width.
    pub crack: f32,
    /// Roundness: 0 is flat-topped, 1 is rounded.
    pub round: f32,
    /// Number of steps in which the surface flakes off.
    #[serde(default)]
    pub flakes: u32,
    /// Finer cracks within the plates, 0 to 1.
    #[serde(default)]
    pub fissures: f32,
    /// Lift of the lower edge of a plate, 0 to 1.
    #[serde(default)]
    pub lift: f32,
    /// Variation of tone between plates, 0 to 1.
    #[serde(default)]
    pub tone: f32,
    /// Depth of the cracks between plates above each other, relative to those beside each other, 0 to 1.
    #[serde(default = "one")]
    pub cross: f32,
}

/// Rings around a stem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rings {
    /// Number in the height of a tile.
    pub count: u32,
    /// Waviness and variation of the height, in rings.
    pub waver: f32,
    /// Width of the dark groove as a fraction of the ring.
    pub groove: f32,
    /// Missing fraction of a ring, 0 to 1: bands that peel.
    #[serde(default)]
    pub gaps: f32,
}

/// Corky pores: lenses across the stem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lenticels {
    /// Number of sites in the width of a tile.
    pub across: u32,
    /// Number of sites in the height of a tile.
    pub along: u32,
    /// Fraction of the sites with a pore, 0 to 1.
    pub share: f32,
    /// Size around the stem, m.
    pub width: f32,
    /// Size along the stem, m.
    pub height: f32,
    /// Height above the surface (or depth, if negative), as a fraction of the relief.
    pub raise: f32,
    /// Their colour.
    pub color: Color,
}

/// Scars of shed branches: eyes with brows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knots {
    /// Number of sites in the width of a tile.
    pub across: u32,
    /// Number of sites in the height of a tile.
    pub along: u32,
    /// Fraction of the sites with a scar, 0 to 1.
    pub share: f32,
    /// Width of an eye, m.
    pub width: f32,
    /// Height of an eye, m.
    pub height: f32,
    /// Colour of the scar.
    pub color: Color,
}

/// Patches of another colour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patches {
    /// Number in the width of a tile.
    pub across: u32,
    /// Number in the height of a tile.
    pub along: u32,
    /// Fraction of the surface that they cover, 0 to 1.
    pub share: f32,
    /// Sharpness of their borders, 0 to 1.
    pub sharp: f32,
    /// Their colour.
    pub color: Color,
}

/// Look of a kind of leaf: its outline, its colours, and the bends of its card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeafLook {
    /// Names of the leaf materials with this look.
    pub materials: Vec<String>,
    /// The organ on the card.
    pub kind: LeafKind,
    /// Blade area over length times width, 0 to 1; the outline is widened or narrowed to match. Not used
    /// for needles and blossoms.
    pub fill: f32,
    /// Number of different leaves in the texture, side by side.
    pub variants: u32,
    /// The right half of the outline from base to tip, any unit: x to the right, y along the midrib. For
    /// a blossom, one petal. Not used for needles.
    #[serde(default)]
    pub outline: Vec<[f32; 2]>,
    /// Whether the outline is a smooth curve through its points.
    #[serde(default)]
    pub rounded: bool,
    /// Teeth along the edge.
    #[serde(default)]
    pub teeth: Option<Teeth>,
    /// Veins.
    #[serde(default)]
    pub veins: Option<Veins>,
    /// Needles on a piece of shoot; for the kind `needles` only, and required there.
    #[serde(default)]
    pub needles: Option<NeedleLook>,
    /// Number of petals of a blossom.
    #[serde(default)]
    pub petals: u32,
    /// Number of stamens on the base of a petal, drawn in the colours `vein` (filament) and `dry`
    /// (anther).
    #[serde(default)]
    pub stamens: u32,
    /// Colours of the blade: variants run from the first to the last.
    pub colors: Vec<Color>,
    /// Colour of the veins and the petiole.
    pub vein: Color,
    /// Colour near the base, fading out towards the tip (petals).
    #[serde(default)]
    pub heart: Option<Color>,
    /// Colour of dry edges and spots.
    pub dry: Color,
    /// Dry fraction of the edge, 0 to 1.
    #[serde(default)]
    pub dry_edge: f32,
    /// Number of dry spots on a leaf.
    #[serde(default)]
    pub spots: u32,
    /// Variation of the colour within a leaf, 0 to 1.
    #[serde(default)]
    pub mottle: f32,
    /// Colour of transmitted light.
    pub glow: Color,
    /// Roughness: 0 is a mirror, 1 is chalk.
    pub roughness: f32,
    /// Bends of the card.
    pub card: CardLook,
}

/// Teeth of a leaf's edge, pointing forward.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Teeth {
    /// Number on each side.
    pub count: u32,
    /// Height of a tooth, lengths of the blade.
    pub size: f32,
}

/// Veins of a leaf.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Veins {
    /// Number of side veins on each side of the midrib.
    #[serde(default)]
    pub pairs: u32,
    /// Angle between midrib and side veins, degrees.
    #[serde(default)]
    pub angle: f32,
    /// End points of further main veins from the base (right half, unit of the outline): those of
    /// palmate leaves.
    #[serde(default)]
    pub tips: Vec<[f32; 2]>,
    /// Number of lines along the whole blade on each side: those of palms and grasses.
    #[serde(default)]
    pub parallel: u32,
    /// Half-width of the midrib at its base, lengths of the blade.
    pub width: f32,
    /// Contrast of the veins with the blade, 0 to 1.
    pub strength: f32,
}

/// Needles on a piece of shoot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeedleLook {
    /// Number on each side of the card.
    pub count: u32,
    /// Number of needles that leave the shoot at one node (pines: 2).
    pub bundle: u32,
    /// Width of the card over its length, independent of the width of the body.
    pub aspect: f32,
    /// Angle between shoot and needles, degrees.
    pub angle: f32,
    /// Thickness of a needle, lengths of the card.
    pub thickness: f32,
    /// Thickness of the shoot, lengths of the card.
    pub shoot: f32,
    /// Colour of the shoot.
    pub shoot_color: Color,
    /// Scale of the card relative to the solid blade of its body: needles have gaps between them, and so
    /// the same area of needles takes more room.
    #[serde(default = "one")]
    pub reach: f32,
}

/// Bends and tints of the card of a leaf. Angles in degrees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardLook {
    /// Fold: elevation of each half about the midrib.
    #[serde(default)]
    pub fold: f32,
    /// Curl: downward turn of the blade from its base to its tip; upward (a cup) if negative.
    #[serde(default)]
    pub curl: f32,
    /// Largest twist of the blade about its midrib, either way.
    #[serde(default)]
    pub twist: f32,
    /// Variation of fold and curl between leaves, 0 to 1.
    #[serde(default)]
    pub vary: f32,
    /// Difference in brightness between the darkest and the lightest leaf, 0 to 1.
    #[serde(default)]
    pub shade: f32,
    /// Variation of hue between leaves, 0 to 1.
    #[serde(default)]
    pub hue: f32,
    /// Lighter and yellower tint of the leaves at the ends of shoots, which unfolded last, 0 to 1.
    #[serde(default)]
    pub young: f32,
    /// Bend of the normals outward from the crown's middle, 0 to 0.3: softer light.
    #[serde(default)]
    pub puff: f32,
}

/// Look of a kind of fruit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FruitLook {
    /// Names of the fruit materials with this look.
    pub materials: Vec<String>,
    /// Ground colour.
    pub ground: Color,
    /// Colour of the sunny side, laid over the ground.
    pub blush: Color,
    /// Fraction of the surface with the blush, 0 to 1.
    pub cover: f32,
    /// Streaks from stalk to calyx, 0 to 1.
    #[serde(default)]
    pub streaks: f32,
    /// Number of pale dots around the fruit.
    #[serde(default)]
    pub dots: u32,
    /// Colour of the stalk, and of its hollow.
    pub stalk: Color,
    /// Cup at the stalk.
    #[serde(default)]
    pub cup: Option<CupLook>,
    /// Roughness: 0 is a mirror, 1 is chalk.
    pub roughness: f32,
    /// Length over width at constant volume.
    #[serde(default = "one")]
    pub length: f32,
    /// Depth of the hollow at the stalk, radii.
    #[serde(default)]
    pub dimple: f32,
}

/// The cup of an acorn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CupLook {
    /// Fraction of the fruit's length that it covers, 0 to 1.
    pub reach: f32,
    /// Number of scales around it.
    pub scales: u32,
    /// Its colour.
    pub color: Color,
}

fn one() -> f32 {
    1.0
}
