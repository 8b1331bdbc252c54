//! Mesh data of each joint: bark samples and leaf area.
//!
//! Every mesh is cut into loose parts, and each part is wood or foliage (`kinds.rs`). Vertex positions are
//! those of the skinned mesh in the pose of the file, in units of the file, y up.

use std::rc::Rc;

use glam::{DAffine3, DMat3, DVec3, Vec3};

use crate::document::schema::{Primitive, Schema};
use crate::document::{Document, MOST_ITEMS, Numbers, Wanted};
use crate::eigen::outer;
use crate::error::RigError;
use crate::graph::Graph;
use crate::kinds::{Kind, Looks, Parts};
use crate::lods::again;
use crate::shells::{Bark, Facet, NOBODY, add_shells};
use crate::vertices::{Vertices, Wood, heaviest, triangles};

/// A vertex of bark on a joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub at: Vec3,
    /// Pointing out of the wood; zero without a triangle.
    pub normal: Vec3,
    pub weight: f32,
}

/// Leaves on a joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaves {
    /// One-sided area, without transparent parts.
    pub area: f64,
    /// Area times position.
    pub moment: DVec3,
    /// Sum of area times `n n^T`, n the normal.
    pub normals: DMat3,
}

impl Leaves {
    pub const NONE: Self = Self { area: 0.0, moment: DVec3::ZERO, normals: DMat3::ZERO };

    pub fn add(&mut self, other: &Self) {
        self.area += other.area;
        self.moment += other.moment;
        self.normals += other.normals;
    }
}

/// Mesh data of all joints.
pub(crate) struct Surface {
    /// Sum of the weights of each joint.
    pub weights: Vec<f64>,
    pub bark: Vec<Vec<Sample>>,
    /// Volumes enclosed by the bark of each joint.
    pub shells: Vec<Bark>,
    /// Volumes of the spheres attached to each joint.
    pub fruit: Vec<Bark>,
    /// The triangles of the bark, and which are near each joint.
    pub wood: Wood,
    pub leaves: Vec<Leaves>,
    /// Minimum of all moving vertices.
    pub low: DVec3,
    pub high: DVec3,
    pub leaf_parts: usize,
    pub wood_parts: usize,
    /// Number of nodes with duplicate meshes of a tree.
    pub again: usize,
    /// Meshes that look like foliage and have no joint.
    pub still: Vec<String>,
}

/// Minimum weight of a sample.
const LEAST: f32 = 0.2;

struct Reader<'a> {
    document: &'a Document,
    /// Transform to y up.
    upright: DAffine3,
    looks: Looks<'a>,
    surface: Surface,
    /// Vertices and triangles processed so far.
    items: usize,
}

/// For each joint of a skin: its index, and the transform from the mesh to the upright world.
type Matrices = Rc<[(u32, DAffine3)]>;

