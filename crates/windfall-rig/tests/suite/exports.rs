//! Windfall's own trees, exported with bones and read again: wood, leaves and thickness are known.

use crate::common::{options, swaying};
use glam::DVec3;
use windfall_core::{Body, BodyId, Plant, Segment, Summary};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_io::{AnimationOptions, BoneCount, Clip, export_animated};
use windfall_rig::{Document, Rig, RigOptions};
use windfall_skin::{Detail, Look, PaintOptions, skin};

fn read_again(species: &str, bodies: usize, bones: BoneCount, level: u8) -> (Plant, Rig) {
    let species = Species::named(species).unwrap();
    let plant = grow(&species, &GrowOptions { bodies: Some(bodies), seed: 1 }).unwrap();
    let textures = PaintOptions { bark: 8, twig: 8, leaf: 8, fruit: 8, ..PaintOptions::default() };
    let skin = skin(&plant, &Look::of(&plant), &Detail::level(&plant, level), &textures);
    let mut frames = swaying(&plant, 8, 0.02);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.glb");
    let clips = &mut [Clip { name: "sway".into(), frames: &mut frames }];
    let animation = AnimationOptions { bones, ..AnimationOptions::default() };
    export_animated(&plant, &skin, clips, &animation, &path, &mut |_| ()).unwrap();
    // The leaf fraction of a card is not contained in the mesh.
    let leaf_area = Some(plant.leaves().iter().map(windfall_core::Leaf::area).sum());
    let leaf = plant.leaf_material(&plant.leaves()[0]).clone();
    let wood = plant.wood_material(0).clone();
    let rig = Rig::of(&Document::open(&path).unwrap(), &RigOptions { wood, leaf, leaf_area, ..options() }).unwrap();
    (plant, rig)
}

/// Static compliance of a tree under a uniform acceleration of 1 m/s² along x and along z, as the
/// frequency of an oscillator with that compliance, `sqrt(1 / u)`, u the mean displacement of the wood,
/// Hz.
///
/// Modal frequencies are not used: dense crowns have many close modes, none of which moves more than a
/// fifth of the mass, and their order differs between rigs of the same tree. The motion of fruit and
/// leaves on their stalks is ignored; only their mass counts. Pass 1, from the tips to the foot: rotation
/// of each joint under the loads beyond. Pass 2, in reverse: displacements.
fn sway(plant: &Plant) -> [f64; 2] {
    let wood = |id: BodyId| match plant.body(id) {
        Some(Body::Wood(_)) => true,
        // Twigs of a bone.
        Some(Body::Fruit(fruit)) => plant.fruit_material(fruit).name == "twigs",
        _ => false,
    };
    [DVec3::X, DVec3::Z].map(|pull| {
        let bodies: Vec<_> = plant.body_ids().collect();
        let mass = |id: BodyId| plant.mass_properties(id).mass;
        let middle = |id: BodyId| {
            plant.rest_position(id) + plant.rest_orientation(id) * plant.mass_properties(id).center_of_mass
        };
        let mut loads: Vec<(DVec3, DVec3)> =
            bodies.iter().map(|&id| (mass(id) * pull, middle(id).cross(mass(id) * pull))).collect();
        let mut moved = vec![(DVec3::ZERO, DVec3::ZERO); bodies.len()];
        for &id in bodies.iter().rev() {
            let (force, moment) = loads[id.0 as usize];
            let (at, turn) = (plant.rest_position(id), plant.rest_orientation(id));
            let local = turn.conjugate() * (moment - at.cross(force));
            moved[id.0 as usize].0 = turn * (local / plant.joint_properties(id).stiffness);
            if let Some(parent) = plant.parent(id) {
                let sum = &mut loads[parent.0 as usize];
                *sum = (sum.0 + force, sum.1 + moment);
            }
        }
        let (mut way, mut all) = (0.0, 0.0);
        for &id in &bodies {
            let (turn, shift) = plant.parent(id).map_or((DVec3::ZERO, DVec3::ZERO), |p| moved[p.0 as usize]);
            let own = moved[id.0 as usize].0;
            let (turn, shift) = (turn + own, shift + plant.rest_position(id).cross(own));
            moved[id.0 as usize] = (turn, shift);
            if wood(id) {
                way += mass(id) * (shift + turn.cross(middle(id))).dot(pull);
                all += mass(id);
            }
        }
        (all / way).sqrt() / std::f64::consts::TAU
    })
}

