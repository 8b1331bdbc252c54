//! Motions whose poses are known at every time, for tests of writers and for `examples/export_check.rs`.

#![allow(dead_code, reason = "every test file uses its own part of this")]

use windfall_core::glam::{Quat, Vec3};
use windfall_core::{Body, Plant, Pose};
use windfall_io::PoseList;

/// A swaying tree: each joint oscillates about its own axis, wood with small and leaves with large
/// amplitude, once or several times in `period` seconds.
pub fn pose(plant: &Plant, time: f64, period: f64) -> Pose {
    let rest = Pose::rest(plant);
    let mut pose = rest.clone();
    for id in plant.body_ids() {
        let i = id.0 as usize;
        let (size, cycles) = match plant.body(id) {
            Some(Body::Wood(_)) => (0.015, 1 + i % 3),
            Some(Body::Leaf(_)) => (0.3, 2 + i % 4),
            _ => (0.1, 2),
        };
        let phase = (std::f64::consts::TAU * cycles as f64 * time / period + i as f64).sin() as f32;
        let axis = Vec3::new((i as f32).sin(), 0.3, (i as f32 * 1.7).cos()).normalize();
        let turn = Quat::from_axis_angle(axis, size * phase);
        let Some(parent) = plant.parent(id) else {
            pose.orientations[i] = turn * rest.orientations[i];
            continue;
        };
        let p = parent.0 as usize;
        let moved = (pose.orientations[p] * rest.orientations[p].conjugate()).normalize();
        pose.positions[i] = pose.positions[p] + moved * (rest.positions[i] - rest.positions[p]);
        pose.orientations[i] = (moved * turn * rest.orientations[i]).normalize();
    }
    pose
}

/// The same as frames.
pub fn frames(plant: &Plant, period: f64, rate: f64, count: usize) -> PoseList {
    let poses = (0..count).map(|i| pose(plant, i as f64 / rate, period)).collect();
    PoseList { poses, frames_per_second: rate }
}

/// The n-th leaf and the first fruit fall from a given time; a branch breaks off, too.
pub fn let_go(plant: &Plant, list: &mut PoseList, from: f64) -> Vec<usize> {
    let branch = plant.branches().iter().rposition(|b| b.parent.is_some()).unwrap();
    let piece = plant.branch_segments(branch).start;
    let mut fallen = vec![plant.leaf_id(3).0 as usize];
    if !plant.fruit().is_empty() {
        fallen.push(plant.fruit_id(0).0 as usize);
    }
    let on_piece: Vec<usize> = plant
        .body_ids()
        .filter(|&id| {
            let mut up = Some(id);
            while let Some(body) = up {
                if body.0 as usize == piece {
                    return true;
                }
                up = plant.parent(body);
            }
            false
        })
        .map(|id| id.0 as usize)
        .collect();
    for (frame, pose) in list.poses.iter_mut().enumerate() {
        let since = (frame as f64 / list.frames_per_second - from).max(0.0) as f32;
        for &body in &fallen {
            pose.positions[body] -= Vec3::Y * (0.4 * since);
            pose.orientations[body] = (Quat::from_rotation_x(5.0 * since) * pose.orientations[body]).normalize();
        }
        for &body in on_piece.iter().filter(|body| !fallen.contains(body)) {
            pose.positions[body] += Vec3::new(0.1, -0.3, 0.0) * since;
        }
    }
    fallen.push(piece);
    fallen
}
