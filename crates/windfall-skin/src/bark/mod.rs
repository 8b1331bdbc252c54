//! Bark: one connected surface per tree.
//!
//! Consecutive branches become one tube (`stem.rs`, `curve.rs`). A tube is a grid of rings and columns,
//! finer where the wood is thick (`sides.rs`, `tube.rs`). A side branch (`junction.rs`) takes a
//! rectangle of cells out of its parent's grid (`holes.rs`). A band of triangles leads from the edge of
//! that hole to the branch's foot, an ellipse on the parent's surface, and a collar from the foot to the
//! branch's first ring (`emit.rs`). Both sides of a foot, and of the seam of the texture, have the same
//! positions and weights to the bit, so that no gap opens in any pose of the tree.
//!
//! Weights: a body has weight 1 at the middle of its segment and 1/2 at its joints; a collar blends from
//! the parent's weights to the child's.

mod curve;
mod emit;
mod holes;
mod junction;
mod sides;
mod stem;
mod tube;
mod vertex;

use std::collections::BTreeSet;

use rayon::prelude::*;
use windfall_core::Plant;

use self::curve::Curve;
use self::emit::{Base, emit};
use self::junction::Junction;
use self::stem::{Stem, stems_of};
use self::tube::Tube;
use self::vertex::{Patch, Vertex, Weights};
use crate::mesh::{Binding, Mesh};

/// Resolution of the bark and mapping of its textures.
#[derive(Debug, Clone)]
pub struct BarkOptions {
    /// Largest distance of flat faces inside the round surface, m.
    pub tolerance: f32,
    /// Side branches with a thinner base are left out together with their subtrees, m.
    pub thinnest: f32,
    /// For each wood material of the plant.
    pub wood: Vec<WoodTexture>,
}

/// Sizes of the textures of one wood material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WoodTexture {
    /// Width of the bark texture, m.
    pub bark_tile: f32,
    /// Width of the twig texture, m.
    pub twig_tile: f32,
    /// Branches with a thinner base than this get the twig texture, m.
    pub twig_radius: f32,
}

/// The bark of one tree, in one mesh per material.
#[derive(Debug, Clone, Default)]
pub struct Bark {
    /// Non-empty meshes.
    pub parts: Vec<BarkPart>,
    /// Number of branches without room on their parent (too many at one place, or a parent too short):
    /// their bark is closed at the base and overlaps the parent.
    pub loose_branches: usize,
}

/// All bark of one material.
#[derive(Debug, Clone)]
pub struct BarkPart {
    /// Index of the wood material.
    pub material: u16,
    /// Whether this is the thin wood.
    pub twigs: bool,
    /// Its triangles.
    pub mesh: Mesh,
}

/// Stems per task: enough to keep threads busy without a thousand small lists.
const BATCH: usize = 256;

/// The bark of one tree. `branches` are all branches of the tree, in order ([`crate::members`]).
///
/// # Panics
/// If `options` does not have every wood material of the plant.
pub fn bark(plant: &Plant, branches: &[u32], options: &BarkOptions) -> Bark {
    let stems = stems_of(plant, branches, options.thinnest);
    let (curves, junctions) = lay(plant, &stems);
    let thin: Vec<bool> = stems.iter().zip(&curves).map(|(stem, curve)| is_twig(stem, curve, options)).collect();
    let children = children_of(&stems, &junctions);
    let (mut tubes, left_over): (Vec<Tube>, Vec<Vec<u32>>) = stems
        .into_par_iter()
        .zip(curves)
        .zip(children)
        .zip(&thin)
        .map(|(((stem, curve), mut children), &thin)| {
            let wood = options.wood[usize::from(stem.material)];
            let tile = if thin { wood.twig_tile } else { wood.bark_tile };
            // A side branch needs a face in its direction.
            let fewest = if children.is_empty() { 3 } else { 4 };
            let mut tube = Tube::new(stem, curve, options.tolerance, tile, fewest);
            let left_over = tube.make_room(&mut children);
            (tube, left_over)
        })
        .unzip();
    let loose: BTreeSet<u32> = left_over.into_iter().flatten().collect();
    // Two passes: the weights of a foot depend on the foot of its parent.
    let feet = feet_of(&tubes);
    stand(&mut tubes, &feet);
    let feet = feet_of(&tubes);
    let kinds: BTreeSet<(u16, bool)> =
        tubes.iter().zip(&thin).map(|(tube, &thin)| (tube.stem.material, thin)).collect();
    let parts = kinds.into_iter().filter_map(|(material, twigs)| {
        let members: Vec<usize> =
            (0..tubes.len()).filter(|&i| tubes[i].stem.material == material && thin[i] == twigs).collect();
        let mesh = mesh_of(&tubes, &feet, &loose, &members);
        (!mesh.triangles.is_empty()).then_some(BarkPart { material, twigs, mesh })
    });
    Bark { parts: parts.collect(), loose_branches: loose.len() }
}