/// Ratio of bone radius to the radius of the wood at its head, for bones thicker than 8 mm, sorted.
fn thickness(plant: &Plant, rig: &Rig) -> Vec<f64> {
    let mut ratios = Vec::new();
    for segment in rig.plant.segments() {
        let away = |s: &Segment| s.position.distance(segment.position);
        let wood = plant.segments().iter().min_by(|a, b| away(a).total_cmp(&away(b))).unwrap();
        if wood.base_radius > 0.004 && away(wood) < 1e-3 {
            ratios.push(f64::from(segment.base_radius / wood.base_radius));
        }
    }
    ratios.sort_by(f64::total_cmp);
    ratios
}

/// Bones that represent boughs with all their twigs, and one bone per body. Palms have stalks of lighter
/// wood than their stem, which the mesh does not contain.
#[test]
fn wood_is_found_again() {
    let counts = [BoneCount::AtMost(30), BoneCount::AtMost(256), BoneCount::AtMost(1000), BoneCount::All];
    for (species, bodies, level, counts, off) in [
        ("oak", 3000, 1, &counts[..], 0.05),
        ("oak", 3000, 2, &counts[1..2], 0.05),
        ("spruce", 5000, 1, &counts[..], 0.03),
        ("willow", 5000, 1, &counts[..2], 0.05),
        ("palm", 5000, 1, &counts[..2], 0.07),
    ] {
        for &bones in counts {
            let (plant, rig) = read_again(species, bodies, bones, level);
            let (found, wood) = (rig.report.wood_mass_kg, Summary::of(&plant).wood_mass_kg);
            let what = format!("{species}, {} bones: {found} kg of {wood}", rig.report.bones);
            assert!((found / wood - 1.0).abs() < off, "{what}");
            let ratios = thickness(&plant, &rig);
            if ratios.len() >= 20 && !matches!(bones, BoneCount::All) {
                let [low, middle, high] = [0.1, 0.5, 0.9].map(|s| ratios[(s * (ratios.len() - 1) as f64) as usize]);
                assert!(low > 0.65 && (middle - 1.0).abs() < 0.1 && high < 1.35, "{what}; {low} {middle} {high}");
            }
        }
    }
}

/// For few bones and any choice of bodies. Remaining differences: with few bones thickness is a mean over
/// boughs and their collars, and stems are as dense as stalks; the last segments of Windfall's own trees
/// end in points that carry boughs, which bones do not have there.
#[test]
fn trees_sway_as_they_did() {
    for (species, bodies) in [("oak", 3000), ("spruce", 5000), ("willow", 5000), ("apple", 5000), ("palm", 5000)] {
        for (bones, off) in [(30, 0.2), (256, 0.15), (1000, 0.15)] {
            let (plant, rig) = read_again(species, bodies, BoneCount::AtMost(bones), 1);
            let (found, truth) = (sway(&rig.plant), sway(&plant));
            for (found, truth) in found.into_iter().zip(truth) {
                assert!((found / truth - 1.0).abs() < off, "{species}, {bones} bones: {found} Hz of {truth}");
            }
        }
    }
}

/// Apples are spheres: they are heavy and do not count as wood.
#[test]
fn fruit_is_no_wood() {
    let (plant, rig) = read_again("apple", 5000, BoneCount::AtMost(256), 1);
    let truth = Summary::of(&plant);
    assert!((rig.report.wood_mass_kg / truth.wood_mass_kg - 1.0).abs() < 0.04, "{}", rig.report.wood_mass_kg);
    assert!((rig.report.fruit_mass_kg / truth.fruit_mass_kg - 1.0).abs() < 0.1, "{}", rig.report.fruit_mass_kg);
    let found = Summary::of(&rig.plant);
    let sum = rig.report.wood_mass_kg + rig.report.fruit_mass_kg + rig.report.leaf_mass_kg;
    assert!((found.mass_kg / sum - 1.0).abs() < 1e-3, "{} of {sum}", found.mass_kg);
}
