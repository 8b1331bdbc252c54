//! Leaves with separate nodes: each moves exactly as simulated, and engines can draw all instances of a
//! mesh at once.
//!
//! Every leaf of a skin has an individual shape (bends and tints follow from its index). Nodes share
//! meshes: from each part [`SHAPES`] leaves with the same number of vertices are selected, and the others
//! use one of these, scaled to their own width and length.

use std::collections::HashMap;

use glam::Vec3;
use windfall_core::{BodyId, Plant};
use windfall_skin::{Binding, Mesh, Skin};

use super::skeleton::Skeleton;

/// Number of shared meshes of one part, for each number of vertices.
pub const SHAPES: usize = 12;

/// The leaves with nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LeafNodes {
    /// Tree, part, and its leaves; ordered by tree and part.
    parts: Vec<(usize, usize, Vec<Stretch>)>,
    /// Whether each body has a node; empty if none has.
    has_node: Vec<bool>,
}

/// The vertices and triangles of one leaf: both are contiguous in their mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stretch {
    body: u32,
    vertices: (u32, u32),
    triangles: (u32, u32),
}

/// Shared meshes and the leaves that use them.
pub(crate) struct Shapes {
    pub meshes: Vec<Shape>,
    pub leaves: Vec<LeafNode>,
}

/// A mesh in the axes of a bone.
pub(crate) struct Shape {
    pub name: String,
    pub material: usize,
    pub mesh: Mesh,
}

/// A leaf with its shared mesh.
pub(crate) struct LeafNode {
    pub bone: u32,
    pub shape: usize,
    pub scale: Vec3,
}

impl LeafNodes {
    /// All leaves of a checked skin. Parts in which leaves share triangles, are not contiguous, or also
    /// occur in other parts are excluded: the node of a leaf must scale the whole leaf.
    pub fn of(plant: &Plant, skin: &Skin) -> Self {
        let mut nodes = Self { parts: Vec::new(), has_node: vec![false; plant.body_count()] };
        let shared = shared(plant, skin);
        let wood = plant.segments().len();
        let leaves = wood as u32..(wood + plant.leaves().len()) as u32;
        for (t, tree) in skin.trees.iter().enumerate() {
            for (p, part) in tree.parts.iter().enumerate() {
                let Some(list) = stretches(&part.mesh) else { continue };
                if list.iter().all(|s| leaves.contains(&s.body) && !shared[s.body as usize]) {
                    for leaf in &list {
                        nodes.has_node[leaf.body as usize] = true;
                    }
                    nodes.parts.push((t, p, list));
                }
            }
        }
        nodes
    }

    pub fn len(&self) -> usize {
        self.parts.iter().map(|(.., list)| list.len()).sum()
    }

    pub fn contains(&self, body: BodyId) -> bool {
        self.has_node.get(body.0 as usize) == Some(&true)
    }

    /// Whether a part of a tree consists of such leaves.
    pub fn has_part(&self, tree: usize, part: usize) -> bool {
        self.parts.binary_search_by_key(&(tree, part), |(t, p, _)| (*t, *p)).is_ok()
    }

    /// Selects shapes and assigns one to each leaf.
    pub fn shapes(&self, plant: &Plant, skin: &Skin, skeleton: &Skeleton) -> Shapes {
        let mut shapes = Shapes { meshes: Vec::new(), leaves: Vec::with_capacity(self.len()) };
        let wood = plant.segments().len();
        let size = |body: u32| {
            let leaf = &plant.leaves()[body as usize - wood];
            Vec3::new(leaf.width, leaf.length + leaf.petiole_length, leaf.length + leaf.petiole_length)
        };
        for (t, p, list) in &self.parts {
            let part = &skin.trees[*t].parts[*p];
            // Grouped by number of vertices, in order of first appearance.
            let mut kinds: Vec<Vec<Stretch>> = Vec::new();
            let mut places: HashMap<(u32, u32), usize> = HashMap::new();
            for leaf in list {
                let kind = (leaf.vertices.1 - leaf.vertices.0, leaf.triangles.1 - leaf.triangles.0);
                let place = *places.entry(kind).or_insert_with(|| {
                    kinds.push(Vec::new());
                    kinds.len() - 1
                });
                kinds[place].push(*leaf);
            }
            for kind in kinds {
                let (first, count) = (shapes.meshes.len(), kind.len().min(SHAPES));
                let models: Vec<Stretch> = (0..count).map(|i| kind[i * kind.len() / count]).collect();
                for (i, model) in models.iter().enumerate() {
                    let bone = skeleton.bones.of_body[model.body as usize] as usize;
                    shapes.meshes.push(Shape {
                        name: format!("{} {}", part.name, i + 1),
                        material: part.material,
                        mesh: in_axes_of(skeleton, bone, &part.mesh, model),
                    });
                }
                for (i, leaf) in kind.iter().enumerate() {
                    // A selected leaf uses its own mesh.
                    let own = models.iter().position(|model| model.body == leaf.body);
                    let shape = own.unwrap_or(i % count);
                    shapes.leaves.push(LeafNode {
                        bone: skeleton.bones.of_body[leaf.body as usize],
                        shape: first + shape,
                        scale: size(leaf.body) / size(models[shape].body),
                    });
                }
            }
        }
        shapes
    }
}

