//! Wood without bones: the twigs attached to a bough's bone, as loads.
//!
//! The stiffness of a bone follows from the thickness of the wood around it; its load follows from the
//! volume of all bark on it (`shells/`). The mass of a [`Plant`](windfall_core::Plant) follows from its
//! dimensions only, so the volume in excess of the bone's own wood is attached as two kinds of bodies that
//! are never simulated individually:
//!
//! | | represents | how |
//! |---|---|---|
//! | six small weights (`Fruit` of great density) | mass, centre and inertia of the twigs | a pair on each principal axis, at the root of three times the spread: together they have the moments of the twigs |
//! | up to three sheets (`Leaf` without weight) | drag of the twigs | half of the surface of the bark, with its normals: averaged over a tube the drag of a cylinder |
//!
//! If a branch would have more wood than its bark encloses, its density is reduced if its thickness comes
//! from cross-sections, otherwise its thickness. The thickness is also reduced if the wood exceeds the
//! volume in its bark many times: then the cross-sections are those of neighbouring wood.

use std::borrow::Cow;
use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3, Quat};
use windfall_core::mechanics::Frustum;
use windfall_core::{Fruit, FruitMaterial, Leaf, LeafMaterial, PlantParts, Segment};

use crate::eigen::{eigen, outer};
use crate::shells::{Bark, Solid, positive};

/// Density of the weights, kg/m³: high enough to make their drag negligible.
const WEIGHT: f64 = 1e5;
/// Masses below this get no weight, kg.
const NOTHING: f64 = 1e-7;
/// Fraction of the bark volume on a bone below which the excess cannot be located.
const CLEAR: f64 = 0.2;
/// Fraction of the bark surface on a bone by which it may exceed the bone's own surface without counting
/// as twigs.
const ROUGH: f64 = 0.1;

/// Minimum ratio of the bark volume of a branch to the volume from cross-sections: below it the
/// cross-sections are those of other wood.
const FOREIGN: f64 = 0.1;

/// Density of fruit, kg/m³: apples float, coconuts hardly.
const FRUIT: f64 = 900.0;

/// The leaf material of sheets that represent twigs and fruit.
pub(crate) const TWIGS: u16 = 1;
/// The fruit materials of weights that represent twigs, and fruit.
pub(crate) const TWIG_WEIGHT: u16 = 0;
pub(crate) const FRUIT_WEIGHT: u16 = 1;

/// Material of the drag sheets: practically weightless.
pub(crate) fn sheet_material(leaf: &LeafMaterial) -> LeafMaterial {
    LeafMaterial {
        name: Cow::Borrowed("twigs"),
        source: Cow::Borrowed("sheets that have the drag of twigs without bones; their mass is that of weights"),
        areal_density: 1e-4,
        ..leaf.clone()
    }
}

/// Material of the weights of twigs and fruit.
pub(crate) fn weight_material(name: &'static str) -> FruitMaterial {
    FruitMaterial {
        name: Cow::Borrowed(name),
        source: Cow::Borrowed("weights that have the mass of what hangs on a bone; their drag is that of sheets"),
        density: WEIGHT,
        stalk_density: 1000.0,
        stalk_modulus: 1e10,
        stalk_twist_modulus: 1e10,
        damping: 0.01,
        abscission_strength: 1e9,
        breaking_strain: 1.0,
    }
}

/// Gives the segments of a branch the mass of their bark: segments that are too thick become thinner,
/// others get twigs. `barks` are those of the segments, m, about the origin of the tree. Segments without
/// closed bark are unchanged. Returns the factor of the wood's density: if the thickness of a branch comes
/// from cross-sections and some of its bark is attached to its parent, its thickness is not at fault.
pub(crate) fn fill_branch(
    parts: &mut PlantParts,
    first: usize,
    barks: &[Bark],
    trusted: &[bool],
    thinnest: impl Fn(&Segment) -> f32,
) -> f64 {
    let known: Vec<usize> = (0..barks.len()).filter(|&k| is_known(&barks[k])).collect();
    let held: f64 = known.iter().map(|&k| barks[k].solid.volume).sum();
    let own: f64 = known.iter().map(|&k| own(&parts.segments[first + k]).volume).sum();
    if known.is_empty() {
        return 1.0;
    }
    let mut denser = 1.0;
    if own > held && held > FOREIGN * own && known.iter().all(|&k| trusted[k]) {
        let rest: f64 = (0..barks.len())
            .filter(|&k| !is_known(&barks[k]))
            .map(|k| self::own(&parts.segments[first + k]).volume)
            .sum();
        denser = (held + rest) / (own + rest);
    } else if own > held {
        let thinner = (held / own).sqrt() as f32;
        for &k in &known {
            let segment = &mut parts.segments[first + k];
            let least = thinnest(segment);
            segment.base_radius = (segment.base_radius * thinner).max(least);
            segment.tip_radius = (segment.tip_radius * thinner).max(least);
        }
    }
    let density = parts.wood_materials[0].density;
    let more: Vec<f64> = known
        .iter()
        .map(|&k| (barks[k].solid.volume - self::own(&parts.segments[first + k]).volume).max(0.0))
        .collect();
    let own: f64 = known.iter().map(|&k| self::own(&parts.segments[first + k]).volume).sum();
    // If pieces of bark are slightly too long and their neighbours too short, the branch has no twigs.
    let share = (held - own).max(0.0) / more.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    for (&k, more) in known.iter().zip(&more) {
        let id = (first + k) as u32;
        let rest = beyond(&barks[k], &parts.segments[first + k], *more);
        weights(parts, id, TWIG_WEIGHT, &rest, density * more * share);
        let twigs = positive(barks[k].solid.sheets - self::own(&parts.segments[first + k]).sheets);
        let shown = twigs.x_axis.x + twigs.y_axis.y + twigs.z_axis.z;
        if shown > ROUGH * 0.5 * barks[k].closed {
            sheets(parts, id, TWIGS, rest.middle, twigs);
        }
    }
    denser
}