fn is_twig(stem: &Stem, curve: &Curve, options: &BarkOptions) -> bool {
    curve.radii()[0] < options.wood[usize::from(stem.material)].twig_radius
}

/// Centre lines with their frames, and the junction of each stem with its parent.
fn lay(plant: &Plant, stems: &[Stem]) -> (Vec<Curve>, Vec<Option<Junction>>) {
    let mut curves: Vec<Curve> = stems.par_iter().map(|stem| stem.curve(plant)).collect();
    let junction = |(stem, curve): (&Stem, &Curve)| {
        let (parent, segment) = stem.parent?;
        // The segments of a stem are in ascending order, because a branch comes after its parent.
        let piece = stems[parent as usize].segments.binary_search(&segment).unwrap_or(0);
        let parent = &curves[parent as usize];
        Some(Junction::find(parent, parent.lengths()[piece], curve))
    };
    let junctions: Vec<Option<Junction>> = stems.par_iter().zip(&curves).map(junction).collect();
    curves.par_iter_mut().zip(&junctions).for_each(|(curve, junction)| {
        if let Some(junction) = junction {
            curve.begin(junction.start, junction.side);
        }
    });
    (curves, junctions)
}

fn children_of(stems: &[Stem], junctions: &[Option<Junction>]) -> Vec<Vec<(u32, Junction)>> {
    let mut out = vec![Vec::new(); stems.len()];
    for (i, (stem, junction)) in stems.iter().zip(junctions).enumerate() {
        if let (Some((parent, _)), Some(junction)) = (stem.parent, junction) {
            out[parent as usize].push((i as u32, *junction));
        }
    }
    out
}

/// Sets the weights of the foot of every tube.
fn stand(tubes: &mut [Tube], feet: &[Vec<Vertex>]) {
    let below = |tube: &Tube| -> Vec<(u32, Weights)> {
        let feet = tube.grids.iter().flat_map(|grid| &grid.holes).map(|hole| &hole.foot);
        feet.map(|foot| (foot.child, tube.weights_below(foot))).collect()
    };
    let all: Vec<Vec<(u32, Weights)>> = tubes.par_iter().map(below).collect();
    for (child, weights) in all.into_iter().flatten() {
        tubes[child as usize].stand_on(weights, &feet[child as usize]);
    }
}

/// The foot of every stem on its parent; empty for stems without one.
fn feet_of(tubes: &[Tube]) -> Vec<Vec<Vertex>> {
    let made: Vec<Vec<(u32, Vec<Vertex>)>> = tubes
        .par_iter()
        .map(|tube| {
            let holes = tube.grids.iter().flat_map(|grid| grid.holes.iter().map(move |hole| (grid.zone.columns, hole)));
            let foot = |(columns, hole): (u32, &holes::Hole)| {
                let child = &tubes[hole.foot.child as usize];
                let axes = child.curve.axes(&child.curve.at(child.curve.start()));
                let points = tube.foot(&hole.foot, columns, child.first_columns(), |angle| axes.outward(angle));
                (hole.foot.child, points)
            };
            holes.map(foot).collect()
        })
        .collect();
    let mut out = vec![Vec::new(); tubes.len()];
    for (child, points) in made.into_iter().flatten() {
        out[child as usize] = points;
    }
    out
}

fn mesh_of(tubes: &[Tube], feet: &[Vec<Vertex>], loose: &BTreeSet<u32>, members: &[usize]) -> Mesh {
    let mut mesh = Mesh { binding: Binding::Blended { bodies: Vec::new(), weights: Vec::new() }, ..Mesh::default() };
    let batch = |stems: &[usize]| {
        let mut patch = Patch::default();
        for &i in stems {
            let base = match &*feet[i] {
                [] if loose.contains(&(i as u32)) => Base::Loose,
                [] => Base::Ground,
                foot => Base::Foot(foot),
            };
            emit(&tubes[i], &base, |child| &feet[child as usize], &mut patch);
        }
        patch
    };
    // Rounds of a few batches, so that they do not all stay in memory beside the mesh.
    for (done, round) in members.chunks(BATCH * 64).enumerate() {
        let patches: Vec<Patch> = round.par_chunks(BATCH).map(batch).collect();
        if done == 0 {
            // An estimate from the first round: growth by doubling of large lists would take twice the
            // memory.
            let share = 1.05 * members.len() as f64 / round.len() as f64;
            let count = patches.iter().fold([0, 0], |[v, t], p| [v + p.len(), t + p.triangles.len()]);
            mesh.reserve_blended(count, share);
        }
        for patch in patches {
            patch.append_to(&mut mesh);
        }
    }
    mesh.shrink();
    mesh
}
