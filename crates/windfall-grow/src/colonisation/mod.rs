//! Space colonisation (Runions, Lane and Prusinkiewicz 2007, "Modeling Trees with a Space Colonization
//! Algorithm").
//!
//! The crown is filled with attraction points. Every point attracts the nearest node of the tree within
//! the influence distance. An attracted node grows a new node, one step in the mean direction of its
//! points. A point within the kill distance of a node is reached and vanishes. Branches thus compete for
//! space and do not cross as those of a purely geometric method do.
//!
//! ```text
//! spacing a = (crown volume / points)^(1/3)      influence 2.8 a      kill 0.9 a      step 0.45 a
//! node grows to  v + step * normalise( mean of (p - v) / |p - v|  +  a little upward )
//! ```
//!
//! Then, as in the paper, the nodes are smoothed. Both growers share the code for radii, leaves and
//! bodies: the heaviest child of a node continues its branch, the others begin new ones.

mod crown;
mod space;

pub use crown::CrownProfile;

use windfall_core::Plant;
use windfall_core::parts::Tree;

use crate::GrowError;
use crate::assemble::{Made, add_tree};
use crate::foliage::Foliage;
use crate::math::pow;
use crate::plan::{bodies_of, check_bodies, empty_plant, pipes, reach};
use crate::size::{Stature, trunk_diameter};
use crate::species::Species;
use windfall_core::random::Stream;

/// Options of growth by space colonisation.
#[derive(Debug, Clone, PartialEq)]
pub struct ColoniseOptions {
    /// The volume of the crown.
    pub crown: CrownProfile,
    /// Number of rigid bodies; none for the natural number at this height.
    pub bodies: Option<usize>,
    /// Seed of the random numbers; another seed gives another tree.
    pub seed: u64,
}

/// Leaf area over crown area above which leaves are smaller.
const MOST_LEAF_AREA_INDEX: f64 = 8.0;
/// Share of leaves among the bodies of a grown tree, accurate enough for the size of leaves.
const LEAF_SHARE: f64 = 0.7;

/// Number of points of a pilot: the number of bodies per point is estimated on a small crown with the
/// same density of points, which saves the growth of whole trees.
const PILOT_POINTS: f64 = 5_000.0;

/// Grows a tree with the wood and leaves of a species inside a crown.
pub fn colonise(species: &Species, options: &ColoniseOptions) -> Result<Plant, GrowError> {
    species.check()?;
    let crown = &options.crown;
    let height = crown.top();
    let natural = species.size.bodies as f64 * pow(height / species.size.height, 1.0 / species.size.growth);
    let bodies = options.bodies.unwrap_or_else(|| (natural.round() as usize).max(crate::LEAST_BODIES));
    check_bodies(bodies)?;
    let made = Made::of(species);
    let leaf_area = species.leaf.as_ref().map_or(0.0, |l| made.leaf_fill * l.length * l.width);
    let index = LEAF_SHARE * bodies as f64 * leaf_area / crown.widest_area();
    let leaf_scale = if index > MOST_LEAF_AREA_INDEX { (MOST_LEAF_AREA_INDEX / index).sqrt() } else { 1.0 };
    let stature = Stature { height, dbh: trunk_diameter(species, height), levels: 2, leaf_scale };
    let foliage = Foliage::of(species, &stature);
    let stream = Stream::new(options.seed).fork(77);
    let grow = |crown: &CrownProfile, points: f64| {
        space::grow(crown, points.round().max(1.0) as usize, species.size.shoot, &stream)
    };
    let per_point = |points: f64, pilot: f64| {
        let pilot = points.min(pilot);
        let crown = crown.scaled(pow(pilot / points, 1.0 / 3.0));
        bodies_of(&grow(&crown, pilot), &foliage).0 as f64 / pilot
    };
    // Every point gives at least about one body, which bounds the search.
    let wanted = |per_point: f64| (bodies as f64 * 1.02 / per_point).min(bodies as f64).max(1.0);
    let mut points = bodies as f64 / 5.0;
    for _ in 0..3 {
        points = wanted(per_point(points, PILOT_POINTS));
    }
    if points > 8.0 * PILOT_POINTS {
        // The surface has more weight in a small crown. Its share is proportional to the inverse of the
        // extent, so two pilots with sizes in the ratio 1 to 8 give the values without a surface and
        // with that of the whole crown.
        let (small, large) = (per_point(points, PILOT_POINTS), per_point(points, 8.0 * PILOT_POINTS));
        let inside = 2.0 * large - small;
        points = wanted(inside + (large - inside) * pow(8.0 * PILOT_POINTS / points, 1.0 / 3.0));
    }
    let mut grown = reach(&species.name, bodies, 1, &foliage, |density| Some(grow(crown, points * density)))?;
    let foliage = foliage.crowded(grown.crowding);
    let mut pipes = pipes(species, &stature, &foliage, height.max(2.0 * crown.widest()));
    // Where the crown begins below breast height, the diameter of the trunk refers to a height below the
    // crown.
    pipes.reference_height = pipes.reference_height.min(crown.bottom());
    pipes.fill(&mut grown.skeleton);
    let version = env!("CARGO_PKG_VERSION");
    let provenance = format!(
        "windfall {version}: space colonisation, {}, crown {crown}, {bodies} bodies, seed {}",
        species.name, options.seed
    );
    let mut parts = empty_plant(species, provenance);
    let tree = Tree { name: species.name.clone(), origin: glam::DVec3::ZERO };
    add_tree(&mut parts, tree, &grown.skeleton, &foliage, &pipes, made, grown.leaves);
    Ok(Plant::new(parts)?)
}
