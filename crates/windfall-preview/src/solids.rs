//! Meshes of simple solids: projectiles and obstacles.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};
use windfall_skin::Mesh;

/// Quads around a round solid, and from pole to pole.
const AROUND: u32 = 48;
const DOWN: u32 = 24;
/// Stripes around a round solid, which make rotation visible.
const STRIPES: u32 = 6;
/// Brightness factor of a dark stripe, of 255.
const DARK: u8 = 96;

/// A sphere about the origin, optionally with stripes that show its rotation; `radius` in metres.
pub fn sphere(radius: f32, striped: bool) -> Mesh {
    capsule(0.0, radius, striped)
}

/// A cylinder along y with a hemisphere at either end, about the origin; `half_length` (of the cylinder)
/// and `radius` in metres.
pub fn capsule(half_length: f32, radius: f32, striped: bool) -> Mesh {
    let mut mesh = Mesh::default();
    let rows = DOWN + 1;
    let at = |column: u32, row: u32| {
        // The middle row occurs twice: at the lower end of the upper half and at the upper end of the
        // lower half.
        let (angle, lift) = if row <= DOWN / 2 {
            (PI * row as f32 / DOWN as f32, half_length)
        } else {
            (PI * (row - 1) as f32 / DOWN as f32, -half_length)
        };
        let around = TAU * column as f32 / AROUND as f32;
        let normal = Vec3::new(angle.sin() * around.sin(), angle.cos(), angle.sin() * around.cos());
        (normal * radius + Vec3::Y * lift, normal)
    };
    for row in 0..rows {
        for column in 0..AROUND {
            let dark = striped && (column * STRIPES / AROUND) % 2 == 1;
            let shade = if dark { DARK } else { 255 };
            let corners = [(column, row), (column, row + 1), (column + 1, row + 1), (column + 1, row)];
            quad(&mut mesh, corners.map(|(c, r)| at(c, r)), [shade, shade, shade, 255]);
        }
    }
    mesh
}

/// A box about the origin; `half` of its edges in metres.
pub fn cuboid(half: Vec3) -> Mesh {
    let mut mesh = Mesh::default();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let mut normal = Vec3::ZERO;
            normal[axis] = side;
            let (mut u, mut v) = (Vec3::ZERO, Vec3::ZERO);
            u[(axis + 1) % 3] = 1.0;
            v[(axis + 2) % 3] = side;
            let corner = |a: f32, b: f32| ((normal + u * a + v * b) * half, normal);
            quad(&mut mesh, [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], [255; 4]);
        }
    }
    mesh
}

/// A square about the origin perpendicular to y, facing up; `half` of its edge in metres.
pub fn plane(half: f32) -> Mesh {
    let mut mesh = Mesh::default();
    let corner = |x: f32, z: f32| (Vec3::new(x * half, 0.0, z * half), Vec3::Y);
    quad(&mut mesh, [corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)], [255; 4]);
    mesh
}

/// Four corners with normals, counter-clockwise seen from outside.
fn quad(mesh: &mut Mesh, corners: [(Vec3, Vec3); 4], tint: [u8; 4]) {
    let first = mesh.positions.len() as u32;
    for (position, normal) in corners {
        mesh.positions.push(position);
        mesh.normals.push(normal);
        mesh.uvs.push(Vec2::ZERO);
        mesh.tints.push(tint);
    }
    mesh.triangles.push([first, first + 1, first + 2]);
    mesh.triangles.push([first, first + 2, first + 3]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume by the divergence theorem: positive if triangles are counter-clockwise from outside.
    fn volume(mesh: &Mesh) -> f32 {
        let corner = |i: u32| mesh.positions[i as usize];
        mesh.triangles.iter().map(|&[a, b, c]| corner(a).cross(corner(b)).dot(corner(c)) / 6.0).sum()
    }

    #[test]
    fn solids_are_closed_and_have_their_volume() {
        let ball = 4.0 / 3.0 * PI * 0.027;
        for (mesh, exact) in [
            (sphere(0.3, true), ball),
            (capsule(0.5, 0.3, false), ball + PI * 0.09),
            (cuboid(Vec3::new(1.0, 2.0, 0.5)), 8.0),
        ] {
            let got = volume(&mesh);
            assert!((got / exact - 1.0).abs() < 0.01, "{got} {exact}");
            for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
                assert!((normal.length() - 1.0).abs() < 1e-5 && position.dot(*normal) > 0.0, "outward");
            }
        }
    }
}
