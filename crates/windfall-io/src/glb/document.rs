//! The common part of the JSON of all GLB files, and the order of the pieces in the binary chunk.
//!
//! Written with plain JSON values instead of the types of `gltf-json`: those store node translations in
//! f32, which displaces a tree 1000 km from the origin (usual in map coordinates) by centimetres. JSON
//! numbers preserve f64.

use std::borrow::Cow;

use rayon::prelude::*;
use serde_json::{Map, Value, json};
use windfall_skin::{Image, Material, Mesh, Skin};

use super::blob::{Blob, padding};
use crate::images;

/// Light transmitted through leaves; optional for readers.
const TRANSMISSION: &str = "KHR_materials_diffuse_transmission";

// Constants that glTF adopts from OpenGL.
pub(super) const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;
pub(super) const UNSIGNED_BYTE: u32 = 5121;
pub(super) const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
pub(super) const FLOAT: u32 = 5126;
const LINEAR: u32 = 9729;
const LINEAR_MIPMAP_LINEAR: u32 = 9987;
const REPEAT: u32 = 10497;

/// Pieces of the binary chunk and the JSON lists that describe them.
#[derive(Default)]
pub(super) struct Document<'a> {
    pub blobs: Vec<Blob<'a>>,
    /// Total size of the blobs with padding.
    pub bytes: u64,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
}

/// The used materials of a skin; unused ones are omitted, with their images.
pub(super) struct Materials<'a> {
    skin: &'a Skin,
    places: Vec<Option<usize>>,
    used: Vec<&'a Material>,
}

impl<'a> Materials<'a> {
    pub fn new(skin: &'a Skin) -> Self {
        Self { skin, places: vec![None; skin.materials.len()], used: Vec::new() }
    }

    /// Index in the file of a material of the skin.
    pub fn place(&mut self, material: usize) -> usize {
        *self.places[material].get_or_insert_with(|| {
            self.used.push(&self.skin.materials[material]);
            self.used.len() - 1
        })
    }
}

impl<'a> Document<'a> {
    /// The whole JSON: a scene with these nodes, the used materials, and further lists.
    pub fn root<const N: usize>(
        &mut self,
        name: &str,
        scene_nodes: Vec<usize>,
        used: &Materials<'a>,
        lists: [(&str, Vec<Value>); N],
    ) -> Value {
        let (materials, images) = self.materials(&used.used);
        let mut root = Map::new();
        let generator = concat!("windfall ", env!("CARGO_PKG_VERSION"));
        root.insert("asset".into(), json!({ "version": "2.0", "generator": generator }));
        root.insert("scene".into(), 0.into());
        let mut scene = json!({ "name": name });
        if !scene_nodes.is_empty() {
            scene["nodes"] = scene_nodes.into();
        }
        root.insert("scenes".into(), json!([scene]));
        if used.used.iter().any(|m| m.translucency.is_some()) {
            root.insert("extensionsUsed".into(), json!([TRANSMISSION]));
        }
        if !images.is_empty() {
            let sampler = json!({
                "magFilter": LINEAR, "minFilter": LINEAR_MIPMAP_LINEAR, "wrapS": REPEAT, "wrapT": REPEAT,
            });
            root.insert("samplers".into(), json!([sampler]));
        }
        let textures = (0..images.len()).map(|i| json!({ "source": i, "sampler": 0 })).collect();
        let own = [("materials", materials), ("textures", textures), ("images", images)];
        for (name, list) in lists.into_iter().chain(own) {
            // glTF allows no empty list.
            if !list.is_empty() {
                root.insert(name.into(), list.into());
            }
        }
        root.into()
    }

    /// Adds the description of the binary chunk, extended by `more` bytes, and returns the text.
    pub fn finish(&mut self, mut root: Value, more: u64) -> Vec<u8> {
        let bytes = self.bytes + more;
        if bytes > 0 {
            root["buffers"] = json!([{ "byteLength": bytes }]);
        }
        let lists = [("accessors", &mut self.accessors), ("bufferViews", &mut self.views)];
        for (name, list) in lists {
            if !list.is_empty() {
                root[name] = std::mem::take(list).into();
            }
        }
        let mut json = root.to_string().into_bytes();
        json.resize(json.len() + padding(json.len() as u64), b' ');
        json
    }

