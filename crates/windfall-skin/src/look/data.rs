//! What a look file says. Lengths of bark are in metres, of leaves in lengths of the blade, angles in degrees.

use serde::{Deserialize, Serialize};
use windfall_core::LeafKind;

use super::color::Color;

/// How the wood, leaves and fruit of a kind of tree look at one time of the year.
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
    /// Names of the wood materials that look like this.
    pub materials: Vec<String>,
    /// Old bark.
    pub bark: BarkLook,
    /// Young shoots.
    pub twig: BarkLook,
}

/// A bark: a base with any of the features that barks have, one over the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BarkLook {
    /// Side of the square of bark that one texture covers, m.
    pub tile: f32,
    /// Between the deepest crack and the highest ridge, m.
    pub relief: f32,
    /// Colour of cracks and shaded ground.
    pub crack: Color,
    /// Colour at middle height.
    pub body: Color,
    /// Colour of weathered crests.
    pub crest: Color,
    /// 0 is a mirror, 1 is chalk.
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
    /// Scars of branches that were shed.
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
    /// How many in the width of a tile.
    pub across: u32,
    /// How many in the height of a tile.
    pub along: u32,
    /// 0 is a regular lattice, 1 is irregular.
    pub jitter: f32,
    /// Every other row is shifted by half a plate (where `along` is even): diamonds.
    #[serde(default)]
    pub stagger: bool,
    /// How much borders waver, in plates.
    pub warp: f32,
    /// Width of a crack as a part of the plate's half-width.
    pub crack: f32,
    /// 0 is flat-topped, 1 is rounded.
    pub round: f32,
    /// Steps in which the surface flakes off.
    #[serde(default)]
    pub flakes: u32,
    /// Finer cracks within the plates, 0 to 1.
    #[serde(default)]
    pub fissures: f32,
    /// How much the lower edge of a plate stands off, 0 to 1.
    #[serde(default)]
    pub lift: f32,
    /// How much plates differ in tone, 0 to 1.
    #[serde(default)]
    pub tone: f32,
    /// How deep the cracks between plates above each other are, compared to those beside each other, 0 to 1.
    #[serde(default = "one")]
    pub cross: f32,
}

/// Rings around a stem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rings {
    /// How many in the height of a tile.
    pub count: u32,
    /// How much they waver and differ in height, in rings.
    pub waver: f32,
    /// Width of the dark groove as a part of the ring.
    pub groove: f32,
    /// How much of a ring is missing, 0 to 1: bands that peel.
    #[serde(default)]
    pub gaps: f32,
}

/// Corky pores: lenses across the stem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lenticels {
    /// Places in the width of a tile.
    pub across: u32,
    /// Places in the height of a tile.
    pub along: u32,
    /// Which part of the places have one, 0 to 1.
    pub share: f32,
    /// Size around the stem, m.
    pub width: f32,
    /// Size along the stem, m.
    pub height: f32,
    /// How much they stand out (or in, if negative), as a part of the relief.
    pub raise: f32,
    /// Their colour.
    pub color: Color,
}

/// Scars of shed branches: eyes with brows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knots {
    /// Places in the width of a tile.
    pub across: u32,
    /// Places in the height of a tile.
    pub along: u32,
    /// Which part of the places have one, 0 to 1.
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
    /// How many in the width of a tile.
    pub across: u32,
    /// How many in the height of a tile.
    pub along: u32,
    /// Which part of the surface they cover, 0 to 1.
    pub share: f32,
    /// How sharp their borders are, 0 to 1.
    pub sharp: f32,
    /// Their colour.
    pub color: Color,
}

/// How a kind of leaf looks: its outline, its colours, and how its card is bent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeafLook {
    /// Names of the leaf materials that look like this.
    pub materials: Vec<String>,
    /// What the card shows.
    pub kind: LeafKind,
    /// Blade area over length times width, 0 to 1; the outline is fattened or slimmed to it. Not used for needles and blossoms.
    pub fill: f32,
    /// How many different leaves the texture holds, side by side.
    pub variants: u32,
    /// The right half of the outline from base to tip, any unit: x to the right, y along the midrib. For a blossom, one petal.
    /// Not used for needles.
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
    /// Needles on a piece of shoot; for the kind `needles` only, and needed there.
    #[serde(default)]
    pub needles: Option<NeedleLook>,
    /// How many petals a blossom has.
    #[serde(default)]
    pub petals: u32,
    /// How many stamens lie on the base of a petal, drawn in the colours `vein` (filament) and `dry` (anther).
    #[serde(default)]
    pub stamens: u32,
    /// Colours of the blade: variants run from the first to the last.
    pub colors: Vec<Color>,
    /// Colour of the veins and the petiole.
    pub vein: Color,
    /// Colour near the base, fading out toward the tip (petals).
    #[serde(default)]
    pub heart: Option<Color>,
    /// Colour of dry edges and spots.
    pub dry: Color,
    /// How much of the edge is dry, 0 to 1.
    #[serde(default)]
    pub dry_edge: f32,
    /// How many dry spots a leaf has.
    #[serde(default)]
    pub spots: u32,
    /// How much the colour varies within a leaf, 0 to 1.
    #[serde(default)]
    pub mottle: f32,
    /// Colour of light that comes through.
    pub glow: Color,
    /// 0 is a mirror, 1 is chalk.
    pub roughness: f32,
    /// How the card is bent.
    pub card: CardLook,
}

