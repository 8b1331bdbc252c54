//! The plan of a tree: its size, its density and its number of leaves for a requested number of bodies.

use glam::DVec3;
use rayon::prelude::*;
use windfall_core::parts::{PlantParts, Tree};
use windfall_core::{Plant, materials};

use crate::GrowError;
use crate::assemble::{Made, add_tree, foot_segments};
use crate::foliage::{Foliage, Load};
use crate::math::{cos, pow, sin};
use crate::pipe::Pipes;
use crate::size::Stature;
use crate::skeleton::Skeleton;
use crate::species::Species;
use crate::weber_penn::{self, Form};
use windfall_core::random::Stream;

/// Smallest number of bodies of a tree.
pub const LEAST_BODIES: usize = 50;
/// Largest number of bodies of a plant.
pub const MOST_BODIES: usize = 100_000_000;

/// Options of growth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GrowOptions {
    /// Number of rigid bodies; none for the species' standard tree.
    pub bodies: Option<usize>,
    /// Seed of the random numbers; another seed gives another tree of the same kind.
    pub seed: u64,
}

/// Grows a tree after Weber & Penn; a grove if the number of bodies exceeds that of one tree of the
/// species.
pub fn grow(species: &Species, options: &GrowOptions) -> Result<Plant, GrowError> {
    species.check()?;
    let bodies = options.bodies.unwrap_or(species.size.bodies);
    check_bodies(bodies)?;
    let provenance = format!(
        "windfall {}: weber-penn, {}, {bodies} bodies, seed {}",
        env!("CARGO_PKG_VERSION"),
        species.name,
        options.seed
    );
    let mut parts = empty_plant(species, provenance);
    let made = Made::of(species);
    let stream = Stream::new(options.seed);
    let trees = species.size.most_bodies.map_or(1, |most| bodies.div_ceil(most));
    for i in 0..trees {
        // Whole numbers of bodies, in equal shares.
        let share = bodies * (i + 1) / trees - bodies * i / trees;
        let stature = Stature::of(species, share);
        let stream = stream.fork(i as u64);
        let foliage = Foliage::of(species, &stature);
        let most = MOST_OVERSHOOT * share;
        let skeletons = |density| weber_penn::grow(&form(species, &stature, density), &stream, most);
        let mut grown = reach(&species.name, share, stature.levels - 1, &foliage, skeletons)?;
        let foliage = foliage.crowded(grown.crowding);
        let pipes = pipes(species, &stature, &foliage, stature.height);
        pipes.fill(&mut grown.skeleton);
        let tree = Tree { name: species.name.clone(), origin: grove_place(i, 0.75 * stature.height) };
        add_tree(&mut parts, tree, &grown.skeleton, &foliage, &pipes, made, grown.leaves);
    }
    Ok(Plant::new(parts)?)
}

pub(crate) fn check_bodies(asked: usize) -> Result<(), GrowError> {
    if (LEAST_BODIES..=MOST_BODIES).contains(&asked) { Ok(()) } else { Err(GrowError::Bodies { asked }) }
}

/// Position of the n-th tree of a grove: on Vogel's sunflower spiral, the first at the origin.
fn grove_place(n: usize, spacing: f64) -> DVec3 {
    let angle = 2.399_963_229_728_653 * n as f64;
    let r = spacing * (n as f64).sqrt();
    DVec3::new(r * cos(angle), 0.0, r * sin(angle))
}

fn form<'a>(species: &'a Species, stature: &Stature, density: f64) -> Form<'a> {
    Form {
        levels: &species.levels[..stature.levels],
        shape: species.crown.shape,
        prune: species.crown.prune,
        height: stature.height,
        taller: stature.height / species.size.height,
        clear: species.crown.clear,
        base_splits: species.trunk.base_splits,
        density,
        shoot: species.size.shoot,
        bare: species.leaf.as_ref().map_or(0.06, |leaf| leaf.bare),
        leafy_tips: species.leaf.as_ref().is_none_or(|leaf| leaf.on_tips),
        clearance: species.crown.clearance * stature.height,
    }
}

pub(crate) fn pipes(species: &Species, stature: &Stature, foliage: &Foliage<'_>, extent: f64) -> Pipes {
    Pipes {
        trunk_radius: 0.5 * stature.dbh,
        reference_height: windfall_core::summary::BREAST_HEIGHT.min(0.1 * stature.height),
        twig_radius: species.trunk.twig_radius,
        height: stature.height,
        extent,
        disused: species.trunk.disused,
        leaves_per_metre: foliage.per_metre(),
        flare: species.trunk.flare,
    }
}

/// Material of the pedicels of all blossoms.
const PEDICEL: &str = "flower stalk";

/// Wood materials of a species: trunk, limbs if they differ, pedicels if it has blossoms.
fn woods(species: &Species) -> Vec<&str> {
    let pedicel = species.blossom.as_ref().map(|_| PEDICEL);
    [Some(species.wood.as_str()), species.limb_wood.as_deref(), pedicel].into_iter().flatten().collect()
}

/// Leaf materials of a species: leaves, then petals.
fn leaves(species: &Species) -> Vec<&str> {
    let leaf = species.leaf.as_ref().map(|l| l.material.as_str());
    let petal = species.blossom.as_ref().map(|b| b.material.as_str());
    [leaf, petal].into_iter().flatten().collect()
}

/// A plant without bodies, with the materials of a species.
pub(crate) fn empty_plant(species: &Species, provenance: String) -> PlantParts {
    let fruit = species.fruit.iter().filter_map(|f| materials::fruit(&f.material));
    PlantParts {
        name: species.name.clone(),
        provenance,
        wood_materials: woods(species).into_iter().filter_map(materials::wood).cloned().collect(),
        leaf_materials: leaves(species).into_iter().filter_map(materials::leaf).cloned().collect(),
        fruit_materials: fruit.cloned().collect(),
        ..PlantParts::default()
    }
}

