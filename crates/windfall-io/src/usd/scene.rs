//! Common prims of all USD files of a plant: trees, meshes, materials.

use std::borrow::Cow;

use glam::{DVec3, Vec2, Vec3};
use windfall_core::Plant;
use windfall_skin::{Mesh, Skin, SkinPart, TreeSkin};

use super::layer::{Content, Layer, Prim, Property, Value, identifiers};
use super::materials::{self, Materials};

/// Trees and parts with triangles, with unique names.
pub(super) struct Scene<'a> {
    root_name: String,
    /// Materials, until moved into the root.
    scope: Option<Prim<'a>>,
    pub materials: Materials,
    pub trees: Vec<SceneTree<'a>>,
}

pub(super) struct SceneTree<'a> {
    name: String,
    pub path: String,
    origin: DVec3,
    pub parts: Vec<ScenePart<'a>>,
}

pub(super) struct ScenePart<'a> {
    name: String,
    pub part: &'a SkinPart,
}

impl<'a> Scene<'a> {
    /// The trees of a checked skin; `beside` is the prefix of image files.
    pub fn new(plant: &Plant, skin: &Skin, trees: &'a [TreeSkin], beside: &str) -> Self {
        let root_name = identifiers([plant.name()].into_iter()).remove(0);
        let mut names = identifiers(["materials"].into_iter().chain(plant.trees().iter().map(|tree| &*tree.name)));
        let materials_name = names.remove(0);
        let path = format!("/{root_name}/{materials_name}");
        let (scope, materials) = materials::scope(skin, beside, materials_name, &path);
        let trees = (plant.trees().iter().zip(trees).zip(names))
            .map(|((tree, skin), name)| {
                let parts: Vec<&SkinPart> = skin.parts.iter().filter(|part| !part.mesh.triangles.is_empty()).collect();
                // The first name is reserved for the skeleton.
                let names = identifiers([super::skeleton::NAME].into_iter().chain(parts.iter().map(|p| &*p.name)));
                let parts = parts.into_iter().zip(names.into_iter().skip(1));
                SceneTree {
                    path: format!("/{root_name}/{name}"),
                    name,
                    origin: tree.origin,
                    parts: parts.map(|(part, name)| ScenePart { name, part }).collect(),
                }
            })
            .collect();
        Self { root_name, scope: Some(scope), materials, trees }
    }

    /// All parts, ordered by tree.
    pub fn parts(&self) -> impl Iterator<Item = &ScenePart<'a>> {
        self.trees.iter().flat_map(|tree| &tree.parts)
    }

    /// Numbers of meshes and vertices.
    pub fn counts(&self) -> (usize, usize) {
        (self.parts().count(), self.parts().map(|part| part.part.mesh.positions.len()).sum())
    }

    /// A static layer.
    pub fn still(&mut self) -> Layer<'a> {
        let trees = self.trees.iter().map(|tree| {
            let mut prim = tree.prim("Xform");
            prim.children.extend(tree.parts.iter().map(|part| self.mesh(part, Shape::still(&part.part.mesh))));
            prim
        });
        let trees = trees.collect();
        Layer { root: self.root(trees), timing: None, streams: Vec::new() }
    }

    /// The prim at the top, with materials and trees.
    pub fn root(&mut self, trees: Vec<Prim<'a>>) -> Prim<'a> {
        let mut root = Prim::new("Xform", &*self.root_name);
        root.kind = Some("component");
        root.children.extend(self.scope.take().filter(|scope| !scope.children.is_empty()));
        root.children.extend(trees);
        root
    }

    /// A mesh without animation.
    pub fn mesh(&self, part: &ScenePart<'a>, shape: Shape<'a>) -> Prim<'a> {
        let (mesh, material) = (&part.part.mesh, self.materials.paths[part.part.material].as_ref());
        let mut prim = Prim::new("Mesh", &*part.name);
        if self.materials.double_sided[part.part.material] {
            prim.set_uniform("bool", "doubleSided", Value::Bool(true));
        }
        prim.set("int[]", "faceVertexCounts", Value::Threes(mesh.triangles.len()));
        prim.set("int[]", "faceVertexIndices", Value::Corners(&mesh.triangles));
        if let Some(path) = material {
            prim.api_schemas.push("MaterialBindingAPI");
            prim.relate("material:binding", path.clone());
        }
        prim.properties.push(Property::new("float3[]", "extent", shape.extent));
        prim.set_primvar("normal3f[]", "normals", "vertex", shape.normals);
        prim.properties.push(Property::new("point3f[]", "points", shape.points));
        // v points down from the top of the image in the skin, up from the bottom in USD.
        let st = mesh.uvs.iter().map(|uv| Vec2::new(uv.x, 1.0 - uv.y)).collect();
        prim.set_primvar("texCoord2f[]", "primvars:st", "vertex", Content::Value(Value::Vec2s(st)));
        if mesh.tints.iter().any(|&tint| tint != [u8::MAX; 4]) {
            let linear = |tint: &[u8; 4]| Vec3::from_array([0, 1, 2].map(|c| f32::from(tint[c]) / 255.0));
            let tints = mesh.tints.iter().map(linear).collect();
            prim.set_primvar("color3f[]", "primvars:tint", "vertex", Content::Value(Value::Vec3s(Cow::Owned(tints))));
        }
        prim.set_uniform("token", "subdivisionScheme", Value::Token("none".into()));
        prim
    }
}

impl<'a> SceneTree<'a> {
    /// The prim of the tree at its origin, without children.
    pub fn prim(&self, type_name: &'static str) -> Prim<'a> {
        let mut prim = Prim::new(type_name, &*self.name);
        if self.origin != DVec3::ZERO {
            prim.set("double3", "xformOp:translate", Value::Double3(self.origin.to_array()));
            prim.set_uniform("token[]", "xformOpOrder", Value::Tokens(vec!["xformOp:translate".into()]));
        }
        prim
    }
}

/// Vertices of a mesh: values or samples.
pub(super) struct Shape<'a> {
    pub points: Content<'a>,
    pub normals: Content<'a>,
    pub extent: Content<'a>,
}

impl<'a> Shape<'a> {
    /// The mesh at rest.
    pub fn still(mesh: &'a Mesh) -> Self {
        let list = |list: &'a [Vec3]| Content::Value(Value::Vec3s(Cow::Borrowed(list)));
        Self {
            points: list(&mesh.positions),
            normals: list(&mesh.normals),
            extent: Content::Value(Value::Vec3s(Cow::Owned(extent(&mesh.positions).to_vec()))),
        }
    }
}

/// Smallest and largest corner of the bounding box of points.
pub(super) fn extent(points: &[Vec3]) -> [Vec3; 2] {
    let first = points.first().copied().unwrap_or_default();
    points.iter().fold([first; 2], |[low, high], &p| [low.min(p), high.max(p)])
}
