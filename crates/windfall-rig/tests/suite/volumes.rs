//! Wood volume of meshes against closed forms.

use crate::common::{Rigged, Ring, document, options};
use glam::{DVec3, Vec3};
use windfall_core::{BodyId, Plant};
use windfall_rig::{Rig, RigOptions};

/// Density of green oak, kg/m3.
const OAK: f64 = 1010.0;

fn rig(rigged: &Rigged) -> Rig {
    Rig::of(&document(&rigged.glb()).unwrap(), &options()).unwrap()
}

fn cone(height: f64, base: f64, tip: f64) -> f64 {
    std::f64::consts::PI * height * (base * base + base * tip + tip * tip) / 3.0
}

/// Checks a relative error.
fn near(found: f64, truth: f64, share: f64, what: &str) {
    assert!((found / truth - 1.0).abs() < share, "{what}: {found} of {truth}");
}

/// Mass and centroid of everything on a segment, relative to the foot.
fn carried(plant: &Plant, segment: u32) -> (f64, DVec3) {
    let mut sum = (0.0, DVec3::ZERO);
    for id in plant.body_ids().filter(|&id| id.0 == segment || plant.parent(id) == Some(BodyId(segment))) {
        // Wood that grows on it belongs to another bone.
        if id.0 != segment && (id.0 as usize) < plant.segments().len() {
            continue;
        }
        let own = plant.mass_properties(id);
        let turn = plant.rest_orientation(id);
        sum.0 += own.mass;
        sum.1 += (plant.rest_position(id) + turn * own.center_of_mass) * own.mass;
    }
    (sum.0, sum.1 / sum.0)
}

/// Tubes of eight sides, open at both ends, represent round wood.
#[test]
fn tubes_have_the_mass_of_round_wood() {
    for (count, height, base, tip) in [(6, 6.0, 0.1, 0.04), (12, 15.0, 0.3, 0.02), (3, 2.0, 0.02, 0.02)] {
        let found = rig(&Rigged::chain(count, height, base, tip));
        near(found.report.wood_mass_kg, OAK * cone(height, base, tip), 1e-3, "a cone");
        assert!(found.report.twig_mass_kg < 1e-3 * found.report.wood_mass_kg);
        for k in 0..count {
            let r = |k: usize| base + (tip - base) * k as f64 / count as f64;
            near(carried(&found.plant, k as u32).0, OAK * cone(height / count as f64, r(k), r(k + 1)), 0.02, "a bone");
        }
    }
}

/// The orientation of triangles and closed or open ends make no difference.
#[test]
fn triangles_inside_out_and_closed_ends_have_the_same_mass() {
    let truth = OAK * cone(4.0, 0.1, 0.05);
    let mut turned = Rigged::chain(4, 4.0, 0.1, 0.05);
    turned.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let found = rig(&turned);
    near(found.report.wood_mass_kg, truth, 1e-3, "inside out");
    near(found.plant.segments()[0].base_radius.into(), 0.1, 0.01, "inside out");
    let mut closed = Rigged::chain(4, 4.0, 0.1, 0.05);
    let last = closed.vertices.len() as u32;
    for (ring, bone, y, way) in [(0, 0, 0.0, true), (last - 8, 3, 4.0, false)] {
        let middle = closed.vertices.len() as u32;
        closed.vertices.push((DVec3::Y * y, vec![(bone, 1.0)]));
        for side in 0..8 {
            let (a, b) = (ring + side, ring + (side + 1) % 8);
            // In the winding order of the tube.
            closed.triangles.push(if way { [a, b, middle] } else { [b, a, middle] });
        }
    }
    // Rims are slightly rounded by the correction.
    near(rig(&closed).report.wood_mass_kg, truth, 0.01, "closed");
}

/// A trunk of four bones; on the third a bough with twelve twigs, all on one bone.
fn bough() -> (Rigged, f64, DVec3, f64) {
    let mut rigged = Rigged::chain(4, 8.0, 0.2, 0.08);
    let (head, tail) = (DVec3::new(0.0, 5.0, 0.0), DVec3::new(3.0, 6.0, 0.0));
    let joint = rigged.side("bough", Some(2), head, tail, 0.04);
    let mut mass = cone(head.distance(tail), 0.04, 0.04);
    let mut moment = 0.5 * (head + tail) * mass;
    for k in 0..12_u8 {
        let from = head.lerp(tail, 0.3 + 0.055 * f64::from(k));
        let way = DVec3::new(0.3, if k % 2 == 0 { 0.8 } else { -0.6 }, if k % 3 == 0 { 0.7 } else { -0.5 });
        let rings: Vec<Ring> = (0..5).map(|r| (from + way * (f64::from(r) / 4.0), 0.015, vec![(joint, 1.0)])).collect();
        rigged.tube(&rings, way.normalize());
        let own = cone(way.length(), 0.015, 0.015);
        mass += own;
        moment += (from + 0.5 * way) * own;
    }
    let trunk = OAK * cone(8.0, 0.2, 0.08);
    (rigged, OAK * mass, moment / mass, trunk)
}

