//! Stiffness correction of branches, so that chains of rigid bones sway like continuous wood.
//!
//! A joint lumps the compliance of half of the wood on either side of it. This is accurate for many bones
//! per branch, but not for few: the first joint is at the largest moment, while the wood it represents
//! extends to smaller moments; joints beyond a bone do not feel the loads on neighbouring bones; and a
//! linear taper from head to tail is a poor thickness profile of a long bone. A palm with a stem of one
//! bone would lean three times too far. Therefore every branch has its own modulus, such that its joints
//! store the same energy as its wood: with the moment M(s) of all loads beyond a position, K the stiffness
//! of the joints and I the second moment of area of the section,
//!
//! ```text
//! sum of M² / K   =   integral of M² / (E I) ds
//! ```
//!
//! The loads are those of a tree that begins to sway: lateral, mass times distance from the foot, once
//! along x and once along z. (A uniform acceleration would make a chain of six bones 2 % too fast; loads
//! of the true first mode would be dominated by the softest twigs.) The wood of a branch begins at its
//! parent bone, which may be far before its first joint.

use glam::DVec3;
use windfall_core::mechanics::Frustum;
use windfall_core::{BodyId, Plant};

/// Number of slices of a bone.
const SLICES: usize = 16;
/// Maximum factor by which moduli are increased or decreased.
const MOST: f64 = 10.0;

/// Limits of a cross-section radius relative to the linear taper of the bone: a thin twig at its position
/// would make it too soft.
const UNLIKE: (f64, f64) = (0.7, 3.0);

/// Position (0 to 1) and radius (m) along a bone. Empty if only the linear taper is known.
pub(crate) type Profile = Vec<(f64, f64)>;

/// Wood between the bone that a branch grows on and the first joint of the branch.
#[derive(Debug, Clone)]
pub(crate) struct Gap {
    /// Relative to the origin of the tree, m.
    pub begin: DVec3,
    pub end: DVec3,
    /// Position on the parent bone, 0 to 1.
    pub share: f64,
    pub profile: Profile,
}

/// A load on a bone: position along it, force (N) and moment about the origin (N m).
#[derive(Clone, Copy)]
struct Pull {
    share: f64,
    force: DVec3,
    moment: DVec3,
}

impl Pull {
    fn add(&mut self, other: &Self) {
        self.force += other.force;
        self.moment += other.moment;
    }
}

/// The factor of the moduli of each branch. `profiles` are those of the segments, `gaps` those of the
/// branches, `densities` the factors by which the density of their wood will change.
pub(crate) fn factors(plant: &Plant, profiles: &[Profile], gaps: &[Option<Gap>], densities: &[f64]) -> Vec<f64> {
    let mut energies = vec![(0.0, 0.0); plant.branches().len()];
    for to in [DVec3::X, DVec3::Z] {
        add_energies(plant, profiles, gaps, pulls(plant, densities, to), &mut energies);
    }
    let factor = |(joints, wood): (f64, f64)| {
        let factor = joints / wood;
        if factor.is_finite() { factor.clamp(1.0 / MOST, MOST) } else { 1.0 }
    };
    energies.into_iter().map(factor).collect()
}