/// Reads all meshes attached to joints. `joint_of` is the joint of each node.
pub(crate) fn survey(
    document: &Document,
    graph: &Graph,
    upright: DMat3,
    joint_of: &[Option<u32>],
    joints: usize,
    leaf_materials: Option<&[String]>,
) -> Result<Surface, RigError> {
    let surface = Surface {
        weights: vec![0.0; joints],
        bark: vec![Vec::new(); joints],
        shells: vec![Bark::NONE; joints],
        fruit: vec![Bark::NONE; joints],
        wood: Wood::new(joints),
        leaves: vec![Leaves::NONE; joints],
        low: DVec3::INFINITY,
        high: DVec3::NEG_INFINITY,
        leaf_parts: 0,
        wood_parts: 0,
        again: 0,
        still: Vec::new(),
    };
    let looks = Looks { schema: &document.schema, leaf_materials };
    let upright = DAffine3::from_mat3(upright);
    let mut reader = Reader { document, upright, looks, surface, items: 0 };
    let carriers = graph.nearest_above(|node| joint_of[node].is_some());
    // Many meshes may share one skin.
    let mut skins: Vec<Option<Matrices>> = vec![None; document.schema.skins.len()];
    let again = again(&document.schema, graph);
    for (i, node) in document.schema.nodes.iter().enumerate().filter(|(i, node)| graph.shown[*i] && node.mesh.is_some())
    {
        if again[i] {
            reader.surface.again += 1;
            continue;
        }
        let matrices = match node.skin {
            Some(skin) => {
                let known = skins.get(skin).cloned().flatten();
                let matrices = known.map_or_else(|| reader.matrices(graph, joint_of, skin), Ok)?;
                skins[skin] = Some(matrices.clone());
                Some(matrices)
            }
            None => None,
        };
        let carrier = if joint_of[i].is_some() { joint_of[i] } else { carriers[i].and_then(|c| joint_of[c]) };
        let place = reader.upright * graph.worlds[i];
        let mesh = node.mesh.unwrap_or(0);
        let meshes = &document.schema.meshes;
        let mesh_of = meshes.get(mesh).ok_or_else(|| {
            RigError::broken(format!("nodes[{i}]"), format!("mesh = {mesh}, but there are {}", meshes.len()))
        })?;
        for (p, primitive) in mesh_of.primitives.iter().enumerate() {
            let item = format!("meshes[{mesh}].primitives[{p}]");
            let vertices = match &matrices {
                Some(matrices) => reader.skinned(primitive, &item, matrices)?,
                None => reader.rigid(primitive, &item, place, carrier)?,
            };
            let name = mesh_of.name.as_deref().unwrap_or_default();
            reader.part(primitive, &item, name, &vertices, matrices.is_none(), carrier)?;
        }
    }
    reader.surface.wood.finish();
    Ok(reader.surface)
}

impl<'a> Reader<'a> {
    /// Joint, and matrix from the mesh to the upright world, of every joint of a skin.
    fn matrices(&self, graph: &Graph, joint_of: &[Option<u32>], skin: usize) -> Result<Matrices, RigError> {
        let skins = &self.document.schema.skins;
        let broken = |reason: String| RigError::broken(format!("skins[{skin}]"), reason);
        let of = skins.get(skin).ok_or_else(|| broken(format!("there are only {}", skins.len())))?;
        let binds = of.inverse_bind_matrices.map(|a| self.document.numbers(a, "MAT4", Wanted::Numbers)).transpose()?;
        if let Some(binds) = &binds
            && binds.len() < of.joints.len()
        {
            return Err(broken(format!("{} inverse bind matrices for {} joints", binds.len(), of.joints.len())));
        }
        let matrix = |(k, &node): (usize, &usize)| {
            let back = binds.as_ref().map_or(DAffine3::IDENTITY, |binds| {
                let m = binds.item::<16>(k);
                let column = |c: usize| DVec3::new(m[4 * c], m[4 * c + 1], m[4 * c + 2]);
                DAffine3::from_mat3_translation(DMat3::from_cols(column(0), column(1), column(2)), column(3))
            });
            let joint = joint_of[node].ok_or_else(|| broken(format!("node {node} is no joint")))?;
            Ok((joint, self.upright * graph.worlds[node] * back))
        };
        of.joints.iter().enumerate().map(matrix).collect()
    }