/// The bone has the stiffness of its own wood and the mass of all wood, with the twigs' mass at their
/// position.
#[test]
fn twigs_on_the_bone_of_a_bough_have_mass_and_do_not_make_it_stiff() {
    let (rigged, mass, centre, trunk) = bough();
    let found = rig(&rigged);
    let segment = found.plant.segments()[4];
    near(f64::from(segment.base_radius), 0.04, 0.02, "radius");
    near(f64::from(segment.tip_radius), 0.04, 0.02, "radius");
    let (kg, at) = carried(&found.plant, 4);
    near(kg, mass, 0.01, "bough");
    assert!(at.distance(centre) < 0.02, "{at} {centre}");
    near(found.report.wood_mass_kg, mass + trunk, 0.01, "tree");
    let twigs = mass - OAK * cone(DVec3::new(3.0, 1.0, 0.0).length(), 0.04, 0.04);
    near(found.report.twig_mass_kg, twigs, 0.1, "twigs");
    // The drag area of twigs is that of their silhouettes: half of their surface, pi r l for each.
    let surface: f64 = found.plant.leaves().iter().map(windfall_core::Leaf::area).sum();
    let lengths = 6.0 * (DVec3::new(0.3, 0.8, 0.6).length() + DVec3::new(0.3, 0.6, 0.6).length());
    near(surface, std::f64::consts::PI * 0.015 * lengths, 0.1, "half of the surface of twigs");
    // They do not count as leaves.
    assert_eq!((found.report.leaf_area_m2, found.report.leaf_parts), (0.0, 0));
}

/// Like automatic weights: every vertex is weighted to the four nearest bones by inverse squared distance.
#[test]
fn smooth_weights_have_the_same_mass() {
    let (sharp, mass, _, trunk) = bough();
    let bones: Vec<(DVec3, DVec3)> = sharp.bones.iter().map(|(.., head, tail)| (*head, *tail)).collect();
    let mut smooth = Rigged { vertices: sharp.vertices.clone(), ..sharp };
    for (at, weights) in &mut smooth.vertices {
        let distance = |(head, tail): &(DVec3, DVec3)| {
            let way = *tail - *head;
            let share = ((*at - *head).dot(way) / way.length_squared()).clamp(0.0, 1.0);
            (*head + way * share).distance(*at).max(1e-3)
        };
        *weights = bones.iter().enumerate().map(|(j, bone)| (j, distance(bone).powi(-2))).collect();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1));
        weights.truncate(4);
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        for (_, weight) in weights.iter_mut() {
            *weight /= sum;
        }
    }
    let found = rig(&smooth);
    near(found.report.wood_mass_kg, mass + trunk, 0.01, "tree");
    for (k, (a, b)) in found.plant.segments().iter().zip(rig(&bough().0).plant.segments()).enumerate() {
        near(a.base_radius.into(), b.base_radius.into(), 0.05, &format!("radius of bone {k}"));
    }
    assert_eq!(found.plant.segments().len(), 5);
}

/// Half a tube, as in a background mesh: not a closed shell, so the volume follows from the thickness.
#[test]
fn open_meshes_are_measured_by_their_thickness() {
    let mut half = Rigged::chain(4, 4.0, 0.1, 0.1);
    let side = |v: u32| v % 8;
    half.triangles.retain(|t| t.iter().all(|&v| side(v) < 5));
    let found = rig(&half);
    near(found.report.wood_mass_kg, OAK * cone(4.0, 0.1, 0.1), 0.15, "half a tube");
    assert_eq!(found.report.twig_mass_kg, 0.0);
}

