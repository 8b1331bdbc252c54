//! Fruit: surfaces of revolution on stalks.

use glam::{Mat3, Quat, Vec2, Vec3};
use windfall_core::{Fruit, Plant};

use super::FoliageDetail;
use crate::look::FruitLook;
use crate::look::noise::{fold_seed, random};
use crate::look::{FRUIT_STALK_V, noise::smoothstep};
use crate::mesh::{Binding, Mesh};

/// Mesh of those of these fruit that have one material, bound to their bodies; empty if there is none.
///
/// v of the texture runs from the stalk to the other end, u around from an arbitrary start.
/// `detail.keep` does not thin fruit.
pub fn fruit_mesh(plant: &Plant, fruit: &[u32], material: u16, look: &FruitLook, detail: &FoliageDetail) -> Mesh {
    let maker = Maker::new(look, detail);
    let mut mesh = Mesh::default();
    let mut bodies = Vec::new();
    for &i in fruit {
        let (fruit, id) = (&plant.fruit()[i as usize], plant.fruit_id(i as usize));
        if fruit.material == material {
            maker.add(fruit, id.0, &mut mesh);
            bodies.resize(mesh.positions.len(), id.0);
        }
    }
    mesh.binding = Binding::Rigid(bodies);
    mesh
}

struct Maker {
    columns: usize,
    /// Radius and position along the axis (both in radii of the fruit, from its stalk), outward normal
    /// (radial and axial), fraction of the path.
    profile: Vec<(f32, f32, Vec2, f32)>,
    /// Depth of the stalk's base inside the fruit, radii.
    dimple: f32,
    stalk_sides: usize,
    shade: f32,
    seed: u32,
}

impl Maker {
    fn new(look: &FruitLook, detail: &FoliageDetail) -> Self {
        let (columns, rows, stalk_sides) = match detail.level {
            0 => (20, 14, 5),
            1 => (12, 8, 3),
            _ => (7, 5, 0),
        };
        // A sphere stretched to `length` with the same volume.
        let (long, wide) = (libm::powf(look.length, 2.0 / 3.0), libm::powf(look.length, -1.0 / 3.0));
        let at = |t: f32| {
            let (sin, cos) = libm::sincosf(std::f32::consts::PI * t);
            let hollow = look.dimple * (1.0 - smoothstep(0.0, 0.75, sin)) * if t < 0.5 { 1.0 } else { -0.35 };
            Vec2::new(wide * sin, long * (1.0 - cos) + hollow)
        };
        let profile = (0..=rows)
            .map(|row| {
                let t = row as f32 / rows as f32;
                let place = at(t);
                let along = at((t + 1e-3).min(1.0)) - at((t - 1e-3).max(0.0));
                let normal = match row {
                    0 => Vec2::NEG_Y,
                    _ if row == rows => Vec2::Y,
                    _ => Vec2::new(along.y, -along.x).normalize_or(Vec2::X),
                };
                (if row == 0 || row == rows { 0.0 } else { place.x }, place.y, normal, t)
            })
            .collect();
        Self { columns, profile, dimple: look.dimple, stalk_sides, shade: 0.18, seed: fold_seed(detail.seed) }
    }

    fn add(&self, fruit: &Fruit, body: u32, mesh: &mut Mesh) {
        let first = mesh.positions.len();
        let turn = Mat3::from_quat(Quat::normalize(fruit.orientation));
        let begin = random(body, 31, self.seed);
        for &(radius, along, normal, t) in &self.profile {
            for column in 0..=self.columns {
                let share = column as f32 / self.columns as f32;
                let (sin, cos) =
                    libm::sincosf(std::f32::consts::TAU * (column % self.columns) as f32 / self.columns as f32);
                let place = Vec3::new(radius * cos, along, radius * sin) * fruit.radius + Vec3::Y * fruit.stalk_length;
                mesh.positions.push(fruit.position + turn * place);
                mesh.normals.push((turn * Vec3::new(normal.x * cos, normal.y, normal.x * sin)).normalize_or(Vec3::Y));
                mesh.uvs.push(Vec2::new(begin + share, FRUIT_STALK_V + (1.0 - FRUIT_STALK_V) * t.clamp(0.01, 1.0)));
            }
        }
        let rows = self.profile.len();
        add_grid_triangles(first, rows, self.columns, true, &mut mesh.triangles);
        if self.stalk_sides > 0 && fruit.stalk_length > 0.0 {
            self.add_stalk(fruit, turn, mesh);
        }
        let light = 1.0 - self.shade * random(body, 32, self.seed);
        let byte = (light * 255.0) as u8;
        mesh.tints.resize(mesh.positions.len(), [byte, byte, byte, 255]);
    }

    fn add_stalk(&self, fruit: &Fruit, turn: Mat3, mesh: &mut Mesh) {
        let first = mesh.positions.len();
        for end in [0.0, fruit.stalk_length + self.dimple * fruit.radius] {
            for side in 0..=self.stalk_sides {
                let share = side as f32 / self.stalk_sides as f32;
                let (sin, cos) =
                    libm::sincosf(std::f32::consts::TAU * (side % self.stalk_sides) as f32 / self.stalk_sides as f32);
                let outward = Vec3::new(cos, 0.0, sin);
                mesh.positions.push(fruit.position + turn * (outward * fruit.stalk_radius + Vec3::Y * end));
                mesh.normals.push((turn * outward).normalize_or(Vec3::Y));
                mesh.uvs.push(Vec2::new(share, 0.5 * FRUIT_STALK_V));
            }
        }
        add_grid_triangles(first, 2, self.stalk_sides, false, &mut mesh.triangles);
    }
}

/// Triangles between rows of `columns + 1` vertices, counter-clockwise from outside. Rows at `poles` are
/// points.
fn add_grid_triangles(first: usize, rows: usize, columns: usize, poles: bool, triangles: &mut Vec<[u32; 3]>) {
    for row in 0..rows - 1 {
        for column in 0..columns {
            let a = (first + row * (columns + 1) + column) as u32;
            let (b, c) = (a + 1, a + columns as u32 + 1);
            let d = c + 1;
            if !(poles && row == rows - 2) {
                triangles.push([a, c, d]);
            }
            if !(poles && row == 0) {
                triangles.push(if poles && row == rows - 2 { [a, c, b] } else { [a, d, b] });
            }
        }
    }
}
