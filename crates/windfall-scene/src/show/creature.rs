//! A squirrel of balls: body, head, ears and a bushy tail.

use windfall_core::glam::{DMat3, DQuat, DVec3, Vec3};
use windfall_preview::solids;
use windfall_skin::Mesh;
use windfall_stage::Creature;

use crate::run::Frame;

/// Direction of view of a creature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Heading {
    forward: DVec3,
    up: DVec3,
    last: Option<DVec3>,
}

impl Default for Heading {
    fn default() -> Self {
        Self { forward: DVec3::X, up: DVec3::Y, last: None }
    }
}

/// Share of the angle to the new direction that it turns in a frame.
const TURN: f64 = 0.35;

impl Heading {
    pub fn see(&mut self, creature: &Creature, frame: &Frame<'_>) {
        if frame.number == 0 {
            return;
        }
        let position = creature.position();
        let moved = position - self.last.unwrap_or(position);
        self.last = Some(position);
        // On wood it faces its direction of travel along the wood; in the air that of its flight.
        let wanted = match creature.sits_on() {
            Some(body) => {
                let axis = frame.solver.motion(body).orientation * DVec3::Y;
                let along = if moved.length() > 1e-4 { moved.dot(axis) } else { self.forward.dot(axis) };
                axis * if along < 0.0 { -1.0 } else { 1.0 }
            }
            None => moved.try_normalize().unwrap_or(self.forward),
        };
        self.forward = self.forward.lerp(wanted, TURN).try_normalize().unwrap_or(wanted);
        let side = self.forward.cross(DVec3::Y).try_normalize().unwrap_or(DVec3::Z);
        self.up = side.cross(self.forward);
    }

    /// Rotation of its own axes: x forward, y up.
    pub fn orientation(&self) -> DQuat {
        let side = self.forward.cross(self.up);
        DQuat::from_mat3(&DMat3::from_cols(self.forward, self.up, side))
    }
}

/// A squirrel that faces x with its centre at the origin; its feet are `radius` (m) below it.
pub(super) fn mesh(radius: f32) -> Mesh {
    let mut mesh = Mesh::default();
    let mut ball = |x: f32, y: f32, z: f32, stretch: [f32; 3]| {
        let (at, stretch) = (Vec3::new(x, y, z) * radius, Vec3::from(stretch) * radius);
        let one = solids::sphere(1.0, false);
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(one.positions.iter().map(|&p| at + p * stretch));
        mesh.normals.extend(one.normals.iter().map(|&n| (n / stretch).normalize()));
        mesh.uvs.extend_from_slice(&one.uvs);
        mesh.tints.extend_from_slice(&one.tints);
        mesh.triangles.extend(one.triangles.iter().map(|t| t.map(|v| v + first)));
    };
    ball(0.0, -0.1, 0.0, [1.5, 0.8, 0.75]);
    ball(1.5, 0.55, 0.0, [0.6, 0.5, 0.5]);
    ball(1.3, 1.05, 0.25, [0.12, 0.3, 0.1]);
    ball(1.3, 1.05, -0.25, [0.12, 0.3, 0.1]);
    for side in [-0.45, 0.45] {
        ball(0.9, -0.75, side, [0.35, 0.25, 0.18]);
        ball(-0.8, -0.75, side, [0.5, 0.25, 0.2]);
    }
    // The tail rises in an S behind it.
    for i in 0..12 {
        let s = i as f32 / 11.0;
        let (x, y) = (-1.4 - 1.3 * s + 0.5 * (s * 5.0).sin() * s, -0.2 + 2.0 * s * s);
        let thick = 0.32 + 0.38 * (std::f32::consts::PI * s).sin();
        ball(x, y, 0.0, [thick, thick, 0.8 * thick]);
    }
    mesh
}
