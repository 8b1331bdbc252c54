//! Trees, bent trees, and welded surfaces.

#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::HashMap;

use windfall_core::glam::{Quat, Vec3};
use windfall_core::{BodyId, Plant, Pose};
use windfall_grow::{GrowOptions, Species, grow};
use windfall_skin::{Bark, BarkOptions, WoodTexture, bark, members};

pub const SPECIES: [&str; 9] = ["apple", "aspen", "cherry", "maple", "oak", "palm", "pine", "spruce", "willow"];

pub fn tree(species: &str, bodies: usize, seed: u64) -> Plant {
    grow(&Species::named(species).unwrap(), &GrowOptions { bodies: Some(bodies), seed }).unwrap()
}

pub fn options(plant: &Plant, tolerance: f32) -> BarkOptions {
    let texture = WoodTexture { bark_tile: 0.5, twig_tile: 0.05, twig_radius: 0.01 };
    BarkOptions { tolerance, thinnest: 0.0, wood: vec![texture; plant.parts().wood_materials.len()] }
}

pub fn bark_of(plant: &Plant) -> Bark {
    bark(plant, &members(plant)[0].branches, &options(plant, 0.001))
}

/// Every joint turned by this angle about an axis across the body, a different axis for each body.
pub fn bent(plant: &Plant, angle: f32) -> Pose {
    let rest = Pose::rest(plant);
    let mut pose = rest.clone();
    for i in 0..rest.len() {
        let around = i as f32 * 2.399963;
        let turn = Quat::from_axis_angle(Vec3::new(around.cos(), 0.0, around.sin()), angle);
        if let Some(BodyId(p)) = plant.parent(BodyId(i as u32)) {
            let p = p as usize;
            let carried = pose.orientations[p] * rest.orientations[p].conjugate();
            pose.positions[i] = pose.positions[p] + carried * (rest.positions[i] - rest.positions[p]);
            pose.orientations[i] = (carried * rest.orientations[i] * turn).normalize();
        } else {
            pose.orientations[i] = (rest.orientations[i] * turn).normalize();
        }
    }
    pose
}

/// All parts of a surface with coincident vertices merged.
pub struct Welded {
    pub triangles: Vec<[u32; 3]>,
    pub points: usize,
}

impl Welded {
    /// `parts`: positions and triangles of each part.
    pub fn new<'a>(parts: impl IntoIterator<Item = (&'a [Vec3], &'a [[u32; 3]])>) -> Self {
        let mut ids: HashMap<[u32; 3], u32> = HashMap::new();
        let mut triangles = Vec::new();
        for (positions, own) in parts {
            let mut id = |i: u32| {
                let key = positions[i as usize].to_array().map(f32::to_bits);
                let next = ids.len() as u32;
                *ids.entry(key).or_insert(next)
            };
            triangles.extend(own.iter().map(|t| t.map(&mut id)));
        }
        Self { triangles, points: ids.len() }
    }

    pub fn of(bark: &Bark) -> Self {
        Self::new(bark.parts.iter().map(|p| (&*p.mesh.positions, &*p.mesh.triangles)))
    }

    /// Edges that are not shared by exactly two triangles with opposite directions along them.
    pub fn open_edges(&self) -> usize {
        let mut edges: HashMap<(u32, u32), i32> = HashMap::new();
        for t in &self.triangles {
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                // One edge in each direction: the two cancel. Two in the same direction do not.
                if a != b {
                    *edges.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
                }
            }
        }
        edges.values().filter(|&&n| n != 0).count()
    }

    /// Number of pieces without a common point.
    pub fn pieces(&self) -> usize {
        let mut above: Vec<u32> = (0..self.points as u32).collect();
        for t in &self.triangles {
            for (a, b) in [(t[0], t[1]), (t[1], t[2])] {
                let (a, b) = (root(&mut above, a), root(&mut above, b));
                above[a as usize] = b;
            }
        }
        (0..self.points as u32).filter(|&i| root(&mut above, i) == i).count()
    }
}

fn root(above: &mut [u32], mut i: u32) -> u32 {
    while above[i as usize] != i {
        above[i as usize] = above[above[i as usize] as usize];
        i = above[i as usize];
    }
    i
}