/// Teeth of a leaf's edge, pointing forward.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Teeth {
    /// On each side.
    pub count: u32,
    /// How far they stand out, lengths of the blade.
    pub size: f32,
}

/// Veins of a leaf.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Veins {
    /// Side veins on each side of the midrib.
    #[serde(default)]
    pub pairs: u32,
    /// Between midrib and side veins, degrees.
    #[serde(default)]
    pub angle: f32,
    /// Where further main veins from the base end (right half, unit of the outline): those of palmate leaves.
    #[serde(default)]
    pub tips: Vec<[f32; 2]>,
    /// Lines along the whole blade on each side: those of palms and grasses.
    #[serde(default)]
    pub parallel: u32,
    /// Half-width of the midrib at its base, lengths of the blade.
    pub width: f32,
    /// How much veins differ from the blade, 0 to 1.
    pub strength: f32,
}

/// Needles on a piece of shoot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeedleLook {
    /// On each side of the card.
    pub count: u32,
    /// Needles that leave the shoot at one place (pines: 2).
    pub bundle: u32,
    /// Width of the card over its length, whatever the width of the body is.
    pub aspect: f32,
    /// Between shoot and needles, degrees.
    pub angle: f32,
    /// Thickness of a needle, lengths of the card.
    pub thickness: f32,
    /// Thickness of the shoot, lengths of the card.
    pub shoot: f32,
    /// Colour of the shoot.
    pub shoot_color: Color,
    /// How much larger the card is than the blade of its body, which is solid: needles have gaps between them, and so the same
    /// area of needles takes more room.
    #[serde(default = "one")]
    pub reach: f32,
}

/// How the card of a leaf is bent. Angles in degrees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardLook {
    /// How much each half is raised about the midrib.
    #[serde(default)]
    pub fold: f32,
    /// How much the blade turns downward from its base to its tip; upward (a cup) if negative.
    #[serde(default)]
    pub curl: f32,
    /// How far the blade may be twisted about its midrib, either way.
    #[serde(default)]
    pub twist: f32,
    /// How much fold and curl differ between leaves, 0 to 1.
    #[serde(default)]
    pub vary: f32,
    /// How much darker the darkest leaf is than the lightest, 0 to 1.
    #[serde(default)]
    pub shade: f32,
    /// How much leaves differ in hue, 0 to 1.
    #[serde(default)]
    pub hue: f32,
    /// How much lighter and yellower the leaves at the ends of shoots are, 0 to 1: those that unfolded last.
    #[serde(default)]
    pub young: f32,
    /// How far normals are bent outward from the crown's middle, 0 to 0.3: softer light.
    #[serde(default)]
    pub puff: f32,
}

/// How a kind of fruit looks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FruitLook {
    /// Names of the fruit materials that look like this.
    pub materials: Vec<String>,
    /// Ground colour.
    pub ground: Color,
    /// Colour of the sunny side, laid over the ground.
    pub blush: Color,
    /// Which part of the surface has the blush, 0 to 1.
    pub cover: f32,
    /// Streaks from stalk to calyx, 0 to 1.
    #[serde(default)]
    pub streaks: f32,
    /// Pale dots, how many around the fruit.
    #[serde(default)]
    pub dots: u32,
    /// Colour of the stalk, and of its hollow.
    pub stalk: Color,
    /// Cup at the stalk.
    #[serde(default)]
    pub cup: Option<CupLook>,
    /// 0 is a mirror, 1 is chalk.
    pub roughness: f32,
    /// Length over width; the volume stays.
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
    /// How much of the fruit's length it covers, 0 to 1.
    pub reach: f32,
    /// Scales around it.
    pub scales: u32,
    /// Its colour.
    pub color: Color,
}

fn one() -> f32 {
    1.0
}