/// For each branch, twice the energy in its joints, and in its wood.
fn add_energies(
    plant: &Plant,
    profiles: &[Profile],
    gaps: &[Option<Gap>],
    mut pulls: Vec<Vec<Pull>>,
    energies: &mut [(f64, f64)],
) {
    // Children follow their parents.
    for s in (0..pulls.len()).rev() {
        let id = BodyId(s as u32);
        let branch = plant.branch_index(id);
        let (head, turn) = (plant.rest_position(id), plant.rest_orientation(id));
        let (energy, material) = (&mut energies[branch], plant.wood_material(s));
        let moment = |beyond: &Pull, at: DVec3| beyond.moment - at.cross(beyond.force);
        // The component along the wood is torsion.
        let taken = |slice: &Frustum, along: DVec3, m: DVec3| {
            let twist = m.dot(along);
            let bent = (m - along * twist).length_squared() / material.youngs_modulus;
            slice.flexibility() * (bent + twist * twist / (2.0 * material.shear_modulus))
        };
        let mut own = std::mem::take(&mut pulls[s]);
        own.sort_by(|a, b| b.share.total_cmp(&a.share));
        let (mut beyond, mut next) = (Pull { share: 1.0, force: DVec3::ZERO, moment: DVec3::ZERO }, 0);
        for (share, slice) in slices(plant.segments()[s].frustum(), &profiles[s]).into_iter().rev() {
            while let Some(pull) = own.get(next).filter(|pull| pull.share > share) {
                beyond.add(pull);
                next += 1;
            }
            energy.1 += taken(&slice, turn * DVec3::Y, moment(&beyond, place(plant, s, share)));
        }
        own[next..].iter().for_each(|pull| beyond.add(pull));
        let m = turn.conjugate() * moment(&beyond, head);
        energy.0 += (m * m / plant.joint_properties(id).stiffness).element_sum();
        let Some(on) = plant.parent(id).map(|p| p.0 as usize) else { continue };
        beyond.share = share_of(plant, on, head);
        if let Some(gap) = gaps[branch].as_ref().filter(|_| s == plant.branch_segments(branch).start) {
            let origin = plant.trees()[plant.tree_index(id)].origin;
            let whole = Frustum::cylinder(plant.segments()[s].frustum().base_radius, gap.begin.distance(gap.end));
            let along = (gap.end - gap.begin).normalize_or_zero();
            for (share, slice) in slices(whole, &gap.profile) {
                energy.1 += taken(&slice, along, moment(&beyond, origin + gap.begin.lerp(gap.end, share)));
            }
            beyond.share = gap.share;
        }
        pulls[on].push(beyond);
    }
}

/// The loads on each bone itself: slices of its wood, and everything attached to it.
fn pulls(plant: &Plant, densities: &[f64], to: DVec3) -> Vec<Vec<Pull>> {
    let mut pulls: Vec<Vec<Pull>> = vec![Vec::new(); plant.segments().len()];
    let mut add = |on: usize, share: f64, mass: f64, middle: DVec3| {
        let foot = plant.trees()[plant.tree_index(BodyId(on as u32))].origin;
        let force = to * (mass * middle.distance(foot));
        pulls[on].push(Pull { share, force, moment: middle.cross(force) });
    };
    for (s, segment) in plant.segments().iter().enumerate() {
        let density = plant.wood_material(s).density * densities[plant.branch_index(BodyId(s as u32))];
        for (share, slice) in slices(segment.frustum(), &[]) {
            add(s, share, slice.volume() * density, place(plant, s, share));
        }
    }
    for id in plant.body_ids().skip(plant.segments().len()) {
        let Some(on) = plant.parent(id).map(|p| p.0 as usize) else { continue };
        let own = plant.mass_properties(id);
        let middle = plant.rest_position(id) + plant.rest_orientation(id) * own.center_of_mass;
        add(on, share_of(plant, on, middle), own.mass, middle);
    }
    pulls
}

fn place(plant: &Plant, s: usize, share: f64) -> DVec3 {
    let id = BodyId(s as u32);
    let along = share * f64::from(plant.segments()[s].length);
    plant.rest_position(id) + plant.rest_orientation(id) * DVec3::Y * along
}

/// Coordinate of a point along a bone, 0 to 1.
fn share_of(plant: &Plant, s: usize, at: DVec3) -> f64 {
    let id = BodyId(s as u32);
    let along = (at - plant.rest_position(id)).dot(plant.rest_orientation(id) * DVec3::Y);
    (along / f64::from(plant.segments()[s].length)).clamp(0.0, 1.0)
}