impl Made {
    /// Indices into the material lists of [`empty_plant`].
    pub(crate) fn of(species: &Species) -> Self {
        let fill = |name: Option<&String>| name.and_then(|n| materials::leaf(n)).map_or(1.0, |m| m.fill);
        Self {
            wood: 0,
            limb: u16::from(species.limb_wood.is_some()),
            pedicel: woods(species).len() as u16 - 1,
            leaf: 0,
            leaf_fill: fill(species.leaf.as_ref().map(|l| &l.material)),
            petal: u16::from(species.leaf.is_some()),
            petal_fill: fill(species.blossom.as_ref().map(|b| &b.material)),
            fruit: 0,
        }
    }
}

/// A skeleton with the requested number of bodies, at this density of leaves and with this number of
/// them kept.
pub(crate) struct Reached {
    pub(crate) skeleton: Skeleton,
    /// Distance between leaves, relative to the natural one.
    pub(crate) crowding: f64,
    /// Number of leaves and petals to keep.
    pub(crate) leaves: usize,
}

/// Largest number of bodies relative to the request; the excess is removed as single leaves.
const EXCESS: f64 = 1.04;
/// Smallest distance between leaves, relative to the natural one. Where branches grow in whorls, no
/// density may give the number, and leaves stand closer instead.
const CLOSEST: f64 = 0.6;

/// An attempt is aborted if its segments and buds alone reach this many times the requested bodies.
const MOST_OVERSHOOT: usize = 4;

/// Number of aborted attempts after which the species grows too much at any density.
const MOST_GIVEN_UP: usize = 6;

/// Finds the density of branches for the requested number of bodies. Bodies scale with density to the
/// power of `levels`, which gives the start of the search.
pub(crate) fn reach(
    name: &str,
    asked: usize,
    levels: usize,
    foliage: &Foliage<'_>,
    grow: impl Fn(f64) -> Option<Skeleton>,
) -> Result<Reached, GrowError> {
    let (mut low, mut high) = (0.0_f64, f64::INFINITY);
    let mut density = 1.0_f64;
    let mut given_up = 0;
    let mut above: Option<(usize, Reached)> = None;
    let mut below: Option<(usize, Skeleton)> = None;
    for _ in 0..24 {
        let Some(skeleton) = grow(density) else {
            given_up += 1;
            if given_up > MOST_GIVEN_UP {
                break;
            }
            high = high.min(density);
            density = if low > 0.0 { 0.5 * (low + high) } else { 0.3 * density };
            continue;
        };
        let (bodies, leaves) = bodies_of(&skeleton, foliage);
        if bodies >= asked {
            high = high.min(density);
            if bodies - asked < leaves && above.as_ref().is_none_or(|a| bodies < a.0) {
                above = Some((bodies, Reached { skeleton, crowding: 1.0, leaves: leaves - (bodies - asked) }));
            }
            if bodies as f64 <= EXCESS * asked as f64 {
                break;
            }
        } else {
            low = low.max(density);
            if below.as_ref().is_none_or(|b| bodies > b.0) {
                below = Some((bodies, skeleton));
            }
        }
        let aim = asked as f64 * (1.0 + EXCESS) / 2.0;
        let mut next = density * pow(aim / bodies as f64, 1.0 / levels as f64).clamp(0.1, 10.0);
        if !(next > low && next < high) {
            next = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * low };
        }
        if (next - density).abs() < 1e-6 * density {
            break;
        }
        density = next;
    }
    let nearest = above.as_ref().map(|a| a.0).or(below.as_ref().map(|b| b.0));
    let few = |bodies: usize| bodies as f64 <= EXCESS * asked as f64;
    if above.as_ref().is_none_or(|a| !few(a.0))
        && let Some(reached) = below.and_then(|(_, skeleton)| crowded(skeleton, asked, foliage))
    {
        return Ok(reached);
    }
    // At worst every other leaf is left out.
    match above {
        Some((bodies, reached)) if bodies - asked <= reached.leaves => Ok(reached),
        _ => Err(GrowError::OutOfReach { species: name.to_owned(), asked, nearest }),
    }
}

/// Closes the gap of a skeleton with too few bodies by a smaller distance between leaves.
fn crowded(skeleton: Skeleton, asked: usize, foliage: &Foliage<'_>) -> Option<Reached> {
    let mut crowding = 1.0;
    while crowding > CLOSEST {
        crowding *= 0.985;
        let (bodies, leaves) = bodies_of(&skeleton, &foliage.crowded(crowding));
        if bodies >= asked && bodies - asked < leaves {
            return Some(Reached { skeleton, crowding, leaves: leaves - (bodies - asked) });
        }
    }
    None
}

/// Number of bodies of a skeleton, and of leaves and petals among them.
pub(crate) fn bodies_of(skeleton: &Skeleton, foliage: &Foliage<'_>) -> (usize, usize) {
    let load = |stem| foliage.load(stem, skeleton.length(stem));
    let of = |load: Load| (load.bodies(), load.leaves.saturating_add(load.petals));
    let (hanging, leaves) = skeleton
        .stems
        .par_iter()
        .map(|stem| of(load(stem)))
        .reduce(|| (0, 0), |a: (usize, usize), b| (a.0.saturating_add(b.0), a.1.saturating_add(b.1)));
    (hanging.saturating_add(skeleton.segments() + foot_segments()), leaves)
}
