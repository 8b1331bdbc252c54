//! Division of a tree's surface into meshes within the joint limit of a skin.
//!
//! Bones are in tree order, and triangles are sorted by their first bone: they are added in that order
//! until the next one would exceed the limit. A vertex on the border of two meshes is duplicated. A tree
//! within the limit keeps its meshes unchanged.

use std::borrow::Cow;
use std::collections::HashMap;

use windfall_skin::bones::Bones;
use windfall_skin::{Binding, Mesh, TreeSkin};

/// Number of joints per skin supported by every engine.
pub(crate) const MOST_JOINTS: usize = 256;

/// Meshes that share a skin.
pub(crate) struct Piece<'a> {
    /// Bones of the skin.
    pub joints: Vec<u32>,
    pub parts: Vec<PiecePart<'a>>,
}

/// All triangles of one material in a piece.
pub(crate) struct PiecePart<'a> {
    pub material: usize,
    pub mesh: Cow<'a, Mesh>,
    /// Up to four indices into [`Piece::joints`] per vertex.
    pub joints: Vec<[u8; 4]>,
    /// Their weights in units of 1/65535; they sum to 65535.
    pub weights: Vec<[u16; 4]>,
}

/// Cuts the parts of a tree that `are_skinned`. Parts without triangles are omitted.
pub(crate) fn pieces<'a>(tree: &'a TreeSkin, bones: &Bones, are_skinned: impl Fn(usize) -> bool) -> Vec<Piece<'a>> {
    let parts = tree.parts.iter().enumerate().filter(|(p, part)| are_skinned(*p) && !part.mesh.triangles.is_empty());
    let parts: Vec<_> = parts.map(|(_, part)| part).collect();
    let influences: Vec<Vec<Influence>> = parts.iter().map(|part| influences(&part.mesh, bones)).collect();
    // First bone, part, triangle.
    let mut order: Vec<(u32, u32, u32)> = Vec::new();
    for (p, part) in parts.iter().enumerate() {
        for (t, triangle) in part.mesh.triangles.iter().enumerate() {
            let first = triangle.iter().flat_map(|&v| influences[p][v as usize].bones()).min().unwrap_or(0);
            order.push((first, p as u32, t as u32));
        }
    }
    order.sort_unstable();
    let mut groups: Vec<(Vec<u32>, usize)> = Vec::new();
    let mut joints: Vec<u32> = Vec::new();
    let mut needed: Vec<u32> = Vec::new();
    for (place, &(_, p, t)) in order.iter().enumerate() {
        let vertices = parts[p as usize].mesh.triangles[t as usize];
        needed.clear();
        needed.extend(vertices.iter().flat_map(|&v| influences[p as usize][v as usize].bones()));
        needed.sort_unstable();
        needed.dedup();
        needed.retain(|bone| joints.binary_search(bone).is_err());
        if joints.len() + needed.len() > MOST_JOINTS {
            groups.push((std::mem::take(&mut joints), place));
            needed.clear();
            needed.extend(vertices.iter().flat_map(|&v| influences[p as usize][v as usize].bones()));
        }
        if !needed.is_empty() {
            joints.append(&mut needed);
            joints.sort_unstable();
            joints.dedup();
        }
    }
    if !joints.is_empty() {
        groups.push((joints, order.len()));
    }
    if let [(joints, _)] = &*groups {
        let whole = parts.iter().zip(&influences).map(|(part, influences)| PiecePart {
            material: part.material,
            mesh: Cow::Borrowed(&part.mesh),
            joints: influences.iter().map(|i| i.joints(joints)).collect(),
            weights: influences.iter().map(|i| i.weights).collect(),
        });
        return vec![Piece { joints: joints.clone(), parts: whole.collect() }];
    }
    let mut begin = 0;
    groups
        .into_iter()
        .map(|(joints, end)| {
            let mut triangles = vec![Vec::new(); parts.len()];
            for &(_, p, t) in &order[begin..end] {
                triangles[p as usize].push(t);
            }
            begin = end;
            let cut = triangles.iter().enumerate().filter(|(_, list)| !list.is_empty()).map(|(p, list)| {
                let (mesh, from) = part_of(&parts[p].mesh, list);
                PiecePart {
                    material: parts[p].material,
                    mesh: Cow::Owned(mesh),
                    joints: from.iter().map(|&v| influences[p][v as usize].joints(&joints)).collect(),
                    weights: from.iter().map(|&v| influences[p][v as usize].weights).collect(),
                }
            });
            let parts = cut.collect();
            Piece { joints, parts }
        })
        .collect()
}

