//! All cards of one leaf material on one tree.

use glam::{Mat3, Quat, Vec3};
use rayon::prelude::*;
use windfall_core::{BodyId, Leaf, Plant};

use super::FoliageDetail;
use super::card::{Bend, Grid};
use crate::look::LeafLook;
use crate::look::noise::{fold_seed, hash, random};
use crate::mesh::{Binding, Mesh};

/// Mesh of those of these leaves that have one material, as bent cards, bound to their bodies; empty if
/// there are none.
///
/// Bends, variants and tints follow from the body's number and the seed alone. A card of level 0 has 15
/// vertices and a petiole of 4 more.
pub fn leaf_mesh(plant: &Plant, leaves: &[u32], material: u16, look: &LeafLook, detail: &FoliageDetail) -> Mesh {
    let of_material = |&&i: &&u32| plant.leaves()[i as usize].material == material;
    let all: Vec<u32> = leaves.iter().filter(of_material).copied().collect();
    let keep = if detail.keep > 0.0 { f64::from(detail.keep.min(1.0)) } else { 0.0 };
    let seed = fold_seed(detail.seed);
    let kept: Vec<u32> =
        all.iter().enumerate().filter(|(n, _)| is_kept(*n as u32, keep, seed)).map(|(_, &i)| i).collect();
    let maker = Maker {
        plant,
        look,
        seed,
        growth: if keep > 0.0 { (1.0 / keep.sqrt()) as f32 } else { 1.0 },
        fill: plant.parts().leaf_materials.get(usize::from(material)).map_or(1.0, |m| m.fill as f32),
        centre: centre(plant, &all),
    };
    // Leaves with and without a petiole have different numbers of vertices: each group has its own range
    // of the lists.
    let (with, without): (Vec<u32>, Vec<u32>) =
        kept.into_iter().partition(|&i| plant.leaves()[i as usize].petiole_length > 0.0);
    let groups =
        [(Grid::new(look.kind, detail.level, true), with), (Grid::new(look.kind, detail.level, false), without)];
    let vertices = groups.iter().map(|(grid, leaves)| grid.vertices() * leaves.len()).sum();
    let triangles = groups.iter().map(|(grid, leaves)| grid.triangles() * leaves.len()).sum();
    let mut lists = Lists {
        positions: vec![Vec3::ZERO; vertices],
        normals: vec![Vec3::Z; vertices],
        uvs: vec![glam::Vec2::ZERO; vertices],
        tints: vec![[255; 4]; vertices],
        bodies: vec![0; vertices],
        triangles: vec![[0; 3]; triangles],
    };
    let (mut first_vertex, mut first_triangle) = (0, 0);
    for (grid, leaves) in &groups {
        maker.write(*grid, leaves, &mut lists, first_vertex, first_triangle);
        first_vertex += grid.vertices() * leaves.len();
        first_triangle += grid.triangles() * leaves.len();
    }
    Mesh {
        positions: lists.positions,
        normals: lists.normals,
        uvs: lists.uvs,
        tints: lists.tints,
        triangles: lists.triangles,
        binding: Binding::Rigid(lists.bodies),
    }
}

/// Whether the n-th leaf is among the kept part. Numbers with their bits reversed fill the interval
/// evenly (van der Corput), and neighbours in the list are neighbours on a shoot, so the thinning is
/// even.
fn is_kept(n: u32, keep: f64, seed: u32) -> bool {
    f64::from(n.reverse_bits() ^ hash(0, 77, seed)) < keep * 4_294_967_296.0
}

/// Mean position of these leaves, m.
fn centre(plant: &Plant, leaves: &[u32]) -> Vec3 {
    let sum: glam::DVec3 = leaves.iter().map(|&i| plant.leaves()[i as usize].position.as_dvec3()).sum();
    (sum / leaves.len().max(1) as f64).as_vec3()
}

struct Lists {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    uvs: Vec<glam::Vec2>,
    tints: Vec<[u8; 4]>,
    bodies: Vec<u32>,
    triangles: Vec<[u32; 3]>,
}

struct Maker<'a> {
    plant: &'a Plant,
    look: &'a LeafLook,
    seed: u32,
    /// Scale factor of width and length.
    growth: f32,
    fill: f32,
    centre: Vec3,
}