    fn positions(&mut self, primitive: &Primitive, item: &str) -> Result<Numbers<'a>, RigError> {
        if primitive.extensions.contains_key("KHR_draco_mesh_compression")
            && primitive
                .attributes
                .get("POSITION")
                .is_none_or(|&a| self.document.schema.accessors.get(a).is_none_or(|a| a.buffer_view.is_none()))
        {
            let reason = format!("{item} is compressed by Draco: export the tree without compression");
            return Err(RigError::Unsupported(reason));
        }
        let Some(&accessor) = primitive.attributes.get("POSITION") else {
            return Err(RigError::broken(item, "it has no POSITION"));
        };
        let positions = self.document.numbers(accessor, "VEC3", Wanted::Numbers)?;
        self.count(positions.len(), item)?;
        for vertex in 0..positions.len() {
            if let Some(x) = positions.item::<3>(vertex).into_iter().find(|x| x.is_nan() || x.abs() > 1e12) {
                return Err(RigError::broken(item, format!("vertex {vertex} is at {x}, which is no place")));
            }
        }
        Ok(positions)
    }

    fn count(&mut self, more: usize, item: &str) -> Result<(), RigError> {
        self.items += more;
        if self.items > MOST_ITEMS {
            let reason = format!(
                "{item} and those before have more than {MOST_ITEMS} vertices and triangles: export one tree alone"
            );
            return Err(RigError::Unsupported(reason));
        }
        Ok(())
    }

    fn skinned(
        &mut self,
        primitive: &Primitive,
        item: &str,
        matrices: &[(u32, DAffine3)],
    ) -> Result<Vertices, RigError> {
        let positions = self.positions(primitive, item)?;
        let mut sets = Vec::new();
        for set in 0..8 {
            let names = [format!("JOINTS_{set}"), format!("WEIGHTS_{set}")];
            let [Some(&joints), Some(&weights)] = names.each_ref().map(|name| primitive.attributes.get(name)) else {
                break;
            };
            let joints = self.document.numbers(joints, "VEC4", Wanted::Indices)?;
            let weights = self.document.numbers(weights, "VEC4", Wanted::Numbers)?;
            if joints.len() != positions.len() || weights.len() != positions.len() {
                return Err(RigError::broken(
                    item,
                    format!("{} and {} are not as many as POSITION", names[0], names[1]),
                ));
            }
            self.count(positions.len(), item)?;
            sets.push((joints, weights));
        }
        if sets.is_empty() {
            return Err(RigError::broken(item, "it belongs to a skin, but has no JOINTS_0 and WEIGHTS_0"));
        }
        let mirrored = matrices.first().is_some_and(|(_, matrix)| matrix.matrix3.determinant() < 0.0);
        let mut vertices = Vertices {
            places: Vec::with_capacity(positions.len()),
            influences: Vec::new(),
            ends: Vec::with_capacity(positions.len()),
            mirrored,
        };
        for i in 0..positions.len() {
            let p = DVec3::from_array(positions.item(i));
            let (mut place, mut sum) = (DVec3::ZERO, 0.0);
            let first = vertices.influences.len();
            for (joints, weights) in &sets {
                for (joint, weight) in joints.item::<4>(i).into_iter().zip(weights.item::<4>(i)) {
                    if !(0.0..=1e6).contains(&weight) {
                        return Err(RigError::broken(item, format!("vertex {i} has a weight of {weight}")));
                    }
                    let Some(&(global, matrix)) = matrices.get(joint as usize) else {
                        let reason = format!("vertex {i} hangs on joint {joint} of a skin with {}", matrices.len());
                        return Err(RigError::broken(item, reason));
                    };
                    if weight > 0.0 {
                        place += matrix.transform_point3(p) * weight;
                        sum += weight;
                        vertices.influences.push((global, weight as f32));
                    }
                }
            }
            if sum > 1e-9 {
                place /= sum;
                for (_, weight) in &mut vertices.influences[first..] {
                    *weight = (f64::from(*weight) / sum) as f32;
                }
            } else {
                // A vertex without weights has no joint. It is placed in the bind pose, where the matrices
                // of all joints agree.
                vertices.influences.truncate(first);
                let bound = sets[0].0.item::<1>(i)[0] as usize;
                place = matrices.get(bound).map_or(p, |(_, matrix)| matrix.transform_point3(p));
            }
            vertices.ends.push(vertices.influences.len() as u32);
            vertices.places.push(place.as_vec3());
        }
        Ok(vertices)
    }

    fn rigid(
        &mut self,
        primitive: &Primitive,
        item: &str,
        place: DAffine3,
        carrier: Option<u32>,
    ) -> Result<Vertices, RigError> {
        let positions = self.positions(primitive, item)?;
        let count = positions.len();
        let places = (0..count).map(|i| place.transform_point3(DVec3::from_array(positions.item(i))).as_vec3());
        let influences = carrier.map_or_else(Vec::new, |joint| vec![(joint, 1.0); count]);
        let ends = (1..=count as u32).map(|end| if carrier.is_some() { end } else { 0 }).collect();
        Ok(Vertices { places: places.collect(), influences, ends, mirrored: place.matrix3.determinant() < 0.0 })
    }

    fn part(
        &mut self,
        primitive: &Primitive,
        item: &str,
        mesh: &str,
        vertices: &Vertices,
        rigid: bool,
        carrier: Option<u32>,
    ) -> Result<(), RigError> {
        let triangles = triangles(self.document, primitive, item, vertices.places.len())?;
        self.count(triangles.len(), item)?;
        let parts = Parts::new(&vertices.places, &triangles);
        let kinds: Vec<Kind> =
            (0..parts.count()).map(|part| self.looks.kind(primitive, mesh, parts.shape(part))).collect();
        // Primitives may share their vertices: vertices of other primitives are skipped. Lines and points
        // have no triangles.
        let has = |part: usize| triangles.is_empty() || parts.shape(part).triangles > 0;
        let surface = &mut self.surface;
        if rigid && carrier.is_none() {
            if (0..kinds.len()).any(|part| has(part) && kinds[part] != Kind::Wood) {
                surface.still.push(mesh.to_owned());
            }
            return Ok(());
        }
        for (_, kind) in kinds.iter().enumerate().filter(|(part, _)| has(*part)) {
            let count = if *kind == Kind::Wood { &mut surface.wood_parts } else { &mut surface.leaf_parts };
            *count += 1;
        }
        let normals = parts.normals(&vertices.places, &triangles, vertices.mirrored);
        for (i, &at) in vertices.places.iter().enumerate() {
            let own = vertices.of(i);
            let is_bark = kinds[parts.of_vertex(i)] == Kind::Wood;
            // Objects rigidly attached to a bone (a nest, a lamp) are no evidence of its wood.
            if own.is_empty() || (rigid && is_bark) || !has(parts.of_vertex(i)) {
                continue;
            }
            (surface.low, surface.high) = (surface.low.min(at.as_dvec3()), surface.high.max(at.as_dvec3()));
            for &(joint, weight) in own {
                surface.weights[joint as usize] += f64::from(weight);
                if is_bark && weight >= LEAST {
                    surface.bark[joint as usize].push(Sample { at, normal: normals[i], weight });
                }
            }
        }
        let mut facets = Vec::new();
        for (t, corners) in triangles.iter().enumerate() {
            if parts.is_double(t) {
                continue;
            }
            let part = parts.of_vertex(corners[0] as usize);
            let joint = heaviest(vertices, corners);
            let Kind::Foliage { fill } = kinds[part] else {
                let corners = corners.map(|v| parts.welded(v));
                let [a, b, c] = corners;
                if !rigid && a != b && b != c && c != a {
                    facets.push(Facet { corners, part: part as u32, joint: joint.unwrap_or(NOBODY) });
                    surface.wood.add(corners, vertices);
                }
                continue;
            };
            let Some(joint) = joint else { continue };
            let [a, b, c] = corners.map(|v| vertices.places[v as usize].as_dvec3());
            let normal = (b - a).cross(c - a);
            let area = 0.5 * normal.length() * fill;
            if area > 0.0 && area.is_finite() {
                let normals = outer(normal.normalize(), area);
                surface.leaves[joint as usize].add(&Leaves { area, moment: (a + b + c) / 3.0 * area, normals });
            }
        }
        if !facets.is_empty() {
            add_shells(&vertices.places, &facets, &mut surface.shells, &mut surface.fruit);
        }
        Ok(())
    }
}

/// The joint nodes of all visible skins, parents before children.
pub(crate) fn joints(schema: &Schema, graph: &Graph) -> Result<Vec<usize>, RigError> {
    let mut known = vec![false; schema.nodes.len()];
    let mut seen = vec![false; schema.skins.len()];
    for node in schema.nodes.iter().enumerate().filter(|(i, n)| graph.shown[*i] && n.mesh.is_some()).map(|(_, n)| n) {
        let Some(skin) = node.skin else { continue };
        let skins = schema.skins.len();
        let of = schema
            .skins
            .get(skin)
            .ok_or_else(|| RigError::broken(format!("skins[{skin}]"), format!("there are only {skins}")))?;
        if std::mem::replace(&mut seen[skin], true) {
            continue;
        }
        for &joint in &of.joints {
            if joint >= schema.nodes.len() {
                return Err(RigError::broken(
                    format!("skins[{skin}]"),
                    format!("there is no node {joint} for a joint"),
                ));
            }
            known[joint] = true;
        }
    }
    Ok(graph.order.iter().copied().filter(|node| known[*node]).collect())
}
