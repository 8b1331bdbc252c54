//! Generated rigs, and a player for the written files.

#![allow(dead_code, reason = "not every test uses all of it")]

use glam::{DAffine3, DMat4, DQuat, DVec3};
use serde_json::{Value, json};
use windfall_core::{Plant, Pose, materials};
use windfall_io::PoseList;
use windfall_rig::{Document, Rig, RigError, RigOptions, Up};

/// A joint: name, parent, head and tail in the world.
pub type Bone = (String, Option<usize>, DVec3, DVec3);

/// A ring of bark: its centre, radius, joints with weights.
pub type Ring = (DVec3, f64, Vec<(usize, f64)>);

/// A rig to be written as glTF.
pub struct Rigged {
    pub bones: Vec<Bone>,
    /// Vertices: world position, up to four joints with weights.
    pub vertices: Vec<(DVec3, Vec<(usize, f64)>)>,
    pub triangles: Vec<[u32; 3]>,
    /// Transform of the armature.
    pub armature: DAffine3,
}

impl Rigged {
    /// A straight tapered trunk along y: bones of equal length, eight-sided rings at joints and midpoints.
    pub fn chain(count: usize, height: f64, base: f64, tip: f64) -> Self {
        let at = |k: f64| DVec3::Y * (height * k / count as f64);
        let bones = (0..count).map(|k| (format!("j{k}"), k.checked_sub(1), at(k as f64), at(k as f64 + 1.0))).collect();
        let mut rig = Self { bones, vertices: Vec::new(), triangles: Vec::new(), armature: DAffine3::IDENTITY };
        let rings = (0..=2 * count).map(|ring| {
            let k = ring as f64 / 2.0;
            let own = (ring / 2).min(count - 1);
            let weights = if ring % 2 == 0 && ring > 0 && ring < 2 * count {
                vec![(own - 1, 0.5), (own, 0.5)]
            } else {
                vec![(own, 1.0)]
            };
            (at(k), base + (tip - base) * k / count as f64, weights)
        });
        rig.tube(&rings.collect::<Vec<_>>(), DVec3::Y);
        rig
    }

    /// Adds a tube of rings (centre, radius, weights) around an axis.
    pub fn tube(&mut self, rings: &[Ring], axis: DVec3) {
        let x = axis.any_orthonormal_vector();
        let z = x.cross(axis);
        for (r, (middle, radius, weights)) in rings.iter().enumerate() {
            let first = self.vertices.len() as u32;
            for side in 0..8_u32 {
                let angle = f64::from(side) * std::f64::consts::TAU / 8.0;
                self.vertices.push((*middle + (x * angle.cos() + z * angle.sin()) * *radius, weights.clone()));
                if r > 0 {
                    let (a, b) = (first + side, first + (side + 1) % 8);
                    self.triangles.extend([[a - 8, a, b - 8], [a, b, b - 8]]);
                }
            }
        }
    }

    /// Adds a side branch: a bone on another with its own tube.
    pub fn side(&mut self, name: &str, parent: Option<usize>, head: DVec3, tail: DVec3, radius: f64) -> usize {
        let joint = self.bones.len();
        self.bones.push((name.into(), parent, head, tail));
        let rings: Vec<_> = (0..5).map(|k| (head.lerp(tail, f64::from(k) / 4.0), radius, vec![(joint, 1.0)])).collect();
        self.tube(&rings, (tail - head).normalize());
        joint
    }

    /// World transform of each joint: +y along the bone, with an individual roll angle.
    pub fn worlds(&self) -> Vec<DAffine3> {
        let size = self.armature.matrix3.determinant().abs().cbrt();
        let mirror = self.armature.matrix3.determinant().signum();
        let world = |(k, (_, _, head, tail)): (usize, &Bone)| {
            let along = (*tail - *head).try_normalize().unwrap_or(DVec3::Y);
            let turn = DQuat::from_rotation_arc(DVec3::Y, along) * DQuat::from_rotation_y(0.7 * k as f64 + 0.3);
            DAffine3::from_scale_rotation_translation(DVec3::new(size * mirror, size, size), turn, *head)
        };
        self.bones.iter().enumerate().map(world).collect()
    }