/// Loads a segment with the fruit on it, m, about the origin of the tree.
pub(crate) fn hang_fruit(parts: &mut PlantParts, segment: u32, fruit: &Bark) {
    let Solid { volume, moment, sheets: shown, .. } = fruit.solid;
    if !(volume > 0.0 && volume.is_finite()) {
        return;
    }
    let middle = moment / volume;
    let spread = positive(fruit.solid.moved(-middle).second * (1.0 / volume));
    weights(parts, segment, FRUIT_WEIGHT, &Spread { middle, spread }, FRUIT * volume);
    sheets(parts, segment, TWIGS, middle, shown);
}

fn is_known(bark: &Bark) -> bool {
    bark.closed > bark.open && bark.solid.volume > 0.0 && bark.solid.volume.is_finite()
}

/// Distribution of twigs: centroid, and second moments about it divided by their volume.
struct Spread {
    middle: DVec3,
    spread: DMat3,
}

/// Remainder of the bark volume without the bone's own wood.
fn beyond(bark: &Bark, segment: &Segment, more: f64) -> Spread {
    let mut rest = bark.solid;
    if more > CLEAR * bark.solid.volume {
        rest.add(&own(segment), -1.0);
    }
    let middle = rest.moment / rest.volume;
    let spread = positive(rest.moved(-middle).second * (1.0 / rest.volume));
    Spread { middle, spread }
}

/// The wood of a segment.
fn own(segment: &Segment) -> Solid {
    let [a, b, length] = [segment.base_radius, segment.tip_radius, segment.length].map(f64::from);
    let mass = Frustum { base_radius: a, tip_radius: b, length }.mass_properties(1.0);
    let turn = segment.orientation.as_dquat().normalize();
    let along = turn * DVec3::Y;
    // From the principal moments: Ix - Iy / 2 along the axis, Iy / 2 for each axis across it.
    let across = 0.5 * mass.inertia.y;
    let second = DMat3::IDENTITY * across + outer(along, mass.inertia.x - 2.0 * across);
    let surface = PI * (a + b) * length;
    let middle = segment.position.as_dvec3() + turn * mass.center_of_mass;
    Solid {
        volume: mass.mass,
        moment: DVec3::ZERO,
        second,
        sheets: (DMat3::IDENTITY - outer(along, 1.0)) * (0.25 * surface),
    }
    .moved(middle)
}

/// Six weights on a segment.
fn weights(parts: &mut PlantParts, segment: u32, material: u16, twigs: &Spread, mass: f64) {
    if !(mass > NOTHING && twigs.middle.is_finite()) {
        return;
    }
    let (values, axes) = eigen(twigs.spread);
    let radius = libm::cbrt(mass / 6.0 * 3.0 / (4.0 * PI * WEIGHT));
    for (k, value) in values.into_iter().enumerate() {
        for side in [-1.0, 1.0] {
            let at = twigs.middle + axes.col(k) * (side * (3.0 * value.max(0.0)).sqrt());
            parts.fruit.push(Fruit {
                parent: segment,
                material,
                position: (at - DVec3::Y * radius).as_vec3(),
                orientation: Quat::IDENTITY,
                radius: radius as f32,
                stalk_length: 0.0,
                // Practically rigid.
                stalk_radius: 0.05,
            });
        }
    }
}

/// Up to three orthogonal sheets on a segment, with the total area and normal distribution of many;
/// `normals` is the sum of area times `n n^T`.
pub(crate) fn sheets(parts: &mut PlantParts, segment: u32, material: u16, middle: DVec3, normals: DMat3) {
    let (areas, axes) = eigen(normals);
    for (k, area) in areas.into_iter().enumerate() {
        // A triangle as wide as long.
        let size = (2.0 * area.max(0.0)).sqrt();
        if size < 1e-3 || !middle.is_finite() {
            continue;
        }
        let (normal, along) = (axes.col(k), axes.col((k + 1) % 3));
        let turn = DQuat::from_mat3(&DMat3::from_cols(along.cross(normal), along, normal)).normalize();
        parts.leaves.push(Leaf {
            parent: segment,
            material,
            position: (middle - along * (size / 3.0)).as_vec3(),
            orientation: turn.as_quat(),
            width: size as f32,
            length: size as f32,
            petiole_length: 0.0,
            // Practically rigid, and without mass.
            petiole_radius: (0.2 * size) as f32,
        });
    }
}
