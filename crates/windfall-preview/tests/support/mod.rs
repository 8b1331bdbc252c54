//! Test scenes: tubes for wood, cards for leaves.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::f32::consts::TAU;

use glam::{Quat, Vec2, Vec3};
use windfall_core::Plant;
use windfall_grow::{GrowOptions, Species, grow};
use windfall_skin::{Image, Material, Mesh, Skin, SkinPart, TreeSkin};

/// A grown tree with plain bark and leaf cards.
pub fn tree(species: &str, bodies: usize, seed: u64, sides: u32) -> Skin {
    let species = Species::named(species).expect("a known species");
    let plant = grow(&species, &GrowOptions { bodies: Some(bodies), seed }).expect("grows");
    skin(&plant, sides)
}

pub fn skin(plant: &Plant, sides: u32) -> Skin {
    let mut bark = Mesh::default();
    for s in plant.segments() {
        add_tube(&mut bark, s.position, s.orientation, s.length, s.base_radius, s.tip_radius, sides);
    }
    let mut leaves = Mesh::default();
    for (i, leaf) in plant.leaves().iter().enumerate() {
        let width = leaf.width / (2.0 * plant.leaf_material(leaf).fill as f32);
        let tone = (i as u32).wrapping_mul(2_654_435_761) >> 24;
        let tint = [(205 + tone / 6) as u8, (195 + tone / 5) as u8, (190 + tone / 8) as u8, 255];
        add_card(&mut leaves, leaf.position, leaf.orientation, leaf.petiole_length, leaf.length, width, tint);
    }
    let part = |name: &str, material, mesh| SkinPart { name: name.to_owned(), material, mesh };
    Skin {
        trees: vec![TreeSkin { parts: vec![part("bark", 0, bark), part("leaves", 1, leaves)], ..TreeSkin::default() }],
        materials: vec![bark_material(), leaf_material()],
    }
}

/// A tapering tube along the +y of its frame, open at both ends.
pub fn add_tube(mesh: &mut Mesh, base: Vec3, turn: Quat, length: f32, r0: f32, r1: f32, sides: u32) {
    let first = mesh.positions.len() as u32;
    for (y, r) in [(0.0, r0), (length, r1)] {
        for i in 0..=sides {
            let t = i as f32 / sides as f32;
            let (s, c) = (t * TAU).sin_cos();
            mesh.positions.push(base + turn * Vec3::new(c * r, y, s * r));
            mesh.normals.push(turn * Vec3::new(c, (r0 - r1) / length, s).normalize());
            mesh.uvs.push(Vec2::new(t * (r0 * 12.0).ceil(), -y * 2.0));
            mesh.tints.push([255; 4]);
        }
    }
    for i in 0..sides {
        let (a, b) = (first + i, first + sides + 1 + i);
        mesh.triangles.extend([[a, b, a + 1], [a + 1, b, b + 1]]);
    }
}

/// A card in the plane of a leaf.
pub fn add_card(mesh: &mut Mesh, base: Vec3, turn: Quat, start: f32, length: f32, width: f32, tint: [u8; 4]) {
    let first = mesh.positions.len() as u32;
    for (x, y, u, v) in [(-0.5, 0.0, 0.0, 1.0), (0.5, 0.0, 1.0, 1.0), (0.5, 1.0, 1.0, 0.0), (-0.5, 1.0, 0.0, 0.0)] {
        mesh.positions.push(base + turn * Vec3::new(x * width, start + y * length, 0.0));
        mesh.normals.push(turn * Vec3::Z);
        mesh.uvs.push(Vec2::new(u, v));
        mesh.tints.push(tint);
    }
    mesh.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
}

/// A rectangle around `center` with these half axes; its normal is `u x v`.
pub fn plate(center: Vec3, u: Vec3, v: Vec3) -> Mesh {
    Mesh {
        positions: vec![center - u - v, center + u - v, center + u + v, center - u + v],
        normals: vec![u.cross(v).normalize(); 4],
        uvs: vec![Vec2::new(0.0, 1.0), Vec2::new(1.0, 1.0), Vec2::new(1.0, 0.0), Vec2::new(0.0, 0.0)],
        tints: vec![[255; 4]; 4],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..Mesh::default()
    }
}

