//! Weber & Penn 1995, "Creation and Rendering of Realistic Trees", as a grower of skeletons.
//!
//! A tree is a hierarchy of stems. A stem of level n has `segments` straight pieces. Each turns relative
//! to the previous one by `curve / segments` (or `curve` over its first and `curve_back` over its second
//! half) plus a random part. The stem bears `branches` children of level n + 1, whose down angle,
//! rotation about the stem and length follow these rules (section 4.3; L length, o distance from the
//! stem's base to the child, B length of the bare base):
//!
//! ```text
//! first order      L_c = L_trunk * l * ShapeRatio(shape, (L_trunk - o) / (L_trunk - B))
//! higher orders    L_c = l * (L_parent - 0.6 o)
//! number           on limbs       branches * (0.2 + 0.8 (L_stem / L_its_parent) / l)
//!                  above that     branches * (1 - 0.5 o_stem / L_its_parent)
//! down angle       down + V * (1 - 2 ShapeRatio(conical, (L - o) / (L - B)))   if V < 0, else down +- V
//! ```
//!
//! Departures, with reasons:
//! - Radii come from the pipe model (`pipe.rs`), not from `Ratio`, `RatioPower` and `Taper`: wood then
//!   adds up at forks, and a tree with any number of branches bears its own weight. Flare is kept; lobes
//!   belong to the skin.
//! - Vertical attraction is a property of each level, and applies to the first order too: limbs of a
//!   willow rise and its strands hang.
//! - Leaves follow their internodes and phyllotaxis along shoots (`foliage.rs`) instead of a number per
//!   branch, so that a larger tree has more leaves and not larger gaps.
//! - Children may grow in whorls or pairs; at a fork all arms turn aside, each to its own side.
//! - `density` multiplies all numbers of branches, to reach a requested number of bodies.
//! - Stems end above the ground.

mod curve;
mod level;
mod shape;
mod stem;

pub use level::Level;
pub use shape::{CrownShape, Prune};
pub(crate) use stem::{Form, grow};