    /// JSON and binary buffer: node 0 is the armature, node k + 1 joint k, the last the mesh.
    pub fn build(&self) -> (Value, Vec<u8>) {
        let worlds = self.worlds();
        let (scale, rotation, translation) = self.armature.to_scale_rotation_translation();
        let mut nodes = vec![
            json!({ "name": "Armature", "scale": scale.to_array(), "rotation": rotation.to_array(), "translation": translation.to_array(), "children": [] }),
        ];
        for (k, (name, parent, ..)) in self.bones.iter().enumerate() {
            let on = parent.map_or(self.armature, |p| worlds[p]);
            let (scale, rotation, translation) = (on.inverse() * worlds[k]).to_scale_rotation_translation();
            nodes.push(json!({ "name": name, "scale": scale.to_array(), "rotation": rotation.to_array(), "translation": translation.to_array(), "children": [], "extras": { "mine": k } }));
        }
        for (k, (_, parent, ..)) in self.bones.iter().enumerate() {
            let on = parent.map_or(0, |p| p + 1);
            nodes[on]["children"].as_array_mut().unwrap().push((k + 1).into());
        }
        for node in &mut nodes {
            if node["children"].as_array().unwrap().is_empty() {
                node.as_object_mut().unwrap().remove("children");
            }
        }
        let mut bin = Vec::new();
        let mut views = Vec::new();
        let mut view = |bytes: Vec<u8>, bin: &mut Vec<u8>| {
            views.push(json!({ "buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len() }));
            bin.extend(bytes);
            bin.resize(bin.len().next_multiple_of(4), 0);
        };
        let floats = |list: Vec<f32>| list.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
        view(floats(self.vertices.iter().flat_map(|(p, _)| p.as_vec3().to_array()).collect()), &mut bin);
        let four = |list: &[(usize, f64)]| -> [(usize, f64); 4] {
            std::array::from_fn(|i| list.get(i).copied().unwrap_or((0, 0.0)))
        };
        view(self.vertices.iter().flat_map(|(_, w)| four(w).map(|(j, _)| j as u8)).collect(), &mut bin);
        view(floats(self.vertices.iter().flat_map(|(_, w)| four(w).map(|(_, w)| w as f32)).collect()), &mut bin);
        view(self.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect(), &mut bin);
        view(
            floats(worlds.iter().flat_map(|w| DMat4::from(w.inverse()).as_mat4().to_cols_array()).collect()),
            &mut bin,
        );
        let low = self.vertices.iter().fold(DVec3::INFINITY, |low, (p, _)| low.min(*p));
        let high = self.vertices.iter().fold(DVec3::NEG_INFINITY, |high, (p, _)| high.max(*p));
        let count = self.vertices.len();
        let mesh = nodes.len();
        nodes.push(json!({ "name": "Tree", "mesh": 0, "skin": 0 }));
        let document = json!({
            "asset": { "version": "2.0", "generator": "test" },
            "scene": 0,
            "scenes": [{ "nodes": [0, mesh] }],
            "nodes": nodes,
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 }, "indices": 3, "material": 0 }] }],
            "materials": [{ "name": "Material" }],
            "skins": [{ "joints": (1..=self.bones.len()).collect::<Vec<_>>(), "inverseBindMatrices": 4 }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3", "min": low.to_array(), "max": high.to_array() },
                { "bufferView": 1, "componentType": 5121, "count": count, "type": "VEC4" },
                { "bufferView": 2, "componentType": 5126, "count": count, "type": "VEC4" },
                { "bufferView": 3, "componentType": 5125, "count": 3 * self.triangles.len(), "type": "SCALAR" },
                { "bufferView": 4, "componentType": 5126, "count": self.bones.len(), "type": "MAT4" },
            ],
            "bufferViews": views,
            "buffers": [{ "byteLength": bin.len() }],
        });
        (document, bin)
    }

    pub fn glb(&self) -> Vec<u8> {
        let (json, bin) = self.build();
        glb(&json, &bin)
    }
}

pub fn glb(json: &Value, bin: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut out = b"glTF\x02\0\0\0".to_vec();
    let put = |n: usize, out: &mut Vec<u8>| out.extend((n as u32).to_le_bytes());
    put(12 + 8 + text.len() + 8 + bin.len().next_multiple_of(4), &mut out);
    put(text.len(), &mut out);
    out.extend(b"JSON");
    out.extend(text);
    put(bin.len().next_multiple_of(4), &mut out);
    out.extend(b"BIN\0");
    out.extend(bin);
    out.resize(out.len().next_multiple_of(4), 0);
    out
}

pub fn options() -> RigOptions {
    RigOptions {
        name: "tree".into(),
        up: Up::Y,
        height: None,
        scale: None,
        wood: materials::wood("white oak").unwrap().clone(),
        leaf: materials::leaf("oak").unwrap().clone(),
        leaf_materials: None,
        leaf_area: None,
        force: false,
    }
}

pub fn document(bytes: &[u8]) -> Result<Document, RigError> {
    Document::read(bytes, &mut |uri| Err(format!("no {uri} here")))
}

/// The rig of a modified file.
pub fn changed(rig: &Rigged, change: impl FnOnce(&mut Value, &mut Vec<u8>)) -> Result<Rig, RigError> {
    let (mut json, mut bin) = rig.build();
    change(&mut json, &mut bin);
    Rig::of(&document(&glb(&json, &bin))?, &options())
}