/// For each body, whether vertices of several parts are bound to it.
fn shared(plant: &Plant, skin: &Skin) -> Vec<bool> {
    let (mut first, mut shared) = (vec![None; plant.body_count()], vec![false; plant.body_count()]);
    for (p, part) in skin.trees.iter().flat_map(|tree| &tree.parts).enumerate() {
        let mut see = |body: u32| shared[body as usize] |= *first[body as usize].get_or_insert(p) != p;
        match &part.mesh.binding {
            Binding::Rigid(bodies) => bodies.iter().for_each(|&body| see(body)),
            Binding::Blended { bodies, weights } => {
                let both = bodies.as_flattened().iter().zip(weights.as_flattened());
                both.filter(|&(_, &weight)| weight > 0.0).for_each(|(&body, _)| see(body));
            }
        }
    }
    shared
}

/// The leaves of a mesh; `None` if it does not consist of single leaves.
fn stretches(mesh: &Mesh) -> Option<Vec<Stretch>> {
    let Binding::Rigid(bodies) = &mesh.binding else { return None };
    let runs = |owner: &mut dyn FnMut(usize) -> Option<u32>, count: usize| {
        let mut runs: Vec<(u32, (u32, u32))> = Vec::new();
        for i in 0..count {
            let body = owner(i)?;
            match runs.last_mut() {
                Some((last, range)) if *last == body => range.1 = i as u32 + 1,
                _ => runs.push((body, (i as u32, i as u32 + 1))),
            }
        }
        Some(runs)
    };
    let vertices = runs(&mut |i| Some(bodies[i]), bodies.len())?;
    let of_triangle = |i: usize| {
        let [a, b, c] = mesh.triangles[i].map(|v| bodies[v as usize]);
        (a == b && b == c).then_some(a)
    };
    let triangles = runs(&mut |i| of_triangle(i), mesh.triangles.len())?;
    let mut of_body: HashMap<u32, (u32, u32)> = HashMap::new();
    for (body, range) in &triangles {
        if of_body.insert(*body, *range).is_some() {
            return None;
        }
    }
    let mut list = Vec::with_capacity(vertices.len());
    for (body, range) in vertices {
        // Vertices without a triangle, or in two runs: not single leaves.
        let triangles = of_body.remove(&body)?;
        list.push(Stretch { body, vertices: range, triangles });
    }
    (!list.is_empty()).then_some(list)
}

fn in_axes_of(skeleton: &Skeleton, bone: usize, mesh: &Mesh, leaf: &Stretch) -> Mesh {
    let back = skeleton.binds[bone].inverse();
    let vertices = leaf.vertices.0 as usize..leaf.vertices.1 as usize;
    let turned = |n: &Vec3| (back.rotation * n.as_dvec3()).as_vec3().normalize_or(Vec3::Y);
    Mesh {
        positions: mesh.positions[vertices.clone()].iter().map(|p| back.point(p.as_dvec3()).as_vec3()).collect(),
        normals: mesh.normals[vertices.clone()].iter().map(turned).collect(),
        uvs: mesh.uvs[vertices.clone()].to_vec(),
        tints: mesh.tints[vertices].to_vec(),
        triangles: (leaf.triangles.0..leaf.triangles.1)
            .map(|t| mesh.triangles[t as usize].map(|v| v - leaf.vertices.0))
            .collect(),
        binding: Binding::default(),
    }
}