/// A subset of a mesh's triangles with their vertices, and the original indices of these.
fn part_of(mesh: &Mesh, triangles: &[u32]) -> (Mesh, Vec<u32>) {
    let mut places: HashMap<u32, u32> = HashMap::new();
    let mut from = Vec::new();
    let mut new = Mesh::default();
    for &t in triangles {
        new.triangles.push(mesh.triangles[t as usize].map(|v| {
            *places.entry(v).or_insert_with(|| {
                from.push(v);
                from.len() as u32 - 1
            })
        }));
    }
    new.positions = from.iter().map(|&v| mesh.positions[v as usize]).collect();
    new.normals = from.iter().map(|&v| mesh.normals[v as usize]).collect();
    new.uvs = from.iter().map(|&v| mesh.uvs[v as usize]).collect();
    new.tints = from.iter().map(|&v| mesh.tints[v as usize]).collect();
    (new, from)
}

/// Bones of a vertex; unused entries have zero weight and repeat the first bone.
#[derive(Clone, Copy)]
pub(crate) struct Influence {
    pub bones: [u32; 4],
    /// In units of 1/65535; they sum to 65535.
    pub weights: [u16; 4],
}

impl Influence {
    fn bones(&self) -> impl Iterator<Item = u32> + use<> {
        self.bones.into_iter()
    }

    /// Indices into sorted joints; 0 for zero weights, as readers expect.
    fn joints(&self, joints: &[u32]) -> [u8; 4] {
        std::array::from_fn(|i| {
            if self.weights[i] == 0 { 0 } else { joints.binary_search(&self.bones[i]).unwrap_or(0) as u8 }
        })
    }
}

/// The bones of each vertex.
pub(crate) fn influences(mesh: &Mesh, bones: &Bones) -> Vec<Influence> {
    let bone = |body: u32| bones.of_body[body as usize];
    match &mesh.binding {
        Binding::Rigid(bodies) => {
            bodies.iter().map(|&b| Influence { bones: [bone(b); 4], weights: [u16::MAX, 0, 0, 0] }).collect()
        }
        Binding::Blended { bodies, weights } => {
            let both = bodies.iter().zip(weights);
            both.map(|(bodies, weights)| blended(bodies.map(bone), *weights)).collect()
        }
    }
}

/// Weights of the same bone are added; the rounding remainder goes to the largest weight.
fn blended(bones: [u32; 4], weights: [f32; 4]) -> Influence {
    let mut sums: [(u32, f32); 4] = [(bones[0], 0.0); 4];
    let mut used = 0;
    for (bone, weight) in bones.into_iter().zip(weights).filter(|&(_, weight)| weight > 0.0) {
        if let Some(sum) = sums[..used].iter_mut().find(|sum| sum.0 == bone) {
            sum.1 += weight;
        } else {
            sums[used] = (bone, weight);
            used += 1;
        }
    }
    sums[..used].sort_by(|a, b| b.1.total_cmp(&a.1));
    let total: f32 = sums.iter().map(|sum| sum.1).sum();
    let scale = if total > 0.0 { f32::from(u16::MAX) / total } else { 0.0 };
    let mut shares = sums.map(|sum| (sum.1 * scale).round() as u16);
    let others: u16 = shares[1..].iter().sum();
    shares[0] = u16::MAX - others;
    let first = sums[0].0;
    Influence { bones: std::array::from_fn(|i| if shares[i] > 0 { sums[i].0 } else { first }), weights: shares }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_one_bone_add_up_and_all_make_one() {
        let influence = blended([3, 5, 3, 7], [0.4, 0.3, 0.2, 0.1]);
        assert_eq!(influence.bones, [3, 5, 7, 3]);
        assert_eq!(influence.weights.iter().map(|&w| u32::from(w)).sum::<u32>(), 65535);
        assert!((f32::from(influence.weights[0]) / 65535.0 - 0.6).abs() < 2e-5);
        // A body without weight does not add a bone.
        assert_eq!(blended([2, 9, 2, 2], [1.0, 0.0, 0.0, 0.0]).bones, [2; 4]);
    }
}
