//! Deformation: no cracks, no inverted triangles, rigid motions exact.

use std::collections::BTreeSet;

use crate::common::{SPECIES, Welded, bark_of, bent, tree};
use windfall_core::glam::{Quat, Vec3};
use windfall_core::{BodyId, Plant, Pose};
use windfall_skin::{Binding, Mesh, Motion};

type Deformed = (Vec<Vec3>, Vec<Vec3>);

fn deformed(mesh: &Mesh, motion: &Motion) -> Deformed {
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    motion.deform(mesh, &mut positions, &mut normals);
    (positions, normals)
}

#[test]
fn the_rest_pose_changes_nothing() {
    let plant = tree("maple", 5000, 1);
    let rest = Pose::rest(&plant);
    let motion = Motion::new(&rest, &rest);
    for part in bark_of(&plant).parts {
        let (positions, normals) = deformed(&part.mesh, &motion);
        assert!(positions.iter().zip(&part.mesh.positions).all(|(a, b)| a.distance(*b) < 1e-5));
        assert!(normals.iter().zip(&part.mesh.normals).all(|(a, b)| a.distance(*b) < 1e-5));
    }
}

#[test]
fn a_rigid_motion_of_all_bodies_is_a_rigid_motion_of_the_surface() {
    let plant = tree("willow", 5000, 1);
    let rest = Pose::rest(&plant);
    let (turn, shift) = (Quat::from_euler(glam_order(), 0.4, 1.0, -0.7), Vec3::new(1.0, -2.0, 0.5));
    let pose = Pose {
        positions: rest.positions.iter().map(|&p| turn * p + shift).collect(),
        orientations: rest.orientations.iter().map(|&q| turn * q).collect(),
    };
    let motion = Motion::new(&rest, &pose);
    for part in bark_of(&plant).parts {
        let (positions, normals) = deformed(&part.mesh, &motion);
        assert!(positions.iter().zip(&part.mesh.positions).all(|(a, b)| a.distance(turn * *b + shift) < 2e-5));
        assert!(normals.iter().zip(&part.mesh.normals).all(|(a, b)| a.distance(turn * *b) < 1e-5));
    }
}

fn glam_order() -> windfall_core::glam::EulerRot {
    windfall_core::glam::EulerRot::XYZ
}

/// The joints between these bodies: on the paths from each of them to their common ancestor.
fn joints_between(plant: &Plant, bodies: &[u32]) -> Vec<u32> {
    let ways: Vec<Vec<u32>> = bodies
        .iter()
        .map(|&b| {
            let up = std::iter::successors(Some(b), |&b| plant.parent(BodyId(b)).map(|p| p.0));
            up.collect::<Vec<u32>>().into_iter().rev().collect()
        })
        .collect();
    let first = ways[0].iter().enumerate();
    let shared = first.take_while(|&(k, body)| ways.iter().all(|way| way.get(k) == Some(body))).count();
    ways.iter().flat_map(|w| &w[shared..]).copied().collect()
}

/// Whether a point lies on the concave side of any joint between the bodies that carry it.
fn inside_of_a_bend(plant: &Plant, rest: &Pose, pose: &Pose, bodies: &[u32], point: Vec3) -> bool {
    joints_between(plant, bodies).into_iter().any(|b| {
        let Some(BodyId(p)) = plant.parent(BodyId(b)) else { return false };
        let (b, p) = (b as usize, p as usize);
        let unbent = pose.orientations[p] * rest.orientations[p].conjugate() * rest.orientations[b];
        let toward = pose.orientations[b] * Vec3::Y - unbent * Vec3::Y;
        (point - pose.positions[b]).dot(toward) > 0.0
    })
}

/// Whether one of the joints between these bodies is that of a side branch. Then the surface is concave
/// on both sides of it, above and below, and a millimetre-wide triangle in such a corner may fold for
/// either direction of the turn.
fn crosses_a_fork(plant: &Plant, bodies: &[u32]) -> bool {
    joints_between(plant, bodies)
        .into_iter()
        .map(BodyId)
        .any(|b| plant.parent(b).is_some_and(|p| plant.branch_index(p) != plant.branch_index(b)))
}

/// The mesh with separate vertices for each triangle, whose normals are that of its face.
fn faceted(mesh: &Mesh) -> Mesh {
    let Binding::Blended { bodies, weights } = &mesh.binding else { panic!("bark is blended") };
    let corners: Vec<usize> = mesh.triangles.iter().flatten().map(|&i| i as usize).collect();
    let face = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
        [(b - a).cross(c - a).normalize_or_zero(); 3]
    };
    Mesh {
        positions: corners.iter().map(|&i| mesh.positions[i]).collect(),
        normals: mesh.triangles.iter().flat_map(face).collect(),
        binding: Binding::Blended {
            bodies: corners.iter().map(|&i| bodies[i]).collect(),
            weights: corners.iter().map(|&i| weights[i]).collect(),
        },
        ..Mesh::default()
    }
}

#[test]
fn twenty_degrees_at_every_joint_crack_and_invert_nothing() {
    for species in SPECIES {
        let plant = tree(species, 6000, 2);
        let (rest, pose) = (Pose::rest(&plant), bent(&plant, 20f32.to_radians()));
        let motion = Motion::new(&rest, &pose);
        let bark = bark_of(&plant);
        let shapes: Vec<Deformed> = bark.parts.iter().map(|p| deformed(&p.mesh, &motion)).collect();
        let surface = Welded::new(shapes.iter().zip(&bark.parts).map(|(s, p)| (&*s.0, &*p.mesh.triangles)));
        assert_eq!(surface.open_edges(), 0, "{species}");
        assert_eq!(surface.pieces(), 1, "{species}");
        let (mut total, mut inverted, mut folded, mut at_forks) = (0, 0, 0, 0);
        for part in &bark.parts {
            let soup = faceted(&part.mesh);
            let Binding::Blended { bodies, weights } = &soup.binding else { panic!("bark is blended") };
            let (positions, normals) = deformed(&soup, &motion);
            for i in (0..positions.len()).step_by(3) {
                let (corners, normal) = (&positions[i..i + 3], normals[i..i + 3].iter().sum::<Vec3>());
                total += 1;
                if (corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(normal) >= 0.0 {
                    continue;
                }
                let of_corner = |v: usize| (0..4).filter(move |&k| weights[v][k] > 0.0).map(move |k| bodies[v][k]);
                let carriers: BTreeSet<u32> = (i..i + 3).flat_map(of_corner).collect();
                let carriers: Vec<u32> = carriers.into_iter().collect();
                let middle = corners.iter().sum::<Vec3>() / 3.0;
                if inside_of_a_bend(&plant, &rest, &pose, &carriers, middle) {
                    folded += 1;
                } else if crosses_a_fork(&plant, &carriers) {
                    at_forks += 1;
                } else {
                    inverted += 1;
                }
            }
        }
        println!(
            "{species}: {total} triangles, {folded} folded inside bends, {at_forks} in corners of forks, {inverted} elsewhere"
        );
        assert_eq!(inverted, 0, "{species} of {total}");
        assert!(at_forks * 1000 < total, "{species}: {at_forks} of {total} inverted in the corners of forks");
        assert!(folded * 200 < total, "{species}: {folded} of {total} folded");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let plant = tree("cherry", 4000, 5);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let motion = Motion::new(&Pose::rest(&plant), &bent(&plant, 0.2));
            let bark = bark_of(&plant);
            bark.parts.into_iter().map(|p| (deformed(&p.mesh, &motion), p.mesh)).collect::<Vec<_>>()
        })
    };
    assert!(run(1) == run(4));
}