impl Maker<'_> {
    fn write(&self, grid: Grid, leaves: &[u32], lists: &mut Lists, first_vertex: usize, first_triangle: usize) {
        let (v, t) = (grid.vertices(), grid.triangles());
        let rest = first_vertex..first_vertex + v * leaves.len();
        let positions = lists.positions[rest.clone()].par_chunks_exact_mut(v);
        let normals = lists.normals[rest.clone()].par_chunks_exact_mut(v);
        let uvs = lists.uvs[rest.clone()].par_chunks_exact_mut(v);
        let tints = lists.tints[rest.clone()].par_chunks_exact_mut(v);
        let bodies = lists.bodies[rest].par_chunks_exact_mut(v);
        let triangles = lists.triangles[first_triangle..first_triangle + t * leaves.len()].par_chunks_exact_mut(t);
        (leaves.par_iter().enumerate(), positions, normals, uvs, tints, bodies, triangles).into_par_iter().for_each(
            |((n, &i), positions, normals, uvs, tints, bodies, triangles)| {
                let leaf = &self.plant.leaves()[i as usize];
                let body = self.plant.leaf_id(i as usize).0;
                let width = leaf.width / (2.0 * self.fill);
                let bend = Bend::new(self.look, leaf, width, self.growth, body, self.seed);
                let turn = Mat3::from_quat(Quat::normalize(leaf.orientation));
                let puff = self.look.card.puff;
                let mut k = 0;
                bend.write(grid, leaf, |vertex| {
                    let place = leaf.position + turn * vertex.position;
                    let outward = (place - self.centre).normalize_or_zero();
                    positions[k] = place;
                    normals[k] = (turn * vertex.normal * (1.0 - puff) + outward * puff).normalize_or(Vec3::Y);
                    uvs[k] = vertex.uv;
                    k += 1;
                });
                tints.fill(self.tint(body, leaf));
                bodies.fill(body);
                grid.write_triangles((first_vertex + n * v) as u32, triangles);
            },
        );
    }

    /// A tint darker, yellower or bluer than the texture, which has the colour of the lightest leaf. A
    /// part of it is common to the leaves of a piece of shoot (same age) and of a clump (same light), so
    /// that a crown is not one even surface.
    fn tint(&self, body: u32, leaf: &Leaf) -> [u8; 4] {
        let chance = |channel| {
            let own = 0.45 * random(body, channel, self.seed) + 0.2 * random(leaf.parent, channel + 8, self.seed);
            let mean = own + 0.35 * clump(leaf.position / CLUMP, hash(channel, 30, self.seed));
            // A mean of three is concentrated around the middle: spread it again.
            (0.5 + 1.7 * (mean - 0.5)).clamp(0.0, 1.0)
        };
        let card = &self.look.card;
        let old = card.young * (1.0 - self.youth(leaf.parent));
        let light = (1.0 - card.shade * chance(20)) * (1.0 - 0.3 * old);
        let hue = card.hue * (2.0 * chance(21) - 1.0);
        let (yellow, blue) = (hue.max(0.0), (-hue).max(0.0));
        let rgb = [(1.0 - 0.4 * blue) * (1.0 - 0.3 * old), 1.0 - 0.18 * yellow, 1.0 - 0.6 * yellow];
        let byte = |c: f32| ((light * c).clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
        [byte(rgb[0]), byte(rgb[1]), byte(rgb[2]), 255]
    }

    /// 1 on the last piece of a branch, 0 two pieces before.
    fn youth(&self, segment: u32) -> f32 {
        let branch = self.plant.branch_segments(self.plant.branch_index(BodyId(segment)));
        let left = branch.end.saturating_sub(segment as usize + 1);
        (1.0 - 0.5 * left as f32).max(0.0)
    }
}

/// Size of a region of equal light and colour, m.
const CLUMP: f32 = 0.7;

/// Smooth noise in space, 0 to 1, with one random value at each integer point.
fn clump(p: Vec3, seed: u32) -> f32 {
    let low = p.floor();
    let t = p - low;
    let t = t * t * (3.0 - 2.0 * t);
    let cell = low.as_ivec3();
    let mut sum = 0.0;
    for corner in 0..8 {
        let pick = |axis: i32| corner >> axis & 1;
        let place = cell + glam::IVec3::new(pick(0), pick(1), pick(2));
        let part = |axis: usize| if pick(axis as i32) == 1 { t[axis] } else { 1.0 - t[axis] };
        let value = random(hash(place.x as u32, place.y as u32, seed), place.z as u32, seed);
        sum += part(0) * part(1) * part(2) * value;
    }
    sum
}