/// Every segment oscillates by `size` radians; positions are recomputed from the root.
pub fn swaying(plant: &Plant, frames: usize, size: f32) -> PoseList {
    let rest = Pose::rest(plant);
    let pose = |frame: usize| {
        let mut pose = rest.clone();
        for id in plant.body_ids() {
            let i = id.0 as usize;
            let phase = 0.2 * frame as f32 + 0.5 * i as f32;
            let axis = glam::Vec3::new(1.0, 0.3, (i as f32).cos()).normalize();
            let turn = glam::Quat::from_axis_angle(axis, size * phase.sin());
            let (from, moved) = match plant.parent(id) {
                Some(parent) => {
                    let p = parent.0 as usize;
                    let moved = pose.orientations[p] * rest.orientations[p].conjugate();
                    (pose.positions[p] + moved * (rest.positions[i] - rest.positions[p]), moved)
                }
                None => (rest.positions[i], glam::Quat::IDENTITY),
            };
            pose.positions[i] = from;
            pose.orientations[i] = (moved * turn * rest.orientations[i]).normalize();
        }
        pose
    };
    PoseList { poses: (0..frames).map(pose).collect(), frames_per_second: 25.0 }
}

/// A written file, played.
pub struct Player {
    pub json: Value,
    pub bin: Vec<u8>,
}

impl Player {
    pub fn of(bytes: &[u8]) -> Self {
        let n = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        Self { json: serde_json::from_slice(&bytes[20..20 + n]).unwrap(), bin: bytes[20 + n + 8..].to_vec() }
    }

    pub fn floats(&self, accessor: usize) -> Vec<f64> {
        let a = &self.json["accessors"][accessor];
        let view = &self.json["bufferViews"][a["bufferView"].as_u64().unwrap() as usize];
        let width = match a["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            _ => 4,
        };
        let begin = (view["byteOffset"].as_u64().unwrap_or(0) + a["byteOffset"].as_u64().unwrap_or(0)) as usize;
        let bytes = &self.bin[begin..begin + 4 * width * a["count"].as_u64().unwrap() as usize];
        bytes.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))).collect()
    }

    /// World matrices of all nodes at a time of a clip.
    pub fn worlds(&self, clip: usize, time: f64) -> Vec<DAffine3> {
        let mut nodes: Vec<Value> = self.json["nodes"].as_array().unwrap().clone();
        let animation = &self.json["animations"][clip];
        for channel in animation["channels"].as_array().unwrap() {
            let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
            let times = self.floats(sampler["input"].as_u64().unwrap() as usize);
            let values = self.floats(sampler["output"].as_u64().unwrap() as usize);
            let width = values.len() / times.len();
            let value = |i: usize| &values[i * width..(i + 1) * width];
            let after = times.partition_point(|&t| t <= time).clamp(1, times.len().max(2) - 1).min(times.len() - 1);
            let before = after.saturating_sub(1);
            let share = if after == before {
                0.0
            } else {
                ((time - times[before]) / (times[after] - times[before])).clamp(0.0, 1.0)
            };
            let node = channel["target"]["node"].as_u64().unwrap() as usize;
            let path = channel["target"]["path"].as_str().unwrap();
            nodes[node][path] = if path == "rotation" {
                let (a, b) = (DQuat::from_slice(value(before)), DQuat::from_slice(value(after)));
                json!(a.slerp(b, share).normalize().to_array())
            } else {
                json!(DVec3::from_slice(value(before)).lerp(DVec3::from_slice(value(after)), share).to_array())
            };
        }
        let mut worlds = vec![None; nodes.len()];
        for i in 0..nodes.len() {
            place(&nodes, &mut worlds, i);
        }
        worlds.into_iter().map(Option::unwrap).collect()
    }
}

fn place(nodes: &[Value], worlds: &mut [Option<DAffine3>], i: usize) -> DAffine3 {
    if let Some(known) = worlds[i] {
        return known;
    }
    let is_child =
        |node: &Value| node["children"].as_array().is_some_and(|c| c.iter().any(|c| c.as_u64() == Some(i as u64)));
    let parent = nodes.iter().position(is_child);
    let on = parent.map_or(DAffine3::IDENTITY, |p| place(nodes, worlds, p));
    let list = |key: &str| nodes[i][key].as_array().map(|v| v.iter().map(|x| x.as_f64().unwrap()).collect::<Vec<_>>());
    let local = match list("matrix") {
        Some(m) => DAffine3::from_mat4(DMat4::from_cols_slice(&m)),
        None => DAffine3::from_scale_rotation_translation(
            list("scale").map_or(DVec3::ONE, |v| DVec3::from_slice(&v)),
            list("rotation").map_or(DQuat::IDENTITY, |v| DQuat::from_slice(&v).normalize()),
            list("translation").map_or(DVec3::ZERO, |v| DVec3::from_slice(&v)),
        ),
    };
    worlds[i] = Some(on * local);
    on * local
}

/// Replaces the transforms of all joints by matrices.
pub fn matrices(json: &mut Value) {
    for node in json["nodes"].as_array_mut().unwrap().iter_mut().filter(|node| node.get("scale").is_some()) {
        let list = |key: &str| node[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<_>>();
        let place = DAffine3::from_scale_rotation_translation(
            DVec3::from_slice(&list("scale")),
            DQuat::from_slice(&list("rotation")),
            DVec3::from_slice(&list("translation")),
        );
        let node = node.as_object_mut().unwrap();
        for key in ["scale", "rotation", "translation"] {
            node.remove(key);
        }
        node.insert("matrix".into(), json!(DMat4::from(place).to_cols_array()));
    }
}