/// A ball of rings and meridians.
pub fn ball(center: Vec3, radius: f32, n: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for j in 0..=n {
        let (st, ct) = (j as f32 / n as f32 * 0.5 * TAU).sin_cos();
        for i in 0..=2 * n {
            let (sp, cp) = (i as f32 / (2 * n) as f32 * TAU).sin_cos();
            let d = Vec3::new(st * sp, ct, st * cp);
            mesh.positions.push(center + d * radius);
            mesh.normals.push(d);
        }
    }
    for j in 0..n {
        for i in 0..2 * n {
            let (a, b) = (j * (2 * n + 1) + i, (j + 1) * (2 * n + 1) + i);
            mesh.triangles.extend([[a, b, a + 1], [a + 1, b, b + 1]]);
        }
    }
    mesh
}

pub fn image(width: u32, height: u32, pixel: impl Fn(f32, f32) -> [u8; 4]) -> Image {
    let at = |i: u32| pixel(((i % width) as f32 + 0.5) / width as f32, ((i / width) as f32 + 0.5) / height as f32);
    Image { width, height, pixels: (0..width * height).map(at).collect() }
}

fn bark_material() -> Material {
    let noise = |u: f32, v: f32| {
        let ridge = (u * TAU * 9.0 + 2.0 * (v * TAU * 3.0).sin()).sin() * 0.5 + 0.5;
        let crack = (v * TAU * 7.0 + 3.0 * (u * TAU * 2.0).sin()).sin() * 0.5 + 0.5;
        0.65 + 0.3 * ridge - 0.15 * crack * ridge
    };
    let color = image(256, 256, |u, v| {
        let n = noise(u, v);
        [(118.0 * n) as u8, (105.0 * n) as u8, (92.0 * n) as u8, 255]
    });
    let normal = image(256, 256, |u, v| {
        let e = 1.0 / 256.0;
        let (dx, dy) = (noise(u + e, v) - noise(u - e, v), noise(u, v + e) - noise(u, v - e));
        let n = Vec3::new(-dx * 4.0, dy * 4.0, 1.0).normalize() * 127.5 + 127.5;
        [n.x as u8, n.y as u8, n.z as u8, 255]
    });
    Material {
        name: "bark".into(),
        base_color: Some(color),
        normal: Some(normal),
        roughness_factor: 0.9,
        ..Material::default()
    }
}

fn leaf_material() -> Material {
    // A blade with a few lobes.
    let alpha = |u: f32, v: f32| {
        let t = 1.0 - v;
        let outline = (t.powf(0.8) * 0.5 * TAU).sin().max(0.0).powf(0.7) * (0.82 + 0.18 * (t * TAU * 4.0).cos());
        if (2.0 * u - 1.0).abs() < outline { 255 } else { 0 }
    };
    let vein = |u: f32, v: f32| {
        let across = (2.0 * u - 1.0).abs();
        let side = ((v - across * 0.35) * TAU * 8.0).sin().abs();
        if across < 0.04 || side < 0.10 { 1.0 } else { 0.0 }
    };
    let color = image(128, 128, |u, v| {
        let k = vein(u, v);
        [(80.0 + 30.0 * k) as u8, (112.0 + 22.0 * k) as u8, (42.0 + 22.0 * k) as u8, alpha(u, v)]
    });
    let translucency = image(128, 128, |u, v| {
        let k = 1.0 - 0.3 * vein(u, v);
        [(112.0 * k) as u8, (148.0 * k) as u8, (34.0 * k) as u8, 255]
    });
    Material {
        name: "leaf".into(),
        base_color: Some(color),
        translucency: Some(translucency),
        roughness_factor: 0.55,
        alpha_cutoff: Some(0.5),
        double_sided: true,
        ..Material::default()
    }
}