/// Positions of the slice centres along a bone, and the slices.
fn slices(whole: Frustum, profile: &[(f64, f64)]) -> [(f64, Frustum); SLICES] {
    let seen = |share: f64| match (profile.first(), profile.last()) {
        (Some(first), Some(last)) => {
            let after = profile.partition_point(|known| known.0 < share);
            let (a, b) = (profile[after.max(1) - 1], profile.get(after).unwrap_or(last));
            let between = if b.0 > a.0 { ((share - a.0) / (b.0 - a.0)).clamp(0.0, 1.0) } else { 0.0 };
            if after == 0 { first.1 } else { a.1 + (b.1 - a.1) * between }
        }
        _ => whole.radius_at(share * whole.length),
    };
    let radius = |share: f64| {
        let line = whole.radius_at(share * whole.length);
        seen(share).clamp(UNLIKE.0 * line, UNLIKE.1 * line)
    };
    std::array::from_fn(|k| {
        let [from, to] = [k, k + 1].map(|k| k as f64 / SLICES as f64);
        let slice = Frustum { base_radius: radius(from), tip_radius: radius(to), length: whole.length / SLICES as f64 };
        (0.5 * (from + to), slice)
    })
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, Vec3};
    use windfall_core::{Branch, PlantParts, Segment, Tree, materials};

    use super::*;

    /// A trunk of 3 m; beside it, on an arm of 0.7 m along x without a bone, a vertical pole.
    fn candelabra(density: f64) -> Plant {
        let oak = materials::wood("white oak").unwrap();
        let mut light = oak.clone();
        light.density *= density;
        let segment = |position: Vec3, length: f32, radius: f32| Segment {
            position,
            orientation: DQuat::IDENTITY.as_quat(),
            length,
            base_radius: radius,
            tip_radius: radius,
        };
        Plant::new(PlantParts {
            trees: vec![Tree { name: "tree".into(), origin: DVec3::new(40.0, 0.0, -7.0) }],
            branches: vec![
                Branch { parent: None, tree: 0, segment_count: 1, material: 0, order: 0 },
                Branch { parent: Some(0), tree: 0, segment_count: 1, material: 1, order: 1 },
            ],
            segments: vec![segment(Vec3::ZERO, 3.0, 0.1), segment(Vec3::new(0.8, 1.5, 0.0), 2.0, 0.03)],
            wood_materials: vec![oak.clone(), light],
            ..PlantParts::default()
        })
        .unwrap()
    }

    /// Branches of less dense wood exert smaller loads.
    #[test]
    fn loads_are_those_of_the_density_that_branches_get() {
        let none = vec![Vec::new(); 2];
        let [found, truth] = [(1.0, [1.0, 0.1]), (0.1, [1.0; 2])]
            .map(|(of, densities)| factors(&candelabra(of), &none, &[None, None], &densities));
        assert!((found[0] / truth[0] - 1.0).abs() < 1e-9, "{found:?} {truth:?}");
        let heavy = factors(&candelabra(1.0), &none, &[None, None], &[1.0; 2]);
        assert!((heavy[0] / truth[0] - 1.0).abs() > 1e-3, "{heavy:?} {truth:?}");
    }

    /// Lateral sway of the pole along z twists the arm instead of bending it.
    #[test]
    fn wood_between_bones_is_bent_and_twisted_about_its_own_way() {
        let plant = candelabra(1.0);
        let gap = Gap {
            begin: DVec3::new(0.1, 1.5, 0.0),
            end: DVec3::new(0.8, 1.5, 0.0),
            share: 0.5,
            profile: vec![(0.0, 0.03), (1.0, 0.03)],
        };
        let none = vec![Vec::new(); 2];
        let [without, with] = [None, Some(gap)].map(|gap| factors(&plant, &none, &[None, gap], &[1.0; 2])[1]);
        // By integrals over the pole (slices, as there) and the arm.
        let oak = materials::wood("white oak").unwrap();
        let stiff = std::f64::consts::PI * 0.03_f64.powi(4) / 4.0;
        let (mut pole, mut arm) = (0.0, 0.0);
        let n = 2000;
        let middle = |k: i32, length: f64| (f64::from(k) + 0.5) * length / f64::from(n);
        let force = |y: f64| (0.8_f64.powi(2) + (1.5 + y).powi(2)).sqrt() * 2.0 / f64::from(n);
        let (sum, first) =
            (0..n).map(|k| middle(k, 2.0)).fold((0.0, 0.0), |(s, m), y| (s + force(y), m + y * force(y)));
        let (mut beyond, mut moment) = (0.0, 0.0);
        for k in (0..n).rev() {
            let y = middle(k, 2.0);
            let m: f64 = moment - y * beyond;
            // It bends along both x and z.
            pole += 2.0 * m * m / (oak.youngs_modulus * stiff) * 2.0 / f64::from(n);
            (beyond, moment) = (beyond + force(y), moment + y * force(y));
        }
        for k in 0..n {
            let aside: f64 = middle(k, 0.7);
            let bent = first * first + (aside * sum).powi(2);
            arm += (bent / oak.youngs_modulus + first * first / (2.0 * oak.shear_modulus)) / stiff * 0.7 / f64::from(n);
        }
        let (found, truth) = (without / with, (pole + arm) / pole);
        assert!((found / truth - 1.0).abs() < 0.02, "{found} times as limp, not {truth}");
    }
}