/// Volumes scale with the cube of the scale, and rotations of the file have no effect.
#[test]
fn sizes_and_axes() {
    let (rigged, mass, _, trunk) = bough();
    let bytes = rigged.glb();
    let tall = Rig::of(&document(&bytes).unwrap(), &RigOptions { scale: Some(2.0), ..options() }).unwrap();
    near(tall.report.wood_mass_kg, 8.0 * (mass + trunk), 0.01, "twice as tall");
    let fruit = tall.plant.fruit().iter().map(|fruit| fruit.position).fold(Vec3::ZERO, |sum, p| sum + p);
    assert!(fruit.x > 0.0, "weights are on the side of the bough");
}

/// A shoot along the trunk that also has weights on the trunk's bark: its cross-sections are those of the
/// trunk, and its own bark encloses almost no volume.
#[test]
fn shoots_that_hang_on_thick_bark_are_no_lighter_than_wood_can_be() {
    let mut rigged = Rigged::chain(3, 3.0, 0.1, 0.08);
    let shoot = rigged.bones.len();
    for (at, weights) in &mut rigged.vertices {
        if at.y > 0.4 && at.y < 2.1 {
            for (_, weight) in weights.iter_mut() {
                *weight *= 0.8;
            }
            weights.push((shoot, 0.2));
        }
    }
    let (head, tail) = (DVec3::Y * 1.2, DVec3::new(0.16, 1.8, 0.0));
    rigged.bones.push(("shoot".into(), Some(1), head, tail));
    let ring = |k: u8| (DVec3::new(0.1, 1.4, 0.0).lerp(tail, f64::from(k) / 4.0), 0.002, vec![(shoot, 1.0)]);
    rigged.tube(&(0..5).map(ring).collect::<Vec<_>>(), DVec3::Y);
    let found = rig(&rigged);
    near(found.report.wood_mass_kg, OAK * cone(3.0, 0.1, 0.08), 0.02, "tree");
    // It sways like a shoot, not like a trunk.
    let (segment, wood) = (found.plant.segments()[shoot], found.plant.wood_material(shoot));
    assert!(segment.base_radius < 0.005, "{segment:?}");
    assert!(
        (0.3..3.0)
            .contains(&(wood.youngs_modulus / windfall_core::materials::wood("white oak").unwrap().youngs_modulus)),
        "{}",
        wood.name
    );
}

/// A bough whose first part is weighted mainly to the trunk, so that it has less bark than wood, with thin
/// twigs on the rest: they have drag.
#[test]
fn twigs_of_boughs_with_little_bark_catch_the_wind() {
    let mut rigged = Rigged::chain(4, 8.0, 0.2, 0.08);
    let (head, tail) = (DVec3::new(0.0, 5.0, 0.0), DVec3::new(3.0, 6.0, 0.0));
    let joint = rigged.bones.len();
    rigged.bones.push(("bough".into(), Some(2), head, tail));
    let weights = |k: u8| if k < 8 { vec![(2, 0.7), (joint, 0.3)] } else { vec![(joint, 1.0)] };
    let rings: Vec<Ring> = (0..=20).map(|k| (head.lerp(tail, f64::from(k) / 20.0), 0.04, weights(k))).collect();
    rigged.tube(&rings, (tail - head).normalize());
    for k in 0..12_u8 {
        let from = head.lerp(tail, 0.45 + 0.04 * f64::from(k));
        let way = DVec3::new(0.3, if k % 2 == 0 { 0.8 } else { -0.6 }, if k % 3 == 0 { 0.7 } else { -0.5 });
        let rings: Vec<Ring> = (0..5).map(|r| (from + way * (f64::from(r) / 4.0), 0.004, vec![(joint, 1.0)])).collect();
        rigged.tube(&rings, way.normalize());
    }
    let found = rig(&rigged);
    near(f64::from(found.plant.segments()[joint].base_radius), 0.04, 0.02, "radius");
    assert!(found.plant.wood_material(joint).density < 0.8 * OAK, "{}", found.plant.wood_material(joint).name);
    let on_bough = found.plant.leaves().iter().filter(|leaf| leaf.parent == joint as u32);
    let surface: f64 = on_bough.map(windfall_core::Leaf::area).sum();
    // Half of their surface is pi r l, minus the deficit of the bough's own surface.
    let lengths = 6.0 * (DVec3::new(0.3, 0.8, 0.6).length() + DVec3::new(0.3, 0.6, 0.6).length());
    let twigs = std::f64::consts::PI * 0.004 * lengths;
    assert!((0.3 * twigs..1.05 * twigs).contains(&surface), "{surface} of {twigs} m2");
}
