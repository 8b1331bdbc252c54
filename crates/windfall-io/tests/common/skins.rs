//! Small plants and skins made by hand, for the tests of writers and for `examples/export_check.rs`.

#![allow(dead_code, reason = "every test file uses its own part of this")]

use std::f32::consts::TAU;

use windfall_core::glam::{DVec3, Quat, Vec2, Vec3};
use windfall_core::parts::{Branch, PlantParts, Segment, Tree};
use windfall_core::{Plant, materials};
use windfall_skin::{Binding, Image, Material, Mesh, Skin, SkinPart, TreeSkin};

/// A name with characters that are problematic in file formats.
pub const HARD_NAME: &str = "Ölbaum \"7\" # x\n\\tab\t\u{1F333} -bm 2";

/// A plant whose trees are one segment each.
pub fn plant(trees: &[(&str, DVec3)]) -> Plant {
    let segment =
        Segment { position: Vec3::ZERO, orientation: Quat::IDENTITY, length: 1.0, base_radius: 0.1, tip_radius: 0.05 };
    Plant::new(PlantParts {
        name: "by hand".into(),
        provenance: "test".into(),
        trees: trees.iter().map(|&(name, origin)| Tree { name: name.into(), origin }).collect(),
        branches: (0..trees.len() as u32)
            .map(|tree| Branch { parent: None, tree, segment_count: 1, material: 0, order: 0 })
            .collect(),
        segments: vec![segment; trees.len()],
        wood_materials: vec![materials::wood("aspen").unwrap().clone()],
        ..PlantParts::default()
    })
    .unwrap()
}

/// A tube along y with a seam; its texture repeats twice around and once per metre of height.
pub fn tube(radius: f32, height: f32, sides: u32, rings: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for ring in 0..=rings {
        for side in 0..=sides {
            let (turn, up) = (side as f32 / sides as f32, ring as f32 / rings as f32);
            let (sin, cos) = (turn * TAU).sin_cos();
            mesh.positions.push(Vec3::new(radius * cos, height * up, -radius * sin));
            mesh.normals.push(Vec3::new(cos, 0.0, -sin));
            mesh.uvs.push(Vec2::new(2.0 * turn, -height * up));
            mesh.tints.push([255; 4]);
        }
    }
    for ring in 0..rings {
        for side in 0..sides {
            let a = ring * (sides + 1) + side;
            let b = a + sides + 1;
            mesh.triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
    mesh.binding = Binding::Rigid(vec![0; mesh.positions.len()]);
    mesh
}

/// Square cards of 8 cm on a spiral, each with its own tint.
pub fn cards(count: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for i in 0..count {
        let turn = Quat::from_rotation_y(i as f32 * 2.4) * Quat::from_rotation_x(-0.9);
        let centre = Vec3::Y * (1.0 + 0.01 * i as f32) + turn * Vec3::Y * 0.4;
        for (u, v) in [(0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)] {
            mesh.positions.push(centre + turn * Vec3::new(0.08 * (u - 0.5), 0.08 * (0.5 - v), 0.0));
            mesh.normals.push(turn * Vec3::Z);
            mesh.uvs.push(Vec2::new(u, v));
            mesh.tints.push([255 - (i % 50) as u8, 255, 200, 255]);
        }
        mesh.triangles.extend([[4 * i, 4 * i + 1, 4 * i + 2], [4 * i, 4 * i + 2, 4 * i + 3]]);
    }
    mesh.binding = Binding::Rigid(vec![0; mesh.positions.len()]);
    mesh
}

pub fn image(width: u32, height: u32, pixel: impl Fn(f32, f32) -> [u8; 4]) -> Image {
    let place = |i: u32, n: u32| (i as f32 + 0.5) / n as f32;
    let pixels = (0..width * height).map(|i| pixel(place(i % width, width), place(i / width, height))).collect();
    Image { width, height, pixels }
}

/// Bark with colour, normals and roughness; a leaf with all images, with an alpha mask; a plain red fruit.
pub fn materials() -> Vec<Material> {
    let ridge = |u: f32| (u * TAU * 4.0).sin();
    let in_leaf = |u: f32, v: f32| (u - 0.5).abs() < 0.45 * (v * TAU / 2.0).sin();
    let bark = Material {
        name: "bark".into(),
        base_color: Some(image(32, 64, |u, _| [100 + (20.0 * ridge(u)) as u8, 80, 60, 255])),
        normal: Some(image(32, 64, |u, _| [(127.5 + 60.0 * ridge(u)) as u8, 128, 230, 255])),
        roughness: Some(image(32, 64, |_, v| [0, 180 + (60.0 * v) as u8, 0, 255])),
        ..Material::default()
    };
    let leaf = Material {
        name: "leaf".into(),
        base_color: Some(image(64, 64, |u, v| [60, 120 + (50.0 * v) as u8, 40, if in_leaf(u, v) { 255 } else { 0 }])),
        normal: Some(image(16, 16, |_, _| [128, 128, 255, 255])),
        roughness: Some(image(16, 16, |_, _| [0, 120, 0, 255])),
        translucency: Some(image(64, 64, |u, v| if in_leaf(u, v) { [90, 130, 20, 255] } else { [0, 0, 0, 255] })),
        base_color_factor: [0.9, 1.0, 0.9],
        roughness_factor: 0.8,
        alpha_cutoff: Some(0.5),
        double_sided: true,
    };
    let fruit = Material {
        name: "fruit".into(),
        base_color_factor: [0.6, 0.05, 0.02],
        roughness_factor: 0.35,
        ..Material::default()
    };
    vec![bark, leaf, fruit]
}

pub fn part(name: &str, material: usize, mesh: Mesh) -> SkinPart {
    SkinPart { name: name.into(), material, mesh }
}

/// Two trees a kilometre apart, the second with a difficult name and more vertices than u16 can count.
pub fn two_trees() -> (Plant, Skin) {
    let plant = plant(&[("first", DVec3::new(10.0, 0.0, -5.0)), (HARD_NAME, DVec3::new(1010.123456789, 3.5, -5.0))]);
    let first = TreeSkin {
        parts: vec![
            part("bark", 0, tube(0.1, 2.0, 12, 8)),
            part("leaves", 1, cards(101)),
            part("nothing", 2, Mesh::default()),
            part("fruit", 2, tube(0.03, 0.05, 8, 1)),
        ],
        ..TreeSkin::default()
    };
    let mut second = TreeSkin {
        parts: vec![part("bark", 0, tube(0.3, 9.0, 64, 1200)), part("leaves", 1, cards(7))],
        ..TreeSkin::default()
    };
    for part in &mut second.parts {
        part.mesh.binding = Binding::Rigid(vec![1; part.mesh.positions.len()]);
    }
    (plant, Skin { trees: vec![first, second], materials: materials() })
}