    /// Adds a piece; returns the index of its view.
    fn view(&mut self, blob: Blob<'a>, target: Option<u32>) -> usize {
        let bytes = blob.bytes();
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes, "byteLength": bytes });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.bytes += bytes + padding(bytes) as u64;
        self.blobs.push(blob);
        self.views.push(view);
        self.views.len() - 1
    }

    /// Adds a list of numbers; returns the index of its accessor. `fields` are additional accessor
    /// properties.
    pub fn accessor(
        &mut self,
        blob: Blob<'a>,
        target: Option<u32>,
        count: usize,
        kind: &str,
        component: u32,
        fields: Value,
    ) -> usize {
        let mut accessor = json!({ "count": count, "type": kind, "componentType": component });
        if let (Value::Object(fields), Value::Object(accessor)) = (fields, &mut accessor) {
            accessor.extend(fields);
        }
        accessor["bufferView"] = self.view(blob, target).into();
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// All triangles of a mesh.
    pub fn primitive(&mut self, mesh: &'a Mesh, material: usize) -> Value {
        let mut primitive = self.untinted_primitive(mesh, material);
        if mesh.tints.iter().any(|&tint| tint != [u8::MAX; 4]) {
            let fields = json!({ "normalized": true });
            let tints = Blob::Tints(&mesh.tints);
            let count = mesh.tints.len();
            primitive["attributes"]["COLOR_0"] =
                self.accessor(tints, Some(VERTICES), count, "VEC4", UNSIGNED_BYTE, fields).into();
        }
        primitive
    }

    /// All triangles of a mesh without the tints of its vertices.
    pub fn untinted_primitive(&mut self, mesh: &'a Mesh, material: usize) -> Value {
        let count = mesh.positions.len();
        let (min, max) = mesh.bounds().unwrap_or_default();
        let positions = Blob::Vectors(&mesh.positions);
        let box_fields = json!({ "min": min.to_array(), "max": max.to_array() });
        let attributes = json!({
            "POSITION": self.accessor(positions, Some(VERTICES), count, "VEC3", FLOAT, box_fields),
            "NORMAL": self.accessor(Blob::Vectors(&mesh.normals), Some(VERTICES), count, "VEC3", FLOAT, Value::Null),
            // As floats: not every program supports normalised integers here (Godot before 3.2.4, assimp).
            "TEXCOORD_0": self.accessor(Blob::Uvs(&mesh.uvs), Some(VERTICES), count, "VEC2", FLOAT, Value::Null),
        });
        // The largest number of a type is not allowed as an index. More than u32 do not fit into a GLB
        // anyway.
        let (indices, component) = if u16::try_from(count).is_ok() {
            (Blob::ShortIndices(&mesh.triangles), UNSIGNED_SHORT)
        } else {
            (Blob::Indices(&mesh.triangles), UNSIGNED_INT)
        };
        let corners = 3 * mesh.triangles.len();
        let indices = self.accessor(indices, Some(INDICES), corners, "SCALAR", component, Value::Null);
        json!({ "attributes": attributes, "indices": indices, "material": material })
    }

    /// The lists of materials and images. An image that several materials share is written once; a texture
    /// has the index of its image.
    fn materials(&mut self, used: &[&'a Material]) -> (Vec<Value>, Vec<Value>) {
        let mut sources: Vec<(String, Cow<'a, Image>)> = Vec::new();
        let mut texture = |material: &Material, what: &str, image: Cow<'a, Image>| {
            let known = sources.iter().position(|(_, other)| *other == image);
            let index = known.unwrap_or_else(|| {
                sources.push((format!("{}_{what}", material.name), image));
                sources.len() - 1
            });
            json!({ "index": index })
        };
        let mut materials = Vec::new();
        for &material in used {
            let [r, g, b] = material.base_color_factor;
            let mut pbr = json!({
                "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": material.roughness_factor,
            });
            if let Some(image) = &material.base_color {
                pbr["baseColorTexture"] = texture(material, "color", Cow::Borrowed(image));
            }
            if let Some(image) = &material.roughness {
                pbr["metallicRoughnessTexture"] = texture(material, "roughness", Cow::Borrowed(image));
            }
            let mut value = json!({
                "name": material.name, "pbrMetallicRoughness": pbr, "doubleSided": material.double_sided,
            });
            if let Some(image) = &material.normal {
                value["normalTexture"] = texture(material, "normal", Cow::Borrowed(image));
            }
            if let Some(cutoff) = material.alpha_cutoff {
                value["alphaMode"] = "MASK".into();
                value["alphaCutoff"] = cutoff.into();
            }
            if let Some(image) = &material.translucency {
                let both = texture(material, "transmission", Cow::Owned(images::transmission(image)));
                value["extensions"] = json!({ TRANSMISSION: {
                    "diffuseTransmissionFactor": 1.0,
                    "diffuseTransmissionTexture": both,
                    "diffuseTransmissionColorTexture": both,
                }});
            }
            materials.push(value);
        }
        let files: Vec<Vec<u8>> = sources.par_iter().map(|(_, image)| images::png(image)).collect();
        let images = (sources.into_iter().zip(files))
            .map(|((name, _), file)| {
                json!({ "name": name, "mimeType": "image/png", "bufferView": self.view(Blob::Png(file), None) })
            })
            .collect();
        (materials, images)
    }
}
