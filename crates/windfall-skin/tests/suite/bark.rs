//! The surface of the wood: closed, connected, facing outward, smoothly textured.

use crate::common::{SPECIES, Welded, bark_of, options, tree};
use windfall_core::glam::Vec3;
use windfall_skin::{BarkOptions, Binding, Detail, Mesh, bark, members};

fn face(mesh: &Mesh, t: [u32; 3]) -> Vec3 {
    let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
    (b - a).cross(c - a)
}

#[test]
fn every_species_has_one_closed_connected_surface() {
    for species in SPECIES {
        for (bodies, seed) in [(60, 1), (3000, 2), (20_000, 3)] {
            let plant = tree(species, bodies, seed);
            let bark = bark_of(&plant);
            let surface = Welded::of(&bark);
            assert_eq!(bark.loose_branches, 0, "{species} {bodies}");
            assert_eq!(surface.open_edges(), 0, "{species} {bodies}");
            assert_eq!(surface.pieces(), 1, "{species} {bodies}");
        }
    }
}

#[test]
fn all_branches_are_joined_at_every_level_of_detail() {
    let trees = SPECIES.map(|species| tree(species, 8000, 4)).into_iter().chain([tree("palm", 60_000, 4)]);
    for plant in trees {
        for level in 0..=3 {
            let detail = Detail::level(&plant, level);
            for (i, members) in members(&plant).iter().enumerate() {
                let bark_options = BarkOptions { thinnest: detail.thinnest, ..options(&plant, detail.tolerance) };
                let bark = bark(&plant, &members.branches, &bark_options);
                assert_eq!(bark.loose_branches, 0, "{} tree {i} level {level}", plant.name());
                let surface = Welded::of(&bark);
                assert_eq!((surface.open_edges(), surface.pieces()), (0, 1), "{} tree {i} level {level}", plant.name());
            }
        }
    }
}

#[test]
fn normals_are_unit_and_agree_with_the_faces() {
    for species in SPECIES {
        let plant = tree(species, 10_000, 1);
        for part in bark_of(&plant).parts {
            let mesh = &part.mesh;
            assert!(mesh.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-4));
            assert!(mesh.positions.iter().all(|p| p.is_finite()) && mesh.uvs.iter().all(|t| t.is_finite()));
            let (mut area, mut wrong) = (0.0, 0.0);
            for &t in &mesh.triangles {
                let face = face(mesh, t);
                let normal: Vec3 = t.iter().map(|&i| mesh.normals[i as usize]).sum();
                area += face.length();
                wrong += if face.dot(normal) < 0.0 { face.length() } else { 0.0 };
            }
            let share = 100.0 * wrong / area;
            println!("{species}: {share:.3} % of the area faces away from its normals");
            assert!(share < if part.twigs { 0.8 } else { 0.12 }, "{species}: {share} %");
        }
    }
}

#[test]
fn weights_are_at_most_four_and_add_up_to_one() {
    let plant = tree("oak", 20_000, 1);
    for part in bark_of(&plant).parts {
        let Binding::Blended { bodies, weights } = &part.mesh.binding else { panic!("bark is blended") };
        for (b, w) in bodies.iter().zip(weights) {
            assert!((w.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(w.is_sorted_by(|a, b| a >= b) && w[3] >= 0.0);
            assert!(b.iter().all(|&b| (b as usize) < plant.segments().len()));
        }
    }
}

/// Stretch of a texture: ratio of the scales in the two principal directions.
fn stretch(mesh: &Mesh, t: [u32; 3]) -> Option<(f32, f32)> {
    let [a, b, c] = t.map(|i| (mesh.positions[i as usize], mesh.uvs[i as usize]));
    let (e1, e2, d1, d2) = (b.0 - a.0, c.0 - a.0, b.1 - a.1, c.1 - a.1);
    let det = d1.perp_dot(d2);
    let area = 0.5 * e1.cross(e2).length();
    if det.abs() < 1e-12 || area < 1e-12 {
        return None;
    }
    let (du, dv) = ((e1 * d2.y - e2 * d1.y) / det, (e2 * d1.x - e1 * d2.x) / det);
    // Singular values of the 3x2 matrix (du, dv).
    let (p, q, r) = (du.dot(du), du.dot(dv), dv.dot(dv));
    let root = ((p - r) * (p - r) + 4.0 * q * q).sqrt();
    let (large, small) = (0.5 * (p + r + root), 0.5 * (p + r - root).max(1e-20));
    Some(((large / small).sqrt(), area))
}

#[test]
fn textures_are_hardly_stretched() {
    for species in SPECIES {
        let plant = tree(species, 10_000, 1);
        for part in bark_of(&plant).parts {
            let mut all: Vec<(f32, f32)> = part.mesh.triangles.iter().filter_map(|&t| stretch(&part.mesh, t)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let area: f32 = all.iter().map(|s| s.1).sum();
            let mut below = 0.0;
            let at = |share: f32, below: &mut f32| {
                all.iter()
                    .find(|s| {
                        *below += s.1;
                        *below >= share * area
                    })
                    .map_or(0.0, |s| s.0)
            };
            let (median, most) = (at(0.5, &mut below), {
                below = 0.0;
                at(0.97, &mut below)
            });
            println!("{species} twigs {}: median {median:.2}, 97 % {most:.2}", part.twigs);
            assert!(median < 1.5 && most < 4.5, "{species}: median {median}, 97 % {most}");
        }
    }
}

#[test]
fn a_finer_surface_comes_nearer_to_the_volume_of_the_wood() {
    let plant = tree("oak", 2000, 1);
    let wood: f64 = plant.segments().iter().map(|s| s.frustum().volume()).sum();
    let volume = |tolerance: f32| -> f64 {
        let bark = bark(&plant, &members(&plant)[0].branches, &options(&plant, tolerance));
        let parts = bark.parts.iter().flat_map(|p| p.mesh.triangles.iter().map(|t| (&p.mesh, *t)));
        let six: f64 = parts
            .map(|(mesh, t)| {
                let [a, b, c] = t.map(|i| mesh.positions[i as usize].as_dvec3());
                a.dot(b.cross(c))
            })
            .sum();
        six / 6.0
    };
    let [coarse, fine, finest] = [0.02, 0.002, 0.0002].map(volume);
    println!("wood {wood:.5} m3, skins {coarse:.5} {fine:.5} {finest:.5}");
    assert!(coarse < fine && fine < finest);
    assert!((finest / wood - 1.0).abs() < 0.06, "{finest} m3 of skin around {wood} m3 of wood");
}
