//! Cards lie at their leaves, face the right way, and are reproducible.

use glam::Vec3;
use windfall_core::{BodyId, LeafKind, Plant};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_skin::{Binding, FoliageDetail, Look, Mesh, fruit_mesh, leaf_mesh, members};

const SPECIES: [&str; 9] = ["apple", "aspen", "cherry", "maple", "oak", "palm", "pine", "spruce", "willow"];

fn plant(name: &str) -> Plant {
    grow(&Species::named(name).unwrap(), &GrowOptions { bodies: Some(1500), seed: 3 }).unwrap()
}

fn leaves(plant: &Plant, detail: &FoliageDetail) -> Mesh {
    let material = &plant.parts().leaf_materials[0];
    leaf_mesh(plant, &members(plant)[0].leaves, 0, Look::of(plant).leaf_for(&material.name, material.kind), detail)
}

fn bodies(mesh: &Mesh) -> &[u32] {
    match &mesh.binding {
        Binding::Rigid(bodies) => bodies,
        Binding::Blended { .. } => panic!("cards are rigid"),
    }
}

fn check(mesh: &Mesh, what: &str) {
    let n = mesh.positions.len();
    assert!(n > 0, "{what}");
    assert_eq!([mesh.normals.len(), mesh.uvs.len(), mesh.tints.len(), bodies(mesh).len()], [n; 4]);
    assert!(mesh.positions.iter().all(|p| p.is_finite()) && mesh.uvs.iter().all(|p| p.is_finite()), "{what}");
    assert!(mesh.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-4), "{what}");
    assert!(mesh.tints.iter().all(|t| t[3] == 255));
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
        let geometric = (b - a).cross(c - a).normalize();
        let shading: Vec3 = t.iter().map(|&i| mesh.normals[i as usize]).sum();
        assert!(geometric.dot(shading) > 0.0, "{what}: {geometric} {shading}");
    }
}

#[test]
fn cards_face_up_with_unit_normals() {
    for name in SPECIES {
        for level in 0..3 {
            let plant = plant(name);
            check(&leaves(&plant, &FoliageDetail { level, ..FoliageDetail::default() }), name);
        }
    }
}

#[test]
fn cards_stay_near_their_blades() {
    for name in SPECIES {
        let plant = plant(name);
        let mesh = leaves(&plant, &FoliageDetail::default());
        let mut tips = std::collections::HashMap::new();
        for (i, &body) in bodies(&mesh).iter().enumerate() {
            let leaf = plant.leaves()[body as usize - plant.segments().len()];
            let local = leaf.orientation.inverse() * (mesh.positions[i] - leaf.position);
            let half = 0.5 * leaf.width / (2.0 * plant.leaf_material(&leaf).fill as f32);
            // Crossed cards stick out of the blade by their half-width, and those of needles reach
            // beyond it.
            let volume = if plant.leaf_material(&leaf).kind == LeafKind::Needles { 0.8 * leaf.length } else { 0.0 };
            let flat =
                Vec3::new(local.x.clamp(-half, half), local.y.clamp(0.0, leaf.petiole_length + leaf.length), 0.0);
            let away = local.distance(flat);
            assert!(away < (0.35 * leaf.length).max(1.01 * volume), "{name}: {away} of {}", leaf.length);
            let tip = local.distance(Vec3::Y * (leaf.petiole_length + leaf.length));
            let nearest = tips.entry(body).or_insert((tip, leaf.length, half.max(volume)));
            nearest.0 = nearest.0.min(tip);
        }
        for (tip, length, half) in tips.values() {
            assert!(*tip < 0.4 * length + half, "{name}: the tip is {tip} away from its card");
        }
    }
}

#[test]
fn fewer_leaves_have_the_same_area_and_are_among_the_more() {
    let plant = plant("oak");
    let area = |mesh: &Mesh| -> f32 {
        let of = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        mesh.triangles.iter().map(of).sum()
    };
    let keep = |keep: f32| leaves(&plant, &FoliageDetail { level: 2, keep, ..FoliageDetail::default() });
    let (all, half, few) = (keep(1.0), keep(0.5), keep(0.1));
    let count = |mesh: &Mesh| mesh.positions.len() as f32 / all.positions.len() as f32;
    assert!((count(&half) - 0.5).abs() < 0.02 && (count(&few) - 0.1).abs() < 0.02, "{} {}", count(&half), count(&few));
    assert!((area(&half) / area(&all) - 1.0).abs() < 0.1 && (area(&few) / area(&all) - 1.0).abs() < 0.2);
    assert!(bodies(&few).iter().all(|b| bodies(&half).contains(b)));
    assert!(keep(0.0).positions.is_empty() && keep(f32::NAN).positions.is_empty());
    assert_eq!(keep(7.0), all);
}

#[test]
fn a_mesh_is_the_same_on_one_thread_and_belongs_to_its_tree() {
    let palms = grow(&Species::named("palm").unwrap(), &GrowOptions { bodies: Some(30_000), seed: 3 }).unwrap();
    assert!(palms.trees().len() > 1);
    let (look, trees) = (Look::of(&palms), members(&palms));
    let make = || leaf_mesh(&palms, &trees[1].leaves, 0, &look.leaf[0], &FoliageDetail::default());
    let mesh = make();
    let single = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(single.install(make) == mesh);
    assert!(bodies(&mesh).iter().all(|&b| palms.tree_index(BodyId(b)) == 1));
    assert!(leaf_mesh(&palms, &[], 0, &look.leaf[0], &FoliageDetail::default()).positions.is_empty());
    assert!(leaf_mesh(&palms, &trees[0].leaves, 99, &look.leaf[0], &FoliageDetail::default()).positions.is_empty());
}

#[test]
fn sessile_leaves_and_leaves_with_petioles_go_together() {
    let mut parts = plant("maple").into_parts();
    for leaf in parts.leaves.iter_mut().step_by(3) {
        leaf.petiole_length = 0.0;
    }
    let plant = Plant::new(parts).unwrap();
    check(&leaves(&plant, &FoliageDetail::default()), "maple");
}

#[test]
fn fruit_is_closed_round_and_faces_outward() {
    for name in ["apple", "palm"] {
        let bodies_wanted = if name == "apple" { 20_000 } else { 3000 };
        let options = GrowOptions { bodies: Some(bodies_wanted), seed: 3 };
        let plant = grow(&Species::named(name).unwrap(), &options).unwrap();
        let look = Look::of(&plant);
        for level in 0..3 {
            let mesh = fruit_mesh(
                &plant,
                &members(&plant)[0].fruit,
                0,
                &look.fruit[0],
                &FoliageDetail { level, ..FoliageDetail::default() },
            );
            check(&mesh, name);
            for (i, &body) in bodies(&mesh).iter().enumerate() {
                let fruit = plant.fruit()[body as usize - plant.segments().len() - plant.leaves().len()];
                let local = fruit.orientation.inverse() * (mesh.positions[i] - fruit.position);
                let centre = Vec3::Y * (fruit.stalk_length + fruit.radius);
                assert!(local.distance(centre) < 1.4 * fruit.radius + fruit.stalk_length, "{name}");
            }
        }
    }
}
